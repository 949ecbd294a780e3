import pytest

from trag.errors import TragError
from trag.ingest.parse import parse
from trag.ingest.parse.sheets import ROWS, blocks
from trag.ingest.passages import sections
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


@pytest.mark.parametrize(
    ("rows", "found"),
    [
        pytest.param(
            [("Limits 2026", ""), ("in EUR", ""), ("Post", "Limit"), ("Head", "10")],
            [Block("table", "Limits 2026 – in EUR", rows=(("Post", "Limit"), ("Head", "10")))],
            id="titles above",
        ),
        pytest.param(
            [("Fees 2026", ""), ("In force from May.", ""), ("Post", "Limit"), ("Head", "10")],
            [
                Block("paragraph", "In force from May."),
                Block("table", "Fees 2026", rows=(("Post", "Limit"), ("Head", "10"))),
            ],
            id="a sentence above",
        ),
        pytest.param(
            [("Post", "Limit"), ("Head", "10"), ("", ""), ("Notes", ""), ("None decides alone.", "")],
            [
                Block("table", rows=(("Post", "Limit"), ("Head", "10"))),
                Block("paragraph", "Notes"),
                Block("paragraph", "None decides alone."),
            ],
            id="lines below",
        ),
        pytest.param(
            [("Post", "Limit"), ("Head", "10"), ("", ""), ("Clerk", "5"), ("Guard", "4")],
            [
                Block("table", rows=(("Post", "Limit"), ("Head", "10"))),
                Block("table", rows=(("Post", "Limit"), ("Clerk", "5"), ("Guard", "4"))),
            ],
            id="a blank row within",
        ),
        pytest.param(
            [("Chair", "Ana"), ("Clerk", "Bo"), ("Guard", "Cy")],
            [Block("table", rows=(("", ""), ("Chair", "Ana"), ("Clerk", "Bo"), ("Guard", "Cy")))],
            id="names and values",
        ),
        pytest.param(
            [("", "", "Post", "Limit"), ("", "", "Head", "10")],
            [Block("table", rows=(("Post", "Limit"), ("Head", "10")))],
            id="empty columns",
        ),
        pytest.param([("Only a remark.", "")], [Block("paragraph", "Only a remark.")], id="no table"),
        pytest.param(
            [("Post", "2025", "2026"), ("Head", "10", "12"), ("Clerk", "5", "6")],
            [Block("table", rows=(("Post", "2025", "2026"), ("Head", "10", "12"), ("Clerk", "5", "6")))],
            id="years",
        ),
    ],
)
def test_a_sheet_is_captions_and_tables(rows: list[tuple[str, ...]], found: list[Block]) -> None:
    assert list(blocks(rows)) == found


def test_a_row_is_a_sentence_with_its_header_and_the_name_of_the_file() -> None:
    (section,) = sections(read("Post;Limit\nHead;10,000\n"), "approval limits")
    assert section.text == "approval limits – Post: Head; Limit: 10,000."


@pytest.mark.slow
def test_a_huge_file_is_read_as_far_as_the_bound_and_says_so() -> None:
    reading = parse(b"Post,Limit,Due\n" + b"Head,10,May\n" * (ROWS + 5), ".csv")
    assert len(reading.blocks[0].rows) == ROWS
    assert reading.notes == (f"only the first {ROWS:,} rows read",)
