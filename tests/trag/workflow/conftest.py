"""The catalogue of the sample organization, the workflow of its issue written by hand, and workflows made by chance."""

import json
import shutil
from collections.abc import Iterator
from pathlib import Path
from random import Random
from typing import Any

import pytest

from org.procedures.flows import Book
from org.procedures.reading import load
from tests.automated import furnish
from trag.home import Home, open_home
from trag.settings import Settings
from trag.workflow import structure
from trag.workflow.structure import Line

ROOT = Path(__file__).parents[3]
INVOICES: dict[str, Any] = {
    "trigger": {"type": "record_created", "inputs": {"name": "table", "value": "supplier_invoice"}},
    "steps": [
        {
            "name": "IF",
            "step": 1,
            "condition": {"left": "record.amount", "op": ">", "right": "5000", "by": "model"},
        },
        {"name": "find_head_of_unit", "step": 2, "parent": 1, "inputs": {"unit": "record.unit"}, "gives": ["person"]},
        {
            "name": "ask_for_approval",
            "step": 3,
            "parent": 1,
            "inputs": {"record": "trigger.record", "person": "2.person"},
            "gives": ["decision"],
        },
        {"name": "ELSE", "step": 4},
        {"name": "post_invoice", "step": 5, "parent": 4, "inputs": {"record": "trigger.record"}, "gives": ["posting"]},
        {
            "name": "notify_person",
            "step": 6,
            "inputs": {"person": "record.sender", "message": {"value": "Your invoice was dealt with."}},
            "gives": ["notice"],
        },
    ],
    "title": "Supplier invoices",
    "request": "when a supplier invoice above 5,000 comes in, ask the unit head for approval, else post it; "
    "tell the sender either way",
}
SMALL = ("log", "IF", "ELSE", "PARALLEL", "PARALLELBLOCK", "TRY", "CATCH", "END")


@pytest.fixture(scope="session")
def book() -> Book:
    return load((ROOT / "examples" / "larkmoor" / "procedures.json").read_bytes(), "procedures.json")


@pytest.fixture
def invoices() -> dict[str, Any]:
    copy: dict[str, Any] = json.loads(json.dumps(INVOICES))
    return copy


def by_chance(seed: int, book: Book, longest: int = 60) -> tuple[Line, ...]:
    """Lines that the rules allow, one after the other, drawn by a seed; logic steps more often than not."""
    chance = Random(seed)
    lines: list[Line] = []
    wanted = chance.randint(1, longest)
    while options := structure.after(lines):
        if len(lines) >= wanted and structure.may_end(lines) and chance.random() < 0.5:
            break
        if len(lines) >= 60:
            raise AssertionError("the rules let a workflow grow without end")
        each = chance.choice(options)
        names = [*each.logic, *(chance.sample([*book.actions], 2) if each.actions else ())]
        lines.append(Line(each.depth, chance.choice(names)))
    return tuple(lines)


@pytest.fixture
def running(empty_database: Path, tmp_path: Path) -> Iterator[Home]:
    """A club's home in which workflows run."""
    shutil.copy(empty_database, tmp_path)
    with open_home(Settings(home=tmp_path, workflows=True)) as home:
        furnish(home)
        yield home
