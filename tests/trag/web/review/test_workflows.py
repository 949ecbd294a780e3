"""Workflows at the review desk: shown step by step, judged with a corrected one, told in files, learned from."""

import json
import re
from dataclasses import replace
from types import SimpleNamespace
from typing import Any

import pytest
from bs4 import BeautifulSoup

from store.person import Forgotten
from tests.trag.web.review.conftest import BOOK, CHART, Place, texts
from trag import workflows
from trag.errors import TragError
from trag.finetune.dataset.workflows import judged
from trag.people import CurrentUser
from trag.review.workflows import LONGEST, read, written
from trag.workflow.record import Condition, Input, Open, Started, Workflow, WorkflowStep

pytestmark = pytest.mark.slow

WORKFLOW = Workflow(
    Started("created", "badge"),
    (
        WorkflowStep("IF", 1, condition=Condition("record.lost", "=", "yes", "person")),
        WorkflowStep("Report", 2, 1, gives=("report",)),
        WorkflowStep("Tell", 3, inputs=(Input("who", value="the desk"),)),
    ),
    request="Automate badges!",
    catalogue=BOOK.version,
    open=(Open(3, "what"),),
    no_step_for=("and dance",),
)
CORRECTED = '{"steps": [{"name": "Report", "step": 1}, {"name": "Tell", "step": 2, "inputs": {"what": "1.report"}}]}'


def named(*names: str, table: str = "", trigger: str = "daily") -> Workflow:
    steps = tuple(WorkflowStep(name, number) for number, name in enumerate(names, 1))
    return Workflow(Started("created" if table else trigger, table), steps, catalogue=BOOK.version)


def shown(place: Place, who: str, id: str) -> dict[str, str]:
    """What the form holds."""
    page = place.page(who, f"/review/{id}")
    return {
        "state": str(page.select("[name=state]")[0]["value"]),
        "corrected": page.select("textarea[name=corrected]")[0].text,
    }


def home_of(place: Place) -> Any:
    return SimpleNamespace(
        records=place.records,
        organization=SimpleNamespace(chart=CHART),
        procedures=SimpleNamespace(in_use=BOOK),
    )


def learned(place: Place) -> tuple[Workflow, ...]:
    return judged(home_of(place))


def change(place: Place, id: str, workflow: Workflow) -> None:
    """Whoever asked changes theirs."""
    home, person = home_of(place), place.records.people.get(place.ids["eve"])
    assert person
    eve = CurrentUser.of(person)
    kept = workflows.kept(home, eve, id)
    assert kept
    workflows.changed(home, eve, id, workflows.state(kept), lambda *_: workflow)


def exported(place: Place, who: str = "ada") -> list[dict[str, Any]]:
    return [json.loads(line) for line in place.browsers[who].get("/review/judged.jsonl").text.splitlines()]


def test_a_workflow_is_shown_in_plain_words_with_what_is_open(place: Place) -> None:
    id = place.workflow(WORKFLOW)
    assert texts(place.page("rita", "/review"), ".answer-row")[0].startswith("Automate badges! workflow")
    page = place.page("rita", f"/review/{id}")
    assert texts(page, ".answer h2") == ["When: A record is created: Badges"]
    assert texts(page, ".answer > ol > li") == [
        "If lost of the record is yes IF Report it Report",
        "Tell somebody Tell who : “the desk” what : open",
    ]
    assert [item["value"] for item in page.select(".planned li")] == ["1", "2", "3"]
    assert texts(page, ".answer .caution")[-1] == "No step for: and dance"
    assert page.select(".approve") == []
    assert json.loads(shown(place, "rita", id)["corrected"]) == {
        key: value
        for key, value in replace(WORKFLOW, steps=tuple(replace(s, gives=()) for s in WORKFLOW.steps)).values().items()
        if key in ("trigger", "steps")
    }
    refused = place.workflow(
        None,
        "Nothing?",
        interrupted="stopped by the reader",
    )
    assert (
        "No step was found for this request. stopped by the reader"
        in texts(place.page("rita", f"/review/{refused}"), ".answer")[0]
    )


def test_what_is_wrong_with_a_corrected_workflow_is_said_whole_and_stays_typed(place: Place) -> None:
    id = place.workflow(WORKFLOW)
    form = shown(place, "rita", id)
    for typed, *told in (
        ("{", "not valid JSON"),
        ("[]", "not a JSON object"),
        (CORRECTED.replace("Report", "Fly").replace("1.report", "7.x"), "step 1: There is no step", "step 2: ", "7.x"),
        (CORRECTED.replace("Report", "Pour"), "There is no step"),  # which is the Bar's
        ('{"trigger": {"type": "created"}, "steps": []}', "needs a table", "empty"),
        ("x" * (LONGEST + 1), "Shorten it"),
    ):
        refused = place.post("rita", f"/review/{id}/verdict", verdict="Incorrect", **form | {"corrected": typed})
        page = BeautifulSoup(refused.text, "html.parser")
        said = " ".join(texts(page, ".notice"))
        assert (refused.status_code, [each in said for each in told]) == (409, [True] * len(told)), said
        assert page.select("textarea[name=corrected]")[0].text.strip() == typed
    assert place.review_status(id) == "open"
    with pytest.raises(TragError, match="There is no step"):
        read(CORRECTED, "", BOOK, {"Tell"})
    assert read(CORRECTED, "Now!", BOOK, None) == replace(
        Workflow.of(json.loads(CORRECTED)),
        steps=(
            WorkflowStep("Report", 1, gives=("report",)),
            WorkflowStep("Tell", 2, inputs=(Input("what", "1.report"),)),
        ),
        request="Now!",
        catalogue=BOOK.version,
    )


def test_what_was_judged_is_what_is_kept_and_counts_until_whoever_asked_changes_it(place: Place) -> None:
    id = place.workflow(WORKFLOW)
    form = shown(place, "rita", id)
    change(place, id, named("Ask"))
    refused = place.post("rita", f"/review/{id}/verdict", verdict="Correct", **form)
    assert (refused.status_code, "changed meanwhile" in refused.text) == (409, True)
    assert "It was judged" not in place.browsers["rita"].get(f"/review/{id}").text
    place.judge("rita", id, "Correct", **shown(place, "rita", id))
    assert "changed it by hand" in texts(place.page("rita", f"/review/{id}"), ".answer")[0]
    assert [[step["name"] for step in one["workflow"]["steps"]] for one in exported(place)] == [["Ask"]]
    change(place, id, named("Tell"))
    assert (place.review_status(id), exported(place), learned(place)) == ("open", [], ())
    assert texts(place.page("rita", "/review"), ".question") == ["Automate badges!"], "the desk offers it again"
    assert [each.review_status for each in place.records.reviews.counts("week")] == ["open"]
    for who in ("ada", "rita", "sam", "tom"):
        (said,) = texts(place.page(who, f"/review/{id}"), "[aria-label='Before it was changed']")
        assert "has changed it since" in said
        assert ("Correct" in said) is (who == "rita"), "others judge on their own"
    place.judge("sam", id, "Incorrect", **shown(place, "sam", id))
    assert place.review_status(id) == "Incorrect"
    assert place.records.reviews.agreement() == (), "on two versions, two verdicts are no two opinions"
    assert "has changed it since" not in place.browsers["ada"].get(f"/review/{id}").text


def test_a_judged_workflow_leaves_with_its_request_and_is_learned_from(place: Place) -> None:
    right, wrong, unsaid, none = (
        place.workflow(workflow, request)
        for workflow, request in ((WORKFLOW, "right?"), (WORKFLOW, "wrong?"), (WORKFLOW, "unsaid?"), (None, "none?"))
    )
    place.judge("rita", right, "Correct", **shown(place, "rita", right))
    place.judge("rita", wrong, "Incorrect", **shown(place, "rita", wrong) | {"corrected": f" {CORRECTED}\r\n"})
    place.judge("rita", unsaid, "Incorrect", **shown(place, "rita", unsaid))
    place.judge("rita", none, "Correct", **shown(place, "rita", none))
    corrected = replace(read(CORRECTED, "wrong?", BOOK, None))
    told = exported(place)
    assert [(one["kind"], one["request"], one["verdict"]) for one in told] == [
        ("workflow", "right?", "Correct"), ("workflow", "wrong?", "Incorrect"),
        ("workflow", "unsaid?", "Incorrect"), ("workflow", "none?", "Correct"),
    ]  # fmt: skip
    assert [one["workflow"] for one in told] == [WORKFLOW.values(), corrected.values(), None, None]
    assert "wrong?" in place.browsers["tom"].get("/review/judged.csv").text
    assert learned(place) == (WORKFLOW, corrected)
    page = place.page("ada", f"/review/{wrong}")
    assert texts(page, "pre.reply") == ["- Report Tell"], "who decides sees what is right in lines"
    assert page.select("textarea[name=corrected]")[0].text.strip() == written(WORKFLOW)
    assert shown(place, "rita", wrong)["corrected"].strip() == written(corrected), "and who judged, their own"
    place.judge("ada", right, "Incorrect", may="settle", **shown(place, "ada", right) | {"corrected": CORRECTED})
    assert len(learned(place)) == 2
    assert learned(place)[0].trigger is None


@pytest.mark.parametrize(("who", "reads"), [("ada", "mbvtkn"), ("rita", "mbvn"), ("sam", "mtkn"), ("tom", "mn")])
def test_a_workflow_is_there_for_those_who_may_use_all_that_it_names(place: Place, who: str, reads: str) -> None:
    ids = {
        "m": place.workflow(WORKFLOW, "Mark m?"),
        "b": place.workflow(named("Report", "Block"), "Mark b?"),
        "v": place.workflow(named("Vote"), "Mark v?"),
        "t": place.workflow(named("Tell", table="till"), "Mark t?"),
        "k": place.workflow(named("Pour"), "Mark k?"),
        "n": place.workflow(None, "Mark n?"),
    }
    for key, id in ids.items():
        assert place.browsers[who].get(f"/review/{id}").status_code == (200 if key in reads else 404), key
        assert place.post(who, f"/review/{id}/second", wanted="no").status_code == (303 if key in reads else 404), key
        pinned = place.post(who, f"/review/{id}/pin", question="Mark?", reply="x")
        assert pinned.status_code == (409 if key in reads else 404), key
    assert sorted(texts(place.page(who, "/review"), ".question")) == sorted(f"Mark {key}?" for key in reads)
    for id in ids.values():
        place.judge("ada", id, **shown(place, "ada", id))
    for path in ("/review?choice=judged", "/review/judged.jsonl", "/review/judged.csv"):
        assert set(re.findall(r"Mark (\w)\?", place.browsers[who].get(path).text)) == set(reads), path
    assert [one.steps[0].name for one in learned(place)] == ["IF"], "what is for some teaches nobody"


def test_a_workflow_goes_with_who_asked_unless_it_was_judged(place: Place) -> None:
    judged_one, other = place.workflow(WORKFLOW), place.workflow(WORKFLOW)
    place.judge("rita", judged_one, "Correct", **shown(place, "rita", judged_one))
    assert place.records.forget_person(place.ids["eve"], by="ada") == Forgotten(0, 1, 1)
    assert place.records.answer(other) is None
    assert learned(place) == (WORKFLOW,)
