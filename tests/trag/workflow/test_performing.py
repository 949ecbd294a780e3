"""What the steps of a workflow do for real: the program's own, people's, and those of other programs over real HTTP."""

from __future__ import annotations

import json
import threading
import time
from collections.abc import Iterator
from dataclasses import replace
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import Any, cast

import pytest

from store.records import Records
from tests.automated import BILLS, person, ran, step, use, workflow
from tests.planned import CHART
from tests.scripted import Scripted, ScriptedAssistant
from trag import briefs
from trag.brief.record import BriefRecord
from trag.errors import TragError
from trag.events import Answer
from trag.home import Home
from trag.people import CurrentUser
from trag.progress import silent
from trag.record import AnswerRecord, ModelUsed
from trag.settings import Settings
from trag.workflow import hooks
from trag.workflow.built_in import BUILT_IN
from trag.workflow.running import StepFailed
from trag.workflow.tasks import notices_of, person_called, units_of

BILL = {"amount": "6200", "unit": "Bar", "sender": "eva"}


def performed(home: Home, *steps: dict[str, Any], by: str = "local") -> dict[int, dict[str, Any]]:
    """What steps gave on a new bill, by their numbers; how the run ended under 0."""
    use(home, workflow(*steps, trigger=BILLS), "w")
    home.records.registers.create("bill", BILL, person=by, by=by)
    run = ran(home)
    trace = json.loads(run.trace_json)["trace"] if run.trace_json else []
    return {each["step"]: each["outputs"] for each in trace} | {0: {"state": run.state, "message": run.message}}


def test_people_and_units_are_told_and_only_they(running: Home) -> None:
    ada = person(running, "ada", "admin", "board")
    eva, bob, owl = (person(running, name, unit=unit) for name, unit in (("eva", "bar"), ("bob", "bees"), ("owl", "c")))
    gave = performed(
        running,
        step("log", 1, message="@record.amount"),
        step("notify_person", 2, person="@record.sender", message="@trigger.record"),
        step("notify_unit", 3, unit="@record.unit", message="For the bar."),
        step("notify_unit", 4, unit="Club", message="For all."),
        by=ada.person,
    )
    assert gave[0] == {"state": "done", "message": ""}
    assert gave[1] == {}
    assert gave[2]["notice"]["text"] == "amount: 6200\nunit: Bar\nsender: eva"
    told = {who.name: [each.text for each in notices_of(running, who)] for who in (eva, bob, owl, ada)}
    assert told == {
        "eva": ["For all.", "For the bar.", "amount: 6200\nunit: Bar\nsender: eva"],
        "bob": ["For all."],
        "owl": ["For all."],
        "ada": ["For all."],
    }


def test_a_person_is_told_by_one_name_alone(running: Home) -> None:
    people = running.records.people
    assert person_called("anybody", people) == CurrentUser.local.person, "there are no accounts"
    assert units_of(CurrentUser.local, CHART) == frozenset(CHART.units)
    one, _ = person(running, "eva", shown="Eva Roe"), person(running, "eva2", shown="Eva Roe")
    assert person_called(" EVA ", people) == one.person
    running.records.people.change(person(running, "max").person, by="test", state="disabled")
    for name, problem in (("Eva Roe", "Several people"), ("max", "Nobody"), ("Ev", "Nobody"), ("", "Nobody")):
        with pytest.raises(StepFailed, match=f"{problem} .*called '{name}'"):
            person_called(name, people)


def test_approval_is_asked_of_the_head_of_the_unit_and_the_run_goes_by_it(running: Home) -> None:
    from trag.workflow.tasks import finish

    head = person(running, "hb", unit="bar", shown="Head bar")
    made = workflow(
        step("find_head_of_unit", 1, unit="@record.unit"),
        step("ask_for_approval", 2, record="@trigger.record", person="@1.person"),
        step("IF", 3, when="2.decision = yes"),
        step("create_record", 4, 3, table="receipt", fields="amount = 1; of = approved"),
        step("ELSE", 5),
        step("create_record", 6, 5, table="receipt", fields='{"amount": 2, "of": "declined"}'),
        trigger=BILLS,
    )
    use(running, made)
    for decision in ("yes", "no"):
        running.records.registers.create("bill", BILL, person="local", by="local")
        assert ran(running).message == "Waits for Head bar."
        asked = notices_of(running, head)[0]
        assert asked.text.startswith("Do you approve this?\namount: 6200")
        with pytest.raises(TragError, match="decision must be one of yes, no"):
            finish(running, head, asked.id, {"decision": "perhaps"})
        finish(running, head, asked.id, {"decision": decision})
        assert ran(running).state == "done"
    kept = [dict(each.fields) for each in running.records.registers.each("receipt")]
    assert kept == [{"amount": "1", "of": "approved"}, {"amount": 2, "of": "declined"}]


@pytest.mark.parametrize(
    ("condition", "found"),
    [
        ("amount > 10", [20, 30]),
        ("amount>=10", [10, 20, 30]),
        ("of = b", [20]),
        ("of contains A", [10]),
        ("of is empty", [30]),
        ("20", [20]),
        ({"amount": 10, "of": "a"}, [10]),
        ({"amount": 10, "of": "b"}, []),
        ("amount < 5", []),
    ],
)
def test_records_are_looked_up_by_a_condition_a_record_or_a_value(
    running: Home, condition: object, found: list[int]
) -> None:
    for amount, of in ((10, "a"), (20, "b"), (30, "")):
        running.records.registers.create("receipt", {"amount": amount, "of": of})
    gave = performed(
        running,
        step("look_up_records", 1, table="receipt", condition=condition),
        step("look_up_record", 2, table="receipt", condition=condition),
    )
    assert [each["amount"] for each in gave[1]["records"]] == found
    assert (gave[2]["record"] or {}).get("amount") == next(iter(found), None)


def test_a_record_that_is_given_is_changed_and_what_is_no_record_is_not(running: Home) -> None:
    gave = performed(running, step("update_record", 1, record="@trigger.record", fields={"amount": 1}))
    assert gave[1]["record"] == {"@id": "bill/1", **BILL, "amount": 1}
    for inputs, problem in (
        ({"record": "@record.amount", "fields": "amount = 1"}, 'There is no register ""'),
        ({"record": {"amount": 1}, "fields": "amount = 1"}, "no record of a register"),
        ({"record": "@trigger.record", "fields": "colour = red"}, 'has no field "colour"'),
        ({"record": "@trigger.record", "fields": "red"}, "name = value"),
        ({"record": "@trigger.record", "fields": "{"}, "no valid JSON"),
        ({"record": "@trigger.record", "fields": " "}, "no names with values"),
        ({"record": "vault/1", "fields": "gold = 1"}, "There is no record vault/1."),
    ):
        ended = performed(running, step("update_record", 1, **inputs))[0]
        assert ended["state"] == "failed"
        assert problem in ended["message"]
        use(running, workflow(step("log", 1, message="x"), trigger=BILLS, title=problem))


def test_what_fails_is_caught_by_a_try_also_when_the_run_goes_on_later(running: Home) -> None:
    from trag.workflow.tasks import finish

    use(
        running,
        workflow(
            step("TRY", 1),
            step("notify_unit", 2, 1, unit="Attic", message="x"),
            step("CATCH", 3),
            step("count", 4, 3, record={"why": "it failed"}),
            step("create_record", 5, 3, table="receipt", fields={"of": "caught"}),
            trigger=BILLS,
        ),
    )
    running.records.registers.create("bill", BILL, person="local", by="local")
    assert ran(running).state == "waiting"
    finish(running, CurrentUser.local, notices_of(running, CurrentUser.local)[0].id, {"sum": "1", "coin": "cent"})
    run = ran(running)
    assert run.state == "done"
    assert "no unit 'Attic'" in run.trace_json
    assert running.records.registers.count("receipt") == 1


def test_the_assistant_is_asked_with_the_rights_of_the_run_and_laid_before_reviewers(running: Home) -> None:
    eva = person(running, "eva", unit="bar")
    record = AnswerRecord("a1", "Why?", "Why?", "So.", "answered", ModelUsed("scripted", "", ""))

    def script(_: threading.Event) -> Iterator[Answer]:
        running.records.save_answer("a1", None, "Why?", "So.", record.to_json(), asker=eva.person)
        yield Answer(record)

    assistant = ScriptedAssistant(script)  # type: ignore[arg-type]
    running.parts["assistant"] = cast(Any, assistant)
    gave = performed(
        running,
        step("ask_assistant", 1, question="Why?"),
        step("add_to_review", 2, answer="@1.answer"),
        step("IF", 3, when="1.answer.text contains so"),
        step("create_record", 4, 3, table="receipt", fields={"of": "told"}),
        by=eva.person,
    )
    assert gave[0]["state"] == "done"
    assert gave[1]["answer"] == {"id": "a1", "text": "So.", "status": "answered"}
    assert assistant.asked[0][1]["readers"] == frozenset({"everyone", "c", "bar"})
    assert running.records.registers.count("receipt") == 1
    with running.records.reviews.changing() as change:
        assert change.find("a1").second, "two reviewers are wanted"
    assert {"make_plan", "look_up_record"} <= BUILT_IN


@pytest.mark.slow
def test_a_briefing_is_written_with_the_rights_of_the_run_and_laid_before_reviewers(
    running: Home, tmp_path: Path
) -> None:
    said = "# Bar\n\n## {}\n\nThe Bar {} at six. The Bar {} every Monday. The Bar {} in May.\n"
    (tmp_path / "open.md").write_text(said.format("Hours", "opens", "is cleaned", "is painted"))
    (tmp_path / "closed.md").write_text(said.format("Zorblatt", "feeds Zorblatt", "weighs Zorblatt", "sells Zorblatt"))
    running.ingest([tmp_path / "open.md"], replace=False, progress=silent)
    running.ingest([tmp_path / "closed.md"], replace=False, progress=silent, audience=frozenset({"bees"}))
    running.parts["model"] = Scripted("Nothing.")
    eva, bob = (person(running, name, unit=unit) for name, unit in (("eva", "bar"), ("bob", "bees")))
    use(
        running,
        workflow(
            step("write_briefing", 1, topic="@record.unit"),
            step("add_to_review", 2, briefing="@1.briefing"),
            trigger=BILLS,
        ),
    )
    for who, knows in ((eva, False), (bob, True)):
        running.records.registers.create("bill", BILL, person=who.person, by=who.name)
        run = ran(running)
        assert (run.state, run.message) == ("done", "")
        made = json.loads(run.trace_json)["trace"][0]["outputs"]["briefing"]
        assert made["status"] == "written"
        assert "The Bar opens at six." in made["text"]
        kept = running.records.answer(made["id"])
        assert kept
        assert kept.kind == "brief"
        assert ("Zorblatt" in made["text"], "Zorblatt" in kept.record_json) == (knows, knows)
        assert briefs.owned(running, who, made["id"]) == BriefRecord.from_json(kept.record_json)
        assert briefs.owned(running, bob if who is eva else eva, made["id"]) is None
        with running.records.reviews.changing() as change:
            assert change.find(made["id"]).second
    running.records.registers.create("bill", BILL | {"unit": " "}, person=eva.person, by="eva")
    assert "Its input topic is empty." in ran(running).message


# Other programs


class Ledger(BaseHTTPRequestHandler):
    """Answers as its path says."""

    taken: list[dict[str, Any]] = []  # noqa: RUF012 -- emptied by the fixture

    def do_POST(self) -> None:
        body = self.rfile.read(int(self.headers["Content-Length"]))
        self.taken.append({"path": self.path, **json.loads(body)})
        if self.path == "/moved":
            self.send_response(307)
            self.send_header("Location", "/ok")
            self.end_headers()
            return
        if self.path == "/slow":
            time.sleep(1)
        self.send_response(500 if self.path == "/error" else 200)
        self.end_headers()
        large = b" " * (hooks.LARGEST + 1)
        said = {"/text": b"posted", "/list": b"[1]", "/less": b"{}", "/large": large}
        self.wfile.write(said.get(self.path, b'{"posting": {"number": 9}, "more": 1}'))

    def log_message(self, *_: object) -> None:
        pass


@pytest.fixture
def ledger() -> Iterator[str]:
    """The address of another program."""
    server = ThreadingHTTPServer(("127.0.0.1", 0), Ledger)
    Ledger.taken.clear()
    threading.Thread(target=server.serve_forever, daemon=True).start()
    yield f"http://127.0.0.1:{server.server_port}"
    server.shutdown()
    server.server_close()


def test_another_program_is_sent_the_inputs_and_gives_what_the_book_says(running: Home, ledger: str) -> None:
    running.settings = replace(running.settings, hooks=f"post={ledger}/ok")
    gave = performed(running, step("post", 1, record="@trigger.record"))
    assert gave[1] == {"posting": {"number": 9}}
    (taken,) = Ledger.taken
    run = running.records.workflow_runs.page()[0]
    assert taken == {
        "path": "/ok",
        "id": f"{run.id}-0",
        "run": run.id,
        "action": "post",
        "inputs": {"record": {"@id": "bill/1", **BILL}},
    }


@pytest.mark.parametrize(
    ("path", "problem"),
    [
        ("moved", "another address, which is not followed"),
        ("error", "the error 500"),
        ("text", "no JSON"),
        ("list", "has no posting"),
        ("less", "has no posting"),
        ("large", "too large"),
        ("slow", "takes too long"),
    ],
)
def test_any_other_answer_is_a_failure(ledger: str, path: str, problem: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(hooks, "SECONDS", 0.3)
    with pytest.raises(StepFailed, match=problem):
        hooks.call(f"{ledger}/{path}", {"inputs": {}}, ("posting",))
    assert [each["path"] for each in Ledger.taken] == [f"/{path}"], "nothing else was called"


def test_nobody_who_listens_and_no_address_are_failures(running: Home) -> None:
    with pytest.raises(StepFailed, match="cannot be reached"):
        hooks.call("http://127.0.0.1:1/x", {}, ())
    made = hooks.addresses(Settings(hooks="post = https://l.example/x?a=1 ,b=http://[::1]:8/"))
    assert made == {"post": "https://l.example/x?a=1", "b": "http://[::1]:8/"}
    for wrong in (
        "post",
        "post=",
        "=https://l.example",
        "post=ftp://l.example",
        "post=https://",
        "a=https://u:p@l.example",
    ):
        with pytest.raises(TragError, match="is not ACTION=ADDRESS"):
            hooks.addresses(Settings(hooks=wrong))
    assert isinstance(running.records, Records)
