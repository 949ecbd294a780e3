"""What people are told when something fails: never a file, an address, SQL or what a server said, whatever fails."""

from __future__ import annotations

import ast
import asyncio
import json
import re
import resource
import shutil
import threading
from collections.abc import AsyncIterator, Callable, Iterator
from contextlib import closing, contextmanager
from dataclasses import dataclass, field
from datetime import timedelta
from html import unescape
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import Any, get_args

import httpx2 as httpx
import pytest
from starlette.requests import Request

from store import StoreError, disk_full
from store.collection import IndexDamaged
from store.person import Newcomer, Role
from store.records import Records
from tests import serving
from tests.trag.web.test_access import ROWS
from trag.errors import OperatorError, TragError, told
from trag.events import Event
from trag.llm.model import ModelDied
from trag.progress import CancelToken
from trag.web.active_runs import ActiveRun
from trag.web.api.mcp import NAME
from trag.web.api.openai_compatible import Completion
from trag.web.api.responses import refusal, streamed
from trag.web.responses import error_response

ROOT = Path(__file__).parents[2]
SHOWN = {"TragError", "StoreError", "ChartError", "PromptError", "ModelDied", "RequestRefused", "QueueFull", "Refused"}
TOLD_TO_ALL = {"IndexDamaged", "OperatorError"}
"""Those that say something else to all but admins by themselves."""
NAMES = re.compile(r"\b_?(?:path|folder|file|filename|url|address|place|home|host|source|origin|error|reason|said)\b")
HARMLESS = re.compile(r"\.(?:name|strerror|message|status_code)\b|\bshown\(")
OF_OPERATORS = (
    "trag/terminal/", "trag/finetune/", "trag/batch.py", "trag/backup.py", "trag/doctor.py", "trag/settings.py",
    "trag/evaluate/multiple_choice.py", "trag/models/fetching.py", "trag/web/serve.py", "store/dump.py",
    "trag/ingest/parse/",
)  # fmt: skip
"""What is reached from the terminal, or from the pages of admins, alone."""


def errors(room: str) -> Iterator[tuple[str, ast.Call]]:
    """Each call that makes an error for people, and where."""
    for path in sorted((ROOT / room).rglob("*.py")):
        place = path.relative_to(ROOT).as_posix()
        for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
            if isinstance(node, ast.Call) and getattr(node.func, "id", "") in SHOWN | TOLD_TO_ALL:
                yield f"{place}:{node.lineno}", node


def revealing(call: ast.Call) -> list[str]:
    """What the message and the hint of an error are filled with that may name a file, an address or others' words."""
    parts = (each for part in call.args[:2] for each in ast.walk(part) if isinstance(each, ast.FormattedValue))
    filled = (ast.unparse(each.value) for each in parts)
    return [each for each in filled if NAMES.search(each) and not HARMLESS.search(each)]


def test_a_message_that_names_a_file_an_address_or_the_words_of_others_has_another_one_for_people() -> None:
    wrong, seen = {}, 0
    for room in ("org", "store", "prompts", "trag"):
        for where, call in errors(room):
            seen += 1
            apart = len(call.args) > 2 or getattr(call.func, "id", "") in TOLD_TO_ALL
            if not apart and not where.startswith(OF_OPERATORS) and (found := revealing(call)):
                wrong[where] = found
    assert seen > 200
    assert not wrong


SECRET = "/srv/C4NARY, postgresql://anna:P4SSWORD@host/db: SELECT hash FROM secrets"


def reached(error: Exception) -> Iterator[str]:
    """What each way that an error takes to people, but for the pages of admins, tells of it."""

    def fails(*_: object) -> Iterator[Event]:
        yield from ()
        raise error

    async def streaming() -> AsyncIterator[None]:
        yield None
        raise error

    async def streams() -> str:
        said = [piece async for piece in streamed(streaming())]
        return "".join(said + [piece async for piece in Completion().streamed(streaming(), usage=False)])

    request = {"type": "http", "method": "GET", "path": "/x", "headers": []}
    for accept in (b"text/html", b"application/json"):
        headers = [(b"accept", accept)]
        yield bytes(error_response(Request(request | {"headers": headers}), error).body).decode()
    for path in ("/api/ask", "/v1/chat/completions", "/mcp"):
        yield bytes(refusal(path, error).body).decode()
    yield asyncio.run(streams())
    run = ActiveRun("A question?", fails(), CancelToken())
    run.join(10)
    yield f"{run.draft.problem} {run.draft.hint}"


def test_every_error_that_is_for_operators_is_told_in_other_words_by_every_way(
    caplog: pytest.LogCaptureFixture,
) -> None:
    errors = [
        disk_full(SECRET), StoreError(SECRET, SECRET, "No."), IndexDamaged(SECRET, SECRET),
        OperatorError(SECRET, SECRET), TragError(SECRET, SECRET, "No."), ModelDied(SECRET, SECRET, "No."),
    ]  # fmt: skip
    for error in errors:
        heard = [unescape(each) for each in reached(error)]
        assert all(error.public in each for each in heard), heard
        assert not [each for each in heard if any(canary in each for canary in ("C4NARY", "P4SSWORD", "SELECT"))]
        assert SECRET in caplog.text
        caplog.clear()
        assert told(error, to_admin=True) is error
        assert told(TragError("Type a question.", "Do.")).message == "Type a question."


CHART = "id,name,parent,type\nclub,Club,,club\nkitchen,Kitchen,Club,team\n"
ASKED = "Where does the Kitchen sit?"
SAID = "<script> SELECT hash FROM secrets, in /srv/C4NARY with K3Y-of-ours and P4SSWORD"
CANARIES = ("C4NARY", "P4SSWORD", "K3Y-of-ours", "SELECT", "FROM ", "sqlite", "/srv", "Errno", "Traceback", "trag.db")
"""What only the log may tell: the last two times of where the home is, and of what SQLite says."""
CHUNK = {"id": "1", "object": "chat.completion.chunk", "created": 0, "model": "m"}
WORDS = json.dumps(CHUNK | {"choices": [{"index": 0, "delta": {"content": "parent("}, "finish_reason": None}]})
MODES = {
    "400": (400, json.dumps({"error": {"message": SAID}})),
    "401": (401, json.dumps({"error": {"message": SAID}})),
    "404": (404, SAID),
    "500": (500, f"<html>{SAID}</html>"),
    "307": (307, SAID),
    "an error in the stream": (200, f"data: {json.dumps({'error': {'message': SAID}})}\n\n"),
    "breaks off": (200, f"data: {WORDS}\n\n"),
    "no stream": (200, SAID),
    "no JSON": (200, f"data: {SAID}\n\n"),
}


class Stub(BaseHTTPRequestHandler):
    """A model's server that is told how to fail."""

    mode = "400"

    def do_POST(self) -> None:
        self.rfile.read(int(self.headers["content-length"]))
        status, body = MODES[Stub.mode]
        self.send_response(status)
        if status == 307:
            self.send_header("location", "http://C4NARY.example/v1/chat/completions")
        self.end_headers()
        self.wfile.write(body.encode())

    def log_message(self, *_: object) -> None:
        """Says nothing."""


@dataclass
class Place:
    """A running app, what each role has of it, and all that it has said to somebody who is no admin."""

    client: httpx.Client
    process: serving.Job
    home: Path
    cookies: dict[str, str]
    token: str
    model: ThreadingHTTPServer
    heard: list[tuple[str, str]] = field(default_factory=list)

    def call(self, method: str, path: str, role: str = "", **more: Any) -> httpx.Response:
        cookie = {"Cookie": f"trag={self.cookies[role]}"} if role else {}
        answer = self.client.request(method, path, headers=more.pop("headers", {}) | cookie, **more)
        self.heard.append((f"{role} {method} {path}", f"{answer.status_code} {answer.headers} {answer.text}"))
        return answer

    def told(self) -> dict[str, list[str]]:
        """What was told of what only the log may tell, by who asked for what."""
        address = f"127.0.0.1:{self.model.server_port}"
        found = {what: [each for each in (*CANARIES, address) if each in text] for what, text in self.heard}
        self.heard.clear()
        return {what: canaries for what, canaries in found.items() if canaries}


@pytest.fixture(scope="module")
def failing(tmp_path_factory: pytest.TempPathFactory, empty_database: Path) -> Iterator[Place]:
    """An app whose model's server fails as it is told to. Its address holds a password, its home a canary."""
    home = tmp_path_factory.mktemp("C4NARY") / "home"
    home.mkdir()
    shutil.copy(empty_database, home)
    (home.parent / "chart.csv").write_text(CHART, encoding="utf-8")
    serving.trag(home, "chart", "activate", str(home.parent / "chart.csv"))
    with closing(Records(f"sqlite:///{home}/trag.db")) as records:
        people = {
            role: records.people.add(Newcomer(role, role=role, state="active"), by="test") for role in get_args(Role)
        }
        cookies = {role: records.sessions.begin(person.id)[0] for role, person in people.items()}
        token, _ = records.tokens.make(people["employee"].id, "job", timedelta(days=1), by="test")
    with ThreadingHTTPServer(("127.0.0.1", 0), Stub) as model:
        threading.Thread(target=model.serve_forever, daemon=True).start()
        of_model = {
            "TRAG_MODEL_URL": f"http://anna:P4SSWORD@127.0.0.1:{model.server_port}/v1",
            "TRAG_MODEL_NAME": "m",
            "TRAG_MODEL_KEY": "K3Y-of-ours",
            "TRAG_MCP": "true",
        }
        with (
            serving.app(home, **of_model) as (address, process),
            httpx.Client(base_url=address, timeout=120, verify=False, trust_env=False) as client,
        ):
            yield Place(client, process, home, cookies, token, model)
        model.shutdown()


def ask(place: Place) -> None:
    """The question by every way there is."""
    bearer = {"Authorization": f"Bearer {place.token}"}
    chat = {"model": "trag", "messages": [{"role": "user", "content": ASKED}]}
    streamed = bearer | {"Accept": "text/event-stream"}
    both = bearer | {"Accept": "application/json, text/event-stream"}
    params = {"name": NAME, "arguments": {"question": ASKED}}
    place.call("POST", "/api/ask", json={"question": ASKED}, headers=bearer)
    place.call("POST", "/api/ask", json={"question": ASKED}, headers=streamed)
    place.call("POST", "/v1/chat/completions", json=chat, headers=bearer)
    place.call("POST", "/v1/chat/completions", json=chat | {"stream": True}, headers=bearer)
    place.call("POST", "/mcp", json={"jsonrpc": "2.0", "id": 1, "method": "tools/call", "params": params}, headers=both)
    chosen = by_page(place, 1, [ASKED, ""])
    if isinstance(chosen, str):
        by_page(place, 4, [chosen])


def by_page(place: Place, function: int, data: list[str]) -> Any:
    """What a function of the Ask page chooses, heard to its end."""
    call = {"data": data, "event_data": None, "fn_index": function, "session_hash": "failing"}
    begun = place.call("POST", "/gradio_api/queue/join", "employee", json=call)
    if begun.status_code != 200:
        return None
    heard = place.call("GET", "/gradio_api/queue/data", "employee", params={"session_hash": "failing"}).text
    ended = [json.loads(line[5:]) for line in heard.splitlines() if '"process_completed"' in line]
    return ended[-1]["output"].get("data", [None])[0]


@pytest.mark.slow
def test_nobody_is_told_where_the_model_is_or_what_its_server_says(failing: Place) -> None:
    for Stub.mode in MODES:
        ask(failing)
        assert len(failing.heard) == 9
        assert not failing.told(), Stub.mode
    failing.model.shutdown()
    failing.model.server_close()
    ask(failing)
    assert any("cannot be reached" in text for _, text in failing.heard)
    assert not failing.told()
    log = failing.process.err.read_text("utf-8")
    assert "/srv/C4NARY" in log
    assert "cannot be reached" in log
    assert "P4SSWORD" not in log
    assert "K3Y-of-ours" not in log


@contextmanager
def full_disk(place: Place) -> Iterator[None]:
    """No file of the app's may grow."""
    of_app = place.process.pid or 0
    before = resource.prlimit(of_app, resource.RLIMIT_FSIZE)
    resource.prlimit(of_app, resource.RLIMIT_FSIZE, (0, before[1]))
    yield
    resource.prlimit(of_app, resource.RLIMIT_FSIZE, before)


@contextmanager
def damaged_records(place: Place) -> Iterator[None]:
    """The database is none any more."""
    file = place.home / "trag.db"
    content = file.read_bytes()
    file.write_bytes(b"C4NARY SELECT" * (len(content) // 13 + 1))
    yield
    file.write_bytes(content)


@pytest.mark.slow
@pytest.mark.parametrize("fault", [full_disk, damaged_records])
def test_nobody_but_an_admin_is_told_of_the_files_of_the_home(failing: Place, fault: Callable[[Place], Any]) -> None:
    least = {"anyone": "", "employee": "employee", "reviewer": "reviewer"}
    rows = [(method, path, least[role]) for method, role, path in ROWS if role in least]
    typed = {"name": "employee", "password": "wrong words of four", "after": "/"}
    with fault(failing):
        for accept in ("text/html", "application/json"):
            failing.call("POST", "/sign-in", data=typed, headers={"Accept": accept})
        for method, path, role in rows:
            if not path.startswith(("/gradio_api", "/sign-in/")):
                failing.call(method, path, role, headers={"Accept": "text/html"})
        ask(failing)
        headers = {"Connection": "close"}  # what fails before it has read all can keep none open
        failing.call("POST", "/quality/cases?name=a.jsonl", "reviewer", content=b"{}", headers=headers)
    heard = " ".join(text for _, text in failing.heard)
    words = "No space is left on the assistant" if fault is full_disk else "records cannot be used"
    assert words in heard
    assert not failing.told()
