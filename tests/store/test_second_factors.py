"""Second factors, on SQLite and on PostgreSQL."""

from __future__ import annotations

from collections.abc import Callable
from datetime import timedelta
from functools import partial

import pytest

from store import StoreError
from store.person import Newcomer, Person
from store.records import Records
from tests.store.conftest import at_once

MINUTE = timedelta(minutes=1)


@pytest.fixture
def ada(records: Records) -> Person:
    return records.people.add(Newcomer("ada", role="admin", state="active"), by="ada")


def test_nothing_is_asked_before_a_first_code_was_right(records: Records, ada: Person) -> None:
    factors = records.second_factors
    assert (factors.of(ada.id), factors.use(ada.id, step=7)) == (None, False)
    factors.begin(ada.id, "ONE")
    factors.begin(ada.id, "TWO")
    begun = factors.of(ada.id)
    assert begun
    assert (begun.key, begun.since, begun.left, factors.use(ada.id, step=7)) == ("TWO", None, 0, False)
    with pytest.raises(StoreError, match="begun anew"):
        factors.confirm(ada.id, "ONE", 7, {1: "c"}, by="ada")
    (here, kept_session), (there, _) = (records.sessions.begin(ada.id) for _ in range(2))
    factors.confirm(ada.id, "TWO", 7, {1: "a", 2: "b"}, by="ada", session=kept_session.id)
    found = records.sessions.find(here), records.sessions.find(there)
    assert [each is None for each in found] == [False, True], "one that the password alone began"
    again = partial(factors.confirm, ada.id, "TWO", 8, {1: "c"}, by="eve")
    for refused in (partial(factors.begin, ada.id, "THREE"), again):
        with pytest.raises(StoreError):
            refused()
    kept = factors.of(ada.id)
    assert kept
    assert (kept.key, kept.since is not None, kept.left) == ("TWO", True, 2)
    assert (factors.use(ada.id, step=7), factors.use(ada.id, step=8)) == (False, True), "the first code is used"
    factors.end(ada.id, by="root", where="10.0.0.1")
    assert (factors.of(ada.id), factors.recovery_hash(ada.id, 1)) == (None, "")
    factors.end(ada.id, by="root")
    told = [(each.who, each.what, each.about, each.result) for each in records.audit.all()][1:]
    assert told == [("ada", "second factor set up", "ada", "2 recovery codes"),
                    ("root", "second factor taken off", "ada", "")]  # fmt: skip


def test_of_many_keys_that_are_begun_at_once_one_waits(records: Records, ada: Person) -> None:
    begun = [partial(records.second_factors.begin, ada.id, key) for key in ("ONE", "TWO", "THREE")]
    assert at_once(*begun) == []
    waits = records.second_factors.of(ada.id)
    assert waits
    assert waits.key in ("ONE", "TWO", "THREE")


def test_of_many_who_use_a_code_at_once_one_is_let_in(records: Records, ada: Person) -> None:
    factors = records.second_factors
    factors.begin(ada.id, "KEY")
    factors.confirm(ada.id, "KEY", 1, {1: "a", 2: "b"}, by="ada")
    for used in ({"step": 9}, {"recovery": 1}):
        won: list[bool] = []
        assert at_once(*[lambda used=used, won=won: won.append(factors.use(ada.id, **used))] * 4) == []
        assert sorted(won) == [False, False, False, True]
    kept = factors.of(ada.id)
    assert kept
    assert kept.left == 1
    assert (factors.recovery_hash(ada.id, 1), factors.recovery_hash(ada.id, 2)) == ("", "b")


def test_the_link_of_a_sign_in_is_used_with_the_code_and_sets_no_password(records: Records, ada: Person) -> None:
    factors, links = records.second_factors, records.links
    factors.begin(ada.id, "KEY")
    factors.confirm(ada.id, "KEY", 1, {1: "a"}, by="ada")
    ticket, _ = links.make("second factor", ada.id, MINUTE, by="ada")
    other, kept = links.make("second factor", ada.id, MINUTE, by="ada")
    assert (links.find(ticket), links.find(other, ("second factor",))) == (None, kept)
    for misused in (
        lambda: records.people.put_secret(ada.id, "stolen", by="eve", link=ticket),
        lambda: records.people.add(Newcomer("eve", role="admin", state="active"), by="eve", link=ticket),
    ):
        with pytest.raises(StoreError, match="used already"):
            misused()
    assert factors.use(ada.id, step=5, link=ticket)
    with pytest.raises(StoreError, match="used already"):
        factors.use(ada.id, recovery=1, link=ticket)
    with pytest.raises(StoreError, match="used already"):
        factors.use(ada.id, step=6, link=links.make("password", ada.id, MINUTE, by="ada")[0])
    assert factors.recovery_hash(ada.id, 1) == "a", "what did not let in is not used up"


@pytest.mark.parametrize(
    "ends",
    [
        lambda records, id: records.people.change(id, state="disabled", by="root"),
        lambda records, id: records.people.put_secret(id, "new", by="ada"),
        lambda records, id: records.people.shut_out(id, by="root"),
        lambda records, id: records.sessions.end_all(id),
    ],
    ids=["disabled", "password", "shut out", "signed out"],
)
def test_a_sign_in_under_way_ends_with_the_sessions(
    records: Records, ada: Person, ends: Callable[[Records, str], object]
) -> None:
    records.people.add(Newcomer("root", role="admin", state="active"), by="root")
    link, kept = records.links.make("password", ada.id, MINUTE, by="ada")
    ticket, _ = records.links.make("second factor", ada.id, MINUTE, by="ada")
    ends(records, ada.id)
    assert (records.links.find(ticket, ("second factor",)), records.links.find(link)) == (None, kept)


def test_who_is_removed_takes_it_along(records: Records, ada: Person) -> None:
    bob = records.people.add(Newcomer("bob", state="active"), by="ada")
    records.second_factors.begin(bob.id, "KEY")
    records.second_factors.confirm(bob.id, "KEY", 1, {1: "a"}, by="bob")
    records.people.remove(bob.id, by="ada")
    assert (records.second_factors.of(bob.id), records.second_factors.recovery_hash(bob.id, 1)) == (None, "")
