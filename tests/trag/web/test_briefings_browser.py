"""The page Briefings in a real Chromium, served by the real app over a small home, one document of which is closed to
some."""

from collections.abc import Iterator
from contextlib import closing
from typing import NamedTuple

import pytest
from playwright.sync_api import Page, expect

from store.person import Newcomer
from store.records import Records
from tests.pages import assert_fits, assert_fits_a_phone
from tests.serving import Visit, trag
from tests.trag.test_briefs import CHART, MANUAL, SECRET
from tests.trag.web.conftest import Serving
from tests.trag.web.documents.test_browser import upload
from tests.trag.web.test_plans_browser import press

pytestmark = [pytest.mark.browser, pytest.mark.slow]


class Office(NamedTuple):
    """The address of the app, and the cookie of each person."""

    address: str
    cookies: dict[str, str]


@pytest.fixture(scope="module")
def office(serving: Serving, model_address: str, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Office]:
    place = tmp_path_factory.mktemp("briefings")
    home, cookies = place / "home", {}
    for name, content in (("chart.csv", CHART), ("manual.md", MANUAL.encode()), ("secret.md", SECRET.encode())):
        (place / name).write_bytes(content)
    trag(home, "chart", "activate", str(place / "chart.csv"))
    trag(home, "ingest", str(place / "manual.md"))
    trag(home, "ingest", str(place / "secret.md"), "--readers", "Finance Division")
    with closing(Records(f"sqlite:///{home}/trag.db")) as records:
        for name, role in (("ada", "admin"), ("leo", "employee")):
            newcomer = Newcomer(name, shown=name.title(), role=role, state="active")  # type: ignore[arg-type]
            cookies[name] = records.sessions.begin(records.people.add(newcomer, by="test").id)[0]
    with serving(home, model_address) as (address, _):
        yield Office(address, cookies)


def written(page: Page) -> None:
    expect(page.get_by_role("heading", name="Sources", exact=True)).to_be_visible(timeout=120_000)


def test_somebody_has_a_briefing_written_opens_takes_shares_and_brings_it_up_to_date(
    office: Office, visit: Visit
) -> None:
    page = visit(office.address, office.cookies["ada"])
    page.goto("/")
    page.get_by_label("Your question").fill("brief me on the Ethics Office")
    page.get_by_role("button", name="Ask", exact=True).click()
    page.get_by_role("link", name="Write a briefing on Ethics Office").click(timeout=60_000)
    expect(page.get_by_label("A unit, or a topic")).to_have_value("Ethics Office")
    page.get_by_label("Full").check()
    page.get_by_role("button", name="Write the briefing").click()
    expect(page.locator("#written q").first).to_be_visible(timeout=120_000)
    written(page)
    expect(page.locator(".briefing")).to_contain_text("Zorblatt")
    with page.expect_popup() as opened:
        page.locator(".prose a.cite-at[target]").first.click()
    expect(opened.value.locator("#here mark").first).to_be_visible()
    page.get_by_text("What it was written from").first.click()
    expect(page.locator(".from[open] blockquote").first).to_be_visible()
    expect(page.locator(".unsaid")).to_contain_text("What is the colour of the roof?")
    for name, end in (("Word", "docx"), ("Markdown", "md")):
        with page.expect_download() as download:
            page.get_by_role("link", name=name, exact=True).click()
        assert download.value.suggested_filename == f"Ethics Office.{end}"
    page.get_by_role("button", name="Right", exact=True).click()
    expect(page.get_by_role("button", name="Right", exact=True)).to_have_attribute("aria-pressed", "true")
    page.get_by_label("With").fill("leo")
    page.get_by_role("button", name="Share", exact=True).click()
    expect(page.locator(".share li")).to_contain_text("Leo")
    first = page.url.partition("?")[0]
    assert_fits(page, first, "/briefings", "/overview")

    other = visit(office.address, office.cookies["leo"])
    other.goto("/briefings")
    other.get_by_role("link", name="Ethics Office").click()
    expect(other.locator(".briefing")).to_contain_text("gives confidential advice")
    assert "Zorblatt" not in other.content()
    assert "secret" not in other.content()

    page.goto("/documents")
    page.get_by_role("link", name="Manual", exact=True).click()
    page.wait_for_load_state()
    changed = MANUAL.replace("within ten days", "within 15 days").replace("within 3 days", "within 4 days").encode()
    page.set_input_files(".replace input", {"name": "manual.md", "mimeType": "text/markdown", "buffer": changed})
    page.wait_for_url("**/documents#queue")
    expect(page.locator(".queue li .said").first).to_contain_text("replaced", timeout=120_000)
    page.goto(first)
    expect(page.locator(".changed")).to_contain_text("changed since")
    page.get_by_role("button", name="Bring it up to date").click()
    written(page)
    expect(page.locator(".changed")).to_have_count(0)
    different = page.locator(".revised")
    expect(different).to_have_count(2)
    for title, days in (("2 Gifts", "15 days"), ("3 Whistle-blowing", "4 days")):
        mended = page.get_by_role("region", name=title).locator(".revised")
        mended.locator("summary").click()
        expect(mended.locator("ins").first).to_contain_text(days)
    page.get_by_role("link", name="The version before").click()
    expect(page.get_by_role("link", name="A newer version")).to_be_visible()
    other.goto("/briefings")
    expect(other.locator("#shared-briefs + ul li")).to_have_count(1)


def test_it_is_stopped_in_the_middle_with_the_keyboard_on_a_phone(office: Office, visit: Visit) -> None:
    phone = visit(
        office.address,
        office.cookies["leo"],
        viewport={"width": 390, "height": 844},
        is_mobile=True,
        has_touch=True,
        color_scheme="dark",
    )
    phone.goto("/briefings")
    phone.keyboard.type("parking permit")
    phone.keyboard.press("Enter")
    expect(phone.locator("#written q, .briefing").first).to_be_visible(timeout=120_000)
    stop = phone.get_by_role("button", name="Stop")
    if stop.is_visible():
        press(phone, "Stop")
    expect(phone.locator("#working")).to_have_count(0, timeout=60_000)
    expect(phone.locator(".briefing")).to_contain_text("20 LMD")
    assert_fits_a_phone(phone, "dark")
    phone.goto("/briefings?subject=Registry")
    phone.get_by_role("button", name="Write the briefing").click()
    expect(phone.get_by_role("heading", name="Which do you mean?")).to_be_visible(timeout=60_000)
    phone.get_by_role("button", name="Legal Division > Registry").click()
    expect(phone.locator(".briefing")).to_contain_text("under the Legal Division", timeout=60_000)
    assert_fits_a_phone(phone, "dark")


def test_an_admin_sees_what_no_document_says_and_what_does_by_now(office: Office, visit: Visit) -> None:
    page = visit(office.address, office.cookies["ada"])
    page.goto("/documents")
    page.get_by_role("link", name="Not answered").click()
    row = page.locator(".questions li", has_text="What is the colour of the roof?")
    expect(row).to_have_count(1)
    page.goto("/documents")
    upload(page, ("roof.md", b"# House\n\n## Roof\n\nThe colour of the roof is green.\n"))
    page.goto("/overview")
    page.get_by_role("button", name="Look again").click()
    expect(row.locator(".since")).to_contain_text("House", timeout=60_000)


def test_it_works_without_script(office: Office, visit: Visit) -> None:
    page = visit(office.address, office.cookies["leo"], java_script_enabled=False)
    page.goto("/briefings")
    page.get_by_label("A unit, or a topic").fill("parking permit")
    page.get_by_role("button", name="Write the briefing").click()
    written(page)
    expect(page.locator(".briefing")).to_contain_text("20 LMD")
