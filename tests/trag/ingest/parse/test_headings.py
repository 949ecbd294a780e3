import pytest

from trag.ingest.parse.headings import is_title, promote
from trag.ingest.reading import Block

BODY = Block("paragraph", "A sentence of the body, which is long enough to be nothing else.")


def headings(*paragraphs: str) -> list[str]:
    """The headings found in paragraphs, after a title, each indented by its depth."""
    blocks = promote([Block("heading", "Bylaws"), BODY, *(Block("paragraph", text) for text in paragraphs), BODY])
    found = [block for block in blocks[1:] if block.kind == "heading"]
    levels = sorted({block.level for block in found})
    return [levels.index(block.level) * "  " + block.text for block in found]


@pytest.mark.parametrize(
    ("line", "heading"),
    [
        ("ARTICLE IV", "ARTICLE IV"),
        ("ARTICLE IV: MEETINGS", "ARTICLE IV: MEETINGS"),
        ("Article 4 - Members", "Article 4 - Members"),
        ("Section 3. Quorum. A majority is a quorum.", "Section 3. Quorum"),
        ("Section 3. The board meets when its chair calls it.", "Section 3."),
        ("Chapter One", "Chapter One"),
        ("Appendix B Fees", "Appendix B Fees"),
        ("§ 4 Fees", "§ 4 Fees"),
        ("1.2.3 Title of the section", "1.2.3 Title of the section"),
        ("4. Fees and dues", "4. Fees and dues"),
        ("4 Finance", "4 Finance"),
        ("IV. Discipline", "IV. Discipline"),
        ("B. Members", "B. Members"),
        ("3.2 Quorum. Nine trustees are a quorum.", "3.2 Quorum"),
        ("3.2 The board shall meet at least six times a year.", "3.2"),
        ("3.2 Admission. A person may join who", "3.2 Admission"),
        ("3.2 These are not members of the club:", "3.2"),
        ("MEMBERSHIP AND FEES", "MEMBERSHIP AND FEES"),
        ("Water and tools", "Water and tools"),
        ("Section 1.05 Fees", "Section 1.05 Fees"),
        ("§4 Fees", "§4 Fees"),
        ("Article3 Fees", "Article3 Fees"),
        ("3.2 EUR accounts", "3.2 EUR accounts"),
        ("Q: How do I join?", "How do I join?"),
        ("Q: Fees\nThe fee is EUR 5. Is that much? No.", "Fees"),
        (
            "Q3: How many days of leave do employees in their first year of\nservice receive? Twenty.",
            "How many days of leave do employees in their first year of service receive?",
        ),
        ("What happens if I break the rules?", "What happens if I break the rules?"),
    ],
)
def test_a_line_worded_like_a_heading_is_one(line: str, heading: str) -> None:
    assert headings(line) == [heading]


@pytest.mark.parametrize(
    "line",
    [
        "Section 3 applies to all members.",
        "(signed) Chair of the Board",
        "Sections 3 and 4 apply to all members.",
        "Parts A and B are filled in by the applicant.",
        "Part of the budget is kept.",
        "Q1: 1.2 million euros\nQ2: 1.5 million euros\nQ3: What we hope for?",
        "Q1: 1.2 million euros.",
        "0.45 Points are given for each hour of work.",
        "2.5 EUR per kilometre are paid for private cars.",
        "2.5 FTE are assigned to the help desk.",
        "2.5 % of the budget are kept for repairs.",
        "25 days of leave are granted each year.",
        "12 May 2020",
        "1. Submit the form to the secretary.",
        "The chair may be re-elected once.",
        "see https://example.org/rules",
        "in lower case",
        "NO MEMBER IS LIABLE FOR MORE THAN WAS PAID,\nWHATEVER THE CAUSE.",
    ],
)
def test_other_lines_are_not(line: str) -> None:
    assert headings(line) == []


def test_a_sentence_that_is_wrapped_is_no_heading() -> None:
    assert headings("1. Nothing in these bylaws obliges anyone to\nwork for the club.") == []
    assert headings("Section 2. The annual meeting of members is held on the\nsecond Tuesday of March.") == [
        "Section 2."
    ]


def test_numbered_lines_that_follow_each_other_are_a_list() -> None:
    assert headings("1. Fill in the form", "2. Have it signed", "3. Send it") == []


def test_a_bare_article_takes_the_title_below_it() -> None:
    assert headings("ARTICLE I\nNAME AND SEAT\nSection 1. Name. The club is named Club.") == [
        "ARTICLE I NAME AND SEAT",
        "  Section 1. Name",
    ]


@pytest.mark.parametrize(
    ("paragraphs", "outline"),
    [
        (("PREAMBLE", "Text.", "ARTICLE I", "Text."), ["PREAMBLE", "ARTICLE I"]),
        (("FINANCE", "1. Budget", "Text.", "STAFF", "1. Leave"), ["FINANCE", "  1. Budget", "STAFF", "  1. Leave"]),
        (("1. LEAVE", "1.1 Annual leave", "Text.", "2. PAY"), ["1. LEAVE", "  1.1 Annual leave", "2. PAY"]),
        (("ARTICLE I", "Section 1. Name", "3.1 Duties", "Text."), ["ARTICLE I", "  Section 1. Name", "    3.1 Duties"]),
        (
            ("1. Powers", "Text.", "2. Members", "2.1. Who", "Text.", "A. Procedure", "A.1. Discussion"),
            ["1. Powers", "2. Members", "  2.1. Who", "A. Procedure", "  A.1. Discussion"],
        ),
        (("1. Joining", "Q: How?", "A: Like this.", "2. Leaving"), ["1. Joining", "  How?", "2. Leaving"]),
    ],
    ids=[
        "capitals beside articles",
        "capitals above numbers that restart",
        "numbers by depth",
        "all kinds",
        "appendices beside chapters",
        "questions last",
    ],
)
def test_styles_are_ranked(paragraphs: tuple[str, ...], outline: list[str]) -> None:
    assert headings(*paragraphs) == outline


@pytest.mark.parametrize(
    ("lines", "question", "answer"),
    [
        ("Q2. Who moderates?\nA2: Three volunteers.", "Who moderates?", "Three volunteers."),
        (
            "Q: How many days of leave do\nemployees receive?\nA: 20.",
            "How many days of leave do employees receive?",
            "20.",
        ),
    ],
)
def test_a_question_may_be_wrapped_and_the_answer_below_it_loses_its_mark(
    lines: str, question: str, answer: str
) -> None:
    blocks = promote([Block("paragraph", lines)])
    assert [(block.kind, block.text) for block in blocks] == [("heading", question), ("paragraph", answer)]


@pytest.mark.parametrize("title", ["Terms of Reference", "Annual leave", "Notice of the Annual General Meeting"])
def test_titles_are_told_from_sentences(title: str) -> None:
    assert is_title(title)
    assert not is_title("The board meets in the spring of each year")
