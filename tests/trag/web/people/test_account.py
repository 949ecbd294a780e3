"""Accounts that are asked for, and one's own."""

import re
from datetime import timedelta
from typing import Any

import pytest

from org.reading.charts import load
from tests.pages import parsed
from tests.trag.web.people.conftest import HOSTILE, OTHER, PASSWORD, Place, sent, words
from trag.web.people import sign_in

pytestmark = pytest.mark.slow


def test_an_account_that_was_asked_for_waits_until_an_admin_approves_it(place: Place) -> None:
    ada, form = place.browser(), {"name": "ada", "shown": "Ada L", "password": PASSWORD, "again": PASSWORD}
    sent_on = ada.post("/account/new", data=form | {"role": "admin", "state": "active"})
    assert sent_on.headers["location"] == "/sign-in?asked=1"
    asked = place.person("ada")
    assert (asked.role, asked.state) == ("employee", "pending")
    assert "waits for an admin" in words(place.sign_in("ada"))
    root = place.signed_in("root")
    assert "Waiting 1" in words(root.get("/people"))
    assert "Ada L may use the assistant now." in sent(root, f"/people/{asked.id}", state="active")
    assert ada.post("/sign-in", data={"name": "ada", "password": PASSWORD}).headers["location"] == "/"
    assert ada.get("/").json() == "asked"
    assert ("root", "person changed", "ada", "state: pending -> active") in place.done()


def test_asking_for_a_name_that_is_taken_tells_nothing_and_changes_nothing(place: Place) -> None:
    form = {"name": "root", "password": OTHER, "again": OTHER}
    assert place.browser().post("/account/new", data=form).headers["location"] == "/sign-in?asked=1"
    assert (place.sign_in(password=OTHER).status_code, place.sign_in().status_code) == (403, 303)


def test_one_address_asks_for_few_accounts(place: Place) -> None:
    for number in range(8):
        form = {"name": f"many{number}", "password": PASSWORD, "again": PASSWORD}
        place.browser().post("/account/new", data=form)
    assert place.records.people.count(state="pending") == 5


def test_one_address_has_few_passwords_weighed(place: Place, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sign_in, "MOST_WEIGHED", 3)
    form = {"name": "ada", "password": "password", "again": "password"}
    told = [words(place.browser().post("/account/new", data=form)) for _ in range(5)]
    assert ["would be guessed soon" in each for each in told] == [True] * 3 + [False] * 2
    assert "Too many accounts were asked for" in told[3]
    elsewhere = place.browser(host="10.0.0.8").post("/account/new", data=form | {"again": "other"})
    assert "are not the same" in words(elsewhere), "what costs nothing is not counted, nor another address"


def test_a_new_password_signs_out_every_other_browser(place: Place) -> None:
    here, there = place.signed_in("root"), place.signed_in("root")
    form = {"current": PASSWORD, "password": OTHER, "again": OTHER}
    for wrong, told in (
        ({"current": "wrong"}, "Your current password is another one"),
        ({"again": PASSWORD}, "The two new passwords are not the same"),
        ({"password": "rootroot", "again": "rootroot"}, "guessed soon"),
    ):
        assert told in sent(here, "/account/password", **form | wrong)
    assert there.get("/account").status_code == 200
    assert "is changed" in sent(here, "/account/password", **form)
    assert (here.get("/account").status_code, there.get("/account").status_code) == (200, 303)
    assert place.sign_in().status_code == 403


def test_a_new_password_ends_the_tokens_of_programs_unless_the_box_is_unticked(place: Place) -> None:
    root, ada = place.person("root"), place.add("ada")
    kept, _ = place.records.tokens.make(ada.id, "hers", timedelta(days=1), by="ada")

    def made(name: str) -> str:
        return place.records.tokens.make(root.id, name, timedelta(days=1), by="root")[0]

    first, browser = made("nightly"), place.signed_in("root")
    unticked = {"current": PASSWORD, "password": OTHER, "again": OTHER}
    assert "Your password is changed. Every other browser is signed out." in sent(
        browser, "/account/password", **unticked
    )
    assert place.records.tokens.find(first) is not None
    made("weekly")
    page = parsed(browser.get("/account"))
    (box,) = page.select("form[action='/account/password'] input[type=checkbox]")
    assert (box["name"], box.has_attr("checked")) == ("tokens", True)
    assert "End your 2 tokens for programs too" in box.parent.get_text()
    back = {"current": OTHER, "password": PASSWORD, "again": PASSWORD, "tokens": "on"}
    assert "every token opens nothing any more" in sent(browser, "/account/password", **back)
    assert place.records.tokens.find(first) is None
    assert place.done(1) == [("root", "password set", "root", "2 tokens ended")]
    assert place.records.tokens.find(kept) is not None, "another's"
    assert not parsed(browser.get("/account")).select("input[type=checkbox]")


def test_a_link_says_that_it_ends_the_tokens_of_programs(place: Place) -> None:
    root = place.person("root")
    token, _ = place.records.tokens.make(root.id, "nightly", timedelta(days=1), by="root")
    link, _ = place.records.links.make("password", root.id, timedelta(days=1), by="root")
    assert "Your 1 token for programs will open nothing any more." in words(place.browser().get(f"/links/{link}"))
    place.browser().post(f"/links/{link}", data={"password": OTHER, "again": OTHER})
    assert place.records.tokens.find(token) is None
    assert ("root", "password set", "root", "by a link, 1 tokens ended") in place.done()


def test_what_a_token_may_do_is_chosen_and_shown_with_its_last_use(place: Place) -> None:
    root = place.signed_in("root")
    chosen = parsed(root.get("/account")).select("select[name=scope] option")
    assert [each["value"] for each in chosen] == ["ask", "read"], "the least first"
    for name, scope in (("a", {}), ("b", {"scope": "ask"}), ("c", {"scope": "read"})):
        assert f"{name} trag_" in sent(root, "/account/tokens", name=name, days="30", **scope)
    assert root.post("/account/tokens", data={"name": "d", "days": "30", "scope": "admin"}).status_code == 409
    of_root = place.records.tokens.of(place.person("root").id)
    assert [(each.name, each.scope) for each in of_root] == [("c", "read"), ("b", "ask"), ("a", "ask")]
    rows = [" ".join(row.get_text(" ").split()) for row in parsed(root.get("/account")).select("#tokens tbody tr")]
    assert [("never" in row, row.split()[:2]) for row in rows] == [
        (True, ["c", "read"]), (True, ["b", "ask"]), (True, ["a", "ask"])
    ]  # fmt: skip


def test_the_name_of_the_organization_is_no_password(opened: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(opened.__globals__, "CHART", load(b"name,parent,type\nLarkmoor,,institute\n", "chart.csv"))
    place = opened()
    form = {"name": "ada", "password": "larkmoor2024", "again": "larkmoor2024"}
    refused = [place.browser().post("/people/first", data=form)]
    ada = place.add("root", "admin")
    link, _ = place.records.links.make("password", ada.id, timedelta(days=1), by="root")
    refused += [place.browser().post(path, data=form) for path in ("/account/new", f"/links/{link}")]
    assert all("guessed soon" in words(page) for page in refused)
    assert "guessed soon" in sent(place.signed_in("root"), "/account/password", **form, current=PASSWORD)


def test_a_token_is_shown_once_to_whoever_made_it(place: Place) -> None:
    place.add("ada")
    ada, root = place.signed_in("ada"), place.signed_in("root")
    shown = ada.post("/account/tokens", data={"name": HOSTILE, "days": "30"}).headers["location"].split("#")[0]
    assert not re.search(r"trag_[\w-]{20}", root.get(shown).text)
    page = ada.get(shown).text
    assert HOSTILE not in page
    (secret,) = set(re.findall(r"trag_[\w-]{43}", page))
    assert secret not in ada.get(shown).text
    found = place.records.tokens.find(secret)
    assert found
    assert found[1].name == "ada"
    assert root.post(f"/account/tokens/{found[0].id}/end").status_code == 404  # somebody else's is not there
    ada.post(f"/account/tokens/{found[0].id}/end")
    assert place.records.tokens.find(secret) is None


def test_a_token_lasts_a_year_at_most(place: Place) -> None:
    root = place.signed_in("root")
    for days in ("0", "-1", "366", "x", "", "9" * 5000):
        assert "None was made" in sent(root, "/account/tokens", name="a", days=days)


def test_browsers_are_signed_out_one_by_one_and_only_ones_own(place: Place) -> None:
    place.add("ada")
    root, other, ada = place.signed_in("root"), place.signed_in("root"), place.signed_in("ada")
    found = place.records.sessions.find(other.cookies["trag"])
    assert found
    assert ada.post(f"/account/sessions/{found[0].id}/end").status_code == 404
    assert root.post(f"/account/sessions/{found[0].id}/end").status_code == 303
    assert (other.get("/account").status_code, root.get("/account").status_code) == (303, 200)
    third = place.signed_in("root")
    root.post("/account/sessions/end")
    assert (third.get("/account").status_code, root.get("/account").status_code) == (303, 200)
