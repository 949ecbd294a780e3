"""A chart file made into a chart: which column is which, the rows, and all that is wrong with them.

bytes -> table -> rows -> lineage -> Report -> Chart
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace

from org.chart import PATH_SEPARATOR, Chart, ChartError, Unit
from org.reading.cells import (
    COLUMNS,
    SIGNS,
    TOP,
    clean,
    exact_columns,
    guess_columns,
    has_invisible,
    is_formula,
    known_headers,
    meant_in_path,
)
from org.reading.lineage import Lineage, Row, examine
from org.reading.problems import Problem, error, listing, quoted, warning
from org.reading.recognition import Found, are_labels, most_worded, recognise, share_found
from org.reading.references import MAIL, bare, spellings, turned_round
from org.reading.table import Line, Table, read

MAX_NAME = 500
"""Characters."""
SAMPLES = 5

_HEADER_ROWS = 20  # a title and a note may stand above the header
_SOUND = 0.5
"""The share of the parents that must be found for a reading by the headings alone."""
JOINED = " + "
"""Between the headers of two columns that are the name together."""
_MARKUP = re.compile(r"</?[a-zA-Z][^>]*>|<!--|&(?:[a-zA-Z]{2,8}|#\d{1,6});")
_ODD = re.compile(r"(?:^|\x1f)\s*[-=+@#]|[<&]|[^\x1f -~]")
"""In a row of cells, what may have to be cleaned or told: signs of formulas in front, HTML, all that is not ASCII."""
_FAILED = frozenset("#REF! #N/A #NAME? #VALUE! #DIV/0! #NULL! #NUM!".split())


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
    by its own name and by well-known words for it. Under TOP it has the unit that is put above several without a
    parent.
    """
    choice = dict(columns or {})
    top = clean(choice.pop(TOP, ""))
    reading = interpret(table, choice)
    lineage = examine(() if table.ended else reading.rows, top)  # parents may stand in what was not read
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


@dataclass(frozen=True, slots=True)
class Reading:
    """The rows of a table, and how its columns were read; also when they could not be."""

    rows: tuple[Row, ...] = ()
    problems: tuple[Problem, ...] = ()
    header: tuple[str, ...] = ()
    columns: tuple[tuple[str, str], ...] = ()
    """(column, the header it was read from)"""
    samples: tuple[tuple[str, ...], ...] = ()


def interpret(table: Table, choice: Mapping[str, str] | None = None) -> Reading:
    """The units of a table. `choice` tells columns by their header, "" for a column that is to be left out.

    A column that is not chosen is the one of that very name, else one with a well-known word for it, with a warning.
    """
    if not table.lines:
        return Reading((), () if _has_error(table.problems) else (error(0, "The file has no units.", "Add some."),))
    choice = choice or {}
    table = _with_chosen_names(table, choice)
    # The first row with a name and a parent among its headers, else the first row.
    headers = [_told_apart(line.cells) for line in table.lines[:_HEADER_ROWS]]
    read = [_Columns(at, header, _places(header, choice)) for at, header in enumerate(headers)]
    columns_read = next((one for one in read if {"name", "parent"} <= one.places.keys()), read[0])
    if not _is_sound(table, columns_read, choice):
        table, columns_read = _by_values(table, choice) or (table, columns_read)
    table, columns_read, remarks = _without_labels(table, columns_read)
    at, header, places = columns_read.at, columns_read.header, columns_read.places
    lines = table.lines[at + 1 :]
    problems = [*remarks, *_remarks(table, columns_read, choice)]
    columns = tuple((column, header[places[column]]) for column in COLUMNS if column in places)
    samples = tuple(tuple(clean(cell)[:200] for cell in line.cells) for line in lines[:SAMPLES])
    if _has_error(problems):
        return Reading((), tuple(problems), header, columns, samples)
    rows = tuple(_rows(table, columns_read, problems))
    if not rows and not _has_error(table.problems):
        problems.append(error(0, "The file has a header but no units.", "Add one row for each unit."))
    short = [str(line.number) for line in lines if len(line.cells) < len(header)]
    if short and not table.sheet and table.lines[max(at, 0)].number:
        message = (
            f"{len(short):,} rows have fewer cells than the header ({listing(short)}); the missing ones are empty."
        )
        problems.append(warning(int(short[0]), message, "Check these rows, if one of their cells should not be empty."))
    return Reading(rows, tuple(problems), header, columns, samples)


def _has_error(problems: Sequence[Problem]) -> bool:
    return any(problem.severity == "error" for problem in problems)


def _told_apart(cells: Sequence[str]) -> tuple[str, ...]:
    """The headers clean, none of them empty and no two the same; without the empty ones at the end."""
    told: dict[str, str] = {}
    names = [clean(cell) for cell in cells]
    while names and not names[-1]:
        names.pop()
    for place, name in enumerate(names, start=1):
        header, count = name or f"Column {place}", 2
        while header.casefold() in told:
            header, count = f"{name or f'Column {place}'} ({count})", count + 1
        told[header.casefold()] = header
    return tuple(told.values())


def _places(header: Sequence[str], choice: Mapping[str, str]) -> dict[str, int]:
    """Where each column is: as it was chosen, else by its very name, else by a well-known word."""
    settled = _settled(header, choice)
    guessed = guess_columns(header, settled)
    return {column: place for column, place in settled.items() if place >= 0} | guessed


def _settled(header: Sequence[str], choice: Mapping[str, str]) -> dict[str, int]:
    """Where each column is that was chosen, -1 where it is to be left out, or is there by its very name."""
    by_header = {text.casefold(): place for place, text in enumerate(header)}
    settled = {column: by_header.get(clean(text).casefold(), -1) for column, text in choice.items()}
    for column, place in exact_columns(header).items():
        if column not in choice and place not in settled.values():
            settled[column] = place
    return settled


@dataclass(frozen=True, slots=True)
class _Columns:
    """Which column is which: the place of the header among the lines, -1 where the file has none; its names; and our
    columns by their place. `key` is the column that the parents are told by, where the values of the rows said so."""

    at: int
    header: tuple[str, ...]
    places: Mapping[str, int]
    key: int | None = None


def _is_sound(table: Table, read: _Columns, choice: Mapping[str, str]) -> bool:
    """Whether the columns that the headings tell can be those: they are called just as ours are, or were chosen, or
    the parents are found among the names, ids and codes, and the names are not those of a few groups."""
    places, rows = read.places, table.lines[read.at + 1 :]
    if "name" not in places or table.nested:
        return "name" in places
    sure = {column for column, place in places.items() if column in choice or read.header[place].lower() == column}
    if "parent" not in places or {"name", "parent"} <= sure:
        return "parent" in places
    values = {
        column: [clean(line.cells[place]) if place < len(line.cells) else "" for line in rows]
        for column, place in places.items()
        if column in ("name", "parent", "id", "code", "email")
    }
    told_apart = "name" in sure or 2 * len({*values["name"]}) > len(rows)
    return told_apart and share_found(values.pop("parent"), list(values.values())) >= _SOUND


def _by_values(table: Table, choice: Mapping[str, str]) -> tuple[Table, _Columns] | None:
    """Which column is which by what stands in them, where that can be told, and the table with the names in one column
    where the file has them in two."""
    filled = [sum(map(bool, map(clean, line.cells))) for line in table.lines[:_HEADER_ROWS]]
    full = filled.index(max(filled))  # the header, or the first row below it; labels may stand between
    for at, line in enumerate(table.lines[: full + 2]):
        header = _told_apart(line.cells)
        rows = [each.cells for each in table.lines[at + 1 :]]
        if (filled[at] < 2 and not table.nested) or not rows:
            continue
        settled, guessed = _settled(header, choice), _places(header, choice)
        for place, name in enumerate(header):
            if (column := meant_in_path(name)) and place not in guessed.values():
                guessed.setdefault(column, place)
        if table.nested:
            name_place = most_worded(header, rows, [*guessed.values()])
            if name_place is None or all(each.above is None for each in table.lines):
                return None
            return table, _Columns(at, header, {**guessed, "name": name_place})
        found = recognise(header, rows, settled, guessed)
        if found is None:
            continue
        if found.joined:
            table = _with_names(table, at, header, found.joined)
            header = (*header, JOINED.join(header[place] for place in found.joined))
        elif _is_unit(line.cells, rows, found):
            break
        return table, _Columns(at, header, found.places, found.key)
    width = max(map(len, (line.cells for line in table.lines[:_HEADER_ROWS])))
    header = tuple(f"Column {place}" for place in range(1, width + 1))
    if table.nested or choice or not table.lines[0].number or known_headers(table.lines[0].cells):
        return None
    found = recognise(header, [line.cells for line in table.lines], {}, {})
    return None if found is None or found.joined else (table, _Columns(-1, header, found.places, found.key))


def _is_unit(cells: Sequence[str], rows: Sequence[Sequence[str]], found: Found) -> bool:
    """Whether what stands above the rows is no header but one of the units: some have it for their parent."""
    parent, key = found.places["parent"], clean(cells[found.key]).casefold() if found.key < len(cells) else ""
    return bool(key) and any(key in spellings(clean(row[parent])) for row in rows if parent < len(row))


def _with_names(table: Table, at: int, header: Sequence[str], joined: tuple[int, int]) -> Table:
    """The table with one column more, of the names that two columns have together."""
    width = len(header)

    def line(place: int, each: Line) -> Line:
        if place <= at:
            return each
        cells = [*each.cells[:width], *[""] * (width - len(each.cells))]
        return replace(each, cells=(*cells, " ".join(filter(None, (clean(cells[place]) for place in joined)))))

    return replace(table, lines=tuple(line(place, each) for place, each in enumerate(table.lines)))


def _with_chosen_names(table: Table, choice: Mapping[str, str]) -> Table:
    """The table with the names in one column where two were chosen for it ("First name + Last name")."""
    parts = choice.get("name", "").split(JOINED)
    for at, line in enumerate(table.lines[:_HEADER_ROWS] if len(parts) == 2 else ()):
        header = _told_apart(line.cells)
        if {*parts} <= {*header} and choice["name"] not in header:
            named = _with_names(table, at, header, (header.index(parts[0]), header.index(parts[1])))
            lines = list(named.lines)
            lines[at] = replace(line, cells=(*header, choice["name"]))
            return replace(named, lines=tuple(lines))
    return table


def _without_labels(table: Table, read: _Columns) -> tuple[Table, _Columns, list[Problem]]:
    """The table without a row below the header that names the columns once more, as people read them."""
    key = read.key if read.key is not None else read.places.get("id", read.places.get("name"))
    first = read.at + 1
    if key is None or "parent" not in read.places or not 0 < first < len(table.lines):
        return table, read, []
    line, rows = table.lines[first], [each.cells for each in table.lines[first + 1 :]]
    if not are_labels(read.header, line.cells, rows, read.places["parent"], key):
        return table, read, []
    message = f"Row {line.number} names the columns once more and was left aside."
    told = warning(line.number, message, "Check that it is no unit.")
    return replace(table, lines=(*table.lines[:first], *table.lines[first + 1 :])), read, [told]


def _remarks(table: Table, read: _Columns, choice: Mapping[str, str]) -> Iterator[Problem]:
    """What keeps the columns from being read, and what a person should know about how they were."""
    at, header, places = read.at, read.header, read.places
    number = table.lines[max(at, 0)].number
    shown = listing([text[:60] for text in header], 20)
    for column, chosen in choice.items():
        if column not in COLUMNS:
            yield error(number, f"There is no column {quoted(column)}.", f"Choose among {', '.join(COLUMNS)}.")
        elif chosen and column not in places:
            message = f"No header is {quoted(chosen)}, which was chosen for {column}. Found: {shown}."
            yield error(number, message, "Choose one of the headers found.")
    missing = [column for column in (("name",) if table.nested else ("name", "parent")) if column not in places]
    if missing:
        hint = "The first row must name the columns: name, parent, and if you have them type, aliases, description, id."
        yield error(number, f"No column is called {' and '.join(missing)}. Found: {shown}.", hint)
        return
    same = Counter(clean(cell).lower() for cell in table.lines[at].cells) if at >= 0 else Counter()
    twice = [column for column in COLUMNS if same[column] > 1 and column not in choice]
    if twice:
        yield error(number, f"Two columns are called {' and '.join(twice)}.", "Keep one column of each name.")
    if at < 0:
        message = "The file has no header: its first row is one of the units."
        yield warning(number, message, "Check which column was read as which, or add a row with their names.")
    elif at:
        message = f"The header was found in row {number}; what stands above it was left aside."
        yield warning(number, message, "Check that no unit stands above the header.")
    for column, place in places.items():
        if column not in choice and header[place].lower() != column:
            hint = f'Choose another column for it if that is wrong, or call this one "{column}".'
            why = ""
            if column == "parent" and read.key is not None:
                key = header[read.key] if read.key < len(header) else header[places["name"]]
                why = f": what stands in it is also under {quoted(key)}"
            yield warning(number, f"The column {quoted(header[place])} was read as {column}{why}.", hint)


def _rows(table: Table, read: _Columns, problems: list[Problem]) -> Iterator[Row]:
    """Each line below the header with a cell in it as a row."""
    at, header, places = read.at, read.header, read.places
    key = read.key if read.key not in (None, *places.values()) else None
    width, lines = len(header), table.lines[at + 1 :]
    # the header of an attribute must not be taken for a column of ours when the chart is read again
    others = [
        (f"{text} (other)" if text.lower() in COLUMNS else text, place)
        for place, text in enumerate(header)
        if place not in places.values()
    ]
    ours = [places.get(column, width) for column in COLUMNS]  # one beyond the last is always empty
    separator = _separator(lines, places, problems)
    plainer = _plainer([clean(line.cells[places["name"]]) for line in lines if places["name"] < len(line.cells)])
    for line in lines:
        raw = line.cells[:width]
        is_odd = len(line.cells) > width or _ODD.search("\x1f".join(raw)) is not None
        cells = [clean(cell) if is_odd else " ".join(cell.split()) for cell in raw]
        if not any(cells) and not table.nested:  # where units stand inside each other, every place counts
            continue
        cells += [""] * (width + 1 - len(cells))
        if is_odd:
            problems += _oddities(line, header, cells, places)
        unit_id, name, parent, kind, aliases, description, head, email, code = [cells[place] for place in ours]
        if len(name) > MAX_NAME:
            message = f"The name {quoted(name, 40)} has {len(name):,} characters; {MAX_NAME} are the most."
            problems.append(error(line.number, message, "Shorten it, and put the rest into the description."))
        if email and not MAIL.fullmatch(email):
            message = f"The email {quoted(email)} does not look like one address."
            problems.append(warning(line.number, message, "Write it as name@example.org."))
        split = dict.fromkeys(filter(None, map(str.strip, aliases.split(separator)))) if aliases else {}
        if plainer and (other := plainer(name)) != name:
            split.setdefault(other)
        yield Row(
            number=line.number,
            id=unit_id,
            name=name,
            parent=parent,
            type=kind,
            aliases=tuple(split),
            description=description,
            head=head,
            email=email,
            code=code,
            attributes=tuple([(text, cells[place]) for text, place in others if cells[place]]),
            key=cells[key] if key is not None else "",
            above=None if line.above is None else line.above - at - 1,
        )


def _plainer(names: Sequence[str]) -> Callable[[str], str] | None:
    """What makes a name as people say it of each, where all have the form "Hale, Tobin" or "Tobin Hale (1002)"."""
    forms: tuple[Callable[[str], str], ...] = (lambda name: turned_round(name) or name, bare)
    return next((form for form in forms if len(names) > 1 and all(form(name) != name for name in names)), None)


def _separator(lines: Sequence[Line], places: Mapping[str, int], problems: list[Problem]) -> str:
    """What stands between aliases: a bar, or a semicolon in a file that has no bar between any. Never a comma, which
    is part of names; a file that has nothing else is told so.
    """
    place = places.get("aliases")
    if place is None:
        return "|"
    cells = [(line.number, line.cells[place]) for line in lines if place < len(line.cells)]
    if any("|" in cell for _, cell in cells):
        return "|"
    if first := next((number for number, cell in cells if ";" in cell), None):
        message = "The aliases were separated at each semicolon."
        problems.append(warning(first, message, "Put a | between them to be sure."))
        return ";"
    if first := next((number for number, cell in cells if "," in cell), None):
        message = "The aliases were not separated at commas, which names may have too."
        problems.append(warning(first, message, "Put a | between them where there are several."))
    return "|"


def _oddities(line: Line, header: Sequence[str], cells: Sequence[str], places: Mapping[str, int]) -> Iterator[Problem]:
    """What a person should look at in the cells of one row."""
    number, name, width = line.number, cells[places["name"]], len(header)
    if any(line.cells[width:]) and any(map(clean, line.cells[width:])):
        hint = "Put quotation marks around a cell that contains the delimiter, or name the column."
        yield warning(number, f"The row has {len(line.cells)} cells, the header {width}; the rest was left out.", hint)
    if not all(map(str.isascii, line.cells)) and any(map(has_invisible, line.cells)):
        hint = "Nothing to do, unless the name looks wrong."
        yield warning(number, f"Invisible characters were removed in {quoted(name)}.", hint)
    formulas = [place for place, cell in enumerate(cells) if cell[:1] in SIGNS and is_formula(cell)]
    if formulas:
        where = " and the ".join(header[place] for place in formulas)
        message = f"The {where} would run as a formula in a spreadsheet: {cells[formulas[0]][:40]}"
        yield warning(number, message, "It is kept as plain text, and guarded in every file that is made of the chart.")
    for place, cell in enumerate(cells):
        if cell[:1] == "#" and cell in _FAILED:
            make = error if place in (places["name"], places.get("parent"), places.get("id")) else warning
            hint = "Repair the formula in its spreadsheet program, or write the text instead."
            yield make(number, f"The {header[place]} is {cell}, which is a formula that failed.", hint)
    if any(("<" in cell or "&" in cell) and _MARKUP.search(cell) for cell in cells):
        marked = next(place for place, cell in enumerate(cells) if _MARKUP.search(cell))
        message = f"The {header[marked]} looks like HTML: {cells[marked][:60]}"
        yield warning(
            number, message, "It is kept and shown as plain text; write the signs themselves if that is wrong."
        )
