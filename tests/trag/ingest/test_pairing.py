"""Which pairs a document has after it was read again, and after some were given or written for it; where they stand;
which say the same."""

from __future__ import annotations

from dataclasses import replace

import pytest

from store.library import Pair
from store.passage import Passage
from trag.ingest import pairing
from trag.ingest.pairing import anchor, anchored, contains, distinct, unchanged_sections, unnumbered
from trag.ingest.pairs import GeneratedPair, GivenPair
from trag.ingest.passages import Section, section_passages

FEES = Section("1 Fees", 1, "The fee is 40 EUR a year.")
VOTES = Section("2 Votes", 2, "Every member has one vote.")
WRITTEN = (
    GeneratedPair("What is the fee?", "The fee is 40 EUR.", "short answer", "1 Fees", 1, FEES.text),
    GeneratedPair("How many votes?", "Every member has one vote.", "short answer", "2 Votes", 2, VOTES.text),
    GeneratedPair("Who votes?", "Every member.", "short answer", "2 Votes", 2, VOTES.text),
    GeneratedPair("A: Hello", "Hello", "dialogue", "2 Votes", 2, VOTES.text),
)
SECTIONS = ("1 Fees", "2 Votes")


def passages(*sections: Section) -> tuple[object, ...]:
    return section_passages("a.md", sections)


def told(pairs: tuple[Pair, ...]) -> list[tuple[str, str, bool]]:
    return [(pair.question, pair.state, pair.searched) for pair in pairs]


def first() -> tuple[Pair, ...]:
    return pairing.with_generated("a.md", WRITTEN, SECTIONS, passages(FEES, VOTES), ())


def test_what_is_written_is_searched_but_for_a_dialogue() -> None:
    assert told(first()) == [
        ("What is the fee?", "made", True),
        ("How many votes?", "made", True),
        ("Who votes?", "made", True),
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
def test_what_people_decided_outlives_what_is_written_again(
    change: dict[str, object], expected: tuple[str, bool]
) -> None:
    old = tuple(replace(pair, **change) if pair.section == "1 Fees" else pair for pair in first())  # type: ignore[arg-type]
    there = passages(FEES, VOTES)
    assert pairing.reread(there, old, there) == (old, 0)
    pairs = pairing.with_generated("a.md", WRITTEN, SECTIONS, there, old)
    (fee,) = [pair for pair in pairs if pair.section == "1 Fees"]
    assert (fee.state, fee.searched) == expected
    assert fee.answer == change.get("answer", "The fee is 40 EUR.")
    assert len(pairs) == len(WRITTEN)


def test_what_people_vouched_for_in_a_changed_section_is_looked_at_again() -> None:
    old = tuple(replace(pair, state="approved", by="ada") if pair.section == "1 Fees" else pair for pair in first())
    dearer = replace(FEES, text="The fee is 55 EUR a year.")
    pairs, questioned = pairing.reread(passages(dearer, VOTES), old, passages(FEES, VOTES))
    assert questioned == 1
    assert told(pairs)[0] == ("What is the fee?", "review", False)
    gone, questioned = pairing.reread(passages(VOTES), approved(pairs[:1]), passages(dearer, VOTES))
    assert (questioned, told(gone)) == (1, [("What is the fee?", "review", False)])


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
    found = pairing.with_given("a.pdf", given, there, (), "ada")
    pairs = found.pairs
    assert [(pair.section, pair.page, pair.searched, pair.origin, pair.by) for pair in pairs] == [
        ("Part 2 > 4 Finance > 4.2 Limits", 8, True, "given", "ada"),
        ("9 Elsewhere", None, True, "given", "ada"),
        ("Part 2 > 4 Finance > 4.2 Limits", pairs[2].page, False, "given", "ada"),
    ]
    assert found.lost == (given[1],)


def test_given_pairs_take_the_place_of_made_ones_in_their_section_and_of_those_given_before() -> None:
    there = passages(FEES, VOTES)
    fee = GivenPair("The fee?", "40 EUR.", "short answer", "a.md", "1 Fees", 1)
    pairs = pairing.with_given("a.md", [fee], there, first(), "").pairs
    assert [pair.question for pair in pairs] == ["The fee?", "How many votes?", "Who votes?", "A: Hello"]
    again = pairing.with_generated("a.md", WRITTEN, SECTIONS, there, pairs)
    assert [pair.question for pair in again] == ["The fee?", "How many votes?", "Who votes?", "A: Hello"]
    other = replace(fee, question="How much?")
    replaced = pairing.with_given("a.md", [other], there, again, "").pairs
    assert [pair.question for pair in replaced if pair.section == "1 Fees"] == ["How much?"]
    refused = tuple(replace(pair, state="deleted", searched=False, by="ada") for pair in replaced[:1]) + replaced[1:]
    still = pairing.with_given("a.md", [other], there, refused, "").pairs
    assert [(pair.question, pair.state) for pair in still if pair.section == "1 Fees"] == [("How much?", "deleted")]


def approved(pairs: tuple[Pair, ...]) -> tuple[Pair, ...]:
    return tuple(replace(pair, state="approved", by="ada") for pair in pairs)


def test_a_pair_goes_to_the_page_on_which_its_section_stands_now() -> None:
    later = replace(FEES, page=3)
    pairs, questioned = pairing.reread(passages(later, VOTES), approved(first()), passages(FEES, VOTES))
    assert questioned == 0
    assert (pairs[0].question, pairs[0].page, pairs[0].source) == ("What is the fee?", 3, FEES.text)
    changed = replace(later, text="The fee is 55 EUR a year.")
    pairs, _ = pairing.reread(passages(changed, VOTES), approved(first()), passages(FEES, VOTES))
    assert (pairs[0].state, pairs[0].page, pairs[0].source) == ("review", 3, FEES.text)
    pairs, _ = pairing.reread(passages(VOTES), approved(first()), passages(FEES, VOTES))
    assert (pairs[0].state, pairs[0].page) == ("review", None)


def test_what_trains_alone_is_looked_at_again_too_when_its_section_changed() -> None:
    dearer = replace(VOTES, text="Every member has two votes.")
    old = approved(first()[3:])
    pairs, questioned = pairing.reread(passages(FEES, dearer), old, passages(FEES, VOTES))
    assert (questioned, told(pairs)) == (1, [("A: Hello", "review", False)])


def test_pairs_go_with_their_section_to_another_number_and_none_is_there_twice() -> None:
    there = passages(FEES, replace(FEES, path="2 New fees"), replace(VOTES, path="3 Votes", page=4))
    kept, refused = approved(first()[1:2]), tuple(replace(pair, state="deleted", by="ada") for pair in first()[2:3])
    pairs, questioned = pairing.reread(there, (*kept, *refused, *first()[3:]), passages(FEES, VOTES))
    moved = [replace(one, section="3 Votes", page=4) for one in WRITTEN[1:]]
    assert questioned == 0
    assert [(pair.question, pair.section, pair.page, pair.state) for pair in pairs] == [
        ("How many votes?", "3 Votes", 4, "approved"),
        ("Who votes?", "3 Votes", 4, "deleted"),
        ("A: Hello", "3 Votes", 4, "made"),
    ]
    assert told(pairing.with_generated("a.md", moved, ("3 Votes",), there, pairs)) == told(pairs)


def test_what_a_model_wrote_goes_with_its_section_and_when_that_is_written_about_again() -> None:
    there = passages(FEES, VOTES)
    dearer = passages(replace(FEES, text="The fee is 55 EUR a year."), VOTES)
    assert told(pairing.reread(dearer, first(), there)[0]) == told(first()[1:])
    other = replace(WRITTEN[0], question="How much is the fee?")
    again = pairing.with_generated("a.md", [other], ("1 Fees",), there, first())
    assert [pair.question for pair in again] == ["How many votes?", "Who votes?", "A: Hello", "How much is the fee?"]


def test_what_is_written_and_nearly_repeats_what_is_searched_is_left_out() -> None:
    own = replace(first()[1], section="1 Fees", question="What's the number of votes?", state="approved", by="ada")
    again = (replace(WRITTEN[1], question="What is the number of the votes?"), WRITTEN[0])
    there = passages(FEES, VOTES)
    pairs = pairing.with_generated("a.md", again, SECTIONS, there, (own,))
    assert [pair.question for pair in pairs] == ["What's the number of votes?", "What is the fee?"]
    refused = replace(own, state="deleted", searched=False)
    pairs = pairing.with_generated("a.md", again, SECTIONS, there, (refused,))
    assert len(pairs) == 3, "one that was refused elsewhere is not in the way"


def as_given(pair: Pair, line: int = 1) -> GivenPair:
    """A pair as an export says it."""
    return GivenPair(
        pair.question, pair.answer, pair.type, pair.document, pair.section, line, pair.state, pair.origin, pair.page,
        pair.source,
    )  # fmt: skip


def test_pairs_come_back_as_they_were_given_out() -> None:
    there = passages(FEES, VOTES)
    out = (*approved(first()[:1]), *first()[1:])
    rows = [as_given(pair, line) for line, pair in enumerate(out, 1)]
    back = pairing.with_given("a.md", rows, there, (), "bob")
    assert [replace(pair, by="") for pair in back.pairs] == [replace(pair, by="") for pair in out]
    assert (back.lost, back.outdated, back.decided) == ((), (), ())
    assert pairing.with_given("a.md", rows, there, out, "bob").pairs == out


def test_a_pair_whose_source_its_section_does_not_have_waits_whatever_its_file_says() -> None:
    (old,) = approved(first()[:1])
    row = as_given(old)
    dearer = passages(replace(FEES, text="The fee is 55 EUR a year."), VOTES)
    found = pairing.with_given("a.md", [row], dearer, (), "bob")
    assert (told(found.pairs), found.outdated) == ([("What is the fee?", "review", False)], (row,))
    assert found.pairs[0].source == FEES.text
    waiting, _ = pairing.reread(dearer, (old,), passages(FEES, VOTES))
    found = pairing.with_given("a.md", [row], dearer, waiting, "bob")
    assert (found.pairs, found.outdated) == (waiting, (row,))


@pytest.mark.parametrize(
    ("here", "said", "stays"),
    [
        ("review", "approved", False),
        ("made", "deleted", False),
        ("deleted", "approved", True),
        ("approved", "review", True),
        ("review", None, True),
    ],
)
def test_a_file_decides_what_waits_and_nothing_that_was_decided_here(here: str, said: str | None, stays: bool) -> None:
    present = replace(first()[0], state=here, searched=here == "made", by="ada")  # type: ignore[arg-type]
    row = replace(as_given(present), state=said, origin=None)  # type: ignore[arg-type]
    found = pairing.with_given("a.md", [row], passages(FEES, VOTES), (present,), "bob")
    (pair,) = found.pairs
    assert (pair.id, pair.state, pair.by) == ((present.id, here, "ada") if stays else (present.id, said, "bob"))
    assert found.decided == ((row,) if stays and said else ())


def test_an_edited_pair_is_known_by_its_words_and_what_was_refused_stays_refused() -> None:
    there = passages(FEES, VOTES)
    edited = replace(first()[0], answer="40 EUR.", state="approved", by="ada")
    refused = replace(first()[1], origin="given", state="deleted", searched=False, by="ada")
    found = pairing.with_given("a.md", [as_given(edited)], there, (edited, refused), "bob")
    assert found.pairs == (edited, refused)


def test_a_given_pair_without_a_source_stands_on_the_passage_that_says_it() -> None:
    fee = GivenPair("The fee?", "40 EUR.", "short answer", "a.md", "1 Fees", 1)
    (pair,) = pairing.with_given("a.md", [fee], passages(FEES, VOTES), (), "").pairs
    assert (pair.page, pair.source) == (1, FEES.text)


PAIR = Pair("p", "a.md", "1 Fees", 9, "What is the fee?", "40 EUR a year.", "short answer", "person")


def cut(*sections: tuple[str, str] | tuple[str, str, int]) -> tuple[Passage, ...]:
    return section_passages("a.md", [Section(path, page[0] if page else None, text) for path, text, *page in sections])


def test_a_pair_stands_where_its_source_is_else_where_its_answer_is() -> None:
    there = cut(
        ("1 Fees", "Fees are due.", 2), ("1 Fees", "The fee is 40 EUR a year.", 3), ("2 Fee", "40 EUR a year.", 4)
    )
    assert anchored(PAIR, there) == replace(PAIR, page=3, source="The fee is 40 EUR a year.")
    stated = replace(PAIR, source="Fees are due.")
    assert anchored(stated, there) == replace(stated, page=2)


def test_a_pair_of_a_section_that_is_gone_stands_where_its_answer_is_said_or_nowhere() -> None:
    there = cut(("2 Money", "The fee is 40 EUR a year.", 3), ("3 Votes", "One vote each.", 4))
    found = anchored(PAIR, there)
    assert (found.section, found.page, found.source) == ("2 Money", 3, "The fee is 40 EUR a year.")
    assert anchor(PAIR, there[1:]) is None
    assert (anchored(PAIR, there[1:]).section, anchored(PAIR, there[1:]).page) == ("1 Fees", None)
    assert anchor(PAIR, ()) is None


def test_a_source_may_run_on_into_the_next_passage() -> None:
    there = cut(("1", "One is here.\nTwo is"), ("1", "there. Three\n  is not."))
    assert contains(there, "One  is here.")
    assert contains(cut(("1", "One is here."), ("1", "Two is there.")), "One is here.\n\nTwo is there.")
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


FEE_TEXT, LIMITS = "The fee is 40 EUR.", "Heads sign up to 10."


@pytest.mark.parametrize(
    ("before", "after", "same"),
    [
        ([("1 A", FEE_TEXT)], [("1 A", FEE_TEXT)], {"1 A": "1 A"}),
        ([("1 A", FEE_TEXT)], [("1 A", LIMITS)], {}),
        ([("4 A > 4.2 B", FEE_TEXT)], [("5 A > 5.1 B", FEE_TEXT)], {"4 A > 4.2 B": "5 A > 5.1 B"}),
        ([("Old > 1 B", FEE_TEXT)], [("New > 2 B", FEE_TEXT)], {"Old > 1 B": "New > 2 B"}),
        ([("1 A", FEE_TEXT)], [("1 B", FEE_TEXT)], {}),
        (
            [("4.2 A", FEE_TEXT), ("4.3 B", LIMITS)],
            [("4.2 B", LIMITS), ("4.3 A", FEE_TEXT)],
            {"4.2 A": "4.3 A", "4.3 B": "4.2 B"},
        ),
        (
            [("1 Staff > 1.1 X", FEE_TEXT), ("2 Board > 2.1 X", FEE_TEXT)],
            [("2 Board > 2.2 X", FEE_TEXT)],
            {"2 Board > 2.1 X": "2 Board > 2.2 X"},
        ),
        ([("1 X", "May:\n- wine\nMay not:\n- beer")], [("1 X", "May:\n- beer\nMay not:\n- wine")], {}),
    ],
    ids=["itself", "changed", "renumbered", "under another", "renamed", "exchanged", "one of two is gone", "order"],
)
def test_a_section_is_the_same_when_its_text_and_heading_are(
    before: list[tuple[str, str]], after: list[tuple[str, str]], same: dict[str, str]
) -> None:
    assert unchanged_sections(cut(*before), cut(*after)) == same


def test_a_text_that_is_parted_by_pages_elsewhere_is_the_same() -> None:
    paragraphs = [f"Rule {number} binds every member of the house. " * 4 for number in range(9)]
    old = cut(("1 A", "\n\n".join(paragraphs[:5]), 1), ("1 A", "\n\n".join(paragraphs[5:]), 2))
    new = cut(("1 A", "\n\n".join(paragraphs[:2]), 3), ("1 A", "\n\n".join(paragraphs[2:]), 4))
    assert {passage.id for passage in old} != {passage.id for passage in new}
    assert unchanged_sections(old, new) == {"1 A": "1 A"}


def pair(question: str, answer: str = "The board has seven directors.") -> GeneratedPair:
    return GeneratedPair(question, answer, "short answer", "1 Board", None, answer)


@pytest.mark.parametrize(
    ("one", "other", "same"),
    [
        (pair("How many directors does the board have?"), pair("how many directors has the Board"), True),
        (
            pair("When do members leave?", "After two years."),
            pair("When do the members leave?", "After two years"),
            True,
        ),
        (pair("Who elects the board?"), pair("Who dismisses the board?"), False),
        (pair("What is the fee for 5 days?"), pair("What is the fee for 6 days?"), False),
        (
            pair("Quorum?", "The quorum is three of them all."),
            pair("Quorum?", "The quorum is five of them all."),
            False,
        ),
        (pair("What is the quorum?", "Four directors."), pair("What is the quorum?", "A tenth of the members."), False),
        (
            pair("May the chair vote?", "The chair may vote."),
            pair("May the chair vote?", "The chair may not vote."),
            False,
        ),
        (pair("Who may vote?", "All may vote."), pair("Who may not vote?", "All may vote."), False),
        (pair("Up to £250,000: who?", "Up to £250,000."), pair("Above £250,000: who?", "Above £250,000."), False),
    ],
    ids=[
        "form and case",
        "article",
        "verb",
        "number",
        "answer's number",
        "answer",
        "answer's not",
        "not",
        "first word",
    ],
)
def test_of_pairs_that_say_the_same_the_first_is_kept(one: GeneratedPair, other: GeneratedPair, same: bool) -> None:
    assert distinct([one, other]) == ((one,) if same else (one, other))


def test_rows_that_differ_in_one_word_are_kept() -> None:
    rows = [
        pair(f"On call, {which} on call: what is the pay?", f"On call – Kind: {which} on call; Pay: an hour.")
        for which in ("first", "second", "third")
    ]
    assert distinct(rows) == tuple(rows)
