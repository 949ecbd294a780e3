"""Plans at the review desk: shown as what they are, judged with a corrected order, approved, told in files."""

import json
import re
from collections.abc import Callable

import numpy as np
import pytest

from tests.trag.web.review.conftest import BOOK, Place, texts
from trag import approved
from trag.approved import Pins, fitting
from trag.flow.pinned import pinned_plan
from trag.flow.record import Chosen, PlanChecks
from trag.record import Approval
from trag.review import approvals
from trag.review.verdicts import put_label

pytestmark = pytest.mark.slow

ORDER = "badge\nReport\nBlock\nAsk\nPrint"
PIN = {"question": "A badge!", "reply": ORDER}
EVERYONE = frozenset({"everyone"})


def given(place: Place, request: str = "a badge", held: frozenset[str] | None = EVERYONE, **more: str) -> str | None:
    """The order of the plan that is pinned to a request."""
    found = pinned_plan(request, place.records, place.planner, None, readers=held, **more)  # type: ignore[arg-type]
    return found and found.order


def test_a_plan_is_shown_with_its_steps_and_who_does_them(place: Place) -> None:
    id = place.plan()
    row = texts(place.page("rita", "/review"), ".answer-row")[0]
    assert row.startswith("A badge! plan")
    page = place.page("rita", f"/review/{id}")
    assert texts(page, ".planned li") == [
        "Tell. Report it Report gives report rules.md , 1 Signing",
        "Block it Block Board handed over needs report gives block",
        "Get. Ask for another Ask gives form",
        "Print one Print Bar needs block, form",
    ]
    assert page.select(".planned a")[0]["href"].__contains__("passage=rules.md#here")  # type: ignore[union-attr]
    assert "each finds what it needs" in texts(page, ".badge")[0]
    assert texts(page, "[name=corrected]") == [" ".join(ORDER.split())], "what is corrected begins with the plan"
    for made, told in (
        ({"status": "ask_which", "procedure": None, "steps": (), "choices": (Chosen("badge", "Badges"),)}, "which of"),
        ({"status": "cannot_answer", "procedure": None, "steps": (), "checks": PlanChecks(missing=("X: y",))}, "X: y"),
        ({"approved": Approval("Ada", "2026-11-30", "a badge")}, "Approved by Ada on 2026-11-30"),
    ):
        other = place.plan(f"{told}?", **made)
        assert told in texts(place.page("rita", f"/review/{other}"), ".answer")[0]
    waiting = texts(place.page("rita", "/review"), ".question")
    assert waiting == ["X: y?", "which of?", "A badge!"], "what was approved waits for nobody"
    assert texts(place.page("rita", "/review?unit=b"), ".question") == ["A badge!"]


def test_an_order_that_is_none_is_said_whole_and_stays_typed(place: Place) -> None:
    id = place.plan()
    for order, told in (
        ("badge\nFly\nReport\nSwim\nReport", "have no Fly; the procedures have no Swim; Report appears twice"),
        ("Report", "no procedure &#39;Report&#39; (its id stands in the first line); it has no action"),
        ("badge\nReport\nPour", "have no Pour"),  # which is closed to them
    ):
        refused = place.post("rita", f"/review/{id}/verdict", verdict="Incorrect", corrected=order)
        assert (refused.status_code, told in refused.text, order in refused.text) == (409, True, True), refused.text
    assert place.review_status(id) == "open"


def test_a_judged_plan_leaves_as_a_gold_item_and_teaches_no_answer(place: Place) -> None:
    wrong, right, unsaid = (place.plan(f"{name}?") for name in ("wrong", "right", "unsaid"))
    place.judge("rita", wrong, "Incorrect", corrected=" badge \r\n\r\nReport\r\nBlock\n", comment="Too much.")
    place.judge("rita", right, "Correct", corrected=ORDER)
    place.judge("rita", unsaid, "Incorrect")
    place.judge("rita", place.answer(), "Correct")
    told = [json.loads(line) for line in place.browsers["tom"].get("/review/judged.jsonl").text.splitlines()]
    assert [(each["kind"], each["question"], each.get("flow"), each.get("gold")) for each in told] == [
        ("plan", "wrong?", "badge", ["Report", "Block"]),
        ("plan", "right?", "badge", ["Report", "Block", "Ask", "Print"]),
        ("plan", "unsaid?", "", []),
        ("answer", "Who signs?", None, None),
    ]
    assert [each["corrected"] for each in told[:2]] == ["badge\nReport\nBlock", ""]
    assert (told[0]["reason"], told[0]["answer"], told[0]["procedures"]) == ("Too much.", ORDER, BOOK.version)
    assert "wrong?" in place.browsers["tom"].get("/review/judged.csv").text


@pytest.mark.parametrize(("who", "reads"), [("ada", "mvbcw"), ("rita", "mvw"), ("sam", "mb"), ("tom", "m")])
def test_a_plan_is_there_for_those_to_whom_all_of_it_is_open(place: Place, who: str, reads: str) -> None:
    which = {"status": "ask_which", "procedure": None, "steps": (), "source": None}
    ids = {
        "m": place.plan("Mark m?"),
        "v": place.plan("Mark v?", "vote"),
        "b": place.plan("Mark b?", "bar"),
        "c": place.plan("Mark c?", choices=(Chosen("bar", "C4NARY"), Chosen("vote", "Votes", "board.md")), **which),
        "w": place.plan("Mark w?", choices=(Chosen("badge", "Badges"), Chosen("vote", "Votes", "board.md")), **which),
    }
    for key, id in ids.items():
        assert place.browsers[who].get(f"/review/{id}").status_code == (200 if key in reads else 404), key
        assert place.post(who, f"/review/{id}/second", wanted="no").status_code == (303 if key in reads else 404), key
    assert sorted(texts(place.page(who, "/review"), ".question")) == sorted(f"Mark {key}?" for key in reads)
    for id in ids.values():
        place.judge("ada", id)
    for path in ("/review?choice=judged", "/review/judged.jsonl", "/review/judged.csv"):
        assert set(re.findall(r"Mark (\w)\?", place.browsers[who].get(path).text)) == set(reads), path


def test_a_plan_is_approved_for_those_to_whom_it_is_open_and_taken_back(place: Place) -> None:
    id = place.plan()
    place.judge("rita", id, "Incorrect", corrected="badge\nAsk\nReport\nBlock\nPrint")
    form = place.page("rita", f"/review/{id}").select(".approve form")[0]
    assert texts(form, "textarea") == ["A badge!", "badge Ask Report Block Print"]
    for reply, told in (
        (ORDER, "judged Incorrect"),
        ("badge\nReport\nPrint", "needed before: Print: block; Print: form"),
        ("badge\nAsk\nReport\nBlock\nPrint", "steps of the procedure"),
        ("badge\nPour", "have no Pour"),
    ):
        refused = place.post("rita", str(form["action"]), **PIN | {"reply": reply})
        assert (refused.status_code, told in refused.text) == (409, True), refused.text
    place.judge("rita", id, "Correct-Verbose")
    for order in ("badge\nReport\nAsk\nBlock\nPrint", ORDER):
        # "Block" after "Ask" would go back a step.
        answer = place.post("rita", str(form["action"]), **PIN | {"reply": order})
        assert answer.status_code == (303 if order == ORDER else 409)
    assert (given(place), given(place, " A BADGE")) == (ORDER, ORDER)
    assert given(place, procedure="vote") is None
    assert approved.find(place.records, "a badge") is None, "a plan answers no question"
    near = fitting("A badge please", place.records, Pins(), finder=None, embed=lambda texts: np.ones((len(texts), 1)))
    assert list(near) == [], "nor one like it"
    listed = texts(place.page("tom", "/review/approved"), ".answer-row")[0]
    assert "plan" in listed
    assert "Report → Block → Ask → Print" in listed
    (pinned,) = place.records.approved.all()
    assert (pinned.chart, pinned.procedures, [each.document for each in pinned.sources]) == (
        place.planner.chart and place.planner.chart.version, BOOK.version, ["rules.md"],
    )  # fmt: skip
    assert place.records.audit.page(most=1)[0].what == "plan pinned"
    assert place.post("tom", f"/review/approved/{pinned.id}/unpin").status_code == 303
    assert (given(place), place.review_status(id)) == (None, "open")


def test_a_pinned_plan_comes_back_when_what_it_stands_on_changes(place: Place) -> None:
    id = place.plan()
    again = place.plan("Another!", approved=Approval("Rita", "2026-11-30", "A badge!"), done=("Report",))

    def procedures(version: str) -> None:
        place.records.procedure_versions.activate(version, "b.json", "8" * 64, by="ada")

    def judge(of: str, verdict: str) -> None:
        put_label(place.records, of, place.ids["ada"], verdict, settles=True)

    changes: list[tuple[str, Callable[[], object]]] = [
        ("it was judged Incorrect", lambda: judge(id, "Incorrect")),
        ("it was judged Incorrect", lambda: judge(again, "Incorrect")),
        ("other procedures are in use", lambda: procedures("p2")),
        ("rules.md was replaced", lambda: place.records.library.put("rules.md", "2" * 64, None, [])),
        ("another chart is in use", lambda: place.records.chart_versions.activate("v2", "b.csv", "4" * 64, by="ada")),
    ]
    for why, change in changes:
        judge(id, "Correct")
        assert place.post("rita", f"/review/{id}/pin", **PIN).status_code == 303
        assert given(place) == ORDER
        change()
        assert given(place) is None, why
        approvals.return_changed(place.records)
        newest = place.records.approved.all()[0]
        assert (newest.state, newest.why) == ("returned", why)
        procedures(BOOK.version)


def test_a_pin_is_given_to_nobody_to_whom_any_of_it_is_closed(place: Place) -> None:
    for name, held in (("vote", frozenset({"everyone", "b"})), ("bar", frozenset({"everyone", "r"}))):
        id = place.plan(f"{name}?", name)
        place.judge("ada", id)
        order = "\n".join([name, *(step.actions[0] for step in BOOK.procedures[name].steps)])
        assert place.post("ada", f"/review/{id}/pin", question=f"{name}?", reply=order).status_code == 303
        assert [given(place, f"{name}?", each) for each in (EVERYONE, held, None)] == [None, order, order]
        listed = {who: len(place.page(who, "/review/approved").select(".answer-row")) for who in ("rita", "sam", "tom")}
    assert listed == {"rita": 1, "sam": 1, "tom": 0}
