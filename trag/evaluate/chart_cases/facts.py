"""A fact of the chart with its gold, before it is put into words; and what facts are drawn from.

Knows nothing about phrasings.
"""

from __future__ import annotations

from dataclasses import dataclass
from random import Random

from org.chart import Chart, Unit
from trag.evaluate.cases import Case, Some
from trag.evaluate.chart_cases.ground import Ground, Spread
from trag.evaluate.chart_cases.names import Names
from trag.evaluate.chart_cases.types import Types

MOST_LISTED = 20
"""Units in the gold of a list; nobody asks for a longer one in a chat."""

NOTHING = (
    "no unit", "no units", "no other", "no others", "no one", "no sibling", "no siblings", "no sister", "no peers",
    "nobody", "nothing", "none", "only", "alone", "not have any", "n't have any", "are no", "is no",
)  # fmt: skip
"""An item of gold: the ways to say that there is nothing beside a unit."""


@dataclass(frozen=True, slots=True)
class Fact:
    """What a question is about, and a case without its question. `form` is a heading of phrasings.txt."""

    form: str
    case: Case
    unit: Unit | None = None
    other: Unit | None = None
    noun: str = ""
    number: int = 0


@dataclass(frozen=True, slots=True)
class Material:
    """What facts are drawn from. The units are those that a question can name: all, those with others under them, and
    those without."""

    ground: Ground
    names: Names
    types: Types
    chance: Random
    units: Spread
    parents: Spread
    leaves: Spread
    speakable_parents: tuple[Unit, ...]


def material(chart: Chart, seed: int) -> Material:
    """All that is needed of a chart, laid out once."""
    ground, chance = Ground(chart), Random(seed)
    names = Names(ground)
    parents = tuple(unit for unit in names.speakable if ground.total(unit))
    return Material(
        ground=ground,
        names=names,
        types=Types(ground, names),
        chance=chance,
        units=Spread(names.speakable, ground, chance),
        parents=Spread(parents, ground, chance),
        leaves=Spread((unit for unit in names.speakable if not ground.total(unit)), ground, chance),
        speakable_parents=parents,
    )


def gold(
    form: str,
    answer: str,
    *,
    items: tuple[tuple[str, ...], ...] = (),
    units: tuple[str, ...] = (),
    some: tuple[Some, ...] = (),
    count: int | None = None,
    polarity: str = "",
    refuse: bool = False,
) -> Case:
    """The case of a fact, still without its id and question; its kind is what stands before the colon of its form."""
    return Case(
        id="",
        question="",
        kind=form.partition(":")[0],
        answer=answer,
        gold=items,
        units=units,
        some=some,
        count=count,
        polarity=polarity,
        refuse=refuse,
    )
