"""The pages of the people: who may do what, by whom, the log, and one person renamed, forgotten, removed."""

import re
from typing import Any

import pytest

from store.person import Newcomer
from tests.pages import parsed, soup
from tests.trag.web.people.conftest import CHART, HERE, HOSTILE, OTHER, PASSWORD, Place, alert, sent, words
from trag.review.verdicts import put_label

pytestmark = pytest.mark.slow


def test_another_role_counts_at_once_and_ends_every_session(place: Place) -> None:
    ada = place.add("ada", "admin")
    browser, root = place.signed_in("ada"), place.signed_in("root")
    assert browser.get("/people").status_code == 200
    root.post(f"/people/{ada.id}", data={"role": "employee"})
    assert browser.get("/").status_code == 303
    again = place.signed_in("ada")
    assert (again.get("/").status_code, again.get("/people").status_code) == (200, 403)


def test_the_last_admin_stays_one(place: Place) -> None:
    root, path = place.signed_in("root"), f"/people/{place.person('root').id}"
    for change in ({"role": "employee"}, {"state": "disabled"}):
        assert "last active admin" in words(root.post(path, data=change))
    assert root.get("/people").status_code == 200


@pytest.mark.parametrize(
    ("path", "change", "told"),
    [
        ("", {"role": "owner"}, "no role"),
        ("", {"state": "gone"}, "no state"),
        ("", {"unit": "Pub"}, "no unit 'Pub'"),
        ("", {"unit": "Bar"}, "2 units of the chart are called 'Bar'"),
        ("", {"shown": "x" * 200}, "cannot be shown"),
        ("/name", {"name": "Root"}, "taken"),
        ("/name", {"name": "a b"}, "cannot be a name"),
        ("/name", {"name": ""}, "missing"),
    ],
)
def test_what_cannot_be_is_refused_in_words(place: Place, path: str, change: dict[str, str], told: str) -> None:
    ada = place.add("ada")
    assert told in words(place.signed_in("root").post(f"/people/{ada.id}{path}", data=change))
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


def imported(root: Any, content: str, **form: str) -> Any:
    return root.post("/people/import", data=form, files={"file": ("p.csv", content.encode(), "text/csv")})


def test_people_are_imported_all_or_none(place: Place) -> None:
    root = place.signed_in("root")
    told = words(imported(root, "name,role,unit\nada,employee,Board\nbo,boss,\nada,,\ncy d,,\n,,Pub\n"))
    for problem in ("row 3: 'boss' is no role", "row 4: ada stands in row 2", "row 5: 'cy d' cannot", "row 6: A name"):
        assert problem in told, told
    place.add("zoe")
    told = words(imported(root, "name,role\nada,\nRoot,\nbo,\nZOE,\n"))
    assert "These names are taken: row 3: Root; row 5: ZOE." in told
    assert place.records.people.count() == 2
    added = imported(root, "name;shown;role\nada;Ada L;reviewer\nbo;;\n", links="1")
    assert len(set(re.findall(r"/links/[\w-]{43}", root.get(added.headers["location"]).text))) == 2
    assert [each.name for each in place.records.people.all(role="reviewer")] == ["ada"]
    assert imported(root, "name\n" + "x" * 2_000_001).status_code == 413


def test_a_form_for_somebody_new_keeps_what_was_typed_where_it_cannot_be(place: Place) -> None:
    root = place.signed_in("root")
    typed = {"name": "ada", "shown": "Ada L", "role": "reviewer", "unit": "Pub"}
    answer = root.post("/people", data=typed)
    assert (answer.status_code, place.records.people.count()) == (422, 1)
    assert "The chart has no unit 'Pub'. Type a part of its name" in alert(answer)
    form = parsed(answer).select_one("form[action='/people'][method=post]")
    assert form
    kept = {
        str(each["name"]): str(each["value"]) for each in form.select("input, option[selected]") if "name" in each.attrs
    }
    assert kept | {"role": str(form.select("option[selected]")[0]["value"])} == typed | {"unit_id": ""}
    # A unit that shares its name is told by the one that was chosen from the list.
    [board] = CHART.named("Board")
    [bar] = [each for each in CHART.named("Bar") if each.parent == board.id]
    assert "2 units" in alert(root.post("/people", data=typed | {"unit": "Bar"}))
    root.post("/people", data=typed | {"unit": "Bar", "unit_id": bar.id})
    assert place.person("ada").unit == bar.id
    assert "taken" in alert(root.post("/people", data=typed | {"unit": ""}))


def test_a_file_that_cannot_be_taken_is_told_on_the_page_row_by_row(place: Place) -> None:
    answer = imported(place.signed_in("root"), "name,unit\nada,Pub\nbo,\ncy d,\n")
    assert answer.status_code == 422
    assert parsed(answer).select("details.many[open]")
    assert re.search("row 2: the chart has no unit 'Pub'; row 4: 'cy d' cannot", alert(answer))


def test_who_is_here_already_is_left_as_they_are_where_that_was_ticked(place: Place) -> None:
    root, zoe = place.signed_in("root"), place.add("zoe", "reviewer")

    def send(content: str) -> str:
        return words(root.get(imported(root, content, leave="1", links="1").headers["location"]))

    told = send("name,role\nada,\nZOE,admin\n")
    assert "1 person is added; 1 who was here already stay" in told
    assert "/links/" in told
    assert "0 people are added; 2 who were here already stay" in send("name\nada\nzoe\n")
    assert place.records.people.get(zoe.id) == zoe
    assert place.records.people.count() == 3


def test_all_who_wait_are_refused_at_once_and_their_names_are_free(place: Place) -> None:
    root, form = place.signed_in("root"), 'form[action="/people/refuse"]'
    assert not soup(root, "/people").select(form), "nobody waits"
    for number in range(3):
        place.add(f"junk{number}", state="pending")
    (refuse,) = soup(root, "/people").select(form)
    assert "Refuse 3 requests?" in refuse.get_text()
    late = place.add("late", state="pending")
    for nonsense in ({}, {"seen": "x"}, {"seen": "9999-12-31T23:59:59-12:00"}):
        assert "not clear who" in words(root.post("/people/refuse", data=nonsense))
    told = sent(root, "/people/refuse", seen=str(refuse.select("[name=seen]")[0]["value"]))
    assert "3 requests are refused and removed." in told
    assert place.records.people.all(state="pending") == (late,), "nobody had seen that request"
    assert place.done(1) == [("root", "person removed", "junk2", "refused while waiting")]
    assert place.noted("person removed")[2] == "10.0.0.7"
    assert place.add("junk0").state == "active"


def test_names_are_text_on_every_page(place: Place) -> None:
    person = place.add("ada", shown=HOSTILE)
    root, ada = place.signed_in("root"), place.signed_in("ada")
    for page in (root.get("/people"), root.get(f"/people/{person.id}"), root.get("/people/log"), ada.get("/account")):
        assert (page.status_code, HOSTILE in page.text, "49028003" in words(page)) == (200, False, False)


def test_who_is_renamed_signs_in_under_the_new_name_and_the_old_one_is_free(place: Place) -> None:
    ada, root = place.add("ada"), place.signed_in("root")
    browser = place.signed_in("ada")
    told = sent(root, f"/people/{ada.id}/name", name="ada.lovelace")
    assert "ada signs in as ada.lovelace from now on." in told
    assert "name: ada -> ada.lovelace; shown: ada -> ada.lovelace" in told, "in what was done about this account"
    assert browser.get("/").status_code == 200
    assert (place.sign_in("ada").status_code, place.sign_in("ada.lovelace").status_code) == (403, 303)
    assert place.noted("person changed") == ("root", "ada.lovelace", "10.0.0.7")
    assert place.add("ada").id != ada.id


def test_what_somebody_asked_is_forgotten_and_how_much_it_was_is_told(place: Place) -> None:
    ada, root, records = place.add("ada"), place.signed_in("root"), place.records
    for number in range(2):
        records.save_answer(f"a{number}", records.start_conversation(ada.id, "t").id, "q", "w", "{}")
    put_label(records, "a0", "somebody", "Correct", "", "")
    page = words(root.get(f"/people/{ada.id}"))
    assert "2 conversations with every answer, and what their programs asked, for good." in page
    told = "Forgotten of ada: 2 conversations with 1 answer. 1 answer that reviewers judged stays, without a name."
    assert told in sent(root, f"/people/{ada.id}/forget")
    assert (records.conversations(ada.id), records.people.get(ada.id)) == ((), ada)
    assert place.noted("conversations forgotten") == ("root", "ada", "10.0.0.7")


def test_who_is_removed_is_out_at_once_with_all_that_they_asked(place: Place) -> None:
    ada, root, records = place.add("ada"), place.signed_in("root"), place.records
    browser = place.signed_in("ada")
    records.save_answer("a", records.start_conversation(ada.id, "t").id, "q", "w", "{}")
    answer = root.post(f"/people/{ada.id}/remove")
    assert answer.headers["location"].startswith("/people?")
    told = "ada is removed, and the name ada is free. Forgotten: 1 conversation with 1 answer."
    assert told in words(root.get(answer.headers["location"]))
    assert browser.get("/").headers["location"] == "/sign-in"
    assert (records.people.find("ada"), records.conversations(ada.id), records.answer("a")) == (None, (), None)
    for path in ("", "/name", "/link", "/end", "/forget", "/remove"):
        assert root.post(f"/people/{ada.id}{path}", data={"name": "x"}).status_code == 404
    assert place.noted("person removed") == ("root", "ada", "10.0.0.7")


def test_the_last_admin_is_not_removed_and_nobody_is_offered_to_remove_themselves(place: Place) -> None:
    root, person = place.signed_in("root"), place.person("root")
    assert not soup(root, f"/people/{person.id}").select("#remove")
    assert "last active admin" in words(root.post(f"/people/{person.id}/remove"))
    assert place.person("root") == person


def test_a_request_is_refused_alone_too(place: Place) -> None:
    junk, root = place.add("junk", state="pending"), place.signed_in("root")
    (form,) = soup(root, f"/people/{junk.id}").select("#remove")
    assert "Refuse the request of junk ?" in " ".join(form.get_text(" ").split())
    root.post(str(form["action"]))
    assert place.records.people.find("junk") is None


def test_who_comes_by_the_proxy_is_given_no_link_to_set_a_password(opened: Any) -> None:
    place = opened(proxy_user="x-user", proxy_from="10.0.0.5")
    place.add("root", "admin")
    root, records = place.signed_in("root"), place.records
    by_proxy = records.people.add(Newcomer("bo", state="active", how="proxy"), by="test")
    by_password = place.add("ada")
    offered = ["Give a link" in words(root.get(f"/people/{each.id}")) for each in (by_proxy, by_password)]
    assert offered == [False, True]
    assert "has no password here" in words(root.post(f"/people/{by_proxy.id}/link"))
    assert records.audit.page(what="link made") == ()
