"""Case files: every problem of every line, what is written is read again; sets that people keep."""

import contextlib
import json
from dataclasses import replace
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from trag.errors import TragError
from trag.evaluate.cases import Case, CaseSets, Some, read, write

LINE = {"id": "a", "question": "Who?", "kind": "document"}


def content(*rows: object) -> bytes:
    return "".join(row if isinstance(row, str) else json.dumps(row) + "\n" for row in rows).encode()


def problems(data: bytes) -> str:
    with pytest.raises(TragError) as error:
        read(data, "cases.jsonl")
    return error.value.message


def test_every_field_is_read() -> None:
    row = LINE | {
        "answer": "Four.",
        "gold": [["four", "4"], ["quorum"]],
        "forbidden": ["five"],
        "units": ["A", "B > C"],
        "some": [{"units": ["A", "B"], "at_least": 1}],
        "count": 0,
        "polarity": "no",
        "group": "g",
        "document": "d.md",
        "section": "S > T",
    }
    gold, units, some = (("four", "4"), ("quorum",)), ("A", "B > C"), (Some(("A", "B"), 1),)
    answers = Case("a", "Who?", "document", "Four.", gold, ("five",), units, some, count=0, polarity="no")
    assert read(content(row), "x") == (replace(answers, group="g", document="d.md", section="S > T"),)


@pytest.mark.parametrize(
    ("changed", "said"),
    [
        pytest.param({"id": 7}, '"id" must be', id="id no text"),
        pytest.param({"question": "  "}, '"question" must be', id="blank question"),
        pytest.param({"gold": ["four"]}, '"gold" 1 must be a list', id="item no list"),
        pytest.param({"gold": [[]]}, '"gold" 1 must be a list that is not empty', id="item without alternatives"),
        pytest.param({"gold": [["four", ""]]}, '"gold" 1 2 must be', id="empty alternative"),
        pytest.param({"forbidden": "five"}, '"forbidden" must be', id="forbidden no list"),
        pytest.param({"units": [None]}, '"units" 1 must be', id="unit no text"),
        pytest.param({"some": [{"units": ["A"]}]}, '"some" 1 needs "at_least"', id="some without number"),
        pytest.param({"some": [{"units": ["A"], "at_least": 0}]}, '"at_least" must be 1 or more', id="some of nothing"),
        pytest.param({"some": [{"units": ["A"], "at_least": 2}]}, "of 1 units", id="more than there are"),
        pytest.param({"count": True}, '"count" must be', id="count a truth value"),
        pytest.param({"count": -1}, '"count" must be', id="negative count"),
        pytest.param({"count": 2.5}, '"count" must be', id="count a fraction"),
        pytest.param({"polarity": "maybe"}, '"polarity" must be', id="neither yes nor no"),
        pytest.param({"polarity": ["yes"]}, '"polarity" must be', id="polarity a list"),
        pytest.param({"refuse": "yes"}, '"refuse" must be', id="refuse a text"),
        pytest.param({"refuse": True, "count": 1}, 'to "refuse" has no other gold', id="refusal with gold"),
        pytest.param({"golden": []}, 'unknown key "golden"', id="unknown key"),
        pytest.param({"answer": None}, '"answer" must be a text, found null', id="null answer"),
    ],
)
def test_a_wrong_value_is_named_with_its_line(changed: dict[str, object], said: str) -> None:
    message = problems(content(LINE, LINE | {"id": "b"} | changed))
    assert "line 2: " in message
    assert said in message
    assert "line 1:" not in message


@pytest.mark.parametrize(
    ("line", "said"),
    [
        pytest.param(b"{", "is no JSON", id="cut short"),
        pytest.param(b"[1]", "is no JSON object", id="a list"),
        pytest.param(b'{"question": "Who?"}', 'needs "id"; needs "kind"', id="keys missing"),
        pytest.param(b"[" * 100_000, "is no JSON", id="nested without end"),
        pytest.param(b'{"id": ' + b"9" * 5000 + b"}", "is no JSON", id="number without end"),
        pytest.param(b'{"id": "\\ud800", "question": "Who?", "kind": "x"}', "is no JSON", id="half a surrogate pair"),
        pytest.param(b'{"id": "\xff"}', "is no UTF-8 text", id="bytes"),
    ],
)
def test_a_line_that_is_no_case_is_named(line: bytes, said: str) -> None:
    assert f"line 2: {said}" in problems(b"\n" + line + b"\n" + content(LINE))


def test_all_bad_lines_are_reported_at_once() -> None:
    message = problems(content("{\n", LINE, LINE, "{}\n"))
    assert [f"line {number}" in message for number in (1, 2, 3, 4)] == [True, False, True, True]
    assert 'the id "a" occurs twice' in message


@pytest.mark.parametrize("data", [b"", b"\n \r\n", b"\xef\xbb\xbf"], ids=["empty", "blank lines", "a mark alone"])
def test_a_file_without_a_case_is_an_error(data: bytes) -> None:
    assert "holds no case" in problems(data)


def test_marks_windows_lines_and_odd_separators_do_no_harm() -> None:
    row = json.dumps(LINE | {"answer": "one\u2028two"}, ensure_ascii=False)
    assert [case.answer for case in read(f"\ufeff{row}\r\n\r\n".encode(), "x")] == ["one\u2028two"]


words = st.text(st.characters(exclude_categories=("Cs",)), min_size=1).filter(str.strip)
names = st.lists(words, max_size=3).map(tuple)
made = st.builds(
    Case,
    id=words,
    question=words,
    kind=words,
    answer=st.text(st.characters(exclude_categories=("Cs",))),
    gold=st.lists(st.lists(words, min_size=1, max_size=2).map(tuple), max_size=2).map(tuple),
    forbidden=names,
    units=names,
    some=st.lists(st.builds(Some, st.lists(words, min_size=1).map(tuple), st.just(1)), max_size=2).map(tuple),
    count=st.none() | st.integers(0, 10**6),
    polarity=st.sampled_from(("", "yes", "no")),
)


@settings(max_examples=40, deadline=None)
@given(st.lists(made, min_size=1, max_size=4, unique_by=lambda case: case.id))
def test_what_is_written_is_read_again(cases: list[Case]) -> None:
    assert read(write(cases), "x") == tuple(cases)


@settings(deadline=None)
@given(st.binary(max_size=60))
def test_no_file_is_anything_but_cases_or_an_error_for_people(data: bytes) -> None:
    with contextlib.suppress(TragError):
        assert read(data, "x")


WHERE, WHO = Case("1", "Where is the Tug Team?", "simple"), Case("2", "Who is the pilot?", "simple")


@pytest.mark.parametrize("about", [b"", b"{", b"[]", b'{"name": "Other"}', b"\xff"])
def test_a_set_of_which_nobody_can_tell_what_it_is_hides_no_other(tmp_path: Path, about: bytes) -> None:
    sets = CaseSets(tmp_path)
    kept, damaged = sets.keep([WHERE], "Where", by="ada"), sets.keep([WHO], "Who", by="ada")
    (tmp_path / f"{damaged.id}.about").write_bytes(about)
    assert (sets.all(), sets.find(damaged.id)) == ((kept,), None)
    again = sets.keep([WHO], "Who", by="ada")
    assert set(sets.all()) == {kept, again}
