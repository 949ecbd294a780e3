"""One workflow of one system: the product's drafter, and plain prompting after the nearest examples, free or held to
the catalogue's names by their tokens.

model, catalogue, case -> the text that was written, as it came; it is read and scored elsewhere
"""

from __future__ import annotations

import json
from collections.abc import Hashable, Iterator, Mapping, Sequence
from contextlib import closing
from dataclasses import dataclass, field
from time import monotonic
from typing import TYPE_CHECKING, Any, TypeVar

import prompts
from org.procedures.flows import Book
from prompts import Message
from trag.errors import TragError
from trag.evaluate.runs import commit
from trag.evaluate.workflows.cases import Case, Cases
from trag.evaluate.workflows.scores import Form
from trag.llm.model import LanguageModel, Searching, Usage
from trag.workflow import choosing
from trag.workflow.drafting import Drafter, shares, started
from trag.workflow.record import Started, Workflow, WorkflowRecord
from trag.workflow.structure import NO_TRIGGER, Line, after, made, may_end, write
from trag.workflow.suggesting import TABLES, Encode, Suggester

if TYPE_CHECKING:
    import numpy as np

Key = TypeVar("Key", bound=Hashable)

TRAG, FREE, TRIE = "trag", "free", "trie"
WITHOUT = "-no-suggestions"
NO_SUGGESTIONS = f"{TRAG}{WITHOUT}"
SYSTEMS = (TRAG, NO_SUGGESTIONS, FREE, f"{FREE}{WITHOUT}", TRIE, f"{TRIE}{WITHOUT}")
MAX_TOKENS = 512
SHOWN = 4
"""Examples before a request."""

Listed = Mapping[str, tuple[str, ...]]
"""Names by what they are of."""


@dataclass(frozen=True, slots=True)
class Written:
    """What a system wrote for the case of that id. `cut`: `MAX_TOKENS` were over. `steps` and `tables` are those that
    were suggested to it, None where none were; `whole` is the workflow that the product made of what was written, None
    where it has none. `commit` is that of the program."""

    system: str
    form: Form
    case: str
    request: str
    text: str
    cut: bool
    steps: tuple[str, ...] | None
    tables: tuple[str, ...] | None
    whole: Mapping[str, Any] | None
    tokens: int
    seconds: float
    commit: str


@dataclass
class Examples:
    """Requests whose workflows are shown: the nearest ones, each with what would be suggested for it, its own among
    them, as a retriever that misses nothing would (Bechard and Marquez Ayala 2024, section 3.2)."""

    cases: Cases
    encode: Encode
    k: int
    _vectors: np.ndarray | None = None
    _suggester: Suggester | None = None
    _listed: dict[str, Listed] = field(default_factory=dict)

    def nearest(self, request: str) -> Sequence[Case]:
        """The most similar ones, the most similar last."""
        if self._vectors is None:
            self._vectors = self.encode([case.request for case in self.cases.cases])
        order = (self._vectors @ self.encode([request])[0]).argsort()[-SHOWN:]
        return [self.cases.cases[place] for place in order.tolist()]

    def listed(self, case: Case) -> Listed:
        """What would be suggested."""
        if case.id not in self._listed:
            self._suggester = self._suggester or Suggester(self.cases.book, self.encode)
            gold, found = case.gold, suggested(self._suggester, case.request, self.k)
            own = {"Triggers": [gold.trigger], "Tables": [gold.table], "Steps": gold.actions}
            self._listed[case.id] = {what: _with(names, own[what]) for what, names in found.items()}
        return self._listed[case.id]


def suggested(suggester: Suggester, request: str, k: int) -> Listed:
    """The `k` steps, the tables and the triggers that a request may be about."""
    found = suggester.suggest(request)
    kinds = {"Triggers": found.triggers, "Tables": found.tables[:TABLES], "Steps": found.steps[:k]}
    return {what: tuple(one.name for one in names) for what, names in kinds.items()}


def _with(names: tuple[str, ...], own: Sequence[str]) -> tuple[str, ...]:
    """As many names, with one's own in place of the last."""
    missing = [name for name in dict.fromkeys(own) if name and name not in names]
    return (*names[: max(0, len(names) - len(missing))], *missing)


def by_drafter(model: LanguageModel, drafter: Drafter, case: Case) -> Written:
    """What the product drafts, of all that there is in the catalogue. Raises TragError as the model does."""
    *_, record = drafter.draft(case.request, model)
    assert isinstance(record, WorkflowRecord)
    steps, tables = (tuple(one.name for one in record.suggestions if one.kind == kind) for kind in ("step", "table"))
    whole = record.workflow.values() if record.workflow else None
    return Written(
        TRAG, "lines", case.id, case.request, record.written, False, steps, tables, whole, record.tokens,
        round(record.seconds, 3), commit(),
    )  # fmt: skip


def by_reader(model: LanguageModel, book: Book, case: Case) -> Written:
    """What the reader alone writes after the product's prompt, with the whole catalogue to choose among: nothing is
    suggested, and no weights are learned. Raises TragError as the model does, or where it cannot search."""
    began, titles = monotonic(), {id: action.title for id, action in book.actions.items()}
    with searchable(model, NO_SUGGESTIONS).search(prompts.workflow(case.request)) as search:
        firsts = {"": None} | {
            f"{one.id} {table}": Started(one.id, table)
            for one in book.triggers.values()
            for table in (book.tables if one.table else ("",))
        }
        trigger = firsts[_best(shares(search, {name: started(one, book) for name, one in firsts.items()}))]
        search.take(started(trigger, book))
        lines: list[Line] = []
        while name := _best(shares(search, choosing.options(lines, titles))):
            depths = {each.depth for each in after(lines) if name in each.logic or (each.actions and name in titles)}
            levels = {depth: text for depth, text in choosing.indents(lines).items() if depth in depths}
            lines.append(Line(_best(shares(search, levels)), name))
            search.take(f"{'  ' * lines[-1].depth}- {choosing.LOGIC.get(name) or titles[name]}\n")
        tokens = search.usage.completion
    text, seconds = write(made(trigger, lines, book)), round(monotonic() - began, 3)
    return Written(
        NO_SUGGESTIONS, "lines", case.id, case.request, text, False, None, None, None, tokens, seconds, commit()
    )


def _best(of: Mapping[Key, float]) -> Key:
    return max(of, key=lambda one: of[one])


def searchable(model: LanguageModel, system: str) -> Searching:
    """The same model. Raises TragError where it cannot be searched."""
    if not isinstance(model, Searching):
        raise TragError(
            f"{model.identity.name} cannot be searched, so {system} cannot be measured.",
            "Set TRAG_MODEL to a local file of a model with an attention cache.",
        )
    return model


def by_prompt(
    model: LanguageModel,
    book: Book,
    suggester: Suggester | None,
    examples: Examples,
    system: str,
    form: Form,
    case: Case,
) -> Written:
    """What plain prompting writes, without suggestions where there is no suggester. Raises TragError for a trie with a
    model that cannot search, and as the model does."""
    began = monotonic()
    listed = suggested(suggester, case.request, examples.k) if suggester else {}
    shown = [
        (one.request, examples.listed(one) if suggester else {}, in_form(one, form))
        for one in examples.nearest(case.request)
    ]
    messages = prompts.workflow_by_examples(case.request, listed, shown, form=form)
    cut = False
    if system.startswith(TRIE):
        text, tokens = _by_trie(searchable(model, system), messages, book)
    else:
        text, tokens = _streamed(model, messages)
        cut = tokens >= MAX_TOKENS
    seconds = round(monotonic() - began, 3)
    steps, tables = listed.get("Steps"), listed.get("Tables")
    return Written(system, form, case.id, case.request, text, cut, steps, tables, None, tokens, seconds, commit())


def in_form(case: Case, form: Form) -> str:
    """The gold of a case as a model is to write it."""
    core = case.gold.core()
    return write(Workflow.of(core)) if form == "lines" else json.dumps(core)


def _streamed(model: LanguageModel, messages: Sequence[Message]) -> tuple[str, int]:
    text, tokens = "", 0
    with closing(model.stream(messages, max_tokens=MAX_TOKENS)) as pieces:
        for piece in pieces:
            if isinstance(piece, Usage):
                tokens = piece.completion
            else:
                text += piece
    return text, tokens


def _by_trie(model: Searching, messages: Sequence[Message], book: Book) -> tuple[str, int]:
    """Each line the likeliest of those that the catalogue and the rules of structure leave; whether it is the last one
    is chosen with it."""
    with model.search(messages) as search:
        firsts = [f"{one}\n" for one in _firsts(book)]
        text = firsts[search.choose(firsts)[0].index]
        search.take(text)
        lines: list[Line] = []
        while not lines or text.endswith("\n"):
            options = [*_nexts(lines, book)]
            written = [f"{' ' * line.depth}{line.name}{end}" for line, end in options]
            chosen = search.choose(written)[0].index
            search.take(written[chosen])
            text += written[chosen]
            lines.append(options[chosen][0])
        return text, search.usage.completion


def _firsts(book: Book) -> Iterator[str]:
    """Every first line."""
    yield NO_TRIGGER
    for trigger in book.triggers.values():
        yield from (f"{trigger.id} {table}" for table in book.tables) if trigger.table else (trigger.id,)


def _nexts(lines: Sequence[Line], book: Book) -> Iterator[tuple[Line, str]]:
    """Every line that may come next, each with its end: "" where it may be the last, a line break where it need not."""
    for place in after(lines):
        kinds = {name: (name,) for name in place.logic} | ({"": tuple(book.actions)} if place.actions else {})
        for kind, names in kinds.items():
            then = [*lines, Line(place.depth, kind)]  # to the rules all actions are alike
            ends = [*([""] if may_end(then) else []), *(["\n"] if after(then) else [])]
            yield from ((Line(place.depth, name), end) for name in names for end in ends)
