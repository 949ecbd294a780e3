"""python -m trag chart: check, activate and show the organization chart, and go back to an earlier one."""

from __future__ import annotations

import argparse
from pathlib import Path
from typing import TYPE_CHECKING

from trag.errors import TragError
from trag.settings import Settings
from trag.terminal import console
from trag.terminal.console import by

if TYPE_CHECKING:
    from org.linking.entities import Organization
    from org.reading.charts import Report


def add(jobs: argparse._SubParsersAction[argparse.ArgumentParser]) -> None:
    """The words of this job."""
    chart = jobs.add_parser("chart", help="check, activate and show the organization chart")
    acts = chart.add_subparsers(dest="act", required=True, metavar="ACT")
    for name, words, argument in (
        ("check", "report every problem in FILE", "FILE"),
        ("activate", "answer from the chart in FILE from now on", "FILE"),
        ("show", "print the active chart, or what is under UNIT", "UNIT"),
        ("versions", "list the charts that were activated", ""),
        ("rollback", "answer from an earlier VERSION again", "VERSION"),
    ):
        act = acts.add_parser(name, help=words)
        if argument:
            act.add_argument("argument", metavar=argument, nargs="?" if name == "show" else None, default="")
        if argument == "FILE":
            act.add_argument("--sheet", default="", help="the sheet of a workbook (default: the first that is a chart)")
            act.add_argument(
                "--encoding",
                type=_encoding,
                help="of a text that is not in Unicode: windows-1251, gbk, shift-jis (default: told by its letters)",
            )
            act.add_argument(
                "--column",
                action="append",
                type=_column,
                metavar="NAME=HEADER",
                help='where a column is called otherwise: --column parent="Reports to"; without a HEADER, where the '
                "file does not have it: --column head=; --column top=NAME puts a unit above several without a parent",
            )
    chart.set_defaults(job=_chart)


def _chart(settings: Settings, options: argparse.Namespace) -> int:
    if options.act == "check":
        return _check(settings, options)
    if options.act == "activate":
        _activate(settings, options)
        return 0
    from trag.home import open_home

    with open_home(settings) as home:
        if options.act == "show":
            _show(home.organization, options.argument)
        elif options.act == "versions":
            for chart in home.records.chart_versions.all():
                when = f"{chart.activated:%Y-%m-%d %H:%M} UTC"
                by_whom = f" by {chart.by}" if chart.by else ""
                print(f"{'*' if chart.active else ' '} {chart.version}  {when}{by_whom}  {chart.name}")
        else:
            version = home.charts.roll_back(options.argument, by=by())
            print(f"Active: {version.version} ({version.name})")
    return 0


def _check(settings: Settings, options: argparse.Namespace) -> int:
    from org.reading.encodings import label
    from trag.ingest.parse.characters import counted

    _, _, report = _chart_report(settings, options)
    for problem in report.problems:
        place = f"row {problem.row}: " if problem.row else ""
        print(f"{problem.severity}: {place}{problem.message}" + (f" ({problem.hint})" if problem.hint else ""))
    if report.encoding:
        print(f"encoding {label(report.encoding)}")
    if report.chart is None:
        return 1
    depth = max(report.chart.depth(unit) for unit in report.chart.units)
    size, levels = counted(len(report.chart), "unit"), counted(depth, "level")
    print(f"{options.argument}: {size}, {levels} below {report.chart.root.name}")
    print(f"version {report.chart.version}")
    return 0


def _activate(settings: Settings, options: argparse.Namespace) -> None:
    from org.changes import compare
    from org.reading.charts import usable
    from org.reading.encodings import ENCODINGS
    from trag.charts import remember
    from trag.home import open_home

    file, content, report = _chart_report(settings, options)
    chart = usable(report, file.name)
    with open_home(settings) as home:
        try:
            before = home.organization.chart
        except TragError:
            before = None  # its file cannot be read, and this is how another comes in its place
        version = home.charts.activate(chart, [(file.name, content)], by=by())
        if options.column:
            remember(report.header, dict(options.column), home.folder)
    if before:
        changes = compare(before, chart)
        kinds = ("added", "removed", "moved", "renamed", "edited")
        told = ", ".join(f"{len(units):,} {kind}" for kind in kinds if (units := getattr(changes, kind)))
        told = told or ("only the order of the units, or their ids" if changes else "nothing")
        print(f"Changed: {told}")
    print(f"Active: {version.version} ({version.name})")
    if report.encoding in ENCODINGS:
        print(f"Read as {ENCODINGS[report.encoding].label}")


def _chart_report(settings: Settings, options: argparse.Namespace) -> tuple[Path, bytes, Report]:
    """The file that was named, its content, and what is in it, read in a process of its own."""
    from org.reading.charts import Report
    from org.reading.table import too_large
    from trag.charts import check

    file = console.file(options.argument)
    problem = too_large(file.stat().st_size)
    if problem:
        return file, b"", Report(None, (problem,))
    content = file.read_bytes()
    columns = dict(options.column) if options.column else None
    report = check(
        content,
        file.name,
        sheet=options.sheet,
        columns=columns,
        encoding=options.encoding or "",
        folder=settings.home,
    )
    return file, content, report


def _column(text: str) -> tuple[str, str]:
    name, equals, header = text.partition("=")
    if not equals or not name:
        raise argparse.ArgumentTypeError(f"{text!r} is not NAME=HEADER")
    return name, header


def _encoding(text: str) -> str:
    from org.reading.encodings import ENCODINGS, called

    codec = called(text)
    if not codec:
        known = ", ".join(encoding.label for encoding in ENCODINGS.values())
        raise argparse.ArgumentTypeError(f"{text!r} is none of these: {known}")
    return codec


def _show(organization: Organization, named: str) -> None:
    chart, finder = organization.chart, organization.finder
    if chart is None or finder is None:
        raise TragError("This home has no chart.", "python -m trag chart activate FILE")
    tops = {unit for mention in finder.find(named) for unit in mention.units} if named else {chart.root.id}
    if not tops:
        raise TragError(f"The chart has no unit named '{named}'.", "python -m trag chart show")
    for top in sorted(tops):
        for unit in (chart.unit(top), *chart.descendants(top)):
            print("  " * (chart.depth(unit.id) - chart.depth(top)) + f"{unit.name} ({unit.type})")
