"""The example questions, on SQLite and on PostgreSQL."""

from __future__ import annotations

import pytest

from store import StoreError
from store.records import Records

QUESTIONS = ("Who signs above 50,000 LMD?", "Wer leitet das Büro \U0001f600?", "'); DROP TABLE examples;--")


def test_example_questions_stay_in_their_order_until_others_take_their_place(url: str) -> None:
    records = Records(url)
    assert records.examples.all() == ()
    records.examples.put(QUESTIONS)
    records.close()
    records = Records(url)
    assert records.examples.all() == QUESTIONS
    records.examples.put(QUESTIONS[:0:-1], instead_of=QUESTIONS)
    assert records.examples.all() == (QUESTIONS[2], QUESTIONS[1])
    records.examples.put((), by="ada")
    assert records.examples.all() == ()
    (last, *_) = records.audit.page()
    assert (last.who, last.what, last.result) == ("ada", "example questions set", "0")
    records.close()


def test_example_questions_take_the_place_only_of_those_that_were_seen(url: str) -> None:
    records = Records(url)
    records.examples.put(QUESTIONS[:1])
    with pytest.raises(StoreError, match="changed meanwhile"):
        records.examples.put(QUESTIONS, instead_of=())
    assert records.examples.all() == QUESTIONS[:1]
    records.close()
