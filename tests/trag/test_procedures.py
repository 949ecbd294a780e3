"""Procedures kept, used again, backed up, and read from strangers' files in a process of their own."""

from __future__ import annotations

import json
import subprocess
import sys
import time
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from threading import Barrier

import pytest

from org.procedures.flows import Book
from store import StoreError
from store.versions import Version
from trag.backup import back_up, restore
from trag.errors import TragError
from trag.flow.record import Chosen, PlanRecord
from trag.home import Home, open_home
from trag.procedures import check, sections_of
from trag.review import approvals
from trag.review.verdicts import put_label
from trag.sandbox import Limits
from trag.settings import Settings

ROOT = Path(__file__).parents[2]


def book(*steps: str) -> bytes:
    procedures = [{"id": "leave", "title": "Take leave", "steps": [*steps, "Ask for leave"]}]
    return json.dumps({"actions": [{"id": "AskLeave", "title": "Ask for leave"}], "procedures": procedures}).encode()


def read(content: bytes, name: str = "book.json") -> Book:
    found = check([(name, content)]).book
    assert found is not None
    return found


def activate(home: Home, *steps: str, instead_of: str | None = None) -> Version:
    content = book(*steps)
    return home.procedures.activate(read(content), [("book.json", content)], by="ada", instead_of=instead_of)


def test_versions_are_kept_with_who_and_any_of_them_can_be_used_again(tmp_path: Path) -> None:
    with open_home(Settings(home=tmp_path)) as home:
        assert home.procedures.in_use is None
        first = activate(home, instead_of="")
        plan = PlanRecord("p", "leave?", "planned", Chosen("leave", "Take leave"), procedures=first.version)
        home.records.save_answer("p", None, plan.request, plan.order, plan.to_json(), kind="plan")
        put_label(home.records, "p", "rita", "Correct")
        order, version = "leave\nAskLeave", first.version
        approvals.pin(home.records, "p", "leave?", order, [], "", kind="plan", procedures=version, by="rita")
        second = activate(home, "Ask", instead_of=first.version)
        assert [each.why for each in home.records.approved.all("returned")] == ["other procedures are in use"]
        with pytest.raises(StoreError, match="Another book of procedures was activated meanwhile"):
            activate(home, "Wait", instead_of=first.version)
        assert [(each.name, each.by, each.size, each.active) for each in home.procedures.versions.all()] == [
            ("book.json", "ada", 1, True),
            ("book.json", "ada", 1, False),
        ]
        home.procedures.roll_back(first.version, by="bob", instead_of=second.version)
        with pytest.raises(TragError, match="no version nonsense"):
            home.procedures.version("nonsense")
        back_up(home.settings, tmp_path / "b.tar")
    restore(Settings(home=tmp_path / "new"), tmp_path / "b.tar")
    for place in (tmp_path, tmp_path / "new"):
        with open_home(Settings(home=place)) as home:
            assert home.procedures.in_use == read(book())
            assert home.procedures.version(second.version) == read(book("Ask"))
            assert home.procedures.original(second.version) == book("Ask")
            noted = [(each.who, each.what) for each in home.records.audit.all() if "procedures" in each.what]
            assert noted == [(by, "book of procedures activated") for by in ("ada", "ada", "bob")]


@pytest.mark.parametrize(
    ("spoil", "said"),
    [(Path.unlink, "no longer in"), (lambda file: file.write_bytes(b"{"), "can no longer be read")],
    ids=["gone", "damaged"],
)
def test_a_book_whose_file_is_gone_or_damaged_is_said_with_what_to_do(
    tmp_path: Path, spoil: Callable[[Path], object], said: str
) -> None:
    with open_home(Settings(home=tmp_path)) as home:
        activate(home)
    for file in (tmp_path / "procedures").iterdir():
        spoil(file)
    with open_home(Settings(home=tmp_path)) as home:
        with pytest.raises(TragError, match=said) as refused:
            home.procedures.in_use  # noqa: B018
        assert "procedures activate FILE" in refused.value.hint
        activate(home)  # what the hint says is possible
        assert home.procedures.in_use is not None


def test_of_two_who_activate_at_once_one_is_told_that_the_other_was_first(tmp_path: Path) -> None:
    with open_home(Settings(home=tmp_path)) as home:
        first = activate(home)
        together = Barrier(2)

        def change(step: str) -> str:
            together.wait()
            try:
                return activate(home, step, instead_of=first.version).version
            except StoreError as error:
                return error.message

        with ThreadPoolExecutor(2) as threads:
            outcomes = list(threads.map(change, ("Ask", "Wait")))
        assert home.procedures.in_use is not None
        assert home.procedures.in_use.version in outcomes
        assert len([outcome for outcome in outcomes if "activated meanwhile" in outcome]) == 1


KILLED = """
import sys
from pathlib import Path
from org.procedures.actions import Action
from org.procedures.flows import Book, Procedure, Step
from trag.home import open_home
from trag.settings import Settings
with open_home(Settings(home=Path(sys.argv[1]))) as home:
    print("ready", flush=True)
    for number in range(10_000):
        steps = [Procedure(f"p{at}", "Ask", steps=(Step("Ask"),)) for at in range(number % 7 + 1)]
        made = Book.of([Action("Ask", "Ask")], steps)
        print(home.procedures.activate(made, [("b.json", b"{}")], by="x").version, flush=True)
"""


@pytest.mark.slow
def test_a_kill_while_procedures_are_activated_leaves_one_of_them_whole(tmp_path: Path) -> None:
    child = subprocess.Popen([sys.executable, "-c", KILLED, str(tmp_path)], stdout=subprocess.PIPE, text=True, cwd=ROOT)
    with child:
        assert child.stdout is not None
        assert child.stdout.readline() == "ready\n"
        time.sleep(0.2)
        child.kill()
        told = child.stdout.read().split()
    with open_home(Settings(home=tmp_path)) as home:
        active, found = home.procedures.versions.active(), home.procedures.in_use
        assert (active is None) == (found is None)
        if active and found:
            assert (active.version, active.size) == (found.version, len(found.procedures))
        # what was acknowledged is there; one more may have been kept and not yet told
        assert set(told) <= {each.version for each in home.procedures.versions.all()}


def test_a_file_of_a_stranger_is_read_by_a_process_that_it_may_kill() -> None:
    starved = check([("book.json", book())], limits=Limits(output_bytes=10))
    assert starved.book is None
    assert "holds more than 0 MB of text" in starved.problems[0].message
    large = check([("book.json", b" " * (20 * 2**20 + 1))])
    assert large.problems[0].message == "The file is too large: 20 MB."
    refused = check([("a.csv", b"id,title\nAsk,Ask\n"), ("p.csv", b"id,step\nleave,Go,extra\n,\n")])
    assert [problem.place for problem in refused.problems if problem.place] == ["Procedures, row 2"]


def test_sources_are_looked_for_where_there_are_documents(tmp_path: Path) -> None:
    content = json.loads(book())
    content["actions"][0]["source"] = {"document": "leave.md", "section": "2"}
    with open_home(Settings(home=tmp_path)) as home:
        library = home.records.library
        assert check([("b.json", json.dumps(content).encode())], sections=sections_of(library)).book
        library.put("other.md", "0" * 64, None, ())
        found = check([("b.json", json.dumps(content).encode())], sections=sections_of(library))
        assert [problem.message for problem in found.problems] == ['There is no document "leave.md".']
