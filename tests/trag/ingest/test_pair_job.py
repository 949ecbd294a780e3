"""Pairs written about the documents in real stores: searched when their document is through, whatever ended it."""

from collections.abc import Callable, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from store.passage import Passage
from trag.errors import TragError
from trag.ingest.pair_changes import approved, deleted, keep_pair
from trag.ingest.pairs import GeneratedPair
from trag.llm.remote import RequestRefused
from trag.pairs.writing import Written, write
from trag.progress import Cancelled, silent

pytestmark = pytest.mark.slow  # the embedder takes seconds to load

FEES, VOTES = "## 1 Fees\n\nThe fee is 40 EUR a year.\n", "## 2 Votes\n\nEvery member has one vote.\n"
RULES = f"# Rules\n\n{FEES}\n{VOTES}"
GIVEN = '{"question": "Fee?", "answer": "40 EUR.", "type": "list", "document": "rules.md", "section": "1 Fees"}\n'


class Writer:
    """Writes one pair about each passage, after what may fail."""

    def __init__(self, before: Callable[[Passage], object] = lambda _: None) -> None:
        self.before = before

    def __call__(self, passage: Passage) -> Sequence[GeneratedPair]:
        self.before(passage)
        question, place = f"What of {passage.section}?", (passage.section, passage.page)
        return (GeneratedPair(question, passage.text, "short answer", *place, passage.text),)


def written(shelf: Any, before: Callable[[Passage], object] = lambda _: None, **options: Any) -> Written:
    return write(shelf.context, Writer(before), by="ada", progress=silent, **options)


def put(shelf: Any, tmp_path: Path, **texts: str) -> None:
    for name, text in texts.items():
        (tmp_path / f"{name}.md").write_text(text)
        shelf.ingest(tmp_path / f"{name}.md", replace=True)


def told(shelf: Any) -> list[tuple[str, str, str]]:
    return [(pair.section, pair.origin, pair.state) for pair in shelf.records.library.pairs()]


def test_pairs_are_searched_beside_what_people_gave_and_are_not_there_twice(shelf: Any, tmp_path: Path) -> None:
    put(shelf, tmp_path, rules=RULES)
    (tmp_path / "pairs.jsonl").write_text(GIVEN)
    shelf.ingest(tmp_path / "pairs.jsonl")
    assert written(shelf) == Written(1, 1, 1)
    assert told(shelf) == [("1 Fees", "given", "approved"), ("2 Votes", "model", "made")]
    assert shelf.records.library.pairs()[1].by == "", "nobody has looked at it yet"
    assert shelf.nearest("What of 2 Votes?") == "Every member has one vote."
    assert shelf.in_line()
    assert written(shelf) == Written(1, 1, 0)


def test_what_people_decide_outlives_another_writing(shelf: Any, tmp_path: Path) -> None:
    put(shelf, tmp_path, rules=RULES)
    written(shelf)
    fee, vote = shelf.records.library.pairs()
    keep_pair(deleted(fee, "ada"), shelf.context)
    there = tuple(shelf.records.library.passages("rules.md"))
    keep_pair(approved(replace(vote, answer="One."), "ada", there), shelf.context)
    assert written(shelf).whole
    found = {(pair.state, pair.answer) for pair in shelf.records.library.pairs()}
    assert found == {("deleted", fee.answer), ("approved", "One.")}
    assert shelf.in_line()


def test_another_version_keeps_what_was_written_of_unchanged_sections_alone(shelf: Any, tmp_path: Path) -> None:
    put(shelf, tmp_path, rules=RULES)
    written(shelf)
    put(shelf, tmp_path, rules=RULES.replace("40", "55").replace("2 Votes", "3 Votes"))
    assert told(shelf) == [("3 Votes", "model", "made")]
    assert shelf.in_line()


def test_whatever_ends_it_what_was_written_of_whole_sections_is_kept(shelf: Any, tmp_path: Path) -> None:
    put(shelf, tmp_path, a=RULES, b="# B\n\nThe bar opens at noon.\n")
    pauses = iter([None, Cancelled()])

    def pause() -> None:
        if error := next(pauses, None):
            raise error

    def unreachable(passage: Passage) -> None:
        if passage.section == "2 Votes":
            raise TragError("The model is gone.", "Start it.")

    assert written(shelf, pause=pause) == Written(1, 3, 1)
    assert told(shelf) == [("1 Fees", "model", "made")]
    with pytest.raises(TragError, match="gone"):
        written(shelf, unreachable)
    assert told(shelf) == [("1 Fees", "model", "made")]
    assert written(shelf) == Written(3, 3, 2)
    assert shelf.in_line()


def test_a_passage_that_was_interrupted_is_written_about_again_after_a_pause(shelf: Any, tmp_path: Path) -> None:
    put(shelf, tmp_path, rules=RULES)
    events: list[str] = []

    def interrupted_once(passage: Passage) -> None:
        events.append(passage.section)
        if events.count("1 Fees") == 1:
            raise Cancelled

    assert written(shelf, interrupted_once, pause=lambda: events.append("pause")).whole
    assert events == ["pause", "1 Fees", "pause", "1 Fees", "pause", "2 Votes"]


def test_a_section_that_is_refused_costs_only_its_own_pairs(
    shelf: Any, tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    def refuse(passage: Passage) -> None:
        if passage.section == "1 Fees":
            raise RequestRefused("http://x/v1 answered 400: too long", "Its log says more.")

    put(shelf, tmp_path, rules=RULES)
    assert written(shelf, refuse) == Written(2, 2, 1)
    assert "'1 Fees': http://x/v1 answered 400: too long" in caplog.text
    put(shelf, tmp_path, rules=f"# Rules\n\n{FEES}")
    with pytest.raises(RequestRefused, match="answered 400"):
        written(shelf, refuse)


def test_a_document_that_was_replaced_meanwhile_gets_nothing_of_the_old_one(shelf: Any, tmp_path: Path) -> None:
    put(shelf, tmp_path, rules=RULES)

    def replaced(passage: Passage) -> None:
        if passage.section == "2 Votes":
            put(shelf, tmp_path, rules=RULES.replace("40", "55"))

    assert written(shelf, replaced).pairs == 0
    assert told(shelf) == []
    assert shelf.in_line()
