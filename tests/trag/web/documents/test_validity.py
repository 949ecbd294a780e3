"""The pages on which admins and owners say when a document is valid, with real people, sessions, records and gate."""

import shutil
from collections.abc import Iterator
from datetime import date
from pathlib import Path

import pytest
from starlette.testclient import TestClient

from org.linking.entities import Organization
from org.reading.charts import load
from store import files
from store.passage import Passage
from store.person import Role
from store.standing import Found, Validity
from tests.pages import gated, parsed, signed_in, soup, texts, words
from trag.home import Home, open_home
from trag.settings import Settings
from trag.web.documents import page as documents
from trag.web.documents.names import key
from trag.web.visitors import shell_of

ROWS = b"id,name,parent\nc,Club,\nb,Board,Club\nr,Bar,Club\n"
NAMES = ("old.md", "new.md", "bar.md", "hidden.md")
PEOPLE: dict[str, tuple[Role, str]] = {"ada": ("admin", ""), "bert": ("employee", "r"), "cleo": ("employee", "b")}
PATH = f"/documents/{key('new.md')}/validity"


@pytest.fixture
def home(empty_database: Path, tmp_path: Path) -> Iterator[Home]:
    folder = Path(shutil.copy(empty_database, tmp_path)).parent
    with open_home(Settings(home=folder)) as home:
        home.parts["organization"] = Organization("Club", load(ROWS, "chart.csv"))
        for name in NAMES:
            sha256 = files.keep(home.folder / "documents", name.encode(), ".md")
            passage = Passage(f"id-{name}", "section", name, "1", None, "Rules.")
            home.records.library.put(name, sha256, None, [passage])
        home.records.library.set_audience("hidden.md", frozenset({"b"}))
        yield home


@pytest.fixture
def clients(home: Home) -> Iterator[dict[str, TestClient]]:
    app = gated(home.records, home.settings, shells=lambda who: shell_of(home, who))
    documents.mount(app, home)
    with TestClient(app) as outer:
        assert outer.portal
        yield {name: client for name, (_, client) in signed_in(home.records, app, PEOPLE, outer.portal).items()}


def form(client: TestClient, path: str = PATH) -> dict[str, str]:
    """What is in the fields of the page."""
    page = soup(client, path)
    fields = {each["name"]: each.get("value", "") for each in page.select(".validity input")}
    fields |= {each["name"]: each.get_text() for each in page.select(".validity textarea")}
    return {str(name): str(value) for name, value in fields.items()} | {
        "status": str(page.select_one(".validity option[selected]")["value"])  # type: ignore[index]
    }


def test_an_admin_says_when_it_is_valid_and_others_do_not(home: Home, clients: dict[str, TestClient]) -> None:
    typed = form(clients["ada"]) | {"owner": "Bar", "valid_from": "1 March 2024", "supersedes": "old.md\r\n"}
    typed |= {"review": "2025-01-31", "language": "en"}
    for name in ("bert", "cleo"):
        assert clients[name].get(PATH).status_code == 404
        assert clients[name].post(PATH, data=typed).status_code == 404
    assert clients["ada"].post(PATH, data=typed, follow_redirects=False).status_code == 303
    days = {"valid_from": date(2024, 3, 1), "review": date(2025, 1, 31)}
    held = home.records.validity.of("new.md")
    assert held == Validity(**days, unit="r", language="en", supersedes=("old.md",), by="ada")  # type: ignore[arg-type]
    page = soup(clients["ada"], "/documents")
    assert texts(page, "td[data-name=State]").count("Superseded") == 1
    assert texts(page, '.facts a[href*="review"]') == ["1"]
    assert texts(soup(clients["ada"], "/documents?review=1"), "tbody th a") == ["New"]
    assert "Takes the place of old.md" in words(soup(clients["ada"], f"/documents/{key('new.md')}"), ".valid")


def test_all_that_is_wrong_is_told_and_what_was_typed_stays(home: Home, clients: dict[str, TestClient]) -> None:
    typed = form(clients["ada"]) | {"valid_from": "03/04/2025", "valid_to": "nothing", "supersedes": "new.md\nlost.md"}
    answer = clients["ada"].post(PATH, data=typed)
    assert answer.status_code == 422
    told = words(parsed(answer), ".notice[role=alert]")
    for wanted in (
        "2025-03-04 or 2025-04-03",
        "nothing is no date",
        "supersedes itself",
        "lost.md, and there is no such",
    ):
        assert wanted in told
    assert parsed(answer).select_one("#valid_from")["value"] == "03/04/2025"  # type: ignore[index]
    assert home.records.validity.all() == {}


def test_what_was_changed_meanwhile_is_not_overwritten(home: Home, clients: dict[str, TestClient]) -> None:
    typed = form(clients["ada"])
    home.records.validity.put({"new.md": Validity("withdrawn", by="eve")}, by="eve")
    answer = clients["ada"].post(PATH, data=typed | {"status": "draft"})
    assert answer.status_code == 422
    assert "Somebody changed it meanwhile" in words(parsed(answer), ".notice")
    assert home.records.validity.of("new.md").status == "withdrawn"


def test_an_owner_changes_theirs_and_ends_no_others(home: Home, clients: dict[str, TestClient]) -> None:
    own = Validity(unit="r", review=date(2025, 1, 1), by="ada")
    home.records.validity.put({"new.md": own, "bar.md": own, "hidden.md": own}, by="ada")
    bert = clients["bert"]
    page = soup(bert, "/documents/owned")
    assert texts(page, "tbody th") == ["Bar", "New"], "of what they may not read nothing is told"
    assert "Your documents" in words(page, "nav")
    assert "Your documents" not in words(soup(clients["cleo"], "/documents/owned"), "nav")
    assert clients["bert"].get(f"/documents/{key('hidden.md')}/validity").status_code == 404
    typed = form(bert) | {"supersedes": "old.md"}
    answer = bert.post(PATH, data=typed)
    assert answer.status_code == 422
    assert "old.md, which is not yours" in words(parsed(answer), ".notice")
    answer = bert.post(PATH, data=typed | {"supersedes": "bar.md", "review": "2030-01-01"}, follow_redirects=False)
    assert answer.headers["location"].startswith("/documents/owned")
    assert home.records.validity.of("new.md").supersedes == ("bar.md",)


def test_what_the_file_says_and_nobody_has_settled_is_asked(home: Home, clients: dict[str, TestClient]) -> None:
    found = (
        Found("review", "03/04/2025", "Document control"),
        Found("supersedes", "<b>old</b>", "front matter", "old.md"),
        Found("person", "bert", "front matter", "bert"),
    )
    home.records.validity.put({"new.md": Validity(person="bert", found=found)}, by="ada")
    assert clients["bert"].get(PATH).status_code == 404, "a file gives nobody rights"
    asked = texts(soup(clients["ada"], PATH), ".asks")
    assert asked == [
        "Not plain: the file says 03/04/2025 (Document control)",
        "The file says <b>old</b> (front matter)",
    ]
    assert clients["ada"].post(PATH, data=form(clients["ada"]), follow_redirects=False).status_code == 303
    assert clients["bert"].get(PATH).status_code == 200
