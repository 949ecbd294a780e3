"""What the jobs of the terminal have in common: words that are files or numbers, who types, progress bar, tables."""

from __future__ import annotations

import argparse
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from getpass import getuser
from pathlib import Path
from typing import TYPE_CHECKING, NoReturn, Protocol

from trag.errors import TragError
from trag.progress import Progress

if TYPE_CHECKING:
    from tqdm import tqdm

    from trag.evaluate.tables import Table


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


def progress_of(bar: tqdm[object]) -> Progress:
    """The Progress that a bar shows. Each step has a time left of its own, told from what was done since it was first
    heard of: what was there already took no time. A total of 0 is one that nobody knows."""
    shown: str | None = None

    def progress(step: str, done: int, total: int) -> None:
        nonlocal shown
        if bar.disable:
            return
        if step != shown:
            shown = step
            bar.reset()
            bar.initial = done
            bar.set_description_str(step, refresh=False)
        bar.total, bar.n = total or None, done
        bar.refresh()

    return progress


@contextmanager
def bar() -> Iterator[Progress]:
    """The Progress of an evaluation, on stderr."""
    from tqdm import tqdm

    with tqdm(unit="answer", file=sys.stderr, disable=None) as shown:
        yield progress_of(shown)


def show(table: Table) -> None:
    """A table in columns, on stdout."""
    widths = [max(map(len, column)) for column in zip(table.header, *table.rows, strict=True)]
    print(f"\n{table.title}")
    for row in (table.header, *table.rows):
        print("  ".join(cell.ljust(width) for cell, width in zip(row, widths, strict=True)).rstrip())
    if table.note:
        print(table.note)
