"""People, on SQLite and on PostgreSQL."""

from __future__ import annotations

from collections.abc import Callable
from datetime import timedelta
from functools import partial

import pytest

from store import StoreError, people
from store.people import Failures
from store.person import Forgotten, Newcomer, Person
from store.records import Records
from tests.store.conftest import at_once
from trag.review.verdicts import put_label

ADA = Newcomer("Ada", "Ada L.", role="admin", state="active", secret="$argon2id$1")


@pytest.fixture
def ada(records: Records) -> Person:
    return records.people.add(ADA, by="ada")


def told(records: Records) -> list[tuple[str, str, str, str]]:
    return [(event.who, event.what, event.about, event.result) for event in records.audit.all()]


def test_a_person_is_found_by_any_spelling_of_the_name_and_is_kept_apart_from_the_password(records: Records) -> None:
    assert not records.people.exist()
    ada = records.people.add(ADA, by="link", where="10.0.0.7")
    assert records.people.exist()
    assert (ada.name, ada.shown, ada.role, ada.state, ada.how) == ("Ada", "Ada L.", "admin", "active", "password")
    assert {records.people.find(name) for name in ("ada", "ADA", "  Ada ", "\uff21da")} == {ada}
    assert (records.people.get(ada.id), records.people.find("bob"), records.people.get("x")) == (ada, None, None)
    assert (records.people.secret(ada.id), records.people.secret("x")) == ("$argon2id$1", "")
    assert "argon2" not in repr(ada)
    assert told(records) == [("link", "person added", "Ada", "admin, active")]


def test_the_first_one_takes_over_what_was_asked_and_judged_before_there_were_accounts(records: Records) -> None:
    conversation = records.start_conversation("local", "Who?").id
    records.start_conversation("other", "When?")
    records.save_answer("a1", conversation, "Who?", "Ada.", "{}")
    put_label(records, "a1", "local", "Correct")
    ada = records.people.add(ADA, by="ada", heir_of="local")
    assert [kept.id for kept in records.conversations(ada.id)] == [conversation]
    assert (records.conversations("local"), len(records.conversations("other"))) == ((), 1)
    assert [label.reviewer for label in records.labels()] == [ada.id]
    review = records.reviews.review("a1")
    assert review
    assert (review.asker, review.review_status) == (ada.id, "Correct")


@pytest.mark.parametrize(
    ("newcomer", "message"),
    [
        (Newcomer("aDa"), "The name aDa is taken"),
        (Newcomer(" \u2009"), "needs a name"),
        (Newcomer("bob", role="king"), "'king' is no role"),  # type: ignore[arg-type]
        (Newcomer("bob", state="gone"), "'gone' is no state"),  # type: ignore[arg-type]
        (Newcomer("bob", how="magic"), "'magic' is no way"),  # type: ignore[arg-type]
    ],
    ids=["taken", "empty", "role", "state", "how"],
)
def test_who_cannot_be_added_is_refused_with_all_that_come_along(
    records: Records, ada: Person, newcomer: Newcomer, message: str
) -> None:
    before = told(records)
    with pytest.raises(StoreError, match=message):
        records.people.add_all([Newcomer("carl"), newcomer], by="ada")
    assert (records.people.all(), told(records)) == ((ada,), before)


def test_those_who_wait_come_first_and_any_part_of_a_name_finds(records: Records, ada: Person) -> None:
    records.people.add_all([Newcomer(f"p{number:02}", f"Person {number}") for number in range(30)], by="ada")
    records.people.add(Newcomer("100%", "Zoë"), by="ada")
    names = [person.name for person in records.people.all(most=40)]
    assert names == ["100%", *(f"p{number:02}" for number in range(30)), "Ada"]
    assert [person.name for person in records.people.all(page=2, most=20)] == names[20:]
    assert [person.name for person in records.people.all(search="ZOË")] == ["100%"]
    assert [person.name for person in records.people.all(search="%")] == ["100%"]
    assert [person.name for person in records.people.all(search="son 2", most=3)] == ["p02", "p20", "p21"]
    assert [person.name for person in records.people.all(role="admin", state="active")] == ["Ada"]
    counts = [records.people.count(**chosen) for chosen in ({}, {"state": "pending"}, {"search": "n 2"})]
    assert counts == [32, 31, 11]


def test_another_role_or_state_ends_every_session_and_token_and_another_unit_none(
    records: Records, ada: Person
) -> None:
    bob = records.people.add(Newcomer("bob", state="active"), by="ada")
    for given, ends in (
        ({"unit": "u1"}, False),
        ({"shown": "Bob", "name": "bobby"}, False),
        ({"role": "employee"}, False),
        ({"role": "reviewer"}, True),
        ({"state": "disabled"}, True),
    ):
        cookie, _ = records.sessions.begin(bob.id)
        key, _ = records.tokens.make(bob.id, "script", timedelta(days=1), by="bob")
        changed = records.people.change(bob.id, by="ada", **given)
        assert (records.sessions.find(cookie) is None, records.tokens.find(key) is None) == (ends, ends), given
    assert changed == records.people.find("BOBBY")
    kept = (changed.name, changed.shown, changed.role, changed.state, changed.unit)
    assert kept == ("bobby", "Bob", "reviewer", "disabled", "u1")
    assert told(records)[-1] == ("ada", "person changed", "bobby", "state: active -> disabled")
    assert [result for _, what, _, result in told(records) if what == "person changed"] == [
        "unit:  -> u1",
        "name: bob -> bobby; shown: bob -> Bob",
        "role: employee -> reviewer",
        "state: active -> disabled",
    ]


@pytest.mark.parametrize(
    "change",
    [
        pytest.param(lambda records, id: records.people.change(id, by="x", role="reviewer"), id="demote"),
        pytest.param(lambda records, id: records.people.change(id, by="x", state="disabled"), id="disable"),
        pytest.param(lambda records, id: records.people.remove(id, by="x"), id="remove"),
    ],
)
def test_the_last_active_admin_stays(records: Records, ada: Person, change: Callable[[Records, str], object]) -> None:
    bob = records.people.add(Newcomer("bob", role="admin"), by="ada")  # pending, so no help
    records.start_conversation(ada.id, "Who?")
    cookie, _ = records.sessions.begin(ada.id)
    before = told(records)
    with pytest.raises(StoreError, match="Ada is the last active admin"):
        change(records, ada.id)
    assert (records.people.get(ada.id), told(records), len(records.conversations(ada.id))) == (ada, before, 1)
    assert records.sessions.find(cookie) is not None
    records.people.change(bob.id, by="ada", state="active")
    change(records, ada.id)
    assert records.people.get(ada.id) != ada


@pytest.mark.slow
def test_two_admins_who_demote_each_other_at_once_leave_one(records: Records, ada: Person) -> None:
    bob = records.people.add(Newcomer("bob", role="admin", state="active"), by="ada")
    for _ in range(10):
        demote = partial(records.people.change, by="x", role="employee")
        (refused,) = at_once(partial(demote, ada.id), partial(demote, bob.id))
        assert isinstance(refused, StoreError)
        assert records.people.count(role="admin") == 1
        for id in (ada.id, bob.id):
            records.people.change(id, by="x", role="admin")


def test_a_new_password_ends_the_other_sessions_and_by_a_link_the_tokens_too(records: Records, ada: Person) -> None:
    here, session = records.sessions.begin(ada.id)
    there, _ = records.sessions.begin(ada.id)
    key, _ = records.tokens.make(ada.id, "script", timedelta(days=1), by="ada")
    records.people.put_secret(ada.id, "$argon2id$2", by="ada", session=session.id)
    assert records.sessions.find(here)
    assert records.tokens.find(key)
    assert records.sessions.find(there) is None
    link, _ = records.links.make("password", ada.id, timedelta(hours=1), by="bob")
    records.people.put_secret(ada.id, "$argon2id$3", by="ada", link=link)
    assert (records.sessions.find(here), records.tokens.find(key)) == (None, None)
    assert records.people.secret(ada.id) == "$argon2id$3"
    records.people.rehash(ada.id, "$argon2id$5", instead_of="$argon2id$4")
    assert records.people.secret(ada.id) == "$argon2id$3", "it was another password by then"
    records.people.rehash(ada.id, "$argon2id$5", instead_of="$argon2id$3")
    assert records.people.secret(ada.id) == "$argon2id$5"
    with pytest.raises(StoreError, match="no such person"):
        records.people.put_secret("x", "h", by="x")


def test_who_is_removed_takes_along_what_they_asked_and_leaves_what_they_judged(records: Records, ada: Person) -> None:
    bob = records.people.add(Newcomer("bob", role="reviewer", state="active", secret="h"), by="ada")
    cookie, _ = records.sessions.begin(bob.id)
    key, _ = records.tokens.make(bob.id, "script", timedelta(days=1), by="bob")
    link, _ = records.links.make("password", bob.id, timedelta(hours=1), by="ada")
    theirs, hers = records.start_conversation(bob.id, "Who?").id, records.start_conversation(ada.id, "When?").id
    for id, conversation in (("judged", theirs), ("gone", theirs), ("kept", hers)):
        records.save_answer(id, conversation, "q", "w", "{}")
    for id, asker in (("by their program", bob.id), ("by hers", ada.id), ("by nobody", "")):
        records.save_answer(id, None, "q", "w", "{}", asker=asker)
    put_label(records, "judged", ada.id, "Correct")
    put_label(records, "kept", bob.id, "Incorrect")
    assert records.people.remove(bob.id, by="ada", where="10.0.0.7") == Forgotten(1, 2, 1)
    assert (records.people.get(bob.id), records.people.secret(bob.id)) == (None, "")
    assert (records.sessions.find(cookie), records.tokens.find(key), records.links.find(link)) == (None, None, None)
    assert [records.answer(id) is None for id in ("by their program", "by hers", "by nobody")] == [True, False, False]
    assert (records.conversations(bob.id), records.answer("gone")) == ((), None)
    assert len(records.conversations(ada.id)) == 1
    judged = records.reviews.review("judged")
    assert judged
    assert (judged.asker, judged.review_status) == ("", "Correct")
    assert [(label.answer, label.reviewer) for label in records.labels()] == [("judged", ada.id), ("kept", bob.id)]
    (event,) = records.audit.page(what="person removed")
    assert (event.who, event.about, event.where) == ("ada", "bob", "10.0.0.7")
    again = records.people.add(Newcomer("Bob"), by="ada")
    assert (again.id != bob.id, records.conversations(again.id)) == (True, ())


def test_all_who_wait_are_refused_at_once_but_those_who_asked_since(records: Records, ada: Person) -> None:
    bob = records.people.add(Newcomer("bob", state="active"), by="ada")
    for name in ("junk1", "Junk2", "squatted"):
        records.people.add(Newcomer(name, secret="h"), by=name)
    seen = people._now()
    late = records.people.add(Newcomer("late"), by="late")
    refused = records.people.refuse(seen, by="ada", where="10.0.0.7")
    assert [person.name for person in refused] == ["junk1", "Junk2", "squatted"]
    assert set(records.people.all()) == {ada, bob, late}
    actual = [(event.who, event.about, event.where) for event in records.audit.page(what="person removed")]
    assert actual == [("ada", name, "10.0.0.7") for name in ("squatted", "Junk2", "junk1")]
    assert records.people.secret(refused[0].id) == ""
    assert records.people.add(Newcomer("SQUATTED"), by="ada").state == "pending", "the name is free"
    assert records.people.refuse(seen, by="ada") == ()


def test_who_is_shut_out_stays_and_may_come_in_again(records: Records, ada: Person) -> None:
    cookie, _ = records.sessions.begin(ada.id)
    key, _ = records.tokens.make(ada.id, "script", timedelta(days=1), by="ada")
    for _ in range(2):
        records.people.shut_out(ada.id, by="Ada (sso)", where="10.0.0.7", why="no group")
    assert (records.sessions.find(cookie), records.tokens.find(key)) == (None, None)
    (event,) = records.audit.page(what="sessions and tokens ended")
    assert (event.who, event.about, event.where) == ("Ada (sso)", "Ada", "10.0.0.7")
    assert event.result == "1 sessions, 1 tokens: no group"
    assert records.people.get(ada.id) == ada
    records.sessions.begin(ada.id)


def test_which_names_are_taken_and_who_holds_a_mark_is_told(records: Records, ada: Person) -> None:
    assert records.people.known(["ADA", "ada", "bob", "\uff21da"]) == {"ADA", "ada", "\uff21da"}
    assert records.people.known([]) == frozenset()
    assert (records.people.holding("$argon2id$1"), records.people.holding("$argon2id$2")) == ((ada,), ())


def test_failures_are_counted_for_each_key_and_forgotten_after_a_day(
    records: Records, monkeypatch: pytest.MonkeyPatch
) -> None:
    now = people._now()
    monkeypatch.setattr(people, "_now", lambda: now)
    for _ in range(3):
        records.people.failed("name:ada", "address:10.0.0.7", "name:ada")
    records.people.failed("address:10.0.0.7")
    assert records.people.failures("name:ada") == Failures(3, now)
    assert records.people.failures("address:10.0.0.7").count == 4
    assert records.people.failures("name:bob") == Failures()
    records.people.forgive("name:ada")
    assert records.people.failures("name:ada") == Failures()
    now += people.REMEMBERED
    assert records.people.failures("address:10.0.0.7") == Failures()
    for step in (timedelta(), people.REMEMBERED, -2 * people.REMEMBERED):
        now += step
        records.people.failed("address:10.0.0.7")
        assert records.people.failures("address:10.0.0.7") == Failures(1, now), "a clock that was wrong too"


def test_what_somebody_asked_outside_of_conversations_is_forgotten_with_them_and_told_by_name(
    records: Records, ada: Person
) -> None:
    for id, asker in (("hers", ada.id), ("judged", ada.id), ("anothers", "x"), ("nobodys", "")):
        records.save_answer(id, None, "q", "w", "{}", asker=asker)
    put_label(records, "judged", "r", "Correct")
    records.start_conversation("local", "Who?")
    assert records.forget_person(ada.id, by="root") == Forgotten(0, 1, 1)
    assert [id for id in ("hers", "judged", "anothers", "nobodys") if not records.answer(id)] == ["hers"]
    judged = records.reviews.review("judged")
    assert judged
    assert judged.asker == ""
    assert records.forget_person("local", by="root").conversations == 1
    assert [event.about for event in records.audit.page(what="conversations forgotten")] == ["local", "Ada"]
