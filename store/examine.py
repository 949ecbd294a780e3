"""python -m store.examine FOLDER: look through a generation of the search index, as a process that damage may end.

Damaged files of vectors make Chroma read where nothing is, and the kernel ends the process; better this one than the
assistant. Exits with 0 when the index finds its own passages.
"""

from __future__ import annotations

import resource
import sys
from pathlib import Path

from store.embedded import examine


def main() -> None:
    """Examine the folder in the arguments."""
    resource.setrlimit(resource.RLIMIT_CORE, (0, 0))
    found, tried = examine(Path(sys.argv[1]))
    if found < tried:
        sys.exit(f"it finds {found} of {tried} of its own passages.")


if __name__ == "__main__":
    main()
