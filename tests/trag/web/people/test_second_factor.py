"""A second factor: set up on one's own account, asked for at sign-in, and taken off."""

import re
from datetime import timedelta
from typing import Any

import pytest
from starlette.datastructures import Headers
from starlette.testclient import TestClient

from store import keys
from store.person import Newcomer
from tests import authenticator
from tests.pages import parsed
from tests.trag.web.people.conftest import OTHER, PASSWORD, Place, alert, sent, words

DAY = timedelta(days=1)
pytestmark = pytest.mark.slow


def set_up(place: Place, browser: TestClient) -> tuple[str, list[str]]:
    """The key that the app was given, and the recovery codes."""
    assert browser.post("/account/second-factor", data={"current": PASSWORD}).headers["location"] == "/account#second"
    page = parsed(browser.get("/account"))
    key = "".join(page.select_one("#second code").get_text().split())
    (link,) = [each["href"] for each in page.select("#second a")]
    assert link.startswith("otpauth://totp/Club:")
    assert f"secret={key}" in link
    confirmed = browser.post("/account/second-factor/confirm", data={"code": authenticator.code(key, -1)})
    shown = browser.get(confirmed.headers["location"])
    codes = [each.get_text() for each in parsed(shown).select(".given code")]
    assert len(codes) == 10
    assert not [code for code in codes if code in browser.get(confirmed.headers["location"]).text]
    return key, codes


def asked(answer: Any) -> dict[str, str]:
    """What the page that asks for a code sends along; nobody is in yet."""
    assert answer.status_code in (200, 403, 429)
    assert "set-cookie" not in answer.headers
    assert answer.headers["cache-control"] == "no-store"
    form = parsed(answer).select_one("form[action='/sign-in/code']")
    assert form.select_one("label input[name=code]")["autocomplete"] == "one-time-code"
    return {each["name"]: each["value"] for each in form.select("input[type=hidden]")}


def test_it_is_set_up_asked_for_and_taken_off(place: Place) -> None:
    root = place.signed_in("root")
    wrong = sent(root, "/account/second-factor", current="wrong")
    assert ("another one" in wrong, place.records.second_factors.of(place.person("root").id)) == (True, None)
    root.post("/account/second-factor", data={"current": PASSWORD})
    assert "not the code" in sent(root, "/account/second-factor/confirm", code="000000")
    assert place.sign_in().status_code == 303, "nothing is asked for before a right code"
    key, codes = set_up(place, root)
    assert root.post("/account/second-factor", data={"current": PASSWORD}).status_code == 409

    form = asked(place.sign_in(after="/people"))
    assert place.done(1) == [("root", "sign-in", "", "the password was right, a code is asked for")]
    browser = place.browser()
    for code in ("", "000000", codes[0][:-1], "1-aaaaa-aaaaa"):
        refused = browser.post("/sign-in/code", data=form | {"code": code})
        assert (refused.status_code, "code is wrong" in alert(refused)) == (403, True)
        assert asked(refused) == form
    late = browser.post("/sign-in/code", data=form | {"code": authenticator.code(key)})
    assert (late.status_code, "too many wrong" in alert(late), int(late.headers["retry-after"]) > 0) == (
        429,
        True,
        True,
    )
    place.records.people.forgive(f"code:{place.person('root').id}")
    now = form | {"code": authenticator.code(key)}
    entered = browser.post("/sign-in/code", data=now)
    assert (entered.status_code, entered.headers["location"]) == (303, "/people")
    assert browser.get("/people").status_code == 200
    assert place.done(1) == [("root", "sign-in", "", "signed in by password and code")]
    assert "came too late" in alert(place.browser().post("/sign-in/code", data=now)), "once"
    again = asked(place.sign_in()) | {"code": now["code"]}
    assert "used already" in alert(place.browser().post("/sign-in/code", data=again))
    recovered = place.browser().post("/sign-in/code", data=asked(place.sign_in()) | {"code": f" {codes[4].upper()} "})
    assert recovered.status_code == 303
    assert place.done(1)[0][3] == "signed in by password and recovery code"

    assert "9 recovery codes are left" in words(root.get("/account"))
    assert "code is wrong" in sent(root, "/account/second-factor/end", code=codes[4])
    assert "password alone" in sent(root, "/account/second-factor/end", code=codes[5])
    assert ("root", "second factor taken off", "root", "") in place.done()
    assert place.sign_in().status_code == 303


def test_a_link_to_set_a_password_is_no_way_around_it(place: Place) -> None:
    root = place.signed_in("root")
    key, _ = set_up(place, root)
    link, _ = place.records.links.make("password", place.person("root").id, timedelta(days=1), by="test")
    form = asked(place.browser().post(f"/links/{link}", data={"password": OTHER, "again": OTHER}))
    assert root.get("/account").status_code == 303, "signed out"
    assert place.browser().get(f"/links/{form['ticket']}").status_code == 404
    stolen = {"password": PASSWORD, "again": PASSWORD}
    assert place.browser().post(f"/links/{form['ticket']}", data=stolen).status_code == 404
    entered = place.browser().post("/sign-in/code", data=form | {"code": authenticator.code(key)})
    assert (entered.status_code, entered.headers["location"]) == (303, "/")


def test_a_code_opens_nothing_late_nor_for_another_nor_for_who_is_disabled(
    place: Place, monkeypatch: pytest.MonkeyPatch
) -> None:
    ada = place.add("ada")
    key, _ = set_up(place, place.signed_in("ada"))
    form, disabled = asked(place.sign_in("ada")), asked(place.sign_in("ada"))
    for ticket in ("", "x" * 43, place.signed_in("root").cookies["trag"]):
        code = {"ticket": ticket, "code": authenticator.code(key)}
        assert place.browser().post("/sign-in/code", data=code).status_code == 403
    elsewhere = place.browser().post(
        "/sign-in/code", data=form | {"code": "000000"}, headers={"Origin": "https://evil.example"}
    )
    assert elsewhere.status_code == 403
    assert "Calls from another site" in words(elsewhere)
    now = keys._now()
    monkeypatch.setattr(keys, "_now", lambda: now + timedelta(minutes=5))
    late = place.browser().post("/sign-in/code", data=form | {"code": authenticator.code(key)})
    assert "came too late" in alert(late)
    monkeypatch.undo()
    place.records.people.change(ada.id, state="disabled", by="root")
    refused = place.browser().post("/sign-in/code", data=disabled | {"code": authenticator.code(key)})
    assert (refused.status_code, "set-cookie" in refused.headers) == (403, False)


def test_an_admin_takes_it_off_another_who_lost_their_app(place: Place) -> None:
    ada = place.add("ada")
    browser, root = place.signed_in("ada"), place.signed_in("root")
    assert "second factor" not in words(root.get(f"/people/{ada.id}"))
    set_up(place, browser)
    page = root.get(f"/people/{ada.id}")
    assert "Take the second factor off" in words(page)
    assert not re.search(r"otpauth|secret=", page.text)
    assert browser.post(f"/people/{ada.id}/second-factor/end").status_code == 403
    assert "ada signs in with the password alone" in sent(root, f"/people/{ada.id}/second-factor/end")
    assert place.noted("second factor taken off") == ("root", "ada", "10.0.0.7")
    assert place.sign_in("ada").status_code == 303


def test_where_admins_need_it_one_without_is_an_employee_until_it_is_set_up(opened: Any) -> None:
    place: Place = opened(second_factor=True)
    place.add("root", "admin")
    rita, by_proxy = place.add("rita", "reviewer"), Newcomer("pia", role="admin", state="active", how="proxy")
    place.records.people.add(by_proxy, by="test")
    root, token = place.signed_in("root"), place.records.tokens.make(place.person("root").id, "job", DAY, by="root")[0]

    def roles() -> list[str]:
        door, bearer = place.authenticator, Headers({"authorization": f"Bearer {token}"})
        held = [place.records.sessions.begin(place.person(name).id)[0] for name in ("root", "rita", "pia")]
        cookies = (Headers({"host": "127.0.0.1", "cookie": f"trag={each}"}) for each in held)
        visits = [door.by_token(bearer), *(door.visit(each, "10.0.0.7") for each in cookies)]
        return [each.caller.role for each in visits if each]

    assert roles() == ["employee", "employee", "reviewer", "admin"]
    refused = root.get("/people")
    assert (refused.status_code, "until it is set up on the page Your account" in words(refused)) == (403, True)
    assert "Admins here need one" in words(root.get("/account"))
    assert root.post(f"/people/{rita.id}", data={"role": "admin"}).status_code == 403
    assert place.sign_in(after="/people").headers["location"] == "/account#second"
    set_up(place, root)
    assert root.get("/people").status_code == 200
    assert "Admins here need one" not in words(root.get("/account"))
    assert roles() == ["admin", "admin", "reviewer", "admin"]
