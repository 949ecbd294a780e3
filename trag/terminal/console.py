"""What the jobs of the terminal have in common: acts, words of a kind, who types, progress bar, tables."""

from __future__ import annotations

import argparse
import json
import sys
from collections.abc import Iterable, Iterator, Sequence
from contextlib import contextmanager
from getpass import getuser
from importlib import import_module
from pathlib import Path
from typing import TYPE_CHECKING, Any, NoReturn, Protocol

from trag.errors import TragError
from trag.progress import Progress

if TYPE_CHECKING:
    from tqdm import tqdm

    from trag.evaluate.tables import Table


class Wrong(Protocol):
    """Ends the program with what is wrong with its words."""

    def __call__(self, message: str) -> NoReturn: ...


def acts_of(
    parser: argparse.ArgumentParser, left_out: str, *, takes_words: bool = True
) -> argparse._SubParsersAction[argparse.ArgumentParser]:
    """The acts of a job, of which one may be left out: what begins with no act is its own, where it takes no words
    only options and nothing at all."""
    acts = parser.add_subparsers(dest="act", required=True, metavar="ACT")
    parse = parser.parse_known_args

    def parse_with_act(given: Sequence[str], namespace: Any) -> Any:
        first = given[0] if given else "-"
        if first not in {*acts.choices, "-h", "--help"} and (takes_words or first.startswith("-")):
            given = [left_out, *given]
        return parse(given, namespace)

    parser.parse_known_args = parse_with_act  # type: ignore[method-assign,assignment]
    return acts


def refuse_beside(wrong: Wrong, options: argparse.Namespace, chosen: str, *names: str) -> None:
    """Ends the program where options of these names were given, which do not go with what was chosen."""
    given = (name for name in names if not any(getattr(options, name) is unset for unset in (None, False)))
    if told := ", ".join(f"--{name.replace('_', '-')}" for name in given):
        wrong(f"{told} does not go with {chosen}")


def add_systems(act: argparse.ArgumentParser, module: str) -> None:
    """The options of an act that measures some of the SYSTEMS of a module, which is imported when one is named."""

    def system(text: str) -> str:
        if text not in (known := import_module(module).SYSTEMS):
            raise argparse.ArgumentTypeError(f"invalid choice: {text!r} (choose from {', '.join(known)})")
        return text

    act.add_argument("--system", nargs="+", action="extend", type=system)
    act.add_argument("--markdown", action="store_true", help="the tables as Markdown")


def by() -> str:
    """Who sits at the terminal, as records name them."""
    return f"{getuser()} (terminal)"


def file(name: str) -> Path:
    """The file that is named. Raises TragError where there is none."""
    path = Path(name)
    if not path.is_file():
        raise TragError(f"There is no file {name}.", "Check the path.")
    return path


def json_file(name: str) -> Any:
    """What the file that is named holds. Raises TragError where there is none, and where it is no JSON."""
    try:
        return json.loads(file(name).read_bytes())
    except (ValueError, RecursionError) as error:
        raise TragError(f"{name} is not valid JSON: {error}", "Check it in an editor that knows JSON.") from error


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


def show_all(tables: Iterable[Table], *, markdown: bool) -> None:
    """Those of some tables that have rows; as Markdown, all of them."""
    from trag.evaluate.tables import markdown as written

    for table in tables:
        if markdown:
            print(written(table))
        elif table.rows:
            show(table)
