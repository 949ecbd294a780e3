"""The pages of the chart in a real Chromium, served by the real app over a copy of the sample's home."""

import csv
import io
import re
from pathlib import Path

import pytest
from playwright.sync_api import FilePayload, Page, expect

from tests.pages import ask, assert_fits_a_phone
from tests.serving import Visit

SAMPLE = Path(__file__).parents[3] / "examples" / "larkmoor" / "chart.csv"
DRONES = "Harbour Drones Office"
DRONES_QUESTION = f"Where does the {DRONES} sit?"
HOSTILE = "<img src=http://evil.example/x onerror=alert(1)><script>alert(2)</script>"

pytestmark = [pytest.mark.browser, pytest.mark.slow]


@pytest.fixture
def page(app: str, visit: Visit) -> Page:
    """A visit to the chart."""
    page = visit(app)
    page.goto("/charts")
    expect(page.locator(".crumbs li").first).to_be_visible()
    return page


def table(*rows: tuple[str, ...]) -> bytes:
    text = io.StringIO(newline="")
    csv.writer(text).writerows(rows)
    return text.getvalue().encode()


def large(units: int) -> bytes:
    return table(("name", "parent"), ("Unit 0", ""), *((f"Unit {n}", f"Unit {(n - 1) // 9}") for n in range(1, units)))


def upload(page: Page, content: bytes, name: str = "next.csv") -> None:
    page.goto("/charts")
    page.set_input_files("input[type=file]", FilePayload(name=name, mimeType="text/csv", buffer=content))
    page.wait_for_url("**/charts/uploads/*")
    expect(page.locator(".decide")).to_be_visible()


def to_the_questions(page: Page) -> None:
    page.get_by_role("link", name="New conversation").first.click()
    expect(page.locator("#log .welcome")).to_be_visible()
    # Gradio complains on the console when it is left while it waits for the model to come up.
    expect(page.locator("#state .notice")).to_have_count(0, timeout=120_000)


def test_a_chart_goes_from_a_file_to_an_answer_and_back(page: Page) -> None:
    to_the_questions(page)
    upload(page, table(("name", "parent"), ("Club", ""), ("Bar", "Clib"), ("Bar", "Club"), ("", "Club")), "broken.csv")
    expect(page.locator(".problems.errors .row")).to_have_text(["row 3", "row 5"])
    expect(page.locator(".problems.errors li").first).to_contain_text('Did you mean "Club"?')
    expect(page.get_by_role("button", name="Activate")).to_be_disabled()
    page.get_by_role("button", name="Discard").click()
    expect(page.locator(".waiting")).to_have_count(0)

    upload(page, SAMPLE.read_bytes() + table((DRONES, "Secretary General", "office", "HDO", "Flies over the harbour.")))
    expect(page.locator(".changes .added li")).to_have_text(re.compile(f"{DRONES}.*under Secretary General"))
    expect(page.locator(".changes details")).to_have_count(1)
    page.get_by_role("button", name="Next change").click()
    expect(page.locator(".unit h2")).to_have_text(DRONES)
    expect(page.locator(".outline [aria-selected=true] > .line")).to_contain_text("added")
    page.get_by_role("button", name="Activate").dblclick()
    expect(page.locator(".notice.good")).to_contain_text("next.csv")
    expect(page.locator(".versions tbody tr")).to_have_count(2)

    to_the_questions(page)
    answered = ask(page, DRONES_QUESTION)
    expect(answered.locator(".words")).to_contain_text("Secretary General")
    expect(answered.locator(".found li").first).to_have_text(re.compile(r"The chart of \d+ \w+ \d+$"))
    conversation = page.url

    page.get_by_role("link", name="Organization chart").click()
    page.get_by_role("link", name=re.compile("Compare")).click()
    expect(page.locator(".changes .removed li")).to_contain_text(DRONES)
    page.get_by_role("button", name="Roll back").click()
    expect(page.locator(".notice.good")).to_contain_text("chart.csv")
    to_the_questions(page)
    again = ask(page, DRONES_QUESTION)
    expect(again.locator(".words")).not_to_contain_text("under the Secretary General")
    page.goto(conversation)
    expect(page.locator("#log .found li").first).to_have_text(re.compile(r"; another one is in use now$"))


def test_names_that_are_html_stay_text(page: Page) -> None:
    upload(
        page, table(("name", "parent", "aliases", HOSTILE), ("Club", "", "", ""), (HOSTILE, "Club", HOSTILE, HOSTILE))
    )
    page.get_by_role("combobox", name="Find a unit").fill("<img")
    expect(page.locator("#found [role=option]")).to_contain_text(HOSTILE)
    page.keyboard.press("Enter")
    for part in (".crumbs [aria-current]", ".outline [aria-selected=true] .name", ".unit h2"):
        expect(page.locator(part)).to_have_text(HOSTILE)
    expect(page.locator(".unit dt").filter(has_text=HOSTILE)).to_be_visible()
    assert page.locator("img").count() == 0


def test_the_outline_and_the_picture_are_used_by_keyboard(page: Page) -> None:
    chosen = page.locator(".outline [aria-selected=true] > .line .name")
    crumb = page.locator(".crumbs [aria-current]")
    page.locator(".outline [tabindex='0']").focus()
    for key, name in (
        ("ArrowDown", "General Assembly"),
        ("ArrowRight", "General Assembly"),
        ("ArrowRight", "President of the General Assembly"),
        ("ArrowLeft", "General Assembly"),
        ("ArrowLeft", "General Assembly"),
        ("ArrowDown", "Board of Trustees"),
        ("Home", "Larkmoor Foundation"),
        ("End", "Secretary General"),
        ("s", "Scientific Council"),
    ):
        page.keyboard.press(key)
        expect(chosen).to_have_text(name)
        expect(crumb).to_have_text(name)
        expect(page.locator(".outline :focus > .line .name")).to_have_text(name)
    expect(page.locator("[role=treeitem]", has_text="Board of Trustees").last).to_have_attribute("aria-level", "2")
    page.locator("canvas").focus()
    for key, name in (
        ("ArrowRight", "Research Ethics Board"),
        ("ArrowDown", "Prize Jury (Golden Heron)"),
        ("Escape", "Scientific Council"),
        ("ArrowUp", "Board of Trustees"),
    ):
        page.keyboard.press(key)
        expect(crumb).to_have_text(name)
        expect(chosen).to_have_text(name)
    box = page.get_by_role("combobox", name="Find a unit")
    box.fill("exco")
    expect(page.locator("#found [role=option]").first).to_contain_text("Executive Committee")
    box.press("Enter")
    expect(crumb).to_have_text("Executive Committee")
    expect(chosen).to_have_text("Executive Committee")
    expect(page.locator(".unit")).to_contain_text("Committee of Five")


def test_the_page_fits_a_phone_in_light_and_dark(phone: Page) -> None:
    for scheme in ("light", "dark"):
        phone.emulate_media(color_scheme=scheme)  # type: ignore[arg-type]
        phone.goto("/charts")
        expect(phone.locator(".crumbs li").first).to_be_visible()
        assert_fits_a_phone(phone, scheme)
    expect(phone.locator(".outline")).to_be_hidden()
    phone.get_by_role("button", name="Outline").tap()
    expect(phone.locator(".outline")).to_be_visible()


def test_ten_thousand_units_stay_fluid(page: Page) -> None:
    upload(page, large(10_000))
    expect(page.locator(".crumbs li").first).to_be_visible()
    page.locator("canvas").focus()
    cost = page.evaluate(
        """async () => {
            const canvas = document.querySelector("canvas");
            const { left, top, height } = canvas.getBoundingClientRect();
            const costs = [];
            for (let turn = 0; turn < 90; turn++) {
                const place = { clientX: left + 300, clientY: top + height * (0.5 + 0.4 * Math.sin(turn / 9)) };
                const deltaY = turn % 45 < 30 ? -40 : 80;
                canvas.dispatchEvent(new WheelEvent("wheel", { deltaY, ...place, cancelable: true }));
                await new Promise(requestAnimationFrame);
                await new Promise(requestAnimationFrame);
                costs.push(Number(canvas.dataset.frame));
            }
            return costs.sort((one, other) => one - other)[Math.floor(costs.length / 2)];
        }"""
    )
    assert cost < 16, f"a frame takes {cost} ms to draw"


def test_from_right_to_left_the_outline_opens_with_the_arrow_and_the_press_that_lead_further_down(
    app: str, visit: Visit
) -> None:
    page = visit(app, locale="ar")
    page.goto("/charts")
    chosen = page.locator(".outline [aria-selected=true] > .line .name")
    page.locator(".outline [tabindex='0']").focus()
    for key, name in (
        ("ArrowDown", "General Assembly"),
        ("ArrowLeft", "General Assembly"),
        ("ArrowLeft", "President of the General Assembly"),
        ("ArrowRight", "General Assembly"),
    ):
        page.keyboard.press(key)
        expect(chosen).to_have_text(name)
    item = page.locator("[role=treeitem][aria-selected=true]")
    expect(item).to_have_attribute("aria-expanded", "true")
    line = item.locator("> .line")
    box = line.bounding_box()
    assert box is not None
    line.click(position={"x": box["width"] - 20, "y": box["height"] / 2})
    expect(item).to_have_attribute("aria-expanded", "false")
    expect(chosen).to_have_text("General Assembly")
