"""An answer as it is read for scoring: its plain text, the words of it, the units it names.

case, record, organization -> Reading.  Knows nothing about what is right.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from functools import cached_property

from trag.asking import Organization
from trag.evaluate.cases import Case
from trag.evaluate.scoring import units
from trag.evaluate.scoring.units import Named
from trag.evaluate.scoring.wording import Place, Word, places, plain, words
from trag.record import AnswerRecord
from trag.verify import Evidence
from trag.words import sentences, stems

_DENIAL = re.compile(r"(?:\b(?:not|never|cannot)|n't) (?:be )?(\w+)", re.IGNORECASE)
_ASKED = re.compile(
    r"(?:\b(?:not|never|cannot|(?:ca|wo|do|does|did|is|are|was|were|has|have|must|should|would|could)nt)|n't)\b"
    r"((?:\W+\w+){1,4})",
    re.IGNORECASE,
)
"""The same as typed in a question, where somebody may stand between: "what cant our delegates vote on"."""


@dataclass(frozen=True)  # without slots, for what is worked out once
class Reading:
    """An answer to a case. `named` is None where there is no chart to know units by.

    `units_of` gives the ids of every unit that the case means, by the name that it uses.
    """

    case: Case
    text: str
    units_of: Mapping[str, tuple[str, ...]]
    named: Named | None
    evidence: tuple[Evidence, ...]

    @cached_property
    def stance(self) -> str:
        """The text as `asserted` gives it."""
        return self.asserted(self.text)

    def asserted(self, text: str) -> str:
        """A text without the denials that are the question's own: "where are flowers not allowed" asks for where they
        are not."""
        denials = stems(" ".join(_ASKED.findall(plain(self.case.question))))
        return _DENIAL.sub(lambda match: " " * len(match[0]) if stems(match[1]) & denials else match[0], text)

    @cached_property
    def words(self) -> tuple[Word, ...]:
        """The words of the answer."""
        return words(self.text)

    def places(self, phrase: str) -> tuple[Place, ...]:
        """Where the answer says a phrase in any way, or names the unit that the phrase names."""
        unit = self.units_of.get(phrase, ())
        mentions = (one for one in (self.named.mentions if self.named and unit else ()) if {*one.units} & {*unit})
        return (*places(phrase, self.text, self.words), *(Place(one.start, one.end) for one in mentions))

    def is_within_another(self, place: Place, phrases: Iterable[str]) -> bool:
        """Whether a place where the unit of the phrases seems to be named is part of the name of another one: the TC in
        "Chair of the TC"."""
        units = {unit for phrase in phrases for unit in self.units_of.get(phrase, ())}
        return bool(units and self.named) and any(
            place.overlaps(Place(one.start, one.end)) and not units & {*one.units}
            for one in (self.named.mentions if self.named else ())
        )

    @cached_property
    def sentences(self) -> tuple[Place, ...]:
        """The sentences of the answer."""
        found: list[Place] = []
        for sentence in sentences(self.text):
            start = self.text.find(sentence, found[-1].end if found else 0)
            found.append(Place(start, start + len(sentence)))
        return tuple(found)

    def together(self, first: Place, second: Place) -> bool:
        """Whether two places are in one sentence."""
        return any(first.overlaps(sentence) and second.overlaps(sentence) for sentence in self.sentences)

    def gold(self) -> frozenset[str]:
        """The ids of the units that the case counts as right."""
        case = self.case
        right = (*case.listed, *(alternative for item in case.gold for alternative in item))
        return frozenset(unit for name in right for unit in self.units_of.get(name, ()))


def read(case: Case, record: AnswerRecord, organization: Organization) -> Reading:
    """The answer of a record to a case."""
    text = plain(record.answer)
    chart, finder = organization.chart, organization.finder
    if chart is None or finder is None:
        return Reading(case, text, {}, None, evidence(record))
    told = (*(alternative for item in case.gold for alternative in item), *case.forbidden)
    units_of = {name: units.ids(name, chart, finder) for name in (*told, *case.listed)}
    wanted = _ids(case.listed, units_of)
    borne_out = evidence(record)
    return Reading(case, text, units_of, units.read(case, text, wanted, borne_out, chart, finder), borne_out)


def evidence(record: AnswerRecord) -> tuple[Evidence, ...]:
    """The sources of an answer, as verification reads them."""
    return tuple(Evidence(one.id, f"{one.section}. {one.question} {one.text}") for one in record.sources)


def _ids(names: Iterable[str], units_of: Mapping[str, tuple[str, ...]]) -> tuple[str, ...]:
    return tuple(dict.fromkeys(unit for name in names for unit in units_of[name]))
