"""Who opens which document, by every address of one, with real people, sessions, records and gate."""

import re
import shutil
from collections.abc import Iterator
from pathlib import Path
from uuid import uuid4

import pytest
from anyio.from_thread import BlockingPortal
from starlette.testclient import TestClient

from org.linking.entities import Organization
from org.reading.charts import load
from store import files
from store.passage import OPEN, Passage
from store.person import Role
from tests.pages import gated, parsed, signed_in, soup, texts
from trag.home import Home, open_home
from trag.record import AnswerRecord, ModelUsed, Source
from trag.settings import Settings
from trag.web import access
from trag.web.charts import page as charts
from trag.web.documents import page as documents
from trag.web.documents.names import key

ROWS = b"id,name,parent,type\nc,Club,,club\nb,Board,Club,board\nr,Bar,Club,team\nk,Kitchen,Bar,team\n"
WITHOUT_BAR = b"id,name,parent,type\nc,Club,,club\nb,Board,Club,board\nk,Kitchen,Club,team\n"
AUDIENCES = {"all.md": OPEN, "bar.md": frozenset({"r"}), "board.md": frozenset({"b"}), "nobody.md": frozenset[str]()}
CANARIES = {name: f"The canary of {name} sings." for name in AUDIENCES}
PEOPLE: dict[str, tuple[Role, str]] = {
    "anna": ("employee", "b"),
    "bert": ("employee", "k"),
    "rita": ("reviewer", "r"),
    "cleo": ("employee", ""),
    "gone": ("employee", "closed"),
    "ada": ("admin", ""),
}
READ = {
    "anna": {"all.md", "board.md"},
    "bert": {"all.md", "bar.md"},
    "rita": {"all.md", "bar.md"},
    "cleo": {"all.md"},
    "gone": {"all.md"},
    "ada": {*AUDIENCES},
}


@pytest.fixture(scope="module")
def home(empty_database: Path, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Home]:
    folder = Path(shutil.copy(empty_database, tmp_path_factory.mktemp("home"))).parent
    with open_home(Settings(home=folder)) as home:
        home.parts["organization"] = Organization("Club", load(ROWS, "chart.csv"))
        for name, audience in AUDIENCES.items():
            passage = Passage(f"id-{name}", "section", name, "1 Birds", None, CANARIES[name])
            sha256 = files.keep(home.folder / "documents", CANARIES[name].encode(), ".md")
            home.records.library.put(name, sha256, None, [passage])
            home.records.library.set_audience(name, audience)
        yield home


@pytest.fixture(scope="module")
def people(home: Home, portal: BlockingPortal) -> dict[str, TestClient]:
    """A browser of each person, signed in."""
    app = gated(home.records, home.settings)
    documents.mount(app, home)
    charts.mount(app, home)
    return {name: browser for name, (_, browser) in signed_in(home.records, app, PEOPLE, portal).items()}


def told(browser: TestClient, path: str) -> tuple[int, str]:
    """What is answered, but for the nonce, which is another one each time."""
    answer = browser.get(path)
    return answer.status_code, re.sub(r"nonce=\S+", "", answer.text)


def answered(home: Home, who: str, name: str) -> str:
    """An answer that somebody was given, and that quotes a document; its id."""
    source = Source(f"old-{name}", "section", name, "1 Birds", None, f"Once the {CANARIES[name]}", 0.8)
    model, id = ModelUsed("m", "0", ""), uuid4().hex
    record = AnswerRecord(id, "Which?", "Which?", "It sings.", "answered", model, sources=(source,))
    person = home.records.people.find(who)
    assert person
    conversation = home.records.start_conversation(person.id, "x").id
    home.records.save_answer(id, conversation, record.question, record.answer, record.to_json())
    return id


@pytest.mark.parametrize("who", PEOPLE)
def test_a_document_opens_for_its_readers_and_for_nobody_else(
    people: dict[str, TestClient], home: Home, who: str
) -> None:
    browser = people[who]
    never = told(browser, f"/documents/{key('never.md')}/view")
    for name, canary in CANARIES.items():
        path = f"/documents/{key(name)}"
        answer = answered(home, who, name)
        for end in ("/view", "/original", f"/view?passage=id-{name}", f"/view?passage=old-{name}&answer={answer}"):
            status, shown = told(browser, path + end)
            if name in READ[who]:
                assert (status, canary in shown) == (200, True), (name, end)
            else:
                assert (status, shown) == never, (name, end)
        # A text has no pictures: there is nothing for anybody, and the same nothing.
        assert told(browser, f"{path}/pages/1.png") == never
    assert home.records.audit.verify() is None


def test_an_answer_opens_no_document_by_the_name_of_another(people: dict[str, TestClient], home: Home) -> None:
    answer = answered(home, "bert", "board.md")
    shown = people["bert"].get(f"/documents/{key('all.md')}/view?passage=old-board.md&answer={answer}")
    assert (shown.status_code, "canary" in shown.text) == (404, False)


def test_what_an_admin_changes_counts_at_once(
    people: dict[str, TestClient], home: Home, monkeypatch: pytest.MonkeyPatch
) -> None:
    bert, library = home.records.people.find("bert"), home.records.library
    assert bert

    def opens(who: str) -> bool:
        return people[who].get(f"/documents/{key('bar.md')}/view").status_code == 200

    assert opens("bert")
    with monkeypatch.context() as changed:
        changed.setitem(home.parts, "organization", Organization("Club", load(WITHOUT_BAR, "chart.csv")))
        assert not opens("bert"), "a unit that is gone lets in those who were below it"
        assert not opens("rita"), "a unit that is gone lets in those who were in it"
        assert opens("ada")
    home.records.people.change(bert.id, unit="b", by="ada")
    assert not opens("bert")
    home.records.people.change(bert.id, unit="k", by="ada")
    library.set_audience("bar.md", frozenset({"b"}))
    assert not opens("bert")
    library.set_audience("bar.md", AUDIENCES["bar.md"])
    assert opens("bert")


def test_the_way_to_the_page_of_a_document_is_for_those_who_may_go_there(people: dict[str, TestClient]) -> None:
    path = f"/documents/{key('all.md')}"
    assert f'href="{path}"' in people["ada"].get(f"{path}/view").text
    assert f'href="{path}"' not in people["bert"].get(f"{path}/view").text
    assert people["bert"].get(path).status_code == 403


@pytest.mark.parametrize("who", [who for who, (role, _) in PEOPLE.items() if role != "admin"])
def test_the_list_has_what_somebody_may_read_and_no_trace_of_the_rest(people: dict[str, TestClient], who: str) -> None:
    browser, closed = people[who], AUDIENCES.keys() - READ[who]
    for query in ("", "?words=md", "?first=1", "?first=99", "?words=nobody", "?words=birds"):
        shown = browser.get(f"/documents{query}").text
        assert not [name for name in closed if key(name) in shown or f">{name}<" in shown], query
    page = soup(browser, "/documents")
    assert [a["href"] for a in page.select("tbody a")] == [f"/documents/{key(n)}/view" for n in sorted(READ[who])]
    assert texts(page, "h2") == [f"{len(READ[who])} document{'s' * (len(READ[who]) > 1)} you can read"]
    assert texts(page, "[data-name='What it is about']") == ["1 Birds"] * len(READ[who])
    # Words that a closed document alone has find what words find that no document has.
    nothing = [told(browser, f"/documents?words={word}")[1].replace(word, "") for word in ("never.md", "nobody.md")]
    assert nothing[0] == nothing[1]


@pytest.mark.parametrize("who", PEOPLE)
def test_no_link_leads_to_a_refusal(people: dict[str, TestClient], home: Home, who: str) -> None:
    """From the pages that somebody is shown the way to, as far as links go."""
    browser, seen = people[who], set[str]()
    ahead = ["/documents", "/charts", *(f"/documents/{key(name)}/view" for name in READ[who])]
    while ahead:
        path = ahead.pop().partition("#")[0]
        if path in seen or path.endswith((".css", ".ico")) or access.needed("GET", path.partition("?")[0]) is None:
            continue
        seen.add(path)
        answer = browser.get(path)
        assert answer.status_code != 403, path
        if "html" in answer.headers["content-type"]:
            ahead += [str(a["href"]) for a in parsed(answer).select("main [href^='/']")]
    assert len(seen) > 3


def test_no_unit_can_stand_for_everyone(people: dict[str, TestClient], home: Home) -> None:
    asked = {"readers": "units", "unit": ["everyone", "b"]}
    refused = people["ada"].post(f"/documents/{key('nobody.md')}/audience", data=asked)
    assert "not set" in refused.text
    found = home.records.library.document("nobody.md")
    assert found
    assert found.audience == AUDIENCES["nobody.md"]
