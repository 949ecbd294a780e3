"""Which entries of a book are suggested, by vectors and by words."""

import zlib
from collections.abc import Sequence

import numpy as np
import pytest

from org.procedures.actions import Action, Table, Trigger
from org.procedures.flows import Book
from trag.workflow.suggesting import STEPS, Suggester

BOOK = Book.of(
    [
        Action("approve", "Ask for a signature", "The head signs."),
        Action("post", "Book the invoice", "The ledger has it."),
        *(Action(f"n{number}", f"Thing {number}", f"Number {number} of many.") for number in range(40)),
    ],
    (),
    [Table("invoice", "Invoice", "What a supplier wants.")],
    [Trigger("daily", "Every day", "In the morning.")],
)


def encode(texts: Sequence[str]) -> np.ndarray:
    """Each word in one of 256 places, as if order and length said nothing."""
    vectors = np.zeros((len(texts), 256), dtype=np.float32)
    for row, text in zip(vectors, texts, strict=True):
        for word in text.lower().replace(":", "").split():
            row[zlib.crc32(word.encode()) % 256] += 1
    return vectors / np.linalg.norm(vectors, axis=1, keepdims=True)


@pytest.fixture(scope="module")
def suggester() -> Suggester:
    return Suggester(BOOK, encode)


def test_each_part_of_a_long_request_finds_its_own_step_and_says_by_which_words(suggester: Suggester) -> None:
    request = f"ask for a signature and then, {'whatever else there may be to say of it, ' * 6}book the invoice"
    found = suggester.suggest(request)
    assert len(found.steps) == STEPS
    words = {each.name: each.words for each in found.steps}
    assert words["post"].endswith("book the invoice")
    assert words["approve"] == "ask for a signature"
    assert [each.score for each in found.steps] == sorted((each.score for each in found.steps), reverse=True)
    assert [(each.kind, each.name) for each in (*found.tables, *found.triggers)] == [
        ("table", "invoice"),
        ("trigger", "daily"),
    ]


def test_what_somebody_may_not_use_is_not_suggested_however_near(suggester: Suggester) -> None:
    found = suggester.suggest("book the invoice", usable={"approve", "n7"})
    assert {each.name for each in found.steps} == {"approve", "n7"}
    assert not found.tables
    assert not found.triggers


def test_a_book_without_any_suggests_nothing() -> None:
    assert not Suggester(Book.of((), ()), encode).suggest("anything").steps
