"""Folders whose files are mirrored into the documents of a home: listed, compared with what was seen last, taken in,
renamed and forgotten as they are."""
