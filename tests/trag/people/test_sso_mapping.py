"""People whom a provider or a proxy vouches for; what single sign-on itself does is in tests/trag/web."""

from contextlib import closing
from datetime import timedelta

import pytest

from store.person import Newcomer
from store.records import Records
from trag.errors import TragError
from trag.people import CurrentUser, passwords
from trag.people.first_admin import first_link, make_admin
from trag.people.sso_mapping import Claim, arrive, is_vouched_for, way_in
from trag.settings import Settings

PASSWORD = "violet kettle orbit"

pytestmark = pytest.mark.usefixtures("quick")


def test_a_stranger_waits_unless_a_group_gives_a_role(records: Records) -> None:
    waits = arrive(records.people, Claim("new-1", "New One", "proxy"), where="10.0.0.1")
    assert (waits.state, waits.role, waits.how) == ("pending", "employee", "proxy")
    let_in = arrive(records.people, Claim("new-2", "", "sso", "s2", "reviewer", "u"), where="")
    assert (let_in.state, let_in.role, let_in.unit, let_in.shown) == ("active", "reviewer", "u", "new-2")
    assert arrive(records.people, Claim("new-1", "", "proxy", role="employee"), where="").state == "active"


def test_what_the_provider_says_counts_from_the_next_arrival_on(records: Records) -> None:
    first = arrive(records.people, Claim("moves", "M", "sso", "s3", "reviewer", "u1"), where="")
    now = arrive(records.people, Claim("moves", "M", "sso", "s3", "employee", ""), where="")
    assert (now.id, now.role, now.unit) == (first.id, "employee", "")
    kept = arrive(records.people, Claim("moves", "M", "sso", "s3"), where="")
    assert (kept.role, kept.unit) == ("employee", "")


def test_the_first_admin_inherits_and_the_last_one_stays_one_whatever_the_provider_says(
    tmp_path_factory: pytest.TempPathFactory,
) -> None:
    with closing(Records(f"sqlite:///{tmp_path_factory.mktemp('last')}/trag.db")) as records:
        mine = records.start_conversation(CurrentUser.local.person, "Who?")
        boss = arrive(records.people, Claim("boss", "", "sso", "s", "admin"), where="")
        assert [each.id for each in records.conversations(boss.id)] == [mine.id], "asked before there were accounts"
        assert arrive(records.people, Claim("boss", "", "sso", "s", "employee"), where="").role == "admin"


def test_a_disabled_person_stays_so(records: Records) -> None:
    person = arrive(records.people, Claim("gone", "", "sso", "s4", "employee"), where="")
    records.people.change(person.id, state="disabled", by="root")
    assert arrive(records.people, Claim("gone", "", "sso", "s4", "admin"), where="").state == "disabled"


def test_a_name_given_to_another_opens_nothing_of_the_one_before(records: Records) -> None:
    arrive(records.people, Claim("passed-on", "", "sso", "one", "employee"), where="")
    with pytest.raises(TragError, match="another account"):
        arrive(records.people, Claim("passed-on", "", "sso", "two", "admin"), where="")
    records.people.add(Newcomer("by-password", state="active", secret=passwords.hashed(PASSWORD)), by="t")
    with pytest.raises(TragError, match="another account"):
        arrive(records.people, Claim("By-Password", "", "sso", "three", "admin"), where="")


def test_who_has_no_group_any_more_is_refused_and_what_they_held_ends(records: Records) -> None:
    person = arrive(records.people, Claim("leaver", "", "sso", "s5", "employee"), where="")
    other = arrive(records.people, Claim("stayer", "", "sso", "s6", "employee"), where="")
    held = [records.sessions.begin(each.id)[0] for each in (person, other)]
    token, _ = records.tokens.make(person.id, "job", timedelta(days=365), by="leaver")
    with pytest.raises(TragError, match="None of your groups"):
        arrive(records.people, Claim("", "", "sso", "s5", welcome=False), where="10.0.0.1")
    assert [records.sessions.find(each) is None for each in held] == [True, False]
    assert records.tokens.find(token) is None
    (event,) = records.audit.page(what="sessions and tokens ended", about="leaver")
    assert (event.who, event.where, event.result) == (
        "leaver (sso)", "10.0.0.1", "1 sessions, 1 tokens: no group lets them in"
    )  # fmt: skip
    assert arrive(records.people, Claim("leaver", "", "sso", "s5", "employee"), where="").id == person.id


def test_what_an_admin_is_told_to_do_about_a_name_that_is_taken_helps(records: Records) -> None:
    before = arrive(records.people, Claim("reused", "", "sso", "old", "employee"), where="")
    newcomer = Claim("reused", "", "sso", "new", "employee")
    with pytest.raises(TragError) as refused:
        arrive(records.people, newcomer, where="")
    assert "give that account another name" in refused.value.hint
    records.people.change(before.id, name="reused-before", by="root")
    assert arrive(records.people, newcomer, where="").id != before.id


def test_who_comes_by_a_provider_or_a_proxy_is_vouched_for_while_there_is_one(records: Records) -> None:
    people = records.people
    by_sso = arrive(people, Claim("vouched-1", "", "sso", "s7", "employee"), where="")
    by_proxy = arrive(people, Claim("vouched-2", "", "proxy"), where="")
    imported = people.add(Newcomer("vouched-3", state="active"), by="root")
    sso, proxy = Settings(sso_issuer="https://sso.example.org"), Settings(proxy_user="x-user", proxy_from="10.0.0.5")

    def found(settings: Settings) -> list[bool]:
        return [is_vouched_for(people, each, settings) for each in (by_sso, by_proxy, imported)]

    assert (found(sso), found(proxy), found(Settings())) == ([True, False, False], [False, True, False], [False] * 3)
    arrive(people, Claim("vouched-3", "", "sso", "s8"), where="")
    assert found(sso) == [True, False, True], "who was imported is known there by now"
    assert [way_in(people, each) for each in (by_sso, by_proxy, imported)] == ["sso", "proxy", "sso"]


@pytest.mark.parametrize("name", ["", "a b", "x" * 101, "<b>", "a\nb"])
def test_a_name_that_nobody_may_have_is_refused(records: Records, name: str) -> None:
    with pytest.raises(TragError, match="name to sign in with"):
        arrive(records.people, Claim(name, "", "proxy"), where="")


def test_the_first_admin_is_made_once_by_a_link_that_a_newer_one_replaces(
    tmp_path_factory: pytest.TempPathFactory,
) -> None:
    records = Records(f"sqlite:///{tmp_path_factory.mktemp('first')}/trag.db")
    older, link = first_link(records), first_link(records)
    assert records.links.find(older) is None
    with pytest.raises(TragError, match="guessed soon"):
        make_admin(records, "root", "", "password", organization="", by="", link=link, first=True)
    mine = records.start_conversation(CurrentUser.local.person, "Who?")
    root = make_admin(records, "root", "", PASSWORD, organization="", by="", link=link, first=True)
    assert [each.id for each in records.conversations(root.id)] == [mine.id]
    assert (root.role, root.state) == ("admin", "active")
    assert first_link(records) == ""
    with pytest.raises(TragError, match="an admin already"):
        make_admin(records, "second", "", PASSWORD, organization="", by="", first=True)
    third = make_admin(records, "third", "", PASSWORD, organization="", by="terminal", first=False)
    assert records.conversations(third.id) == ()
    assert CurrentUser.of(root).may("reviewer")
    assert not CurrentUser("x", "x", "x", "employee").may("reviewer")
    records.close()
