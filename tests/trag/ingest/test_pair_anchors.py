"""Where a pair stands in its document, and which sections are the same under another number."""

import time
from dataclasses import replace

import pytest

from store.library import Pair
from store.passage import Passage
from trag.ingest.pairing import anchor, anchored, contains, unchanged_sections, unnumbered
from trag.ingest.passages import Section, section_passages

PAIR = Pair("p", "a.md", "1 Fees", 9, "What is the fee?", "40 EUR a year.", "short answer", "person")


def passages(*sections: tuple[str, str] | tuple[str, str, int]) -> tuple[Passage, ...]:
    return section_passages("a.md", [Section(path, page[0] if page else None, text) for path, text, *page in sections])


def test_a_pair_stands_where_its_source_is_else_where_its_answer_is() -> None:
    there = passages(
        ("1 Fees", "Fees are due.", 2), ("1 Fees", "The fee is 40 EUR a year.", 3), ("2 Fee", "40 EUR a year.", 4)
    )
    assert anchored(PAIR, there) == replace(PAIR, page=3, source="The fee is 40 EUR a year.")
    stated = replace(PAIR, source="Fees are due.")
    assert anchored(stated, there) == replace(stated, page=2)


def test_a_pair_of_a_section_that_is_gone_stands_where_its_answer_is_said_or_nowhere() -> None:
    there = passages(("2 Money", "The fee is 40 EUR a year.", 3), ("3 Votes", "One vote each.", 4))
    found = anchored(PAIR, there)
    assert (found.section, found.page, found.source) == ("2 Money", 3, "The fee is 40 EUR a year.")
    assert anchor(PAIR, there[1:]) is None
    assert (anchored(PAIR, there[1:]).section, anchored(PAIR, there[1:]).page) == ("1 Fees", None)
    assert anchor(PAIR, ()) is None


def test_a_source_may_run_on_into_the_next_passage() -> None:
    there = passages(("1", "One is here.\nTwo is"), ("1", "there. Three\n  is not."))
    assert contains(there, "One  is here.")
    assert contains(passages(("1", "One is here."), ("1", "Two is there.")), "One is here.\n\nTwo is there.")
    assert not contains(there, "Two is there.")
    assert not contains(there, "")


@pytest.mark.parametrize(
    ("path", "plain"),
    [
        ("4 Finance > 4.2 Approval limits", "Finance > Approval limits"),
        ("Article 12", ""),
        ("Article IV: Duties > § 3 Costs > (a) Travel", "Duties > Costs > (a) Travel"),
        ("B. Board > 2025 budget > Rule of law", "Board > 2025 budget > Rule of law"),
        ("I am ill", "I am ill"),
    ],
)
def test_headings_are_the_same_without_their_numbers(path: str, plain: str) -> None:
    assert unnumbered(path) == plain


FEES, LIMITS = "The fee is 40 EUR.", "Heads sign up to 10."


@pytest.mark.parametrize(
    ("before", "after", "same"),
    [
        ([("1 A", FEES)], [("1 A", FEES)], {"1 A": "1 A"}),
        ([("1 A", FEES)], [("1 A", LIMITS)], {}),
        ([("4 A > 4.2 B", FEES)], [("5 A > 5.1 B", FEES)], {"4 A > 4.2 B": "5 A > 5.1 B"}),
        ([("Old > 1 B", FEES)], [("New > 2 B", FEES)], {"Old > 1 B": "New > 2 B"}),
        ([("1 A", FEES)], [("1 B", FEES)], {}),
        (
            [("4.2 A", FEES), ("4.3 B", LIMITS)],
            [("4.2 B", LIMITS), ("4.3 A", FEES)],
            {"4.2 A": "4.3 A", "4.3 B": "4.2 B"},
        ),
        (
            [("1 Staff > 1.1 X", FEES), ("2 Board > 2.1 X", FEES)],
            [("2 Board > 2.2 X", FEES)],
            {"2 Board > 2.1 X": "2 Board > 2.2 X"},
        ),
        ([("1 X", "May:\n- wine\nMay not:\n- beer")], [("1 X", "May:\n- beer\nMay not:\n- wine")], {}),
    ],
    ids=["itself", "changed", "renumbered", "under another", "renamed", "exchanged", "one of two is gone", "order"],
)
def test_a_section_is_the_same_when_its_text_and_heading_are(
    before: list[tuple[str, str]], after: list[tuple[str, str]], same: dict[str, str]
) -> None:
    assert unchanged_sections(passages(*before), passages(*after)) == same


def test_a_text_that_is_parted_by_pages_elsewhere_is_the_same() -> None:
    paragraphs = [f"Rule {number} binds every member of the house. " * 4 for number in range(9)]
    old = passages(("1 A", "\n\n".join(paragraphs[:5]), 1), ("1 A", "\n\n".join(paragraphs[5:]), 2))
    new = passages(("1 A", "\n\n".join(paragraphs[:2]), 3), ("1 A", "\n\n".join(paragraphs[2:]), 4))
    assert {passage.id for passage in old} != {passage.id for passage in new}
    assert unchanged_sections(old, new) == {"1 A": "1 A"}


@pytest.mark.slow
def test_many_pairs_of_sections_that_are_gone_take_a_second_or_two() -> None:
    there = passages(
        *((f"{number} A", f"Rule {number} says what member {number} pays. " * 15) for number in range(800))
    )
    started = time.monotonic()
    for number in range(100):
        anchor(Pair(str(number), "a.md", "gone", None, "Who?", f"Nobody but member {number}.", "list", "person"), there)
    assert time.monotonic() - started < 10
