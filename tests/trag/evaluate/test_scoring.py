"""Scores of whole answers, and which sentences decline; the scorer shares no code with what it scores."""

import ast
from collections.abc import Callable
from pathlib import Path
from time import process_time

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from prompts import CANNOT_ANSWER
from trag.evaluate import scoring
from trag.evaluate.cases import Case, Some
from trag.evaluate.scoring import Score
from trag.evaluate.scoring.verdict import read_reply
from trag.evaluate.scoring.wording import plain

Scored = Callable[..., Score]
C, V, I = "Correct", "Correct-Verbose", "Incorrect"  # noqa: E741, as the paper writes them

DAYS = Case(id="days", question="how long", kind="document", answer="21 days.", gold=(("21 days",),), document="a.md")
DESKS = Case(
    id="desks", question="list what is under the legal office", kind="list", units=("Contracts Desk", "Claims Desk")
)
SOME = Case(id="some", question="name one desk", kind="compound", some=(Some(("Contracts Desk", "Claims Desk"), 1),))
UNITS = Case(id="units", question="how many units are directly under the director general", kind="count", count=2)
YES = Case(id="yes", question="is the claims desk under the legal office", kind="complex", polarity="yes")
REFUSE = Case(id="refuse", question="what does the DG earn", kind="unanswerable", refuse=True)


def test_the_scorer_shares_no_code_with_what_it_scores() -> None:
    allowed = ("org.chart", "trag.evaluate.cases", "trag.evaluate.scoring", "trag.record")
    for path in Path(scoring.__file__).parent.glob("*.py"):
        for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
            if isinstance(node, ast.ImportFrom) and (node.module or "").split(".")[0] in ("org", "trag", "prompts"):
                assert str(node.module).startswith(allowed), f"{path.name} imports {node.module}"


@pytest.mark.parametrize(
    ("answer", "verdict"),
    [
        pytest.param(CANNOT_ANSWER, C, id="the product's words"),
        pytest.param("The documents don’t say what the DG earns.", C, id="the model's words"),
        pytest.param("I could not find that in the documents. Please ask the Legal Office.", C, id="with advice"),
        pytest.param("The pay is not mentioned. The board meets monthly.", V, id="and a fact of the sources"),
        pytest.param("The pay is not mentioned. The DG earns a million.", I, id="and an invention"),
        pytest.param("The DG earns 100,000 a year.", I, id="an invention"),
        pytest.param("", C, id="nothing at all"),
    ],
)
def test_questions_that_nothing_answers(scored: Scored, answer: str, verdict: str) -> None:
    found = scored(REFUSE, answer, "The board meets monthly.")
    assert found.verdict == verdict, found.reasons


def test_what_only_people_can_judge_is_left_to_them(scored: Scored) -> None:
    assert scored(REFUSE, "The pay is not mentioned. The board meets monthly.").verdict is None, "there is no source"
    case = Case(id="open", question="how do i feel", kind="document", answer="Well.")
    assert scored(case, "Well.").verdict is None, "there is no gold"
    assert scored(case, CANNOT_ANSWER).verdict == I


def test_without_a_chart_units_are_compared_by_name(scored: Scored) -> None:
    assert scored(DESKS, "Contracts Desk and Claims Desk", of=None) == Score(C, (), None, 1.0)
    assert scored(DESKS, "Contracts Desk", of=None) == Score(I, ('lacks "Claims Desk"',), None, 0.5)


@settings(max_examples=20, deadline=None)
@given(answer=st.text(max_size=80))
def test_any_answer_gets_a_score(scored: Scored, answer: str) -> None:
    for case in (DAYS, DESKS, UNITS, YES, REFUSE, SOME):
        found = scored(case, answer)
        assert found.verdict in (C, V, I, None)
        assert found.precision is None or 0 <= found.precision <= 1


OBJECTS = Case(id="objects", question="when", kind="document", answer="If she does not object.", gold=(("object",),))
_TEN = " one two three four five six seven eight nine ten 21 days object"


@pytest.mark.parametrize(
    "answer",
    [
        "1" * 5000,
        "not " + "-" * 5000 + " 21 days",
        *(f"{word} {'-' * 5000}{_TEN}" for word in ("not", "cannot", "unless")),
        "'" * 5000,
        "\n" * 3000,
    ],
    ids=["figures", "not", "not, ten words off", "cannot, ten words off", "unless, ten words off", "quotes", "lines"],
)
def test_runaway_answers_are_scored_within_seconds(scored: Scored, answer: str) -> None:
    began = process_time()
    verdicts = [scored(case, answer).verdict for case in (DAYS, OBJECTS, REFUSE)]
    assert scored(UNITS, answer).verdict == I
    assert verdicts[2] in (C, I)
    assert process_time() - began < 5


@pytest.mark.parametrize(
    "text",
    [
        CANNOT_ANSWER,
        "",
        "The documents don’t say who holds the post.",
        "The documents and the chart do not mention it.",
        "The provided context does not contain that.",
        "It is not stated who leads it.",
        "It is not stated in the handbook.",
        "It is not provided in the given context.",
        "The name isn't mentioned in the documents I have.",
        "No unit is mentioned.",
        "I could not find a phone number for that team.",
        "I don't have any information about that.",
        "I do not know.",
        "There is no information on the number of beds.",
        "Nothing in the documents says so.",
        "That is unknown.",
        "I found no unit of that name.",
        "Sorry, I am unable to answer that. Please contact the secretary.",
        "Not sure.",
        "I'm not sure who leads it.",
        "It is not entirely clear from the documents.",
        "It isn't clear.",
        "Not enough information is given.",
        "There isn't enough information.",
        "Never heard of it.",
        "I don't have any idea.",
        "No idea.",
        "Not that I know of.",
    ],
)
def test_what_is_not_known_declines_also_where_a_denial_is_right(text: str) -> None:
    assert read_reply(plain(text)).declines
    assert read_reply(plain(text), "denial").declines


@pytest.mark.parametrize(
    "text",
    [
        "The leave rules don't mention days off for a wedding.",
        "Neither the date nor the city is given in the documents.",
        "No time limit is given.",
        "The handbook sets no time limit for that.",
        "Which brand it is, the guide doesn't say.",
        "There is no plastic surgery in the chart.",
        "No such unit exists.",
        "No, the travel policy does not cover alcohol.",
        "Silver is not included in the course price.",
        "There are no units under it in the chart.",
        "The chart lists no unit under it.",
        "It does not exist.",
    ],
)
def test_what_denies_something_declines_only_where_a_denial_is_wrong(text: str) -> None:
    assert read_reply(text).declines
    assert not read_reply(text, "denial").declining


@pytest.mark.parametrize(
    "text",
    [
        "You have 21 days.",
        "There is no limit.",
        "Breakfast is not included.",
        "The Administration Section does not include the Transport Section.",
        "The board does not approve it.",
        "No more than four nights.",
        "Nobody serves more than three terms.",
        "We do not provide loans to members.",
        "Nothing is under it but the desk.",
        "No, it is not under the board.",
        "A lost record is reported at once.",
        "Do not dive when the water is not clear.",
        "Members that were never heard may appeal.",
        "One signature is not enough.",
        "I'm not sure, but it is the Legal Office.",
    ],
)
def test_answers_that_deny_something_are_no_refusals(text: str) -> None:
    reply = read_reply(plain(text))
    assert not reply.declining, reply


@pytest.mark.parametrize(
    ("text", "declines"),
    [
        ("There is no Falconry Desk.", True),
        ("The Claims Desk has no fax number.", True),
        ("There is no limit.", False),
        ("There is no fee for members, but guests pay.", False),
        ("The Falconry Desk is closed.", False),
    ],
)
def test_where_nothing_answers_it_declines_to_say_that_there_is_no_such_thing(text: str, declines: bool) -> None:
    assert read_reply(text, "refusal").declines == declines
    assert not read_reply(text).declines


def test_what_is_said_besides_a_refusal_is_kept_apart() -> None:
    reply = read_reply("The price is not stated anywhere. Visitors pay £2 an hour. Please ask the desk.")
    assert reply.telling == ("Visitors pay £2 an hour.",)
    assert not reply.declines
