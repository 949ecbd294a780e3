import pytest

from trag.words import negated, numbers, sentences, stems


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("One sentence.", ["One sentence."]),
        ("First. Second? Third!", ["First.", "Second?", "Third!"]),
        ("See art. 5 of the manual. Then go.", ["See art. 5 of the manual.", "Then go."]),
        ("The limit is 2.5 million. It holds.", ["The limit is 2.5 million.", "It holds."]),
        ("The units are:\n- Alpha\n- Beta", ["The units are:", "Alpha", "Beta"]),
        ("1. Sign. 2. Send.", ["1. Sign.", "2. Send."]),
        (
            "It is Rs. 500 per day. Ring Tel. 4417 or ext. 12. See Fig. 3.",
            ["It is Rs. 500 per day.", "Ring Tel. 4417 or ext. 12.", "See Fig. 3."],
        ),
        ("Hon. Justice Rao sits. Capt. Mori sails.", ["Hon. Justice Rao sits.", "Capt. Mori sails."]),
        ("Yes. 5 days. Ask HR. 3 copies.", ["Yes.", "5 days.", "Ask HR.", "3 copies."]),
        ("أين المكتب؟ هنا.", ["أين المكتب؟", "هنا."]),
        ("  \n ", []),
    ],
    ids=[
        "one",
        "three",
        "abbreviation",
        "decimal",
        "list",
        "numbered",
        "figure",
        "title",
        "no abbreviation",
        "arabic",
        "blank",
    ],
)
def test_sentences(text: str, expected: list[str]) -> None:
    assert list(sentences(text)) == expected


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("30,000 LMD", {30_000}),
        ("40k and 1.5 million", {40_000, 1_500_000}),
        ("twenty-one members, of whom five", {21, 5}),
        ("fifteen", {15}),
        ("one of them", set()),
        ("section 4.2", {4.2}),
        ("12 000 words", {12_000}),
        ("1,50,000 and 12,34,56,789.50", {150_000, 123_456_789.5}),
        ("Rs.1,50,000, INR2,500 and Rs.500", {150_000, 2_500, 500}),
        ("rooms 1,2,300", {1, 2, 300}),
        ("form C1, 2 June 2024", {2, 2024}),
        ("June 2 2024", {2, 2024}),
        ("1.2.3 and .5", {1.2}),
        ("no figure", set()),
    ],
    ids=lambda value: str(value)[:20],
)
def test_numbers_read_figures_and_words(text: str, expected: set[float]) -> None:
    assert numbers(text) == expected


def test_stems_drop_what_says_nothing_and_keep_the_rest() -> None:
    assert stems("The Committee's members are elected by the Boards") == stems("committee member elects board")
    assert not stems("it is what it was")


@pytest.mark.parametrize(
    ("text", "denies"), [("It does not sit there.", True), ("It doesn't.", True), ("A notable note.", False)]
)
def test_negated(text: str, denies: bool) -> None:
    assert negated(text) is denies
