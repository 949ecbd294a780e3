"""Plans: what an organization's own procedure says, step by step, for whoever asks.

request -> the procedures that the asker may read -> the one that serves it -> its actions in order -> checked, recorded

A plan never leaves the written procedures: no action is invented, and one that is not for the asker's unit is handed
over to the unit whose it is, never left out.
"""

from __future__ import annotations

import logging
import threading
from collections.abc import Iterable, Sequence
from dataclasses import replace
from time import monotonic
from typing import TYPE_CHECKING
from uuid import uuid4

from org.procedures.actions import Action, Source
from org.procedures.flows import Book, Procedure
from org.procedures.graph import Graph
from trag.embed import open_embedder
from trag.errors import TragError
from trag.flow import binding, checking, choosing
from trag.flow.binding import Likeness
from trag.flow.planning import Call, calls
from trag.flow.record import Chosen, PlannedStep, PlanRecord, WrittenIn
from trag.flow.rights import OpenTo, documents_of, open_book, units_named
from trag.flow.scoring import Encode
from trag.progress import Cancelled
from trag.reranking.reranker import Reranker
from trag.retrieve import Weigh

if TYPE_CHECKING:
    from org.chart import Chart
    from trag.home import Home
    from trag.llm.model import LanguageModel
    from trag.people.permissions import Readers

log = logging.getLogger(__name__)

LONGEST_REQUEST = 4_000
"""Characters that a request may have."""


def planner(home: Home) -> Planner:
    """What plans by the procedures and under the chart that a home has in use. Raises TragError where there are no
    procedures."""
    book, chart = home.procedures.in_use, home.organization.chart
    if book is None:
        raise TragError("There are no procedures to plan by.", "An admin adds the organization's own.")
    made = home.parts.get("planner")
    if made is None or made.book is not book or made.chart is not chart:
        # What a plan is made by was measured with the embedded encoder, whichever one finds passages.
        encoder = open_embedder("") if home.settings.embedder else home.embedder
        ranks = home.reranker or Reranker()
        open_to = documents_of(home.records.library)
        made = home.parts["planner"] = Planner(book, chart, encoder.embed_passages, ranks.weigh, open_to)
    return made


class Planner:
    """Plans by one book under one chart. May be used from several threads; how alike the steps of a procedure and the
    actions are is worked out once, some seconds on two cores."""

    def __init__(self, book: Book, chart: Chart | None, encode: Encode, weigh: Weigh, open_to: OpenTo) -> None:
        self.book, self.chart = book, chart
        self._encode, self._weigh, self._open_to = encode, weigh, open_to
        self._alike: dict[str, Likeness] = {}
        self._turn = threading.Lock()

    def open_book(self, readers: Readers) -> Book:
        """What of the book is open to who holds these keys."""
        return open_book(self.book, self.chart, readers, self._open_to)

    def plan(
        self,
        request: str,
        model: LanguageModel,
        *,
        readers: Readers,
        unit: str = "",
        procedure: str = "",
        done: Sequence[str] = (),
        actions: Sequence[str] = (),
        stop: threading.Event | None = None,
    ) -> PlanRecord:
        """The plan for a request of somebody of a `unit` ("" for none) who holds the keys `readers`, None for who may
        read everything. `procedure` is the id of the one they mean, "" where it is to be found; `done` are the ids of
        actions that were done already; `actions` those of that procedure in the order to follow, in place of what would
        be worked out. A plan that breaks the procedure is none, and its record has the checks that it does not pass.

        Raises TragError for a request that is empty or too long and for an id that there is none of, Cancelled when
        `stop` is set before the procedure is found, and what the model raises.
        """
        began, asked = monotonic(), request.strip()
        if not 0 < len(asked) <= LONGEST_REQUEST:
            size = f"{len(asked):,} characters" if asked else "no words"
            message = f"The request has {size}; at most {LONGEST_REQUEST:,} are read."
            raise TragError(message, "Say what you want to get done.")
        book = self.open_book(readers)
        known(book, procedure, (*done, *actions))
        chart = self.chart.version if self.chart else ""
        record = PlanRecord(
            uuid4().hex, asked, "cannot_answer", procedures=self.book.version, done=tuple(done), chart=chart
        )
        if procedure:
            # All that is to be followed is open to them; its steps have the places that they have for everybody.
            book = self.book if actions else book
            found = choosing.Found((book.procedures[procedure],))
        else:
            found = choosing.choose(asked, tuple(book.procedures.values()), self._encode, self._weigh, model, stop)
            if stop and stop.is_set():
                raise Cancelled
        if found.none or len(found.procedures) > 1:
            choices = tuple(Chosen(one.id, one.title, one.source.document) for one in found.procedures)
            record = replace(record, status="cannot_answer" if found.none else "ask_which", choices=choices)
        else:
            record = self._planned(record, found.procedures[0], book, unit, actions)
        return replace(record, seconds=monotonic() - began)

    def _planned(
        self, record: PlanRecord, procedure: Procedure, book: Book, unit: str, actions: Sequence[str]
    ) -> PlanRecord:
        """The record with the plan of a procedure by the actions of `book`; a refusal where there is none of them, or
        the plan does not pass its check, which is a fault of the program, or of whoever gave the order to follow."""
        book = Book.of(book.for_plans.values(), book.procedures.values())
        if not (book.actions and procedure.steps):
            return record
        graph = Graph(book.actions.values())
        takes = binding.bound(procedure, graph, self._likeness(procedure.id).of(book.actions))
        if actions:
            made = _followed(actions, calls(takes, graph), record.done)
        else:
            made = calls(takes, graph, [id for id in record.done if id in takes])
        plan = replace(
            record,
            status="planned",
            procedure=Chosen(procedure.id, procedure.title),
            steps=tuple(
                self._step(number, procedure.steps[call.step].text, book.actions[call.action], unit)
                for number, call in enumerate(made, 1)
            ),
            asked_for=tuple(dict.fromkeys(_alternatives(graph.brought(call.action) for call in made))),
            source=_written(procedure.source),
        )
        plan = replace(plan, checks=checking.check(plan, book))
        if not plan.checks:
            if not actions:
                log.error("a plan of %s breaks its own procedure: %s", procedure.id, plan.checks)
            return replace(record, checks=plan.checks)
        return plan

    def _step(self, number: int, text: str, action: Action, unit: str) -> PlannedStep:
        whose, others = (units_named(names, self.chart) for names in ([action.unit], action.audience))
        mine = {one.id for one in self.chart.path(unit)} if self.chart and unit in self.chart.units else set()
        return PlannedStep(
            number,
            text,
            action.id,
            action.title,
            action.description,
            unit=whose[0].name if whose else action.unit,
            head=whose[0].head if whose else "",
            handed_over=bool(action.audience) and mine.isdisjoint(one.id for one in others),
            needs=tuple(_alternatives([action.needs])),
            gives=action.gives,
            source=_written(action.source),
            unit_id=whose[0].id if whose else "",
        )

    def _likeness(self, id: str) -> Likeness:
        with self._turn:
            if id not in self._alike:
                procedure = self.book.procedures[id]
                self._alike[id] = binding.likeness(procedure, self.book.for_plans, self._encode, self._weigh)
            return self._alike[id]


def known(book: Book, procedure: str, done: Iterable[str]) -> None:
    """Raises TragError for the id of a procedure ("" for none) or of an action that the book does not have."""
    gone = [id for id in done if id not in book.actions]
    gone += [procedure] if procedure and procedure not in book.procedures else []
    if gone:
        raise TragError(f"The procedures have no {gone[0][:100]}.", "They may have changed: ask for the plan again.")


def _followed(actions: Sequence[str], plan: Iterable[Call], done: Sequence[str]) -> tuple[Call, ...]:
    """The actions in the order given, each in the step that it has in the plan; one that has none goes with that before
    it."""
    steps = {call.action: call.step for call in plan}
    step, made = 0, []
    for id in actions:
        step = steps.get(id, step)
        made.append(Call(step, id))
    return tuple(call for call in made if call.action not in done)


def _written(source: Source) -> WrittenIn | None:
    return WrittenIn(source.document, source.section) if source.document else None


def _alternatives(needs: Iterable[Iterable[Sequence[str]]]) -> Iterable[str]:
    """Each need as people read it."""
    return (" or ".join(thing.replace("_", " ") for thing in need) for of in needs for need in of)
