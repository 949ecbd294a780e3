"""Where untrusted bytes are read, run only in the child process that `trag.ingest.reading` starts.

Everything here may hang, swell or die on a hostile file; the parent holds the limits. Each parser takes the bytes and
gives a Reading; a file that a person can put right is a TragError whose message does not name it, because the child
is not told its name.
"""

from trag.ingest.parse.formats import parse

__all__ = ["parse"]
