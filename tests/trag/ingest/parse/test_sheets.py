import pytest

from trag.errors import TragError
from trag.ingest.parse import parse
from trag.ingest.parse.sheets import ROWS, blocks
from trag.ingest.reading import Block


def read(content: str | bytes) -> tuple[Block, ...]:
    return parse(content.encode() if isinstance(content, str) else content, ".csv").blocks


TABLE = (Block("table", rows=(("Post", "Limit"), ("Director", "50,000"), ("Head", "10,000"))),)


@pytest.mark.parametrize(
    "content",
    [
        'Post,Limit\nDirector,"50,000"\nHead,"10,000"\n',
        "Post;Limit\r\nDirector;50,000\r\nHead;10,000\r\n",
        "Post\tLimit\rDirector\t50,000\rHead\t10,000",
        "sep=|\nPost|Limit\nDirector|50,000\nHead|10,000",
        "\ufeffPost;Limit\n\n\nDirector;50,000\nHead;10,000",
        "Post;Limit;\nDirector;50,000;\nHead;10,000;".encode("utf-16"),
        "Post;Limit\nDirector;50,000\nHead;10,000".encode("cp1252"),
    ],
    ids=["commas", "semicolons", "tabs", "named", "mark and blank lines", "utf-16", "windows"],
)
def test_a_csv_file_is_read_whatever_its_delimiter_and_encoding(content: str | bytes) -> None:
    assert read(content) == TABLE


def test_a_cell_keeps_its_delimiters_and_line_ends() -> None:
    assert read('Post,Task,Due\nHead,"plans, ""and""\nreports",5\n')[0].rows[1] == (
        "Head",
        'plans, "and"\nreports',
        "5",
    )


@pytest.mark.parametrize(
    ("content", "line"),
    [
        ('item,size,owner\nbolt,"5 inch,Ann\nnut,6,Bob\nwasher,7,Cid', 2),
        ('item;size;owner\r\npin;"4\r\nmm";Eve\r\nbolt;"5 inch;Ann\r\nnut;6;Bob\r\n', 4),
        ('sep=|\nitem|size\nbolt|"5 inch\nnut|6\n', 3),
        ('item;"size;owner\nbolt;5;Ann', 1),
        ('Post,Limit\nHead,"10', 2),
    ],
    ids=["rows below", "a field of two lines above", "a named delimiter", "in the header", "the last row"],
)
def test_a_field_without_an_end_is_refused_because_it_would_hold_the_rows_below(content: str, line: int) -> None:
    with pytest.raises(TragError, match=rf"the row that begins in line {line} has no end") as caught:
        read(content)
    assert "quotation mark" in caught.value.hint


def test_quotation_marks_within_a_field_are_read() -> None:
    assert read('Firm,Size\n"Acme" Ltd,5" bolt\n"Bee",6')[0].rows[1:] == (("Acme Ltd", '5" bolt'), ("Bee", "6"))


def cells(text: str) -> tuple[tuple[str, ...], ...]:
    return tuple(tuple(row.split("|")) for row in text.split(" / "))


@pytest.mark.parametrize(
    ("rows", "found"),
    [
        ("Limits 2026| / in EUR| / Post|Limit / Head|10", ["Limits 2026 – in EUR: Post|Limit / Head|10"]),
        ("Fees| / In force from May.| / Post|Limit / Head|10", ["In force from May.", "Fees: Post|Limit / Head|10"]),
        ("Post|Limit / Head|10 / | / Notes| / All agree.|", [": Post|Limit / Head|10", "Notes", "All agree."]),
        ("Post|Limit / Head|10 / | / A|5 / B|4", [": Post|Limit / Head|10", ": Post|Limit / A|5 / B|4"]),
        ("Chair|Ana / Clerk|Bo / Guard|Cy", [": | / Chair|Ana / Clerk|Bo / Guard|Cy"]),
        ("||Post|Limit / ||Head|10", [": Post|Limit / Head|10"]),
        ("Only a remark.|", ["Only a remark."]),
        ("Post|2025|2026 / Head|10|12 / Clerk|5|6", [": Post|2025|2026 / Head|10|12 / Clerk|5|6"]),
        ("A|n||B|m / x|1||y|2 / z|3||v|4", [": A|n / x|1 / z|3", ": B|m / y|2 / v|4"]),
        (
            "All|||| / A|n||B|m / x|1||y|2 / z|3||v|4",
            ["All: A|n / x|1 / z|3", "All: B|m / y|2 / v|4"],
        ),
        ("Name|Post||2025|2026 / Ann|x||1|2 / Bo|y||3|4", [": Name|Post|2025|2026 / Ann|x|1|2 / Bo|y|3|4"]),
        ("Name||Phone / Ann||11 / Bo||22", [": Name|Phone / Ann|11 / Bo|22"]),
        (
            "A|n||| / x|1||| / w|9||B|m / z|3||y|2 / |||v|4",
            [": A|n / x|1 / w|9 / z|3", ": B|m / y|2 / v|4"],
        ),
        (
            "Region|Office|No / North|Elm|1 / |Varn|2 / South|Pella|3 / |Marsk|4",
            [": Region|Office|No / North|Elm|1 / North|Varn|2 / South|Pella|3 / South|Marsk|4"],
        ),
    ],
    ids=[
        *("titles above", "a sentence above", "lines below", "a blank row within", "names and values"),
        *("empty columns", "no table", "years", "side by side", "a title over both", "a gap before years"),
        *("a gap before one column", "side by side, further down", "groups"),
    ],
)
def test_a_sheet_is_captions_and_tables(rows: str, found: list[str]) -> None:
    def block(text: str) -> Block:
        caption, colon, table = text.partition(": ")
        return Block("table", caption, rows=cells(table)) if colon else Block("paragraph", text)

    assert list(blocks(cells(rows))) == list(map(block, found))


def test_tables_in_one_csv_file_are_told_apart() -> None:
    found = read("Post;Limit\nHead;10\n\nClerk;5\n\nRoom;Seats;Floor\nOak;12;1\nElm;4;2\n\nAll agree.\n")
    assert found == (
        Block("table", rows=(("Post", "Limit"), ("Head", "10"), ("Clerk", "5"))),
        Block("table", rows=(("Room", "Seats", "Floor"), ("Oak", "12", "1"), ("Elm", "4", "2"))),
        Block("paragraph", "All agree."),
    )


@pytest.mark.slow
def test_a_huge_file_is_read_as_far_as_the_bound_and_says_so() -> None:
    reading = parse(b"Post,Limit,Due\n" + b"Head,10,May\n" * (ROWS + 5), ".csv")
    assert len(reading.blocks[0].rows) == ROWS
    assert reading.notes == (f"only the first {ROWS:,} rows read",)
