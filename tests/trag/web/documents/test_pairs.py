"""The page of the pairs over a real home: what is shown, changed, refused to who comes second, and exchanged."""

import csv
import io
import json
from collections.abc import Iterable, Iterator
from dataclasses import replace

import pytest
from bs4 import BeautifulSoup, Tag
from httpx import Response
from starlette.testclient import TestClient

from store.library import Pair
from tests.pages import parsed, soup, texts, words
from tests.trag.web.documents.conftest import Opened, served
from trag.home import Home
from trag.progress import silent
from trag.web.documents import pairs as pairs_page
from trag.web.documents.names import key

pytestmark = pytest.mark.slow  # each opens a home with the real encoder

RULES = b"# 1 Grants\n\nThe Board approves every grant above 50,000 LMD.\n\n# 2 Leave\n\nStaff ask two weeks before.\n"
FORMULA = "=HYPERLINK(1)"
LINES = '\'=A\nB "x" ü'
RULES_KEY = key("rules.md")


@pytest.fixture(scope="module")
def home(tmp_path_factory: pytest.TempPathFactory, opened: Opened) -> Iterator[Home]:
    with opened(tmp_path_factory.mktemp("home")) as home:
        file = home.folder / "rules.md"
        file.write_bytes(RULES)
        home.ingest([file], replace=False, progress=silent)
        yield home


@pytest.fixture(scope="module")
def app(home: Home) -> Iterator[TestClient]:
    with served(home) as client:
        yield client


@pytest.fixture
def client(app: TestClient, home: Home) -> TestClient:
    """The page over three pairs: one made, one for review, one approved."""
    made = Pair("a" * 32, "rules.md", "1 Grants", None, "Who approves?", "The Board.", "short answer", "rule")
    review = replace(made, id="b" * 32, question="How much <b>?", answer=FORMULA, state="review", searched=False)
    kept = replace(made, id="c" * 32, section="2 Leave", question="When?", answer=LINES, state="approved", by="ada")
    home.records.library.put_pairs("rules.md", (made, review, kept))
    return app


def questions(page: BeautifulSoup) -> list[str]:
    return [each.get_text() for each in page.select(".pair .question")]


def fields(page: BeautifulSoup | Tag, letter: str, action: str) -> dict[str, str]:
    """What the form of an action on a pair sends."""
    form = page.select(f"#pair-{letter * 32} form:has([name=do][value={action}])")[0]
    chosen = {str(each["name"]): each.select("option[selected]")[0].get_text() for each in form.select("select")}
    return chosen | {str(each["name"]): str(each["value"]) for each in form.select("input")}


def pair(home: Home, letter: str) -> Pair:
    found = home.records.library.pair(letter * 32)
    assert found is not None
    return found


def act(client: TestClient, letter: str, do: str, path: str = "/documents/pairs", **changes: str) -> Response:
    """Presses the button of an action on a pair, as it is shown on a page."""
    form = fields(soup(client, path), letter, do)
    return client.post("/documents/pairs", data=form | changes)


@pytest.mark.parametrize(
    ("query", "shown"),
    [
        ("", ["Who approves?", "How much <b>?", "When?"]),
        ("?state=review", ["How much <b>?"]),
        ("?state=deleted", []),
        ("?state=nonsense", ["Who approves?", "How much <b>?", "When?"]),
        ("?words=BOARD+who", ["Who approves?"]),
        ("?words=%3Cb%3E", ["How much <b>?"]),
        ("?words=%25", []),
        (f"?document={RULES_KEY}&state=made", ["Who approves?"]),
    ],
)
def test_pairs_are_found_by_words_state_and_document(client: TestClient, query: str, shown: list[str]) -> None:
    page = soup(client, f"/documents/pairs{query}")
    assert questions(page) == shown
    assert not page.select(".pair b")
    assert client.get(f"/documents/pairs?document={'0' * 32}").status_code == 404


def test_many_pairs_are_turned_page_by_page(client: TestClient, home: Home, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(pairs_page, "MOST", 2)
    first = soup(client, "/documents/pairs")
    assert questions(first) == ["Who approves?", "How much <b>?"]
    assert "1 to 2 of 3" in words(first, ".paging")
    last = soup(client, str(first.select("a[rel=next]")[0]["href"]))
    assert questions(last) == ["When?"]
    assert not first.select("a[rel=prev]") + last.select("a[rel=next]")
    assert last.select("a[rel=prev]")


def says(page: BeautifulSoup, letter: str) -> list[str]:
    return texts(page, f"#pair-{letter * 32} .says")


@pytest.mark.parametrize("path", ["/documents/pairs?state=review", f"/documents/{RULES_KEY}"])
def test_what_is_for_review_shows_what_the_document_says(client: TestClient, home: Home, path: str) -> None:
    page = soup(client, path)
    assert says(page, "b") == ["The document says: The Board approves every grant above 50,000 LMD."]
    assert not says(page, "a")
    library = home.records.library
    library.put_pair(replace(pair(home, "b"), source="The Board approves every grant above 20,000 LMD."))
    assert says(soup(client, path), "b") == [
        "The document said before, and does not any more: The Board approves every grant above 20,000 LMD.",
        "The document says now: The Board approves every grant above 50,000 LMD.",
    ]
    library.put_pair(replace(pair(home, "b"), section="9 Gone", source="", answer="Nine elephants."))
    assert says(soup(client, path), "b") == ["Nothing in the document is near to it."]
    library.put_pair(replace(pair(home, "b"), answer="Ask two weeks before."))
    assert says(soup(client, path), "b") == ["The document says: Staff ask two weeks before."]


def test_a_pair_that_is_approved_stands_on_what_was_shown(client: TestClient, home: Home) -> None:
    act(client, "b", "approve")
    assert pair(home, "b").source == "The Board approves every grant above 50,000 LMD."
    assert not says(parsed(act(client, "a", "approve", part="row")), "a")


def test_the_type_of_a_pair_is_edited_and_says_whether_it_is_searched(client: TestClient, home: Home) -> None:
    said = {"question": "Who approves?", "answer": "The Board."}
    form = fields(soup(client, "/documents/pairs"), "a", "edit") | said
    assert form["type"] == "short answer"
    client.post("/documents/pairs", data=form | {"type": "dialogue"})
    assert (pair(home, "a").type, pair(home, "a").state, pair(home, "a").searched) == ("dialogue", "approved", False)
    assert "not searched" in words(soup(client, "/documents/pairs"), f"#pair-{'a' * 32} .about")
    assert act(client, "a", "edit", **said, type="riddle").status_code == 409
    assert pair(home, "a").type == "dialogue"
    client.post("/documents/pairs", data=form | {"type": "list"})
    assert pair(home, "a").type == "dialogue", "what was seen is otherwise by now"


def test_a_pair_is_approved_edited_deleted_and_restored(client: TestClient, home: Home) -> None:
    def found() -> set[str]:
        question = "Who approves grants?"
        vector = home.embedder.embed_questions([question])[0]
        return {each.id[:1] for each in home.vectors.search(vector, question, kinds=("qa",), k=3, readers=None)}

    done = act(client, "b", "approve")
    assert (done.history[0].status_code, done.status_code) == (303, 200)
    assert (pair(home, "b").state, pair(home, "b").by, pair(home, "b").searched) == ("approved", "local", True)
    act(client, "a", "edit", question="Who approves grants?", answer="The Board does.")
    edited = pair(home, "a")
    assert (edited.question, edited.answer, edited.state) == ("Who approves grants?", "The Board does.", "approved")
    assert "a" in found()
    act(client, "a", "delete")
    assert (pair(home, "a").state, pair(home, "a").searched) == ("deleted", False)
    assert "a" not in found()
    act(client, "a", "restore", "/documents/pairs?state=deleted")
    assert (pair(home, "a").state, pair(home, "a").answer) == ("approved", "The Board does.")


def test_one_who_comes_second_is_told_and_loses_nothing(client: TestClient, home: Home) -> None:
    typed = {"question": "Mine?", "answer": "Mine <i>."}
    mine = fields(soup(client, "/documents/pairs"), "a", "edit") | typed
    client.post("/documents/pairs", data=mine | {"question": "Theirs?", "answer": "Theirs."})
    for form in (mine, mine | {"part": "row"}):
        page = parsed(client.post("/documents/pairs", data=form))
        assert pair(home, "a").question == "Theirs?"
        assert "meanwhile" in words(page, ".pair .notice")
        assert questions(page) == ["Theirs?"]
        assert [each.get_text() for each in page.select("textarea")] == ["Mine?", "Mine <i>."]
    client.post("/documents/pairs", data=fields(page, "a", "edit") | typed)
    assert pair(home, "a").question == "Mine?"
    client.post("/documents/pairs", data=mine | {"do": "delete"})
    assert pair(home, "a").state == "approved", "a deletion of what was seen otherwise"
    mine = fields(soup(client, "/documents/pairs"), "a", "edit") | typed | {"part": "row"}
    act(client, "a", "delete")
    page = parsed(client.post("/documents/pairs", data=mine))
    assert [each.get_text() for each in page.select("textarea")] == ["Mine?", "Mine <i>."]
    assert pair(home, "a").state == "deleted"


def test_many_are_approved_at_once_but_for_those_that_changed(client: TestClient, home: Home) -> None:
    boxes = [str(each["value"]) for each in soup(client, "/documents/pairs").select(".choose:not([disabled])")]
    assert len(boxes) == 2
    home.put_pair(replace(pair(home, "a"), answer="Otherwise."))
    done = client.post("/documents/pairs/many", data={"pair": [*boxes, "nonsense", "x:y"], "back": "/documents/pairs"})
    assert "1 pair is approved. 2 changed or went meanwhile" in parsed(done).get_text()
    assert (pair(home, "a").state, pair(home, "b").state) == ("made", "approved")


def test_a_pair_is_added_to_a_section(client: TestClient, home: Home) -> None:
    form = {"do": "add", "document": RULES_KEY, "section": "2 Leave", "question": "How early?", "answer": "Two weeks."}
    assert "How early?" in questions(parsed(client.post("/documents/pairs", data=form)))
    (added,) = home.records.library.pairs("rules.md", words="early")
    assert (added.section, added.origin, added.state, added.by) == ("2 Leave", "person", "approved", "local")
    assert (added.type, added.source) == ("short answer", "Staff ask two weeks before.")
    for wrong, said in (({"section": "9"}, "no such section"), ({"question": " "}, "question is empty")):
        refused = client.post("/documents/pairs", data=form | wrong)
        assert (refused.status_code, said in refused.text) == (409, True)
    assert client.post("/documents/pairs", data=form | {"document": "x"}).status_code == 404
    assert home.records.library.count_pairs("rules.md") == 4


@pytest.mark.parametrize(
    ("changes", "status"),
    [({"id": "0" * 32}, 409), ({"do": "burn"}, 404), ({"question": "x" * 5_000}, 409), ({"answer": ""}, 409)],
    ids=["gone", "unknown", "too long", "empty"],
)
def test_what_cannot_be_done_is_said_and_changes_nothing(
    client: TestClient, home: Home, changes: dict[str, str], status: int
) -> None:
    form = fields(soup(client, "/documents/pairs"), "a", "edit") | {"question": "x", "answer": "y"} | changes
    before = home.records.library.pairs()
    answer = client.post("/documents/pairs", data=form, headers={"Accept": "application/json, text/html"})
    assert (answer.status_code, bool(answer.json()["detail"])) == (status, True)
    assert home.records.library.pairs() == before


@pytest.mark.parametrize("back", ["https://evil.example/", "//evil.example", "/documents.evil", "/charts", ""])
def test_nobody_is_sent_elsewhere(client: TestClient, back: str) -> None:
    form = fields(soup(client, "/documents/pairs"), "c", "delete") | {"back": back}
    answer = client.post("/documents/pairs", data=form, follow_redirects=False)
    assert answer.headers["location"] == f"/documents/pairs#pair-{'c' * 32}"


def test_pairs_leave_as_lines_and_as_a_guarded_table_and_come_back(client: TestClient, home: Home) -> None:
    act(client, "c", "delete")
    answer = client.get(f"/documents/pairs.jsonl?document={RULES_KEY}")
    assert answer.headers["content-disposition"].startswith('attachment; filename="rules-pairs.jsonl"')
    lines = [json.loads(line) for line in answer.text.splitlines()]
    assert [line["question"] for line in lines] == ["Who approves?", "How much <b>?"]
    assert lines[0].keys() >= {"question", "answer", "type", "document", "section"}
    table = client.get("/documents/pairs.csv").content.decode("utf-8-sig")
    answers = [row["answer"] for row in csv.DictReader(io.StringIO(table))]
    assert answers == ["The Board.", f"'{FORMULA}", f"'{LINES}"]
    lines[0] |= {"question": "Brought in?", "answer": "Yes."}
    content = "".join(f"{json.dumps(line)}\n" for line in lines).encode()
    taken = client.post("/documents/pairs/import?name=more.jsonl", content=content)
    assert (taken.status_code, bool(taken.json()["told"])) == (201, True)
    assert "Brought in?" in questions(soup(client, "/documents/pairs"))


@pytest.mark.parametrize("suffix", ["jsonl", "csv"])
def test_pairs_come_back_as_they_left(client: TestClient, home: Home, suffix: str) -> None:
    library = home.records.library
    act(client, "c", "delete")
    act(client, "a", "approve")
    before = [each for each in library.pairs() if suffix == "csv" or each.state != "deleted"]
    content = client.get(f"/documents/pairs.{suffix}").content
    same = client.post(f"/documents/pairs/import?name=pairs.{suffix}", content=content)
    assert same.json()["told"].startswith("unchanged: ")
    library.put_pairs("rules.md", ())
    taken = client.post(f"/documents/pairs/import?name=pairs.{suffix}", content=content)
    assert taken.status_code == 201, taken.text
    assert "1 for review, as the file says" in taken.json()["told"]

    def told(pairs: Iterable[Pair]) -> list[tuple[object, ...]]:
        return [
            (each.question, each.answer, each.type, each.state, each.searched, each.origin, each.section, each.source)
            for each in pairs
        ]

    assert told(library.pairs()) == told(before)
    assert {("Who approves?", "approved", True), ("How much <b>?", "review", False)} <= {
        (each.question, each.state, each.searched) for each in library.pairs()
    }
    indexed = home.vectors.ids()["rules.md"]
    assert {each.id for each in library.passages("rules.md")} <= indexed
    assert not {each.passage.id for each in library.pairs(states=("review", "deleted"))} & indexed


COLUMNS = 'a.csv has no "type", no "document", no "section" among the columns in line 1.'


@pytest.mark.parametrize(
    ("name", "content", "told"),
    [
        *(("a.jsonl", content, "a.jsonl") for content in (b"", b"{", b'{"question": "x"}\n', b"\xff\xfe\x00")),
        ("a.csv", b"question;answer\r\nWho?;I.\r\n", COLUMNS),
    ],
    ids=["empty", "broken", "one field", "bytes", "columns"],
)
def test_a_file_that_holds_no_pairs_is_refused(
    client: TestClient, home: Home, name: str, content: bytes, told: str
) -> None:
    before = home.records.library.pairs()
    answer = client.post(f"/documents/pairs/import?name={name}", content=content)
    assert (answer.status_code, told in answer.json()["detail"]) == (422, True)
    assert home.records.library.pairs() == before
    assert [*(home.folder / "uploads").iterdir()] == []
