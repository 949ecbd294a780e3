"""The bytes of a chart file -> its Report, the parsing done in a child process that a hostile file may kill.

Knows no format and no rule of charts: `org.reading.table` reads, `org.reading.charts` judges.
"""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import PurePath

from org.reading.charts import Report, judge
from org.reading.problems import error
from org.reading.table import Table, too_large
from trag.errors import TragError
from trag.sandbox import Limits, run

LIMITS = Limits(memory_bytes=2 * 2**30, output_bytes=200_000_000, processor_seconds=60, seconds=120)
"""200,000 rows of ten full columns take at most 1.1 GB, 9 seconds and 46 MB, whatever their format."""


def check(
    content: bytes,
    name: str,
    *,
    sheet: str = "",
    columns: Mapping[str, str] | None = None,
    encoding: str = "",
    limits: Limits = LIMITS,
) -> Report:
    """The report on a chart file, as `org.reading.charts.check` makes it. No file makes it raise.

    What the limits stop is a problem like any other, with row 0.
    """
    problem = too_large(len(content))
    if problem:
        return Report(None, (problem,))
    try:
        answer = run("trag.charts", [PurePath(name).suffix.lower(), sheet, encoding], content, name, limits)
        table = Table.from_json(answer)
    except TragError as refusal:
        return Report(None, (error(0, refusal.message, refusal.hint),))
    except (ValueError, KeyError, TypeError):
        return Report(None, (error(0, "The file was read to something that is no table.", "Do not trust it."),))
    return judge(table, columns)
