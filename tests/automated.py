"""A club whose workflows run for real: a book of steps that the program, people and other programs do, for tests that
are about something else than how a workflow is drafted."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from org.procedures.actions import Action, Table, Trigger
from org.procedures.flows import Book
from store.person import Newcomer
from tests.planned import CHART
from trag.people import CurrentUser
from trag.workflow import activation
from trag.workflow.record import Workflow
from trag.workflow.runner import Runner

if TYPE_CHECKING:
    from store.person import Role
    from store.workflow_runs import WorkflowRun
    from trag.home import Home

BILLS = {"type": "record_created", "inputs": {"name": "table", "value": "bill"}}


def _built_in(id: str, needs: str, gives: str = "") -> Action:
    wanted = tuple(tuple(need.split("|")) for need in needs.split())
    return Action(id, id.replace("_", " ").capitalize(), needs=wanted, gives=tuple(gives.split()), runs="built-in")


ACTIONS = (
    _built_in("log", "message"),
    _built_in("notify_unit", "unit message", "notice"),
    _built_in("notify_person", "person message", "notice"),
    _built_in("ask_for_approval", "record person", "decision"),
    _built_in("find_head_of_unit", "unit", "person"),
    _built_in("create_record", "table fields", "record"),
    _built_in("update_record", "record fields", "record"),
    _built_in("look_up_record", "table condition", "record"),
    _built_in("look_up_records", "table condition", "records"),
    _built_in("ask_assistant", "question", "answer"),
    _built_in("make_plan", "request", "plan"),
    _built_in("write_briefing", "topic|text", "briefing"),
    _built_in("add_to_review", "answer|plan|briefing", "review_item"),
    _built_in("translate", "text", "text"),  # nothing here can do it
    Action("post", "Post it", needs=(("record",),), gives=("posting",), runs="hook"),
    Action("count", "Count the coins", needs=(("record",),), gives=("sum", "coin"), unit="Bar"),
    Action("open_vault", "Open the vault", audience=("Board",), runs="built-in"),
)
TABLES = (
    Table("bill", "Bills", fields=("amount", "unit", "sender")),
    Table("receipt", "Receipts", fields=("amount", "of")),
    Table("vault", "What is in the vault", fields=("gold",), audience=("Board",)),
)
BOOK = Book.of(ACTIONS, (), TABLES, [Trigger(each, each, table=each[:6] == "record") for each in activation.TRIGGERS])


def step(name: str, number: int, parent: int = 0, when: str = "", **inputs: object) -> dict[str, Any]:
    """A step as JSON has it: its inputs are references where they begin with "@", else values; a condition is
    "field op value"."""
    left, op, right = [*when.split(" ", 2), "", ""][:3]
    made: dict[str, Any] = {"name": name, "step": number}
    made |= {"parent": parent} if parent else {}
    made |= {"condition": {"left": left, "op": op, "right": right, "by": "person"}} if when else {}
    given = {
        name: value[1:] if isinstance(value, str) and value[:1] == "@" else {"value": value}
        for name, value in inputs.items()
    }
    return made | ({"inputs": given} if given else {})


def workflow(*steps: dict[str, Any], trigger: object = None, title: str = "Bills") -> Workflow:
    """A workflow of these steps, started by hand where no trigger is given."""
    return Workflow.of({"trigger": trigger or {"type": "manual"}, "steps": [*steps], "title": title})


def furnish(home: Home) -> None:
    """Put the club's chart and its book in use."""
    home.charts.activate(CHART, [("chart.csv", b"")], by="test")
    home.procedures.activate(BOOK, [("book.json", b"{}")], by="test")


def person(home: Home, name: str, role: Role = "employee", unit: str = "", shown: str = "") -> CurrentUser:
    """Somebody with an account."""
    newcomer = Newcomer(name, shown=shown or name.title(), role=role, state="active", unit=unit)
    return CurrentUser.of(home.records.people.add(newcomer, by="test"))


def use(home: Home, made: Workflow, id: str = "w", by: CurrentUser = CurrentUser.local) -> None:
    """Put a workflow in use."""
    activation.given(home, by, id, made)
    activation.activate(home, by, id)


def ran(home: Home, runner: Runner | None = None) -> WorkflowRun:
    """Run what is due; the newest run."""
    (runner or Runner(home)).work_off()
    return home.records.workflow_runs.page(most=1)[0]
