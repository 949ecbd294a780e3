"""The inputs of a workflow's steps, bound by code to what there is.

workflow, book -> each need from the nearest earlier gift, item or error of its name, else the trigger's record

Names of the catalogue are compared, never what they mean: what no name settles is left open.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass, replace
from itertools import chain

from org.procedures.actions import Table
from org.procedures.flows import Book
from trag.workflow.record import Input, Workflow, WorkflowStep
from trag.workflow.scope import Scope

_TIMED = ("manual", "daily", "weekly", "monthly")
"""Triggers of the product itself that come with no record."""
_RECORD, _RECORDS = "record", "records"
"""What an action needs that takes any."""
_BETWEEN_WORDS = re.compile(r"[\W_]+|(?<=[^\W\d_])(?=[A-Z])")


@dataclass(frozen=True, slots=True)
class _Names:
    """What names of a book mean, whatever their case and underscores: its tables, and every thing that its actions need
    or give, tables among them."""

    tables: Mapping[str, Table]
    things: frozenset[str]

    @classmethod
    def of(cls, book: Book) -> _Names:
        tables = {_plain(id): table for id, table in book.tables.items()}
        acts = book.actions.values()
        things = {_plain(thing) for act in acts for need in (*act.needs, act.gives) for thing in need}
        return cls(tables, frozenset(things | tables.keys()))


def bound(workflow: Workflow, book: Book) -> Workflow:
    """The workflow with every input bound that a name settles, but for those that it has already; `gives` is what the
    book says, `open` what is left to be filled in."""
    names, scope = _Names.of(book), Scope(workflow, book)
    for number in range(1, len(workflow.steps) + 1):
        step = scope.step(number)
        inputs: list[Input] = []
        for need in scope.needs(step):
            given = next((each for each in step.inputs if each.name in need), None)
            found = given or _source(scope, names, step, need)
            inputs += [found] if found else []
        scope = scope.with_step(replace(step, inputs=tuple(inputs)))
    return scope.finished()


def _source(scope: Scope, names: _Names, step: WorkflowStep, need: tuple[str, ...]) -> Input | None:
    """What a need is bound to; None where nothing is of its name."""
    if step.name == "FOREACH":
        source = _many(scope, names, step)
        return Input(need[0], source) if source else None
    return _given(scope, names, step, need) or _of_record(scope, names, need) or _any_record(scope, names, step, need)


def _given(scope: Scope, names: _Names, step: WorkflowStep, need: tuple[str, ...]) -> Input | None:
    """The nearest of: what an earlier step gives, the item of a loop around, the error of a CATCH."""
    path = scope.path(step.step)
    for earlier in scope.before(step.step):
        number = earlier.step
        for name in need:
            if number in path and earlier.name == "FOREACH":
                rest = _of_item(scope, names, earlier, name)
            else:
                held = ("error",) if number in path and earlier.name == "CATCH" else scope.gives(earlier)
                rest = next((thing for thing in held if _plain(thing) == _plain(name)), "")
            if rest:
                return Input(name, f"{number}.{rest}")
    return None


def _of_record(scope: Scope, names: _Names, need: tuple[str, ...]) -> Input | None:
    """The trigger's record or a field of it. Where no table says what the record is, the name of the trigger may."""
    trigger, table = scope.workflow.trigger, scope.table
    if trigger is None or trigger.type in _TIMED:
        return None
    for name in need:
        known = _plain(table.id) == _plain(name) if table else _is_named(trigger.type, name, names)
        if name == _RECORD or known:
            return Input(name, f"trigger.{_RECORD}")
        if field := _field(table, names, name):
            return Input(name, f"trigger.{_RECORD}.{field}")
    return None


def _any_record(scope: Scope, names: _Names, step: WorkflowStep, need: tuple[str, ...]) -> Input | None:
    """For what takes any record, or any records: the nearest gift that is one of a table, or many."""
    for earlier in scope.before(step.step):
        for thing in scope.gives(earlier):
            if _RECORD in need and _plain(thing) in names.tables:
                return Input(_RECORD, f"{earlier.step}.{thing}")
            if _RECORDS in need and any(_is_many(_plain(thing), table) for table in names.tables):
                return Input(_RECORDS, f"{earlier.step}.{thing}")
    return None


# Loops


def _many(scope: Scope, names: _Names, loop: WorkflowStep) -> str:
    """The nearest gift that is many of what a step within the loop needs, else many of anything the book names."""
    needed = {_plain(name) for step in scope.within(loop.step) for need in scope.needs(step) for name in need}
    for things in (needed, names.things):
        for earlier in scope.before(loop.step):
            for thing in scope.gives(earlier):
                if any(_is_many(_plain(thing), one) for one in things):
                    return f"{earlier.step}.{thing}"
    return ""


def _of_item(scope: Scope, names: _Names, loop: WorkflowStep, name: str) -> str:
    """What of a loop's item is called so: itself, one of its fields, or nothing ("")."""
    many = _plain(next((each.source for each in loop.inputs), "").rpartition(".")[2])
    kinds = {one for one in names.things if _is_many(many, one)} or _first_need(scope, names, loop)
    table = next((names.tables[one] for one in sorted(kinds) if one in names.tables), None)
    if _plain(name) in kinds or (table and name == _RECORD):
        return "item"
    field = _field(table, names, name)
    return f"item.{field}" if field else ""


def _first_need(scope: Scope, names: _Names, loop: WorkflowStep) -> set[str]:
    """What an item is that nobody says: what the first action within needs and nobody gives, a table before others."""
    first = next((step for step in scope.within(loop.step) if step.name in scope.book.actions), None)
    gifts = {_plain(thing) for each in scope.before(loop.step) for thing in scope.gives(each)}
    waiting = [
        {*map(_plain, need)}
        for need in (scope.needs(first) if first else ())
        if gifts.isdisjoint(map(_plain, need)) and not _of_record(scope, names, need)
    ]
    tables = [need for need in waiting if need & names.tables.keys()]
    return next(iter(tables or waiting), set())


# Names


def _field(table: Table | None, names: _Names, thing: str) -> str:
    """The field of a table for a thing: of its name, else, for a record of another table, what its name ends in, as
    model for a hardware_model; "" for none."""
    fields, words = table.fields if table else (), _words(thing) if _plain(thing) in names.tables else []
    same = (field for field in fields if _plain(field) == _plain(thing))
    ending = (field for field in fields if words[1:] and words[-len(_words(field)) :] == _words(field))
    return next(chain(same, ending), "")


def _is_named(trigger: str, thing: str, names: _Names) -> bool:
    """Whether the name of a trigger has that of a thing in it, as TicketLogged has ticket, or the last word of one
    table's alone, as alert_raised has that of monitoring_alert."""
    words, parts = _words(trigger), _words(thing)
    if any(words[at : at + len(parts)] == parts for at in range(len(words))):
        return True
    ending = [table.id for table in names.tables.values() if _words(table.id)[-1:] == parts[-1:]]
    return [*map(_plain, ending)] == [_plain(thing)] and parts[-1] in words


def _words(id: str) -> list[str]:
    return [word.casefold() for word in _BETWEEN_WORDS.split(id) if word]


def _plain(name: str) -> str:
    return name.replace("_", "").casefold()


def _is_many(many: str, one: str) -> bool:
    """Whether a name is the plural of another: an ending more, or another one (jobs, Rechnungen, policies)."""
    more = len(many) - len(one)
    if len(one) >= 3 and many.startswith(one):
        return 1 <= more <= 2
    return len(one) >= 5 and many.startswith(one[:-1]) and 0 <= more <= 2
