"""What may be written next, and that the checker, which says the rules on its own, agrees in both directions."""

from collections.abc import Sequence
from itertools import product
from random import Random
from typing import Any

import pytest

from org.procedures.flows import Book
from tests.trag.workflow.conftest import SMALL, by_chance
from trag.workflow import structure
from trag.workflow.checking import check
from trag.workflow.record import Started
from trag.workflow.structure import Line, after, made, may_end, read, write


def errors(lines: Sequence[Line], book: Book) -> list[str]:
    found = check(made(None, lines, book).values(), book)
    return [f"{one.row}: {one.message}" for one in found if one.severity == "error"]


def allowed(lines: Sequence[Line]) -> bool:
    """Whether each line was an option where it stands, and the end after the last."""
    for number, line in enumerate(lines):
        if not any(
            each.depth == line.depth and (line.name in each.logic or (line.name == "log" and each.actions))
            for each in after(lines[:number])
        ):
            return False
    return may_end(lines)


def test_lines_that_the_rules_allow_always_come_to_an_end_and_pass_the_check(book: Book) -> None:
    deepest = longest = 0
    for seed in range(150):
        lines = by_chance(seed, book)
        assert may_end(lines)
        assert errors(lines, book) == []
        workflow = made(Started("record_created", "travel_claim"), lines, book)
        assert read(write(workflow)) == (workflow.trigger, lines)
        deepest, longest = max(deepest, *(line.depth + 1 for line in lines)), max(longest, len(lines))
    assert (deepest, longest) == (structure.MAX_DEPTH, structure.MAX_STEPS)


def test_the_rules_and_the_check_agree_on_every_short_workflow(book: Book) -> None:
    kept = 0
    for length in (1, 2, 3):
        for names in product(SMALL, repeat=length):
            for depths in product(range(length), repeat=length):
                if any(depth > (depths[at - 1] + 1 if at else 0) for at, depth in enumerate(depths)):
                    continue
                lines = [*map(Line, depths, names)]
                assert allowed(lines) == (not errors(lines, book)), write(made(None, lines, book))
                kept += allowed(lines)
    assert kept > 20


@pytest.mark.parametrize(
    ("name", "value"),
    [
        ("_FOLLOWS", {}),
        ("_BELOW", {"IF": 1, "ELSE": 1}),
        ("_BELOW", {**structure._BELOW, "log": 1}),
        ("_owed", lambda above, count: 0),
        ("MAX_DEPTH", 9),
        ("MAX_STEPS", 70),
    ],
)
def test_a_rule_that_is_broken_is_seen_by_the_check(
    name: str, value: Any, book: Book, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(structure, name, value)
    seen = 0
    for seed in range(60):
        lines: list[Line] = []
        for number, each in enumerate(_chances(seed)):
            options = structure.after(lines)
            if not options or number >= 65:
                break
            option = options[each % len(options)]
            names = [*option.logic, *(["log"] if option.actions else [])]
            lines.append(Line(option.depth, names[each // 7 % len(names)]))
        seen += bool(lines and errors(lines, book))
    assert seen


def _chances(seed: int) -> list[int]:
    return [Random(seed * 1_000 + number).randrange(10_000) for number in range(66)]


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("", "line 1"),
        ("a b c\nlog", "line 1"),
        ("-\nIF\n  log", "line 3 is more than one level"),
        ("-\n log", "line 2 is more than one level"),
        ("-\nlog this", "line 2 is not the name"),
        ("-\nlog\n\nlog", "line 3 is not the name"),
        ("-\n\tlog", "line 2 is not the name"),
    ],
)
def test_a_text_that_has_not_the_form_is_refused_with_its_line(text: str, said: str) -> None:
    with pytest.raises(ValueError, match=said):
        read(text)


def test_what_may_come_next(book: Book) -> None:
    (first,) = after([])
    assert (first.depth, first.actions, first.logic) == (
        0,
        True,
        ("IF", "FOREACH", "DOUNTIL", "PARALLEL", "TRY", "WAIT", "END"),
    )
    begun = [Line(0, "PARALLEL"), Line(1, "PARALLELBLOCK"), Line(2, "log")]
    assert {each.depth: (each.logic, each.actions) for each in after(begun)}[1] == (("PARALLELBLOCK",), False)
    assert 0 not in {each.depth for each in after(begun)}
    assert not may_end(begun)
    assert after([Line(0, "log"), Line(0, "END")]) == ()
    caught = after([Line(0, "TRY"), Line(1, "END")])
    assert [(each.depth, "CATCH" in each.logic) for each in caught] == [(0, True)]
    with_trigger = made(Started("daily"), [Line(0, "IF"), Line(1, "ask_assistant")], book)
    assert write(with_trigger) == "daily\nIF\n ask_assistant"
    assert (with_trigger.steps[1].parent, with_trigger.steps[1].gives) == (1, ("answer",))
