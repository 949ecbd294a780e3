"""The units that an answer names: which of them answer the question, which explain, which are wrong.

gold names -> ids; case, text, chart -> Named.  The chart and the finder that read questions read answers here too, as
verification does (trag/verify).  Knows nothing about amounts or wording.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from org.answering.facts import Fact
from org.chart import Chart
from org.entities import EntityFinder, Mention
from trag import verify
from trag.evaluate.cases import Case
from trag.evaluate.scoring.asserting import denied
from trag.evaluate.scoring.wording import Place, plain
from trag.verify import Evidence, claims, judging, naming, reading

PATH_SEPARATOR = " > "


@dataclass(frozen=True, slots=True)
class Named:
    """The units in an answer, by their mentions; a shared name has several ids, any of which may be meant.

    `about` are the units of the question, all above them, and those of the case's own answer: they answer nothing.
    `explained` are those of which the answer says what is under what, and rightly. `against` is what the chart says
    against the answer, "" for nothing.
    """

    chart: Chart
    mentions: tuple[Mention, ...]
    standing: tuple[Mention, ...]
    """Those that the answer does not deny."""
    asked: frozenset[str]
    about: frozenset[str]
    explained: frozenset[str]
    unknown: tuple[str, ...]
    against: str

    def told(self) -> frozenset[str]:
        """The ids of all units that the answer stands by."""
        return frozenset(unit for mention in self.standing for unit in mention.units)

    def beyond(self, gold: Iterable[str]) -> tuple[Mention, ...]:
        """The mentions that are neither gold nor about the question, each unit once."""
        known = {*self.about, *gold}
        return tuple({mention.units: mention for mention in self.standing if not known & {*mention.units}}.values())

    def name(self, unit: str) -> str:
        """The name of a unit."""
        return self.chart.unit(unit).name


def read(
    case: Case, text: str, gold: Sequence[str], evidence: Sequence[Evidence], chart: Chart, finder: EntityFinder
) -> Named:
    """The units in an answer to a case, of which those with the ids `gold` make up the list that is asked for."""
    question = case.question
    about = finder.find(question)
    asked = frozenset(unit for mention in about for unit in mention.units)
    wanted = ((Fact(tuple(asked), all_of=tuple(gold), exactly=True),),) if gold else ()
    mentions = naming.mentions(text, about, wanted, chart, finder)
    row = reading.read(text, mentions, finder.find_types(text))
    claimed = claims.read(row, mentions, tuple(asked) if len(about) == 1 else ())
    explained = frozenset(
        unit
        for claim in claimed
        if isinstance(claim, claims.Under) and not asked & {*claim.holder} and judging.holds(claim, chart)
        for unit in (*claim.unit, *claim.holder)
    )
    meant = frozenset(unit for mention in finder.find(plain(case.answer)) for unit in mention.units)
    above = (one.id for unit in asked - {*gold} for one in chart.path(unit))
    return Named(
        chart=chart,
        mentions=mentions,
        standing=tuple(one for one in mentions if not denied(Place(one.start, one.end), text, is_number=False)),
        asked=asked,
        about=frozenset((*above, *meant, chart.root.id)) - {*gold},
        explained=explained - {*gold},
        unknown=naming.unknown(text, mentions, wanted, evidence, chart, finder) if gold else (),
        against=verify.examine(question, text, evidence, chart, finder).finding,
    )


def ids(name: str, chart: Chart, finder: EntityFinder) -> tuple[str, ...]:
    """The units that a case means by a name: as it stands, behind the names above it ("Parent > Name"), or an alias."""
    parts = [part.strip().casefold() for part in name.split(PATH_SEPARATOR)]
    named = tuple(
        unit.id
        for unit in chart.named(name) or chart.named(parts[-1])
        if unit.name.casefold() == name.casefold()
        or [one.name.casefold() for one in chart.path(unit.id)][-len(parts) :] == parts
    )
    return named or tuple(
        unit
        for mention in finder.find(name, narrow=False)
        for unit in mention.units
        if name.casefold() in (alias.casefold() for alias in chart.unit(unit).aliases)
    )
