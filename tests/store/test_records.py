"""Records, on SQLite and on PostgreSQL."""

from __future__ import annotations

import subprocess
import sys
from collections.abc import Callable
from datetime import UTC
from functools import partial
from pathlib import Path

import pytest

from store import StoreError
from store.records import Records
from store.reviews import Label
from tests.store.conftest import at_once
from trag.review.verdicts import put_label

ROOT = Path(__file__).parents[2]
TYPED = "Who's head of بيت الحكمة? \0 '); DROP TABLE labels;-- \ud800 \U0001f600\r\n"
KEPT = TYPED.replace("\0", "\ufffd").replace("\ud800", "\ufffd")


def test_conversations_belong_to_their_owner_and_the_last_answered_is_first(records: Records) -> None:
    first = records.start_conversation("amy", "Leave")
    second = records.start_conversation("amy", "Travel")
    records.start_conversation("bob", "Secret")
    records.save_answer("a1", first.id, "q", "a", "{}")
    records.rename_conversation("amy", second.id, "Trips")
    actual = [(each.id, each.title) for each in records.conversations("amy")]
    assert actual == [(first.id, "Leave"), (second.id, "Trips")]
    assert records.conversations("amy")[0].updated > first.updated
    assert records.conversations("nobody") == ()
    assert records.owns("amy", first.id)
    assert not any((records.owns("bob", first.id), records.owns("amy", "nothing"), records.owns("amy", "")))


@pytest.mark.parametrize(
    "change",
    [
        pytest.param(lambda records, theirs: records.rename_conversation("amy", theirs, "x"), id="rename another's"),
        pytest.param(lambda records, theirs: records.delete_conversation("amy", theirs), id="delete another's"),
        pytest.param(lambda records, theirs: records.delete_conversation("amy", "nothing"), id="delete unknown"),
        pytest.param(lambda records, theirs: records.save_answer("n", "x", "q", "a", "{}"), id="answer in unknown"),
        pytest.param(lambda records, theirs: put_label(records, "nothing", "r", "Correct"), id="label unknown"),
        pytest.param(lambda records, theirs: put_label(records, "old", "r", "Great"), id="unknown verdict"),
    ],
)
def test_what_is_not_there_or_not_ones_own_is_refused_and_nothing_changes(
    records: Records, change: Callable[[Records, str], None]
) -> None:
    records.start_conversation("amy", "Mine")
    theirs = records.start_conversation("bob", "Theirs")
    records.save_answer("old", theirs.id, "q", "a", "{}")

    def everything() -> object:
        owners = ("amy", "bob")
        return [records.conversations(owner) for owner in owners], records.answers(theirs.id), records.labels()

    before = everything()
    with pytest.raises(StoreError) as caught:
        change(records, theirs.id)
    assert caught.value.message.startswith(("There is no such", "'Great' is no verdict"))
    assert caught.value.hint
    assert everything() == before


def test_answers_come_back_in_order(records: Records) -> None:
    conversation = records.start_conversation("amy", "t").id
    for number in range(3):
        records.save_answer(f"a{2 - number}", conversation, f"q{number}", f"w{number}", "{}")
    records.save_answer("alone", None, "q", "a", "{}")
    actual = [(each.id, each.answer) for each in records.answers(conversation)]
    assert actual == [("a2", "w0"), ("a1", "w1"), ("a0", "w2")]
    alone = records.answer("alone")
    assert alone is not None
    assert (alone.conversation, alone.created.tzinfo) == (None, UTC)
    assert records.answer("nothing") is None


def test_the_last_label_of_a_reviewer_counts_and_the_earlier_ones_are_kept(records: Records) -> None:
    records.save_answer("a1", None, "q", "a", "{}")
    first = put_label(records, "a1", "rita", "Incorrect", "wrong unit", "Legal is under Finance.")
    other = put_label(records, "a1", "sam", "Correct")
    last = put_label(records, "a1", "rita", "Correct-Verbose")
    assert records.label("a1", "rita") == last
    assert records.label_history("a1", "rita") == (first, last)
    assert records.labels() == (other, last)
    assert records.label("a1", "nobody") is None


def test_deleting_a_conversation_keeps_the_answers_that_reviewers_labelled(records: Records) -> None:
    conversation = records.start_conversation("amy", "t").id
    for id in ("labelled", "plain"):
        records.save_answer(id, conversation, "q", "a", "{}")
    label = put_label(records, "labelled", "rita", "Correct")
    records.delete_conversation("amy", conversation)
    assert (records.conversations("amy"), records.answers(conversation), records.answer("plain")) == ((), (), None)
    kept = records.answer("labelled")
    assert kept is not None
    assert (kept.conversation, records.labels()) == (None, (label,))


def test_any_text_that_can_be_typed_is_kept(records: Records) -> None:
    conversation = records.start_conversation(TYPED, TYPED)
    records.save_answer("a1", conversation.id, TYPED, TYPED, TYPED)
    put_label(records, "a1", TYPED, "Correct", TYPED, TYPED)
    (kept,) = records.answers(conversation.id)
    label = records.label("a1", TYPED)
    assert label is not None
    actual = {records.conversations(TYPED)[0].title, kept.question, kept.answer, kept.record_json, label.comment}
    assert actual == {KEPT}


@pytest.mark.slow
def test_many_threads_write_at_once_and_nothing_is_lost(records: Records) -> None:
    records.save_answer("a1", None, "q", "a", "{}")

    def review(name: str) -> None:
        for number in range(20):
            put_label(records, "a1", name, "Correct", str(number), "")
            records.labels()

    assert at_once(*(partial(review, f"r{number}") for number in range(8))) == []
    assert {each.reviewer: each.comment for each in records.labels()} == {f"r{number}": "19" for number in range(8)}
    assert all(len(records.label_history("a1", f"r{number}")) == 20 for number in range(8))


FULL = """
import os, resource, sys
from store import StoreError
from store.records import Records
from trag.review.verdicts import put_label
records = Records(sys.argv[1])
room = os.path.getsize(sys.argv[1].removeprefix("sqlite:///")) + 200_000
resource.setrlimit(resource.RLIMIT_FSIZE, (room, resource.RLIM_INFINITY))
try:
    for number in range(100_000):
        put_label(records, "a1", "rita", "Correct", str(number), "x" * 1000)
        print(number)
except StoreError as error:
    print(error.message, error.hint, sep="|")
resource.setrlimit(resource.RLIMIT_FSIZE, (resource.RLIM_INFINITY, resource.RLIM_INFINITY))
put_label(records, "a1", "rita", "Incorrect", "room again", "")
"""


@pytest.mark.slow
def test_a_full_disk_is_said_and_loses_nothing_that_was_acknowledged(tmp_path: Path) -> None:
    url = f"sqlite:///{tmp_path}/trag.db"
    records = Records(url)
    records.save_answer("a1", None, "q", "a", "{}")
    child = subprocess.run([sys.executable, "-c", FULL, url], capture_output=True, text=True, check=True, cwd=ROOT)
    *numbers, refusal = child.stdout.splitlines()
    assert refusal.startswith("No space is left for sqlite:///"), refusal
    assert "|Free some space" in refusal
    kept: list[Label] = list(records.label_history("a1", "rita"))
    assert len(numbers) > 10
    assert [label.comment for label in kept] == [*numbers, "room again"]
    records.close()


def test_a_workflow_is_gone_on_with_unless_it_was_changed_meanwhile(records: Records) -> None:
    states = [f'{{"kind":"workflow","status":"{status}","model":"m","workflow":null}}' for status in ("one", "two")]
    records.save_answer("w", None, "q", "log", states[0], asker="amy", kind="workflow")
    with records.reviews.changing() as change:
        assert change.change_answer("w", states[0], "log\npost", states[1])
        assert not change.change_answer("w", states[0], "lost", states[0])
        assert not change.change_answer("none", states[1], "lost", states[0])
    (kept,) = records.plans("amy", 5, "workflow")
    assert (kept.answer, kept.record_json, kept.kind) == ("log\npost", states[1], "workflow")
    assert records.plans("amy", 5) == ()
    review = records.reviews.review("w")
    assert review
    assert (review.status, review.asker, review.review_status) == ("two", "amy", "open")
    assert [each.answers for each in records.reviews.counts("week")] == [1]
