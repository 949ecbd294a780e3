"""What proxies are believed about, and the accounts of people whom a provider or a proxy vouches for."""

from datetime import timedelta

import pytest

from store.person import Newcomer
from store.records import Records
from trag.errors import TragError
from trag.people import CurrentUser, passwords
from trag.people.external_identity import Claim, Proxies, is_external, provision, proxies, sign_in_method
from trag.settings import Settings

PASSWORD = "violet kettle orbit"
NAMED = proxies("10.0.0.5, 10.1.0.0/16, fd00::/8", "X-Remote-User")

pytestmark = pytest.mark.usefixtures("quick")


def test_a_stranger_waits_unless_a_group_gives_a_role(records: Records) -> None:
    waits = provision(records.people, Claim("new-1", "New One", "proxy"), where="10.0.0.1")
    assert (waits.state, waits.role, waits.how) == ("pending", "employee", "proxy")
    let_in = provision(records.people, Claim("new-2", "", "sso", "s2", "reviewer", "u"), where="")
    assert (let_in.state, let_in.role, let_in.unit, let_in.shown) == ("active", "reviewer", "u", "new-2")
    assert provision(records.people, Claim("new-1", "", "proxy", role="employee"), where="").state == "active"
    with pytest.raises(TragError, match="name to sign in with"):
        provision(records.people, Claim("a b", "", "proxy"), where="")


def test_what_the_provider_says_counts_from_the_next_arrival_on_but_for_who_is_disabled(records: Records) -> None:
    first = provision(records.people, Claim("moves", "M", "sso", "s3", "reviewer", "u1"), where="")
    now = provision(records.people, Claim("moves", "M", "sso", "s3", "employee", ""), where="")
    assert (now.id, now.role, now.unit) == (first.id, "employee", "")
    kept = provision(records.people, Claim("moves", "M", "sso", "s3"), where="")
    assert (kept.role, kept.unit) == ("employee", "")
    records.people.change(first.id, state="disabled", by="root")
    assert provision(records.people, Claim("moves", "M", "sso", "s3", "admin"), where="").state == "disabled"


def test_the_first_admin_inherits_and_the_last_one_stays_one_whatever_the_provider_says(new_records: Records) -> None:
    mine = new_records.start_conversation(CurrentUser.local.person, "Who?")
    boss = provision(new_records.people, Claim("boss", "", "sso", "s", "admin"), where="")
    assert [each.id for each in new_records.conversations(boss.id)] == [mine.id], "asked before there were accounts"
    assert provision(new_records.people, Claim("boss", "", "sso", "s", "employee"), where="").role == "admin"


def test_a_name_given_to_another_opens_nothing_of_the_one_before(records: Records) -> None:
    before = provision(records.people, Claim("passed-on", "", "sso", "one", "employee"), where="")
    newcomer = Claim("passed-on", "", "sso", "two", "admin")
    with pytest.raises(TragError, match="another account") as refused:
        provision(records.people, newcomer, where="")
    assert "give that account another name" in refused.value.hint
    records.people.change(before.id, name="passed-on-before", by="root")
    assert provision(records.people, newcomer, where="").id != before.id
    records.people.add(Newcomer("by-password", state="active", secret=passwords.hashed(PASSWORD)), by="t")
    with pytest.raises(TragError, match="another account"):
        provision(records.people, Claim("By-Password", "", "sso", "three", "admin"), where="")


def test_who_has_no_group_any_more_is_refused_and_what_they_held_ends(records: Records) -> None:
    person = provision(records.people, Claim("leaver", "", "sso", "s5", "employee"), where="")
    other = provision(records.people, Claim("stayer", "", "sso", "s6", "employee"), where="")
    held = [records.sessions.begin(each.id)[0] for each in (person, other)]
    token, _ = records.tokens.make(person.id, "job", timedelta(days=365), by="leaver")
    with pytest.raises(TragError, match="None of your groups"):
        provision(records.people, Claim("", "", "sso", "s5", welcome=False), where="10.0.0.1")
    assert [records.sessions.find(each) is None for each in held] == [True, False]
    assert records.tokens.find(token) is None
    (event,) = records.audit.page(what="sessions and tokens ended", about="leaver")
    assert (event.who, event.where, event.result) == (
        "leaver (sso)", "10.0.0.1", "1 sessions, 1 tokens: no group lets them in"
    )  # fmt: skip
    assert provision(records.people, Claim("leaver", "", "sso", "s5", "employee"), where="").id == person.id


def test_who_comes_by_a_provider_or_a_proxy_is_vouched_for_while_there_is_one(records: Records) -> None:
    people = records.people
    by_sso = provision(people, Claim("vouched-1", "", "sso", "s7", "employee"), where="")
    by_proxy = provision(people, Claim("vouched-2", "", "proxy"), where="")
    imported = people.add(Newcomer("vouched-3", state="active"), by="root")
    sso, proxy = Settings(sso_issuer="https://sso.example.org"), Settings(proxy_user="x-user", proxy_from="10.0.0.5")

    def found(settings: Settings) -> list[bool]:
        return [is_external(people, each, settings) for each in (by_sso, by_proxy, imported)]

    assert (found(sso), found(proxy), found(Settings())) == ([True, False, False], [False, True, False], [False] * 3)
    provision(people, Claim("vouched-3", "", "sso", "s8"), where="")
    assert found(sso) == [True, False, True], "who was imported is known there by now"
    assert [sign_in_method(people, each) for each in (by_sso, by_proxy, imported)] == ["sso", "proxy", "sso"]


@pytest.mark.parametrize(
    ("found", "client", "values", "user"),
    [
        (NAMED, "10.0.0.5", ["ada"], "ada"),
        (NAMED, "10.1.200.3", [" ada "], "ada"),
        (NAMED, "fd00::1", ["ada"], "ada"),
        (NAMED, "10.0.0.6", ["ada"], ""),
        (NAMED, "127.0.0.1", ["ada"], ""),
        (NAMED, "", ["ada"], ""),
        (NAMED, "testclient", ["ada"], ""),
        (NAMED, "10.0.0.5", ["ada", "root"], ""),
        (NAMED, "10.0.0.5", [], ""),
        (Proxies(), "10.0.0.5", ["ada"], ""),
        (proxies("10.0.0.5", ""), "10.0.0.5", ["ada"], ""),
    ],
)
def test_only_a_named_proxy_says_who_signed_in(found: Proxies, client: str, values: list[str], user: str) -> None:
    assert found.user(client, values) == user


@pytest.mark.parametrize(
    ("client", "forwarded", "origin"),
    [
        ("192.0.2.1", ["1.1.1.1"], "192.0.2.1"),
        ("10.0.0.5", [], "10.0.0.5"),
        ("10.0.0.5", ["1.1.1.1"], "1.1.1.1"),
        ("10.0.0.5", ["6.6.6.6, 1.1.1.1, 10.1.0.2"], "1.1.1.1"),
        ("10.0.0.5", ["6.6.6.6", "1.1.1.1"], "1.1.1.1"),
        ("10.0.0.5", ["1.1.1.1, nonsense"], "10.0.0.5"),
        ("10.0.0.5", ["10.1.0.3, 10.1.0.2"], "10.1.0.3"),
    ],
)
def test_where_from_is_the_nearest_address_that_is_no_proxys(client: str, forwarded: list[str], origin: str) -> None:
    assert NAMED.origin(client, forwarded) == origin


@pytest.mark.parametrize(
    ("addresses", "header"), [("proxy.example.org", ""), ("10.0.0.0/33", ""), ("", "X-Remote-User")]
)
def test_settings_that_name_no_proxy_are_refused(addresses: str, header: str) -> None:
    with pytest.raises(TragError):
        proxies(addresses, header)
