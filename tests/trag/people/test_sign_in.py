"""Signing in by password: what is told, and how wrong tries are slowed down."""

import threading
from datetime import UTC, datetime, timedelta

import pytest

from store import people as stored
from store.person import Newcomer, State
from store.records import Records
from trag.errors import TragError
from trag.people import passwords, sign_in
from trag.people.sign_in import DISABLED, RATE_LIMITS, WAITS, WRONG, RateLimited, SignIn

PASSWORD = "violet kettle orbit"
HOME = "10.0.0.7"

pytestmark = pytest.mark.usefixtures("quick")


class Clock:
    """A clock that moves when it is told to."""

    def __init__(self) -> None:
        self.now = datetime.now(UTC)

    def __call__(self) -> datetime:
        return self.now

    def pass_(self, seconds: float) -> None:
        self.now += timedelta(seconds=seconds)


@pytest.fixture
def clock(monkeypatch: pytest.MonkeyPatch) -> Clock:
    clock = Clock()
    monkeypatch.setattr(sign_in, "_now", clock)
    monkeypatch.setattr(stored, "_now", clock)
    return clock


@pytest.fixture
def name(records: Records, request: pytest.FixtureRequest) -> str:
    """An active person of the test's own."""
    return add(records, f"{request.node.name[:60]}-{id(request)}")


def add(records: Records, name: str, state: State = "active") -> str:
    records.people.add(Newcomer(name, state=state, secret=passwords.hashed(PASSWORD)), by="test")
    return name


def tries(service: SignIn, name: str, times: int, address: str = HOME) -> list[object]:
    """What became of so many wrong tries: 0 for a look at the password, else the seconds to wait."""
    found: list[object] = []
    for _ in range(times):
        with pytest.raises(TragError) as refused:
            service.by_password(name, "wrong", address)
        found.append(refused.value.seconds if isinstance(refused.value, RateLimited) else 0)
    return found


def test_the_right_password_lets_in_in_capitals_or_not(records: Records, name: str) -> None:
    assert SignIn(records).by_password(name.upper(), PASSWORD, HOME).name == name


@pytest.mark.parametrize(("state", "told"), [("pending", WAITS), ("disabled", DISABLED)])
def test_only_who_knows_the_password_learns_about_the_account(
    records: Records, state: State, told: tuple[str, str], clock: Clock
) -> None:
    service, name = SignIn(records), add(records, f"not-{state}", state)
    for who in (name, "nobody-at-all"):
        with pytest.raises(TragError) as refused:
            service.by_password(who, "wrong", "10.0.1.1")
        assert (refused.value.message, refused.value.hint) == WRONG
    with pytest.raises(TragError) as refused:
        service.by_password(name, PASSWORD, "10.0.1.1")
    assert (refused.value.message, refused.value.hint) == told


def test_a_name_that_is_not_there_takes_the_same_work(records: Records, monkeypatch: pytest.MonkeyPatch) -> None:
    looked: list[str] = []
    right = passwords.is_right
    monkeypatch.setattr(passwords, "is_right", lambda password, kept: (looked.append(kept), right(password, kept))[1])
    tries(SignIn(records), "nobody-there", 1, "10.0.2.1")
    assert looked == [""]  # which test_passwords.py shows to be as much work


def test_wrong_tries_wait_ever_longer_up_to_a_bound_and_never_for_good(
    records: Records, name: str, clock: Clock
) -> None:
    service, waits = SignIn(records), []
    free = RATE_LIMITS["from"].free
    assert tries(service, name, free, "10.0.3.1") == [0] * free
    for _ in range(12):
        (wait,) = tries(service, name, 1, "10.0.3.1")
        assert isinstance(wait, int)
        waits.append(wait)
        clock.pass_(wait)
        assert tries(service, name, 1, "10.0.3.1") == [0]
    assert waits == [min(2**doubled, 300) for doubled in range(12)]
    clock.pass_(300)
    assert service.by_password(name, PASSWORD, "10.0.3.1").name == name
    assert tries(service, name, free, "10.0.3.1") == [0] * free  # forgiven


@pytest.mark.slow
def test_somebody_elses_tries_make_the_owner_wait_a_few_seconds_at_most(
    records: Records, name: str, clock: Clock
) -> None:
    service = SignIn(records)
    for place in range(40):
        clock.pass_(RATE_LIMITS["name"].most)
        tries(service, name, 1, f"10.1.0.{place}")
    with pytest.raises(RateLimited) as refused:
        service.by_password(name, PASSWORD, "10.0.4.1")
    assert refused.value.seconds <= 10
    clock.pass_(10)
    assert service.by_password(name, PASSWORD, "10.0.4.1").name == name


@pytest.mark.slow
def test_one_address_that_tries_many_names_is_slowed_down(records: Records, clock: Clock) -> None:
    service, free = SignIn(records), RATE_LIMITS["address"].free
    looked = [tries(service, f"sprayed-{number}", 1, "10.0.5.1")[0] for number in range(free + 5)]
    assert looked[:free] == [0] * free
    assert all(looked[free:])


@pytest.mark.slow
def test_a_day_of_tries_is_a_few_hundred_looks(records: Records, name: str, clock: Clock) -> None:
    service, looked, ends = SignIn(records), 0, clock.now + timedelta(days=1)
    while clock.now < ends and looked <= 400:  # what is tried before its time is no look, and moves nothing
        waits = [int(str(tries(service, name, 1, "10.0.6.1")[0])) for _ in range(3)]
        looked += waits.count(0)
        clock.pass_(waits[-1])
    assert 0 < looked <= 400


def test_many_at_once_are_no_way_around_the_wait(records: Records, name: str, monkeypatch: pytest.MonkeyPatch) -> None:
    service, free = SignIn(records), RATE_LIMITS["from"].free
    held, looked = threading.Event(), []
    monkeypatch.setattr(passwords, "is_right", lambda password, kept: (looked.append(1), held.wait(10), False)[2])
    threads = [threading.Thread(target=tries, args=(service, name, 1, "10.0.7.1")) for _ in range(20)]
    for thread in threads:
        thread.start()
    held.set()
    for thread in threads:
        thread.join()
    assert len(looked) <= free + 1


def test_a_clock_that_is_set_back_shuts_nobody_out(records: Records, name: str, clock: Clock) -> None:
    service = SignIn(records)
    tries(service, name, 10, "10.0.8.1")
    clock.pass_(-86_400)
    assert service.by_password(name, PASSWORD, "10.0.8.1").name == name


def test_what_was_typed_for_a_name_is_kept_nowhere(records: Records) -> None:
    tries(SignIn(records), PASSWORD, 1, "10.0.9.1")  # typed into the wrong field
    dump = records._engine.raw_connection().driver_connection.iterdump()  # type: ignore[union-attr]
    assert not [line for line in dump if PASSWORD in line]
    assert records.audit.page(most=1)[0].result == "wrong name or password"


def test_a_hash_of_less_work_is_made_anew_at_the_next_right_password(
    records: Records, name: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    from argon2 import PasswordHasher

    person = records.people.find(name)
    assert person
    before = records.people.secret(person.id)
    monkeypatch.setattr(passwords, "_hasher", lambda: PasswordHasher(time_cost=2, memory_cost=16, parallelism=1))
    SignIn(records).by_password(name, PASSWORD, HOME)
    after = records.people.secret(person.id)
    assert "m=16,t=2" in after
    assert after != before
    assert passwords.is_right(PASSWORD, after)
