"""Entity linking: units found in a text by names, other names and typing errors."""
