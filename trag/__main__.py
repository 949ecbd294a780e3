"""python -m trag: every job from the terminal."""

import sys

from trag.terminal.main import main

if __name__ == "__main__":
    sys.exit(main())
