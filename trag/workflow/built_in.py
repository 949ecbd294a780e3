"""What the program itself does in a workflow: a function for each built-in action, by the action's id in the book.

Each is given its inputs by name and gives one thing or nothing. What cannot be done is a StepFailed that says why in
words for whoever reads the log of the run.
"""

from __future__ import annotations

import json
import threading
import uuid
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any

from org.procedures.flows import Book
from org.reading.problems import quoted
from store.notices import Notice
from store.registers import KEY, Record
from trag.events import Answer
from trag.flow.pinned import pinned_plan
from trag.flow.planner import planner
from trag.llm.model import Scoring
from trag.people.permissions import Readers
from trag.progress import Cancelled
from trag.record import ModelUsed
from trag.review.verdicts import ask_second
from trag.workflow.record import Condition
from trag.workflow.running import OPERATORS, StepFailed, compare
from trag.workflow.tasks import LONGEST, asked, person_called, unit_called

if TYPE_CHECKING:
    from store.workflow_runs import WorkflowRun
    from trag.home import Home

MOST = 1_000
"""Records that a step finds."""
Inputs = Mapping[str, object]


@dataclass(frozen=True, slots=True)
class Doing:
    """A step that is being done: for which run, at which place among the actions of it, with which keys, and what may
    be used of the book with them. `stop` is set when it takes too long or the program ends."""

    home: Home
    run: WorkflowRun
    place: int
    held: Readers
    book: Book
    usable: frozenset[str]
    stop: threading.Event


def text_of(value: object) -> str:
    """A value in words, as a message has it."""
    if isinstance(value, Mapping):
        if "text" in value:
            return text_of(value["text"])
        return "\n".join(f"{name}: {text_of(each)}" for name, each in value.items() if name != KEY)
    if isinstance(value, list):
        return ", ".join(map(text_of, value))
    if value is None:
        return ""
    return str(value).lower() if isinstance(value, bool) else str(value)


def _text(inputs: Inputs, *names: str) -> str:
    """The words of the input that has one of these names. Raises StepFailed where there are none, or too many."""
    text = next((text_of(inputs[name]).strip() for name in names if name in inputs), "")
    if not text:
        raise StepFailed(f"Its input {names[0]} is empty.")
    if len(text) > LONGEST:
        raise StepFailed(f"Its input {names[0]} has more than {LONGEST:,} characters.")
    return text


# Telling and asking people


def _log(doing: Doing, inputs: Inputs) -> None:
    _text(inputs, "message")  # what a step was given stands in the log of the run


def _notify_unit(doing: Doing, inputs: Inputs) -> object:
    unit = unit_called(_text(inputs, "unit"), doing.home.organization.chart)
    return _told(doing, Notice(_text(inputs, "message"), unit=unit.id))


def _notify_person(doing: Doing, inputs: Inputs) -> object:
    person = person_called(_text(inputs, "person"), doing.home.records.people)
    return _told(doing, Notice(_text(inputs, "message"), person))


def _told(doing: Doing, notice: Notice) -> object:
    kept = doing.home.records.notices.add(replace(notice, run=doing.run.id, place=doing.place))
    return {"id": kept.id, "text": kept.text}


def _ask_for_approval(doing: Doing, inputs: Inputs) -> object:
    name = _text(inputs, "person")
    person = person_called(name, doing.home.records.people)
    text = f"Do you approve this?\n{_text(inputs, 'record')}"
    asking = Notice(text, person, run=doing.run.id, place=doing.place, gives={"decision": ("yes", "no")}, state="open")
    return asked(doing.home.records, asking, name)["decision"]


def _find_head_of_unit(doing: Doing, inputs: Inputs) -> object:
    unit = unit_called(_text(inputs, "unit"), doing.home.organization.chart)
    if not unit.head:
        raise StepFailed(f"The chart in use names no head of {quoted(unit.name)}.")
    return unit.head


# Registers


def _create_record(doing: Doing, inputs: Inputs) -> object:
    table = _table(doing, _text(inputs, "table"))
    fields = _fields(doing, table, inputs.get("fields"))
    return doing.home.records.registers.create(table, fields, **_whose(doing)).values()


def _update_record(doing: Doing, inputs: Inputs) -> object:
    record = inputs.get("record")
    id = record.get(KEY) if isinstance(record, Mapping) else record
    if not isinstance(id, str) or not id:
        raise StepFailed("Its input record is no record of a register.")
    table = _table(doing, id.rpartition("/")[0])
    fields = _fields(doing, table, inputs.get("fields"))
    return doing.home.records.registers.update(id, fields, **_whose(doing)).values()


def _look_up_record(doing: Doing, inputs: Inputs) -> object:
    return next((record.values() for record in _meeting(doing, inputs)), None)


def _look_up_records(doing: Doing, inputs: Inputs) -> object:
    found: list[object] = []
    for record in _meeting(doing, inputs):
        if len(found) == MOST:
            raise StepFailed(f"More than {MOST:,} records meet the condition.")
        found.append(record.values())
    return found


def _whose(doing: Doing) -> dict[str, Any]:
    return {"person": doing.run.person, "by": doing.run.by, "cause": doing.run}


def _table(doing: Doing, id: str) -> str:
    """The id of a table that the run may use; one that is closed to it is not there."""
    if id not in doing.book.tables or id not in doing.usable:
        raise StepFailed(f"There is no register {quoted(id)}.")
    return id


def _fields(doing: Doing, table: str, given: object) -> dict[str, object]:
    """Fields with their values, given as such, as JSON, or as "name = value; name = value"."""
    if isinstance(given, str) and given.lstrip().startswith("{"):
        try:
            given = json.loads(given)
        except (ValueError, RecursionError) as error:
            raise StepFailed("Its input fields is no valid JSON.") from error
    if isinstance(given, str):
        parts = [each.partition("=") for line in given.splitlines() for each in line.split(";") if each.strip()]
        if not all(sign and name.strip() for name, sign, _ in parts):
            raise StepFailed('Its input fields is not "name = value; name = value".')
        given = {name.strip(): value.strip() for name, _, value in parts}
    if not isinstance(given, Mapping) or not given:
        raise StepFailed("Its input fields has no names with values.")
    fields = {str(name): value for name, value in given.items() if name != KEY}
    known = doing.book.tables[table].fields
    for name in fields:
        if known and name not in known:
            raise StepFailed(f"The register {quoted(table)} has no field {quoted(name)}.")
    return fields


def _meeting(doing: Doing, inputs: Inputs) -> Iterator[Record]:
    """The records of a register that meet a condition, the oldest first: "field operator value"; a record, whose fields
    they have as it does; or a value that one of their fields has."""
    table, wanted = _table(doing, _text(inputs, "table")), inputs.get("condition")
    if isinstance(wanted, Mapping):
        tests = [(str(name), Condition(op="=", right=text_of(value))) for name, value in wanted.items() if name != KEY]
        fits = all
    else:
        field, condition = _condition(_text(inputs, "condition"))
        names = [field] if field else [*doing.book.tables[table].fields]
        tests, fits = [(name, condition) for name in names], any
    for record in doing.home.records.registers.each(table):
        if fits(_met(record.fields.get(name), each) for name, each in tests):
            yield record


def _met(value: object, condition: Condition) -> bool:
    """Whether a field meets a condition, which one that has no order with its value does not."""
    try:
        return compare(value, condition)
    except StepFailed:
        return False


def _condition(text: str) -> tuple[str, Condition]:
    """A field and what is asked of it; "" for any field, which is to have the value."""
    places = [(text.find(_spaced(op)), -len(op), op) for op in OPERATORS]
    if not (found := min((each for each in places if each[0] > 0), default=None)):
        return "", Condition(op="=", right=text)
    at, _, op = found
    return text[:at].strip(), Condition(op=op, right=text[at + len(_spaced(op)) :].strip())


def _spaced(op: str) -> str:
    """An operator as it stands in a condition: a word is a word of its own."""
    return f" {op}" if op[0].isalpha() else op


# Asking the assistant


def _ask_assistant(doing: Doing, inputs: Inputs) -> object:
    question = _text(inputs, "question")
    *_, last = doing.home.assistant.ask(question, stop=doing.stop, readers=doing.held, asker=doing.run.person)
    if doing.stop.is_set():
        raise Cancelled
    assert isinstance(last, Answer)  # the last event is one
    record = last.record
    if record.interrupted:
        raise StepFailed(f"The assistant could not answer: {record.interrupted}.")
    return {"id": record.id, "text": record.answer, "status": record.status}


def _make_plan(doing: Doing, inputs: Inputs) -> object:
    from trag.plans import plan_as_text

    request, home = _text(inputs, "request", "text"), doing.home
    planning, assistant = planner(home), home.assistant
    model = assistant.model
    with assistant.leases.hold(model), assistant.line.place() as positions:
        for _ in positions:
            if doing.stop.is_set():
                raise Cancelled
        record = pinned_plan(request, home.records, planning, model, readers=doing.held)
        record = record or planning.plan(request, model, readers=doing.held, stop=doing.stop)
    if isinstance(model, Scoring):
        used = model.identity
        record = replace(record, model=ModelUsed(used.name, used.sha256, used.adapter))
    record = replace(record, id=uuid.uuid4().hex)
    how = {"asker": doing.run.person, "kind": "plan"}
    home.records.save_answer(record.id, None, record.request, record.order, record.to_json(), **how)  # type: ignore[arg-type]
    return {"id": record.id, "text": plan_as_text(record), "status": record.status}


def _write_briefing(doing: Doing, inputs: Inputs) -> object:
    from trag.brief import writer
    from trag.brief.record import BriefRecord
    from trag.briefs import brief_as_text, brief_request

    home, assistant = doing.home, doing.home.assistant
    subject = brief_request(home, _text(inputs, "topic", "text")).subject

    @contextmanager
    def turn() -> Iterator[tuple[()]]:
        with assistant.line.place() as positions:
            for _ in positions:
                if doing.stop.is_set():
                    raise Cancelled
            yield ()

    with assistant.leases.hold(assistant.model):
        *_, record = writer.write(assistant, subject, readers=doing.held, stop=doing.stop, turn=turn)
    if doing.stop.is_set():
        raise Cancelled
    assert isinstance(record, BriefRecord)  # the last that is told is one
    how = {"asker": doing.run.person, "kind": "brief"}
    home.records.save_answer(record.id, None, record.subject, record.text, record.to_json(), **how)  # type: ignore[arg-type]
    return {"id": record.id, "text": brief_as_text(record), "status": record.status}


def _add_to_review(doing: Doing, inputs: Inputs) -> object:
    """An answer lies before the reviewers from its beginning; from now on two of them are wanted for it."""
    given = next((inputs[name] for name in ("answer", "plan", "briefing", "record") if name in inputs), None)
    id = given.get("id") if isinstance(given, Mapping) else given
    if not isinstance(id, str) or doing.home.records.answer(id) is None:
        raise StepFailed("What it is given is no answer, no plan and no briefing that is kept here.")
    ask_second(doing.home.records, id, True, by=doing.run.by)
    return {"id": id}


_DOES: Mapping[str, Callable[[Doing, Inputs], object]] = {
    "log": _log,
    "notify_unit": _notify_unit,
    "notify_person": _notify_person,
    "ask_for_approval": _ask_for_approval,
    "find_head_of_unit": _find_head_of_unit,
    "create_record": _create_record,
    "update_record": _update_record,
    "look_up_record": _look_up_record,
    "look_up_records": _look_up_records,
    "ask_assistant": _ask_assistant,
    "make_plan": _make_plan,
    "write_briefing": _write_briefing,
    "add_to_review": _add_to_review,
}
BUILT_IN = frozenset(_DOES)
"""The ids of the actions that are done here."""


def do(name: str, doing: Doing, inputs: Inputs) -> object:
    """Do a built-in action; the thing that it gives, None for none."""
    return _DOES[name](doing, inputs)
