"""Workflows sent in, looked at, put in use, rolled back, returned and switched off, by whom it may."""

from __future__ import annotations

import json
import shutil
from dataclasses import replace
from pathlib import Path

import pytest

from org.procedures.flows import Book
from store import StoreError
from tests.automated import ACTIONS, BILLS, BOOK, TABLES, furnish, person, ran, step, use, workflow
from trag.errors import TragError
from trag.home import Home, open_home
from trag.people import CurrentUser
from trag.settings import Settings
from trag.workflow import activation
from trag.workflow.record import Workflow
from trag.workflow.tasks import notices_of

LOCAL = CurrentUser.local
SIMPLE = workflow(step("log", 1, message="hello"))


def kept(home: Home, asker: CurrentUser, id: str = "0af" * 10 + "12") -> str:
    """Keep a workflow as somebody's own."""
    kind = {"kind": "workflow"}
    home.records.save_answer(id, None, "say hello", "log", "{}", asker=asker.person, **kind)  # type: ignore[arg-type]
    return id


def test_what_is_ones_own_is_sent_once_and_activated_with_the_word_of_it(running: Home) -> None:
    eva, bob = person(running, "eva"), person(running, "bob")
    ada = person(running, "ada", "admin")
    id = kept(running, eva)
    for other, asked in ((bob, id), (ada, id), (eva, "nothing")):
        with pytest.raises(TragError, match="no such workflow of yours"):
            activation.send(running, other, asked, SIMPLE)
    sent = activation.send(running, eva, id, SIMPLE)
    assert activation.send(running, eva, id, SIMPLE) == sent, "twice is once"
    assert sent.waiting
    assert (sent.waiting.by, sent.waiting.title, sent.waiting.trigger) == ("eva", "Bills", "manual")
    activation.activate(running, ada, id, instead_of="")
    assert [each.text for each in notices_of(running, eva)] == ['Your workflow "Bills" is in use now.']
    with pytest.raises(TragError, match="has nothing that waits"):
        activation.activate(running, ada, id)
    better = replace(SIMPLE, title="Better bills")
    activation.send(running, eva, id, better)
    with pytest.raises(TragError, match="remark is empty"):
        activation.send_back(running, ada, id, activation.version_of(better), " ")
    activation.send_back(running, ada, id, activation.version_of(better), "Which bills?")
    assert notices_of(running, eva)[0].text == 'Your workflow "Better bills" was returned: Which bills?'
    with pytest.raises(TragError, match="does not wait any more"):
        activation.send_back(running, ada, id, activation.version_of(better), "Which bills?")
    events = [(event.who, event.what) for event in running.records.audit.all()][-4:]
    assert events == [
        ("eva", "workflow sent in"),
        ("ada", "workflow activated"),
        ("eva", "workflow sent in"),
        ("ada", "workflow returned"),
    ]


def test_nothing_with_an_error_is_sent_and_nothing_is_told_of_what_is_closed(running: Home) -> None:
    eva, owl = person(running, "eva", unit="bar"), person(running, "owl", unit="board")
    vault = workflow(step("open_vault", 1))
    unknown = workflow(step("open_volt", 1), step("log", 2, message="@7.sum"))
    for made, problem in (
        (vault, 'There is no step "open_vault"'),
        (unknown, 'no step "open_volt".*refers to nothing'),
    ):
        with pytest.raises(TragError, match=problem):
            activation.send(running, eva, kept(running, eva, activation.version_of(made)), made)
    assert activation.send(running, owl, kept(running, owl), vault).waiting, "it is open to the board"


def test_what_cannot_run_to_its_end_is_not_put_in_use(running: Home) -> None:
    for made, problem in (
        (workflow(step("log", 1)), "step 1: Its input message is open"),
        (workflow(step("IF", 1), step("log", 2, 1, message="x")), "Its condition is open"),
        (workflow(step("translate", 1, text="x")), 'cannot do "translate" yet'),
        (workflow(step("post", 1, record={"a": 1})), 'No address is set that does "post"'),
    ):
        id = activation.version_of(made)
        activation.given(running, LOCAL, id, made)
        with pytest.raises(TragError, match=problem):
            activation.activate(running, LOCAL, id)
    running.procedures.activate(
        Book.of([replace(ACTIONS[-2], unit="Attic")], (), (), BOOK.triggers.values()), [("b", b"")], by="test"
    )
    counted = workflow(step("count", 1, record={"a": 1}))
    activation.given(running, LOCAL, "counted", counted)
    with pytest.raises(TragError, match='no single unit "Attic"'):
        activation.activate(running, LOCAL, "counted")
    assert running.records.workflows.in_use() == ()


def test_rolled_back_to_the_version_before_and_switched_off(running: Home) -> None:
    first, second = SIMPLE, replace(SIMPLE, title="Second")
    use(running, first)
    with pytest.raises(TragError, match="no other version was ever in use"):
        activation.roll_back(running, LOCAL, "w")
    use(running, second)
    one, two = activation.version_of(first), activation.version_of(second)
    with pytest.raises(TragError, match="version 012345678901 was never in use"):
        activation.roll_back(running, LOCAL, "w", "012345678901")
    with pytest.raises(StoreError, match=f"in use meanwhile: {two}"):
        activation.roll_back(running, LOCAL, "w", instead_of=one)
    back = activation.roll_back(running, LOCAL, "w", instead_of=two)
    assert back.in_use
    assert back.in_use.version == one
    assert [each.version for each in back.activations] == [one, two, one], "none is overwritten"
    assert activation.switch_off(running, LOCAL, "w", "Enough.").in_use is None
    with pytest.raises(TragError, match="is not in use"):
        activation.switch_off(running, LOCAL, "w")
    assert activation.version_before(running.records.workflows.find("w")) == one  # type: ignore[arg-type]
    with pytest.raises(TragError, match="No workflow x was sent in"):
        activation.switch_off(running, LOCAL, "x")


def test_without_the_setting_nothing_is_put_in_use_and_nothing_runs(empty_database: Path, tmp_path: Path) -> None:
    shutil.copy(empty_database, tmp_path)
    with open_home(Settings(home=tmp_path, workflows=True)) as home:
        furnish(home)
        use(home, workflow(step("log", 1, message="@record.amount"), trigger=BILLS))
    with open_home(Settings(home=tmp_path)) as home:
        activation.given(home, LOCAL, "x", SIMPLE)
        with pytest.raises(TragError, match="do not run here"):
            activation.activate(home, LOCAL, "x")
        home.records.registers.create("bill", {"amount": 1}, person="local", by="local")
        assert home.records.workflow_runs.page() == ()


@pytest.fixture
def changed(running: Home) -> Home:
    """A home where the step of a workflow in use has another name by now."""
    use(running, workflow(step("log", 1, message="@record.amount"), trigger=BILLS))
    renamed = [replace(each, id="write") if each.id == "log" else each for each in BOOK.actions.values()]
    running.procedures.activate(
        Book.of(renamed, (), BOOK.tables.values(), BOOK.triggers.values()), [("later.json", b"{}")], by="test"
    )
    return running


def test_what_has_left_the_catalogue_is_marked_and_its_runs_are_refused(changed: Home) -> None:
    (active,) = changed.records.workflows.in_use()
    made = activation.workflow_of(active)
    (fault,) = activation.faults(changed, replace(made, catalogue=BOOK.version), None)
    assert (fault.place, fault.message) == ("step 1", 'The step "log" is no longer in the catalogue.')
    assert fault.hint == "It seems to be write now."
    changed.records.registers.create("bill", {"amount": 1}, person="local", by="local")
    run = ran(changed)
    assert run.state == "refused"
    assert 'step 1: There is no step "log".' in run.message
    assert changed.records.workflow_runs.effects(run.id) == ()


@pytest.mark.parametrize(
    ("tables", "triggers"),
    [(TABLES[1:], BOOK.triggers.values()), (TABLES, [each for each in BOOK.triggers.values() if each.id == "manual"])],
)
def test_a_table_and_a_trigger_that_are_gone_refuse_runs_too(running: Home, tables: object, triggers: object) -> None:
    use(running, workflow(step("log", 1, message="@record.amount"), trigger=BILLS))
    running.procedures.activate(Book.of(ACTIONS, (), tables, triggers), [("later.json", b"{}")], by="test")  # type: ignore[arg-type]
    running.records.registers.create("bill", {"amount": 1}, person="local", by="local")
    assert ran(running).state == "refused"


def test_a_table_that_was_closed_since_refuses_the_runs_of_whoever_it_is_closed_to(running: Home) -> None:
    eva, ada = person(running, "eva", unit="bar"), person(running, "ada", "admin")
    use(running, workflow(step("log", 1, message="@record.amount"), trigger=BILLS), by=ada)
    closed = [replace(TABLES[0], audience=("Board",)), *TABLES[1:]]
    running.procedures.activate(Book.of(ACTIONS, (), closed, BOOK.triggers.values()), [("b", b"")], by="test")
    running.records.registers.create("bill", {"amount": 1}, person=eva.person, by=eva.name)
    run = ran(running)
    assert (run.state, run.message) == ("refused", 'There is no table "bill".')
    running.records.registers.create("bill", {"amount": 1}, person=ada.person, by=ada.name)
    assert ran(running).state == "done"


def test_a_version_is_told_by_its_content() -> None:
    again = Workflow.of(json.loads(SIMPLE.to_json()))
    assert (
        activation.version_of(again)
        == activation.version_of(SIMPLE)
        != activation.version_of(replace(SIMPLE, title="x"))
    )
