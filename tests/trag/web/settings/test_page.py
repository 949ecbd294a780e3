"""The page Settings through the gate, over a real home: what admins see, change, are refused and told."""

import base64
import io
import time
from collections.abc import Iterator
from contextlib import closing
from datetime import UTC, datetime, timedelta
from pathlib import Path
from shutil import copy
from typing import Any

import pytest
from anyio.from_thread import BlockingPortal
from bs4 import BeautifulSoup
from PIL import Image
from starlette.testclient import TestClient

from org.linking.entities import Organization
from org.reading.charts import load
from store import schema
from store.database import writing
from tests.pages import gated, parsed, signed_in, soup, texts, words
from trag.home import Home, open_home
from trag.retention import Retention
from trag.settings import Settings
from trag.web.settings import page as settings

HOSTILE = "<script>alert(1)</script>\"'{{7*7}}"
TYPED = {
    "organization": "Lark & moor",
    "accent": "#112299",
    "welcome": f"Good day\r\n{HOSTILE}",
    "examples": f"Who signs?\r\n\r\n{HOSTILE}\r\n",
    "contact": "Staff desk",
    "contact_at": "desk@example.org",
    "days_kept": "0",
}
NO_LOGO = {"logo": ("", b"", "application/octet-stream")}


def png(size: tuple[int, int] = (60, 30)) -> bytes:
    file = io.BytesIO()
    Image.new("RGB", size, "#3366aa").save(file, "PNG")
    return file.getvalue()


@pytest.fixture
def home(empty_database: Path, tmp_path: Path) -> Iterator[Home]:
    copy(empty_database, tmp_path)
    with open_home(Settings(home=tmp_path)) as home:
        home.parts["organization"] = Organization("Club", load(b"name,parent\nClub,\nBar,Club\n", "chart.csv"))
        yield home


@pytest.fixture
def people(home: Home, portal: BlockingPortal) -> Iterator[dict[str, TestClient]]:
    app, retention = gated(home.records, home.settings), Retention(home.records)
    settings.mount(app, home, retention)
    retention.start()
    with closing(retention):
        roles: Any = {"ada": ("admin", ""), "bo": ("admin", ""), "rita": ("reviewer", ""), "eve": ("employee", "")}
        yield {name: browser for name, (_, browser) in signed_in(home.records, app, roles, portal).items()}


def field(page: BeautifulSoup, name: str) -> str:
    (found,) = page.select(f'[name="{name}"]')
    return found.get_text().removeprefix("\n") if found.name == "textarea" else str(found.get("value", ""))


def save(browser: TestClient, logo: Any = None, **typed: str) -> Any:
    """Sends the form; without a version, over the one that counts."""
    version = typed.get("version") or field(soup(browser, "/settings"), "version")
    sent = {**TYPED, **typed, "version": version}
    return browser.post(
        "/settings/appearance", data=sent, files=NO_LOGO if logo is None else {"logo": logo}, follow_redirects=False
    )


def change(browser: TestClient, **typed: str) -> Any:
    """Sends the form of the settings with these typed in it."""
    page = soup(browser, "/settings")
    inputs = page.select('#values [name^="seen."], #values input[name^="value."]')
    sent = {str(each["name"]): str(each["value"]) for each in inputs}
    chosen = {
        str(each.parent["name"]): str(each["value"]) for each in page.select("#values option[selected]") if each.parent
    }
    data = sent | chosen | {f"value.{name}": value for name, value in typed.items()}
    return browser.post("/settings/values", data=data, follow_redirects=False)


def test_admins_alone_see_it_and_everybody_what_it_changes(people: dict[str, TestClient]) -> None:
    assert [people[name].get("/settings").status_code for name in ("ada", "rita", "eve")] == [200, 403, 403]
    assert save(people["ada"], logo=("l.png", png(), "image/png")).status_code == 303
    assert people["eve"].post("/settings/appearance", data=TYPED).status_code == 403
    assert people["eve"].post("/settings/values", data={"value.mcp": "true"}).status_code == 403
    anybody = people["eve"]
    anybody.cookies.clear()
    css, logo = anybody.get("/appearance.css"), anybody.get("/logo.png")
    assert css.text.startswith(":root { --accent: #112299;")
    assert (logo.headers["content-type"], Image.open(io.BytesIO(logo.content)).size) == ("image/png", (60, 30))


def test_what_is_saved_is_shown_as_text_and_logged(people: dict[str, TestClient], home: Home) -> None:
    ada = people["ada"]
    assert (ada.get("/logo.png").status_code, ada.get("/appearance.css").text) == (404, "")
    answer = save(ada, logo=("logo.png", png(), "image/png"))
    page = soup(ada, answer.headers["location"].partition("#")[0])
    assert "Saved." in words(page, ".notice.good")
    assert HOSTILE not in str(page)
    assert field(page, "welcome") == f"Good day\n{HOSTILE}"
    assert field(page, "examples") == f"Who signs?\n{HOSTILE}"
    assert page.select('img[src="/logo.png?v=1"]')
    now = home.records.appearances.current()
    assert (now.organization, now.by, now.logo) == ("Lark & moor", "ada", True)
    (event,) = home.records.audit.page(what="appearance set")
    assert (event.who, event.where != "") == ("ada", True)
    save(ada, remove="on")
    assert ada.get("/logo.png").status_code == 404


def test_what_is_wrong_is_said_all_at_once_beside_what_was_typed(people: dict[str, TestClient], home: Home) -> None:
    svg = b'<svg xmlns="http://www.w3.org/2000/svg"><script>alert(1)</script></svg>'
    answer = save(
        people["ada"], accent="#ffcc00", days_kept="-4", contact_at="ada", logo=("l.svg", svg, "image/svg+xml")
    )
    assert answer.status_code == 422
    page = parsed(answer)
    told = words(page, "#look [role=alert]")
    for part in ("contrast of 1.44", "no mail address", "0 (for ever) to 36,500 days", "An SVG is not taken"):
        assert part in told
    assert (field(page, "organization"), field(page, "accent")) == ("Lark & moor", "#ffcc00")
    assert field(page, "welcome") == f"Good day\n{HOSTILE}"
    assert home.records.appearances.current().version == 0


@pytest.mark.parametrize(("bytes_", "status"), [(50 * 2**20, 413), (2**20 + 1, 422)])
def test_a_logo_that_is_too_large_is_refused(people: dict[str, TestClient], bytes_: int, status: int) -> None:
    answer = save(people["ada"], logo=("l.png", b"x" * bytes_, "image/png"))
    assert answer.status_code == status
    assert ("may have 2,097,152 bytes" if status == 413 else "may have 1.") in answer.text


def test_a_good_logo_is_not_chosen_again_after_something_else_was_wrong(
    people: dict[str, TestClient], home: Home
) -> None:
    page = parsed(save(people["ada"], accent="red", logo=("l.png", png(), "image/png")))
    kept = field(page, "new_logo")
    assert page.select_one(f'img[src="data:image/png;base64,{kept}"]')
    save(people["ada"], new_logo=kept)
    assert Image.open(io.BytesIO(base64.b64decode(home.records.appearances.logo()))).size == (60, 30)
    forged = base64.b64encode(b"<svg onload='alert(1)'/>").decode()
    assert save(people["ada"], new_logo=forged).status_code == 422
    assert save(people["ada"], new_logo="%%%").status_code == 303


def test_of_two_admins_at_once_the_second_is_told_and_loses_nothing(people: dict[str, TestClient], home: Home) -> None:
    save(people["ada"], days_kept="40")
    seen = field(soup(people["bo"], "/settings"), "version")
    save(people["ada"], welcome="Ada’s", contact="Ada’s desk", days_kept="40", version=seen)
    answer = save(
        people["bo"], welcome="Bo’s", examples="Bo’s?", days_kept="40", version=seen, logo=("l.png", png(), "image/png")
    )
    assert answer.status_code == 409
    page = parsed(answer)
    told = words(page, "#look [role=alert]")
    assert "ada saved meanwhile, and changed the welcome, the contact. Nothing of yours is saved yet." in told
    assert texts(page, ".theirs div") == ["The welcome, as saved nowAda’s"]
    actual = {name: field(page, name) for name in ("welcome", "examples", "contact", "version")}
    assert actual == {"welcome": "Bo’s", "examples": "Bo’s?", "contact": "Ada’s desk", "version": "2"}
    names = (
        "organization",
        "accent",
        "welcome",
        "examples",
        "contact",
        "contact_at",
        "days_kept",
        "version",
        "new_logo",
    )
    assert save(people["bo"], **{name: field(page, name) for name in names}).status_code == 303
    now = home.records.appearances.current()
    assert (now.welcome, now.contact, now.examples, now.days_kept, now.logo) == (
        "Bo’s",
        "Ada’s desk",
        ("Bo’s?",),
        40,
        True,
    )


def test_a_choice_of_days_deletes_what_is_older_at_once(people: dict[str, TestClient], home: Home) -> None:
    for title, days in (("old", 20), ("young", 5)):
        conversation = home.records.start_conversation("eve", title).id
        then = {"updated": datetime.now(UTC) - timedelta(days=days)}
        with writing(home.records._engine) as connection:
            table = schema.conversations
            connection.execute(table.update().where(table.c.id == conversation).values(then))
    save(people["ada"], days_kept="10")
    for _ in range(200):
        if len(home.records.conversations("eve")) == 1:
            break
        time.sleep(0.05)
    assert [each.title for each in home.records.conversations("eve")] == ["young"]


def test_settings_are_changed_and_those_that_wait_are_named(people: dict[str, TestClient], home: Home) -> None:
    answer = change(people["ada"], waiting="4", mcp="true")
    page = soup(people["ada"], answer.headers["location"].partition("#")[0])
    assert words(page, ".notice.good") == "Saved: waiting, mcp. After the next start of the assistant: mcp."
    assert "waiting for the next start of the assistant: mcp" in words(page, "#values > .notice")
    assert (home.settings.waiting, home.settings.mcp) == (4, False)
    assert (home.folder / "trag.toml").read_text() == "waiting = 4\nmcp = true\n"
    assert "Nothing was different." in people["ada"].get(change(people["ada"]).headers["location"]).text


def test_wrong_settings_are_refused_all_at_once_beside_what_was_typed(
    people: dict[str, TestClient], home: Home
) -> None:
    answer = change(people["ada"], waiting="-1", threshold="x", host="0.0.0.0", nonsense="1")
    assert answer.status_code == 422
    page = parsed(answer)
    told = words(page, "#values [role=alert]")
    for part in ('"waiting" must be 0 or more', '"threshold" must be a number', "host is not changed", '"nonsense"'):
        assert part in told
    assert field(page, "value.waiting") == "-1"
    assert not (home.folder / "trag.toml").exists()
    assert (home.settings.waiting, home.settings.host) == (20, "127.0.0.1")


def test_secrets_are_not_on_the_page(people: dict[str, TestClient], home: Home) -> None:
    lines = 'model_key = "sk-hidden"\nsso_secret = "s3cret"\ndatabase_url = "postgresql://u:pw-x@h/d"\n'
    (home.folder / "trag.toml").write_text(lines)
    page = people["ada"].get("/settings").text
    assert [word for word in ("sk-hidden", "s3cret", "pw-x") if word in page] == []
    assert "postgresql://…@h/d" in page


def test_a_broken_file_of_settings_leaves_the_rest_of_the_page(people: dict[str, TestClient], home: Home) -> None:
    (home.folder / "trag.toml").write_text("port = = 1\n")
    page = soup(people["ada"], "/settings")
    assert "trag.toml" in words(page, "#values [role=alert]")
    assert save(people["ada"]).status_code == 303


def test_what_is_still_to_do_stands_on_top_until_it_is_done(people: dict[str, TestClient]) -> None:
    page = soup(people["ada"], "/settings")
    assert "Documents" in words(page, ".to-do li:not(.done)")
    assert "A reviewer" in words(page, ".to-do .done")
    assert "Name and logo" in words(page, ".to-do li:not(.done)")
    save(people["ada"])
    assert "Name and logo" in words(soup(people["ada"], "/settings"), ".to-do .done")
