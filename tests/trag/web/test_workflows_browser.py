"""The page Automate in a real Chromium, served by the real app over the sample's home with the sample's catalogue."""

import json
import shutil
from contextlib import closing
from pathlib import Path
from uuid import uuid4

import pytest
from playwright.sync_api import expect

from org.procedures.reading import load
from store.records import Records
from tests.drafted import REQUEST, SUGGESTED, UNFIT
from tests.pages import assert_fits, assert_fits_a_phone
from tests.serving import Visit, trag
from tests.trag.web.conftest import SAMPLE
from tests.trag.web.test_plans_browser import press
from tests.trag.workflow.conftest import INVOICES
from trag.workflow.editing import settled
from trag.workflow.record import Workflow, WorkflowRecord

pytestmark = [pytest.mark.browser, pytest.mark.slow]


@pytest.fixture(scope="module")
def own_home(sample_home: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The sample's home with the steps, tables and triggers of the sample, and no procedures."""
    place = tmp_path_factory.mktemp("automated")
    home = Path(shutil.copytree(sample_home, place / "home", symlinks=True))
    book = json.loads((SAMPLE / "procedures.json").read_bytes())
    actions = [each | {"source": {}} for each in book["actions"]]
    (place / "book.json").write_text(json.dumps(book | {"actions": actions, "procedures": []}))
    trag(home, "procedures", "activate", str(place / "book.json"))
    return home


def drafted(home: Path, asker: str = "local") -> str:
    """The id of the workflow of the sample's issue, kept for its asker."""
    book = load((SAMPLE / "procedures.json").read_bytes(), "procedures.json")
    workflow = settled(Workflow.of({**INVOICES, "no_step_for": [UNFIT]}), book)
    record = WorkflowRecord(uuid4().hex, REQUEST, "drafted", workflow, SUGGESTED)
    with closing(Records(f"sqlite:///{home}/trag.db")) as records:
        records.save_answer(record.id, None, REQUEST, "", record.to_json(), asker=asker, kind="workflow")
    return record.id


def test_somebody_writes_changes_tries_and_sends_a_workflow(app: str, visit: Visit) -> None:
    page = visit(app)
    page.goto("/workflows")
    page.get_by_label("What is to be done, and when?").fill("When a travel claim is created, notify the travel desk.")
    page.get_by_role("button", name="Make the workflow").click()
    expect(page.get_by_role("heading", name="Steps", exact=True)).to_be_visible(timeout=120_000)
    expect(page.locator("#step-1")).to_be_visible()
    page.locator("#step-1 > .row a.change").click()
    editor = page.locator(".editor")
    editor.get_by_text("Another step instead").click()
    editor.get_by_label("Any other").select_option(label="Write to the log")
    editor.get_by_role("button", name="Replace").click()
    expect(page.locator("#step-1 > .row .title")).to_contain_text("Write to the log")
    page.get_by_label("Or written here").fill("A claim came in.")
    page.get_by_role("button", name="Save", exact=True).click()
    expect(page.locator("#step-1 > .row .given")).to_contain_text("“A claim came in.”")
    page.get_by_role("link", name="Change what starts it").click()
    page.get_by_label("It starts when").select_option(label="Record created")
    page.get_by_label("Of which records").select_option(label="Travel claims")
    page.get_by_label("What the workflow is called").fill("Travel claims")
    page.get_by_role("button", name="Save", exact=True).click()
    expect(page.locator("h1")).to_have_text("Travel claims")
    page.get_by_label("traveller").fill("Ann Owl")
    page.get_by_role("button", name="Try it on this record").click()
    expect(page.locator("#went")).to_have_text("It goes to its end.")
    expect(page.locator(".trace li").first).to_contain_text("message: A claim came in.")
    page.get_by_role("button", name="Send to an admin").click()
    expect(page.locator(".sent-state")).to_contain_text("it waits for an admin")
    page.get_by_role("button", name="Right", exact=True).click()
    expect(page.get_by_role("button", name="Right", exact=True)).to_have_attribute("aria-pressed", "true")
    with page.expect_download() as saved:
        page.get_by_role("link", name="BPMN").click()
    assert saved.value.suggested_filename == "workflow.bpmn"


def test_the_keyboard_alone_on_a_phone(app: str, own_home: Path, visit: Visit) -> None:
    page = visit(app, viewport={"width": 390, "height": 844}, color_scheme="dark")
    id = drafted(own_home)
    page.goto(f"/workflows/{id}")
    expect(page.locator(".no-step")).to_contain_text(UNFIT)
    assert_fits_a_phone(page, "dark")
    press(page, "Change step 3, Ask for approval")
    expect(page.locator("#step-3 > .editor")).to_be_visible()
    press(page, "Another step instead")
    press(page, "Notify a unit")
    expect(page.locator("#step-3 > .row .title")).to_contain_text("Notify a unit")
    expect(page.locator(".state")).to_contain_text("1 step to be filled in")
    press(page, "Undo the last change")
    expect(page.locator("#step-3 > .row .title")).to_contain_text("Ask for approval")
    expect(page.locator(".state")).to_contain_text("Whole")
    press(page, "amount", "End")
    page.keyboard.type("6200")
    press(page, "Try it on this record")
    expect(page.locator("#went")).to_be_visible()
    assert_fits_a_phone(page, "dark")
    assert_fits(page, f"/workflows/{id}", f"/workflows/{id}?step=3", f"/workflows/{id}?step=1", "/workflows")


def test_it_works_without_script(app: str, own_home: Path, visit: Visit) -> None:
    page = visit(app, java_script_enabled=False)
    id = drafted(own_home)
    page.goto(f"/workflows/{id}")
    page.locator("#step-1 > .row a.change").click()
    page.get_by_label("With what").fill("100")
    page.get_by_role("button", name="Save", exact=True).click()
    expect(page.locator("#step-1 > .row .title")).to_contain_text("If amount of the record is more than 100")
    page.get_by_role("button", name="Undo the last change").click()
    expect(page.locator("#step-1 > .row .title")).to_contain_text("5000")
