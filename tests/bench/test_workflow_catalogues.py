"""The catalogues that workflows are made of: as many as wanted, nothing twice, and every need can be met."""

import json
import re
from collections import Counter
from pathlib import Path
from typing import Any

import pytest

FOLDER = Path(__file__).parents[2] / "bench/workflows/catalogues"
BOOKS: dict[str, dict[str, list[dict[str, Any]]]] = {
    path.stem: json.loads(path.read_text("utf-8")) for path in sorted(FOLDER.glob("*.json"))
}
OUT_OF_DOMAIN = {"hospital", "hr", "finance", "law", "it2"}
KEYS = {
    "tables": {"id", "title", "description", "fields"},
    "triggers": {"id", "title", "description", "table"},
    "actions": {"id", "title", "description", "needs", "gives", "runs", "unit"},
}
BUILT_IN = {
    "log", "notify_unit", "notify_person", "create_record", "look_up_record", "update_record", "ask_assistant",
    "write_briefing", "make_plan", "add_to_review", "ask_for_approval",
}  # fmt: skip
TRIGGERS = {
    "manual", "record_created", "record_updated", "daily", "weekly", "document_added", "chart_activated",
    "answer_flagged",
}  # fmt: skip
PLAIN = {
    "address", "amount", "category", "channel", "code", "condition", "date", "due_date", "duration", "email", "end",
    "field", "fields", "file", "language", "link", "location", "message", "name", "note", "number", "people",
    "percentage", "period", "person", "phone", "priority", "quantity", "question", "reason", "role", "size", "start",
    "status", "subject", "table", "template", "text", "time", "title", "topic", "unit", "value", "version",
}  # fmt: skip
"""What somebody types or picks; no step needs to have given it."""


def entries() -> list[tuple[str, str, dict[str, Any]]]:
    return [(name, kind, entry) for name, book in BOOKS.items() for kind in KEYS for entry in book[kind]]


def plainly(name: str) -> str:
    return name.replace("_", "").casefold()


def twice(values: list[str]) -> list[str]:
    return [value for value, count in Counter(values).items() if count > 1]


def test_there_are_as_many_as_wanted() -> None:
    assert set(BOOKS) == {"common", "it"} | OUT_OF_DOMAIN
    counts = {name: tuple(len(book[kind]) for kind in KEYS) for name, book in BOOKS.items()}
    assert counts["common"] == (40, 12, 60)
    assert counts["it"][0] == 110
    assert 400 <= counts["it"][2] <= 470
    for name in OUT_OF_DOMAIN:
        assert 20 <= counts[name][0] <= 60
        assert 150 <= counts[name][2] <= 450
    assert 2350 <= sum(steps for _, _, steps in counts.values()) <= 2450
    assert 390 <= sum(tables for tables, _, _ in counts.values()) <= 420


def test_every_entry_has_its_fields_and_one_sentence() -> None:
    for name, kind, entry in entries():
        where = (name, entry["id"])
        assert set(entry) == KEYS[kind], where
        assert re.fullmatch(r"[\w.-]{1,80}", entry["id"]), where
        assert entry["title"] == entry["title"].strip() != "", where
        assert 6 <= len(entry["description"].split()) <= 20, where
        assert re.fullmatch(r"[A-Z][^.!?;]*\.", entry["description"]), where
        assert plainly(entry["description"].rstrip(".")) != plainly(entry["title"]), where
        if kind == "tables":
            assert entry["fields"], where
            assert not twice(entry["fields"]), where
        if kind == "actions":
            assert entry["runs"] in ("built-in", "hook", "person"), where
            assert (entry["unit"] == "") == (name == "common"), where
            assert entry["runs"] != "built-in" or name == "common", where


def test_nothing_is_there_twice() -> None:
    assert not twice([entry["id"].casefold() for _, _, entry in entries()])
    assert not twice([plainly(entry["description"]) for _, _, entry in entries()])
    for book in BOOKS.values():
        offered = [*BOOKS["common"]["actions"], *(book["actions"] if book is not BOOKS["common"] else ())]
        assert not twice([entry["title"].casefold() for entry in offered])


def test_the_product_finds_its_own_steps_and_triggers_among_the_common() -> None:
    common = BOOKS["common"]
    assert {entry["id"] for entry in common["actions"] if entry["runs"] == "built-in"} >= BUILT_IN
    assert {entry["id"] for entry in common["triggers"]} >= TRIGGERS


@pytest.mark.parametrize("name", sorted(BOOKS))
def test_every_need_is_given_by_a_step_or_a_record_or_typed(name: str) -> None:
    books = {id(book): book for book in (BOOKS["common"], BOOKS[name])}.values()
    given = {plainly(gift) for book in books for entry in book["actions"] for gift in entry["gives"]}
    given |= {plainly(table["id"]) for book in books for table in book["tables"]}
    met = given | {"record"} | {plainly(typed) for typed in PLAIN}
    unmet = {
        (entry["id"], need)
        for entry in BOOKS[name]["actions"]
        if entry["runs"] != "person"
        for need in entry["needs"]
        if not {plainly(part) for part in need.split("|")} & met
    }
    assert not unmet
