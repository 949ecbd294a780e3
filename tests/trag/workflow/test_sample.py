"""The sample organization's workflow for the invoices of suppliers, run for real with its own book: a record that is
added, an approval, a posting over HTTP, questions to the assistant and a plan."""

from __future__ import annotations

import json
import threading
from collections.abc import Iterator
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import Any

import pytest

from org.procedures.flows import Book
from org.reading.charts import load
from tests.automated import ran, step, use, workflow
from tests.scripted import Scripted
from tests.trag.workflow.conftest import INVOICES, ROOT
from trag.flow.record import PlanRecord
from trag.home import Home, open_home
from trag.models.catalogue import CatalogueModel
from trag.people import CurrentUser
from trag.progress import silent
from trag.settings import Settings
from trag.workflow import activation
from trag.workflow.built_in import BUILT_IN
from trag.workflow.record import Workflow
from trag.workflow.runner import Runner, run_now
from trag.workflow.tasks import finish, notices_of

LOCAL = CurrentUser.local
SAMPLE = ROOT / "examples" / "larkmoor"
INVOICE = {"number": "17", "supplier": "Quill & Sons", "sender": "Eva", "unit": "Staff Council", "amount": "6200"}

pytestmark = pytest.mark.slow


@pytest.fixture
def ledger() -> Iterator[tuple[str, list[Any]]]:
    """The address that invoices are posted to, and what came there."""
    came: list[Any] = []

    class Ledger(BaseHTTPRequestHandler):
        def do_POST(self) -> None:
            came.append(json.loads(self.rfile.read(int(self.headers["Content-Length"]))))
            self.send_response(200)
            self.end_headers()
            self.wfile.write(b'{"posting": "L-1"}')

        def log_message(self, *_: object) -> None:
            pass

    server = ThreadingHTTPServer(("127.0.0.1", 0), Ledger)
    threading.Thread(target=server.serve_forever, daemon=True).start()
    yield f"http://127.0.0.1:{server.server_port}/invoices", came
    server.shutdown()
    server.server_close()


@pytest.fixture
def larkmoor(tmp_path: Path, ledger: tuple[str, list[Any]]) -> Iterator[Home]:
    """The sample's home, where somebody heads the unit that orders, with a part of its manual."""
    settings = Settings(home=tmp_path, workflows=True, hooks=f"post_invoice={ledger[0]}")
    header, *rows = (SAMPLE / "chart.csv").read_text("utf-8").splitlines()
    heads = [f"{row}{',Ada Pohl' if row.startswith('Staff Council,') else ','}" for row in rows]
    with open_home(settings) as home:
        home.charts.activate(
            load("\n".join([f"{header},head", *heads]).encode(), "chart.csv"), [("c.csv", b"")], by="local"
        )
        home.ingest([SAMPLE / "documents" / "part-1-foundations.md"], replace=False, progress=silent)
        yield home


def test_every_built_in_step_of_its_book_runs(book: Book) -> None:
    built_in = {each.id for each in book.actions.values() if each.runs == "built-in"}
    assert built_in <= BUILT_IN
    assert {*book.triggers} == {*activation.TRIGGERS}


def test_an_invoice_is_approved_by_the_head_or_posted_and_its_sender_told(
    larkmoor: Home, book: Book, ledger: tuple[str, list[Any]]
) -> None:
    larkmoor.procedures.activate(book, [("procedures.json", b"{}")], by="local")
    use(larkmoor, Workflow.of(INVOICES))
    larkmoor.records.registers.create("supplier_invoice", INVOICE, person="local", by="local")
    runner = Runner(larkmoor)
    assert ran(larkmoor, runner).message == "Waits for Ada Pohl."
    (asked,) = notices_of(larkmoor, LOCAL)
    finish(larkmoor, LOCAL, asked.id, {"decision": "yes"})
    assert ran(larkmoor, runner).state == "done"
    assert ledger[1] == []
    larkmoor.records.registers.create("supplier_invoice", INVOICE | {"amount": "40"}, person="local", by="local")
    run = ran(larkmoor, runner)
    assert (run.state, run.message) == ("done", "")
    assert [each["inputs"]["record"]["amount"] for each in ledger[1]] == ["40"]
    told = [each.text for each in notices_of(larkmoor, LOCAL) if each.state == "told"]
    assert told == ["Your invoice was dealt with."] * 2
    what = [event.what for event in larkmoor.records.audit.all()]
    assert what.count("workflow run begun") == what.count("workflow run ended") == 2
    assert larkmoor.records.audit.verify() is None


def test_the_assistant_answers_plans_and_its_answer_lies_before_reviewers(larkmoor: Home, book: Book) -> None:
    few = {id: book.procedures[id] for id in [*book.procedures][:2]}
    small = Book.of(book.actions.values(), few.values(), book.tables.values(), book.triggers.values())
    larkmoor.procedures.activate(small, [("procedures.json", b"{}")], by="local")
    larkmoor.parts["model"] = Scripted("Nothing.", chart_query="parent(u1)")
    title = next(iter(few.values())).title
    made = workflow(
        step("ask_assistant", 1, question="Where does the Staff Council sit?"),
        step("make_plan", 2, request=title),
        step("add_to_review", 3, answer="@1.answer"),
        step("create_record", 4, table="purchase_order", fields={"number": "9", "supplier": "Quill & Sons"}),
        step("look_up_record", 5, table="purchase_order", condition="supplier = quill & sons"),
        step("update_record", 6, record="@5.record", fields={"amount": "40"}),
        step("notify_unit", 7, unit="Staff Council", message="@1.answer"),
    )
    use(larkmoor, made)
    run_now(larkmoor, LOCAL, "w")
    run = ran(larkmoor)
    assert (run.state, run.message) == ("done", "")
    gave: dict[int, Any] = {each["step"]: each["outputs"] for each in json.loads(run.trace_json)["trace"]}
    answer = larkmoor.records.answer(gave[1]["answer"]["id"])
    assert answer
    assert answer.answer == gave[1]["answer"]["text"]
    assert "Larkmoor Foundation" in answer.answer
    plan = larkmoor.records.answer(gave[2]["plan"]["id"])
    assert plan
    assert plan.kind == "plan"
    with larkmoor.records.reviews.changing() as change:
        assert change.find(answer.id).second
    assert gave[6]["record"]["amount"] == "40"
    assert gave[7]["notice"]["text"] == answer.answer


@pytest.mark.reader
@pytest.mark.timeout(1800)
def test_a_plan_is_made_by_the_real_default_and_goes_to_who_is_to_have_it(
    reader: CatalogueModel, larkmoor: Home, book: Book
) -> None:
    larkmoor.procedures.activate(book, [("procedures.json", b"{}")], by="local")
    made = workflow(
        step("make_plan", 1, request="Somebody has lost their badge. What is to be done?"),
        step("add_to_review", 2, plan="@1.plan"),
        step("notify_unit", 3, unit="Staff Council", message="@1.plan"),
    )
    use(larkmoor, made)
    run_now(larkmoor, LOCAL, "w")
    run = ran(larkmoor)
    assert (run.state, run.message) == ("done", "")
    gave: dict[int, Any] = {each["step"]: each["outputs"] for each in json.loads(run.trace_json)["trace"]}
    kept = larkmoor.records.answer(gave[1]["plan"]["id"])
    assert kept
    plan = PlanRecord.from_json(kept.record_json)
    assert plan.procedure
    assert (plan.procedure.title, plan.model.sha256) == ("Replace a lost badge", reader.sha256)
    steps = [each.title for each in plan.steps]
    assert len(steps) > 2
    (told,) = notices_of(larkmoor, LOCAL)
    assert [title for title in steps if title in told.text] == steps
    with larkmoor.records.reviews.changing() as change:
        assert change.find(kept.id).second
