"""Pairs of evidence and a sentence that it bears out, or does not, made from the written organizations.

sections, questions with answers -> sentences that are true of a window of their section -> the same sentences said in
another way, shortened, fused; and broken: one number, unit, date, negation, condition, duty, comparison or name at a
time, a neighbouring row, the fact of another unit, two sections in one, words that nobody wrote

The words that are exchanged are English, as what it learns from is.
"""

from __future__ import annotations

import random
import re
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from itertools import chain
from typing import TYPE_CHECKING

from store.passage import Passage
from trag.evaluate.briefs.sentences import sentences
from trag.evaluate.cases import names_section
from trag.finetune.judge import wording

if TYPE_CHECKING:
    from trag.evaluate.cases import Case

SECTION_PAIRS, ANSWER_PAIRS = 260, 120
"""Pairs of one organization, from the words of its sections and from the answers to its questions."""
_WINDOW = (2, 7)  # sentences of a window
_LONGEST = 900  # characters of it
_SHORTEST = 4  # words of a sentence
_TRIES = 40
_REWORDED, _ATTRIBUTED = 0.5, 0.2


@dataclass(frozen=True, slots=True)
class Pair:
    """A text, and a sentence with what stands before it that it refers to: whether the text bears it out, and how the
    sentence was made."""

    evidence: str
    before: str
    sentence: str
    supported: bool
    how: str


@dataclass(frozen=True, slots=True)
class Place:
    """A window of a section with its heading: the sentences in it, those of the section around it, and the units that
    the organization has."""

    heading: str
    inside: tuple[str, ...]
    outside: tuple[str, ...]
    elsewhere: tuple[str, ...]
    units: tuple[str, ...]

    @property
    def text(self) -> str:
        """The window as evidence."""
        return f"{self.heading}\n{' '.join(self.inside)}"


Make = Callable[[Place, int, random.Random], "str | None"]
"""A sentence made of the one in that row of a window, None where that is none to make it of."""


def of_organization(
    passages: Sequence[Passage], cases: Sequence[Case], units: Sequence[str], chance: random.Random
) -> Iterator[Pair]:
    """The pairs of one organization, about half of them supported: from its passages, from the answers to the questions
    on them, and with the names of its units."""
    split = {
        passage.id: tuple(one for one in sentences(passage.text) if len(one.split()) >= _SHORTEST)
        for passage in passages
    }
    split = {id: lines for id, lines in split.items() if lines}
    told = [passage for passage in passages if passage.id in split]
    every = tuple(chain.from_iterable(split.values()))
    for number in range(SECTION_PAIRS):
        ways = _TRUE if number % 2 == 0 else _BROKEN
        how, make = ways[number // 2 % len(ways)]
        for _ in range(_TRIES):
            passage = chance.choice(told)
            place = _place(passage, split[passage.id], every, tuple(units), chance)
            if pair := _made(place, how, make, chance, supported=ways is _TRUE):
                yield pair
                break
    answered = [case for case in cases if case.document and case.answer and not case.refuse]
    for number in range(ANSWER_PAIRS):
        if pair := _answer(chance.choice(answered), passages, chance, supported=number % 2 == 0):
            yield pair


def _place(
    passage: Passage, split: Sequence[str], every: Sequence[str], units: tuple[str, ...], chance: random.Random
) -> Place:
    number = chance.randint(*_WINDOW)
    start = chance.randrange(max(1, len(split) - number + 1))
    inside = tuple(split[start : start + number])
    while len(" ".join(inside)) > _LONGEST and len(inside) > 1:
        inside = inside[:-1]
    outside = tuple(one for one in split if one not in inside)
    elsewhere = tuple(one for one in chance.sample(every, min(40, len(every))) if one not in inside)
    return Place(f"{passage.document}, {passage.section}", inside, outside, elsewhere, units)


def _made(place: Place, how: str, make: Make, chance: random.Random, *, supported: bool) -> Pair | None:
    """A pair about a window, None where it has nothing to make it of."""
    row = chance.randrange(len(place.inside))
    said = make(place, row, chance)
    if said is None or (not supported and _plain(said) in map(_plain, place.inside)):
        return None
    # What was broken is said in another way as often as what is true, so that other words tell nothing.
    if how not in ("same", "paraphrase") and chance.random() < _REWORDED:
        said = wording.paraphrase(said, chance) or said
    if chance.random() < _ATTRIBUTED:
        said = wording.attributed(said, place.heading, chance)
    before = chance.choice((place.inside[row - 1] if row else "", "", ""))
    return Pair(place.text, before, said, supported, how)


def _plain(text: str) -> str:
    return re.sub(r"\W+", " ", text).casefold().strip()


def _same(place: Place, row: int, chance: random.Random) -> str:
    return place.inside[row]


def _paraphrase(place: Place, row: int, chance: random.Random) -> str | None:
    return wording.paraphrase(place.inside[row], chance)


def _shortened(place: Place, row: int, chance: random.Random) -> str | None:
    return wording.shortened(place.inside[row], chance)


def _fused(place: Place, row: int, chance: random.Random) -> str | None:
    """Two sentences of the window in one."""
    other = chance.randrange(len(place.inside))
    return wording.fused(place.inside[row], place.inside[other], chance) if other != row else None


def _listed(place: Place, row: int, chance: random.Random) -> str | None:
    """What leads in a list, with some of its items."""
    sentence = place.inside[row]
    items = place.inside[row + 1 : row + 4]
    if not sentence.endswith(":") or not items or len(" ".join(items)) > 300:
        return None
    return wording.listed(sentence, chance.sample(items, chance.randint(1, len(items))))


def _row_told(place: Place, row: int, chance: random.Random) -> str | None:
    return wording.row(place.inside[row], None, chance)


def _broken(change: Callable[[str, random.Random], str | None]) -> Make:
    def make(place: Place, row: int, chance: random.Random) -> str | None:
        return change(place.inside[row], chance)

    return make


def _number_of_another(place: Place, row: int, chance: random.Random) -> str | None:
    """A number of the sentence exchanged for one that the window holds too."""
    return wording.number_from(place.inside[row], " ".join(place.inside), chance)


def _neighbouring_row(place: Place, row: int, chance: random.Random) -> str | None:
    """One row of a table with a cell of another."""
    others = [one for one in (*place.inside, *place.outside) if one != place.inside[row]]
    return wording.row(place.inside[row], chance.choice(others), chance) if others else None


def _other_unit(place: Place, row: int, chance: random.Random) -> str | None:
    """The fact of one unit or post said of another."""
    return wording.renamed(place.inside[row], place.text, place.units, chance)


def _two_sections(place: Place, row: int, chance: random.Random) -> str | None:
    """The beginning of a sentence with the end of another, or the two as one sentence."""
    other = chance.choice(place.elsewhere) if place.elsewhere else ""
    if not other or chance.random() < 0.5:
        others = place.inside[:row] + place.inside[row + 1 :]
        crossed = wording.crossed(place.inside[row], chance.choice(others), chance) if others else None
        return crossed or (wording.fused(place.inside[row], other, chance) if other else None)
    return wording.fused(place.inside[row], other, chance)


def _elsewhere(place: Place, row: int, chance: random.Random) -> str | None:
    """What another part of the section says, or another section."""
    among = place.outside if place.outside and chance.random() < 0.7 else place.elsewhere
    return chance.choice(among) if among else None


def _embroidered(place: Place, row: int, chance: random.Random) -> str | None:
    """A true sentence with more than is there, or words about a unit that fit every unit."""
    return wording.embroidered(place.inside[row], place.heading, place.units, place.text, chance)


_TRUE: tuple[tuple[str, Make], ...] = (
    ("same", _same),
    ("paraphrase", _paraphrase),
    ("paraphrase", _paraphrase),
    ("paraphrase", _paraphrase),
    ("shortened", _shortened),
    ("shortened", _shortened),
    ("fused", _fused),
    ("fused", _fused),
    ("listed", _listed),
    ("row", _row_told),
)
_BROKEN: tuple[tuple[str, Make], ...] = (
    ("number", _broken(wording.other_number)),
    ("number", _number_of_another),
    ("unit", _broken(wording.other_measure)),
    ("date", _broken(wording.other_date)),
    ("negation", _broken(wording.negated)),
    ("condition", _broken(wording.unconditional)),
    ("duty", _broken(wording.other_duty)),
    ("comparison", _broken(wording.other_comparison)),
    ("row", _neighbouring_row),
    ("other unit", _other_unit),
    ("other unit", _other_unit),
    ("two sections", _two_sections),
    ("two sections", _two_sections),
    ("elsewhere", _elsewhere),
    ("embroidered", _embroidered),
    ("embroidered", _embroidered),
    ("embroidered", _embroidered),
)


def _answer(case: Case, passages: Sequence[Passage], chance: random.Random, *, supported: bool) -> Pair | None:
    """The answer to a question, which stands before it, with its section; broken, or with a section that lacks it."""
    own = [one for one in passages if names_section(case, one.document, one.section)]
    if not own:
        return None
    section = "\n".join(one.text for one in own)
    heading = f"{own[0].document}, {own[0].section}"
    if supported:
        if len(section) > 1100:
            return None
        return Pair(f"{heading}\n{section}", case.question, case.answer, True, "answer")
    others = [one for one in passages if one not in own]
    changes = (wording.other_number, wording.other_measure, wording.other_date, wording.negated, wording.other_duty)
    ways: list[tuple[str, str | None]] = [
        ("answer broken", said) for change in changes if (said := change(case.answer, chance))
    ]
    if case.forbidden and case.gold:
        ways += [("answer broken", _exchanged(case, chance))] * 2
    ways = [(how, said) for how, said in ways if said and said != case.answer]
    if ways and len(section) <= 1100 and chance.random() < 0.75:
        how, said = chance.choice(ways)
        return Pair(f"{heading}\n{section}", case.question, said or "", False, how)
    near = [one for one in others if one.document == case.document and one.section != own[0].section] or others
    if not near:
        return None
    other = chance.choice(near)
    if any(alternative.casefold() in other.text.casefold() for item in case.gold for alternative in item):
        return None
    return Pair(
        f"{other.document}, {other.section}\n{other.text}", case.question, case.answer, False, "answer elsewhere"
    )


def _exchanged(case: Case, chance: random.Random) -> str | None:
    """The answer with what it must not say in place of its gold."""
    for item in case.gold:
        for alternative in item:
            found = re.search(rf"\b{re.escape(alternative)}\b", case.answer, re.I)
            if found and alternative[0].isdigit() == case.forbidden[0][0].isdigit():
                other = chance.choice(case.forbidden)
                return case.answer[: found.start()] + other + case.answer[found.end() :]
    return None
