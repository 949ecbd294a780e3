"""Which wordings of a question count as one, and which never do."""

import doctest
from functools import cache

import pytest

from org.linking.entities import EntityFinder
from org.reading.charts import load
from trag import approved as module
from trag.approved import signature

CHART = b"""name,parent,type,aliases
Acme,,firm,
Board,Acme,board,
Remuneration Committee,Board,committee,RemCo
Audit Committee,Board,committee,
Captain,Board,post,
"""


@cache
def finder() -> EntityFinder:
    return EntityFinder(load(CHART, "chart.csv"))


def same(one: str, other: str) -> bool:
    return signature(one, finder().find(one)) == signature(other, finder().find(other))


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ("How do I open the safe?", "how can I open a safe"),
        ("How do I open the safe?", "Could you please tell me how to open the safe? Thanks"),
        ("How do I open the safe?", "what do I have to do to open the safe"),
        ("Who deals with lost property?", "who is responsible for lost property"),
        ("How early must I book?", "how far in advance do I have to book"),
        ("How long is a place held?", "for how long is a place held"),
        ("Who must I pay?", "who do we have to pay"),
        ("maximum length of an RFC", "what's the max length of an RFC?"),
        ("How many quotes do I need for 18,000?", "how many quotes do i need for 18k"),
        ("notice after six years", "notice after 6 years"),
        ("Where do I turn the water off?", "where can I turn off the water"),
        ("Can a visitor park here?", "is a visitor allowed to park here"),
        ("Does RemCo decide by majority?", "does the remuneration committee decide by majority"),
        ("What does a new badge cost?", "how much is a new badge"),
        ("How quickly does the Board have to decide?", "within how many weeks must the board decide"),
    ],
)
def test_the_same_question_in_other_words_has_the_same_sense(one: str, other: str) -> None:
    assert same(one, other), (signature(one), signature(other))


@pytest.mark.parametrize(
    ("one", "other"),
    [
        pytest.param("How do I open the safe?", "How do I close the safe?", id="opposites"),
        pytest.param("How do I open the safe?", "Why do I open the safe?", id="how and why"),
        pytest.param("When is the away day?", "Where is the away day?", id="when and where"),
        pytest.param("Do members vote?", "Which members vote?", id="whether and which"),
        pytest.param("Who reports to the Captain?", "Who does the Captain report to?", id="from below and from above"),
        pytest.param("Does the Board pay the Captain?", "Does the Captain pay the Board?", id="turned round"),
        pytest.param("What do we charge for rent?", "What are we charged for rent?", id="active and passive"),
        pytest.param("Is the physio free?", "Is the physio not free?", id="not"),
        pytest.param("Can I bring a dog?", "Can't I bring a dog?", id="n't"),
        pytest.param("Who may drive the car?", "Who must drive the car?", id="may and must"),
        pytest.param("max length of an rfc", "min length of an rfc", id="most and least"),
        pytest.param("price of 3 courses", "price of 4 courses", id="figures"),
        pytest.param("price of three courses", "price of four courses", id="numbers in words"),
        pytest.param("fee for a C0 check", "fee for a C1 check", id="codes"),
        pytest.param("pay in grade A", "pay in grade I", id="single letters"),
        pytest.param("Where is IT?", "Where is it?", id="acronyms"),
        pytest.param("What is C++?", "What is C?", id="signs"),
        pytest.param("Does the Remuneration Committee meet?", "Does the Audit Committee meet?", id="units"),
        pytest.param("How long is annual leave?", "How long is sick leave?", id="kinds of a thing"),
        pytest.param("checkout time sunday", "checkout time saturday", id="days"),
        pytest.param("Who is the president?", "Who was the president?", id="now and then"),
        pytest.param("When can I come back?", "When must I come back?", id="earliest and latest"),
        pytest.param("Until when are rooms ready?", "From when are rooms ready?", id="until and from"),
        pytest.param("How early can I arrive?", "How late can I arrive?", id="early and late"),
        pytest.param("Can I work for a supplier?", "Can I work with a supplier?", id="for and with"),
        pytest.param("How do I complain about my manager?", "How do I complain to my manager?", id="about and to"),
        pytest.param("Who must I pay?", "Who must pay me?", id="whom I must and who must me"),
        pytest.param("Whom may I invite?", "Who may invite me?", id="whom and who"),
        pytest.param("Who can I call out of hours?", "Who can call me out of hours?", id="whom I can and who can me"),
        pytest.param("Do I pay for my manager?", "Do I pay my manager?", id="for and none"),
        pytest.param("Do I get notice of it?", "Do I give notice of it?", id="get and give"),
    ],
)
def test_a_question_that_may_be_another_has_another_sense(one: str, other: str) -> None:
    assert not same(one, other), (signature(one), signature(other))


def test_the_example_of_the_module_holds() -> None:
    assert doctest.testmod(module).failed == 0
