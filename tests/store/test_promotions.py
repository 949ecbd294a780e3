"""Promotions, on SQLite and on PostgreSQL."""

from __future__ import annotations

import pytest

from store import StoreError
from store.records import Records

A, B = "20261120-0a0a0a0a", "20261121-0b0b0b0b"


def test_the_last_promotion_counts_and_none_is_forgotten(url: str) -> None:
    records = Records(url)
    assert records.promotions.current() == ""
    records.promotions.put(A, by="ada")
    assert records.promotions.current() == A
    records.promotions.put(B, by="bob", instead_of=A)
    records.close()
    records = Records(url)
    assert records.promotions.current() == B
    records.promotions.put("", by="ada")
    assert records.promotions.current() == ""
    assert [(each.adapter, each.by) for each in records.promotions.all()] == [("", "ada"), (B, "bob"), (A, "ada")]
    moments = [each.at for each in records.promotions.all()]
    assert moments == sorted(moments, reverse=True)
    records.close()


def test_a_promotion_takes_the_place_only_of_the_adapter_that_was_seen(url: str) -> None:
    records = Records(url)
    records.promotions.put(A, by="ada", instead_of="")
    with pytest.raises(StoreError, match=f"promoted meanwhile: {A}"):
        records.promotions.put(B, by="bob", instead_of="")
    assert records.promotions.current() == A
    records.close()
