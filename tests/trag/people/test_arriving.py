"""People whom a provider or a proxy vouches for; what single sign-on itself does is in tests/trag/web."""

from contextlib import closing

import pytest

from store.person import Newcomer
from store.records import Records
from trag.errors import TragError
from trag.people import Caller, passwords
from trag.people.arriving import Claim, arrive
from trag.people.first_admin import first_link, make_admin

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
        mine = records.start_conversation(Caller.local.person, "Who?")
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
        make_admin(records, "root", "", "password", by="", link=link, first=True)
    mine = records.start_conversation(Caller.local.person, "Who?")
    root = make_admin(records, "root", "", PASSWORD, by="", link=link, first=True)
    assert [each.id for each in records.conversations(root.id)] == [mine.id]
    assert (root.role, root.state) == ("admin", "active")
    assert first_link(records) == ""
    with pytest.raises(TragError, match="an admin already"):
        make_admin(records, "second", "", PASSWORD, by="", first=True)
    third = make_admin(records, "third", "", PASSWORD, by="terminal", first=False)
    assert records.conversations(third.id) == ()
    assert Caller.of(root).may("reviewer")
    assert not Caller("x", "x", "x", "employee").may("reviewer")
    records.close()
