"""What the words of several jobs have in common: files, numbers, who types."""

from __future__ import annotations

import argparse
from getpass import getuser
from pathlib import Path
from typing import NoReturn, Protocol

from trag.errors import TragError


class Wrong(Protocol):
    """Ends the program with what is wrong with its words."""

    def __call__(self, message: str) -> NoReturn: ...


def by() -> str:
    """Who sits at the terminal, as records name them."""
    return f"{getuser()} (terminal)"


def file(name: str) -> Path:
    """The file that is named. Raises TragError where there is none."""
    path = Path(name)
    if not path.is_file():
        raise TragError(f"There is no file {name}.", "Check the path.")
    return path


def at_least_one(text: str) -> int:
    """The number that a word is, for argparse. Raises ArgumentTypeError for any other word."""
    if not text.isdecimal() or int(text) < 1:
        raise argparse.ArgumentTypeError(f"{text!r} is not 1 or more")
    return int(text)
