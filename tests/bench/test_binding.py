"""The workflows filled in by hand keep the rules, and the inputs that code binds are as many as wanted."""

import json
from collections import Counter

import pytest

from bench.binding import FOLDER, PARTS, errors, inputs, items
from trag.workflow.binding import bound


@pytest.mark.slow
def test_of_120_workflows_filled_in_by_hand_85_in_100_inputs_are_bound_and_none_out_of_reach() -> None:
    counts = {part: Counter[str]() for part in PARTS}
    parts = Counter[str]()
    for item in items():
        parts[item.part] += 1
        assert errors(item, item.gold) == []
        found = bound(item.bare, item.book)
        assert errors(item, found) == []
        counts[item.part].update(how for how, _ in inputs(item, found))
    assert parts == dict.fromkeys(PARTS, 60)
    for found_so in counts.values():
        bindable = sum(found_so[how] for how in ("right", "wrong", "open"))
        assert bindable > 100


@pytest.mark.slow
def test_each_request_beyond_its_catalogue_has_its_part_word_by_word() -> None:
    rows = [json.loads(line) for line in (FOLDER / "beyond.jsonl").read_text(encoding="utf-8").splitlines()]
    assert (len(rows), len({row["catalogue"] for row in rows})) == (60, 5)
    for row in rows:
        (part,) = row["workflow"]["no_step_for"]
        assert part in row["request"]
        assert row["workflow"]["steps"]
