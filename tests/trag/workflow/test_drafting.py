"""A workflow drafted for a request: by the real encoder and reranker, with a real model beside them and without one."""

import threading
from collections.abc import Iterator
from random import Random
from typing import Any

import numpy as np
import pytest

from org.procedures.actions import LOGIC
from org.procedures.flows import Book
from tests.planned import weigh
from tests.scripted import Scripted
from trag.embed import open_embedder
from trag.errors import TragError
from trag.llm.local import LocalModel
from trag.progress import Cancelled
from trag.reranking.reranker import Reranker
from trag.workflow import choosing, structure
from trag.workflow.checking import check
from trag.workflow.choosing import DONE, Said, features, indents, options
from trag.workflow.drafting import Drafter
from trag.workflow.record import Workflow, WorkflowRecord
from trag.workflow.structure import Line, after, may_end
from trag.workflow.suggesting import LEARNED, Words

REQUEST = (
    "when a supplier invoice above 5,000 comes in, ask the unit head for approval, else post it; "
    "tell the sender either way"
)


@pytest.fixture(scope="module")
def drafter(book: Book) -> Drafter:
    return Drafter(book, open_embedder("", LEARNED).embed_passages, weigh)


@pytest.mark.slow
def test_a_part_that_no_step_fits_is_said_and_nothing_put_in_its_place(book: Book) -> None:
    with_reranker = Drafter(book, open_embedder("", LEARNED).embed_passages, Reranker().weigh)
    ask, plant = "Ask the head of unit for approval", "plant a cherry tree in the yard behind the canteen"
    record = last(with_reranker.draft(f"{ask}, then {plant}.", Scripted("")))
    assert record.workflow
    (part,) = record.workflow.no_step_for
    assert "cherry tree in the yard" in part
    assert "approval" not in part
    assert [each.name for each in record.workflow.steps] == ["find_head_of_unit", "ask_for_approval"]
    fits = last(with_reranker.draft(f"{ask}.", Scripted(""))).workflow
    assert fits
    assert fits.no_step_for == ()


def last(drafted: Iterator[Any]) -> WorkflowRecord:
    *_, record = drafted
    assert isinstance(record, WorkflowRecord)
    return record


def test_every_line_is_told_as_it_is_written_and_the_whole_keeps_every_rule(
    drafter: Drafter, model: LocalModel
) -> None:
    *steps, record = drafter.draft(REQUEST, model, id="w1")
    assert isinstance(record, WorkflowRecord)
    assert [len(each.steps) for each in steps if isinstance(each, Workflow)] == list(range(1, len(steps) + 1))
    assert isinstance(steps[-1], Workflow)
    assert record.workflow
    assert record.workflow.core() == steps[-1].core()
    assert (record.id, record.request, record.status, record.checks) == ("w1", REQUEST, "drafted", ())
    assert not [one for one in check(record.workflow.values(), drafter.book) if one.severity == "error"]
    assert structure.read(record.written)[0] == record.workflow.trigger
    assert [line.name for line in structure.read(record.written)[1]] == [each.name for each in record.workflow.steps]
    assert record.catalogue == drafter.book.version
    assert record.tokens > 0
    assert record.seconds > 0
    chosen = [each.name for each in record.choices if each.step]
    assert chosen == [each.name for each in record.workflow.steps], "each choice is told, and over what"
    assert all(each.over and each.name not in each.over for each in record.choices)
    said = {each.name: each.words for each in record.suggestions}
    assert all(said[name] in REQUEST for name in chosen if name not in LOGIC)


def test_without_a_reader_the_encoder_decides(drafter: Drafter) -> None:
    record = last(drafter.draft("look up the head of the unit and notify that person", Scripted()))
    assert record.workflow
    assert "find_head_of_unit" in {each.name for each in record.workflow.steps}
    assert record.tokens == 0


def test_only_what_may_be_used_is_written_and_nothing_else_is_told(drafter: Drafter) -> None:
    usable = {"post_invoice", "notify_person", "supplier_invoice", "manual"}
    record = last(drafter.draft(REQUEST, Scripted(), usable=usable))
    names = {each.name for each in record.suggestions} | {name for each in record.choices for name in each.over}
    assert names <= usable | {*LOGIC}
    assert "ask_for_approval" not in record.to_json()
    with pytest.raises(TragError, match="no steps that you may use"):
        list(drafter.draft(REQUEST, Scripted(), usable={"manual"}))


def test_a_draft_that_is_stopped_ends_between_two_lines(drafter: Drafter) -> None:
    stop = threading.Event()
    drafted = drafter.draft(REQUEST, Scripted(), stop=stop)
    next(drafted)
    stop.set()
    with pytest.raises(Cancelled):
        next(drafted)


@pytest.mark.parametrize("seed", range(30))
def test_whatever_is_weighed_is_what_the_rules_allow(seed: int) -> None:
    chance, titles = Random(seed), {"a": "Ask", "b": "Tell"}
    words = Words(np.array([(0, 6), (0, 3), (3, 6)]), np.array([[0.1, 0.2], [0.6, 0.1], [0.0, 0.5]]), {"a": 0, "b": 1})
    said, lines = Said(words, {"a": 0.0, "b": -20.0}), list[Line]()
    for _ in range(25):
        shown = options(lines, titles)
        found = features(lines, dict.fromkeys(shown, -1.0), dict.fromkeys(indents(lines), -1.0), said)
        allowed = {
            Line(each.depth, name) for each in after(lines) for name in (*each.logic, *(titles if each.actions else ()))
        }
        assert {*found} == allowed | ({None} if may_end(lines) else set())
        assert (DONE in shown) == may_end(lines)
        assert all(text.strip("- \n") for text in shown.values())
        if not allowed:
            break
        line = chance.choice(sorted(allowed, key=repr))
        lines.append(line)
        if line.name in titles:
            said.take(line.name)


def test_what_is_said_already_and_what_lies_before_speak_less_for_a_step() -> None:
    # The first three of six words are about one step, the last three about the other.
    words = Words(np.array([(0, 6), (0, 3), (3, 6)]), np.array([[0.3, 0.3], [0.9, 0.1], [0.1, 0.9]]), {"a": 0, "b": 1})
    said = Said(words, {"a": 1.0, "b": 1.0})
    before = said.features("a")
    assert said.take("a") == (0, 3)
    after_it = said.features("a")
    assert (before["again"], after_it["again"]) == (0, 1)
    assert after_it["free"] < before["free"]
    assert said.features("b")["free"] == pytest.approx(0.9)
    assert said.take("b") == (3, 6)
    assert said.features("a")["ahead"] < before["ahead"]
    assert said.covered.all()
    assert set(choosing.fitted("lines")) >= {*before, "level", "up", "reader", "end", "left", "open"} - {"again"}
