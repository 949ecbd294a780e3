"""The pages of the documents in a real Chromium, served by the real app over a copy of the sample's home."""

import io
import re
from collections.abc import Callable
from pathlib import Path

import pytest
from playwright.sync_api import Browser, FilePayload, Locator, Page, Route, expect

from tests.pages import ask, assert_fits_a_phone
from tests.serving import Visit

HOSTILE = "<img src=x onerror=alert(1)>.md"
LOAN = "A harbour drone is lent for nine days at most."
QUESTION = "For how many days is a harbour drone lent?"
MARKDOWN = "# Bicycles\n\nBicycles of visitors stand in shed fourteen, behind the boathouse.\n"

pytestmark = [pytest.mark.browser, pytest.mark.slow]


@pytest.fixture
def page(app: str, visit: Visit) -> Page:
    page = visit(app)
    page.goto("/documents")
    return page


def word(*paragraphs: str) -> bytes:
    from docx import Document

    document = Document()
    document.add_heading("Keys", 1)
    for paragraph in paragraphs:
        document.add_paragraph(paragraph)
    document.save(file := io.BytesIO())
    return file.getvalue()


def upload(page: Page, *files: tuple[str, bytes]) -> None:
    """Uploads files at once and waits until each is searched."""
    payloads = [FilePayload(name=name, mimeType="application/octet-stream", buffer=content) for name, content in files]
    page.set_input_files("input[name=files]", payloads)
    for name, _ in files:
        done(page, name)
        expect(page.locator("tbody th .file").filter(has_text=name)).to_have_text(name)


def chosen(name: str, text: str) -> FilePayload:
    return FilePayload(name=name, mimeType="text/markdown", buffer=f"# Of the harbour\n\n{text}\n".encode())


def queued(page: Page, name: str) -> Locator:
    """The newest row of a file in the queue."""
    return page.locator(".queue li").filter(has_text=name).first


def done(page: Page, name: str) -> None:
    expect(queued(page, name).locator(".state")).to_have_text("Done", timeout=60_000)


def to_the_questions(page: Page) -> None:
    page.goto("/")
    expect(page.locator("#log .welcome")).to_be_visible()
    expect(page.locator("#state .notice")).to_have_count(0, timeout=120_000)


def of_drones(answered: Locator) -> Locator:
    """The sources of an answer that are of drones.pdf, which people read as "Drones"."""
    return answered.locator(".sources > li:has([title='drones.pdf'])")


def look_at(page: Page, name: str) -> None:
    """Opens the page of the document of that file."""
    page.locator("tbody th", has=page.locator(".file").get_by_text(name, exact=True)).get_by_role("link").click()


def remove(page: Page, name: str) -> None:
    page.goto("/documents")
    page.get_by_role("button", name=f"Delete {name}").click()
    page.locator(".card:popover-open").get_by_role("button", name="Delete").click()
    expect(page.locator(".notice.good")).to_contain_text("nothing is left")


def test_documents_go_from_files_to_a_source_that_opens_and_are_withdrawn(
    page: Page, pdf: Callable[..., bytes]
) -> None:
    drones = pdf(
        ("1 Words", ["A harbour drone is a small aircraft of the Foundation."]), ("2 Loans", [LOAN, "Ask first."])
    )
    keys = word("The spare key of the boathouse hangs in the porter's lodge.")
    upload(page, ("drones.pdf", drones), ("keys.docx", keys), (HOSTILE, MARKDOWN.encode()))
    assert page.locator("img").count() == 0

    to_the_questions(page)
    answered = ask(page, QUESTION)
    expect(answered.locator(".words")).to_contain_text(re.compile("nine days", re.IGNORECASE))
    opens = of_drones(answered).get_by_role("link", name="Open").first
    with page.context.expect_page() as opened:
        opens.click()
    source = opened.value
    expect(source.get_by_label("Page, of 2")).to_have_value("2")
    expect(source.locator(".box.around").first).to_be_in_viewport()
    expect(source.locator(".box.bears").first).to_be_visible()
    source.wait_for_function("document.querySelector('.sheet img').naturalWidth > 500")
    box = source.locator(".box.around").first.bounding_box()
    sheet = source.locator(".sheet").bounding_box()
    assert box
    assert sheet
    assert 0.10 < (box["y"] - sheet["y"]) / sheet["height"] < 0.16, "the line is 107 of 842 points from the top"
    expect(source.locator(".evidence-side blockquote mark").filter(has_text="nine days").first).to_be_visible()
    source.keyboard.press("ArrowLeft")
    expect(source.get_by_label("Page, of 2")).to_have_value("1")
    source.keyboard.press("+")
    source.get_by_role("link", name="page 2").click()
    expect(source.locator(".box.around").first).to_be_in_viewport()
    source.close()
    conversation = page.url

    remove(page, "drones.pdf")
    expect(page.locator("tbody th").filter(has_text="drones.pdf")).to_have_count(0)
    page.goto(conversation)
    old = page.locator("#log article").first
    expect(old.locator(".words")).to_contain_text(re.compile("nine days", re.IGNORECASE))
    expect(of_drones(old).locator(".withdrawn").first).to_be_visible()
    expect(of_drones(old).get_by_role("link", name="Open")).to_have_count(0)


def over(route: Route) -> None:
    """A refusal as the gate makes it: a page to who reads pages, else a word."""
    if route.request.method != "POST":
        route.fallback()
    elif "text/html" in route.request.headers["accept"]:
        route.fulfill(status=401, content_type="text/html", body="<h1>Sign in</h1>")
    else:
        route.fulfill(status=401, json={"detail": "You are not signed in any more."})


def test_a_pair_is_written_edited_and_deleted_and_what_is_refused_is_said_beside_what_was_typed(
    app: str, browser: Browser
) -> None:
    page = browser.new_context(base_url=app).new_page()  # of its own: the console tells of every refusal
    page.goto("/documents")
    upload(page, ("sheds.md", MARKDOWN.replace("shed fourteen", "shed fifteen").encode()))
    look_at(page, "sheds.md")
    page.locator(".section summary").first.click()
    page.locator(".add summary").click()
    page.locator(".add").get_by_role("textbox", name="Question").fill("Where is a visiting bicycle kept?")
    page.locator(".add").get_by_role("textbox", name="Answer").fill("Somewhere.")
    page.get_by_role("button", name="Add and approve").click()
    row = page.locator(".pair").filter(has_text="visiting bicycle")
    expect(row.locator(".tag")).to_have_text("Approved")

    other = page.context.new_page()
    other.goto(page.url)
    row.focus()
    page.keyboard.press("e")
    row.get_by_role("textbox", name="Answer").fill("In shed fifteen <b>behind</b> the boathouse.")
    row.get_by_role("button", name="Save and approve").click()
    expect(row.locator(".reply")).to_have_text("In shed fifteen <b>behind</b> the boathouse.")
    expect(row).to_be_focused()
    late = other.locator(".pair").filter(has_text="visiting bicycle")
    late.get_by_text("Edit", exact=True).click()
    answer = late.get_by_role("textbox", name="Answer")
    answer.fill("My own words.")
    late.get_by_role("button", name="Save and approve").click()
    expect(late.locator(".notice")).to_contain_text("meanwhile")
    expect(answer).to_have_value("My own words.")
    expect(late.locator(".reply")).to_contain_text("shed fifteen")

    other.route("**/documents/pairs", over)
    late.get_by_role("button", name="Save mine instead").click()
    expect(late.locator(".error")).to_have_text("You are not signed in any more.")
    expect(answer).to_have_value("My own words.")
    other.unroute("**/documents/pairs")
    late.get_by_role("button", name="Delete").click()
    expect(late.locator(".tag")).to_have_text("Deleted")
    other.route("**/documents/pairs", over)
    late.get_by_role("button", name="Restore").click()
    expect(late.locator(".error")).to_have_text("You are not signed in any more.")
    other.unroute("**/documents/pairs")
    late.get_by_role("button", name="Restore").click()
    expect(late.locator(".tag")).to_have_text("Approved")
    page.context.close()


def test_readers_are_chosen_before_and_after_an_upload_by_keyboard_and_by_a_slow_press(page: Page) -> None:
    page.get_by_text("Who can read new documents").click()
    page.get_by_label("These units").check()
    page.set_input_files("input[name=files]", chosen("pay.md", "The pay round is in May."))
    expect(page.locator(".drop .status")).to_contain_text("say which units")
    expect(queued(page, "pay.md")).to_have_count(0)
    box, option = page.get_by_role("combobox", name="Add a unit"), page.locator("main").get_by_role("option").first
    expect(box).to_be_focused()
    box.fill("ethics off")
    expect(option).to_contain_text("Ethics Office")
    option.hover()
    page.mouse.down()
    page.wait_for_timeout(500)
    page.mouse.up()
    expect(page.locator(".chips li")).to_contain_text("Ethics Office")
    expect(box).to_be_focused()
    box.fill("ethics off")
    expect(option).to_be_visible()
    page.keyboard.press("Tab")
    expect(option).to_be_hidden()
    upload(page, ("pay.md", b"# Pay\n\nThe pay round is in May.\n"))
    row = page.locator("tbody tr").filter(has_text="pay.md")
    expect(row.locator("[data-name=Readers]")).to_have_text("Ethics Office")

    look_at(page, "pay.md")
    page.wait_for_load_state()
    page.get_by_role("button", name="Take out Ethics Office").press("Enter")
    box.fill("board of trust")
    expect(option).to_contain_text("Board of Trustees")
    box.press("Enter")
    expect(page.locator(".chips li")).to_contain_text("Board of Trustees")
    page.get_by_role("button", name="Save who may read it").click()
    expect(page.locator(".notice.good")).to_be_visible()
    page.goto("/documents")
    expect(row.locator("[data-name=Readers]")).to_have_text("Board of Trustees")


def test_a_document_is_replaced_from_its_page_or_when_somebody_says_so(page: Page) -> None:
    question = page.get_by_role("group", name="To be replaced")

    def choose(word: str) -> None:
        files = [chosen(name, f"The quay of {name} closes at {word}.") for name in ("quay.md", f"{word}.md")]
        page.set_input_files("input[name=files]", files)
        expect(question).to_contain_text("This document is here already, with other contents. Replace it?quay.md")
        done(page, f"{word}.md")

    upload(page, ("quay.md", b"# Quay\n\nThe quay closes at five.\n"))
    look_at(page, "quay.md")
    page.wait_for_load_state()
    page.set_input_files(".replace input", chosen("quay (2).md", "The quay closes at nine."))
    page.wait_for_url("**/documents#queue")
    expect(queued(page, "quay.md").locator(".said")).to_contain_text("replaced", timeout=60_000)
    expect(page.locator("tbody th .file").filter(has_text="quay")).to_have_text("quay.md")
    look_at(page, "quay.md")
    page.get_by_role("link", name="Open", exact=True).first.click()
    expect(page.locator(".reading-text")).to_contain_text("closes at nine")
    with page.expect_download() as download:
        page.get_by_role("link", name="Download").click()
    assert download.value.suggested_filename == "quay.md"

    page.goto("/documents")
    page.get_by_role("button", name="Clear what has ended").click()
    page.set_input_files("input[name=files]", chosen("quay.md", "The quay closes at nine."))
    expect(page.locator(".drop .status")).to_contain_text("quay.md is here already, unchanged: there is nothing to do.")
    expect(question).to_have_count(0)
    page.set_input_files("input[name=files]", chosen("quay.md", "The quay closes at ten."))
    choose("six")  # one that is asked about already is not asked about again
    question.get_by_role("button", name="Leave out").click()
    expect(question).to_have_count(0)
    choose("seven")
    expect(queued(page, "quay.md")).to_have_count(0)
    expect(question).to_be_focused()
    page.keyboard.press("Enter")
    page.keyboard.press("Tab")
    expect(question.get_by_role("button", name="Replace")).to_be_focused()
    page.keyboard.press("Enter")
    expect(queued(page, "quay.md").locator(".said")).to_contain_text("replaced", timeout=60_000)
    page.get_by_role("button", name="Clear what has ended").click()
    expect(queued(page, "quay.md")).to_have_count(0)
    choose("eight")
    page.get_by_text("Who can read new documents").click()
    page.get_by_label("These units").check()  # too late for files that were chosen before
    question.get_by_role("button", name="Replace").click()
    expect(queued(page, "quay.md").locator(".said")).to_contain_text("replaced", timeout=60_000)
    look_at(page, "quay.md")
    page.get_by_role("link", name="Open", exact=True).first.click()
    expect(page.locator(".reading-text")).to_contain_text("closes at eight")


def test_an_upload_is_shown_in_progress_and_cancelled(page: Page) -> None:
    def long(word: str) -> bytes:
        rule = "## {0} {1}\n\nThe keeper of {0} {1} reports to the harbour board every {2} weeks, in writing.\n\n"
        return b"# Rules\n\n" + "".join(rule.format(word, number, number + 2) for number in range(2_000)).encode()

    def row(name: str) -> Locator:
        return page.locator(".queue li").filter(has_text=name)

    files = {"buoy.md": b"# Buoys\n\nA buoy is red.\n", "gates.md": long("Gate"), "locks.md": long("Lock")}
    payloads = [FilePayload(name=name, mimeType="text/markdown", buffer=content) for name, content in files.items()]
    page.set_input_files("input[name=files]", payloads)
    expect(row("buoy.md").locator(".state")).to_have_text("Done", timeout=60_000)
    expect(row("gates.md").locator(".state")).to_have_text("Being worked on")
    expect(row("gates.md").get_by_role("progressbar")).to_be_visible()
    expect(row("locks.md").locator(".state")).to_have_text("Waiting")
    expect(page.locator(".queue-part h2")).to_contain_text("2 in work, about", timeout=30_000)
    expect(row("gates.md").locator(".count")).to_have_text(re.compile(r"[\d,]+ of [\d,]+"), timeout=60_000)

    page.get_by_role("button", name="Cancel locks.md").click()
    expect(row("locks.md").locator(".state")).to_have_text("Cancelled")
    page.get_by_role("button", name="Cancel gates.md").click()
    expect(row("gates.md").locator(".state")).to_have_text("Cancelled", timeout=60_000)
    expect(page.locator(".queue-part h2")).to_have_text("Nothing in work")
    expect(page.locator("tbody th").filter(has_text="buoy.md")).to_have_count(1)
    page.reload()
    expect(page.locator("tbody th .file").filter(has_text=re.compile("gates|locks"))).to_have_count(0)
    expect(row("gates.md").get_by_role("button", name="Try again: gates.md")).to_be_visible()


def test_what_is_refused_in_the_queue_is_said_and_an_ended_session_leads_to_sign_in(app: str, browser: Browser) -> None:
    context = browser.new_context(base_url=app)  # of its own: the console tells of every refusal
    page = context.new_page()
    page.goto("/documents")
    upload(page, ("mole.md", b"# Mole\n\nThe mole is long.\n"))
    row = page.locator(".queue li").filter(has_text="mole.md")
    page.route("**/queue/clear", lambda route: route.fulfill(status=409, json={"detail": "No <b>space</b> is left."}))
    page.get_by_role("button", name="Clear what has ended").click()
    expect(page.get_by_role("alert").filter(has_text="No <b>space</b> is left.")).to_be_visible()
    page.unroute("**/queue/clear")
    page.get_by_role("button", name="Clear what has ended").click()
    expect(row).to_have_count(0)
    expect(page.get_by_role("alert").filter(has_text="space")).to_have_count(0)

    page.route("**/documents/queue", lambda route: route.fulfill(status=401, json={"detail": "x"}), times=1)
    with page.expect_navigation(timeout=60_000):
        page.evaluate("document.dispatchEvent(new Event('visibilitychange'))")
    remove(page, "mole.md")
    context.close()


def test_files_are_dropped_anywhere_folders_are_uploaded_and_bad_files_say_why(page: Page, tmp_path: Path) -> None:
    page.evaluate(
        """() => {
            const data = new DataTransfer();
            data.items.add(new File(["# Lamp\\n\\nThe lamp of the pier burns until two.\\n"], "lamp.md"));
            data.items.add(new File(["x"], "lamp.exe"));
            const how = { dataTransfer: data, bubbles: true, cancelable: true };
            for (const kind of ["dragover", "drop"]) document.body.dispatchEvent(new DragEvent(kind, how));
        }"""
    )
    done(page, "lamp.md")
    expect(page.locator(".drop .status")).to_contain_text("1 file was left out")
    page.reload()
    folder = tmp_path / "rules"
    (folder / "old").mkdir(parents=True)
    (folder / "notes.md").write_text("# New\n\nThe ferry leaves at six.\n")
    (folder / "old" / "notes.md").write_text("# Old\n\nThe ferry leaves at five.\n")
    (folder / "picture.gif").write_bytes(b"x")
    (folder / "empty.pdf").write_bytes(b"")
    page.set_input_files("input[name=folder]", folder)
    expect(page.locator(".drop .status")).to_contain_text("1 file was left out")
    for name in ("rules/notes.md", "rules/old/notes.md"):
        done(page, name)
    failed = queued(page, "empty.pdf")
    expect(failed.locator(".state")).to_have_text("Failed")
    expect(failed.get_by_role("button", name="Try again: empty.pdf")).to_be_visible()
    page.reload()
    expect(failed.locator(".state")).to_have_text("Failed")
    page.get_by_role("button", name="Clear what has ended").click()
    expect(page.locator(".queue li")).to_have_count(0)


def test_the_pages_fit_a_phone(phone: Page) -> None:
    phone.goto("/documents")
    document = phone.locator("tbody th a").first.get_attribute("href")
    for address in ("/documents", "/documents/pairs", "/documents/examples", f"{document}", f"{document}/view"):
        for scheme in ("light", "dark"):
            phone.emulate_media(color_scheme=scheme)  # type: ignore[arg-type]
            phone.goto(address)
            assert_fits_a_phone(phone, scheme)
