"""The product's planner as a system, on procedures whose steps are bound: what is chosen, planned, kept and counted."""

import json
from collections.abc import Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from org.procedures.flows import Book, Step
from tests.trag.evaluate.flows.test_running import encode, weigh
from trag.errors import TragError
from trag.evaluate.flows import tables
from trag.evaluate.flows.data import Beyond, Data, Query, read, read_beyond
from trag.evaluate.flows.running import run
from trag.evaluate.flows.writing import Written
from trag.llm.model import ModelIdentity
from trag.progress import silent

ACCOUNT, PROBLEM, UNDO = "Open an account", "Report a problem", "Cancel a transaction"


class Reader:
    """Is asked each request of a procedure, by its title, as likely as it is told to; of "none" of nothing."""

    identity, context = ModelIdentity("reader"), 4096

    def __init__(self, likes: Mapping[str, Mapping[str, float]]) -> None:
        self.likes, self.asked = likes, 0

    def log_probabilities(self, messages: Sequence[Any], beginnings: Sequence[str], **_: Any) -> tuple[float, ...]:
        title = messages[-1].content.partition(":")[0]
        self.asked += title == "..."
        return (self.likes[beginnings[0]].get("none" if title == "..." else title, -50.0),)


@pytest.fixture
def bound(paper: Data) -> Data:
    banking = paper.domains["banking"]
    procedures = [
        replace(one, steps=tuple(Step(step.text, of) for step, of in zip(one.steps, banking.gold[id], strict=True)))
        for id, one in banking.book.procedures.items()
    ]
    return Data({"banking": replace(banking, book=Book.of(banking.book.actions.values(), procedures))}, ())


def requests(*of: tuple[str, str]) -> tuple[Query, ...]:
    return tuple(Query(words, "banking", flow, "test", words) for words, flow in of)


def test_it_plans_what_it_chose_asks_and_refuses(tmp_path: Path, bound: Data) -> None:
    reader: Any = Reader(
        {
            "sure": {PROBLEM: 0, "none": -9},
            "other": {UNDO: 0, "none": -9},
            "torn": {ACCOUNT: 0, PROBLEM: -0.1, "none": -9},
            "nothing": {"none": 0},
        }
    )
    asked = requests(
        *(("sure", "report-problem"), ("other", "open-account"), ("torn", "open-account"), ("nothing", "open-account"))
    )
    data = replace(bound, queries=asked)

    def go() -> tuple[Written, ...]:
        tasks = (("trag", "all"), ("trag", "relevant"))
        return run(tmp_path, reader, data, asked, tasks, encode, weigh, silent)

    written = go()
    assert [{*(one.chosen or ())} for one in written] == [
        *({"report-problem"}, {"cancel-transaction"}, {"open-account", "report-problem"}, set()),
        *({"report-problem"}, {"open-account"}, {"open-account"}, {"open-account"}),
    ]
    assert written[0].text.splitlines()[0] == (
        "[thought] Write down the problem and tell the team in charge [API] RecordIssue()"
    )
    assert "InitSystem" not in written[0].text
    assert written[3].text == ""
    times = reader.asked
    assert go() == written
    assert reader.asked == times == 4

    published, reliable, flows, _ = tables.report(written, data, tables.nearest_by(encode))
    every, told = (dict(zip(published.header, row, strict=True)) for row in published.rows)
    assert (told["Exact %"], told["Edits of APIs"], told["Finished %"]) == ("100.0 ± 0.0", "0.0 ± 0.0", "100.0 ± 0.0")
    right = 2 if written[2].chosen and written[2].chosen[0] == "open-account" else 1  # the two are about as likely
    assert every["Exact %"].startswith(f"{25 * right}.0 ")
    assert every["Parsable %"].startswith("75.0 ")
    # Of the three of one flow none or one is exact; the other flow has one alone.
    assert reliable.rows[0][2:5] == (f"{100 * (1 + (right - 1) / 3) / 2:.1f}", "0.0", "0.0")
    assert reliable.rows[1][2:5] == ("100.0", "100.0", "100.0")
    assert flows.rows == (("trag", "4", f"{25 * right}.0", "50.0", "25.0", "25.0"),)


def test_requests_beyond_the_flows(tmp_path: Path, bound: Data) -> None:
    file = tmp_path / "beyond.jsonl"
    lines = [
        {"id": "a", "kind": "none", "procedures": [], "query": "nothing"},
        {"id": "b", "kind": "none", "procedures": [], "query": "sure"},
        {"id": "c", "kind": "two", "procedures": ["open-account", "report-problem"], "query": "torn"},
        {"id": "d", "kind": "two", "procedures": ["open-account", "report-problem"], "query": "sure"},
        {"id": "e", "kind": "second", "procedures": ["report-problem"], "query": "sure"},
        {"id": "f", "kind": "second", "procedures": ["open-account"], "query": "sure"},
    ]
    file.write_text("".join(json.dumps(line) + "\n" for line in lines))
    data = read_beyond(file, bound)
    assert data.queries[2] == Beyond("c", "banking", "", "test", "torn", "two", ("open-account", "report-problem"))
    reader: Any = Reader(
        {"sure": {PROBLEM: 0}, "torn": {ACCOUNT: 0, PROBLEM: -0.1, "none": -9}, "nothing": {"none": 0}}
    )
    written = run(tmp_path, reader, data, data.queries, [("trag", "all")], encode, weigh, silent)
    assert [row[1:] for row in tables.beyond(written, data).rows] == [
        ("none", "2", "50.0", "0.0", "0.0", "50.0"),
        ("two", "2", "0.0", "50.0", "100.0", "50.0"),
        ("second", "2", "0.0", "0.0", "50.0", "50.0"),
    ]
    file.write_text('{"id": "g", "kind": "two", "procedures": ["rob"], "query": "x"}\n{"kind": "what"}\n')
    with pytest.raises(TragError) as raised:
        read_beyond(file, bound)
    assert "line 1: there is no flow rob in banking" in raised.value.message
    assert '"kind" must be "none", "two" or "second", found "what"' in raised.value.message
    with pytest.raises(TragError, match="cannot be read"):
        read_beyond(tmp_path / "gone.jsonl", bound)


def test_the_books_of_organizations_are_read_too(folder: Path) -> None:
    for name, flows, queries in (("organizations/port-callis", 9, 90), ("aside/sundell-mutual", 12, 120)):
        of = folder.parents[1] / name
        data = read(of)
        assert list(data.domains) == [of.name]
        assert (len(data.domains[of.name].gold), len(data.queries)) == (flows, queries)
        beyond = read_beyond(of / "beyond.jsonl", data).queries
        assert [one.kind for one in beyond if isinstance(one, Beyond)].count("none") == 12
    paper = read(folder)
    assert len(read_beyond(folder.parent / "beyond.jsonl", paper).queries) == 120
    assert np.all(weigh("", ["", ""]) == 0)
