"""Plans that a reviewer pinned to a request: given again in the order that was found right.

An order is text: the id of a procedure, then those of its actions, one a line.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import replace
from typing import TYPE_CHECKING

from trag import approved
from trag.errors import TragError
from trag.record import Approval

if TYPE_CHECKING:
    from org.procedures.flows import Book
    from store.records import Records
    from trag.flow.planner import Planner
    from trag.flow.record import PlanRecord
    from trag.llm.model import LanguageModel
    from trag.people.permissions import Readers


def pinned_plan(
    request: str,
    records: Records,
    planner: Planner,
    model: LanguageModel,
    *,
    readers: Readers,
    unit: str = "",
    procedure: str = "",
    done: Sequence[str] = (),
) -> PlanRecord | None:
    """The plan that is pinned to a request, in any spelling of it, as `Planner.plan` would make it for the same person;
    no model is asked. None where none is pinned, what it stands on has changed, it is of another `procedure` than they
    mean, or anything of it is closed to them. Raises StoreError for a failing database."""
    found = approved.find(records, request, "plan")
    if found is None or found.procedures != planner.book.version:
        return None
    id, *actions = found.reply.split("\n")
    book = planner.open_book(readers)
    if procedure not in ("", id) or id not in book.procedures or not book.actions.keys() >= {*actions, *done}:
        return None
    plan = planner.plan(request, model, readers=readers, unit=unit, procedure=id, done=done, actions=actions)
    if plan.status != "planned":
        return None
    reviewer = records.people.find(found.by)
    by = reviewer.shown if reviewer else found.by
    return replace(plan, approved=Approval(by, found.at.date().isoformat(), found.question))


def read_order(text: str, book: Book) -> tuple[str, tuple[str, ...]]:
    """The procedure and the actions of an order as it is typed. Raises TragError that names every id that `book` has
    none of, and every one that appears twice."""
    id, *actions = [line.strip() for line in text.splitlines() if line.strip()] or [""]
    problems = [f"the procedures have no {each}" for each in dict.fromkeys(actions) if each not in book.for_plans]
    if id not in book.procedures:
        problems.insert(0, f"there is no procedure {id!r} (its id stands in the first line)")
    problems += [f"{each} appears twice" for each, times in Counter(actions).items() if times > 1]
    if not actions:
        problems.append("it has no action")
    if problems:
        hint = "Write the id of the procedure, then those of its actions in their order, one a line."
        raise TragError(f"That is no plan: {'; '.join(problems)}.", hint)
    return id, tuple(actions)
