import pytest

from trag.ingest.parse.tables import transposed, with_captions, with_header
from trag.ingest.reading import Block


@pytest.mark.parametrize(
    ("rows", "marked", "made"),
    [
        pytest.param("Post|Limit|Note / Head|10|x", 0, "Post|Limit|Note / Head|10|x", id="looks like a header"),
        pytest.param("Post|Limit / Head|10", 0, "| / Post|Limit / Head|10", id="two columns"),
        pytest.param("Post|Limit / Head|10", 1, "Post|Limit / Head|10", id="marked"),
        pytest.param("Oslo|12|14 / Bergen|9|8", 0, "|| / Oslo|12|14 / Bergen|9|8", id="figures are no header"),
        pytest.param(
            "Years|Tier A, 24-hour shifts|From 1.1.2026 / 0 to 4|12|$5.00 / 5 to 9|14|EUR 6",
            0,
            "Years|Tier A, 24-hour shifts|From 1.1.2026 / 0 to 4|12|$5.00 / 5 to 9|14|EUR 6",
            id="figures in names over figures are",
        ),
        pytest.param(
            "Oslo|Level 3|open / Bergen|Level 4|open / Moss|none|shut",
            0,
            "|| / Oslo|Level 3|open / Bergen|Level 4|open / Moss|none|shut",
            id="figures in names over names are none",
        ),
        pytest.param("|2025|2026 / Head|10|12", 0, "|2025|2026 / Head|10|12", id="years are"),
        pytest.param("Post|Q1|Q2 2026 / Head|10|12", 0, "Post|Q1|Q2 2026 / Head|10|12", id="quarters are"),
        pytest.param("Post|Limit / Head / | / Clerk|5", 1, "Post|Limit / Head| / Clerk|5", id="short and empty rows"),
        pytest.param(
            "Post|Limit|Limit / Post|2025|2026 / Head|10|12",
            0,
            "Post|Limit 2025|Limit 2026 / Head|10|12",
            id="two rows",
        ),
        pytest.param(
            "Limits|Limits|Limits / Post|Due|Note / Head|May|x",
            0,
            "|Post|Due|Note / Limits|Head|May|x",
            id="a title across",
        ),
        pytest.param(
            "Post|Due|Note / Sea|Sea|Sea / Head|May|x / Air|Air|Air / Clerk|June|y",
            1,
            "|Post|Due|Note / Sea|Head|May|x / Air|Clerk|June|y",
            id="rows that name others",
        ),
        pytest.param(
            "Area|Town|Desk / N|A|x / ||y / |B|z / S|A|v / ||w",
            1,
            "Area|Town|Desk / N|A|x / N|A|y / N|B|z / S|A|v / S|A|w",
            id="names of groups and of groups in them",
        ),
        pytest.param(
            "Item|Fee|Due / Dog|1|x / Cat|2|y / |3|", 1, "Item|Fee|Due / Dog|1|x / Cat|2|y / |3|", id="a total"
        ),
        pytest.param("Done|Task / x|a / |b / x|c", 1, "Done|Task / x|a / |b / x|c", id="ticks name no groups"),
        pytest.param(
            "Code|Name / 1|a / 2|b / |c / 3|d / 4|e / 5|f",
            1,
            "Code|Name / 1|a / 2|b / |c / 3|d / 4|e / 5|f",
            id="one gap",
        ),
        pytest.param("", 0, "", id="nothing"),
    ],
)
def test_rows_come_below_one_header(rows: str, marked: int, made: str) -> None:
    def cells(text: str) -> tuple[tuple[str, ...], ...]:
        return tuple(tuple(row.strip().split("|")) for row in text.split("/")) if text else ()

    assert with_header(cells(rows), marked=marked) == cells(made)


def test_columns_become_rows() -> None:
    assert transposed([["Post", "Director", "Head"], ["Limit", "50"]]) == (
        ("Post", "Limit"),
        ("Director", "50"),
        ("Head", ""),
    )


ROWS = (("Post", "Limit"), ("Head", "10"))


@pytest.mark.parametrize(
    ("around", "texts"),
    [
        (["Table 3: Limits", ROWS], ["Table 3: Limits"]),
        (["Table 3: Limits", "(in thousand EUR)", ROWS], ["Table 3: Limits (in thousand EUR)"]),
        (["Amounts are in EUR.", ROWS], ["Amounts are in EUR"]),
        ([ROWS, "Table 3: Limits"], ["Table 3: Limits"]),
        (["Table A. Limits", ROWS], ["Table A. Limits"]),
        (["Table IV: Limits", ROWS], ["Table IV: Limits"]),
        (["Tabelle 3 – Grenzen", ROWS, "Table 4", ROWS], ["Tabelle 3 – Grenzen", "Table 4"]),
        (["Table 3 lists the limits.", ROWS], ["Table 3 lists the limits.", ""]),
        (["The limits are these:", ROWS], ["The limits are these:", ""]),
        (["Table 3: " + "word " * 60, ROWS], ["Table 3: " + "word " * 60, ""]),
    ],
    ids=[
        "above",
        "and a unit",
        "a unit alone",
        "below",
        "a letter",
        "a Roman number",
        "two tables",
        "a sentence",
        "a lead-in",
        "too long",
    ],
)
def test_a_caption_is_taken_off_the_text_and_put_on_its_table(around: list[object], texts: list[str]) -> None:
    blocks = [Block("table", rows=each) if each is ROWS else Block("paragraph", str(each)) for each in around]
    assert [block.text for block in with_captions(blocks)] == texts


def test_the_next_page_of_a_table_has_its_caption_and_another_table_has_not() -> None:
    def table(page: int, name: str) -> Block:
        return Block("table", page=page, rows=((name, "Limit"), ("Head", "10")))

    blocks = [Block("paragraph", "Table 3: Limits", page=1), table(1, "Post"), table(2, "Post"), table(3, "Body")]
    assert [block.text for block in with_captions(blocks)] == ["Table 3: Limits", "Table 3: Limits", ""]
