"""Files of procedures of anyone, read in a child process that a hostile one may kill.

The child runs this module with the argument SUFFIX: a file on its standard input, its entries as JSON on its output.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Sequence
from pathlib import PurePath
from typing import TYPE_CHECKING

from org.chart import Chart
from org.procedures import entries
from org.procedures.entries import Entries
from org.procedures.reading import Report, judge
from org.reading.problems import error
from trag.errors import TragError
from trag.sandbox import Limits, run, serve
from trag.version_files import File

if TYPE_CHECKING:
    from store.library import Library

LIMITS = Limits(memory_bytes=2 * 2**30, output_bytes=200_000_000, processor_seconds=60, seconds=120)
"""A file of 20 MB takes at most 0.6 GB and 5 seconds of computing, whatever its format."""


def check(
    given: Sequence[File],
    chart: Chart | None = None,
    sections: Callable[[str], Collection[str] | None] | None = None,
    limits: Limits = LIMITS,
) -> Report:
    """The report on one file, or on CSVs of a kind each, as `org.procedures.reading.judge` makes it. None makes it
    raise.

    `sections` gives the paths of the sections of a document by its name, None for one that is not there. What the
    limits stop is a problem like any other, with row 0.
    """
    read = [_read(content, name, limits) for name, content in given]
    if sections is None:
        return judge(read, chart)
    named = {entry.cells.get("document", "") for each in read for entry in (*each.actions, *each.procedures)}
    found = {name: sections(name) for name in named if name}
    return judge(read, chart, {name: paths for name, paths in found.items() if paths is not None})


def _read(content: bytes, name: str, limits: Limits) -> Entries:
    if problem := entries.too_large(len(content)):
        return Entries(problems=(problem,))
    try:
        return Entries.from_json(run("trag.procedures", [PurePath(name).suffix.lower()], content, name, limits))
    except TragError as refusal:
        return Entries(problems=(error(0, refusal.message, refusal.hint),))
    except (ValueError, KeyError, TypeError, AttributeError):
        message = "The file was read to something that holds no entries."
        return Entries(problems=(error(0, message, "Do not trust it."),))


def sections_of(library: Library) -> Callable[[str], Collection[str] | None] | None:
    """Where the sources of procedures are looked for: nowhere as long as there are no documents."""
    names = {document.name for document in library.documents()}
    if not names:
        return None
    return lambda name: {passage.section for passage in library.passages(name)} if name in names else None


if __name__ == "__main__":
    serve(lambda content, arguments: entries.read(content, f"procedures{arguments[0]}").to_json())
