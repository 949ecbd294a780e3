"""Codes of an authenticator app and recovery codes: which are right, how often, and how wrong ones are slowed down."""

import time
from datetime import timedelta
from urllib.parse import parse_qs, urlsplit

import pytest

from store.person import Newcomer, Person
from store.records import Records
from tests import authenticator
from tests.trag.people.test_sign_in import PASSWORD, Clock
from trag.errors import TragError
from trag.people import passwords, second_factor
from trag.people.sign_in import RATE_LIMITS, RateLimited, SignIn
from trag.people.sign_in import __name__ as sign_in_module

RFC_6238 = "GEZDGNBVGY3TQOJQGEZDGNBVGY3TQOJQ"
"""The key of its appendix B, which gives 8 digits; an app shows the last 6."""

pytestmark = pytest.mark.usefixtures("quick")


@pytest.fixture
def clock(monkeypatch: pytest.MonkeyPatch) -> Clock:
    clock = Clock()
    monkeypatch.setattr(f"{sign_in_module}._now", clock)
    monkeypatch.setattr("store.people._now", clock)
    return clock


@pytest.fixture
def ada(new_records: Records) -> Person:
    """Somebody with a second factor of that key, and one recovery code."""
    hashed = passwords.hashed(PASSWORD)
    ada = new_records.people.add(Newcomer("ada", role="admin", state="active", secret=hashed), by="test")
    new_records.second_factors.begin(ada.id, RFC_6238)
    new_records.second_factors.confirm(ada.id, RFC_6238, 1, {3: passwords.hashed("3-abcde-fghjk")}, by="ada")
    return ada


@pytest.mark.parametrize(("at", "code"), [(1111111109, "081804"), (1234567890, "005924"), (20000000000, "353130")])
def test_codes_are_those_of_the_standard_and_hold_a_step_longer(
    monkeypatch: pytest.MonkeyPatch, at: int, code: str
) -> None:
    for seconds, right in ((0, True), (30, True), (-30, True), (60, False), (-60, False)):
        monkeypatch.setattr(time, "time", lambda seconds=seconds: at + seconds)
        assert second_factor.step_of(RFC_6238, f" {code[:3]} {code[3:]} ") == right * (at // 30), seconds
    monkeypatch.setattr(time, "time", lambda: at)
    assert authenticator.code(RFC_6238) == code


@pytest.mark.parametrize("typed", ["", "28708", "2870823", "²⁸⁷⁰⁸²", "٢٨٧٠٨٢", "28708\ud800", "-87082", "x" * 100_000])
def test_what_is_no_code_is_none(typed: str) -> None:
    assert (second_factor.step_of(RFC_6238, typed), second_factor.as_recovery_code(typed)) == (0, (0, ""))


def test_an_app_is_given_the_key_and_the_names() -> None:
    key = second_factor.new_key()
    parts = urlsplit(second_factor.address(key, "ada&secret=x", "Larkmoor: a/b?c"))
    assert (parts.scheme, parts.netloc, parse_qs(parts.query)["secret"]) == ("otpauth", "totp", [key])
    assert len(key) == 32, "160 bits"
    assert key != second_factor.new_key()


def test_each_code_lets_in_once(new_records: Records, ada: Person) -> None:
    sign_in, now = SignIn(new_records), authenticator.code(RFC_6238)

    def tried(typed: str) -> str:
        try:
            return sign_in.by_code(ada, typed, "10.0.0.1")
        except TragError as error:
            return error.message

    wrong = "That code is wrong, or was used already."
    typed = (now, now, authenticator.code(RFC_6238, -1), " 3-ABCDE-FGHJK", "3-abcde-fghjk", "2-abcde-fghjk")
    assert [tried(each) for each in typed] == ["code", wrong, wrong, "recovery code", wrong, wrong]


def test_wrong_codes_wait_longer_from_anywhere_and_the_right_password_does_not_help(
    new_records: Records, ada: Person, clock: Clock
) -> None:
    sign_in, free = SignIn(new_records), RATE_LIMITS["code"].free
    for place in range(free):
        assert sign_in.by_password("ada", PASSWORD, f"10.0.0.{place}").id == ada.id
        with pytest.raises(TragError, match="That code is wrong"):
            sign_in.by_code(ada, "000000", f"10.0.0.{place}")
    waits = []
    for place in range(10):
        assert sign_in.by_password("ada", PASSWORD, f"10.0.1.{place}").id == ada.id
        with pytest.raises(RateLimited) as refused:
            sign_in.by_code(ada, authenticator.code(RFC_6238), f"10.0.1.{place}")
        waits.append(refused.value.seconds)
        clock.pass_(refused.value.seconds)
        with pytest.raises(TragError, match="That code is wrong"):
            sign_in.by_code(ada, "000000", f"10.0.2.{place}")
    assert waits == [min(2**doubled, 300) for doubled in range(10)]
    clock.pass_(300)
    assert sign_in.by_code(ada, authenticator.code(RFC_6238), "10.0.3.1") == "code"
    assert new_records.audit.page(what="sign-in")[0].result == "wrong code"


def test_a_sign_in_goes_on_once(new_records: Records, ada: Person) -> None:
    sign_in, links = SignIn(new_records), new_records.links
    first, second = (links.make("second factor", ada.id, timedelta(minutes=5), by="ada")[0] for _ in range(2))
    assert sign_in.by_code(ada, authenticator.code(RFC_6238), "10.0.0.1", link=first) == "code"
    with pytest.raises(Exception, match="used already"):
        sign_in.by_code(ada, "3-abcde-fghjk", "10.0.0.1", link=first)
    assert sign_in.by_code(ada, "3-abcde-fghjk", "10.0.0.1", link=second) == "recovery code", "it was not used up"
