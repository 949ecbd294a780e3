"""What differs between two books, told as a person would: what was added, removed, edited."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, fields
from difflib import SequenceMatcher
from itertools import zip_longest

from org.procedures.actions import Action, Source, Table, Trigger
from org.procedures.flows import Book, Procedure, Step

Entry = Action | Procedure | Table | Trigger


@dataclass(frozen=True, slots=True)
class Edit:
    """A field as it was and as it is, "" where it was or is empty; a step by its number ("step 2")."""

    field: str
    before: str
    after: str


@dataclass(frozen=True, slots=True)
class Change:
    """What has the same id before and after."""

    before: Entry
    after: Entry
    edits: tuple[Edit, ...]


@dataclass(frozen=True, slots=True)
class Changes:
    """Everything that makes one book another, actions first; what has another id is another one."""

    added: tuple[Entry, ...]
    removed: tuple[Entry, ...]
    changed: tuple[Change, ...]
    order: bool
    """Whether the order of those that stayed is another."""

    def __bool__(self) -> bool:
        return bool(self.added or self.removed or self.changed or self.order)


def compare(before: Book, after: Book) -> Changes:
    """The changes from one book to another."""
    added: list[Entry] = []
    removed: list[Entry] = []
    changed: list[Change] = []
    order = False
    sides: tuple[tuple[Mapping[str, Entry], Mapping[str, Entry]], ...] = (
        (before.actions, after.actions),
        (before.procedures, after.procedures),
        (before.tables, after.tables),
        (before.triggers, after.triggers),
    )
    for old, new in sides:
        added += (each for id, each in new.items() if id not in old)
        removed += (each for id, each in old.items() if id not in new)
        pairs = [(old[id], each) for id, each in new.items() if id in old]
        changed += (Change(one, other, tuple(_edits(one, other))) for one, other in pairs if one != other)
        order |= [id for id in new if id in old] != [id for id in old if id in new]
    return Changes(tuple(added), tuple(removed), tuple(changed), order)


def _edits(before: Entry, after: Entry) -> Iterator[Edit]:
    for name in (field.name for field in fields(before)):
        one, other = getattr(before, name), getattr(after, name)
        if name == "steps":
            yield from _steps(one, other)
        elif one != other:
            yield Edit("for" if name == "audience" else name, _text(one), _text(other))


def _steps(before: tuple[Step, ...], after: tuple[Step, ...]) -> Iterator[Edit]:
    """The steps that came, went or are otherwise, each by its number after, else before."""
    for what, start, end, first, last in SequenceMatcher(a=before, b=after, autojunk=False).get_opcodes():
        if what == "equal":
            continue
        for was, now in zip_longest(range(start, end), range(first, last)):
            number = (was if now is None else now) + 1
            one = "" if was is None else _text(before[was])
            yield Edit(f"step {number}", one, "" if now is None else _text(after[now]))


def _text(value: object) -> str:
    """A field in one line, as a file has it."""
    if isinstance(value, Source):
        return ", ".join(filter(None, (value.document, value.section)))
    if isinstance(value, Step):
        return f"{value.text} ({_text(value.actions)})" if value.actions else value.text
    if isinstance(value, tuple):
        return "; ".join("|".join(item) if isinstance(item, tuple) else item for item in value)
    if isinstance(value, bool):
        return "yes" if value else "no"
    return str(value)
