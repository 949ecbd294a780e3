"""The pages of the organization's chart as HTML: records in, text out.

Every template escapes what it is given: names come from files that nobody has checked. Knows nothing about requests.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from org.chart import Chart
from org.reading.charts import Report
from org.reading.encodings import ENCODINGS
from org.reading.problems import Problem
from org.reading.table import MAX_BYTES
from store.chart_versions import ChartVersion
from trag.web.charts.reviews import Choice, Review
from trag.web.charts.uploads import Upload
from trag.web.render import environment

FIRST = 10
"""Problems and changes of a kind that are shown at once."""
LONGEST_SAMPLE = 60
"""Characters of the cells that are shown with a header."""
MOST = 500
"""Problems and changes of a kind that a page can unfold; all of them can be downloaded."""

COLUMNS = {
    "name": ("Name", "What the unit is called. Needed."),
    "parent": ("Parent", "The unit above it: its name, its id, or its path. Needed; empty for the topmost unit only."),
    "type": ("Type", "What it is: division, office, committee, post."),
    "aliases": ("Aliases", "Other names and acronyms, with | between them."),
    "description": ("Description", "What it does, in a sentence or two."),
    "id": ("Id", "A key of your own, which keeps a unit the same when its name changes."),
    "head": ("Head", "Who leads it."),
    "email": ("E-mail", "Where to write to."),
    "code": ("Code", "A cost centre or another number."),
}
"""What each column of a chart's file is called and means."""

SAMPLE = """name,parent,type,aliases,description,head
Harbour Trust,,foundation,HT|The Trust,Keeps the old harbour open to everybody.,
Board,Harbour Trust,board,Board of Trustees,Decides on the budget and the plan.,
Director's Office,Board,office,DO,Runs the Trust from day to day.,R. Amadi
Grants & Partners,Director's Office,department,GP|Grants Department,Gives grants and works with partners.,
Education,Director's Office,department,EDU,"Runs courses, school visits and the library.",
Library,Education,unit,,Lends books and maps.,L. Ostrow
"""


@dataclass(frozen=True, slots=True)
class Facts:
    """What a chart is like at a glance."""

    root: str
    units: int
    levels: int
    types: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Column:
    """One of our fields, and the header of the file that it is read from, "" for none."""

    field: str
    label: str
    meaning: str
    header: str


@dataclass(frozen=True, slots=True)
class Header:
    """A header of the file, and what stands under it."""

    name: str
    sample: str


def active(
    chart: Chart | None,
    versions: Sequence[ChartVersion],
    uploads: Sequence[Upload],
    *,
    done: ChartVersion | None,
) -> str:
    """The page of the chart in use. `done` was activated a moment ago."""
    return _page(
        "active",
        chart=chart,
        facts=_facts(chart) if chart else None,
        now=next((each for each in versions if chart and each.version == chart.version), None),
        versions=versions,
        uploads=uploads,
        done=done,
        columns=COLUMNS,
        largest=MAX_BYTES,
    )


def review(
    subject: Upload | ChartVersion,
    review: Review,
    *,
    choice: Choice,
    query: str,
    versions: Sequence[ChartVersion],
    overtaken: bool,
) -> str:
    """All there is to see of an upload, or of a version, before it is activated. `query` reads it the same way again;
    `overtaken`: another chart was activated since the admin looked last."""
    report = review.report
    problems = report.problems if report else ()
    by_severity = {word: [one for one in problems if one.severity == word] for word in ("error", "warning")}
    in_use = versions[0] if versions else None
    return _page(
        "review",
        subject=subject,
        path=_path(subject),
        upload=isinstance(subject, Upload),
        review=review,
        facts=_facts(review.chart) if review.chart else None,
        problems=by_severity,
        columns=_columns(report) if report else (),
        headers=_headers(report) if report else (),
        encodings=_encodings(report, choice) if report else {},
        told=report is None or choice.columns is not None or _told(report),
        choice=choice,
        query=query,
        in_use=in_use,
        same=bool(review.chart and in_use and review.chart.version == in_use.version),
        overtaken=overtaken,
        first=FIRST,
        most=MOST,
    )


def working(subject: Upload | ChartVersion, query: str) -> str:
    """The page while a review is being made."""
    return _page("working", subject=subject, path=_path(subject), query=query)


def problem_lines(problems: Sequence[Problem]) -> Iterator[tuple[str, ...]]:
    """The problems as a table, its header first."""
    yield "severity", "row", "problem", "what to do"
    for problem in problems:
        yield problem.severity, str(problem.row or ""), problem.message, problem.hint


def _page(name: str, **values: object) -> str:
    return environment().get_template(f"charts/{name}.html").render(here="/charts", **values)


def _path(subject: Upload | ChartVersion) -> str:
    if isinstance(subject, Upload):
        return f"/charts/uploads/{subject.id}"
    return f"/charts/versions/{subject.version}"


def _facts(chart: Chart) -> Facts:
    depths = {chart.root.id: 1}
    for unit in chart.descendants(chart.root.id):
        depths[unit.id] = depths[unit.parent or ""] + 1
    return Facts(chart.root.name, len(chart), max(depths.values()), chart.types)


def _columns(report: Report) -> tuple[Column, ...]:
    used = dict(report.columns)
    return tuple(Column(field, *words, used.get(field, "")) for field, words in COLUMNS.items())


def _headers(report: Report) -> tuple[Header, ...]:
    found: list[Header] = []
    for place, name in enumerate(report.header):
        cells = [cells[place] for cells in report.samples if place < len(cells) and cells[place]]
        sample = ", ".join(cells[:3])
        found.append(Header(name, sample if len(sample) <= LONGEST_SAMPLE else f"{sample[: LONGEST_SAMPLE - 1]}…"))
    return tuple(header for header in found if header.name)


def _encodings(report: Report, choice: Choice) -> dict[str, str]:
    """What each encoding is called, by its codec, where it is one of them that the file was read in, or was to be."""
    if not choice.encoding and report.encoding not in ENCODINGS:
        return {}
    return {codec: encoding.label for codec, encoding in ENCODINGS.items()}


def _told(report: Report) -> bool:
    """Whether every column was read from a header of its own name, name and parent among them."""
    used = dict(report.columns)
    return {"name", "parent"} <= used.keys() and all(header.casefold() == field for field, header in used.items())
