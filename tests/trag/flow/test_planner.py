"""Plans by the sample organization's own book, with the real encoder and reranker; the reader's choice is scripted."""

from collections.abc import Callable, Sequence
from dataclasses import replace
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from org.chart import Chart
from org.procedures.flows import Book
from org.procedures.reading import load
from org.reading.charts import load as load_chart
from trag.embed import open_embedder
from trag.errors import TragError
from trag.flow.planner import LONGEST_REQUEST, Planner
from trag.people.permissions import Readers
from trag.plans import plan_as_text
from trag.reranking.reranker import Reranker

pytestmark = pytest.mark.slow
LARKMOOR = Path(__file__).parents[3] / "examples" / "larkmoor"
EVERYONE: Readers = frozenset({"everyone"})
LOST = "replace-lost-badge"
Plan = Callable[..., Any]


class Asking:
    """A reader that would ask a request so much likelier of these procedures than of others; and what it was shown."""

    def __init__(self, **likelier: float) -> None:
        self.likelier, self.shown = likelier, ""

    def log_probabilities(self, messages: Sequence[Any], beginnings: Sequence[str], *, task: str) -> tuple[float, ...]:
        line = messages[-1].content
        self.shown += line
        return (-30.0 + sum(more for title, more in self.likelier.items() if line.startswith(title.replace("_", " "))),)


@pytest.fixture(scope="module")
def book() -> Book:
    return load((LARKMOOR / "procedures.json").read_bytes(), "procedures.json")


@pytest.fixture(scope="module")
def chart() -> Chart:
    return load_chart((LARKMOOR / "chart.csv").read_bytes(), "chart.csv")


@pytest.fixture(scope="module")
def planner(book: Book, chart: Chart) -> Planner:
    return Planner(book, chart, open_embedder("").embed_passages, Reranker().weigh, lambda *_: True)


def test_a_lost_badge_is_replaced_by_the_books_own_steps(planner: Planner, chart: Chart) -> None:
    model: Any = Asking(Replace_a_lost=30)
    plan = planner.plan("my badge is lost, I need a new one", model, readers=EVERYONE, unit=chart.root.id)
    assert plan.status == "planned"
    assert plan.procedure
    assert plan.procedure.id == LOST
    called = [step.action for step in plan.steps]
    assert called.index("ReportLostBadge") < called.index("BlockBadge") < called.index("PrintBadge")
    assert "HandInDamagedBadge" not in called
    block = plan.steps[called.index("BlockBadge")]
    assert (block.unit, block.handed_over) == ("Security & Safety Unit", True)
    assert not plan.steps[called.index("ReportLostBadge")].handed_over
    assert {"identity document", "loss details", "staff number"} <= {*plan.asked_for}
    assert plan.source
    assert plan.source.section == "1 Replace a lost badge"
    text = plan_as_text(plan)
    assert "Security & Safety Unit" in text
    assert "identity document" in text


def test_what_was_done_is_not_planned_again_and_whose_action_it_is_hands_over_nothing(
    planner: Planner, chart: Chart
) -> None:
    model: Any = Asking()
    (security,) = chart.named("Security & Safety Unit")
    whole = planner.plan("badge", model, readers=EVERYONE, unit=security.id, procedure=LOST)
    block = next(step for step in whole.steps if step.action == "BlockBadge")
    assert not block.handed_over
    done = [step.action for step in whole.steps[:3]]
    rest = planner.plan("badge", model, readers=EVERYONE, procedure=LOST, done=done)
    assert [step.action for step in rest.steps] == [step.action for step in whole.steps[3:]]


def test_an_order_is_followed_as_it_is_unless_it_breaks_the_procedure(planner: Planner) -> None:
    model: Any = Asking()
    ask: Plan = partial(planner.plan, "badge", model, readers=EVERYONE, procedure=LOST)
    whole = ask()
    ids = [step.action for step in whole.steps]
    assert ask(actions=ids).steps == whole.steps
    assert [step.action for step in ask(actions=ids, done=ids[:2]).steps] == ids[2:]
    more = ask(actions=[ids[0], "ReportToPolice", *ids[1:]]).steps
    assert (more[1].action, more[1].step, len(more)) == ("ReportToPolice", whole.steps[0].step, len(ids) + 1)
    broken = ask(actions=ids[::-1])
    assert (broken.status, broken.steps, broken.checks.order) == ("cannot_answer", (), False)
    assert ask(actions=ids[-1:]).checks.missing
    with pytest.raises(TragError, match="have no Fly"):
        ask(actions=[*ids, "Fly"])


@pytest.mark.parametrize(
    ("likelier", "status", "choices"),
    [
        ({"Replace_a_lost": 30, "Replace_a_damaged": 30.5}, "ask_which", 2),
        ({"Replace_a_lost": 6}, "cannot_answer", 3),
        ({"Replace_a_lost": 30}, "planned", 0),
    ],
    ids=["two", "none", "one"],
)
def test_two_near_procedures_are_asked_about_and_none_leads_to_the_nearest(
    book: Book, chart: Chart, likelier: dict[str, float], status: str, choices: int
) -> None:
    model: Any = Asking(**likelier)
    planner = Planner(
        book, chart, lambda texts: np.zeros((len(texts), 1)), lambda _, texts: np.zeros(len(texts)), lambda *_: True
    )
    plan = planner.plan("something with my badge", model, readers=EVERYONE)
    assert (plan.status, len(plan.choices), bool(plan.steps)) == (status, choices, status == "planned")
    assert all(choice.title in plan_as_text(plan) for choice in plan.choices)


def test_procedures_far_behind_are_not_read_and_yet_the_nearest_are_told(book: Book, chart: Chart) -> None:
    def weigh(_: str, texts: Sequence[str]) -> np.ndarray:
        return np.array([-1.0, *(-9.0 for _ in texts[1:])])

    model: Any = Asking()
    planner = Planner(book, chart, lambda texts: np.zeros((len(texts), 1)), weigh, lambda *_: True)
    plan = planner.plan("sing", model, readers=EVERYONE)
    titles = [one.title for one in book.procedures.values()]
    assert [title in model.shown for title in titles] == [True] + [False] * (len(titles) - 1)
    assert (plan.status, len(plan.choices), plan.choices[0].title) == ("cannot_answer", 3, titles[0])


def test_a_procedure_that_is_closed_to_the_asker_leaves_no_trace(book: Book, chart: Chart) -> None:
    (unit,) = chart.named("Human Resources Department")
    canary = replace(book.procedures[LOST], title="C4NARY one", audience=("Human Resources Department",))
    secret = replace(
        book.procedures["repair-laptop"], title="C4NARY two", source=replace(canary.source, document="s.md")
    )
    closed = Book.of(
        book.actions.values(),
        [*book.procedures.values(), *(replace(one, id=f"x-{one.id}") for one in (canary, secret))],
    )
    encoder, ranks = open_embedder(""), Reranker()
    planner = Planner(closed, chart, encoder.embed_passages, ranks.weigh, lambda document, _: document != "s.md")
    for request in ("C4NARY one", "my badge is lost", "repair my laptop: C4NARY two"):
        for likelier in (0.0, 30.0):
            model: Any = Asking(C4NARY=likelier, Replace=likelier)
            plan = planner.plan(request, model, readers=EVERYONE)
            assert "C4NARY" not in replace(plan, request="").to_json() + model.shown
    with pytest.raises(TragError, match="have no x-"):
        planner.plan("badge", model, readers=EVERYONE, procedure=f"x-{LOST}")
    own: Readers = frozenset({"everyone", *(one.id for one in chart.path(unit.id))})
    assert planner.plan("badge", model, readers=own, procedure=f"x-{LOST}").steps


@pytest.mark.parametrize("how", ["for others", "in a closed document"])
@pytest.mark.parametrize("is_bound", [False, True], ids=["alike", "bound"])
def test_an_action_of_a_closed_procedure_is_in_no_plan_of_another(
    book: Book, chart: Chart, how: str, is_bound: bool
) -> None:
    source = replace(book.procedures["repair-laptop"].source, document="s.md" if how != "for others" else "m.md")
    words = book.procedures[LOST].steps[1].text
    canary = replace(book.actions["BlockBadge"], id="C4NARY", title=words, description=words, source=source)
    hidden = replace(
        book.procedures["repair-laptop"],
        audience=("Human Resources Department",) if how == "for others" else (),
        source=source,
    )
    lost = book.procedures[LOST]
    bound = replace(
        lost, steps=tuple(replace(step, actions=("C4NARY",) if is_bound else ()) for step in lost.steps[1:])
    )
    closed = Book.of([*book.actions.values(), canary], [bound, hidden])
    planner = Planner(
        closed, chart, open_embedder("").embed_passages, Reranker().weigh, lambda document, _: document != "s.md"
    )
    model: Any = Asking()
    assert "C4NARY" in planner.plan("badge", model, readers=None, procedure=LOST).to_json()
    plan = planner.plan("badge", model, readers=EVERYONE, procedure=LOST)
    assert plan.steps
    assert "C4NARY" not in plan.to_json()
    with pytest.raises(TragError, match="have no C4NARY"):
        planner.plan("badge", model, readers=EVERYONE, procedure=LOST, done=["C4NARY"])


@pytest.mark.parametrize(
    ("request_", "more", "said"),
    [
        (" ", {}, "no words"),
        ("x" * (LONGEST_REQUEST + 1), {}, "4,001 characters"),
        ("badge", {"procedure": "none"}, "have no none"),
        ("badge", {"procedure": LOST, "done": ["Fly"]}, "have no Fly"),
    ],
)
def test_what_cannot_be_planned_is_said(planner: Planner, request_: str, more: dict[str, Any], said: str) -> None:
    model: Any = Asking()
    with pytest.raises(TragError, match=said):
        planner.plan(request_, model, readers=EVERYONE, **more)


def test_every_procedure_of_the_sample_keeps_to_the_book(planner: Planner, book: Book) -> None:
    model: Any = Asking()
    for id in book.procedures:
        plan = planner.plan("?", model, readers=None, procedure=id)
        assert plan.status == "planned", id
        assert plan.checks, id
