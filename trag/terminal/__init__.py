"""Every job from the terminal, one module each: words -> one call -> lines."""
