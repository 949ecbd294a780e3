"""The pages of workflows in use, notices and registers over a real home, through the gate."""

from __future__ import annotations

import shutil
from collections.abc import Iterator
from dataclasses import replace
from functools import partial
from pathlib import Path

import pytest
from anyio.from_thread import BlockingPortal
from bs4 import BeautifulSoup
from starlette.testclient import TestClient

from org.procedures.flows import Book
from tests.automated import ACTIONS, BILLS, BOOK, TABLES, furnish, ran, step, use, workflow
from tests.pages import ADDRESS, gated, parsed, signed_in, soup, texts, words
from trag.home import Home, open_home
from trag.people import CurrentUser
from trag.settings import Settings
from trag.web.visitors import shell_of
from trag.web.workflows import active, notices, registers
from trag.workflow import activation
from trag.workflow.runner import run_now

LOCAL = CurrentUser.local
ID = "0af" * 10 + "12"
HOSTILE = """<script>alert(1)</script><img src=x onerror=alert(2)>"'{{7*7}}"""
SIMPLE = workflow(step("log", 1, message="@record.amount"), trigger=BILLS)


@pytest.fixture
def running(empty_database: Path, tmp_path: Path) -> Iterator[Home]:
    shutil.copy(empty_database, tmp_path)
    with open_home(Settings(home=tmp_path, workflows=True)) as home:
        furnish(home)
        yield home


@pytest.fixture
def client(running: Home) -> Iterator[TestClient]:
    app = gated(running.records, running.settings, shells=partial(shell_of, running))
    for each in (active, notices, registers):
        each.mount(app, running)
    with TestClient(app, base_url=ADDRESS) as client:
        yield client


def press(client: TestClient, page: BeautifulSoup, act: str, **more: str) -> BeautifulSoup:
    """Sends the form of a page whose address ends so, as it is."""
    form = page.select_one(f"form[action$='{act}']")
    assert form, act
    fields = {str(each["name"]): str(each.get("value", "")) for each in form.select("input[name]")}
    answer = client.post(str(form["action"]), data=fields | more)
    assert answer.status_code == 200, answer.text
    return parsed(answer)


def test_what_waits_is_looked_at_tried_activated_changed_and_rolled_back(client: TestClient, running: Home) -> None:
    assert "None yet" in words(soup(client, "/workflows/active"), "main")
    activation.given(running, LOCAL, ID, SIMPLE)
    page = soup(client, "/workflows/active")
    assert texts(page, "section:has(#waiting) .what") == ["Bills"]
    path = str(page.select("section:has(#waiting) a")[0]["href"])
    page = soup(client, path)
    assert "Sent in, not decided" in words(page, ".over")
    tried = soup(client, f"{path}&try=1&field.amount=7")
    assert "message 7" in words(tried, ".trace")
    assert running.records.workflow_runs.page() == (), "nothing has an effect"
    page = press(client, page, "/activate")
    assert "It is in use from now on." in words(page, ".notice.good")
    assert running.records.workflows.find(ID).in_use  # type: ignore[union-attr]
    later = replace(SIMPLE, title="Better", steps=(*SIMPLE.steps, *workflow(step("log", 2, message="x")).steps))
    activation.given(running, LOCAL, ID, later)
    stale = page = soup(client, f"/workflows/active/{ID}")
    assert texts(page, ".diff > li.added .what") == ["Log"]
    assert "title: Bills → is now Better" in words(page, ".edits")
    page = press(client, page, "/activate")
    running.records.registers.create("bill", {"amount": 1}, person="local", by="local")
    assert ran(running).state == "done"
    page = press(client, page, "/rollback")
    assert "The earlier version is in use again." in words(page, ".notice.good")
    refused = client.post(
        f"/workflows/active/{ID}/activate",
        data={str(each["name"]): str(each["value"]) for each in stale.select("form[action$='/activate'] input")}
        | {"against": "0" * 12},
    )
    assert refused.status_code == 409
    assert "in use meanwhile" in refused.text
    page = press(client, soup(client, f"/workflows/active/{ID}"), "/off")
    assert "It is switched off." in words(page, ".notice.good")
    assert len(texts(page, "section:has(#versions) li")) == 6


def test_what_is_returned_says_why_and_what_is_wrong_cannot_be_activated(client: TestClient, running: Home) -> None:
    activation.given(running, LOCAL, ID, workflow(step("log", 1), title=HOSTILE))
    page = soup(client, f"/workflows/active/{ID}")
    assert page.select("form[action$='/activate'] button[disabled]")
    assert "Its input message is open" in words(page, ".problems")
    assert page.h1
    assert page.h1.get_text() == HOSTILE
    assert not page.select("script:not([nonce]), img")
    done = press(client, page, "/return", remark="Say what.")
    assert "It was returned" in words(done, ".notice.good")
    assert "Say what." in words(done, "section:has(#others)")


def test_a_changed_catalogue_is_marked_on_the_list(client: TestClient, running: Home) -> None:
    use(running, SIMPLE, ID)
    renamed = [replace(each, id="write") if each.id == "log" else each for each in ACTIONS]
    running.procedures.activate(Book.of(renamed, (), TABLES, BOOK.triggers.values()), [("b", b"")], by="test")
    assert 'It does not run: There is no step "log".' in words(soup(client, "/workflows/active"), ".wrong")


def test_it_is_run_by_hand_waits_is_done_by_a_notice_and_stopped(client: TestClient, running: Home) -> None:
    use(running, workflow(step("count", 1, record={"a": HOSTILE}), step("log", 2, message="@1.sum")), ID)
    page = press(client, soup(client, f"/workflows/active/{ID}"), "/run")
    assert "Is about to run" in words(page, ".run-state")
    run = ran(running)
    assert "Waits for Bar." in words(soup(client, f"/workflows/active/runs/{run.id}"), "main")
    page = soup(client, "/workflows/notices")
    assert "for everybody in Bar" in words(page, ".tasks")
    assert not page.select("script:not([nonce]), img")
    page = press(client, page, "/done", **{"give.sum": "12", "give.coin": "cent"})
    assert "The workflow goes on." in words(page, ".notice.good")
    assert "done" in words(page, "section:has(#others)")
    assert ran(running).state == "done"
    assert "message 12" in words(soup(client, f"/workflows/active/runs/{run.id}"), ".trace")
    press(client, soup(client, f"/workflows/active/{ID}"), "/run")
    run = ran(running)
    page = press(client, soup(client, f"/workflows/active/runs/{run.id}"), "/stop")
    assert "An admin stopped it." in words(page, "main")
    assert texts(soup(client, "/workflows/notices"), "section:has(#open)") == []


def test_whoever_is_asked_for_something_is_told_how_much_beside_the_way_there(
    client: TestClient, running: Home, portal: BlockingPortal
) -> None:
    found = signed_in(running.records, client.app, {"eva": ("employee", "bar"), "owl": ("employee", "board")}, portal)  # type: ignore[arg-type]
    (_, bar), (_, board) = found.values()

    def told(browser: TestClient) -> list[str]:
        return texts(soup(browser, "/workflows/registers"), "#conversations [href='/workflows/notices']")

    assert told(bar) == told(board) == ["Notices"]
    use(running, workflow(step("count", 1, record={"a": "b"})), ID)
    for _ in range(2):
        run_now(running, LOCAL, ID)
    ran(running)
    assert (told(bar), told(board)) == (["Notices 2 to do"], ["Notices"]), "whose unit is not asked"
    press(bar, soup(bar, "/workflows/notices"), "/done", **{"give.sum": "12", "give.coin": "cent"})
    assert told(bar) == ["Notices 1 to do"]


def test_registers_are_filled_and_changed_by_those_whom_they_are_for(
    client: TestClient, running: Home, portal: BlockingPortal
) -> None:
    people = {"eva": ("employee", "bar"), "owl": ("employee", "board"), "ada": ("admin", "")}
    found = signed_in(running.records, client.app, people, portal)  # type: ignore[arg-type]
    use(running, SIMPLE, ID, CurrentUser.of(running.records.people.get(found["ada"][0])))  # type: ignore[arg-type]
    (eva, bar), (_, board), _ = found.values()
    assert texts(soup(bar, "/workflows/registers"), ".workflows .what") == ["Bills", "Receipts"]
    assert texts(soup(board, "/workflows/registers"), ".workflows .what") == [
        "Bills",
        "Receipts",
        "What is in the vault",
    ]
    assert bar.get("/workflows/registers?table=vault").status_code == 404
    assert bar.post("/workflows/registers", data={"table": "vault", "field.gold": "1"}).status_code == 404
    running.records.registers.create("vault", {"gold": "CANARY"})
    assert "CANARY" not in bar.get("/workflows/registers?table=bill&record=vault/1").text
    assert (
        bar.post("/workflows/registers", data={"table": "bill", "record": "vault/1", "field.amount": "1"}).status_code
        == 409
    )
    assert bar.post("/workflows/registers", data={"table": "bill", "field.colour": "red"}).status_code == 409
    page = press(bar, soup(bar, "/workflows/registers?table=bill"), "/registers", **{"field.amount": HOSTILE})
    assert "Record 2 is kept." in words(page, ".notice.good")
    assert HOSTILE in [each.get_text() for each in page.select("td")]
    run = ran(running)
    assert (run.state, run.person) == ("done", eva)
    page = soup(bar, "/workflows/registers?table=bill&record=bill/2")
    press(bar, page, "/registers", **{"field.amount": "8"})
    assert [dict(each.fields)["amount"] for each in running.records.registers.each("bill")] == ["8"]
    assert bar.get("/workflows/active").status_code == 403 or bar.get("/workflows/active").status_code == 404
