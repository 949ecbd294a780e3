"""The page of one person: renamed, forgotten, removed, and how they get in."""

from typing import Any

import pytest
from bs4 import BeautifulSoup

from store.person import Newcomer
from trag.review.verdicts import put_label

Place = Any  # of conftest.py
PASSWORD = "violet kettle orbit"

pytestmark = pytest.mark.slow


def words(answer: Any) -> str:
    return " ".join(BeautifulSoup(answer.text, "html.parser").get_text(" ").split())


def test_who_is_renamed_signs_in_under_the_new_name_and_the_old_one_is_free(place: Place) -> None:
    ada, root = place.add("ada"), place.signed_in("root")
    browser = place.signed_in("ada")
    answer = root.post(f"/people/{ada.id}/name", data={"name": "ada.lovelace"})
    told = words(root.get(answer.headers["location"]))
    assert "ada signs in as ada.lovelace from now on." in told
    assert "name: ada -> ada.lovelace; shown: ada -> ada.lovelace" in told, "in what was done about this account"
    assert browser.get("/").status_code == 200
    assert place.browser().post("/sign-in", data={"name": "ada", "password": PASSWORD}).status_code == 403
    place.signed_in("ada.lovelace")
    event = place.records.audit.page(what="person changed")[0]
    assert (event.who, event.about, event.where) == ("root", "ada.lovelace", "10.0.0.7")
    assert place.add("ada").id != ada.id


@pytest.mark.parametrize(("name", "told"), [("Root", "taken"), ("a b", "cannot be a name"), ("", "missing")])
def test_a_name_that_cannot_be_is_refused_in_words(place: Place, name: str, told: str) -> None:
    ada = place.add("ada")
    assert told in words(place.signed_in("root").post(f"/people/{ada.id}/name", data={"name": name}))
    assert place.records.people.get(ada.id) == ada


def test_what_somebody_asked_is_forgotten_and_how_much_it_was_is_told(place: Place) -> None:
    ada, root, records = place.add("ada"), place.signed_in("root"), place.records
    for number in range(2):
        conversation = records.start_conversation(ada.id, "t").id
        records.save_answer(f"a{number}", conversation, "q", "w", "{}")
    put_label(records, "a0", "somebody", "Correct", "", "")
    page = root.get(f"/people/{ada.id}")
    assert "2 conversations with every answer, and what their programs asked, for good." in words(page)
    answer = root.post(f"/people/{ada.id}/forget")
    told = "Forgotten of ada: 2 conversations with 1 answer. 1 answer that reviewers judged stays, without a name."
    assert told in words(root.get(answer.headers["location"]))
    assert (records.conversations(ada.id), records.people.get(ada.id)) == ((), ada)
    event = records.audit.page(what="conversations forgotten")[0]
    assert (event.who, event.about, event.where) == ("root", "ada", "10.0.0.7")


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
    event = records.audit.page(what="person removed")[0]
    assert (event.who, event.about, event.where) == ("root", "ada", "10.0.0.7")


def test_the_last_admin_is_not_removed_and_nobody_is_offered_to_remove_themselves(place: Place) -> None:
    root, person = place.signed_in("root"), place.records.people.find("root")
    page = BeautifulSoup(root.get(f"/people/{person.id}").text, "html.parser")
    assert page.select_one("#remove") is None
    assert "last active admin" in words(root.post(f"/people/{person.id}/remove"))
    assert place.records.people.find("root") == person


def test_a_request_is_refused_alone_too(place: Place) -> None:
    junk, root = place.add("junk", state="pending"), place.signed_in("root")
    page = BeautifulSoup(root.get(f"/people/{junk.id}").text, "html.parser")
    form = page.select_one("#remove")
    assert form
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
