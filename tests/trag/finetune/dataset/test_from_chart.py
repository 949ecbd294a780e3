"""Questions about a chart over what the pipeline really gives: the real finder and statements, no index."""

from dataclasses import replace
from random import Random
from typing import cast

import pytest

from org.chart import load
from org.entities import EntityFinder
from prompts import CANNOT_ANSWER
from store.vectors import Vectors
from trag.ask import Assistant
from trag.asking import Organization
from trag.embed import Embedder
from trag.evaluate import chart_cases
from trag.evaluate.cases import Case
from trag.evaluate.scoring import score
from trag.finetune.dataset.examples import Asked
from trag.finetune.dataset.from_chart import from_chart
from trag.line import Line
from trag.llm.local import LocalModel
from trag.record import AnswerRecord, ModelUsed
from trag.settings import Settings

pytestmark = pytest.mark.slow

CHART = load(
    b"name,parent,type,aliases,description,phone\n"
    b"Harbour Trust,,trust,,,\n"
    b"Board,Harbour Trust,board,,,\n"
    b"Marine Division,Harbour Trust,division,MD,Runs the port.,\n"
    b"Pilot Desk,Marine Division,desk,,Books pilots.,555 0101\n"
    b"Towage Desk,Marine Division,desk,,,\n"
    b"Finance Division,Harbour Trust,division,,,\n"
    b"Payroll Desk,Finance Division,desk,,,\n",
    "chart.csv",
)


@pytest.fixture(scope="module")
def assistant(model: LocalModel) -> Assistant:
    organization = Organization("Harbour Trust", CHART, EntityFinder(CHART))
    no_index, no_embedder = cast(Vectors, None), cast(Embedder, None)  # never used: no documents are asked for
    return Assistant(organization, no_index, no_embedder, model, None, Line(1, 1), Settings())


def asked(assistant: Assistant, *cases: Case, seed: int = 1) -> list[Asked]:
    made = from_chart("chart", cases, assistant, chance=Random(seed), with_documents=0)
    return [one for example in made for one in example.asked]


@pytest.mark.parametrize(
    ("question", "case", "answer"),
    [
        ("where is the pilot desk", {"gold": (("Marine Division",),)}, "The Pilot Desk is under the Marine Division"),
        (
            "is the pilot desk under finance",
            {"polarity": "no"},
            "No, the Pilot Desk is not under the Finance Division.",
        ),
        ("how many desks are there", {"count": 3}, "There are 3 desks in the organization"),
        ("phone of the pilot desk", {"gold": (("555 0101",),)}, "The phone of the Pilot Desk is 555 0101."),
        ("who in the pilot desk is on holiday", {"refuse": True}, CANNOT_ANSWER),
        ("where is the Origami Board", {"refuse": True}, CANNOT_ANSWER),
    ],
    ids=["placed", "denied", "counted", "cell", "private", "no such unit"],
)
def test_the_answer_is_what_the_statements_say(
    assistant: Assistant, question: str, case: dict[str, object], answer: str
) -> None:
    one = replace(Case("1", question, "simple", "The answer."), **case)  # type: ignore[arg-type]
    found = [each.answer for seed in range(4) for each in asked(assistant, one, seed=seed)]
    assert found
    assert all(each.startswith(answer) for each in found), found


def test_what_the_gold_does_not_bear_out_is_left_out(assistant: Assistant) -> None:
    wrong = Case("1", "where is the pilot desk", "simple", "The Pilot Desk is under the Board.", gold=(("Board",),))
    assert asked(assistant, wrong) == []


def test_every_answer_to_a_case_made_by_rules_is_right_and_stands_in_its_context(assistant: Assistant) -> None:
    cases = {case.question: case for case in chart_cases.make(CHART, seed=5, number=60)}
    made = list(from_chart("chart", tuple(cases.values()), assistant, chance=Random(3), with_documents=0))
    pairs = [(example, one) for example in made for one in example.asked]
    assert len(pairs) > 0.8 * len(cases)
    assert len({one.kind for _, one in pairs}) == len(chart_cases.KINDS)
    wrong = []
    for example, one in pairs:
        record = AnswerRecord("", one.question, one.question, one.answer, "answered", ModelUsed("", "", ""))
        scored = score(cases[one.question], record, assistant.organization)
        stands = one.answer == CANNOT_ANSWER or any(
            one.answer.removeprefix("No, ")[1:] in text for text in example.statements
        )
        if (scored.verdict not in ("Correct", "Correct-Verbose") and one.answer != CANNOT_ANSWER) or not stands:
            wrong.append((one, scored.reasons, example.statements))
    assert not wrong
    assert any(len(example.asked) > 1 for example in made)
    assert any(not example.about_chart for example in made)


def test_the_same_chance_makes_the_same_examples(assistant: Assistant) -> None:
    cases = chart_cases.make(CHART, seed=2, number=12)
    first, second = (tuple(from_chart("chart", cases, assistant, chance=Random(9), with_documents=0)) for _ in range(2))
    assert first == second
