"""Written procedures, step by step, and the book that holds them with their actions, tables and triggers."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Iterable, Mapping
from dataclasses import asdict, dataclass, field
from functools import cached_property
from types import MappingProxyType
from typing import Any

from org.procedures.actions import UNWRITTEN, Action, Source, Table, Trigger


@dataclass(frozen=True, slots=True)
class Step:
    """One step in the organization's own words. `actions` are the ids of those that an admin bound to it, () where it
    is left to the planner; their order is that of the graph, not of the file."""

    text: str
    actions: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Procedure:
    """How one thing is done; what the paper calls a flow (FLAP, section 2.1). `when` says in which case, `audience`
    for whose people, () for everyone's."""

    id: str
    title: str
    when: str = ""
    audience: tuple[str, ...] = ()
    steps: tuple[Step, ...] = ()
    source: Source = UNWRITTEN


@dataclass(frozen=True)
class Book:
    """All actions and procedures of an organization by their ids, read-only, in the order of the file; and the tables
    and triggers of its workflows, whose catalogue the book is."""

    actions: Mapping[str, Action]
    procedures: Mapping[str, Procedure]
    tables: Mapping[str, Table] = field(default_factory=dict)
    triggers: Mapping[str, Trigger] = field(default_factory=dict)

    @classmethod
    def of(
        cls,
        actions: Iterable[Action],
        procedures: Iterable[Procedure],
        tables: Iterable[Table] = (),
        triggers: Iterable[Trigger] = (),
    ) -> Book:
        """The book of these."""
        return cls(
            MappingProxyType({action.id: action for action in actions}),
            MappingProxyType({procedure.id: procedure for procedure in procedures}),
            MappingProxyType({table.id: table for table in tables}),
            MappingProxyType({trigger.id: trigger for trigger in triggers}),
        )

    @cached_property
    def for_plans(self) -> Mapping[str, Action]:
        """The actions that plans are made of: what people do, and what a step of a procedure names."""
        named = {id for procedure in self.procedures.values() for step in procedure.steps for id in step.actions}
        those = {id: each for id, each in self.actions.items() if each.runs == "person" or id in named}
        return those if self.procedures else {}

    @cached_property
    def version(self) -> str:
        """The first 12 hex digits of a sha256 over `write`: the same content gives the same version."""
        return hashlib.sha256(write(self)).hexdigest()[:12]


def write(book: Book) -> bytes:
    """The book as a JSON file that `reading` reads to the same book."""
    content = {
        "actions": [_action(action) for action in book.actions.values()],
        "procedures": [_procedure(procedure) for procedure in book.procedures.values()],
    }
    # A book without them is written as it was before there were any, and keeps its version.
    if book.tables:
        content["tables"] = [_table(table) for table in book.tables.values()]
    if book.triggers:
        content["triggers"] = [asdict(trigger) for trigger in book.triggers.values()]
    return json.dumps(content, ensure_ascii=False, indent=1).encode()


def _action(action: Action) -> dict[str, Any]:
    return {
        "id": action.id,
        "title": action.title,
        "description": action.description,
        "needs": ["|".join(need) for need in action.needs],
        "gives": action.gives,
        "unit": action.unit,
        "for": action.audience,
        "source": _source(action.source),
        **({} if action.runs == "person" else {"runs": action.runs}),
    }


def _table(table: Table) -> dict[str, Any]:
    return {
        "id": table.id,
        "title": table.title,
        "description": table.description,
        "fields": table.fields,
        "for": table.audience,
    }


def _procedure(procedure: Procedure) -> dict[str, Any]:
    return {
        "id": procedure.id,
        "title": procedure.title,
        "when": procedure.when,
        "for": procedure.audience,
        "source": _source(procedure.source),
        "steps": [{"text": step.text, "actions": step.actions} for step in procedure.steps],
    }


def _source(source: Source) -> dict[str, str]:
    return {"document": source.document, "section": source.section} if source.document else {}
