"""The programs' addresses behind the gate, over real records; who answers is a script."""

import shutil
from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager, closing, contextmanager
from dataclasses import dataclass, replace
from datetime import timedelta
from pathlib import Path
from types import SimpleNamespace
from typing import Any
from unittest.mock import patch

import pytest
from fastapi import FastAPI
from starlette.testclient import TestClient

from store.keys import Scope
from store.person import Newcomer, Role
from store.records import Records
from tests import planned
from tests.pages import ADDRESS as HERE
from tests.pages import gated
from tests.scripted import ScriptedAssistant
from trag.brief import writer
from trag.brief.record import BriefQuestion, BriefRecord, BriefSentence, Part
from trag.events import Answer, Found, Retry, Token, Waiting
from trag.record import AnswerRecord, CheckedSentence, Checks, ModelUsed, Source, Tokens
from trag.settings import Settings
from trag.web.active_runs import ActiveRuns
from trag.web.api import page
from trag.web.api.answering import Answerer
from trag.workflow.drafting import Drafter

SOURCE = Source("p1", "section", "manual.md", "Ethics", 3, "It sits under the Board.", 0.7)
RECORD = AnswerRecord(
    "0af" * 10 + "12",
    *("Where is Ethics?", "Where is Ethics?", "Under the Board.\n\nNowhere else.", "answered"),
    ModelUsed("small", "0", ""),
    sources=(SOURCE,),
    checks=Checks((CheckedSentence("Under the Board.", True, "p1", SOURCE.text),)),
    tokens=Tokens(40, 40, 7),
)
SCRIPT = (
    Waiting(1),
    Found(RECORD.standalone, (), (), (SOURCE,)),
    Token("Over "),
    Retry("It is under."),
    Token("Under"),
    Answer(RECORD),
)

QUOTED = BriefRecord(
    "",
    "Ethics",
    "written",
    parts=(Part("Ethics", (BriefSentence(SOURCE.text, "p1", SOURCE.text, "quotation"),)),),
    open=(BriefQuestion("Who heads Ethics?", "reader"),),
    sources=(SOURCE,),
)
WORDED = replace(
    QUOTED, parts=(Part("Ethics", (BriefSentence("Ethics sits under the Board.", "p1", SOURCE.text, "model"),)),)
)


def written(_: Any, subject: str, *, length: Any, id: str, **__: Any) -> Iterator[BriefRecord]:
    """A briefing on whatever it is: a quotation, and then its sentence."""
    for each in (QUOTED, WORDED):
        yield replace(each, id=id, subject=subject, length=length)


@dataclass
class Place:
    """A home, who answers in it, and programs that ask."""

    records: Records
    assistant: ScriptedAssistant
    answerer: Answerer
    app: FastAPI

    @property
    def runs(self) -> ActiveRuns:
        return self.answerer.runs

    def program(self, **headers: str) -> TestClient:
        return TestClient(self.app, base_url=HERE, headers=headers, client=("10.0.0.7", 4711))

    def token(self, name: str = "ann", role: Role = "employee", scope: Scope = "read", **more: str) -> dict[str, str]:
        """What a program sends that acts for somebody new."""
        person = self.records.people.add(Newcomer(name, role=role, state="active", **more), by="test")  # type: ignore[arg-type]
        secret, _ = self.records.tokens.make(person.id, "job", timedelta(days=1), by="test", scope=scope)
        return {"Authorization": f"Bearer {secret}"}

    def posted(self, path: str, headers: dict[str, str]) -> dict[str, Any]:
        """What a server tells the app of a program's POST, for a test that plays the server itself."""
        fields = {"host": HERE.removeprefix("http://"), "content-type": "application/json"} | headers
        return {
            "type": "http",
            "asgi": {"version": "3.0", "spec_version": "2.3"},
            "http_version": "1.1",
            "method": "POST",
            "scheme": "http",
            "path": path,
            "raw_path": path.encode(),
            "query_string": b"",
            "root_path": "",
            "headers": [(name.lower().encode(), value.encode()) for name, value in fields.items()],
            "client": ("10.0.0.7", 4711),
            "server": ("127.0.0.1", 7860),
        }


@pytest.fixture(scope="module")
def opened(empty_database: Path) -> Callable[[Path], AbstractContextManager[Place]]:
    """Opens a home without accounts in a folder."""

    @contextmanager
    def opened(folder: Path) -> Iterator[Place]:
        with (
            closing(Records(f"sqlite:///{shutil.copy(empty_database, folder)}")) as records,
            patch.object(writer, "write", written),
        ):
            home: Any = SimpleNamespace(records=records, organization=SimpleNamespace(chart=None), parts={})
            home.state = lambda: SimpleNamespace(empty=False)
            home.procedures = SimpleNamespace(in_use=planned.book())
            records.library.put("all.md", "1" * 64, None, ())
            planned.plan_by_words(home)
            home.parts["drafter"] = Drafter(home.procedures.in_use, planned.encoded, planned.weigh)
            assistant: Any = ScriptedAssistant(lambda _: iter(SCRIPT))
            vars(assistant).update(vars(planned.assistant(planned.Choosing(-9, 0))))
            app, answerer = gated(records, Settings(home=folder)), Answerer(home, ActiveRuns(), lambda: assistant)
            page.mount(app, answerer)
            yield Place(records, assistant, answerer, app)
            answerer.runs.end_all()

    return opened


@pytest.fixture
def place(opened: Any, tmp_path: Path) -> Iterator[Place]:
    """A home without accounts."""
    with opened(tmp_path) as place:
        yield place


@pytest.fixture(scope="module")
def door(serving: Any, own_home: Path, model_address: str) -> Iterator[tuple[str, str]]:
    """The address of the real app with the tool on, and a token of an employee there."""
    (own_home / "trag.toml").write_text("mcp = true\nwaiting = 5\n")
    with closing(Records(f"sqlite:///{own_home}/trag.db")) as records:
        records.people.add(Newcomer("root", role="admin", state="active"), by="test")
        person = records.people.add(Newcomer("ann", state="active"), by="test")
        token, _ = records.tokens.make(person.id, "job", timedelta(days=1), by="test", scope="read")
    with serving(own_home, model_address) as (address, process):
        yield address, token
        process.terminate()
        _, err = process.end()
    assert process.exitcode == 0, err
    assert "Traceback" not in err, err
