import pytest

from trag.ingest.blocks import Block
from trag.ingest.parse import parse


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
