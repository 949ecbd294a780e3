"""Cases about what a chart says of a unit beside its place: who heads it, its telephone, its room.

Chart -> Cases, some to refuse: those about a cell that is empty.  Knows nothing about how a chart answers.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from random import Random

from org.chart import Chart, Unit
from trag.evaluate.cases import Case

_CANNOT = "The chart does not say."
_TOLD_OTHERWISE = frozenset(("location", "staff"))
"""What the chart may say something about all the same where the cell is empty: where a unit sits, who is in it."""
_PHRASINGS: Mapping[str, tuple[str, ...]] = {
    "head": ("Who is the head of {0}?", "who heads {0}", "who leads {0}", "Who is in charge of {0}?", "head of {0}?"),
    "email": ("What is the email of {0}?", "email address of {0}", "how can i reach {0} by email", "email for {0}?"),
    "phone": ("What is the phone of {0}?", "phone of {0}", "phone number of {0}?", "what is {0}'s phone number"),
    "room": ("Which room is {0} in?", "room of {0}", "What is the room of {0}?", "in which room is {0}"),
    "location": ("Where is {0} located?", "location of {0}", "What is the location of {0}?", "where is {0} based"),
    "staff": ("How many staff does {0} have?", "staff of {0}?", "how many staff are in {0}"),
}


def make(chart: Chart, *, chance: Random, number: int) -> tuple[Case, ...]:
    """At most `number` cases about cells that the chart has columns for, a third of them about empty ones."""
    found = list(_cases(chart, chance))
    told = [case for case in found if not case.refuse]
    empty = [case for case in found if case.refuse] if told else []
    chosen = chance.sample(empty, min(len(empty), number // 3))
    return (*chosen, *chance.sample(told, min(len(told), number - len(chosen))))


def _cases(chart: Chart, chance: Random) -> Iterator[Case]:
    units = [unit for unit in chart.units.values() if len(chart.named(unit.name)) == 1]
    columns = sorted({header for unit in units for header in _cells(unit)} & set(_PHRASINGS))
    for unit in units:
        for header in columns:
            cell = _cells(unit).get(header, "")
            if not cell and header in _TOLD_OTHERWISE:
                continue
            name = chance.choice((unit.name, unit.name, *unit.aliases))
            question = chance.choice(_PHRASINGS[header]).format(name)
            if cell:
                answer = f"The {header} of {unit.name} is {cell}."
                yield Case(f"{header}-{unit.id}", question, "particular", answer, gold=((cell,),))
            else:
                yield Case(f"{header}-{unit.id}", question, "unanswerable", _CANNOT, refuse=True)


def _cells(unit: Unit) -> dict[str, str]:
    own = {"head": unit.head, "email": unit.email}
    return {header: cell for header, cell in (*own.items(), *unit.attributes) if cell}
