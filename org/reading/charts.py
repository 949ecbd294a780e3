"""A chart file made into a chart, with all that is wrong with it.

bytes -> table -> rows -> lineage and every problem -> Report -> Chart
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from org import ChartError
from org.chart import PATH_SEPARATOR, Chart, Unit
from org.reading.checks import Lineage, examine
from org.reading.columns import interpret
from org.reading.problems import Problem, listing
from org.reading.table import Table, read


@dataclass(frozen=True, slots=True)
class Report:
    """What a chart file holds. `chart` is None when any problem is an error; warnings alone leave a usable chart.

    The rest lets a person ask for another reading, also of a file that cannot be used: the headers found, which of them
    was read as which column, its sheets and the one that was read, the first rows, the encoding of a text.
    """

    chart: Chart | None
    problems: tuple[Problem, ...]
    header: tuple[str, ...] = ()
    columns: tuple[tuple[str, str], ...] = ()
    """(column, the header it was read from)"""
    sheets: tuple[str, ...] = ()
    sheet: str = ""
    samples: tuple[tuple[str, ...], ...] = ()
    encoding: str = ""
    """The codec that a text file was read with, "" for a workbook."""


def load(content: bytes, name: str) -> Chart:
    """The chart in a file. Raises ChartError with every problem when there is an error among them."""
    return usable(check(content, name), name)


def usable(report: Report, name: str) -> Chart:
    """The chart of a report on the file `name`. Raises ChartError that lists every error when there is none."""
    if report.chart is None:
        errors = [problem for problem in report.problems if problem.severity == "error"]
        lines = [f"row {error.row}: {error.message[:-1]}" if error.row else error.message[:-1] for error in errors]
        raise ChartError(f"{name} cannot be used: {listing(lines, 20)}.", errors[0].hint)
    return report.chart


def check(
    content: bytes, name: str, *, sheet: str = "", columns: Mapping[str, str] | None = None, encoding: str = ""
) -> Report:
    """Read a chart file in this process, and report all that is wrong with it: `judge` after `org.reading.table.read`.

    A file that may be anyone's is read through `trag.charts`, in a process that it may kill.
    """
    return judge(read(content, name, sheet, encoding), columns)


def judge(table: Table, columns: Mapping[str, str] | None = None) -> Report:
    """The chart that a table makes, and all that is wrong with it.

    `columns` tells which header each of our columns is read from, "" for none; one that it does not name is looked for
    by its own name and by well-known words for it.
    """
    reading = interpret(table, columns)
    lineage = examine(() if table.ended else reading.rows)  # parents may stand in what was not read
    problems = [*table.problems, *reading.problems, *lineage.problems]
    problems.sort(key=lambda problem: (problem.severity, problem.row))
    is_usable = lineage.rows and not any(problem.severity == "error" for problem in problems)
    return Report(
        chart=Chart(_units(lineage)) if is_usable else None,
        problems=tuple(problems),
        header=reading.header,
        columns=reading.columns,
        sheets=table.sheets,
        sheet=table.sheet,
        samples=reading.samples,
        encoding=table.encoding,
    )


def _units(lineage: Lineage) -> list[Unit]:
    """The units in the order of the rows. An id that the file does not give is the path of names, which is unique."""
    rows, parents, depths = lineage.rows, lineage.parents, lineage.depths
    paths: list[str] = [""] * len(rows)
    ids: list[str] = [""] * len(rows)
    taken = {row.id for row in rows if row.id}
    for place in sorted(range(len(rows)), key=depths.__getitem__):
        row, parent = rows[place], parents[place]
        paths[place] = row.name if parent is None else paths[parent] + PATH_SEPARATOR + row.name
        ids[place] = row.id or paths[place]
        while not row.id and ids[place] in taken:
            ids[place] += "'"
        taken.add(ids[place])
    return [
        Unit(
            id=ids[place],
            name=row.name,
            type=row.type,
            parent=None if (parent := parents[place]) is None else ids[parent],
            aliases=tuple(alias for alias in row.aliases if alias.casefold() != row.name.casefold()),
            description=row.description,
            head=row.head,
            email=row.email,
            code=row.code,
            attributes=row.attributes,
        )
        for place, row in enumerate(rows)
    ]
