"""The web app: `python app.py` serves the home that the settings name. Composition only."""

import sys

from trag.terminal.main import main

if __name__ == "__main__":
    sys.exit(main(["serve"]))
