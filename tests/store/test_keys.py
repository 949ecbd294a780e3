"""Sessions, tokens and one-time links, on SQLite and on PostgreSQL."""

from __future__ import annotations

import resource
from datetime import datetime, timedelta
from functools import partial

import pytest
from sqlalchemy import text

from store import StoreError, keys
from store.database import open_database, reading
from store.person import Newcomer, Person
from store.records import Records
from tests.store.conftest import at_once

HOUR, DAY = timedelta(hours=1), timedelta(days=1)


class Clock:
    def __init__(self) -> None:
        self.now: datetime = keys._now()


@pytest.fixture
def clock(monkeypatch: pytest.MonkeyPatch) -> Clock:
    clock = Clock()
    monkeypatch.setattr(keys, "_now", lambda: clock.now)
    return clock


@pytest.fixture
def ada(records: Records) -> Person:
    return records.people.add(Newcomer("ada", role="admin", state="active"), by="ada")


def test_a_session_is_found_by_its_secret_until_it_is_ended(records: Records, ada: Person) -> None:
    held = [records.sessions.begin(ada.id) for _ in range(3)]
    for secret, session in held:
        assert records.sessions.find(secret) == (session, ada)
    assert len({secret for secret, _ in held}) == 3
    assert all(len(secret) == 43 for secret, _ in held), "256 bits"
    records.sessions.end(held[0][1].id)
    assert [records.sessions.find(secret) is None for secret, _ in held] == [True, False, False]
    records.sessions.end_all(ada.id, but=held[1][1].id)
    assert [records.sessions.find(secret) is None for secret, _ in held] == [True, False, True]
    assert records.sessions.of(ada.id) == (held[1][1],)


@pytest.mark.parametrize("secret", ["", "x", "\ud800", "\0", "' OR 1=1 --"])
def test_what_nobody_was_given_finds_nothing(records: Records, ada: Person, secret: str) -> None:
    records.sessions.begin(ada.id)
    found = (records.sessions.find(secret), records.tokens.find(f"trag_{secret}"), records.links.find(secret))
    assert found == (None, None, None)


def test_no_secret_is_kept_only_its_hash(records: Records, ada: Person, migrated: str) -> None:
    cookie, session = records.sessions.begin(ada.id)
    key, token = records.tokens.make(ada.id, "script", DAY, by="ada")
    link, _ = records.links.make("password", ada.id, HOUR, by="ada")
    engine = open_database(migrated)
    with reading(engine) as connection:
        kept = str(
            [connection.execute(text(f"SELECT * FROM {table}")).all() for table in ("sessions", "tokens", "links")]
        )
    engine.dispose()
    assert session.id in kept
    assert token.id in kept
    assert not any(secret in kept for secret in (cookie, key, link, key.removeprefix("trag_")))
    assert records.sessions.find(session.id) is None, "the hash lets nobody in"


@pytest.mark.parametrize(
    ("steps", "lasts"),
    [
        ([keys.IDLE - HOUR] * 3, True),
        ([keys.IDLE], False),
        ([HOUR, keys.IDLE - HOUR, keys.IDLE], False),
        ([keys.IDLE - HOUR] * 20, False),
        ([-HOUR, keys.IDLE - HOUR], True),
        ([HOUR - keys.IDLE] * 3, True),
        ([-keys.IDLE], False),
        ([-DAY, DAY], True),
        ([365 * DAY, -365 * DAY], True),
    ],
    ids=["used", "idle", "idle after use", "used past the end", "back", "back bit by bit", "far back", "righted", "on"],
)
def test_a_session_ends_when_nobody_uses_it_and_in_any_case_after_a_week(
    records: Records, ada: Person, clock: Clock, steps: list[timedelta], lasts: bool
) -> None:
    secret, _ = records.sessions.begin(ada.id)
    for step in steps:
        clock.now += step
        found = records.sessions.find(secret)
    assert (found is not None) == lasts
    assert len(records.sessions.of(ada.id)) == lasts


def test_what_was_begun_by_a_clock_that_was_wrong_lets_nobody_in_for_longer(
    records: Records, ada: Person, clock: Clock
) -> None:
    def let_in() -> list[bool]:
        found = records.sessions.find(cookie), records.tokens.find(token), records.links.find(link)
        return [each is not None for each in found]

    clock.now += 365 * DAY
    (cookie, _), (token, _) = records.sessions.begin(ada.id), records.tokens.make(ada.id, "t", DAY, by="ada")
    link, _ = records.links.make("password", ada.id, keys.LASTS, by="ada")
    assert let_in() == [True] * 3
    clock.now -= keys.IDLE - HOUR
    assert let_in() == [True] * 3, "by so much a clock may be wrong"
    clock.now -= 30 * DAY
    assert let_in() == [False] * 3
    with pytest.raises(StoreError, match="its time is over"):
        records.people.put_secret(ada.id, "h", by="ada", link=link)


def test_a_session_that_is_only_looked_up_says_what_its_person_is_now_and_ends_as_one_that_nobody_uses(
    records: Records, ada: Person, clock: Clock
) -> None:
    secret, session = records.sessions.begin(ada.id)
    changed = records.people.change(ada.id, by="ada", unit="u7")
    clock.now += keys.IDLE - HOUR
    assert records.sessions.find(secret, used=False) == (session, changed)
    clock.now += HOUR
    assert records.sessions.find(secret, used=False) is None


@pytest.mark.parametrize("state", ["pending", "disabled"])
def test_nobody_begins_a_session_or_makes_a_token_before_or_after_being_active(
    records: Records, ada: Person, state: str
) -> None:
    bob = records.people.add(Newcomer("bob", state=state), by="ada")  # type: ignore[arg-type]
    for begin in (lambda: records.sessions.begin(bob.id), lambda: records.tokens.make(bob.id, "t", DAY, by="bob")):
        with pytest.raises(StoreError, match="not active"):
            begin()


def test_a_token_works_until_its_end_and_says_when_it_was_used(records: Records, ada: Person, clock: Clock) -> None:
    secret, token = records.tokens.make(ada.id, "nightly", DAY, by="ada")
    other, _ = records.tokens.make(ada.id, "other", 3 * DAY, by="ada")
    assert secret.startswith("trag_")
    assert records.tokens.find(secret) == (token, ada)
    assert records.tokens.find(secret.removeprefix("trag_")) is None
    assert {each.name: each.last_used for each in records.tokens.of(ada.id)} == {"nightly": clock.now, "other": None}
    clock.now += DAY
    assert records.tokens.find(secret) is None
    assert records.tokens.find(other) is not None
    (last,) = [each for each in records.tokens.of(ada.id) if each.name == "other"]
    records.tokens.end(last.id, by="ada")
    assert records.tokens.find(other) is None
    assert (token.scope, records.tokens.make(ada.id, "reads", DAY, by="ada", scope="read")[1].scope) == ("ask", "read")
    assert records.audit.page(most=1)[0].result.startswith("reads, to read, until ")
    told = [(each.what, each.about) for each in records.audit.all()][1:-1]
    assert told == [("token made", "ada"), ("token made", "ada"), ("token ended", "ada")]


def test_a_link_works_once_and_the_next_one_ends_it(records: Records, ada: Person, clock: Clock) -> None:
    first, _ = records.links.make("password", ada.id, HOUR, by="x")
    second, link = records.links.make("password", ada.id, HOUR, by="x")
    assert (records.links.find(first), records.links.find(second)) == (None, link)
    assert [each.about for each in records.audit.page(what="link made")] == ["ada", "ada"]
    records.people.put_secret(ada.id, "h", by="ada", link=second)
    assert records.links.find(second) is None
    late, _ = records.links.make("password", ada.id, HOUR, by="x")
    clock.now += HOUR
    assert records.links.find(late) is None
    for spent in (first, second, late):
        with pytest.raises(StoreError, match="used already, or its time is over"):
            records.people.put_secret(ada.id, "other", by="ada", link=spent)
    assert records.people.secret(ada.id) == "h"


def test_no_link_is_made_for_somebody_who_is_gone(records: Records) -> None:
    with pytest.raises(StoreError, match="removed"):
        records.links.make("password", "nobody", HOUR, by="x")
    assert not list(records.audit.all())


def test_a_link_changes_nobody_elses_password(records: Records, ada: Person) -> None:
    bob = records.people.add(Newcomer("bob", state="active", secret="bob's"), by="ada")
    link, kept = records.links.make("password", ada.id, HOUR, by="x")
    with pytest.raises(StoreError, match="somebody else"):
        records.people.put_secret(bob.id, "stolen", by="x", link=link)
    assert (records.people.secret(bob.id), records.links.find(link)) == ("bob's", kept)


@pytest.mark.slow
def test_of_many_who_open_the_first_link_at_once_one_becomes_the_admin(records: Records) -> None:
    link, _ = records.links.make("first admin", None, HOUR, by="start")
    newcomers = (Newcomer(f"p{number}", role="admin", state="active") for number in range(6))
    refused = at_once(*(partial(records.people.add, each, by="x", link=link) for each in newcomers))
    assert all(isinstance(error, StoreError) for error in refused), refused
    assert (records.people.count(), len(refused)) == (1, 5)


def test_a_full_disk_shuts_nobody_out_whom_the_records_know(records: Records, ada: Person, clock: Clock) -> None:
    held, _ = records.sessions.begin(ada.id)
    token, _ = records.tokens.make(ada.id, "nightly", timedelta(days=1), by="test")
    clock.now += timedelta(minutes=10)  # it would be written down now that they are used
    before = resource.getrlimit(resource.RLIMIT_FSIZE)
    resource.setrlimit(resource.RLIMIT_FSIZE, (0, before[1]))
    try:
        found = records.sessions.find(held), records.tokens.find(token)
    finally:
        resource.setrlimit(resource.RLIMIT_FSIZE, before)
    assert [each[1].id for each in found if each] == [ada.id] * 2
