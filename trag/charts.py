"""Chart files of anyone, read in a child process that a hostile one may kill.

The child runs this module with the arguments SUFFIX SHEET ENCODING: a file on its standard input, its table as JSON on
its output.
"""

from __future__ import annotations

import gc
import hashlib
import json
from collections.abc import Mapping, Sequence
from dataclasses import replace
from pathlib import Path, PurePath

from org.reading import table
from org.reading.charts import JOINED, Report, judge
from org.reading.problems import error, warning
from store import files
from trag.errors import TragError
from trag.sandbox import Limits, run, serve

LIMITS = Limits(memory_bytes=2 * 2**30, output_bytes=200_000_000, processor_seconds=60, seconds=120)
"""200,000 rows of ten full columns take at most 1.1 GB, 9 seconds and 46 MB, whatever their format."""
_REMEMBERED = "chart-columns.json"
_MOST_REMEMBERED = 100


def check(
    content: bytes,
    name: str,
    *,
    sheet: str = "",
    columns: Mapping[str, str] | None = None,
    encoding: str = "",
    limits: Limits = LIMITS,
    folder: Path | None = None,
) -> Report:
    """The report on a chart file, as `org.reading.charts.check` makes it. No file makes it raise.

    What the limits stop is a problem like any other, with row 0. Without `columns`, they are read as they were chosen
    for the last file with the same ones, where `folder` remembers it.
    """
    if problem := table.too_large(len(content)):
        return Report(None, (problem,))
    try:
        answer = run("trag.charts", [PurePath(name).suffix.lower(), sheet, encoding], content, name, limits)
        cells = table.Table.from_json(answer)
    except TragError as refusal:
        return Report(None, (error(0, refusal.message, refusal.hint),))
    except (ValueError, KeyError, TypeError):
        return Report(None, (error(0, "The file was read to something that is no table.", "Do not trust it."),))
    report = judge(cells, columns)
    chosen = _remembered(folder).get(_columns_key(report.header)) if folder and columns is None else None
    if not chosen:
        return report
    again = judge(cells, chosen)
    told = warning(
        0, "The columns were read as they were chosen for the last file with the same ones.", "Choose others if not."
    )
    return replace(again, problems=(*again.problems, told))


def remember(header: Sequence[str], columns: Mapping[str, str], folder: Path) -> None:
    """Keeps which header each of our columns was chosen to be read from, for the next file with the same headers."""
    known = _remembered(folder)
    known.pop(_columns_key(header), None)
    known[_columns_key(header)] = dict(columns)
    kept = dict(list(known.items())[-_MOST_REMEMBERED:])
    files.write_atomic(folder / _REMEMBERED, json.dumps(kept, ensure_ascii=False, indent=1).encode())


def _remembered(folder: Path) -> dict[str, dict[str, str]]:
    try:
        known: dict[str, dict[str, str]] = json.loads((folder / _REMEMBERED).read_text("utf-8"))
    except (FileNotFoundError, ValueError):
        return {}
    return known


def _columns_key(header: Sequence[str]) -> str:
    """The same for files with the same columns; one made of two others is none of the file's."""
    return hashlib.sha256("\x1f".join(name.casefold() for name in header if JOINED not in name).encode()).hexdigest()


if __name__ == "__main__":
    gc.disable()  # a short life, and millions of cells without a circle: looking for some takes a third of the time
    serve(lambda content, arguments: table.read(content, f"chart{arguments[0]}", *arguments[1:]).to_json())
