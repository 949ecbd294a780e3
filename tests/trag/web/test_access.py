"""The access matrix: every address and every function of the Ask page, by every kind of caller."""

import ast
import asyncio
import json
import re
import shutil
import subprocess
import sys
from collections.abc import Iterable, Iterator
from contextlib import closing
from datetime import timedelta
from itertools import product
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import httpx
import pytest
from fastapi import FastAPI, Request

from store.person import Newcomer
from store.records import Records
from tests.pages import gated
from trag import web
from trag.web import access, gate
from trag.web.request_limits import Allowance

HOME = "http://127.0.0.1:7860"
SAMPLES = {
    "address": ["0af" * 10 + "12"],
    "adapter": ["20260105-0123abcd", "shipped"],
    "asset": ["index-4f2.js"],
    "brief_file": ["briefing.md", "briefing.docx"],
    "code": ["x" * 43],
    "hash": ["0af" * 21 + "9"],
    "job": ["12-ab"],
    "number": ["7"],
    "ours": ["pages.css"],
    "run": ["20260105-090000-2"],
    "chart": ["versions/0123456789ab", f"uploads/{'0af' * 21}9"],
    "book": ["versions/0123456789ab", f"uploads/{'0af' * 21}9"],
    "chart_file": ["chart.csv", "chart.xlsx", "chart.json", "tree.json"],
    "version": ["0123456789ab"],
    "workflow_file": ["workflow.json", "workflow.serverless.json", "workflow.bpmn"],
    "work": ["20260105-090000"],
}
CALLERS = ("anonymous", "pending", "disabled", "employee", "reviewer", "admin", "forged", "two cookies")
MAY = {"employee": 1, "reviewer": 2, "admin": 3}
NEEDS = {"anyone": 0, "monitoring": 9} | MAY
FUNCTIONS = {n: access.Function(role, min(n, 1), fields) for n, (role, fields) in enumerate(access.FUNCTIONS.values())}


def samples(path: str) -> Iterator[str]:
    names = re.findall(r"\{(\w+)\}", path)
    for chosen in product(*(SAMPLES[name] for name in names)):
        yield path.format(**dict(zip(names, chosen, strict=True)))


ROWS = [
    (method, role, each)
    for method, table in (("GET", access.READ), ("POST", access.WRITE))
    for role, path in table
    for each in samples(path)
]
Call = tuple[str, str, dict[str, Any]]
"""A method, an address, and what else is sent."""
Cookies = tuple[Records, dict[str, str]]
"""The records, and what each kind of caller sends as a cookie."""


@pytest.fixture(scope="module", autouse=True)
def as_many_calls_as_there_are() -> Iterator[None]:
    """The matrix sends more within seconds than one caller may."""
    with pytest.MonkeyPatch.context() as patch:
        for caller in ("PERSON", "ADDRESS"):
            patch.setattr(gate, caller, Allowance(sys.maxsize, sys.maxsize))
        yield


@pytest.fixture(scope="module")
def cookies(empty_database: Path, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Cookies]:
    place = shutil.copy(empty_database, tmp_path_factory.mktemp("access"))
    with closing(Records(f"sqlite:///{place}")) as records:
        sent = {"anonymous": "", "forged": f"trag={'x' * 43}"}
        for name in (*MAY, "pending", "disabled"):
            role = name if name in MAY else "admin"
            person = records.people.add(Newcomer(name, role=role, state="active"), by="test")  # type: ignore[arg-type]
            sent[name] = f"trag={records.sessions.begin(person.id)[0]}"
            if name not in MAY:
                records.people.change(person.id, state=name, by="test")  # type: ignore[arg-type]
        sent["two cookies"] = f"{sent['admin']}; trag=x"
        yield records, sent


@pytest.fixture(scope="module")
def app(cookies: Cookies) -> FastAPI:
    """The gate in front of an app that takes everything and says who came."""
    app = gated(cookies[0], functions=FUNCTIONS)

    async def taken(request: Request) -> dict[str, str]:
        visit = getattr(request.state, "visit", None)
        return {"came": visit.caller.name if visit else ""}

    app.add_api_route("/{rest:path}", taken, methods=["GET", "POST", "PUT", "DELETE", "PATCH", "HEAD", "OPTIONS"])
    return app


def asked(app: FastAPI, calls: Iterable[Call]) -> list[httpx.Response]:
    """One after the other in one event loop: there are so many that a thread for each would take longest."""

    async def each() -> list[httpx.Response]:
        async with httpx.AsyncClient(transport=httpx.ASGITransport(app), base_url=HOME, trust_env=False) as client:
            return [await client.request(method, path, **more) for method, path, more in calls]

    return asyncio.run(each())


@pytest.mark.parametrize("caller", CALLERS)
def test_every_address_by_every_caller(app: FastAPI, cookies: Cookies, caller: str) -> None:
    tab = {"session_hash": f"tab-of-{caller}"}
    headers = {"Cookie": cookies[1][caller]}
    sent: dict[str, Any] = {"GET": {"params": tab}, "POST": {"json": tab | {"fn_index": 0}}}
    answers = asked(app, [(method, path, sent[method] | {"headers": headers}) for method, _, path in ROWS])
    wrong = []
    for (method, role, path), answer in zip(ROWS, answers, strict=True):
        expected = 200 if MAY.get(caller, 0) >= NEEDS[role] else 403 if caller in MAY else 401
        if path in access.PROGRAMS or role == "monitoring":
            expected = 401  # to a cookie, whosever it is
        came = answer.json().get("came") if answer.status_code == 200 else ""
        if answer.status_code != expected or came != (caller if expected == 200 and role != "anyone" else ""):
            wrong.append((method, path, answer.status_code, expected, came))
    assert not wrong


def test_who_changes_something_or_takes_data_away_stands_in_the_log_with_where_from(
    app: FastAPI, cookies: Cookies
) -> None:
    log, sent = cookies[0].audit, cookies[1]
    before = log.count()
    rows = [(method, path) for method, _, path in ROWS if path not in access.PROGRAMS]
    asked(app, [(method, path, {"headers": {"Cookie": sent["admin"]}}) for method, path in rows])
    events = [event for event in log.page(most=log.count() - before) if event.what == "call"]
    calls = {event.about for event in events}
    changing = {f"POST {path}" for method, path in rows if method == "POST" and access.NOTED.fullmatch(path)}
    assert changing - calls == {"POST /documents/present"}  # it looks names up
    document = f"/documents/{SAMPLES['address'][0]}/original"
    taken = ("/documents/pairs.csv", document, "/charts/versions/0123456789ab/original")
    assert {f"GET {path}" for path in taken} < calls
    assert not calls & {"GET /documents", "GET /charts/sample.csv", "GET /people/log.csv", "POST /people"}
    assert {(event.who, event.where, event.result) for event in events} == {("admin", "127.0.0.1", "answered 200")}


def test_a_token_opens_the_addresses_of_programs_alone(app: FastAPI, cookies: Cookies) -> None:
    """Whosever it is, an admin's too, and whatever it may do there; one of a scope that nobody knows opens nothing."""
    records, _ = cookies
    for role, scope in (*product(MAY, access.SCOPES), ("admin", "admin"), ("admin", "")):
        person = records.people.find(role)
        assert person is not None
        token, kept = records.tokens.make(person.id, "job", timedelta(days=1), by="test", scope=scope)  # type: ignore[arg-type]
        programs = access.PROGRAMS if scope in access.SCOPES else set()
        sent = {"headers": {"Authorization": f"Bearer {token}"}}
        found = list(zip(ROWS, asked(app, [(method, path, sent) for method, _, path in ROWS]), strict=True))
        assert {path for (_, _, path), answer in found if answer.json() == {"came": role}} == programs
        anyone = {path for _, needs, path in ROWS if needs == "anyone"}
        assert {path for (_, _, path), answer in found if answer.status_code != 401} == programs | anyone
        records.tokens.end(kept.id, by="test")
        ended = asked(app, [(method, path, sent) for method, _, path in ROWS if path in access.PROGRAMS])
        assert {each.status_code for each in ended} == {401}


@pytest.mark.parametrize("caller", CALLERS)
def test_every_function_by_every_caller(app: FastAPI, cookies: Cookies, caller: str) -> None:
    sent = [{"json": called(caller, number), "headers": {"Cookie": cookies[1][caller]}} for number in FUNCTIONS]
    answers = asked(app, [("POST", "/gradio_api/queue/join", each) for each in sent])
    for (number, function), answer in zip(FUNCTIONS.items(), answers, strict=True):
        allowed = MAY.get(caller, 0) >= NEEDS[function.role]
        assert answer.status_code == (200 if allowed else 401), (number, answer.text)


def called(caller: str, number: int) -> dict[str, Any]:
    function = FUNCTIONS[number]
    data, pressed = [""] * function.inputs, dict.fromkeys(function.fields, "")
    return {"session_hash": f"functions-{caller}", "fn_index": number, "data": data, "event_data": pressed}


def test_a_call_of_a_function_has_its_inputs_and_what_was_pressed_and_else_never_reaches_it(
    app: FastAPI, cookies: Cookies
) -> None:
    reading = [number for number, function in FUNCTIONS.items() if function.fields]
    counts = ((number, count) for number in FUNCTIONS for count in range(3) if count != FUNCTIONS[number].inputs)
    wrong = [called("admin", number) | {"data": [""] * count} for number, count in counts]
    wrong += [called("admin", number) | {"event_data": none} for number in reading for none in (None, {}, {"x": ""})]
    right = [called("admin", number) | {"data": [None] * FUNCTIONS[number].inputs} for number in FUNCTIONS]
    sent = [{"json": each, "headers": {"Cookie": cookies[1]["admin"]}} for each in (*wrong, *right)]
    answers = asked(app, [("POST", "/gradio_api/queue/join", each) for each in sent])
    assert [each.status_code for each in answers] == [400] * len(wrong) + [200] * len(right)


def test_what_a_function_reads_of_a_press_is_in_the_table() -> None:
    page = ast.parse((Path(web.__file__).parent / "ask.py").read_text(encoding="utf-8"))
    read = {
        function.name: {
            each.attr
            for each in ast.walk(function)
            if isinstance(each, ast.Attribute) and isinstance(each.value, ast.Name) and each.value.id == "event"
        }
        for function in ast.walk(page)
        if isinstance(function, ast.FunctionDef | ast.AsyncFunctionDef) and function.name in access.FUNCTIONS
    }
    assert read == {name: set(fields) for name, (_, fields) in access.FUNCTIONS.items()}


def test_a_function_that_is_not_in_the_table_is_not_there(app: FastAPI, cookies: Cookies) -> None:
    call, headers = {"session_hash": "a", "data": []}, {"Cookie": cookies[1]["admin"]}
    numbers = ({}, *({"fn_index": number} for number in (999, -1, None, True, 0.0, "0")))
    sent = [("POST", "/gradio_api/queue/join", {"json": call | each, "headers": headers}) for each in numbers]
    assert [answer.status_code for answer in asked(app, sent)] == [404] * len(sent)


@pytest.mark.parametrize("caller", ["anonymous", "employee", "admin"])
def test_what_is_in_no_table_is_there_for_nobody(app: FastAPI, cookies: Cookies, caller: str) -> None:
    paths = ("/gradio_api/token", "/config", "/login", "/monitoring/x", "/gradio_api/call/ask")
    headers = {"headers": {"Cookie": cookies[1][caller]}}
    calls = list(product(("GET", "POST", "PUT", "DELETE", "OPTIONS"), paths, [headers]))
    found = [(*call[:2], answer.status_code) for call, answer in zip(calls, asked(app, calls), strict=True)]
    assert [each for each in found if each[2] != 404] == []


def test_a_function_without_a_role_stops_the_build() -> None:
    def unheard_of() -> None: ...

    with pytest.raises(KeyError, match="unheard_of"):
        access.functions(SimpleNamespace(fns={0: SimpleNamespace(fn=unheard_of)}))


LISTED = """
import json, os, sys
from pathlib import Path
from trag.home import Home, open_home
from trag.settings import Settings

Home.assistant = property(lambda home: None)  # the routes are there before the model is
from trag.web.serve import create_app

def routes(app):
    for route in app.routes:
        route = getattr(route, "original_router", route)
        if hasattr(route, "routes") and not hasattr(route, "methods"):
            yield from routes(route)
        elif hasattr(route, "path_regex"):
            yield from ((method, route) for method in getattr(route, "methods", None) or ["WEBSOCKET"])

with open_home(Settings(home=Path(sys.argv[1]))) as home:
    app = create_app(home)
    inner = next(route.app for route in app.routes if hasattr(route, "app") and hasattr(route.app, "blocks"))
    gradios = {id(route) for _, route in routes(inner)}
    found = [(method, each.path, each.path_regex.pattern, id(each) in gradios) for method, each in routes(app)]
    print(json.dumps(found), flush=True)
    os._exit(0)
"""
NEEDED_OF_GRADIO = {
    *("/", "/gradio_api/queue/join", "/gradio_api/queue/data", "/gradio_api/cancel", "/gradio_api/reset"),
    *("/gradio_api/app_id", "/theme.css", "/favicon.ico", "/assets/{path:path}", "/static/{path:path}", "/{page}"),
}


@pytest.mark.slow
def test_every_route_of_ours_is_in_the_table_and_of_gradios_only_what_our_pages_need(tmp_path: Path) -> None:
    run = subprocess.run(
        [sys.executable, "-c", LISTED, str(tmp_path)], capture_output=True, text=True, cwd=Path(__file__).parents[3]
    )
    assert run.returncode == 0, run.stderr
    found = [each for each in json.loads(run.stdout.splitlines()[-1]) if each[0] != "HEAD"]
    ours, gradios = ([each for each in found if each[3] is inside] for inside in (False, True))
    assert len(ours) > 60
    assert len(gradios) > 30

    def rows(method: str, pattern: str) -> set[tuple[str, str]]:
        return {(verb, path) for verb, _, path in ROWS if verb == method and re.fullmatch(pattern, path)}

    unheard_of = [
        path for method, path, pattern, _ in ours if not rows(method, pattern) and not access.needed(method, path)
    ]
    assert unheard_of == ["/favicon.svg"]  # which Gradio serves as /favicon.ico
    reached = {path for method, path, pattern, _ in gradios if rows(method, pattern)}
    assert reached <= NEEDED_OF_GRADIO, reached - NEEDED_OF_GRADIO
    led = set().union(*(rows(method, pattern) for method, _, pattern, _ in found))
    assert [(method, path) for method, _, path in ROWS if (method, path) not in led] == []
