"""What the parts of an expression come to: units with the words for how they were found, or a text that is an answer.

Knows no function of the language.
"""

from __future__ import annotations

from dataclasses import dataclass

from org.chart import Chart, Unit
from org.query.sentences import MANY, are, sentence, several


@dataclass(frozen=True, slots=True)
class Units:
    """Units found, none of them twice. `about` are those that the question named for it; `noun` and `place` make the
    sentence "3 committees are directly under the Field Division", `note` a second one. `told` is the answer where a
    list would be none ("A is directly under B."). `is_typed` is whether all are of the type `noun`, `is_deep` whether
    they may be anywhere, so that a list tells where; `start` is the unit that a way upward began at."""

    units: tuple[Unit, ...]
    about: tuple[Unit, ...] = ()
    noun: str = "unit"
    place: str = ""
    note: str = ""
    told: str = ""
    is_typed: bool = False
    is_deep: bool = False
    start: Unit | None = None


@dataclass(frozen=True, slots=True)
class Told:
    """An answer that nothing can be asked of any more: a cell, a yes or no, a number."""

    text: str
    about: tuple[Unit, ...]


Value = Units | Told


def text(value: Value, chart: Chart) -> str:
    """The answer that a value is."""
    return value.text if isinstance(value, Told) else value.told or listed(value, chart, MANY)


def listed(found: Units, chart: Chart, limit: int) -> str:
    """How many units there are, and which, past the limit with the number of the rest; the number alone for a limit of
    0: "2 teams are under the Field Division: A and B." """
    start = f"{are(len(found.units), found.noun)} {found.place}"
    if found.units and not limit:
        return sentence(start)
    names = several(found.units, chart, limit, typed=found.is_typed, placed=found.is_deep)
    return " ".join(filter(None, (sentence(f"{start}: {names}" if names else start), found.note)))


def count(found: Units, chart: Chart) -> Told:
    """How many units there are."""
    return Told(listed(found, chart, 0), (*found.about, *found.units))
