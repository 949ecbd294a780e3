"""Which passages answer a question whose right answer is known, and whether none of them can.

Case, the passages of its section -> Bearing -> answerable, absent, or neither for sure.  What is not sure is not to be
learned from: a wrong target does more harm than a missing one.  Knows nothing about how passages are found.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Sequence
from dataclasses import dataclass

from store.passage import Passage
from trag.evaluate.cases import Case, names_section
from trag.evaluate.scoring.wording import says_all
from trag.verify.support import Evidence, checked, supported
from trag.words import sentences, stems

_TELLING = 0.5  # share of an answer's words that a passage without its gold must hold to be taken for the bearing one


@dataclass(frozen=True, slots=True)
class Bearing:
    """What bears out the answer to a case: the ids of the passages that hold it together. None, where the case is one
    to refuse, or no passage could be told to hold it."""

    case: Case
    needed: frozenset[str]

    def is_in(self, passages: Sequence[Passage]) -> bool:
        """Whether the answer stands in these passages for sure."""
        if self.case.refuse or not self.needed:
            return False
        return self.needed <= {passage.id for passage in passages} or any(map(self._tells, passages))

    def is_absent(self, passages: Sequence[Passage], statements: Iterable[str] = ()) -> bool:
        """Whether nothing there answers the question, for sure."""
        if self.case.refuse:
            return True
        texts = [_whole(passage) for passage in passages] + list(statements)
        if any(is_of_section(passage, self.case) for passage in passages):
            return False
        if self.case.gold and says_all("\n".join(texts), self.case.gold):
            return False
        evidence = [Evidence(str(place), text) for place, text in enumerate(texts)]
        return not any(checked(sentence, evidence).supported for sentence in sentences(self.case.answer))

    def _tells(self, passage: Passage) -> bool:
        """Whether a question-answer pair made of the section says it all."""
        if passage.kind != "qa" or not self.case.gold or not is_of_section(passage, self.case):
            return False
        text = f"{passage.question} {passage.text}"
        evidence = [Evidence(passage.id, text)]
        is_said = says_all(passage.text, self.case.gold)
        return is_said and all(checked(one, evidence).supported for one in sentences(self.case.answer))


def bearing(case: Case, passages: Iterable[Passage]) -> Bearing:
    """What bears a case out, of all the `passages` of its document."""
    pieces = [passage for passage in passages if passage.kind == "section" and is_of_section(passage, case)]
    if case.refuse or not pieces:
        return Bearing(case, frozenset())
    if len(pieces) == 1:
        return Bearing(case, frozenset((pieces[0].id,)))
    ranked = sorted(pieces, key=lambda piece: -_nearness(case, piece))
    chosen = [_first(ranked, [item]) for item in case.gold]
    together = _first(ranked, case.gold) if case.gold else None
    if together:
        chosen = [together]
    elif not chosen or None in chosen:
        nearest = ranked[0]
        is_telling = supported(case.answer, _whole(nearest)) >= _TELLING
        chosen = [nearest] if is_telling else list(pieces)
    return Bearing(case, frozenset(piece.id for piece in chosen if piece))


def is_of_section(passage: Passage, case: Case) -> bool:
    """Whether a passage is of the section that a case names."""
    return names_section(case, passage.document, passage.section)


def _first(pieces: Sequence[Passage], items: Collection[Sequence[str]]) -> Passage | None:
    """The first piece that holds every item."""
    return next((piece for piece in pieces if says_all(_whole(piece), items)), None)


def _nearness(case: Case, piece: Passage) -> float:
    wanted = stems(f"{case.question} {case.answer}")
    shared = len(wanted & stems(piece.text)) / max(1, len(wanted))
    return supported(case.answer, piece.text) + shared


def _whole(passage: Passage) -> str:
    return f"{passage.section}. {passage.question} {passage.text}"
