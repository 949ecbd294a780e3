"""The page of the people: who may do what, by whom, and the log."""

import re
from typing import Any

import pytest
from bs4 import BeautifulSoup

from org.reading.charts import load

Place = Any  # of conftest.py
HERE = "http://127.0.0.1:7860"
PASSWORD = "violet kettle orbit"
OTHER = "amber spoon glacier"
HOSTILE = """<script>alert(1)</script>"'{{7001*7003}}"""

CHART = load(b"name,parent,type\nClub,,club\nBoard,Club,board\nBar,Club,team\nBar,Board,team\n", "chart.csv")

pytestmark = pytest.mark.slow


def words(answer: Any) -> str:
    return " ".join(BeautifulSoup(answer.text, "html.parser").get_text(" ").split())


def test_another_role_counts_at_once_and_ends_every_session(place: Place) -> None:
    ada = place.add("ada", "admin")
    browser, root = place.signed_in("ada"), place.signed_in("root")
    assert browser.get("/people").status_code == 200
    root.post(f"/people/{ada.id}", data={"role": "employee"})
    assert browser.get("/").status_code == 303
    again = place.signed_in("ada")
    assert (again.get("/").status_code, again.get("/people").status_code) == (200, 403)


def test_the_last_admin_stays_one(place: Place) -> None:
    root = place.signed_in("root")
    person = place.records.people.find("root")
    assert person
    for change in ({"role": "employee"}, {"state": "disabled"}):
        answer = root.post(f"/people/{person.id}", data=change)
        assert "last active admin" in words(answer)
    assert root.get("/people").status_code == 200


@pytest.mark.parametrize(
    ("change", "told"),
    [
        ({"role": "owner"}, "no role"),
        ({"state": "gone"}, "no state"),
        ({"unit": "Pub"}, "no unit 'Pub'"),
        ({"unit": "Bar"}, "2 units of the chart are called 'Bar'"),
        ({"shown": "x" * 200}, "cannot be shown"),
    ],
)
def test_what_cannot_be_is_refused_in_words(place: Place, change: dict[str, str], told: str) -> None:
    ada = place.add("ada")
    assert told in words(place.signed_in("root").post(f"/people/{ada.id}", data=change))
    assert place.records.people.get(ada.id) == ada


def test_a_form_changes_only_what_forms_have(place: Place) -> None:
    ada = place.add("ada")
    sent = {"unit": "Board", "id": "x", "name": "root", "secret": "x", "how": "sso", "created": "1"}
    place.signed_in("root").post(f"/people/{ada.id}", data=sent)
    now = place.records.people.get(ada.id)
    assert now
    assert (now.name, now.how, now.created, CHART.unit(now.unit).name) == ("ada", "password", ada.created, "Board")


def test_an_admin_gives_a_link_and_never_learns_the_password(place: Place) -> None:
    root = place.signed_in("root")
    shown = root.post("/people", data={"name": "ada", "shown": HOSTILE, "unit": "Board"}).headers["location"]
    page = root.get(shown).text
    assert HOSTILE not in page
    (link,) = set(re.findall(rf"{HERE}(/links/[\w-]{{43}})", page))
    assert link not in root.get(shown).text
    ada = place.browser()
    assert "Set your password" in words(ada.get(link))
    assert ada.get(link).status_code == 200  # looking does not use it up
    assert "not the same" in words(ada.post(link, data={"password": PASSWORD, "again": OTHER}))
    assert ada.post(link, data={"password": PASSWORD, "again": PASSWORD}).headers["location"] == "/"
    assert ada.get("/").json() == "asked"
    assert "used already" in words(ada.post(link, data={"password": OTHER, "again": OTHER}))
    place.signed_in("ada")
    assert ("root", "person added", "ada", f"employee, active, unit {CHART.named('Board')[0].id}") in place.done(10)


def test_people_are_imported_all_or_none(place: Place) -> None:
    root = place.signed_in("root")

    def send(content: str, **form: str) -> Any:
        return root.post("/people/import", data=form, files={"file": ("p.csv", content.encode(), "text/csv")})

    told = words(send("name,role,unit\nada,employee,Board\nbo,boss,\nada,,\ncy d,,\n,,Pub\n"))
    for problem in ("row 3: 'boss' is no role", "row 4: ada stands in row 2", "row 5: 'cy d' cannot", "row 6: A name"):
        assert problem in told, told
    assert place.records.people.count() == 1
    place.add("zoe")
    told = words(send("name,role\nada,\nRoot,\nbo,\nZOE,\n"))
    assert "These names are taken: row 3: Root; row 5: ZOE." in told
    assert place.records.people.count() == 2
    page = root.get(send("name;shown;role\nada;Ada L;reviewer\nbo;;\n", links="1").headers["location"]).text
    assert len(set(re.findall(r"/links/[\w-]{43}", page))) == 2
    assert [each.name for each in place.records.people.all(role="reviewer")] == ["ada"]
    assert send("name\n" + "x" * 2_000_001).status_code == 413


def test_who_is_here_already_is_left_as_they_are_where_that_was_ticked(place: Place) -> None:
    root, zoe = place.signed_in("root"), place.add("zoe", "reviewer")

    def send(content: str) -> str:
        files = {"file": ("p.csv", content.encode(), "text/csv")}
        return words(
            root.get(root.post("/people/import", data={"leave": "1", "links": "1"}, files=files).headers["location"])
        )

    told = send("name,role\nada,\nZOE,admin\n")
    assert "1 person is added; 1 who was here already stay" in told
    assert "/links/" in told
    assert "0 people are added; 2 who were here already stay" in send("name\nada\nzoe\n")
    assert place.records.people.get(zoe.id) == zoe
    assert place.records.people.count() == 3


def test_all_who_wait_are_refused_at_once_and_their_names_are_free(place: Place) -> None:
    root = place.signed_in("root")
    assert root.get("/people").text.count('action="/people/refuse"') == 0, "nobody waits"
    for number in range(3):
        place.add(f"junk{number}", state="pending")
    page = BeautifulSoup(root.get("/people").text, "html.parser")
    form = page.select_one('form[action="/people/refuse"]')
    assert form
    assert "Refuse 3 requests?" in form.get_text()
    seen = form.select_one("[name=seen]")["value"]
    late = place.add("late", state="pending")
    for nonsense in ({}, {"seen": "x"}, {"seen": "9999-12-31T23:59:59-12:00"}):
        assert "not clear who" in words(root.post("/people/refuse", data=nonsense))
    answer = root.post("/people/refuse", data={"seen": seen})
    assert "3 requests are refused and removed." in words(root.get(answer.headers["location"]))
    assert place.records.people.all(state="pending") == (late,), "nobody had seen that request"
    assert place.done(1) == [("root", "person removed", "junk2", "refused while waiting")]
    assert place.records.audit.page(most=1)[0].where == "10.0.0.7"
    assert place.add("junk0").state == "active"


def test_the_log_is_shown_and_exported_and_its_own_export_is_in_it(place: Place) -> None:
    place.add("=cmd()")
    root = place.signed_in("root")
    root.get("/people/log?check=1")
    assert "follow from each other" in words(root.get("/people/log?check=1"))
    heading = BeautifulSoup(root.get("/people/log?who=root").text, "html.parser").select_one("#all")
    assert heading
    assert heading.get_text() == "1 row", "that root signed in"
    assert "'=cmd()" in root.get("/people/log.csv").text
    lines = root.get("/people/log.jsonl").text.splitlines()
    assert len(lines) == place.records.audit.count()
    assert ("root", "export", "audit log", "audit-log.csv") in place.done()
    assert root.get("/people/log?before=x&who=" + "a" * 300).status_code == 200


def test_names_are_text_on_every_page(place: Place) -> None:
    place.add("ada", shown=HOSTILE)
    root, ada = place.signed_in("root"), place.signed_in("ada")
    person = place.records.people.find("ada")
    assert person
    for page in (root.get("/people"), root.get(f"/people/{person.id}"), root.get("/people/log"), ada.get("/account")):
        assert page.status_code == 200
        assert HOSTILE not in page.text
        assert "49028003" not in BeautifulSoup(page.text, "html.parser").get_text()
