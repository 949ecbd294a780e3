"""Workflows in use in a real Chromium, over the sample's home: activated, run by a record that is added, approved by a
notice, rolled back."""

import json
import shutil
import threading
from collections.abc import Iterator
from contextlib import closing
from dataclasses import replace
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path

import pytest
from playwright.sync_api import Page, expect

from store.records import Records
from store.workflows import WorkflowChange
from tests import model_server
from tests import serving as served
from tests.pages import assert_fits, assert_fits_a_phone
from tests.serving import Visit, trag
from tests.trag.workflow.conftest import INVOICES, ROOT
from trag.workflow.activation import version_of
from trag.workflow.record import Workflow

pytestmark = [pytest.mark.browser, pytest.mark.slow]
MADE = Workflow.of(INVOICES)
ID = "0af" * 10 + "12"


class Ledger(BaseHTTPRequestHandler):
    """Takes every posting."""

    def do_POST(self) -> None:
        self.rfile.read(int(self.headers["Content-Length"]))
        self.send_response(200)
        self.end_headers()
        self.wfile.write(b'{"posting": "L-1"}')

    def log_message(self, *_: object) -> None:
        pass


def send(home: Path, made: Workflow) -> None:
    """Hand a workflow in, as the page Automate does."""
    trigger = MADE.trigger
    assert trigger
    with closing(Records(f"sqlite:///{home}/trag.db")) as records:
        records.workflows.put(
            WorkflowChange(
                *(ID, version_of(made), "sent", "eva", "eva", made.title, trigger.type, trigger.table, made.to_json())
            )
        )


@pytest.fixture(scope="module")
def own_home(sample_home: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The sample's home with its book, a head of the unit that orders, and a workflow that waits."""
    place = tmp_path_factory.mktemp("workflows")
    home = Path(shutil.copytree(sample_home, place / "home", symlinks=True))
    header, *rows = (ROOT / "examples" / "larkmoor" / "chart.csv").read_text("utf-8").splitlines()
    heads = [f"{row}{',Ada Pohl' if row.startswith('Staff Council,') else ','}" for row in rows]
    (place / "chart.csv").write_text("\n".join([f"{header},head", *heads]), "utf-8")
    trag(home, "chart", "activate", str(place / "chart.csv"))
    book = json.loads((ROOT / "examples" / "larkmoor" / "procedures.json").read_bytes())
    kept = [{**each, "source": {}} for each in book["actions"]]
    (place / "book.json").write_text(json.dumps({**book, "actions": kept, "procedures": []}))
    trag(home, "procedures", "activate", str(place / "book.json"))
    send(home, MADE)
    return home


@pytest.fixture(scope="module")
def app(own_home: Path, model_address: str) -> Iterator[str]:
    """The app, with workflows on and a ledger to post to."""
    ledger = ThreadingHTTPServer(("127.0.0.1", 0), Ledger)
    threading.Thread(target=ledger.serve_forever, daemon=True).start()
    settings = {
        "TRAG_WORKFLOWS": "true",
        "TRAG_HOOKS": f"post_invoice=http://127.0.0.1:{ledger.server_port}/",
        "TRAG_MODEL_URL": model_address,
        "TRAG_MODEL_NAME": model_server.NAME,
    }
    with served.app(own_home, **settings) as (address, _):
        yield address
    ledger.shutdown()
    ledger.server_close()


def add_invoice(page: Page, number: str, amount: str) -> None:
    page.goto("/workflows/registers?table=supplier_invoice")
    for name, value in (("number", number), ("amount", amount), ("unit", "Staff Council"), ("sender", "Eva")):
        page.get_by_label(name, exact=True).fill(value)
    page.get_by_role("button", name="Add").click()
    expect(page.locator(".notice.good")).to_contain_text("is kept")


def assert_run(page: Page, *said: str) -> None:
    """The newest run comes to say all this."""
    page.goto("/workflows/active")
    page.locator(".runs a").first.click()
    for words in said:
        for _ in range(60):
            if words in page.locator("main").inner_text():
                break
            page.wait_for_timeout(500)
            page.reload()
        expect(page.locator("main")).to_contain_text(words)


def test_an_invoice_is_approved_or_posted_and_the_workflow_rolled_back(app: str, own_home: Path, visit: Visit) -> None:
    page = visit(app)
    page.goto("/workflows/active")
    page.get_by_role("link", name="Supplier invoices").click()
    page.get_by_label("amount").fill("6200")
    page.get_by_role("button", name="Try it dry").click()
    expect(page.locator(".trace")).to_contain_text("Ask for approval")
    page.get_by_role("button", name="Activate").click()
    expect(page.locator(".notice.good")).to_have_text("It is in use from now on.")
    assert_fits(page, page.url.split("?")[0], "/workflows/active")
    add_invoice(page, "17", "6200")
    assert_run(page, "Waiting", "Waits for Ada Pohl.")
    page.goto("/")
    page.get_by_role("button", name="Menu").click()  # the page is as narrow as a phone by now
    page.get_by_role("link", name="Notices 1 to do").click()
    expect(page.locator(".tasks .text").first).to_contain_text("Do you approve this?")
    assert_fits(page, "/workflows/notices")
    page.get_by_label("yes").check()
    page.get_by_role("button", name="Done").click()
    expect(page.locator(".notice.good")).to_contain_text("The workflow goes on.")
    expect(page.locator("#conversations [href='/workflows/notices']")).to_have_text("Notices")
    assert_run(page, "Done", "gave decision")
    add_invoice(page, "18", "40")
    assert_fits(page, page.url.split("&")[0], "/workflows/registers")
    assert_run(page, "Done", "L-1")
    assert_fits(page, page.url)
    page.goto("/workflows/notices")
    expect(page.locator(".tasks")).to_contain_text("Your invoice was dealt with.")
    send(own_home, replace(MADE, title="Invoices of suppliers", steps=MADE.steps[:-1]))
    page.goto("/workflows/active")
    page.get_by_role("link", name="Invoices of suppliers").first.click()
    expect(page.locator(".diff .removed")).to_contain_text("Notify a person")
    page.get_by_role("button", name="Activate").click()
    page.get_by_role("button", name="Roll back").click()
    expect(page.locator("h1")).to_have_text("Supplier invoices")
    page.get_by_role("button", name="Switch it off").click()
    expect(page.locator(".notice.good")).to_have_text("It is switched off.")


def test_the_pages_fit_a_phone_light_and_dark_and_the_keyboard_alone_decides(
    app: str, own_home: Path, phone: Page
) -> None:
    send(own_home, replace(MADE, title="Invoices once more"))
    for scheme in ("light", "dark"):
        phone.emulate_media(color_scheme=scheme)  # type: ignore[arg-type]
        for path in ("/workflows/active", f"/workflows/active/{ID}", "/workflows/notices", "/workflows/registers"):
            phone.goto(path)
            assert_fits_a_phone(phone, scheme)
    phone.goto(f"/workflows/active/{ID}")
    phone.get_by_label("What is to be changed").focus()
    phone.keyboard.type("Tell the unit too.")
    phone.keyboard.press("Tab")
    phone.keyboard.press("Enter")
    expect(phone.locator(".notice.good")).to_contain_text("It was returned")
