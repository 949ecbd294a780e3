import time

import pytest

from trag.ingest.parse import parse
from trag.ingest.passages import LENGTH, OVERLAP, Section, section_passages, sections, split
from trag.ingest.reading import Block


def read(text: str, suffix: str = ".txt") -> list[tuple[str, str]]:
    """The sections of a file named rules.*: (path, text)."""
    return [(section.path, section.text) for section in sections(parse(text.encode(), suffix).blocks, "rules")]


BYLAWS = """
                 BYLAWS
      OF THE MILLBROOK WATER CLUB, INC.

            Adopted 3 May 2019

ARTICLE I
NAME AND OFFICES

Section 1. Name. The name of the club is Millbrook
Water Club.

Section 2. Offices. The office is in Millbrook.

ARTICLE II - MEMBERS

Section 1. Annual meeting.
It is held in March. Section 2 does not apply to it.

2.1 The board meets at least six times a year.

2.2 Duties
The board shall:
  (a) adopt the budget;
  (b) set the rates, which
      need two thirds.

APPENDIX A
FEES

Class         Fee       Due
Residential   40.00     31 March
Commercial    95.50     31 March
"""

HANDBOOK = """Garden Handbook

This handbook tells you how we work.

Plots

Each member has one plot of 4 by 6 metres.

Work days
Work days are held on the first Saturday of each month.

Committees:

Plot Committee: keeps the waiting list.
Compost Committee: turns the heap.
"""


@pytest.mark.parametrize(
    ("text", "suffix", "found"),
    [
        pytest.param(
            BYLAWS,
            ".txt",
            [
                ("BYLAWS OF THE MILLBROOK WATER CLUB, INC.", "Adopted 3 May 2019"),
                ("ARTICLE I NAME AND OFFICES > Section 1. Name", "The name of the club is Millbrook Water Club."),
                ("ARTICLE I NAME AND OFFICES > Section 2. Offices", "The office is in Millbrook."),
                (
                    "ARTICLE II - MEMBERS > Section 1. Annual meeting",
                    "It is held in March. Section 2 does not apply to it.",
                ),
                (
                    "ARTICLE II - MEMBERS > Section 1. Annual meeting > 2.1",
                    "The board meets at least six times a year.",
                ),
                (
                    "ARTICLE II - MEMBERS > Section 1. Annual meeting > 2.2 Duties",
                    "The board shall:\n  (a) adopt the budget;\n  (b) set the rates, which need two thirds.",
                ),
                (
                    "APPENDIX A FEES",
                    "APPENDIX A FEES – Class: Residential; Fee: 40.00; Due: 31 March.\n"
                    "APPENDIX A FEES – Class: Commercial; Fee: 95.50; Due: 31 March.",
                ),
            ],
            id="bylaws",
        ),
        pytest.param(
            HANDBOOK,
            ".txt",
            [
                ("Garden Handbook", "This handbook tells you how we work."),
                ("Garden Handbook > Plots", "Each member has one plot of 4 by 6 metres."),
                ("Garden Handbook > Work days", "Work days are held on the first Saturday of each month."),
                (
                    "Garden Handbook > Committees",
                    "Plot Committee: keeps the waiting list.\nCompost Committee: turns the heap.",
                ),
            ],
            id="a handbook of bare titles",
        ),
        pytest.param(
            "# Manual\n\n## 4 Finance\n\n### 4.2 Limits\n\nOne.\n\n## 5 Staff\n\nTwo.",
            ".md",
            [("4 Finance > 4.2 Limits", "One."), ("5 Staff", "Two.")],
            id="numbered chapters need no title",
        ),
        pytest.param(
            "Only a line of text, and nothing else at all.",
            ".txt",
            [("rules", "Only a line of text, and nothing else at all.")],
            id="no heading",
        ),
        pytest.param("Closed", ".txt", [("Closed", "Closed")], id="one word"),
    ],
)
def test_documents_as_people_write_them(text: str, suffix: str, found: list[tuple[str, str]]) -> None:
    assert read(text, suffix) == found


def test_a_section_is_told_apart_by_page_and_its_words_are_all_there() -> None:
    blocks = [
        Block("heading", "4 Finance", 1, 3),
        Block("paragraph", "One.", 0, 3),
        Block("paragraph", "Two.", 0, 4),
        Block("heading", "Reserved for the time being", 1, 4),
        Block("heading", "5 Staff", 1, 5),
        Block("paragraph", "Three.", 0, 5),
    ]
    assert [(section.path, section.page, section.text) for section in sections(blocks, "x")] == [
        ("4 Finance", 3, "One."),
        ("4 Finance", 4, "Two."),
        ("x", 4, "Reserved for the time being"),
        ("5 Staff", 5, "Three."),
    ]


def test_a_table_is_named_by_its_caption_or_the_section_without_its_number() -> None:
    rows = (("Post", "Limit"), ("Head", "10"))
    blocks = [
        Block("heading", "4.2 Approval limits", 1),
        Block("table", rows=rows),
        Block("table", "Table 3", rows=rows),
    ]
    assert (
        sections(blocks, "x")[0].text == "Approval limits – Post: Head; Limit: 10.\n\nTable 3 – Post: Head; Limit: 10."
    )


def test_a_table_under_a_bare_number_is_named_by_what_leads_it_in_or_the_heading_above() -> None:
    table = "Kind     Rate       Since\nCar      70 cents   2025\nBicycle  20 cents   2026\n"
    clauses = "3.1 Mileage is paid at these rates, by the mile:", "3.2 It is paid to all who ask."
    text = "\n\n".join(["3. TRAVEL", clauses[0], table, clauses[1], table])
    assert [text.split(" – ")[0].split("\n")[-1] for _, text in read(text)] == [
        "Mileage is paid at these rates, by the mile",
        "TRAVEL",
    ]


def test_tables_under_one_heading_are_told_apart_by_the_clauses_that_lead_them_in() -> None:
    table = "| Kind | Years |\n|---|---|\n| Paper | 5 |\n\n"
    clauses = "2.1 Records:", "2.2 Keep it. What is kept longer:", "2.3 It is kept.", "What else is kept:"
    text = "# Rules\n\n## 2 Safety\n\n" + "".join(f"{clause}\n\n{table}" for clause in clauses)
    ((_, said),) = read(text, ".md")
    assert [line.split(" – ")[0] for line in said.split("\n") if " – " in line] == [
        "Safety: Records",
        "Safety",
        "Safety",
        "Safety",
    ]


SENTENCE = "The committee meets every month and decides by majority, unless the statute says otherwise."
ROW = "Approval limits – Post: Head of unit number {}; Limit: 10,000 LMD; Condition: with the consent of the director."


@pytest.mark.parametrize(
    ("text", "units"),
    [
        pytest.param("\n\n".join([SENTENCE] * 30), SENTENCE.split("\n"), id="paragraphs"),
        pytest.param(" ".join([SENTENCE] * 30), [SENTENCE], id="sentences"),
        pytest.param(
            "\n".join(ROW.format(number) for number in range(40)),
            [ROW.format(number) for number in range(40)],
            id="rows",
        ),
    ],
)
def test_long_text_is_cut_between_what_belongs_together(text: str, units: list[str]) -> None:
    pieces = split(text)
    assert len(pieces) > 1
    assert max(map(len, pieces)) <= LENGTH
    assert min(map(len, pieces)) > LENGTH // 2, "pieces are about even"
    for piece in pieces:
        assert piece.startswith(tuple(units)), piece[:80]
        assert piece.endswith(tuple(units)), piece[-80:]
    assert {unit for unit in units if not any(unit in piece for piece in pieces)} == set()


def test_words_are_never_cut_unless_one_is_longer_than_a_passage() -> None:
    words = " ".join(f"word{number}" for number in range(1000))
    assert {word for piece in split(words) for word in piece.split()} == set(words.split())
    assert "".join(split("x" * 2_500)).count("x") >= 2_500
    assert max(map(len, split("字。" * 1_500))) <= LENGTH


def test_a_piece_of_a_list_repeats_what_leads_it_in() -> None:
    items = [f"- duty number {number}, which is to look after the accounts and the funds;" for number in range(40)]
    pieces = split("\n".join(["Intro.", "", "The treasurer shall:", *items]))
    assert len(pieces) > 2
    assert all("The treasurer shall:\n- duty" in piece for piece in pieces)
    assert max(map(len, pieces)) <= LENGTH + OVERLAP


def test_short_text_is_one_passage_and_nothing_is_none() -> None:
    assert split(SENTENCE) == (SENTENCE,)
    assert split("  \n") == ()


def test_ids_last_as_long_as_document_section_and_text() -> None:
    sections = [Section("1 A", None, "One."), Section("2 B", 3, "Two."), Section("2 B", 3, "Two.")]
    first = section_passages("a.md", sections)
    found = [(passage.kind, passage.section, passage.page, passage.text) for passage in first]
    assert found == [("section", "1 A", None, "One."), ("section", "2 B", 3, "Two.")]
    others = Section("0 New", None, "Zero."), Section("2 B", 4, "Two, changed.")
    changed = section_passages("a.md", [others[0], sections[0], others[1]])
    assert {passage.id for passage in first} & {passage.id for passage in changed} == {first[0].id}
    assert {passage.id for passage in first} & {passage.id for passage in section_passages("b.md", sections)} == set()


def test_a_list_without_end_is_cut_in_a_moment() -> None:
    items = [f"- item {number}" for number in range(60_000)]
    began = time.process_time()
    pieces = split("\n".join(["Members are:", *items]))
    assert time.process_time() - began < 3, "and this process answers people meanwhile"
    assert all(piece.startswith("Members are:\n") for piece in pieces)
    assert items[-1] in pieces[-1]
