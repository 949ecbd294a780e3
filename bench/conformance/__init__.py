"""Whether public test files of the formats are read without an end of the reader or a silent loss of text."""
