"""Which sentences decline to answer, and which say something of their own."""

import pytest

from prompts import CANNOT_ANSWER
from trag.evaluate.scoring.verdict import read_reply
from trag.evaluate.scoring.wording import plain


@pytest.mark.parametrize(
    "text",
    [
        CANNOT_ANSWER,
        "",
        "The documents don’t say who holds the post.",
        "The documents and the chart do not mention it.",
        "The provided context does not contain that.",
        "The leave rules don't mention days off for a wedding.",
        "It is not stated who leads it.",
        "The name isn't mentioned in the documents I have.",
        "Neither the date nor the city is given in the documents.",
        "No time limit is given.",
        "I could not find a phone number for that team.",
        "I don't have any information about that.",
        "I do not know.",
        "There is no information on the number of beds.",
        "Nothing in the documents says so.",
        "That is unknown.",
        "The handbook sets no time limit for that.",
        "Which brand it is, the guide doesn't say.",
        "I found no unit of that name.",
        "There is no plastic surgery in the chart.",
        "No such unit exists.",
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
def test_refusals(text: str) -> None:
    reply = read_reply(plain(text))
    assert reply.declines, reply


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
    "text",
    [
        "No, the travel policy does not cover alcohol.",
        "Silver is not included in the course price.",
        "There are no units under it in the chart.",
        "The chart lists no unit under it.",
        "No such unit exists.",
        "It does not exist.",
    ],
)
def test_where_a_denial_is_right_what_denies_something_is_no_refusal(text: str) -> None:
    assert not read_reply(text, "denial").declining
    assert read_reply(text).declines, "where it is not, it declines"


@pytest.mark.parametrize(
    "text",
    [
        CANNOT_ANSWER,
        "I do not know.",
        "There is no information on that.",
        "Not sure.",
        "The documents do not mention it.",
        "It is not stated in the handbook.",
        "It is not provided in the given context.",
        "No unit is mentioned.",
    ],
)
def test_what_is_not_known_declines_also_where_a_denial_is_right(text: str) -> None:
    assert read_reply(text, "denial").declines


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
