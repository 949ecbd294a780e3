"""The page Get it done in a real Chromium, served by the real app over the sample's home with a small book."""

import json
import shutil
from contextlib import closing
from pathlib import Path
from uuid import uuid4

import pytest
from playwright.sync_api import Page, expect

from prompts import CANNOT_ANSWER
from store.records import Records
from tests.pages import assert_fits, assert_fits_a_phone
from tests.serving import Visit, trag
from trag.flow.record import Chosen, PlanRecord

WRITTEN = {"document": "part-1-foundations.md", "section": "1.4"}
TRUSTEES = "Board of Trustees"
ACTIONS = [
    {"id": "Propose", "title": "Propose the member", "needs": ["two_signatures"], "gives": ["proposal"]},
    {"id": "Admit", "title": "Admit the member", "needs": ["proposal"], "gives": ["admission"], "unit": TRUSTEES}
    | {"for": [TRUSTEES]},
    {"id": "Welcome", "title": "Welcome the member", "needs": ["admission"], "gives": ["welcome"]},
    {"id": "Leave", "title": "Declare that one leaves", "gives": ["declaration"]},
]
STEPS = [
    {"text": "Two members propose.", "actions": ["Propose"]},
    {"text": "The trustees admit.", "actions": ["Admit", "Welcome"]},
]
PROCEDURES = [
    {"id": "join", "title": "Become a member of the Foundation", "source": WRITTEN, "steps": STEPS},
    {"id": "leave", "title": "Leave the membership of the Foundation", "source": WRITTEN}
    | {"steps": [{"text": "Say so.", "actions": ["Leave"]}]},
]
BOOK = {"actions": [each | {"source": WRITTEN} for each in ACTIONS], "procedures": PROCEDURES}

pytestmark = [pytest.mark.browser, pytest.mark.slow]


@pytest.fixture(scope="module")
def own_home(sample_home: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The sample's home with the book."""
    place = tmp_path_factory.mktemp("planned")
    home = Path(shutil.copytree(sample_home, place / "home", symlinks=True))
    (place / "procedures.json").write_text(json.dumps(BOOK))
    trag(home, "procedures", "activate", str(place / "procedures.json"))
    return home


def test_somebody_asks_ticks_plans_anew_opens_the_source_and_judges(app: str, visit: Visit) -> None:
    page = visit(app)
    page.goto("/plans")
    page.get_by_label("What do you want to get done?").fill("How do I become a member of the Foundation?")
    page.get_by_role("button", name="Show me the steps").click()
    choose(page, "Become a member of the Foundation")
    all_of_them = ["1 Propose the member", "2 Admit the member", "3 Welcome the member"]
    expect(page.locator(".planned label")).to_have_text(all_of_them)
    expect(page.locator(".planned.handed .who")).to_contain_text(f"{TRUSTEES} does this")
    expect(page.locator(".at-hand li")).to_have_text(["two signatures"])
    with page.expect_popup() as opened:
        page.get_by_role("link", name="Admit the member, as it is written").click()
    expect(opened.value.locator("#here")).to_contain_text("ember")
    expect(opened.value.locator("h1")).to_contain_text("Part 1: Foundations")
    page.get_by_text("As a picture").click()
    row, line = page.locator(".flow li.action").nth(1).bounding_box(), page.locator(".flow path").first.bounding_box()
    assert row
    assert line
    assert row["y"] < line["y"] < row["y"] + row["height"]
    page.get_by_label("Propose the member").check()
    page.get_by_role("button", name="Plan anew").click()
    expect(page.locator(".done-before")).to_have_text("Propose the member")
    expect(page.locator(".planned label")).to_have_text(["1 Admit the member", "2 Welcome the member"])
    page.get_by_role("button", name="Right", exact=True).click()
    expect(page.get_by_role("button", name="Right", exact=True)).to_have_attribute("aria-pressed", "true")
    expect(page.locator(".made-before [aria-current]")).to_have_count(1)
    page.locator(".made-before li a").last.click()
    expect(page.locator("h1")).to_have_text("How do I become a member of the Foundation?")
    assert_fits(page, page.url)
    assert_fits(page, "/plans")


def test_two_near_ones_a_refusal_and_the_keyboard_alone(app: str, own_home: Path, phone: Page) -> None:
    join, leave = (Chosen(one["id"], one["title"]) for one in PROCEDURES)
    which = PlanRecord(uuid4().hex, "membership of the Foundation", "ask_which", choices=(join, leave))
    refused = PlanRecord(uuid4().hex, "bake a cake", "cannot_answer", choices=(join,))
    with closing(Records(f"sqlite:///{own_home}/trag.db")) as records:
        for one in (which, refused):
            records.save_answer(one.id, None, one.request, "", one.to_json(), asker="local", kind="plan")
    phone.goto("/plans")
    phone.keyboard.type("membership of the Foundation")
    phone.keyboard.press("Tab")
    phone.keyboard.press("Enter")
    expect(phone.get_by_role("heading", name="membership of the Foundation")).to_be_visible(timeout=120_000)
    phone.goto(f"/plans/{which.id}")
    expect(phone.get_by_role("heading", name="Which do you mean?")).to_be_visible()
    expect(phone.locator(".offers button")).to_have_count(2)
    assert_fits_a_phone(phone, "light")
    press(phone, "Leave the membership of the Foundation")
    expect(phone.locator(".planned")).to_be_visible(timeout=120_000)
    press(phone, "1 Declare that one leaves", " ")
    press(phone, "Plan anew from what is done")
    expect(phone.get_by_text("Nothing: all of it is done.")).to_be_visible()
    phone.goto(f"/plans/{refused.id}")
    expect(phone.get_by_role("heading", name=CANNOT_ANSWER)).to_be_visible()
    press(phone, "Become a member of the Foundation")
    expect(phone.locator(".planned")).to_have_count(3)
    assert_fits_a_phone(phone, "light")


def choose(page: Page, title: str) -> None:
    """Says which procedure is meant, where that is asked."""
    one = page.get_by_role("button", name=title)
    expect(page.locator(".follows").or_(one)).to_be_visible(timeout=120_000)
    if one.is_visible():
        one.click()
    expect(page.locator(".follows")).to_contain_text(title)


def press(page: Page, name: str, key: str = "Enter") -> None:
    """Goes on with Tab to what is called so, and presses a key there."""
    for _ in range(60):
        page.keyboard.press("Tab")
        here = page.evaluate("(document.activeElement.labels?.[0] ?? document.activeElement).textContent")
        if " ".join(here.split()) == name:
            return page.keyboard.press(key)
    raise AssertionError(f"no way leads to {name}")
