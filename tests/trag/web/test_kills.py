"""The model, and then the app itself, killed while somebody asks, in a real Chromium, and again while many judge by
their programs' calls."""

import re
import threading
import time
from collections.abc import Callable
from contextlib import AbstractContextManager, closing
from itertools import count
from pathlib import Path
from uuid import uuid4

import httpx2 as httpx
import psutil
import pytest
from playwright.sync_api import Browser, expect

from store.records import Records
from tests.pages import ask
from tests.serving import Job
from trag.record import VERDICTS, AnswerRecord, ModelUsed

Serving = Callable[..., AbstractContextManager[tuple[str, Job]]]
LABELS = (1, 40, 7, 20)
"""How many labels are acknowledged before each kill of the app, at least."""
AT_ONCE = 4
"""Who judge at the same time."""
CHART_QUESTION = "Where does the Ethics Office sit?"

pytestmark = [pytest.mark.browser, pytest.mark.slow]


def test_a_killed_model_is_told_soon_and_a_killed_app_has_every_answer_and_label_that_was_shown(
    serving: Serving, own_home: Path, model_address: str, browser: Browser
) -> None:
    with serving(own_home) as (address, process):
        page = browser.new_page(base_url=address)
        page.goto("/")
        expect(page.locator("#log .welcome")).to_be_visible()
        expect(page.locator("#state .notice")).to_have_count(0, timeout=120_000)
        page.get_by_label("Your question").fill("Tell me all that the manual says about travel and money.")
        page.keyboard.press("Enter")
        expect(page.locator("#live .words")).to_contain_text(re.compile(r"\w+ \w+"), timeout=120_000)
        (worker,) = psutil.Process(process.pid).children()
        worker.kill()
        killed = time.monotonic()
        expect(page.locator("#log article")).to_contain_text("process ended", timeout=30_000)
        assert time.monotonic() - killed < 10  # within two seconds where nothing else runs
        answered = ask(page, CHART_QUESTION)
        expect(answered).not_to_contain_text("process ended")
        shown = answered.locator(".words").inner_text()
        answered.locator("[data-verdict=Incorrect]").click()
        expect(answered.locator("[data-verdict=Incorrect]")).to_have_attribute("aria-pressed", "true")
        conversation = page.url.split("?")[1]
        process.kill()
    page.close()
    with serving(own_home, model_address) as (address, _):
        page = browser.new_page(base_url=address)
        page.goto(f"/?{conversation}")
        again = page.locator("#log article").last
        expect(again.locator("h2")).to_have_text(CHART_QUESTION, timeout=60_000)
        assert again.locator(".words").inner_text() == shown
        expect(again.locator("[data-verdict=Incorrect]")).to_have_attribute("aria-pressed", "true")
        page.close()


@pytest.mark.timeout(1_800)
def test_an_app_that_is_killed_again_and_again_has_every_label_that_it_acknowledged(
    serving: Serving, model_address: str, empty_database: Path, tmp_path: Path
) -> None:
    home = tmp_path / "home"
    home.mkdir()
    database = home / "trag.db"
    database.write_bytes(empty_database.read_bytes())
    with closing(Records(f"sqlite:///{database}")) as records:
        answers = [
            AnswerRecord(uuid4().hex, "Who signs?", "Who signs?", "The Board.", "answered", ModelUsed("tiny", "0", ""))
            for _ in range(AT_ONCE)
        ]
        for each in answers:
            records.save_answer(each.id, None, each.question, each.answer, each.to_json())
    remarks, kept, cut = count(), dict[str, tuple[str, str]](), list[str]()

    def judge(address: str, answer: str) -> None:
        """One label after the other on one answer, until the app is gone."""
        with httpx.Client(base_url=address, timeout=60) as client:
            while True:
                remark, verdict = f"remark {next(remarks)}", VERDICTS[next(remarks) % 3]
                try:
                    form = {"verdict": verdict, "comment": remark, "may": "judge"}
                    status = client.post(f"/review/{answer}/verdict", data=form).status_code
                except httpx.TransportError:
                    cut.append(remark)
                    return
                assert status == 303
                kept[remark] = (answer, verdict)

    for kill, labels in enumerate(LABELS, 1):
        before = len(kept)
        with serving(home, model_address) as (address, process):
            if before:
                shown = httpx.get(f"{address}/review/judged.jsonl", timeout=60).text
                assert all(answer in shown for answer, _ in kept.values())
            judges = [threading.Thread(target=judge, args=(address, each.id)) for each in answers]
            for one in judges:
                one.start()
            while len(kept) < before + labels:
                time.sleep(0.01)
            process.kill()
            for one in judges:
                one.join()
        assert len(cut) == kill * AT_ONCE, "each judged until the end of the app"
        with closing(Records(f"sqlite:///{database}")) as records:
            there = {label.comment: label for each in answers for label in records.labels_of(each.id)}
            assert {remark: (there[remark].answer, there[remark].verdict) for remark in kept} == kept
            assert set(there) - set(kept) <= set(cut), "what was not acknowledged is whole, or not there"
            events = [event for event in records.audit.all() if event.what == "judged"]
            assert (len(events), records.audit.verify()) == (len(there), None)
            for each in answers:
                review = records.reviews.review(each.id)
                assert review
                given = records.labels_of(each.id)
                assert review.review_status == (given[-1].verdict if given else "open")
