"""Every gold workflow keeps the rules, as they are written and as they are checked, runs dry to its end, and comes back
from each export as it was."""

import json
from collections.abc import Iterator
from functools import cache
from pathlib import Path
from typing import Any

import pytest
from lxml import etree

from org.procedures.flows import Book
from org.procedures.reading import load
from tests.trag.workflow.test_exporting import dsl, xsd
from tests.workflow_files import from_bpmn, from_serverless
from trag.workflow.bpmn import bpmn
from trag.workflow.checking import check
from trag.workflow.exporting import serverless
from trag.workflow.record import Workflow
from trag.workflow.running import run
from trag.workflow.structure import after, made, may_end, read, write

FOLDER = Path(__file__).parents[2] / "bench" / "workflows"


@cache
def catalogue(name: str) -> Book:
    """What a deployment has: the common part and one other."""
    parts = [load((FOLDER / "catalogues" / f"{each}.json").read_bytes(), each) for each in {"common": 0, name: 0}]
    return Book.of(
        (one for part in parts for one in part.actions.values()),
        (),
        (one for part in parts for one in part.tables.values()),
        (one for part in parts for one in part.triggers.values()),
    )


def golds() -> Iterator[tuple[str, Book, dict[str, Any]]]:
    for file in sorted(FOLDER.glob("*.jsonl")):
        for line in file.read_text(encoding="utf-8").splitlines():
            item = json.loads(line)
            core = {key: value for key, value in item["workflow"].items() if value is not None}
            yield item["id"], catalogue(item["catalogue"]), core


@pytest.mark.slow
def test_every_gold_workflow_is_one_that_can_be_written_checked_run_and_exported() -> None:
    seen = 0
    for id, book, core in golds():
        assert [one.message for one in check(core, book) if one.severity == "error"] == [], id
        core = Workflow.of(core).core()  # the exports have no more
        trigger, lines = read(write(Workflow.of(core)))
        for number, line in enumerate(lines):
            options = [each for each in after(lines[:number]) if each.depth == line.depth]
            assert any(line.name in each.logic or (line.name in book.actions and each.actions) for each in options), id
        assert may_end(lines), id
        workflow = made(trigger, lines, book)
        assert workflow.core() == core, id
        assert run(workflow, book).status in ("done", "ended"), id
        exported, drawn = serverless(workflow), bpmn(workflow, book)
        assert [*dsl().iter_errors(exported)] == [], id
        xsd().assertValid(etree.fromstring(drawn))
        assert from_serverless(exported).core() == from_bpmn(drawn).core() == core, id
        seen += 1
    assert seen > 2_000
