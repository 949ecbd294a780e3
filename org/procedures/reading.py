"""Entries of actions, procedures, tables and triggers made into a book, and all that is wrong with them at once.

bytes -> entries -> Report -> Book
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import TypeVar

from org.chart import Chart
from org.procedures import BookError, entries
from org.procedures.actions import LOGIC, Action, Runs, Source, Table, Trigger
from org.procedures.entries import COLUMNS, Entries, Entry
from org.procedures.flows import Book, Procedure, Step
from org.procedures.graph import Graph
from org.reading.problems import Problem, error, listing, quoted, warning

MAX_ACTIONS = 5_000
MAX_PROCEDURES = 500
MAX_STEPS = 100
MAX_TABLES = 2_000
"""As many as there may be triggers."""
MAX_TITLE = 200
MAX_TEXT = 2_000
"""Characters; a title, an id and the name of a thing are titles."""

Value = TypeVar("Value")
_ID = re.compile(r"[\w.-]{1,80}")
_WORD = re.compile(r"\w+")
_PIECE = 3
_RUNS: dict[str, Runs] = {"": "person", "person": "person", "built-in": "built-in", "hook": "hook"}
_YES_OR_NO = {"": False, "no": False, "false": False, "0": False, "yes": True, "true": True, "1": True}
_COMMON = 0.25
"""Pieces of words that stand in more than this share of the actions fit none of them."""


@dataclass(frozen=True, slots=True)
class Report:
    """What files of procedures hold. `book` is None when any problem is an error; warnings alone leave a usable one."""

    book: Book | None
    problems: tuple[Problem, ...]


def load(content: bytes, name: str) -> Book:
    """The book in a file. Raises BookError with every problem when there is an error among them."""
    return usable(judge([entries.read(content, name)]), name)


def usable(report: Report, name: str) -> Book:
    """The book of a report on the file `name`. Raises BookError that lists every error when there is none."""
    if report.book is None:
        errors = [problem for problem in report.problems if problem.severity == "error"]
        lines = [f"{error.place}: {error.message[:-1]}" if error.place else error.message[:-1] for error in errors]
        raise BookError(f"{name} cannot be used: {listing(lines, 20)}.", errors[0].hint)
    return report.book


def judge(
    files: Sequence[Entries], chart: Chart | None = None, documents: Mapping[str, Collection[str]] | None = None
) -> Report:
    """The book that the entries of one file make, or of several that hold a kind each. There must be actions, and
    something to do with them: procedures, or tables or triggers of workflows.

    Units are looked for in `chart` where it is given, sources in `documents`: of each its name and the paths of its
    sections ("4 Travel > 4.2 Flights"). A step that an admin bound no action to is warned of where its words have
    nothing in common with any action's, and so are procedures that name no action and have none.
    """
    problems = [problem for file in files for problem in file.problems]
    of = {kind: [entry for file in files for entry in getattr(file, kind)] for kind in COLUMNS}
    needed = {"actions"} if of["tables"] or of["triggers"] else {"actions", "procedures"}
    wanted = len(needed) == 1 or any(entry.lists.get("actions") for entry in of["procedures"])
    for kind in COLUMNS:
        holding = sum(bool(getattr(file, kind)) for file in files)
        if holding > 1:
            message = f"{'Both' if len(files) == 2 else 'Several'} files hold {kind}."
            problems.append(error(0, message, "Choose one file of each kind."))
        elif kind in needed and not holding and not _has_error(problems):
            if kind == "actions" and not wanted:
                message = "There are no actions yet: nothing can be planned by these procedures."
                problems.append(warning(0, message, "Add actions that fit their steps."))
            else:
                hint = "Choose all tables together when they are several files."
                problems.append(error(0, f"There are no {kind}.", hint))
    says = _Checks(problems, chart, documents)
    actions = _actions(of["actions"], says)
    procedures = _procedures(of["procedures"], {action.id: action for action in actions}, says)
    book = Book.of(actions, procedures, _tables(of["tables"], says), _triggers(of["triggers"], says))
    graph = Graph(book.for_plans.values())  # in a workflow an action may also be given what it needs by a person
    problems += _stuck(graph, says.places)
    problems += _steps(procedures, graph, says.places)
    problems.sort(key=lambda problem: (problem.severity, problem.place[:2].casefold(), problem.row))  # actions first
    return Report(None if _has_error(problems) else book, tuple(problems))


def _has_error(problems: Sequence[Problem]) -> bool:
    return any(problem.severity == "error" for problem in problems)


class _Checks:
    """What is checked of actions and procedures alike, where each stands, and the problems found."""

    def __init__(
        self, problems: list[Problem], chart: Chart | None, documents: Mapping[str, Collection[str]] | None
    ) -> None:
        self.problems = problems
        self.places: dict[tuple[str, ...], Entry] = {}
        self._units = None if chart is None else _names(chart)
        self._documents = documents

    def error(self, entry: Entry, message: str, hint: str) -> None:
        self.problems.append(error(entry.row, message, hint, entry.place))

    def warning(self, entry: Entry, message: str, hint: str) -> None:
        self.problems.append(warning(entry.row, message, hint, entry.place))

    def id(self, entry: Entry, kind: str) -> str:
        """The id of an entry, "" where it has none that can be used: whatever its case, each is there once."""
        id = entry.cells.get("id", "")
        if not id:
            self.error(entry, f"The {kind} has no id.", "Give it one, such as FindFlight or book-flight.")
            return ""
        if not _ID.fullmatch(id):
            hint = "An id has letters, digits and the signs _ . - only, 80 at most; the title is free."
            self.error(entry, f"The id {quoted(id)} cannot be used.", hint)
            return ""
        first = self.places.setdefault((kind, id.casefold()), entry)
        if first is not entry:
            self.error(entry, f"The id {quoted(id)} appears twice: {first.place} has it too.", "Give one another id.")
            return ""
        return id

    def named(self, found: Sequence[Entry], kind: str) -> Iterator[tuple[str, Entry]]:
        """The entries of tables or triggers, each with its id, "" where that cannot be used."""
        if len(found) > MAX_TABLES:
            message = f"There are {len(found):,} {kind}s; {MAX_TABLES:,} are the most."
            self.problems.append(error(0, message, "Leave out what nothing takes."))
        yield from ((self.id(entry, kind), entry) for entry in found[:MAX_TABLES])

    def one_of(self, entry: Entry, column: str, values: Mapping[str, Value]) -> Value:
        """What a cell means, in whatever case."""
        cell = entry.cells.get(column, "")
        if cell.casefold() not in values:
            hint = f"Write one of {listing([*filter(None, values)])}."
            self.error(entry, f"The {column} {quoted(cell)} is not known.", hint)
        return values.get(cell.casefold(), values[""])

    def text(self, entry: Entry, column: str, most: int = MAX_TEXT) -> str:
        text = entry.cells.get(column, "")
        if len(text) > most:
            self.error(entry, f"The {column} has {len(text):,} characters; {most:,} are the most.", "Shorten it.")
        return text[:most]

    def things(self, entry: Entry, column: str) -> tuple[str, ...]:
        for thing in entry.lists.get(column, ()):
            if between := {*";,"[: 1 if column == "for" else 2]} & {*thing}:
                message = f"{quoted(thing)} has a {' and a '.join(sorted(between))} in it."
                self.error(entry, message, "Write each thing on its own; tables separate them so.")
            if len(thing) > MAX_TITLE:
                self.error(entry, f"One of {column} has {len(thing):,} characters.", f"Name it in {MAX_TITLE} or less.")
        return tuple(dict.fromkeys(entry.lists.get(column, ())))

    def unit(self, entry: Entry, name: str) -> str:
        if self._units is not None and name:
            found = max(self._units[name], self._units[name.casefold()])
            if not found:
                hint = "Write its name, its alias or its id as in the chart in use."
                self.error(entry, f"The chart has no unit {quoted(name)}.", hint)
            elif found > 1:
                hint = "Write the id of the one that is meant."
                self.warning(entry, f"The chart has {found} units called {quoted(name)}.", hint)
        return name

    def audience(self, entry: Entry) -> tuple[str, ...]:
        return tuple(self.unit(entry, name) for name in self.things(entry, "for"))

    def source(self, entry: Entry) -> Source:
        document, section = entry.cells.get("document", ""), entry.cells.get("section", "")
        if section and not document:
            self.error(entry, f"The section {quoted(section)} is of no document.", "Name its document too.")
        elif document and self._documents is not None:
            paths = self._documents.get(document)
            if paths is None:
                hint = "Write the name as the page Documents shows it, or add the document first."
                self.error(entry, f"There is no document {quoted(document)}.", hint)
            elif section and not any(is_section(section, path) for path in paths):
                hint = "Write its heading, or the number that its heading begins with."
                self.error(entry, f"{quoted(document)} has no section {quoted(section)}.", hint)
        return Source(document, section)


def is_section(section: str, path: str) -> bool:
    """Whether a path of headings leads to a section that is named by its heading, or by the beginning of it ("4.2")."""
    wanted = section.casefold()
    for heading in path.casefold().split(" > "):
        if heading.startswith(wanted) and not heading[len(wanted) : len(wanted) + 1].isalnum():
            return True
    return False


def _names(chart: Chart) -> Counter[str]:
    """How many units go by a name; names and aliases are folded, ids are not."""
    names = Counter(unit.name.casefold() for unit in chart.units.values())
    aliases = Counter(alias.casefold() for unit in chart.units.values() for alias in unit.aliases)
    return (
        names
        | Counter({alias: count for alias, count in aliases.items() if alias not in names})
        | Counter(dict.fromkeys(chart.units, 1))
    )


def _actions(found: Sequence[Entry], says: _Checks) -> tuple[Action, ...]:
    """The actions. A thing is the same whatever its case: it is spelt as where it stands first."""
    if len(found) > MAX_ACTIONS:
        hint = "Leave out what nothing takes."
        says.problems.append(error(0, f"There are {len(found):,} actions; {MAX_ACTIONS:,} are the most.", hint))
    spelt: dict[str, str] = {}

    def spelling(thing: str) -> str:
        return spelt.setdefault(thing.casefold(), thing)

    actions = []
    for entry in found[:MAX_ACTIONS]:
        id = says.id(entry, "action")
        if id in LOGIC:
            says.error(entry, f"The id {id} is that of a step of every workflow.", "Give the action another one.")
        runs = says.one_of(entry, "runs", _RUNS)
        gives = says.things(entry, "gives")
        if any("|" in thing for thing in gives):
            hint = "Write each thing that it gives on its own; only needs have alternatives."
            says.error(entry, f"What it gives has alternatives: {listing(gives)}.", hint)
        needs = (
            tuple(dict.fromkeys(spelling(thing) for thing in map(str.strip, need.split("|")) if thing))
            for need in says.things(entry, "needs")
        )
        action = Action(
            id=id,
            title=says.text(entry, "title", MAX_TITLE) or id,
            description=says.text(entry, "description"),
            needs=tuple(dict.fromkeys(filter(None, needs))),
            gives=tuple(dict.fromkeys(map(spelling, gives))),
            unit=says.unit(entry, says.text(entry, "unit", MAX_TITLE)),
            audience=says.audience(entry),
            source=says.source(entry),
            runs=runs,
        )
        if id:
            actions.append(action)
    return tuple(actions)


def _tables(found: Sequence[Entry], says: _Checks) -> tuple[Table, ...]:
    made = [
        Table(
            id=id,
            title=says.text(entry, "title", MAX_TITLE) or id,
            description=says.text(entry, "description"),
            fields=says.things(entry, "fields"),
            audience=says.audience(entry),
        )
        for id, entry in says.named(found, "table")
    ]
    return tuple(table for table in made if table.id)


def _triggers(found: Sequence[Entry], says: _Checks) -> tuple[Trigger, ...]:
    made = [
        Trigger(
            id=id,
            title=says.text(entry, "title", MAX_TITLE) or id,
            description=says.text(entry, "description"),
            table=says.one_of(entry, "table", _YES_OR_NO),
        )
        for id, entry in says.named(found, "trigger")
    ]
    return tuple(trigger for trigger in made if trigger.id)


def _procedures(found: Sequence[Entry], actions: Mapping[str, Action], says: _Checks) -> tuple[Procedure, ...]:
    begun = sum(entry.begins for entry in found)
    if begun > MAX_PROCEDURES:
        hint = "Leave out what nobody asks for."
        says.problems.append(error(0, f"There are {begun:,} procedures; {MAX_PROCEDURES:,} are the most.", hint))
    if found and not found[0].begins:
        says.error(found[0], "The step is of no procedure.", "Give the id of its procedure in the same row.")
    by_case = {id.casefold(): id for id in actions}
    procedures: list[Procedure] = []
    for entry, steps in _grouped(found):
        id = says.id(entry, "procedure")
        made = tuple(_step(step, by_case, says) for step in steps)
        if not made:
            says.error(entry, "The procedure has no steps.", "Add a row for each of its steps.")
        if len(made) > MAX_STEPS:
            says.error(entry, f"The procedure has {len(made):,} steps; {MAX_STEPS} are the most.", "Cut it in two.")
        procedure = Procedure(
            id=id,
            title=says.text(entry, "title", MAX_TITLE) or id,
            when=says.text(entry, "when"),
            audience=says.audience(entry),
            steps=made[:MAX_STEPS],
            source=says.source(entry),
        )
        if id and len(procedures) < MAX_PROCEDURES:
            procedures.append(procedure)
            says.places |= {("step", id, str(at)): step for at, step in enumerate(steps)}
    return tuple(procedures)


def _grouped(found: Sequence[Entry]) -> Iterator[tuple[Entry, list[Entry]]]:
    """Each entry that begins a procedure, and the entries of its steps."""
    group: tuple[Entry, list[Entry]] | None = None
    for entry in found:
        if entry.begins:
            if group:
                yield group
            group = (entry, [])
        if group and (not entry.begins or entry.cells.get("step") or entry.lists.get("actions")):
            group[1].append(entry)
    if group:
        yield group


def _step(entry: Entry, by_case: Mapping[str, str], says: _Checks) -> Step:
    text = says.text(entry, "step")
    if not text:
        says.error(entry, "The step has no words.", "Write what is done, in the organization's own words.")
    bound = []
    for name in says.things(entry, "actions"):
        if name.casefold() in by_case:
            bound.append(by_case[name.casefold()])
        elif by_case:  # else that there are none is told already
            hint = "Write the id of an action of this file, or leave it out: the planner then chooses."
            says.error(entry, f"There is no action {quoted(name)}.", hint)
    return Step(text, tuple(bound))


def _stuck(graph: Graph, places: Mapping[tuple[str, ...], Entry]) -> Iterator[Problem]:
    """The actions that wait for one another, and those that nobody can get to because of it."""
    stuck = graph.actions.keys() - graph.reachable()
    told: set[str] = set()

    def found(make: Callable[[int, str, str, str], Problem], id: str, message: str, hint: str) -> Problem:
        entry = places["action", id.casefold()]
        return make(entry.row, message, hint, entry.place)

    for circle in graph.circles(stuck):
        told |= {*circle}
        message = f"{listing(circle)} wait for one another: each needs what only they give."
        if len(circle) == 1:
            message = f"{circle[0]} needs what only it gives."
        yield found(error, circle[0], message, "Take a need or a gift out, or add an action that begins.")
    for id in graph.actions:
        if id in stuck and id not in told:
            parents = dict.fromkeys(each for need in graph.parents(id) if stuck.issuperset(need) for each in need)
            message = (
                f"Nobody can get to {id}: it needs what comes from {listing([*parents])} only, in or behind a circle."
            )
            yield found(error, id, message, "Put the circle right first.")
    for circle in graph.circles(graph.actions.keys() - stuck):
        message = f"{listing(circle)} can each come before the other."
        yield found(warning, circle[0], message, "Check their needs; a plan takes the way in that is there.")


def _steps(procedures: Sequence[Procedure], graph: Graph, places: Mapping[tuple[str, ...], Entry]) -> Iterator[Problem]:
    """Steps that no action fits, and actions bound to a step that comes too early, or to two steps."""
    left = any(not step.actions for procedure in procedures for step in procedure.steps)
    pieces = Counter(piece for action in graph.actions.values() if left for piece in _pieces(action))
    most = max(1, _COMMON * len(graph.actions))
    for procedure in procedures:
        bound: dict[str, int] = {}
        for at, step in enumerate(procedure.steps):
            for id in step.actions:
                bound.setdefault(id, at)
        for at, step in enumerate(procedure.steps):
            entry = places["step", procedure.id, str(at)]
            if graph.actions and not step.actions and not any(0 < pieces[piece] <= most for piece in _cut(step.text)):
                message = f"No action seems to fit the step {quoted(step.text)}."
                yield warning(entry.row, message, "Name its actions, or add one that does it.", entry.place)
            for id in step.actions:
                if bound[id] < at:
                    message = f"{id} is an action of step {bound[id] + 1} and of step {at + 1}; a plan has it once."
                    yield warning(entry.row, message, "Leave it out of one of them.", entry.place)
                for need in graph.parents(id):
                    if need and all(bound.get(giver, at) > at for giver in need):
                        message = f"{id} needs what comes from {listing(need)} only, in a later step."
                        yield warning(entry.row, message, "Check the order of the steps.", entry.place)


def _pieces(action: Action) -> set[str]:
    return _cut(f"{action.id} {action.title} {action.description}")


def _cut(text: str) -> set[str]:
    """The pieces of a few letters of the words of a text, in whatever language."""
    words = _WORD.findall(text.casefold())
    return {word[at : at + _PIECE] for word in words for at in range(max(1, len(word) - _PIECE + 1))}
