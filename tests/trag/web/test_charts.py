"""The pages of the chart over a real home, through the gate: what they show, take, refuse and change."""

import csv
import io
import re
import threading
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import AbstractContextManager
from pathlib import Path

import pytest
from anyio.from_thread import BlockingPortal
from bs4 import BeautifulSoup
from openpyxl import Workbook
from starlette.testclient import TestClient

from org.chart import Chart
from org.reading.charts import check, load
from store.person import Role
from tests.pages import ADDRESS, gated, parsed, served, signed_in, soup, words
from trag.home import Home, open_home
from trag.settings import Settings
from trag.web.charts import page as charts
from trag.web.charts.page import SAMPLE
from trag.web.charts.reviews import Reviews
from trag.web.gate import UPLOADS

CLUB = b"name,parent,type,aliases\nClub,,club,\nBoard,Club,board,BD\nBar,Club,team,\nTill,Bar,team,\n"
LATER = b"name,parent,type,aliases\nClub,,club,\nBoard,Club,council,BD\nCellar,Club,team,\nTill,Board,team,\n"
BROKEN = b"name,parent\nClub,\nBoard,Clib\nBar,Till\nTill,Bar\n,Club\n"
HOSTILE = """<script>alert(1)</script><img src=http://evil.example/x onerror=alert(2)>"'{{7*7}}"""
PLACED = "name,parent\nClub,\nLaw,Club\nMed,Club\nOffice,Law\nOffice,Med\nRegistry"


@pytest.fixture(autouse=True)
def patient(monkeypatch: pytest.MonkeyPatch) -> None:
    """A page waits for its review also where many tests share the machine."""
    monkeypatch.setattr(charts, "PATIENCE", 60)


@pytest.fixture
def client(home: Home) -> Iterator[TestClient]:
    with over(home) as (client, _):
        yield client


def over(home: Home) -> AbstractContextManager[tuple[TestClient, Reviews]]:
    return served(home, lambda app: charts.mount(app, home).reviews)


def activate(home: Home, content: bytes = CLUB, name: str = "club.csv") -> str:
    return home.charts.activate(load(content, name), [(name, content)], by="ada").version


def chart_of(home: Home) -> Chart:
    assert home.organization.chart
    return home.organization.chart


def upload(client: TestClient, content: bytes, name: str = "next.csv") -> str:
    answer = client.post("/charts/uploads", params={"name": name}, content=content)
    assert answer.status_code == 201, answer.text
    return str(answer.json()["page"])


def fields(page: BeautifulSoup) -> dict[str, str]:
    return {str(each["name"]): str(each.get("value", "")) for each in page.select("form[action$=activate] input")}


def test_a_home_without_a_chart_says_how_to_begin(client: TestClient) -> None:
    assert "No chart yet" in words(soup(client, "/charts"), "h1")
    sample = client.get("/charts/sample.csv")
    report = check(sample.content, "chart.csv")
    assert (bool(report.chart), bool(report.problems), sample.text) == (True, False, SAMPLE)


def test_a_good_chart_is_previewed_activated_and_rolled_back(client: TestClient, home: Home) -> None:
    before = activate(home)
    page = soup(client, path := upload(client, LATER))
    assert home.organization.version == before
    kinds = {
        str(each["class"][0]): words(BeautifulSoup(str(each), "html.parser"), "summary, li")
        for each in page.select(".changes details")
    }
    assert kinds["added"] == "+ Added 1 Cellar under Club"
    assert kinds["removed"] == "− Removed 1 Bar under Club"
    assert "Till from Bar → to Board" in kinds["moved"]
    assert "Type: board → council" in kinds["edited"]
    assert home.organization.version == before

    done = client.post(f"{path}/activate", data=fields(page))
    assert (done.history[0].status_code, done.status_code) == (303, 200)
    now = home.organization.version
    assert now != before
    assert now in words(parsed(done), ".notice.good")
    assert client.get(path).status_code == 404, "an activated upload waits no longer"
    newest = home.records.chart_versions.all()[0]
    assert (newest.by, newest.name, newest.size) == ("local", "next.csv", 4)

    page = soup(client, f"/charts/versions/{before}")
    assert "Bar under Club with 0" not in words(page, ".changes")
    assert "Bar" in words(page, ".changes .added")
    client.post(f"/charts/versions/{before}/activate", data=fields(page))
    assert home.organization.version == before
    assert [each.version for each in home.records.chart_versions.all()] == [before, now]


@pytest.mark.parametrize(
    ("before", "later", "said"),
    [
        (f"{PLACED},Law > Office\n", f"{PLACED},Med > Office\n", ("Registry", "Office (Law)", "Office (Med)")),
        (
            "name,parent\nClub,\nN,Club\nLaw,N\nDesk,Law\nPen,Law > Desk\nMed,N\nDesk,Med\n",
            "name,parent\nClub,\nS,Club\nLaw,S\nDesk,S > Law\nPen,S > Law > Desk\nT,Club\nLaw,T\nBio,T\nDesk,Bio\n",
            ("Pen", "Club > N > Law > Desk", "Club > S > Law > Desk"),
        ),
    ],
    ids=["of one name", "of one name under units of one name"],
)
def test_a_unit_that_moved_says_between_which_units_of_one_name(
    client: TestClient, home: Home, before: str, later: str, said: tuple[str, str, str]
) -> None:
    activate(home, before.encode())
    path, (unit, old, new) = upload(client, later.encode()), said
    assert f"{unit} from {old} → to {new}" in words(soup(client, path), ".changes .moved li")
    assert f"moved,{unit},{new},{old},{new}," in client.get(f"{path}/changes.csv").text


def test_a_version_lists_everyone_who_activated_it(client: TestClient, home: Home) -> None:
    before = activate(home)
    home.charts.activate(load(LATER, "later.csv"), [("later.csv", LATER)], by="bob")
    for by in ("cyd", "dan", "eve"):
        home.charts.roll_back(before, by=by)
    row = next(row for row in soup(client, "/charts").select(".versions tbody tr") if before in row.get_text())
    shown = words(row, ".activations li").split(" by ")[1:]
    assert [each.split()[0] for each in shown] == ["eve", "dan", "cyd", "ada"]
    assert words(row, "details summary") == "1 earlier time"
    assert len(soup(client, f"/charts/versions/{before}").select(".head .activations li")) == 4


def test_a_broken_chart_is_refused_with_its_rows(client: TestClient, home: Home) -> None:
    before = activate(home)
    page = soup(client, path := upload(client, BROKEN))
    problems = words(page, ".problems.errors")
    for row in ("row 3", "row 4", "row 6"):
        assert row in problems
    assert 'Did you mean "Club"?' in problems
    assert page.select("form[action$=activate] button[disabled]")
    assert "errors have to be put right" in words(page, "#why")
    assert not page.select(".view")
    refused = client.post(f"{path}/activate", data=fields(page))
    assert "errors have to be put right" in refused.text
    assert home.organization.version == before
    assert client.get(f"{path}/picture").status_code == 404


def test_what_is_wrong_can_be_kept_as_a_table(client: TestClient) -> None:
    path = upload(client, b'name,parent\nClub,\n=1+1,Clib\n"@x",Clab\n')
    answer = client.get(f"{path}/problems.csv")
    assert answer.headers["content-disposition"].startswith('attachment; filename="problems.csv"')
    assert answer.headers["x-content-type-options"] == "nosniff"
    header, *rows = csv.reader(io.StringIO(answer.content.decode("utf-8-sig")))
    assert header == ["severity", "row", "problem", "what to do"]
    assert {row[1] for row in rows if row[0] == "error"} == {"3", "4"}
    assert not [cell for row in rows for cell in row if cell[:1] in ("=", "+", "-", "@", "\t", "\r")]


def test_headers_of_other_names_are_asked_about(client: TestClient, home: Home) -> None:
    content = b"Zelle A,Zelle B,Zelle C\nClub,,club\nBoard,Club,board\n"
    page = soup(client, path := upload(client, content))
    assert page.select("details.mapping[open]")
    assert "Zelle A (Club, Board)" in words(page, "select[name=name] option")
    assert page.select("button.main[disabled]")
    page = soup(client, f"{path}?name=Zelle A&parent=Zelle B&type=Zelle C&aliases=&sheet=")
    assert not page.select(".problems.errors")
    assert page.select("select[name=parent] option[selected][value='Zelle B']")
    client.post(f"{path}/activate", data=fields(page))
    assert [(unit.name, unit.type) for unit in chart_of(home).units.values()] == [("Club", "club"), ("Board", "board")]


def test_what_was_guessed_by_what_stands_in_the_columns_is_shown_and_what_was_chosen_is_remembered(
    client: TestClient, home: Home
) -> None:
    content = "Kood,Üksus,Kuulub,Lühend\n1,Club,,C\n2,Board,1,B\n3,Bar,1,R\n".encode()
    page = soup(client, path := upload(client, content))
    assert page.select("details.mapping[open]")
    assert page.select("select[name=parent] option[selected][value=Kuulub]")
    assert 'The column "Kuulub" was read as parent: what stands in it is also under "Kood".' in words(
        page, ".problems.warnings"
    )
    mapping = {str(each["name"]): "" for each in page.select(".mapping select")}
    chosen = mapping | {"name": "Lühend", "parent": "Kuulub", "id": "Kood"}
    client.post(f"{path}/activate", data=fields(parsed(client.get(path, params=chosen))))
    assert chart_of(home).root.name == "C"
    page = soup(client, upload(client, content + b"4,Pool,1,P\n"))
    assert page.select("select[name=name] option[selected][value=Lühend]")
    assert "as they were chosen for the last file" in words(page, ".problems.warnings")


def test_a_column_that_is_not_in_the_file_is_not_guessed_again(client: TestClient, home: Home) -> None:
    page = soup(client, path := upload(client, b"name,parent,manager\nClub,,7\nBoard,Club,8\n"))
    assert page.select("select[name=head] option[selected][value=manager]")
    mapping = {str(each["name"]): "" for each in page.select(".mapping select")}
    page = parsed(client.get(path, params=mapping | {"name": "name", "parent": "parent"}))
    assert not page.select("select[name=head] option[selected]")
    assert fields(page)["head"] == ""
    client.post(f"{path}/activate", data=fields(page))
    root = chart_of(home).root
    assert (root.head, root.attributes) == ("", (("manager", "7"),))


def test_the_encoding_of_a_file_is_told_and_chosen(client: TestClient, home: Home) -> None:
    content = "name,parent,chief\nДирекция,,И. Петров\nОтдел кадров,Дирекция,\n".encode("koi8_r")
    page = soup(client, path := upload(client, content))
    assert words(page, ".encodings option[value='']") == "the likeliest by its letters: KOI8-R (Russian)"
    assert "it was read as KOI8-R (Russian)" in words(page, ".problems.warnings")
    page = soup(client, f"{path}?encoding=cp1251")
    assert words(page, ".encodings option[selected]") == "Windows-1251 (Cyrillic)"
    assert page.select(".mapping input[name=encoding][value=cp1251]")
    page = soup(client, f"{path}?encoding=koi8_r")
    assert not page.select(".problems li .what:-soup-contains('UTF-8')")
    assert fields(page)["encoding"] == "koi8_r"
    client.post(f"{path}/activate", data=fields(page))
    assert home.organization.name == "Дирекция"


def test_a_file_whose_letters_make_no_words_is_refused_until_its_encoding_is_chosen(client: TestClient) -> None:
    content = "name,parent\nДирекция,\nОтдел кадров,Дирекция\n".encode("iso8859_5")
    page = soup(client, path := upload(client, content))
    assert "The encoding of the file cannot be told" in words(page, ".problems.errors")
    assert page.select("form[action$=activate] button[disabled]")
    assert not soup(client, f"{path}?encoding=cp1251").select(".problems.errors")
    page = soup(client, f"{path}?encoding=rot13")
    assert "There is no encoding" in words(page, ".problems.errors")
    assert page.select(".encodings select"), "a way back"
    assert not soup(client, upload(client, CLUB)).select(".encodings"), "no choice where there is none"


def test_the_sheet_of_a_workbook_is_chosen(client: TestClient, home: Home) -> None:
    book = Workbook()
    for name, unit in (("First", "Club"), ("Other", "Guild")):
        sheet = book.create_sheet(name)
        for row in (("name", "parent"), (unit, "")):
            sheet.append(row)
    book.save(file := io.BytesIO())
    page = soup(client, path := upload(client, file.getvalue(), "book.xlsx"))
    assert "First" in words(page, ".sheets option[selected]")
    page = soup(client, f"{path}?sheet=Other")
    assert fields(page)["sheet"] == "Other"
    client.post(f"{path}/activate", data=fields(page))
    assert home.organization.name == "Guild"


@pytest.mark.slow
def test_names_stay_text_everywhere(client: TestClient, home: Home) -> None:
    rows = io.StringIO()
    header, club = ("name", "parent", "aliases", HOSTILE), ("Club", "", "", "")
    csv.writer(rows).writerows([header, club, (HOSTILE, "Club", HOSTILE, HOSTILE), ("x", "no", "", "")])
    name = f"{HOSTILE}.csv".replace("/", "")
    activate(home, rows.getvalue().replace("x,no,,\r\n", "").encode(), name)
    good = rows.getvalue().replace("x,no", "x,Club").encode()
    paths = ["/charts", upload(client, rows.getvalue().encode(), name), upload(client, good, name)]
    paths.append(f"/charts/versions/{home.organization.version}")
    for path in paths:
        page = soup(client, path)
        assert not page.select("img")
        scripts = [script.get("src", script.text[:12]) for script in page.select("script")]
        assert scripts == ["/shell.js", "/charts.js"]
        assert "evil.example" in page.get_text()
        assert not [name for tag in page.find_all() for name in tag.attrs if name.startswith("on")]
    assert HOSTILE in client.get(f"{paths[2]}/picture").json()["names"]


def test_a_download_is_the_chart_again(client: TestClient, home: Home) -> None:
    version = activate(home, name='Rat "1"\r\nX: y/öß.csv')
    for name in ("chart.csv", "chart.xlsx", "chart.json", "tree.json"):
        answer = client.get(f"/charts/versions/{version}/{name}")
        assert answer.headers["x-content-type-options"] == "nosniff"
        disposition = answer.headers["content-disposition"]
        assert re.fullmatch(r'attachment; filename="[ -!#-~]*"[ -!#-~]*', disposition)
        assert load(answer.content, name).version == version


def test_a_version_can_be_had_just_as_it_was_uploaded(client: TestClient, home: Home) -> None:
    name, content = 'Rat "1" y öß.csv', "\ufeffparent;name;Größe\r\n;Club;7\r\nClub;Bar;8\r\n".encode()
    page = soup(client, path := upload(client, content, name))
    client.post(f"{path}/activate", data=fields(page))
    version = home.organization.version
    activate(home)
    home.charts.roll_back(version, by="bob")
    address = f"/charts/versions/{version}/original"
    assert len(soup(client, "/charts").select(f'.versions a[href="{address}"]')) == 1
    assert soup(client, f"/charts/versions/{version}").select(f'a[href="{address}"]')
    answer = client.get(address)
    assert (answer.content, answer.headers["content-type"]) == (content, "application/octet-stream")
    disposition = answer.headers["content-disposition"]
    assert disposition.startswith('attachment; filename="Rat _1_ y __.csv"; filename*=UTF-8')
    assert (answer.headers["x-content-type-options"], answer.headers["cache-control"]) == ("nosniff", "no-store")
    for file in (home.folder / "charts").glob("*.csv"):
        file.unlink()
    gone = soup(client, address, 409)
    assert "is no longer in" in gone.get_text()


def test_a_version_whose_file_was_never_written_down_offers_none(client: TestClient, home: Home) -> None:
    activate(home)
    before = home.records.chart_versions.all()[0]
    home.records.chart_versions.activate("0" * 12, "old.csv", before.sha256, by="ada", size=4)
    page = soup(client, "/charts")
    offered = [str(each["href"]) for each in page.select(".versions a[href$='/original']")]
    assert offered == [f"/charts/versions/{before.version}/original"]
    assert "There is nothing here" in words(soup(client, f"/charts/versions/{'0' * 12}/original", 404), "h1")


def test_a_chart_activated_meanwhile_is_told_and_not_overwritten(client: TestClient, home: Home) -> None:
    activate(home)
    page = soup(client, path := upload(client, LATER))
    other = activate(home, CLUB + b"Attic,Club,team,\n", "attic.csv")
    told = client.post(f"{path}/activate", data=fields(page))
    assert home.organization.version == other
    page = parsed(told)
    assert "activated while you looked" in words(page, ".notice")
    assert "attic.csv" in words(page, ".notice")
    assert "Attic under Club" in words(page, ".changes .removed")
    client.post(f"{path}/activate", data=fields(page))
    assert home.organization.version not in ("", other)


def test_a_second_press_changes_nothing(client: TestClient, home: Home) -> None:
    activate(home)
    page = soup(client, path := upload(client, LATER))
    pressed = fields(page)
    with ThreadPoolExecutor(4) as presses:
        answers = [*presses.map(lambda _: client.post(f"{path}/activate", data=pressed), range(4))]
    assert {answer.status_code for answer in answers} == {200}
    assert {str(answer.url) for answer in answers} == {f"{ADDRESS}/charts?now={home.organization.version}"}
    assert len(home.records.chart_versions.all()) == 2


def test_what_waits_is_there_after_a_restart_until_it_is_discarded(tmp_path: Path) -> None:
    with open_home(Settings(home=tmp_path)) as home, over(home) as (client, _):
        path = upload(client, LATER)
    with open_home(Settings(home=tmp_path)) as home, over(home) as (client, _):
        for _ in range(2):
            assert "next.csv" in words(soup(client, "/charts"), ".waiting a")
            assert "next.csv" in words(soup(client, path), "h1")
        assert not parsed(client.post(f"{path}/discard")).select(".waiting")
        assert client.post(f"{path}/discard").status_code == 200
        assert client.post(f"{path}/activate").status_code == 409
        assert [*(tmp_path / "uploads").iterdir()] == []


def test_a_file_that_is_too_large_is_not_kept(client: TestClient, home: Home, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(UPLOADS, "/charts/uploads", ("A chart", 100_000))
    pieces = (b"x" * 60_000 for _ in range(2))
    assert client.post("/charts/uploads?name=a.csv", content=pieces).status_code == 413
    assert [*(home.folder / "uploads").iterdir()] == []


def test_what_was_never_there_is_not_found(client: TestClient) -> None:
    for path in (f"uploads/{'0' * 64}", "versions/000000000000"):
        for end in ("", "/picture", "/ready", "/units/0", "/problems.csv", "/changes.csv"):
            assert "There is nothing here" in words(soup(client, f"/charts/{path}{end}", 404), "h1")
    for name in ("chart.csv", "original"):
        assert client.get(f"/charts/versions/000000000000/{name}").status_code == 404


def test_looking_changes_nothing(client: TestClient, home: Home) -> None:
    version = activate(home)
    path = upload(client, LATER)

    def state() -> object:
        files = sorted((str(file), file.read_bytes()) for file in home.folder.rglob("*") if file.is_file())
        return files, home.records.chart_versions.all()

    before = state()
    for base in (path, f"/charts/versions/{version}"):
        for end in ("", "/ready", "/picture", "/units/0", "/changes.csv", "?name=x&parent=y", "?seen=x", "?against=x"):
            assert client.get(base + end).status_code == 200, base + end
    assert client.get("/charts").status_code == 200
    assert state() == before


def test_a_page_says_when_its_work_takes_long(client: TestClient, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(charts, "PATIENCE", 0)
    page = soup(client, path := upload(client, CLUB))
    assert "Reading and checking" in words(page, ".working [role=status]")
    assert client.get(str(page.select("[data-ready]")[0]["data-ready"])).json() == {"ready": True}
    monkeypatch.setattr(charts, "PATIENCE", 60)
    assert soup(client, path).select(".decide")


def test_the_picture_keeps_what_was_removed_where_it_was(client: TestClient, home: Home) -> None:
    activate(home)
    path = upload(client, LATER)
    answer = client.get(f"{path}/picture")
    drawn = answer.json()
    names = drawn["names"]
    above = {names[place]: names[parent] if parent >= 0 else "" for place, parent in enumerate(drawn["above"])}
    assert above == {"Club": "", "Board": "Club", "Cellar": "Club", "Till": "Board", "Bar": "Club"}
    marks = {names[int(place)]: mark for place, mark in drawn["marks"].items()}
    assert marks == {"Board": "*", "Cellar": "+", "Till": ">", "Bar": "-"}
    assert all(parent < place for place, parent in enumerate(drawn["above"]))
    assert client.get(f"{path}/picture", headers={"If-None-Match": answer.headers["etag"]}).status_code == 304
    details = client.get(f"{path}/units/{names.index('Till')}").json()
    assert details["before"] == [["Under", "Bar"]]
    details = client.get(f"{path}/units/{names.index('Board')}").json()
    assert (details["facts"], details["before"]) == ([["Also called", "BD"]], [["Type", "board"]])
    assert client.get(f"{path}/units/99").status_code == 404


def test_people_are_answered_while_a_file_is_checked(client: TestClient, monkeypatch: pytest.MonkeyPatch) -> None:
    going = threading.Event()
    monkeypatch.setattr(charts, "LONG_PATIENCE", 0.2)
    monkeypatch.setattr(Reviews, "_review", lambda *_: going.wait(20))
    path = upload(client, CLUB)
    assert client.get(f"{path}/ready").json() == {"ready": False}
    assert client.get("/charts").status_code == 200
    going.set()


# Files that wait


def test_a_chart_that_removes_most_units_is_asked_about_twice(client: TestClient, home: Home) -> None:
    before = activate(home)
    page = soup(client, path := upload(client, b"name,parent\nClub,\nBoard,Club\nPool,Club\n"))
    assert "Removes 2 of the 4 units in use." in words(page, "#why")
    assert [words(each, "button") for each in page.select("form[action$=activate]")] == ["Activate"]
    assert not page.select(".decide button.main")
    for removed in ("", "1", "two"):
        refused = client.post(f"{path}/activate", data=fields(page) | {"removed": removed})
        assert "type 2 on its page" in refused.text
        assert home.organization.version == before
    client.post(f"{path}/activate", data=fields(page) | {"removed": " 2 "})
    now = home.organization.version
    assert now != before
    page = soup(client, f"/charts/versions/{before}")
    assert not page.select("[name=removed]"), "going back removes 1 of 3"
    assert "removed" not in fields(soup(client, upload(client, LATER)))


def test_a_web_page_is_no_chart(client: TestClient) -> None:
    for name in ("canteen.html", "canteen.csv"):
        page = soup(client, upload(client, b"<!-- x -->\n<!DOCTYPE html>\n<html><body><p>a,b</p></body></html>", name))
        assert words(page, ".problems.errors .what") == "The file is a web page (HTML), not a table."
        assert not page.select(".mapping, .view, .samples")


def test_everybody_looks_at_the_chart_in_use_and_at_nothing_else(home: Home, portal: BlockingPortal) -> None:
    app = gated(home.records, home.settings)
    charts.mount(app, home)
    rows: dict[str, tuple[Role, str]] = {"eve": ("employee", ""), "rita": ("reviewer", ""), "ada": ("admin", "")}
    people = {name: client for name, (_, client) in signed_in(home.records, app, rows, portal).items()}
    assert "No chart yet" in words(soup(people["eve"], "/charts"), "h1")
    before, version = activate(home), activate(home, LATER, "later.csv")
    upload(people["ada"], CLUB, "secret plan.csv")
    for name in ("eve", "rita"):
        page = soup(people[name], "/charts")
        assert words(page, "h1") == "Club"
        assert not page.select("form, .versions, .downloads, a[download]")
        assert not re.search(f"secret plan|later.csv|{before}", str(page))
        [view] = page.select(".view")
        picture = people[name].get(f"{view['data-path']}/picture?{view['data-query']}")
        assert picture.json()["names"] == ["Club", "Board", "Till", "Cellar"]
        unit = people[name].get(f"{view['data-path']}/units/1?{view['data-query']}")
        assert unit.json()["facts"] == [["Also called", "BD"]]
        for address in ("picture", "units/1"):
            asked = ("", "?version=", f"?version={before}", "?version=0123456789ab")
            assert [people[name].get(f"/charts/{address}{query}").status_code for query in asked] == [404] * 4
        refused = (f"versions/{before}", f"versions/{version}/picture", f"versions/{version}/chart.csv")
        assert [people[name].get(f"/charts/{path}").status_code for path in refused] == [403] * 3
    assert people["eve"].get(f"/charts/units/4?version={version}").status_code == 404
