import json

import pytest

from trag.errors import TragError
from trag.ingest.pairs import DIRECT_TYPES, OTHER_TYPES, read_pairs

GOOD = {"question": "Who?", "answer": "The board.", "type": "short_answer", "document": "a.md", "section": "1 A"}


def lines(*rows: object) -> bytes:
    return "\n".join(row if isinstance(row, str) else json.dumps(row) for row in rows).encode()


def test_pairs_are_read_with_their_line_and_other_fields_are_left_alone() -> None:
    first, second = read_pairs(
        lines(GOOD, "", GOOD | {"type": "Fill in the Blank", "answer": " two\u00a0words ", "extra": 1}), "p.jsonl"
    )
    assert (first.question, first.answer, first.type, first.document, first.section, first.line) == (
        "Who?",
        "The board.",
        "short answer",
        "a.md",
        "1 A",
        1,
    )
    assert first.direct
    assert (second.type, second.answer, second.line, second.direct) == ("fill in the blank", "two words", 3, False)


def test_every_bad_line_is_told_at_once() -> None:
    with pytest.raises(TragError) as caught:
        read_pairs(
            lines(
                GOOD,
                "{not json",
                [1],
                GOOD | {"answer": "", "section": 4},
                GOOD | {"answer": "\u200b", "section": None},
                GOOD | {"type": "riddle"},
                GOOD | {"question": "x" * 4_001},
                "[" * 100_000,
            ),
            "pairs\n.jsonl",
        )
    message = caught.value.message
    assert message.startswith("pairs�.jsonl has lines that are no question-answer pairs: line 2 not JSON (")
    for part in (
        "line 3 not an object but list",
        "lines 4-5 without text in answer, section",
        "line 6 unknown type 'riddle'",
        "line 7 more than 4,000 characters in question",
        "line 8 not JSON",
    ):
        assert part in message
    assert "\n" not in message


def test_what_is_known_of_a_pair_is_read_and_what_is_not_known_is_told() -> None:
    more = {"state": "review", "origin": "model", "page": 3, "source": "The board\nsits."}
    first, second = read_pairs(lines(GOOD | more, GOOD | {"state": None, "page": None, "source": ""}), "p.jsonl")
    assert (first.state, first.origin, first.page, first.source) == ("review", "model", 3, "The board\nsits.")
    assert (second.state, second.origin, second.page, second.source) == (None, None, None, "")
    with pytest.raises(TragError) as caught:
        read_pairs(lines(GOOD | {"state": "done", "page": 0}, GOOD | {"source": ["x"]}), "p.jsonl")
    assert (
        "line 1 unknown state 'done' (known: made, approved, review, deleted), unknown page '0'" in caught.value.message
    )
    assert "line 2 neither text nor a number in source" in caught.value.message


@pytest.mark.parametrize(
    ("said", "page"), [(3, 3), (3.0, 3), ("3.0", 3), ("12", 12), (3.5, None), (float("nan"), None), ("0.0", None)]
)
def test_a_whole_number_is_a_page_however_a_program_writes_it(said: object, page: int | None) -> None:
    if page is None:
        with pytest.raises(TragError, match="unknown page"):
            read_pairs(lines(GOOD | {"page": said}), "p.jsonl")
    else:
        assert read_pairs(lines(GOOD | {"page": said}), "p.jsonl")[0].page == page


def test_a_document_is_named_as_it_shows_however_it_is_spelt() -> None:
    assert (
        read_pairs(lines(GOOD | {"document": " U\u0308ber\u00adsicht.pdf"}), "p.jsonl")[0].document == "Übersicht.pdf"
    )


@pytest.mark.parametrize("content", [b"", b"\n \n"], ids=["empty", "blank lines"])
def test_a_file_without_pairs_is_an_error(content: bytes) -> None:
    with pytest.raises(TragError, match="holds no question-answer pair"):
        read_pairs(content, "p.jsonl")


def test_no_type_is_both_direct_and_not() -> None:
    assert not DIRECT_TYPES & OTHER_TYPES
