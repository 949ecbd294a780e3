import pytest

from trag.ingest.parse import parse
from trag.ingest.reading import Block


def blocks(text: str) -> list[tuple[str, str]]:
    return [(block.kind, block.text) for block in parse(text.encode(), ".txt").blocks]


def test_wrapped_lines_are_joined_and_others_are_kept() -> None:
    paragraphs = (
        "The chair calls the meeting and\nsets the agenda.",
        "Head office\nRoom 12\nTel. 5",
        "Dues: 20 EUR.\nTerm: a year.",
    )
    assert blocks("\n\n".join(paragraphs)) == [
        ("paragraph", "The chair calls the meeting and sets the agenda."),
        ("paragraph", "Head office\nRoom 12\nTel. 5"),
        ("paragraph", "Dues: 20 EUR.\nTerm: a year."),
    ]


def test_underlines_and_overlines_are_levels_in_the_order_in_which_they_appear() -> None:
    text = "=====\nRules\n=====\n\nx y.\n\nLists\n=====\nx y.\n\nPosting\n~~~~~~~\nx y.\n\nArchive\n=====\nx y."
    headings = [block for block in parse(text.encode(), ".txt").blocks if block.kind == "heading"]
    assert [(block.text, block.level) for block in headings] == [
        ("Rules", 1),
        ("Lists", 2),
        ("Posting", 3),
        ("Archive", 2),
    ]


def test_items_keep_their_marks_depth_and_wrapped_lines() -> None:
    text = (
        "The board shall:\n  * adopt the\n    budget;\n      - and its annexes\n\n1. Ask.\n\n2. Go.\n\n(a) one\n(b) two"
    )
    assert [(block.kind, block.level, block.text) for block in parse(text.encode(), ".txt").blocks] == [
        ("paragraph", 0, "The board shall:"),
        ("item", 2, "- adopt the budget;"),
        ("item", 4, "- and its annexes"),
        ("item", 1, "1. Ask."),
        ("item", 1, "2. Go."),
        ("item", 1, "(a) one"),
        ("item", 1, "(b) two"),
    ]


@pytest.mark.parametrize(
    "table",
    [
        "Post      Limit    Note\nDirector  50,000   once\nHead      10,000   twice",
        "| Post | Limit | Note |\n|---|---|---|\n| Director | 50,000 | once |\n| Head | 10,000 | twice |",
        "+------+\nPost\tLimit\tNote\nDirector\t50,000\tonce\nHead\t10,000\ttwice",
    ],
    ids=["aligned", "pipes", "tabs"],
)
def test_columns_are_tables(table: str) -> None:
    rows = (("Post", "Limit", "Note"), ("Director", "50,000", "once"), ("Head", "10,000", "twice"))
    assert parse(table.encode(), ".txt").blocks == (Block("table", rows=rows),)


def test_two_columns_without_a_rule_are_names_and_values_below_a_line_that_names_them() -> None:
    assert parse(b"Officers\nChair   Ana Ruiz\nClerk   Bo Li\nGuard   Cy Wen", ".txt").blocks == (
        Block("heading", "Officers"),
        Block("table", rows=(("", ""), ("Chair", "Ana Ruiz"), ("Clerk", "Bo Li"), ("Guard", "Cy Wen"))),
    )


@pytest.mark.parametrize("name", ["Table of Contents\n\n", ""], ids=["named", "known by its titles"])
def test_a_table_of_contents_is_left_out(name: str) -> None:
    entries = "1 Scope ........ 3\n2 Fees . . . . . . 12\n\n3 Gifts ...... 12\n4 Leave .......14\n\n"
    text = "1 Scope\n\nAll staff, here and abroad.\n\n3 Gifts\n\nThere are none, and none are given.\n"
    assert blocks(name + entries + text) == blocks(text)


def test_a_price_that_dots_lead_to_is_kept() -> None:
    rooms = "Rates\n\nBreakfast ........ 12\nSingle room ...... 80\nDouble room  . . . . . . 110\nSuite ........... 160"
    prices = (("Breakfast", "12"), ("Single room", "80"), ("Double room", "110"), ("Suite", "160"))
    assert parse(rooms.encode(), ".txt").blocks[1:] == (Block("table", rows=(("", ""), *prices)),)
    assert blocks("The fee is due in May.\n\nGuests ........ EUR 80")[-1][1] == "Guests EUR 80"


WRAPPED = """3.1 Work week. The work week is 40 hours, from Sunday to Saturday; whoever
    works on more days is paid for each of them, whatever the hours were,
    and has one day off.

3.2 Carryover. On December 31 an employee of Tier A may carry over 45 days and
    Tier B employees 30 days.

3.3 Mileage is claimed within 45 days after the end of the month, on Form
    FN-8.

3.4 The driver says nothing about fault to anybody except the police and the
    Risk Office, whose telephone is answered at night and on days off, and
    signs nothing.
"""


def test_a_line_that_ends_where_lines_are_wrapped_is_no_heading() -> None:
    found = blocks(WRAPPED)
    assert [text for kind, text in found if kind == "heading"] == ["3.1 Work week", "3.2 Carryover", "3.3", "3.4"]
    assert found[3][1] == "On December 31 an employee of Tier A may carry over 45 days and Tier B employees 30 days."
    assert found[5][1] == "Mileage is claimed within 45 days after the end of the month, on Form FN-8."


def test_a_word_with_hyphens_is_whole_where_a_line_ends_in_it() -> None:
    lines = "Leave is three days for a brother, a sister, a grandparent or parent-in-\nlaw, and none for an aunt."
    assert blocks(lines)[0][1] == lines.replace("\n", "")


PAGES = (
    "LEAVE\n\nAn employee who is ill for more than three days in a row sends a note to the",
    "    office, which keeps it.\n\nPremium       Amount         From\nEvening       $1.10          2 p.m.",
    "Night         $1.65          9 p.m.\nWeekend       $2.00          noon\n\nThe end of the shift counts.",
    "TRAVEL\n\nThe cheapest ticket is bought by the office.",
)
WHOLE = "\n\n".join(PAGES).replace("to the\n\n", "to the\n").replace("2 p.m.\n\n", "2 p.m.\n")


@pytest.mark.parametrize(
    "edges",
    [
        ("", "\n\nHR / July 2025        Page {page} of 4\n\f\nCity of Callis         Manual, Rev. 14\n\n"),
        ("City of Callis\nManual\n\n", "\n\n{page}\n\fCity of Callis\nManual\n\n"),
        ("", "\n\n                  - {page} of 4 -\n\n\f\n"),
        ("", "\n\f\n"),
    ],
    ids=["a footer and a header", "a header of two lines", "a page number", "none"],
)
def test_pages_are_one_text_without_headers_and_footers(edges: tuple[str, str]) -> None:
    first, between = edges
    text = first + "".join(page + between.format(page=number) for number, page in enumerate(PAGES, 1))
    assert blocks(text.rsplit("\f", 1)[0]) == blocks(WHOLE)


def test_the_titles_of_parts_that_begin_pages_are_no_headers() -> None:
    text = "\f".join(f"Chapter {number}\n\nRule {number} is that all are kind to each other." for number in range(1, 6))
    assert [text for kind, text in blocks(text) if kind == "heading"] == [f"Chapter {number}" for number in range(1, 6)]


def test_a_title_under_a_rule_across_the_page_is_a_heading_and_a_signature_is_none() -> None:
    order = "{bar}\nORDER No. {number}          Dated 4 May\nSub: Cash.\n\n1. Count it.\n2. Keep it.\n{signed}\n\n"
    text = "".join(order.format(bar="=" * 40, number=at, signed=" " * 30 + "Sd/- Director") for at in (1, 2))
    assert blocks(text + "Copies go to all heads of sections.") == [
        *(
            (kind, words)
            for number in (1, 2)
            for kind, words in (
                ("heading", f"ORDER No. {number} Dated 4 May"),
                ("paragraph", "Sub: Cash."),
                ("item", "1. Count it."),
                ("item", "2. Keep it."),
                ("paragraph", "Sd/- Director"),
            )
        ),
        ("paragraph", "Copies go to all heads of sections."),
    ]


def test_what_follows_a_list_at_its_side_is_no_item_of_it() -> None:
    text = "It is given to one who\n  (a) asks;\n  (b) has served\n  a year.\nThe office adds the name."
    assert blocks(text)[-2:] == [("item", "(b) has served a year."), ("paragraph", "The office adds the name.")]


@pytest.mark.parametrize(
    ("line", "row"),
    [
        ("Widow or widower of one 1           Express", ("Widow or widower of one", "1", "Express")),
        ("Guests                              on foot", ("Guests", "", "on foot")),
        ("                        a year      or none", ("Group D", "3 a year", "Express or none")),
    ],
    ids=["one space between cells", "an empty cell", "a wrapped row"],
)
def test_a_row_with_fewer_cells_is_cut_where_the_columns_are(line: str, row: tuple[str, ...]) -> None:
    rows = ("Holder", "Sets", "Class"), ("Group C", "4", "Sleeper"), ("Group D", "3", "Express")
    text = "\n".join(f"{holder:<24}{sets:<12}{best}" for holder, sets, best in rows)
    assert parse(f"{text}\n{line}".encode(), ".txt").blocks[0].rows[-1] == row


def test_a_table_without_its_own_columns_is_text() -> None:
    text = "Holder                  Sets        Class\nGroup C                 4           Sleeper\n"
    assert not parse(f"{text}All others, whoever they may be, have one.".encode(), ".txt").blocks[0].rows


def test_bars_in_some_lines_make_no_columns() -> None:
    assert blocks("The old | the  new\nThe one | the  other\nThe first one  here")[0][0] == "paragraph"


def test_a_title_in_capitals_stands_over_its_second_line() -> None:
    text = "CODE FOR SUPPLIERS\nof the Stahl Group\nIssued in March.\n\nWhat we expect is fair dealing, and no more."
    assert blocks(text)[:2] == [
        ("heading", "CODE FOR SUPPLIERS"),
        ("paragraph", "of the Stahl Group Issued in March."),
    ]
