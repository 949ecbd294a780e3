"""A needle in a haystack: does the place of the right context in the prompt change the answer (T-RAG, table 6)?

cases -> needles: the context that answers, and unrelated ones -> prompts with it at the top, in the middle, at the end
-> answers -> the table.  Searches for nothing: what is right is known.
"""

from __future__ import annotations

import random
import threading
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, replace
from itertools import islice
from typing import TYPE_CHECKING, Literal, TypeVar

import prompts
from store.passage import Passage
from trag.ask import Assistant, cleaned
from trag.asking import Asking
from trag.errors import TragError, in_one_line
from trag.evaluate import resumable
from trag.evaluate.cases import COMPLEX, SIMPLE, Case, names_section
from trag.evaluate.comparing import is_right
from trag.evaluate.runs import Result, Results, Run
from trag.evaluate.scoring import Score, score
from trag.evaluate.scoring.wording import says
from trag.evaluate.tables import Table
from trag.llm.remote import RequestRefused
from trag.progress import Progress, silent
from trag.record import AnswerRecord
from trag.systems import System

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

_CHART = "Organization chart"
_MENDED = "-mended"


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
        hay = _hay(assistant, home.records.library.passages())
        for number, case in enumerate(cases):
            progress("preparing", number, len(cases))
            for side, right in _rights(assistant, case, hay):
                unrelated = _unrelated(assistant, side, case, right, hay) if right else ()
                if not right:
                    left_out.append(f"{case.id}: this home has no section {case.section} of {case.document}")
                elif len(unrelated) < max(AROUND):
                    left_out.append(f"{case.id}: only {len(unrelated)} unrelated sections fit beside its context")
                else:
                    found.append(Needle(side, case, right, unrelated))
    return tuple(found), tuple(left_out)


def measure(home: Home, found: Sequence[Needle], name: str, *, progress: Progress) -> Run:
    """The answers to every needle at every position among 2 and 10 unrelated contexts, all of one place first: the
    model's own, and what the product makes of them, checked and mended.

    Raises TragError when there is no needle and when the model cannot be reached; what was answered stays, and the same
    call goes on. A question that the model's server refuses, or that ends the model twice, is Incorrect.
    """
    if not found:
        raise TragError(
            "No question of these has a needle.",
            "Each must ask about units of the chart, or name the document and the section that answer it.",
        )
    systems = {system: place for place in _places() for system in _systems(*place)}
    by_side = {side: {one.case: one for one in found if one.side == side} for side in SIDES}
    # A question is answered in both ways at once, so that the model reads the prompt once.
    asked = [(system, case) for place in _places() for case in by_side[place[0]] for system in _systems(*place)]
    contexts_read = [_read(passage) for one in found for passage in (*one.right, *one.unrelated)]
    with _assistant(home) as assistant:

        def answer(system: str, case: Case) -> Result:
            side, position, around = systems[system]
            needle = by_side[side][case]
            contexts = placed(needle.right, needle.unrelated[:around], position)
            return _result(assistant, system, needle, contexts)

        depends = (assistant.settings.answer_tokens, contexts_read)
        chart = assistant.organization.version
        planned = resumable.planned(assistant.model, asked, name, chart=chart, depends=depends)
        return resumable.carry_out(results_of(home), planned, asked, answer, progress)


def results_of(home: Home) -> Results:
    """The measurements of this kind that a home keeps."""
    return Results(home.folder / "results" / "needle")


def table(results: Sequence[Result]) -> Table:
    """How many answers are right at each position (T-RAG, table 6).

    Where the documents answer some of the questions about units, T-RAG stands there for those alone too.
    """
    asked = {side: {one.case for one in results if one.system.startswith(f"{side}-")} for side in SIDES}
    columns: list[tuple[Side, str, set[Case]]] = []
    for side, called in SIDES.items():
        if side == "rag" and asked["rag"] < asked["trag"]:
            columns.append(("trag", f"{SIDES['trag']}, those of {called}", asked["rag"]))
        columns.append((side, called, asked[side]))
    columns = [column for column in columns if column[2]]
    header = ["Position"] + [
        f"{called}, k = {around} ({len(of)} question{'' if len(of) == 1 else 's'})"
        for _, called, of in columns
        for around in AROUND
    ]
    measured = {one.system for one in results}
    ways = {"": "", _MENDED: ", checked and mended"}
    rows = [
        (
            f"{called}{way}",
            *(
                _cell(results, f"{_system(side, position, around)}{ending}", of)
                for side, _, of in columns
                for around in AROUND
            ),
        )
        for ending, way in ways.items()
        if any(system.endswith(ending) for system in measured)
        for position, called in POSITIONS.items()
    ]
    note = (
        "The right context stands among k unrelated sections, the same at every position; those of k = 2 are among "
        "those of k = 10. Questions about units: T-RAG is given what the chart says, RAG the sections that name the "
        "unit and hold the answer; questions about documents: the section that the question is about. The first rows "
        "are the model's own answers; checked and mended they are what a reader of T-RAG would get from the same "
        "contexts, the chart's own words and quotations among them. What waits for people to decide is left out of "
        "the shares."
    )
    return Table("Needle in a haystack", tuple(header), tuple(rows), note)


def _places() -> Iterator[tuple[Side, Position, int]]:
    return ((side, position, around) for side in SIDES for around in AROUND for position in POSITIONS)


def _system(side: Side, position: Position, around: int) -> str:
    return f"{side}-{position}-k{around}"


def _systems(side: Side, position: Position, around: int) -> tuple[str, ...]:
    """How a needle at that place is answered: by the model alone and, but for RAG, by the product."""
    system = _system(side, position, around)
    return (system,) if side == "rag" else (system, f"{system}{_MENDED}")


def _cell(results: Sequence[Result], system: str, of: Collection[Case]) -> str:
    scores = [one.score for one in results if one.system == system and one.case in of]
    if not scores:
        return "-"
    decided, right = sum(one.verdict is not None for one in scores), sum(map(is_right, scores))
    share = f"({right / decided:.1%})" if decided else "(-)"
    return f"{right} {share}" if decided == len(scores) else f"{right} of {decided} {share}"


@contextmanager
def _assistant(home: Home) -> Iterator[Assistant]:
    """The home's assistant as it is now: an adapter that is promoted before the block ends changes nothing here."""
    assistant = replace(home.assistant, records=None)
    with home.leases.hold(assistant.model):
        yield assistant


def _asking(assistant: Assistant, side: Side, case: Case, mended: bool = False) -> Asking:
    """The question with all that is known of it but passages."""
    system = System(tree=side == "trag", pairs=0, sections=0, repairs=mended)
    asking = Asking(assistant, cleaned(case.question), system, None, threading.Event())
    asking.understand(())
    asking.gather()
    return asking


@dataclass(frozen=True, slots=True)
class _Hay:
    """Every section of the documents in a fixed order, and the units that each of them names, by its id."""

    sections: Sequence[Passage]
    units: Mapping[str, frozenset[str]]


def _hay(assistant: Assistant, passages: Iterable[Passage]) -> _Hay:
    sections = sorted((one for one in passages if one.kind == "section"), key=lambda one: one.id)
    return _Hay(sections, {one.id: _named(assistant, one.text) for one in sections})


def _named(assistant: Assistant, text: str) -> frozenset[str]:
    """The units that a text names, whether or not a system would look for them."""
    finder = assistant.organization.finder
    return frozenset(unit for mention in (finder.find(text) if finder else ()) for unit in mention.units)


def _rights(assistant: Assistant, case: Case, hay: _Hay) -> Iterator[tuple[Side, tuple[Passage, ...]]]:
    """The contexts that answer a case, by side."""
    if case.refuse:
        return
    if case.kind in SIMPLE + COMPLEX and (asking := _asking(assistant, "trag", case)).statements:
        text = " ".join(statement.text for statement in asking.statements)
        yield "trag", (Passage("chart", "chart", "", _CHART, None, text),)
        named, gold = _named(assistant, asking.standalone), _whole_gold(case)
        saying = (one for one in hay.sections if named & hay.units[one.id])
        if gold and (right := tuple(one for one in saying if all(says(one.text, item) for item in gold))):
            yield "rag", right
    if case.document and case.section:
        parts = [one for one in hay.sections if names_section(case, one.document, one.section)]
        # Of a long section, only the parts that hold what is asked for.
        yield "section", tuple([one for one in parts if says(one.text, _gold(case))] or parts)


def _unrelated(
    assistant: Assistant, side: Side, case: Case, right: Sequence[Passage], hay: _Hay
) -> tuple[Passage, ...]:
    """As many unrelated sections as are wanted at most, drawn by the case's id: of other documents where those are
    enough, with nothing of the gold and none of the units asked about, and none longer than its share of the room."""
    asking, model = _asking(assistant, side, case), assistant.model
    named = _named(assistant, asking.standalone)
    prompt = prompts.answer(
        asking.standalone,
        (),
        [_read(one) for one in right],
        organization=assistant.organization.name,
        count=model.count,
        room=_room(assistant),
    )
    share = 0 if prompt.dropped else (_room(assistant) - model.count(prompt.messages)) // max(AROUND)
    drawn = random.Random(case.id).sample(hay.sections, len(hay.sections))
    drawn.sort(key=lambda one: one.document == case.document)  # those of the same document last

    def fits(one: Passage) -> bool:
        if (one.document, one.section) in {(part.document, part.section) for part in right}:
            return False
        if says(f"{one.section} {one.text}", _gold(case)):
            return False
        if named & hay.units[one.id]:
            return False
        return model.count_text(f"{_read(one)}\n") <= share

    return tuple(islice(filter(fits, drawn), max(AROUND)))


def _gold(case: Case) -> tuple[str, ...]:
    """Every phrase of which a context must have none to be unrelated."""
    return tuple(phrase for item in _whole_gold(case) for phrase in item)


def _whole_gold(case: Case) -> tuple[tuple[str, ...], ...]:
    """The items that a context must all hold to answer, each in one of its phrases; a unit without its parents."""
    return (*case.gold, *((unit.split(" > ")[-1],) for unit in case.listed))


def _read(passage: Passage) -> str:
    return prompts.section(passage.section, passage.text)


def _room(assistant: Assistant) -> int:
    return assistant.model.context - assistant.settings.answer_tokens


def _result(assistant: Assistant, system: str, needle: Needle, contexts: Sequence[Passage]) -> Result:
    """One answer and its score."""
    case, mended = needle.case, system.endswith(_MENDED)
    try:
        record = _answered(assistant, needle, contexts, mended)
        if record.interrupted:
            record = _answered(assistant, needle, contexts, mended)  # the model died, perhaps of something else
    except RequestRefused as error:
        record = assistant.problem(case.question, in_one_line(error))
    if record.interrupted:
        return Result(system, case, record, Score("Incorrect", (record.interrupted,)))
    return Result(system, case, record, score(case, record, assistant.organization))


def _answered(assistant: Assistant, needle: Needle, contexts: Sequence[Passage], mended: bool) -> AnswerRecord:
    """The record of the answer to a prompt with these contexts in this order."""
    asking = _asking(assistant, needle.side, needle.case, mended)
    asking.vector = assistant.embedder.embed_questions([asking.standalone])[0]
    asking.take([one for one in contexts if one.kind != "chart"])  # the record has the chart's statements
    prompt = prompts.answer(
        asking.standalone,
        (),
        [_read(one) for one in contexts],
        organization=assistant.organization.name,
        count=assistant.model.count,
        room=_room(assistant),
    )
    if prompt.dropped:
        raise RuntimeError(f"{prompt.dropped} contexts of {needle.case.id} do not fit, though each has its share")
    for _ in asking.reply(prompt):
        pass
    return asking.save()
