"""What a system wrote, read as far as it can be read, and held against the gold.

text -> Reading: trigger, table, steps by level and name; Reading, gold, catalogue -> Score

The measures are those of Bechard and Marquez Ayala (2024, section 4.2), whose formulas were settled before anything was
measured: Bag of Steps is 2|G & P| / (|G| + |P|) of multisets; HS and HT are shares of the names written in one
workflow. FlowSim (Marquez Ayala and others 2025, arXiv 2505.24189) compares trees: 1 - distance / nodes of the larger.
"""

from __future__ import annotations

import json
import re
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Literal

from org.procedures.actions import LOGIC, Action, Table, Trigger
from org.procedures.flows import Book
from trag.workflow.checking import check
from trag.workflow.record import Workflow
from trag.workflow.running import run

Form = Literal["lines", "json"]
_NAME = re.compile(r"\S*\w\S*")
_ALWAYS = ("DOUNTIL", "PARALLEL")
"""What is within these is done by all means, once they are."""


@dataclass(frozen=True, slots=True)
class Reading:
    """A workflow as it was read: `trigger` and `table` are "" for none, steps are (level from 0 on, name). `parsed`
    says that all of the text could be read."""

    trigger: str = ""
    table: str = ""
    steps: tuple[tuple[int, str], ...] = ()
    parsed: bool = True

    @property
    def names(self) -> tuple[str, ...]:
        """Those of the steps, in order."""
        return tuple(name for _, name in self.steps)

    @property
    def actions(self) -> tuple[str, ...]:
        """The names of the steps that are no logic."""
        return tuple(name for name in self.names if name not in LOGIC)

    @property
    def logic(self) -> tuple[str, ...]:
        """The names of the steps that are."""
        return tuple(name for name in self.names if name in LOGIC)

    def invented(self, book: Book) -> Iterator[tuple[Literal["trigger", "table", "step"], str]]:
        """What is named and is not in a catalogue, step by step."""
        if self.trigger and self.trigger not in book.triggers:
            yield "trigger", self.trigger
        if self.table and self.table not in book.tables:
            yield "table", self.table
        yield from (("step", name) for name in self.actions if name not in book.actions)

    def core(self) -> dict[str, Any]:
        """The same as the paper's JSON (Figure 1)."""
        steps: list[dict[str, Any]] = []
        path: list[int] = []
        for number, (level, name) in enumerate(self.steps, 1):
            path[level:] = [number]
            steps.append({"name": name, "step": number, **({"parent": path[level - 1]} if level else {})})
        table = {"inputs": {"name": "table", "value": self.table}} if self.table else {}
        return {**({"trigger": {"type": self.trigger, **table}} if self.trigger else {}), "steps": steps}


def read(text: str, form: Form) -> Reading:
    """What a model wrote, in either form; what cannot be read is left out."""
    if form == "lines":
        return of_lines(text)
    try:
        return of_json(json.loads(text))
    except (ValueError, RecursionError):
        return Reading(parsed=False)


def of_lines(text: str) -> Reading:
    """The workflow of some lines: the trigger and its table, "-" for none, then a step a line, a space each level."""
    first, *rest = text.strip("\n").split("\n")
    words = first.split(" ")
    named = all(map(_NAME.fullmatch, words)) and len(words) <= 2
    trigger, table = (*words, "")[:2] if named else ("", "")
    parsed = named or words == ["-"]
    steps: list[tuple[int, str]] = []
    for line in rest:
        name = line.lstrip(" ")
        most = steps[-1][0] + 1 if steps else 0
        parsed &= bool(_NAME.fullmatch(name)) and len(line) - len(name) <= most
        if _NAME.fullmatch(name):
            steps.append((min(len(line) - len(name), most), name))
    return Reading(trigger, table, tuple(steps), parsed and bool(steps))


def of_json(values: object) -> Reading:
    """The workflow of the paper's JSON."""
    if not isinstance(values, dict):
        return Reading(parsed=False)
    given, trigger = values.get("steps"), values.get("trigger")
    parsed = isinstance(given, list) and bool(given) and (trigger is None or isinstance(trigger, dict))
    started = trigger if isinstance(trigger, dict) else {}
    inputs = started.get("inputs") or {}
    kind, table = started.get("type", ""), inputs.get("value", "") if isinstance(inputs, dict) else None
    parsed &= isinstance(kind, str) and isinstance(table, str) and bool(kind or trigger is None)
    steps: list[tuple[int, str]] = []
    levels: dict[object, int] = {None: -1, 0: -1}
    for number, each in enumerate(given if isinstance(given, list) else (), 1):
        name = each.get("name") if isinstance(each, dict) else None
        if not isinstance(name, str) or not _NAME.fullmatch(name):
            parsed = False
            continue
        parent = each.get("parent")
        known = isinstance(parent, int | None) and parent in levels
        parsed &= known and each.get("step") == number
        levels[number] = levels[parent] + 1 if known else 0
        steps.append((min(levels[number], steps[-1][0] + 1 if steps else 0), name))
    return Reading(kind if isinstance(kind, str) else "", table if isinstance(table, str) else "", tuple(steps), parsed)


@dataclass(frozen=True, slots=True)
class Score:
    """How one workflow stands. Shares are from 0 to 1, and None where there is nothing to have a share of: steps or a
    table that were written, actions on either side, logic in the gold, what was suggested.

    `trigger` is whether trigger and table are right, which those of a workflow without steps are not; `exact` is the
    whole workflow as the gold has it; `rules` that it keeps the rules of structure, whatever its names; `logic` that it
    has just the gold's logic steps, `false_logic` that it has some where the gold has none. Of inputs that steps must
    have, references and conditions there are how many in all, and how many are open or lead nowhere; `dry` is whether a
    dry run comes to its end.
    """

    trigger: bool
    with_trigger: bool
    bag: float
    jaccard: float
    bag_of_actions: float | None
    invented_steps: float | None
    invented_table: bool | None
    invented_trigger: bool | None
    parsed: bool
    rules: bool
    exact: bool
    logic: bool | None
    false_logic: bool | None
    empty: bool
    similarity: float
    recall_steps: float | None = None
    recall_tables: float | None = None
    inputs: int = 0
    open: int = 0
    references: int = 0
    unresolved: int = 0
    dry: bool = False


def score(
    written: Reading,
    gold: Reading,
    book: Book,
    *,
    suggested: tuple[Sequence[str], Sequence[str]] | None = None,
    whole: Mapping[str, Any] | None = None,
) -> Score:
    """What was written beside the gold. `suggested` are the steps and tables that a system was shown, None where it was
    shown none; `whole` is the workflow that came of what was written, with its inputs, None where it has none."""
    invented = Counter(what for what, _ in written.invented(book))
    steps, tables = suggested or ((), ())
    wanted = {*gold.actions}
    recalled = len(wanted & {*steps}) / len(wanted) if suggested and wanted else None
    values = whole or written.core()
    inputs, open_ = _inputs(values, book) if whole else (0, 0)
    references = [*_references(whole)] if whole else []
    return Score(
        trigger=bool(written.steps) and (written.trigger, written.table) == (gold.trigger, gold.table),
        with_trigger=bool(gold.trigger),
        bag=_overlap(written.names, gold.names),
        jaccard=_overlap(written.names, gold.names, jaccard=True),
        bag_of_actions=_overlap(written.actions, gold.actions) if written.actions or gold.actions else None,
        invented_steps=invented["step"] / len(written.steps) if written.steps else None,
        invented_table=bool(invented["table"]) if written.table else None,
        invented_trigger=bool(invented["trigger"]) if written.trigger else None,
        parsed=written.parsed,
        rules=written.parsed and keeps_rules(written, book),
        exact=written.parsed and _same(written, gold),
        logic=Counter(written.logic) == Counter(gold.logic) if gold.logic else None,
        false_logic=bool(written.logic) if not gold.logic else None,
        empty=not written.steps,
        similarity=similarity(written, gold),
        recall_steps=recalled,
        recall_tables=float(gold.table in tables) if suggested and gold.table else None,
        inputs=inputs,
        open=open_,
        references=len(references),
        unresolved=sum(not _resolves(whole or {}, book, *one) for one in references),
        dry=written.parsed and _runs_dry(values, book),
    )


def _same(one: Reading, other: Reading) -> bool:
    return (one.trigger, one.table, one.steps) == (other.trigger, other.table, other.steps)


def _overlap(written: Sequence[str], gold: Sequence[str], *, jaccard: bool = False) -> float:
    """Of two multisets, of which one at least has something in it: Dice's coefficient, or Jaccard's."""
    have, want = Counter(written), Counter(gold)
    both = (have & want).total()
    return both / (have | want).total() if jaccard else 2 * both / (have.total() + want.total())


def keeps_rules(written: Reading, book: Book) -> bool:
    """Whether the checker has nothing against the structure: what the catalogue lacks counts as if it had it."""
    lacking = dict.fromkeys(written.invented(book))
    whole = Book.of(
        [*book.actions.values(), *(Action(one, one) for what, one in lacking if what == "step")],
        (),
        [*book.tables.values(), *(Table(one, one) for what, one in lacking if what == "table")],
        [
            *book.triggers.values(),
            *(Trigger(one, one, table=bool(written.table)) for what, one in lacking if what == "trigger"),
        ],
    )
    return not any(problem.severity == "error" for problem in check(written.core(), whole))


def _runs_dry(values: Mapping[str, Any], book: Book) -> bool:
    if any(problem.severity == "error" for problem in check(dict(values), book)):
        return False
    return run(Workflow.of(values), book).status != "failed"


# FlowSim


def similarity(one: Reading, other: Reading) -> float:
    """How alike two workflows are as trees, 0 to 1; the trigger with its table is the first node, where there is
    one."""
    trees = [_tree(each) for each in (one, other)]
    return 1 - distance(*trees) / max(1, *map(len, trees))


def _tree(of: Reading) -> list[tuple[int, str]]:
    started = [(0, f"when {of.trigger} {of.table}")] if of.trigger else []
    return [*started, *of.steps]


def distance(one: Sequence[tuple[int, str]], other: Sequence[tuple[int, str]]) -> int:
    """The least number of nodes added, taken out or renamed that make one ordered forest of another, each given as
    (level, name) in the order of its lines (Zhang and Shasha 1989)."""
    (names, first), (others, other_first) = _postorder(one), _postorder(other)
    trees = [[0] * len(others) for _ in names]
    for i in _roots(first):
        for j in _roots(other_first):
            # forest[x][y]: of the nodes first[i] .. first[i]+x-1 and other_first[j] .. other_first[j]+y-1
            left, top = first[i], other_first[j]
            forest = [[x + y for y in range(j - top + 2)] for x in range(i - left + 2)]
            for x in range(1, i - left + 2):
                for y in range(1, j - top + 2):
                    at, by = left + x - 1, top + y - 1
                    whole = first[at] == left and other_first[by] == top
                    if whole:
                        together = forest[x - 1][y - 1] + (names[at] != others[by])
                    else:
                        together = forest[first[at] - left][other_first[by] - top] + trees[at][by]
                    forest[x][y] = min(forest[x - 1][y] + 1, forest[x][y - 1] + 1, together)
                    if whole:
                        trees[at][by] = forest[x][y]
    return trees[-1][-1]


def _postorder(lines: Sequence[tuple[int, str]]) -> tuple[list[str], list[int]]:
    """The names of the nodes below one root, children first, and for each the place of the first node within it."""
    names: list[str] = []
    first: list[int] = []
    above: list[tuple[int, str, int]] = []
    for level, name in [(-1, ""), *lines, (-2, "")]:
        while above and above[-1][0] >= level:
            _, done, place = above.pop()
            names.append(done)
            first.append(place)
        above.append((level, name, len(names)))
    return names, first


def _roots(first: Sequence[int]) -> list[int]:
    """The last node of those that begin at the same place, for each such place."""
    return sorted({place: number for number, place in enumerate(first)}.values())


# Inputs


def _inputs(values: Mapping[str, Any], book: Book) -> tuple[int, int]:
    """How many inputs steps must have, conditions among them, and how many of these are open."""
    needed = open_ = 0
    for step in values["steps"]:
        name, given = step["name"], step.get("inputs", {})
        action = book.actions.get(name)
        needs = action.needs if action else {"FOREACH": (("items",),), "WAIT": (("duration",),)}.get(name, ())
        missing = [need for need in needs if not any(one in given for one in need)]
        condition = name in ("IF", "ELSEIF", "DOUNTIL")
        needed += len(needs) + condition
        open_ += len(missing) + (condition and step.get("condition", {}).get("by", "open") == "open")
    return needed, open_


def _references(values: Mapping[str, Any]) -> Iterator[tuple[int, str]]:
    """Every reference, with the number of the step that it is of."""
    for step in values["steps"]:
        yield from ((step["step"], one) for one in step.get("inputs", {}).values() if isinstance(one, str))
        condition = step.get("condition")
        if condition and condition.get("by") != "open":
            yield step["step"], condition["left"]


def _resolves(values: Mapping[str, Any], book: Book, number: int, reference: str) -> bool:
    """Whether there is something by all means that a reference of a step refers to."""
    steps = {step["step"]: step for step in values["steps"]}
    first, _, rest = reference.removeprefix("trigger.").partition(".")
    trigger = values.get("trigger")
    if first == "record":
        table = book.tables.get(((trigger or {}).get("inputs") or {}).get("value", ""))
        fields = table.fields if table else ()
        return bool(trigger) and (not rest or not fields or _begins(rest, fields))
    other = int(first) if first.isdecimal() else 0
    if other not in steps:
        return False
    within, path = _above(steps, other), [*_above(steps, number), number]
    at_end = number in within and steps[number]["name"] == "DOUNTIL"
    if other >= number and not at_end:
        return False
    name = steps[other]["name"]
    action = book.actions.get(name)
    held = {"FOREACH": ("item",), "CATCH": ("error",)}.get(name, ()) if other in path else ()
    around = [each for each in within if each not in path]
    sure = all(steps[each]["name"] in _ALWAYS or _whole_block(steps, each, path) for each in around)
    return sure and _begins(rest, action.gives if action else held)


def _whole_block(steps: Mapping[int, Mapping[str, Any]], number: int, path: Sequence[int]) -> bool:
    """Whether a step is a block of a PARALLEL that is done before what `path` leads to."""
    return steps[number]["name"] == "PARALLELBLOCK" and steps[number].get("parent") not in path


def _above(steps: Mapping[int, Mapping[str, Any]], number: int) -> list[int]:
    """What a step is within, the nearest first."""
    found = []
    while number := steps[number].get("parent", 0):
        found.append(number)
    return found


def _begins(path: str, names: Sequence[str]) -> bool:
    return any(path == name or path.startswith(f"{name}.") for name in names)
