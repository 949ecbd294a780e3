"""Which pairs a document has after it was read again, and after a file of pairs was given for it."""

from __future__ import annotations

from dataclasses import replace

import pytest

from store.library import Pair
from trag.ingest import pairing
from trag.ingest.pairs import GivenPair
from trag.ingest.passages import section_passages
from trag.ingest.sections import Section
from trag.pairs.made import Made

FEES = Section("1 Fees", 1, "The fee is 40 EUR a year.")
VOTES = Section("2 Votes", 2, "Every member has one vote.")
MADE = (
    Made("What is the fee?", "The fee is 40 EUR.", "short answer", "1 Fees", 1, FEES.text, "rule", True),
    Made("How many votes?", "Every member has one vote.", "short answer", "2 Votes", 2, VOTES.text, "rule", True),
    Made("Who pays?", "The Crown pays.", "short answer", "2 Votes", 2, "", "model", False),
    Made("A: Hello", "Hello", "dialogue", "2 Votes", 2, VOTES.text, "model", True),
)


def passages(*sections: Section) -> tuple[object, ...]:
    return section_passages("a.md", sections)


def told(pairs: tuple[Pair, ...]) -> list[tuple[str, str, bool]]:
    return [(pair.question, pair.state, pair.searched) for pair in pairs]


def first() -> tuple[Pair, ...]:
    pairs, questioned = pairing.read_again("a.md", MADE, passages(FEES, VOTES), (), ())
    assert questioned == 0
    return pairs


def test_what_is_not_borne_out_waits_for_somebody_to_look_and_a_dialogue_is_not_searched() -> None:
    assert told(first()) == [
        ("What is the fee?", "made", True),
        ("How many votes?", "made", True),
        ("Who pays?", "review", False),
        ("A: Hello", "made", False),
    ]
    assert [pair.page for pair in first()] == [1, 2, 2, 2]


@pytest.mark.parametrize(
    ("change", "expected"),
    [
        ({}, ("made", True)),
        ({"state": "approved", "by": "ada"}, ("approved", True)),
        ({"state": "approved", "answer": "40 EUR.", "by": "ada"}, ("approved", True)),
        ({"state": "deleted", "searched": False, "by": "ada"}, ("deleted", False)),
    ],
    ids=["untouched", "approved", "edited", "deleted"],
)
def test_what_people_decided_outlives_what_is_made_again(change: dict[str, object], expected: tuple[str, bool]) -> None:
    old = tuple(replace(pair, **change) if pair.section == "1 Fees" else pair for pair in first())  # type: ignore[arg-type]
    there = passages(FEES, VOTES)
    pairs, questioned = pairing.read_again("a.md", MADE, there, old, there)
    assert questioned == 0
    (fee,) = [pair for pair in pairs if pair.section == "1 Fees"]
    assert (fee.state, fee.searched) == expected
    assert fee.answer == change.get("answer", "The fee is 40 EUR.")
    assert len(pairs) == len(MADE)


def test_what_people_vouched_for_in_a_changed_section_is_looked_at_again() -> None:
    old = tuple(replace(pair, state="approved", by="ada") if pair.section == "1 Fees" else pair for pair in first())
    dearer = replace(FEES, text="The fee is 55 EUR a year.")
    pairs, questioned = pairing.read_again("a.md", MADE[1:], passages(dearer, VOTES), old, passages(FEES, VOTES))
    assert questioned == 1
    assert told(pairs)[0] == ("What is the fee?", "review", False)
    gone, questioned = pairing.read_again("a.md", (), passages(VOTES), pairs, passages(dearer, VOTES))
    assert (questioned, told(gone)) == (0, [("What is the fee?", "review", False)])


def test_given_pairs_find_their_section_by_the_end_of_its_path_and_the_page_by_their_answer() -> None:
    there = section_passages(
        "a.pdf",
        [
            Section("Part 2 > 4 Finance > 4.2 Limits", 7, "A head signs up to 10,000 LMD."),
            Section("Part 2 > 4 Finance > 4.2 Limits", 8, "A director signs up to 50,000 LMD."),
        ],
    )
    limit = "A director signs up to 50,000 LMD."
    given = [
        GivenPair("What may a director sign?", limit, "short answer", "a.pdf", "4 finance > 4.2 limits", 1),
        GivenPair("Who?", "Nobody.", "short answer", "a.pdf", "9 Elsewhere", 2),
        GivenPair("A: Hello. B: Hello.", "Hello.", "dialog", "a.pdf", "4.2 Limits", 3),
    ]
    pairs, lost = pairing.given("a.pdf", given, there, (), "ada")
    assert [(pair.section, pair.page, pair.searched, pair.origin, pair.by) for pair in pairs] == [
        ("Part 2 > 4 Finance > 4.2 Limits", 8, True, "given", "ada"),
        ("9 Elsewhere", None, True, "given", "ada"),
        ("Part 2 > 4 Finance > 4.2 Limits", pairs[2].page, False, "given", "ada"),
    ]
    assert lost == (given[1],)


def test_given_pairs_take_the_place_of_made_ones_in_their_section_and_of_those_given_before() -> None:
    there = passages(FEES, VOTES)
    fee = GivenPair("The fee?", "40 EUR.", "short answer", "a.md", "1 Fees", 1)
    pairs, _ = pairing.given("a.md", [fee], there, first(), "")
    assert [pair.question for pair in pairs] == ["The fee?", "How many votes?", "Who pays?", "A: Hello"]
    again, _ = pairing.read_again("a.md", MADE, there, pairs, there)
    assert [pair.question for pair in again] == ["The fee?", "How many votes?", "Who pays?", "A: Hello"]
    other = replace(fee, question="How much?")
    replaced, _ = pairing.given("a.md", [other], there, again, "")
    assert [pair.question for pair in replaced if pair.section == "1 Fees"] == ["How much?"]
    refused = tuple(replace(pair, state="deleted", searched=False, by="ada") for pair in replaced[:1]) + replaced[1:]
    still, _ = pairing.given("a.md", [other], there, refused, "")
    assert [(pair.question, pair.state) for pair in still if pair.section == "1 Fees"] == [("How much?", "deleted")]
