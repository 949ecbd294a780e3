"""An approved answer in a real browser: pinned by a reviewer, asked for in other words, and marked."""

from collections.abc import Callable
from contextlib import closing
from datetime import UTC, datetime
from pathlib import Path

import pytest
from playwright.sync_api import BrowserContext, Locator, Page, expect

from store.records import Records
from trag.record import AnswerRecord, CheckedSentence, Checks, ModelUsed, Source
from trag.review import approvals
from trag.review.verdicts import put_label

pytestmark = [pytest.mark.slow, pytest.mark.browser]
MANUAL = "part-1-foundations.md"
QUESTION = "How do I open the archive?"
REPLY = "Ask the archivist for the key. The archive opens at nine."


@pytest.fixture
def pinned(own_home: Path) -> Source:
    """A source of the manual, and an answer that stands on it and is pinned while the app runs."""
    with closing(Records(f"sqlite:///{own_home}/trag.db")) as records:
        passage = next(each for each in records.library.passages(MANUAL) if each.kind == "section")
        source = Source(passage.id, "section", MANUAL, passage.section, passage.page, passage.text, 0.8)
        checks = Checks((CheckedSentence("The archive opens at nine.", True, source.id),))
        model = ModelUsed("small", "0", "")
        record = AnswerRecord("a", QUESTION, QUESTION, REPLY, "answered", model, sources=(source,), checks=checks)
        records.save_answer("a", None, QUESTION, REPLY, record.to_json())
        put_label(records, "a", "rita", "Correct", "", "")
        approvals.pin(records, "a", QUESTION, REPLY, [MANUAL], "", by="Rita Moor")
    return source


def test_an_approved_answer_is_marked_and_its_source_opens(
    context: BrowserContext, pinned: Source, ask: Callable[[Page, str], Locator]
) -> None:
    page = context.new_page()
    page.goto("/")
    turn = ask(page, "hi, how can I open the archive please")
    expect(turn.locator(".badge")).to_have_text(f"Approved by Rita Moor on {datetime.now(UTC):%-d %b %Y}")
    expect(turn.locator(".words")).to_contain_text("Ask the archivist for the key. The archive opens at nine.")
    expect(turn.locator(".reason").first).to_have_text(f"For the question: {QUESTION}")
    with context.expect_page() as opened:
        turn.get_by_role("link", name="Open source 1").click()
    expect(opened.value.locator("#here")).to_contain_text(" ".join(pinned.text.split()[:4]))
    turn.get_by_role("button", name="Correct", exact=True).click()
    expect(turn.get_by_role("status")).to_have_text("Saved")

    other = ask(page, "How do I close the archive?")
    expect(other.locator(".badge")).not_to_contain_text("Approved")
