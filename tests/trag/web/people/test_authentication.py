"""Who is let in, kept out and shut out, through the gate, over real records."""

import asyncio
import re
import threading
from contextlib import AsyncExitStack
from datetime import timedelta
from typing import Any
from unittest.mock import Mock

import httpx2 as httpx
import pytest

from store import StoreError, keys
from tests.pages import parsed
from tests.trag.web.people.conftest import HERE, OTHER, PASSWORD, Place, words
from trag.people import passwords
from trag.people.accounts import first_link
from trag.web import access, gate
from trag.web.gate import Gate
from trag.web.people import context

PUBLIC = "https://assistant.example.org"

pytestmark = pytest.mark.slow


# Without accounts


def test_without_accounts_whoever_sits_here_may_do_everything(opened: Any) -> None:
    browser = opened().browser()
    assert browser.get("/").json() == "asked"
    assert "No accounts yet" in words(browser.get("/people"))
    assert browser.get("/account").headers["location"] == "/people"
    assert browser.get("/sign-in").headers["location"] == "/"
    assert opened().records.audit.count() == 0


def test_the_first_account_turns_signing_in_on(opened: Any) -> None:
    place = opened()
    browser, form = place.browser(), {"name": "root", "shown": "Ro Ot", "password": PASSWORD, "again": PASSWORD}
    assert "not the same" in words(browser.post("/people/first", data=form | {"again": OTHER}))
    weak = {"password": "password", "again": "password"}
    assert "guessed soon" in words(browser.post("/people/first", data=form | weak))
    assert browser.post("/people/first", data=form).headers["location"] == "/people"
    assert "Ro Ot" in words(browser.get("/people"))
    stranger = place.browser()
    assert stranger.get("/").headers["location"] == "/sign-in"
    assert stranger.post("/people/first", data=form | {"name": "me"}).status_code == 401
    assert place.records.people.find("me") is None


def test_beyond_this_machine_nobody_comes_in_before_the_first_admin_who_has_a_link(opened: Any) -> None:
    place = opened(address=PUBLIC)
    link, browser = f"/links/{first_link(place.records)}", place.browser(PUBLIC)
    assert browser.get("/").headers["location"] == "/sign-in"
    assert place.browser(HERE).get("/people").headers["location"] == "/sign-in?after=%2Fpeople"
    assert "no accounts yet" in words(browser.get("/sign-in"))
    assert [browser.get(path).status_code for path in ("/account/new", f"/links/{'x' * 43}")] == [404, 404]
    assert "first admin" in words(browser.get(link))
    form = {"name": "root", "password": PASSWORD, "again": PASSWORD}
    done = browser.post(link, data=form)
    assert done.headers["location"] == "/"
    cookie = r"__Host-trag=[\w-]{43}; HttpOnly; Max-Age=\d+; Path=/; SameSite=lax; Secure$"
    assert re.match(cookie, done.headers["set-cookie"])
    assert done.headers["strict-transport-security"]
    assert browser.get("/people").status_code == 200
    assert browser.post(link, data=form | {"name": "second"}).status_code == 404
    assert first_link(place.records) == ""


# Sessions


def test_signing_in_gives_a_new_session_and_ends_the_one_before(place: Place) -> None:
    browser, planted = place.browser(), {"Cookie": f"trag={'x' * 43}"}
    before = browser.post("/sign-in", data={"name": "ROOT", "password": PASSWORD}, headers=planted).cookies["trag"]
    assert before != "x" * 43
    after = browser.post("/sign-in", data={"name": "root", "password": PASSWORD}).cookies["trag"]
    assert after != before
    assert place.records.sessions.find(before) is None
    assert place.records.sessions.find(after) is not None
    assert place.done(1) == [("root", "sign-in", "", "signed in by password")]


def test_who_is_not_let_in_is_told_the_same_whether_the_name_exists(place: Place) -> None:
    place.add("waiting", state="pending")
    answers = [place.sign_in(name, "wrong") for name in ("root", "waiting", "nobody")]
    assert len({(each.status_code, words(each), "set-cookie" in each.headers) for each in answers}) == 1
    assert "waits for an admin" in words(place.sign_in("waiting"))


def test_too_many_wrong_tries_are_told_when_to_come_back(place: Place) -> None:
    for _ in range(4):
        assert place.sign_in(password="wrong").status_code == 403
    answer = place.sign_in()
    assert (answer.status_code, answer.headers["retry-after"]) == (429, "1")
    elsewhere = place.browser(host="10.9.9.9")
    assert elsewhere.post("/sign-in", data={"name": "root", "password": PASSWORD}).status_code == 303


def test_passwords_that_take_long_hold_up_no_other_page(place: Place, monkeypatch: pytest.MonkeyPatch) -> None:
    hashing, done = [], threading.Event()

    def slow(password: str, kept: str) -> bool:
        hashing.append(password)
        return done.wait(20) and is_right(password, kept)

    is_right, root = passwords.is_right, place.records.sessions.begin(place.person("root").id)[0]
    monkeypatch.setattr(passwords, "is_right", slow)

    def browser(number: int) -> httpx.AsyncClient:
        transport = httpx.ASGITransport(place.app, client=(f"10.0.1.{number}", 4711))
        return httpx.AsyncClient(transport=transport, base_url=HERE, trust_env=False)

    async def visited() -> list[int]:
        async with AsyncExitStack() as stack:
            browsers = [await stack.enter_async_context(browser(number)) for number in range(61)]
            crowd = [
                asyncio.ensure_future(each.post("/sign-in", data={"name": f"n{number}", "password": "x"}))
                for number, each in enumerate(browsers[1:])
            ]
            own = {"Cookie": f"trag={root}"}
            begun = browsers[0].post("/account/second-factor", data={"current": "x"}, headers=own)
            crowd.append(asyncio.ensure_future(begun))
            while len(hashing) < context.HASHED:
                await asyncio.sleep(0.02)
            others = (browsers[0].get("/sign-in"), browsers[0].get("/people", headers=own))
            served = await asyncio.wait_for(asyncio.gather(*others), 10)
            assert len(hashing) == context.HASHED
            done.set()
            return [each.status_code for each in (*served, *await asyncio.gather(*crowd))]

    assert asyncio.run(visited()) == [200] * 2 + [403] * 60 + [303]


def test_signing_in_goes_on_to_pages_of_ours_only(place: Place) -> None:
    ours = ("/people?state=pending", "/?c=12")
    others = ("//evil.example", "/\\evil.example", "https://evil.example", "/sign-in", "/links/abc", "/nothing", "")
    for after in (*ours, *others, "/people\r\nset-cookie: a=b"):
        assert place.sign_in(after=after).headers["location"] == (after if after in ours else "/"), after


def test_nobody_is_led_away_from_what_only_programs_ask(place: Place) -> None:
    browser = place.browser()
    assert browser.get("/people?a=1").headers["location"] == "/sign-in?after=%2Fpeople%3Fa%3D1"
    assert browser.get("/people", headers={"Accept": "application/json"}).status_code == 401
    assert browser.post("/people", data={"name": "x"}).status_code == 401


@pytest.mark.parametrize(("path", "status"), [*((path, 401) for path in sorted(access.LOOKS)), ("/account", 200)])
def test_a_page_that_is_left_open_keeps_no_session_alive(
    place: Place, monkeypatch: pytest.MonkeyPatch, path: str, status: int
) -> None:
    assert access.needed("GET", path)
    browser, now = place.signed_in("root"), keys._now()
    for hours in (6, 13):
        monkeypatch.setattr(keys, "_now", lambda hours=hours: now + timedelta(hours=hours))
        answer = browser.get(path, headers={"Accept": "*/*"})
    assert answer.status_code == status


def test_a_form_sent_after_the_session_has_ended_leads_back_to_its_page(place: Place) -> None:
    for referer, after in (
        (f"{HERE}/people?state=pending", "/people?state=pending"),
        (f"{HERE}/people", "/people"),
        ("https://evil.example/people", "/"),
        ("http://127.0.0.1:7860.evil.example/people", "/"),
        (f"{HERE}//evil.example/people", "/"),
        (f"{HERE}/nothing", "/"),
        ("nonsense", "/"),
        ("", "/"),
    ):
        answer = place.browser().post("/people", data={"name": "x"}, headers={"Referer": referer})
        assert (answer.status_code, "what you sent was not kept" in words(answer)) == (401, True)
        assert parsed(answer).select("form [name=after]")[0]["value"] == after
    told = place.browser().post("/people", data={"name": "x"}, headers={"Accept": "*/*"}).json()["detail"]
    assert "sign in in another window" in told


def test_what_is_refused_is_said_on_a_page_to_who_reads_pages(place: Place) -> None:
    place.add("ada")
    ada = place.signed_in("ada")
    for method, path, status, said in (
        ("POST", "/people", 403, "Only administrators can do this."),
        ("POST", "/charts/uploads", 403, "Only administrators can do this."),
        ("GET", "/people", 403, "Only administrators can open this page."),
        ("GET", "/review", 403, "Only reviewers and administrators can open this page."),
        ("GET", "/nothing", 404, "There is nothing here."),
        ("POST", "/nothing", 404, "There is nothing here."),
    ):
        answer = ada.request(method, path)
        assert (answer.status_code, said in words(answer)) == (status, True), path
        assert parsed(answer).select("main .message h1")
        assert said in ada.request(method, path, headers={"Accept": "*/*"}).json()["detail"]


def test_signing_out_ends_the_session_and_takes_the_cookie(place: Place) -> None:
    browser = place.signed_in("root")
    secret = browser.cookies["trag"]
    answer = browser.post("/sign-out")
    assert (answer.headers["location"], "Max-Age=0" in answer.headers["set-cookie"]) == ("/sign-in", True)
    assert place.records.sessions.find(secret) is None
    assert browser.get("/sign-out").status_code == 404


def test_only_the_one_cookie_counts(place: Place) -> None:
    secret = place.signed_in("root").cookies["trag"]
    for cookie in (f"trag={secret}; trag=x", f"__Host-trag={secret}", "trag=", f"trag={secret}x", f"TRAG={secret}"):
        assert place.browser().get("/people", headers={"Cookie": cookie}).status_code == 303, cookie
    assert place.browser().get("/people", headers={"Cookie": f"a=b; trag={secret}"}).status_code == 200


def test_a_session_of_this_machine_is_none_under_the_public_name(opened: Any) -> None:
    place = opened(address=PUBLIC)
    place.add("root", "admin")
    secret = place.signed_in("root").cookies["trag"]
    assert place.browser(PUBLIC).get("/people", headers={"Cookie": f"trag={secret}"}).status_code == 303
    assert place.browser("https://evil.example").get("/").status_code == 421


# Whose an open page is


def test_a_page_of_gradios_is_whose_it_was_first(place: Place) -> None:
    place.add("ada")
    root, ada = place.signed_in("root"), place.signed_in("ada")
    call = {"session_hash": "tab", "fn_index": 0, "data": []}
    assert root.post("/gradio_api/queue/join", json=call).status_code == 404  # reached the app, which has none
    ended, script = {"session_hash": "tab", "fn_index": 0, "event_id": "x"}, {"Accept": "*/*"}
    for answer in (
        ada.post("/gradio_api/queue/join", json=call, headers=script),
        ada.post("/gradio_api/cancel", json=ended, headers=script),
        ada.get("/gradio_api/queue/data", params={"session_hash": "tab"}, headers={"Accept": "text/event-stream"}),
    ):
        assert answer.status_code == 403, answer.text
        assert answer.json() == {"detail": "That page is somebody else's."}
    assert place.done(1) == [("ada", "refused", "GET /gradio_api/queue/data", "403 That page is somebody else's.")]
    second = {"session_hash": ["tab", "own"]}
    assert ada.get("/gradio_api/queue/data", params=second).status_code == 400


def test_what_is_no_call_is_refused(place: Place) -> None:
    root, headers = place.signed_in("root"), {"Content-Type": "application/json"}
    for body in (b"", b"[]", b"{", b'"x"', b"[" * 100_000, b'{"session_hash": 7}', b'{"session_hash": ""}'):
        assert root.post("/gradio_api/queue/join", content=body, headers=headers).status_code == 400, body[:20]


def test_a_call_with_anything_but_words_is_refused(place: Place) -> None:
    root, call = place.signed_in("root"), {"session_hash": "tab", "fn_index": 0}
    file = {"path": "http://198.51.100.7/", "meta": {"_type": "gradio.FileData"}}
    for held in ({"data": [[file]]}, {"data": [], "event_data": {"answer": file}}, {"event_id": file}):
        answer = root.post(f"/gradio_api/{'cancel' if 'event_id' in held else 'queue/join'}", json=call | held)
        assert (answer.status_code, "words alone" in answer.text) == (400, True), held


def test_an_open_stream_ends_with_its_session(place: Place, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(gate, "PACE", 0.02)
    ada, secret = place.add("ada"), place.signed_in("ada").cookies["trag"]
    sent: list[dict[str, Any]] = []
    ended = []

    async def app(scope: Any, receive: Any, send: Any) -> None:
        await send({"type": "http.response.start", "status": 200, "headers": [(b"content-type", b"text/event-stream")]})
        try:
            while True:
                await send({"type": "http.response.body", "body": b"data\n", "more_body": True})
                await asyncio.sleep(0.01)
        finally:
            await send({"type": "http.response.body", "body": b"cancelled at /place/in/the/machine"})
            ended.append(True)

    async def receive() -> dict[str, Any]:
        return {"type": "http.request", "body": b""}

    async def send(message: Any) -> None:
        sent.append(message)

    async def follow() -> None:
        headers = [(b"host", b"127.0.0.1:7860"), (b"cookie", f"trag={secret}".encode())]
        scope = {"type": "http", "method": "GET", "path": "/gradio_api/queue/data", "client": ("10.0.0.7", 4711)}
        scope |= {"query_string": b"session_hash=tab", "headers": headers}
        guarded = asyncio.create_task(Gate(app, place.authenticator, {})(scope, receive, send))
        await asyncio.sleep(0.3)
        assert not guarded.done()
        await asyncio.to_thread(place.records.people.change, ada.id, state="disabled", by="root")
        await asyncio.wait_for(guarded, 5)

    asyncio.run(follow())
    assert sent[1]["body"] == b"data\n"
    assert sent[-1] == {"type": "http.response.body", "body": b""}
    assert ended == [True]


def test_refusals_are_written_down_and_a_flood_of_them_is_not(place: Place) -> None:
    place.add("ada")
    before = place.records.audit.count()
    ada = place.signed_in("ada")
    refused = ada.get("/people")
    assert (refused.status_code, "Only administrators can open this page." in words(refused)) == (403, True)
    assert "Back to Ask" in words(refused), "the way back from a page must not lead to the same refusal"
    assert ada.post("/people", data={"name": "x"}).status_code == 403
    assert place.done(1) == [("ada", "refused", "POST /people", "403 Only administrators can do this.")]
    for _ in range(100):
        ada.get("/people/log.csv")
    assert place.records.audit.count() - before < 70


def test_a_link_that_lets_somebody_in_is_in_no_log(place: Place, caplog: pytest.LogCaptureFixture) -> None:
    root, ada = place.signed_in("root"), place.add("ada")
    shown = root.post(f"/people/{ada.id}/link").headers["location"]
    (link,) = re.findall(r"/links/([\w-]{43})", root.get(shown).text)
    for path in (f"/links/{link}", f"/links/{link}/x", f"/Links/{link}"):
        answer = place.browser().post(path, headers={"Origin": "http://evil.example"})
        assert answer.status_code in (403, 404)
    assert place.done(1) == [("", "refused", "POST /Links/...", "404 There is nothing here.")]
    events = " ".join(str(each) for each in place.records.audit.all())
    assert "link made" in events
    assert link not in events
    assert link not in caplog.text
    assert place.browser().get(f"/links/{link}").status_code == 200


def test_records_that_cannot_be_read_let_nobody_in(place: Place, monkeypatch: pytest.MonkeyPatch) -> None:
    root, error = place.signed_in("root"), StoreError("The database is held by another program.", "")
    monkeypatch.setattr(place.records.sessions, "find", Mock(side_effect=error))
    answer = root.get("/people")
    assert (answer.status_code, error.message in words(answer)) == (503, True)


# What a proxy says


@pytest.fixture
def behind(opened: Any) -> Place:
    """A home behind a proxy that signs people in."""
    place: Place = opened(address=PUBLIC, proxy_from="10.0.0.0/24", proxy_user="X-Remote-User")
    place.add("root", "admin")
    return place


def test_only_the_named_header_of_a_named_proxy_is_believed(behind: Place) -> None:
    for host, headers, status in (
        ("10.0.0.9", {"X-Remote-User": "root"}, 200),
        ("10.0.0.9", {"x-remote-user": "ROOT"}, 200),
        ("10.0.1.9", {"X-Remote-User": "root"}, 303),
        ("10.0.1.9", {"X-Remote-User": "root", "X-Forwarded-For": "10.0.0.9"}, 303),
        ("10.0.0.9", {"X-Forwarded-User": "root"}, 303),
        ("10.0.0.9", {"X-Remote-User": ""}, 303),
        ("10.0.0.9", {"Authorization": "Basic cm9vdDpyb290"}, 303),
    ):
        assert behind.browser(PUBLIC, host).get("/people", headers=headers).status_code == status, headers
        twice = [*headers.items(), *headers.items()]
        assert behind.browser(PUBLIC, host).get("/people", headers=twice).status_code == 303, headers


def test_a_stranger_whom_the_proxy_names_waits(behind: Place) -> None:
    browser, headers = behind.browser(PUBLIC, "10.0.0.9"), {"X-Remote-User": "ada"}
    assert browser.get("/", headers=headers).headers["location"] == "/sign-in"
    assert "waits for an admin" in words(browser.get("/sign-in", headers=headers))
    ada = behind.person("ada")
    assert (ada.state, ada.how) == ("pending", "proxy")
    behind.records.people.change(ada.id, state="active", by="root")
    assert browser.get("/", headers=headers).json() == "asked"


def test_nobody_reserves_the_name_of_somebody_whom_the_proxy_will_name(behind: Place) -> None:
    stranger, form = behind.browser(PUBLIC), {"name": "ada", "password": PASSWORD, "again": PASSWORD}
    assert "Ask for one" not in words(stranger.get("/sign-in"))
    assert stranger.get("/account/new").status_code == 404
    assert stranger.post("/account/new", data=form).status_code == 404
    assert behind.records.people.find("ada") is None


def test_where_somebody_comes_from_is_the_nearest_address_that_is_no_proxys(behind: Place) -> None:
    headers, wrong = {"X-Forwarded-For": "1.2.3.4, 192.0.2.7, 10.0.0.3"}, {"name": "root", "password": "wrong"}
    for host in ("10.0.0.9", "10.0.1.9"):
        behind.browser(PUBLIC, host).post("/sign-in", data=wrong, headers=headers)
    assert [each.where for each in behind.records.audit.page(most=2)] == ["10.0.1.9", "192.0.2.7"]
