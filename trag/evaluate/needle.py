"""A needle in a haystack: does the place of the right context in the prompt change the answer (T-RAG, table 6)?

cases -> needles: the context that answers, and unrelated ones -> prompts with it at the top, in the middle, at the end
-> the model's own words -> the table.  Searches for nothing: what is right is known.
"""

from __future__ import annotations

import random
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, replace
from itertools import chain, islice
from typing import TYPE_CHECKING, Literal, TypeVar
from uuid import uuid4

import prompts
from org.linking.entities import Organization
from org.query import sentences
from prompts import CANNOT_ANSWER, NOT_FOUND
from store.passage import Excerpt, Passage
from trag.ask import Assistant
from trag.errors import TragError, in_one_line
from trag.evaluate.cases import COMPLEX, SIMPLE, Case, names_section
from trag.evaluate.running import measure_resumably, retried
from trag.evaluate.runs import Result, Results, Run
from trag.evaluate.scoring import Score, score
from trag.evaluate.scoring.wording import says, says_all
from trag.evaluate.tables import Table, share_right
from trag.llm.model import ModelDied, text_of
from trag.llm.remote import RequestRefused
from trag.progress import Progress, silent
from trag.record import AnswerRecord, Checks, ModelUsed, Tokens, sources_of

if TYPE_CHECKING:
    from trag.home import Home

Side = Literal["trag", "rag", "section"]
Position = Literal["top", "mid", "end"]
T = TypeVar("T")

SIDES: dict[Side, str] = {"trag": "T-RAG", "rag": "RAG", "section": "Documents"}
"""What the needle is: for a question about units what the chart says of them, or the sections of documents that say the
same (the two sides of the paper's table); for a question about a document the section that it names."""
POSITIONS: dict[Position, str] = {"top": "Top", "mid": "Mid", "end": "End"}
AROUND = (2, 10)
"""How many unrelated contexts there are (k of the paper)."""


@dataclass(frozen=True, slots=True)
class Needle:
    """A question, the contexts that answer it, and the unrelated ones in the order in which they are taken.

    `right` are passages of documents for RAG; for T-RAG one that holds what the chart says.
    """

    side: Side
    case: Case
    right: tuple[Passage, ...]
    unrelated: tuple[Passage, ...]


def placed(right: Sequence[T], unrelated: Sequence[T], position: Position) -> tuple[T, ...]:
    """The contexts in the order of the prompt: in the middle there are as many before as behind, or one less before."""
    before = {"top": 0, "mid": len(unrelated) // 2, "end": len(unrelated)}[position]
    return (*unrelated[:before], *right, *unrelated[before:])


def needles(
    home: Home, cases: Sequence[Case], *, progress: Progress = silent
) -> tuple[tuple[Needle, ...], tuple[str, ...]]:
    """The needles of the cases that have one, and in words which of them had to be left out.

    A question about units has what the chart says of them, and once more the sections that name one of them and hold
    the whole gold, where there are any; one that names a section of a document has that section; others have none.
    """
    found: list[Needle] = []
    left_out: list[str] = []
    with _assistant(home) as assistant:
        sections = [one for one in home.records.library.passages() if one.kind == "section"]
        hay = {one: _named(one.text, assistant.organization) for one in sorted(sections, key=lambda one: one.id)}
        for number, case in enumerate(cases):
            progress("preparing", number, len(cases))
            for side, right in _rights(assistant, case, hay):
                unrelated = _unrelated(assistant, case, right, hay) if right else ()
                if not right:
                    left_out.append(f"{case.id}: this home has no section {case.section} of {case.document}")
                elif len(unrelated) < max(AROUND):
                    left_out.append(f"{case.id}: only {len(unrelated)} unrelated sections fit beside its context")
                else:
                    found.append(Needle(side, case, right, unrelated))
    return tuple(found), tuple(left_out)


def measure(home: Home, found: Sequence[Needle], name: str, *, progress: Progress) -> Run:
    """The model's own answers to every needle at every position among 2 and 10 unrelated contexts, all of one place
    first.

    Raises TragError when there is no needle and when the model cannot be reached; what was answered stays, and the same
    call goes on. A question that the model's server refuses, or that ends the model twice, is Incorrect.
    """
    if not found:
        raise TragError(
            "No question of these has a needle.",
            "Each must ask about units of the chart, or name the document and the section that answer it.",
        )
    contexts = {
        (_system(one.side, position, around), one.case): placed(one.right, one.unrelated[:around], position)
        for side in SIDES
        for around in AROUND
        for position in POSITIONS
        for one in found
        if one.side == side
    }
    read = [_read(passage) for one in found for passage in (*one.right, *one.unrelated)]
    with _assistant(home) as assistant:

        def answer(system: str, case: Case) -> Result:
            try:
                record = retried(lambda: _answered(assistant, case.question, contexts[system, case]))
            except (ModelDied, RequestRefused) as error:
                record = assistant.problem(case.question, in_one_line(error))
                return Result(system, case, record, Score("Incorrect", (record.interrupted,)))
            return Result(system, case, record, score(case, record, assistant.organization.chart))

        asked, chart = tuple(contexts), assistant.organization.version
        depends = (assistant.settings.answer_tokens, read)
        return measure_resumably(
            results_of(home), assistant.model, name, asked, answer, chart=chart, depends=depends, progress=progress
        )


def results_of(home: Home) -> Results:
    """The measurements of this kind that a home keeps."""
    return Results(home.folder / "results" / "needle")


def table(results: Sequence[Result]) -> Table:
    """How many answers are right at each position (T-RAG, table 6).

    Where the documents answer some of the questions about units, T-RAG stands there for those alone too.
    """
    asked = {side: {one.case for one in results if one.system.startswith(f"{side}-")} for side in SIDES}
    columns: list[tuple[Side, str, set[Case]]] = [(side, called, asked[side]) for side, called in SIDES.items()]
    if asked["rag"] < asked["trag"]:
        columns.insert(1, ("trag", f"{SIDES['trag']}, those of {SIDES['rag']}", asked["rag"]))
    columns = [column for column in columns if column[2]]
    header = ["Position"] + [
        f"{called}, k = {around} ({len(of)} question{'' if len(of) == 1 else 's'})"
        for _, called, of in columns
        for around in AROUND
    ]
    rows = []
    for position, called in POSITIONS.items() if columns else ():
        row = [called]
        for side, _, of in columns:
            for around in AROUND:
                system = _system(side, position, around)
                scores = [one.score for one in results if one.system == system and one.case in of]
                row.append(share_right(scores) if scores else "-")
        rows.append(tuple(row))
    note = (
        "The model's own words. The right context stands among k unrelated sections, the same at every position; those "
        "of k = 2 are among those of k = 10. Questions about units: T-RAG is given what the chart says, RAG the "
        "sections that name the unit and hold the answer; questions about documents: the section that the question is "
        "about. What waits for people to decide is left out of the shares."
    )
    return Table("Needle in a haystack", tuple(header), tuple(rows), note)


def _system(side: Side, position: Position, around: int) -> str:
    return f"{side}-{position}-k{around}"


@contextmanager
def _assistant(home: Home) -> Iterator[Assistant]:
    """The home's assistant as it is now: an adapter that is promoted before the block ends changes nothing here."""
    assistant = replace(home.assistant, records=None)
    with home.leases.hold(assistant.model):
        yield assistant


def _named(text: str, organization: Organization) -> frozenset[str]:
    """The units that a text names."""
    mentions = organization.finder.find(text) if organization.finder else ()
    return frozenset(unit for mention in mentions for unit in mention.units)


def _rights(
    assistant: Assistant, case: Case, hay: Mapping[Passage, frozenset[str]]
) -> Iterator[tuple[Side, tuple[Passage, ...]]]:
    """The contexts that answer a case, by side. `hay` are all sections, each with the units that it names."""
    chart, finder, gold = assistant.organization.chart, assistant.organization.finder, _gold(case)
    if case.refuse:
        return
    if case.kind in SIMPLE + COMPLEX and chart and finder and (mentions := finder.find(case.question)):
        budget, count = assistant.settings.statement_tokens, assistant.model.count_text
        told = " ".join(one.text for one in sentences.describe(mentions, chart, budget=budget, count=count))
        yield "trag", (Passage("chart", "chart", "", "Organization chart", None, told),)
        named = _named(case.question, assistant.organization)
        saying = (one for one, units in hay.items() if named & units)
        if gold and (right := tuple(one for one in saying if says_all(one.text, gold))):
            yield "rag", right
    if case.document and case.section:
        parts = [one for one in hay if names_section(case, one.document, one.section)]
        # Of a long section, only the parts that hold what is asked for.
        yield "section", tuple([one for one in parts if says(one.text, chain(*gold))] or parts)


def _unrelated(
    assistant: Assistant, case: Case, right: Sequence[Passage], hay: Mapping[Passage, frozenset[str]]
) -> tuple[Passage, ...]:
    """As many unrelated sections as are wanted at most, drawn by the case's id: of other documents where those are
    enough, with nothing of the gold and none of the units asked about, and none longer than its share of the room."""
    model, named = assistant.model, _named(case.question, assistant.organization)
    taken = model.count(prompts.document(case.question, list(map(_read, right)))) + assistant.settings.answer_tokens
    share = (model.context - taken) // max(AROUND)
    own = {(one.document, one.section) for one in right}
    drawn = random.Random(case.id).sample(list(hay), len(hay))
    drawn.sort(key=lambda one: one.document == case.document)  # those of the same document last
    fitting = (
        one
        for one in drawn
        if (one.document, one.section) not in own
        and not says(f"{one.section} {one.text}", chain(*_gold(case)))
        and not named & hay[one]
        and model.count_text(f"[10] {_read(one)}\n") <= share
    )
    return tuple(islice(fitting, max(AROUND)))


def _gold(case: Case) -> tuple[tuple[str, ...], ...]:
    """The items that answer, each in its phrases; a unit without its parents."""
    return (*case.gold, *((unit.split(" > ")[-1],) for unit in case.listed))


def _read(passage: Passage) -> str:
    return prompts.excerpt(passage.section, "", passage.text)


def _answered(assistant: Assistant, question: str, contexts: Sequence[Passage]) -> AnswerRecord:
    """The record of the model's own answer to a prompt with these contexts in this order."""
    model, organization = assistant.model, assistant.organization
    messages = prompts.document(question, list(map(_read, contexts)))
    limit = assistant.settings.answer_tokens
    written, usage = text_of(model.stream(messages, max_tokens=limit, task="answer", refusal=NOT_FOUND))
    refused = not written.strip() or NOT_FOUND in written
    return AnswerRecord(
        uuid4().hex,
        question,
        question,
        CANNOT_ANSWER if refused else written.strip(),
        "cannot_answer" if refused else "answered",
        ModelUsed(model.identity.name, model.identity.sha256, model.identity.adapter),
        sources=sources_of((), [Excerpt(one, one.text) for one in contexts], organization.chart),
        checks=Checks(attempts=1, chart=organization.version),
        tokens=Tokens(usage.prompt, usage.evaluated, usage.completion),
    )
