"""An answer as it is read for scoring: its plain text, its words, the units it names; and what a check finds in it.

case, answer, chart -> Reading.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property

from org.chart import Chart
from trag.evaluate.cases import Case
from trag.evaluate.scoring import units
from trag.evaluate.scoring.assertion import denied
from trag.evaluate.scoring.units import Claim, Mention
from trag.evaluate.scoring.wording import Place, Word, places, plain, sentences, words

_DENIAL = re.compile(r"(?:\b(?:not|never|cannot)|n't) (?:be )?(\w+)", re.IGNORECASE)
_ASKED = re.compile(
    r"(?:\b(?:not|never|cannot|(?:ca|wo|do|does|did|is|are|was|were|has|have|must|should|would|could)nt)|n't)\b"
    r"((?:\W+\w+){1,4})",
    re.IGNORECASE,
)
"""The same as typed in a question, where somebody may stand between: "what cant our delegates vote on"."""
_NOTHING = re.compile(r"(?:no|none|nobody|nothing)\b", re.IGNORECASE)
_STEM = 5  # letters that the forms of one word share


@dataclass(frozen=True, slots=True)
class Findings:
    """What is `wrong`, what is true and `besides` what was asked, what stays `open`, in words; `places` are those that
    are right."""

    wrong: tuple[str, ...] = ()
    besides: tuple[str, ...] = ()
    open: tuple[str, ...] = ()
    places: tuple[Place, ...] = ()

    def __add__(self, other: Findings) -> Findings:
        return Findings(
            self.wrong + other.wrong, self.besides + other.besides, self.open + other.open, self.places + other.places
        )


@dataclass(frozen=True)  # without slots, for what is worked out once
class Reading:
    """An answer to a case. Without a chart no unit is known, and names are words like any others."""

    case: Case
    answer: str
    chart: Chart | None

    @cached_property
    def text(self) -> str:
        """The plain text of the answer, without the numbers of the items of a list."""
        return re.sub(r"^\s*\d+[.)]\s+(?=\S)", "", plain(self.answer), flags=re.MULTILINE)

    @cached_property
    def stance(self) -> str:
        """The text without the denials that are the question's own."""
        return self.asserted(self.text)

    def asserted(self, text: str) -> str:
        """A text without the denials of the question: "where are flowers not allowed" asks for where they are not."""
        asked = {key[:_STEM] for key in tokens(_ASKED.findall(plain(self.case.question)))}
        return _DENIAL.sub(lambda match: " " * len(match[0]) if match[1].lower()[:_STEM] in asked else match[0], text)

    @cached_property
    def words(self) -> tuple[Word, ...]:
        """The words of the answer."""
        return words(self.text)

    @cached_property
    def sentences(self) -> tuple[Place, ...]:
        """The sentences of the answer."""
        return sentences(self.text)

    def sentence(self, place: Place) -> Place:
        """The sentence that a place is in."""
        return next((one for one in self.sentences if one.overlaps(place)), place)

    @cached_property
    def mentions(self) -> tuple[Mention, ...]:
        """The units that the answer names."""
        return units.mentions(self.text, self.words, self.chart) if self.chart else ()

    @cached_property
    def standing(self) -> tuple[Mention, ...]:
        """Those that the answer does not deny."""
        return tuple(one for one in self.mentions if not denied(one.place, self.text, is_number=False))

    @cached_property
    def units_of(self) -> Mapping[str, tuple[str, ...]]:
        """The ids of the units that the case means, by the name that it uses."""
        told = (*(phrase for item in self.case.gold for phrase in item), *self.case.forbidden, *self.case.listed)
        return {name: units.ids(name, self.chart) if self.chart else () for name in told}

    @cached_property
    def gold(self) -> frozenset[str]:
        """The ids of the units that the case counts as right."""
        right = (*self.case.listed, *(phrase for item in self.case.gold for phrase in item))
        return frozenset(unit for name in right for unit in self.units_of[name])

    @cached_property
    def is_of_nothing(self) -> bool:
        """Whether it is right that there is none."""
        return self.case.count == 0 or any(_NOTHING.match(phrase) for item in self.case.gold for phrase in item)

    @cached_property
    def asked(self) -> frozenset[str]:
        """The ids of the units that the question is about."""
        text = plain(self.case.question)
        named = units.mentions(text, words(text), self.chart, hurried=True) if self.chart else ()
        return frozenset(unit for one in named for unit in one.units) | (self._meant - self.gold)

    @cached_property
    def about(self) -> frozenset[str]:
        """The units of the question, all above them, the root, and those of the case's own answer: they answer nothing
        unless they are gold."""
        if self.chart is None:
            return frozenset()
        above = (one.id for unit in self.asked - self.gold for one in self.chart.path(unit))
        return frozenset((*above, *self._meant, self.chart.root.id)) - self.gold

    @cached_property
    def _meant(self) -> frozenset[str]:
        text = plain(self.case.answer)
        named = units.mentions(text, words(text), self.chart) if self.chart else ()
        return frozenset(unit for one in named for unit in one.units)

    @cached_property
    def claims(self) -> tuple[Claim, ...]:
        """What the answer says of which unit is under which."""
        asked = tuple(self.asked) if len(self.asked) == 1 else ()
        return tuple(
            claim
            for one in self.sentences
            for claim in units.claims(self.text, one, [m for m in self.mentions if one.overlaps(m.place)], asked)
        )

    @cached_property
    def explained(self) -> frozenset[str]:
        """The units of which the answer says what they are under, and rightly, and not only that it is what was asked
        about."""
        return frozenset(
            unit
            for claim in self.claims
            if self.chart and not self.asked & {*claim.above} and claim.holds(self.chart)
            for unit in (*claim.below, *claim.above)
        )

    def beyond(self) -> Iterator[Mention]:
        """The mentions that are neither gold nor about the question, each unit once."""
        known = {*self.about, *self.gold}
        yield from {one.units: one for one in self.standing if not known & {*one.units}}.values()

    def shown(self, place: Place) -> str:
        """The words at a place."""
        return self.text[place.start : place.end]

    def places(self, phrase: str) -> tuple[Place, ...]:
        """Where the answer says a phrase in any way, or names the unit that the phrase names."""
        meant = {*self.units_of.get(phrase, ())}
        named = (one.place for one in self.mentions if meant & {*one.units})
        return (*places(phrase, self.text, self.words), *named)

    def is_within_another(self, place: Place, phrases: Iterable[str]) -> bool:
        """Whether a place where the unit of the phrases seems to be named is part of the name of another one: the TC in
        "Chair of the TC"."""
        meant = {unit for phrase in phrases for unit in self.units_of.get(phrase, ())}
        return bool(meant) and any(place.overlaps(one.place) and not meant & {*one.units} for one in self.mentions)

    def is_above_gold(self, mention: Mention) -> bool:
        """Whether what the case counts as right is under a unit."""
        chart = self.chart
        return chart is not None and any(chart.is_under(unit, above) for unit in self.gold for above in mention.units)

    def is_in_line(self, some: Iterable[str], others: Iterable[str]) -> bool:
        """Whether one of the units is above, under, or the same as one of the others."""
        chart = self.chart
        return chart is not None and any(
            one == other or chart.is_under(one, other) or chart.is_under(other, one) for one in some for other in others
        )


def tokens(texts: Sequence[str]) -> frozenset[str]:
    """The words of several texts, as they are compared."""
    return frozenset(word.key for word in words(plain(" ".join(texts))))
