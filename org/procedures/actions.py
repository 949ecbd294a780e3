"""The actions that procedures and workflows are made of: what each needs, what it gives, and whose it is; and what else
a workflow names, tables and triggers."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

from org.chart import Chart, Unit


@dataclass(frozen=True, slots=True)
class Source:
    """Where an action or a procedure is written down: a document by its name, and a section of it; "" for none."""

    document: str = ""
    section: str = ""


UNWRITTEN = Source()
Runs = Literal["person", "built-in", "hook"]
"""Who does an action in a workflow: somebody, this program, or another one behind an address."""
LOGIC = (
    *("IF", "ELSEIF", "ELSE", "FOREACH", "DOUNTIL"),
    *("PARALLEL", "PARALLELBLOCK", "TRY", "CATCH", "WAIT", "END"),
)
"""The steps of workflows that are no actions: no action is called so."""


@dataclass(frozen=True, slots=True)
class Action:
    """One thing that somebody does; what the paper calls an API (FLAP, section 2.1).

    `id` has letters, digits and the signs _ . - only, so that a plan can name it. Each of `needs` is a tuple of
    things, any one of which will do ("a|b" in a file); `gives` are the things there are once it is done. `unit` is
    whose it is, as the file writes it ("" for anybody's), and `audience` whose people it is for, () for everyone's.
    """

    id: str
    title: str
    description: str = ""
    needs: tuple[tuple[str, ...], ...] = ()
    gives: tuple[str, ...] = ()
    unit: str = ""
    audience: tuple[str, ...] = ()
    source: Source = UNWRITTEN
    runs: Runs = "person"


@dataclass(frozen=True, slots=True)
class Table:
    """A kind of record that workflows handle; `fields` are the names of what each has, () where nobody said."""

    id: str
    title: str
    description: str = ""
    fields: tuple[str, ...] = ()
    audience: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Trigger:
    """What sets a workflow off; `table` is whether it is always about the records of one."""

    id: str
    title: str
    description: str = ""
    table: bool = False


def units(named: str, chart: Chart) -> tuple[Unit, ...]:
    """The units that an action or an audience means by a name: by id, else by name, else by alias."""
    if named in chart.units:
        return (chart.unit(named),)
    folded = named.casefold()
    return chart.named(named) or tuple(
        unit for unit in chart.units.values() if any(alias.casefold() == folded for alias in unit.aliases)
    )
