"""What the judge learns from: sentences that stay true, and sentences of which one thing is changed."""

import random
from collections import Counter

import pytest

from store.passage import Passage
from trag.evaluate.briefs.sentences import sentences
from trag.evaluate.cases import Case
from trag.finetune.judge import pairs, wording

RULE = (
    "The Board consists of nine Keepers, who are named for 5 years. A Keeper must declare an interest within 14 days, "
    "unless the Chair has been told of it. Fines may not be above 300 crowns (400 at sea). Complaints are sent to the "
    "Crew Board before 3 May; the Purser keeps the chest."
)
TABLE = "Rule 2 – Meeting: Board; Quorum: 5 Keepers; Summons: 14 days.\nRule 2 – Meeting: Rules Committee; Quorum: 3."
PASSAGES = (
    Passage("1", "section", "code.md", "Part One > Rule 1. Seats", None, RULE),
    Passage("2", "section", "code.md", "Part One > Rule 2", None, TABLE),
    Passage("3", "section", "leave.md", "Leave", None, "Staff have 25 days of leave. Nobody sells leave to others."),
)
UNITS = ("Board", "Crew Board", "Rules Committee", "Purser")
CASES = (
    Case(
        "1", "how many keepers", "document", "Nine Keepers.", (("nine",),), document="code.md", section="Rule 1. Seats"
    ),
    Case("2", "days off", "document", "25 days.", (("25",),), document="leave.md", section="Leave"),
)


def made(seed: int = 1) -> list[pairs.Pair]:
    return list(pairs.of_organization(PASSAGES, CASES, UNITS, random.Random(seed)))


def test_half_are_supported_and_every_way_is_among_them() -> None:
    found = made()
    assert 0.4 < sum(one.supported for one in found) / len(found) < 0.65
    ways = Counter(one.how for one in found)
    assert {"same", "paraphrase", "number", "date", "negation", "condition", "duty", "row", "answer"} <= ways.keys()
    assert made() == found != made(2)


def test_no_sentence_of_the_evidence_is_called_unsupported() -> None:
    for one in made():
        assert one.supported or one.sentence not in sentences(one.evidence), one


def one_of(change, text: str) -> set[str]:  # type: ignore[no-untyped-def]
    return {change(text, random.Random(seed)) for seed in range(60)} - {None}


@pytest.mark.parametrize(
    ("change", "text", "expected"),
    [
        (wording.other_duty, "A Keeper must declare it.", "A Keeper may declare it."),
        (wording.other_date, "It is sent before 3 May.", "It is sent before 3 June."),
        (wording.other_measure, "It takes 14 days.", "It takes 14 weeks."),
        (wording.negated, "Fines may not be above 300 crowns.", "Fines may be above 300 crowns."),
        (wording.negated, "Yes, it is.", "No, it is."),
        (wording.unconditional, "He pays the whole fee, unless the Chair was told.", "He pays the whole fee."),
        (wording.unconditional, "If the Chair was told, he pays the whole fee.", "He pays the whole fee."),
        (wording.other_comparison, "It is due within a week.", "It is due after a week."),
        (wording.shortened, "Fines reach 300 crowns (400 at sea).", "Fines reach 300 crowns."),
        (wording.shortened, "The Chair leads the Board; the Purser keeps the chest.", "The Purser keeps the chest."),
        (wording.paraphrase, "He must pay it.", "He has to pay it."),
        (wording.paraphrase, "If it rains, the race is held in May.", "The race is held in May if it rains."),
    ],
)
def test_changes(change, text: str, expected: str) -> None:  # type: ignore[no-untyped-def]
    assert expected in one_of(change, text)
    assert text not in one_of(change, text)


def test_numbers_change_and_stay_numbers() -> None:
    for said in one_of(wording.other_number, "It costs 12,500 crowns for nine ships."):
        assert said != "It costs 12,500 crowns for nine ships."
        assert said.startswith("It costs ")
        assert said.endswith(" ships.")


def test_a_row_is_told_in_words_and_with_the_cell_of_its_neighbour() -> None:
    first, second = TABLE.split("\n")
    told = one_of(lambda text, chance: wording.row(text, None, chance), first)
    assert "For Board, the quorum is 5 Keepers." in told
    mixed = one_of(lambda text, chance: wording.row(text, second, chance), first)
    assert mixed
    assert all("3" in said and "Board" in said for said in mixed)
