"""A workflow for a request: a line at a time, each chosen among what the book has and the rules allow.

request -> suggestions -> trigger, table -> line by line until nothing more is asked for -> inputs, conditions -> checks
-> record

No name can be invented, since only names are chosen among (the paper's HS and HT are 0 by construction; Bechard and
Marquez Ayala 2024, section 4.2). Whether it is the right one is `trag.workflow.choosing`'s matter.
"""

from __future__ import annotations

import math
import threading
from collections.abc import Collection, Hashable, Iterator, Mapping, Sequence
from contextlib import AbstractContextManager, nullcontext
from dataclasses import dataclass, field, replace
from time import monotonic
from typing import TYPE_CHECKING, TypeVar
from uuid import uuid4

import prompts
from org.procedures.flows import Book
from trag.embed import open_embedder
from trag.errors import TragError
from trag.llm.model import MOST_BEAMS, Search, Searching
from trag.progress import Cancelled
from trag.reranking.reranker import Reranker
from trag.retrieve import Weigh
from trag.workflow import choosing
from trag.workflow.binding import bound
from trag.workflow.checking import check
from trag.workflow.choosing import DONE, LOGIC, Said, fitted, odds
from trag.workflow.conditions import conditions
from trag.workflow.record import Choice, Kind, Started, Suggestion, Workflow, WorkflowRecord
from trag.workflow.structure import Line, made, write
from trag.workflow.suggesting import LEARNED, Encode, Suggester, Suggestions, text_of

if TYPE_CHECKING:
    from trag.home import Home
    from trag.llm.model import LanguageModel

Key = TypeVar("Key", bound=Hashable)

TRIGGERS, TABLES = 8, 8
"""How many are chosen among, of those suggested."""
_UNFIT = 0.7
"""The log-odds by the reranker below which a step or trigger is not what a part of a request asks for. Of 12 requests
of beyond.jsonl 8 have their part, which no step fits, below it; of 43 of dev 3 some part (docs/RESULTS.md)."""
_OVER = 3  # names that a choice is told to be over
_BY_REQUEST = "when by request\n"


def drafter(home: Home) -> Drafter:
    """What drafts by the book that a home has in use. Raises TragError where there is none, or it has no actions."""
    book = home.procedures.in_use
    if book is None or not book.actions:
        raise TragError("There are no steps to make workflows of.", "An admin adds the organization's own.")
    found = home.parts.get("drafter")
    if found is None or found.book is not book:
        encoder = open_embedder("", LEARNED)
        found = home.parts["drafter"] = Drafter(book, encoder.embed_passages, (home.reranker or Reranker()).weigh)
    return found


class Drafter:
    """Drafts by one book. May be used from several threads; made in some 10 s for 500 entries."""

    def __init__(self, book: Book, encode: Encode, weigh: Weigh) -> None:
        self.book = book
        self._suggester, self._weigh = Suggester(book, encode), weigh

    def draft(
        self,
        request: str,
        model: LanguageModel,
        *,
        usable: Collection[str] | None = None,
        id: str = "",
        stop: threading.Event | None = None,
    ) -> Iterator[Workflow | WorkflowRecord]:
        """The workflow so far after each line that is written, and the record of it at the end. `usable` are the ids of
        actions, tables and triggers that whoever asks may use, None for all.

        A model that cannot be searched leaves the choice to the encoder. Raises TragError where nothing may be used,
        Cancelled when `stop` is set meanwhile, and what the model raises.
        """
        began = monotonic()
        found = self._suggester.suggest(request, usable=usable)
        if not found.steps:
            raise TragError("There are no steps that you may use.", "An admin adds them, or opens them to your unit.")
        held: AbstractContextManager[Search | None] = nullcontext()
        if isinstance(model, Searching):
            held = model.search(prompts.workflow(request), stop=stop)
        with held as search:
            found = replace(found, unfit=tuple(self._unfit(request, found, usable)))
            writing = _Writing(request, self.book, found, ranks(request, found, self.book, self._weigh), search)
            for workflow in writing.lines():
                if stop and stop.is_set():
                    raise Cancelled
                yield replace(workflow, request=request)
            tokens = search.usage.completion if search else 0
        said = request.split()
        unfit = tuple(" ".join(said[first:end]) for first, end in found.unfit)
        workflow = bound(replace(workflow, request=request, no_step_for=unfit), self.book)
        if search:
            workflow = conditions(workflow, self.book, request, model, stop)
        told = tuple(
            f"{problem.message} {problem.hint}"
            for problem in check(workflow.values(), self.book)
            if problem.severity == "error"
        )
        yield WorkflowRecord(
            id or uuid4().hex,
            request,
            "drafted",
            workflow,
            tuple(replace(each, words=writing.words.get(each.name, each.words)) for each in _all(found)),
            tuple(writing.choices),
            told,
            write(workflow),
            tokens,
            monotonic() - began,
            model.identity.name if search else "",
            self.book.version,
        )

    def unfit(self, request: str, usable: Collection[str] | None = None) -> tuple[tuple[int, int], ...]:
        """The first words and those after the last of the parts of a request that nothing fits."""
        return tuple(self._unfit(request, self._suggester.suggest(request, usable=usable), usable))

    def _unfit(self, request: str, found: Suggestions, usable: Collection[str] | None) -> Iterator[tuple[int, int]]:
        """Those of which the reranker says so too."""
        for span in found.unfit:
            part = " ".join(request.split()[slice(*span)])
            odds = ranks(part, self._suggester.suggest(part, usable=usable), self.book, self._weigh)
            if max((*odds["step"].values(), *odds["trigger"].values())) < _UNFIT:
                yield span


def _all(found: Suggestions) -> tuple[Suggestion, ...]:
    return (*found.triggers[:TRIGGERS], *found.tables[:TABLES], *found.steps)


@dataclass
class _Writing:
    """One workflow on its way."""

    request: str
    book: Book
    found: Suggestions
    ranks: Mapping[Kind, Mapping[str, float]]
    search: Search | None
    choices: list[Choice] = field(default_factory=list)
    words: dict[str, str] = field(default_factory=dict)
    """Those of the request that each name stands for."""

    def lines(self) -> Iterator[Workflow]:
        """The workflow after each line."""
        trigger = self._trigger()
        self._take(started(trigger, self.book))
        titles = {one.name: self.book.actions[one.name].title for one in self.found.steps}
        lines: list[Line] = []
        said = Said(self.found.words["step"], self.ranks["step"])
        for part in self.found.unfit:  # nothing is to be put in their place
            said.cover(*part)
        said.last = 0.0
        if trigger and (span := opened(trigger, self.found)):
            said.cover(*span)
            words = " ".join(self.request.split()[slice(*span)])
            self.words |= dict.fromkeys((trigger.type, trigger.table), words)
        while True:
            asked = shares(self.search, choosing.options(lines, titles))
            levels = shares(self.search, choosing.indents(lines))
            weighed = choosing.features(lines, asked, levels, said)
            line = self._best("lines", weighed, len(lines) + 1)
            if line is None:
                return
            lines.append(line)
            if line.name in titles:
                first, end = said.take(line.name)
                self.words[line.name] = " ".join(self.request.split()[first:end])
            yield made(trigger, lines, self.book)
            self._take(f"{'  ' * line.depth}- {LOGIC.get(line.name) or titles[line.name]}\n")

    def _trigger(self) -> Started | None:
        asked = shares(self.search, trigger_lines(self.found, self.book))
        name = self._best(
            "triggers", choosing.trigger_features(self.found, asked, self.ranks["trigger"], with_table(self.book)), 0
        )
        if not name:
            return None
        if not self.book.triggers[name].table or not self.found.tables:
            return Started(name)
        asked = shares(self.search, table_lines(name, self.found, self.book))
        tables = choosing.table_features(self.found.words["table"], asked, self.ranks["table"])
        return Started(name, self._best("tables", tables, 0))

    def _best(self, kind: choosing.Decided, of: Mapping[Key, choosing.Features], step: int) -> Key:
        """The likeliest by the weights; what it was chosen over is noted."""
        weights = fitted(kind, reader=self.search is not None)
        ranked = sorted(of, key=lambda option: -odds(of[option], weights))
        names = [option.name if isinstance(option, Line) else str(option or "") for option in ranked]
        over = tuple(name for name in dict.fromkeys(names[1:]) if name and name != names[0])[:_OVER]
        if names[0]:
            self.choices.append(Choice(step, names[0], over))
        return ranked[0]

    def _take(self, text: str) -> None:
        if self.search:
            self.search.take(text)


def shares(search: Search | None, texts: Mapping[Key, str]) -> dict[Key, float]:
    """Natural logarithms of how the reader shares out among some texts what is likely to come next; 0 without it."""
    if not search or len(texts) < 2:
        return dict.fromkeys(texts, 0.0)
    found = dict.fromkeys(texts, -math.inf)
    names = list(texts)
    for choice in search.choose([*texts.values()], MOST_BEAMS):
        found[names[choice.index]] = choice.log_probability
    return found


def opened(trigger: Started, found: Suggestions) -> tuple[int, int] | None:
    """The first and the end of the words that say what sets a workflow off, those of its table where it has one."""
    words, name = found.words["trigger"], trigger.type
    if trigger.table:
        words, name = found.words["table"], trigger.table
    return choosing.opening(words, name) if name in words.places else None


def ranks(request: str, found: Suggestions, book: Book, weigh: Weigh) -> dict[Kind, dict[str, float]]:
    """The reranker's log-odds that each suggestion is what a request asks for."""
    entries = {each.id: each for kind in (book.actions, book.tables, book.triggers) for each in kind.values()}

    def of(suggested: Sequence[Suggestion]) -> dict[str, float]:
        names = [each.name for each in suggested]
        return dict(zip(names, weigh(request, [text_of(entries[name]) for name in names]).tolist(), strict=True))

    return {"step": of(found.steps), "table": of(found.tables), "trigger": of(found.triggers)}


def with_table(book: Book) -> list[str]:
    """The triggers that are about a table."""
    return [each.id for each in book.triggers.values() if each.table]


def trigger_lines(found: Suggestions, book: Book) -> dict[str, str]:
    """The triggers to choose among as the reader would write them, and DONE for none."""
    triggers = [book.triggers[one.name] for one in found.triggers[:TRIGGERS]]
    return {DONE: _BY_REQUEST} | {one.id: f"when {one.title}" + (":" if one.table else "\n") for one in triggers}


def table_lines(trigger: str, found: Suggestions, book: Book) -> dict[str, str]:
    """The tables that a trigger may be about, the same way."""
    return {one.name: started(Started(trigger, one.name), book) for one in found.tables[:TABLES]}


def started(trigger: Started | None, book: Book) -> str:
    """The first line as the reader writes it."""
    if trigger is None:
        return _BY_REQUEST
    table = f": {book.tables[trigger.table].title}" if trigger.table else ""
    return f"when {book.triggers[trigger.type].title}{table}\n"
