"""Charts and adapters that were put in use, on SQLite and on PostgreSQL."""

from __future__ import annotations

import pytest

from store import StoreError
from store.records import Records

A, B = "20261120-0a0a0a0a", "20261121-0b0b0b0b"


def test_the_chart_activated_last_is_in_use_and_every_activation_is_kept_with_who_and_when(records: Records) -> None:
    assert records.chart_versions.active() is None
    for version, by in (("v1", "ada"), ("v2", "bob"), ("v1", "cyd"), ("v1", "")):  # the last two are the way back
        activated = records.chart_versions.activate(version, "chart.csv", version * 32, by=by)
    assert records.chart_versions.active() == activated
    first, second = records.chart_versions.all()
    assert [(each.version, each.active) for each in (first, second)] == [("v1", True), ("v2", False)]
    assert [each.by for each in first.activations] == ["ada", "cyd", ""]
    assert [each.by for each in second.activations] == ["bob"]
    moments = [each.at for each in first.activations]
    assert moments == sorted(moments)
    assert first.activated == moments[-1]
    assert first.in_use(second.activated) == first.activations[0]
    assert first.in_use(moments[1]) == first.activations[1]
    assert second.in_use(moments[0]) is None


def test_a_chart_takes_the_place_only_of_the_one_that_was_seen_in_use(records: Records) -> None:
    records.chart_versions.activate("v1", "a.csv", "1" * 64, by="ada", size=7, instead_of="")
    for seen in ("", "v0"):
        with pytest.raises(StoreError, match=r"activated meanwhile: a\.csv"):
            records.chart_versions.activate("v2", "b.csv", "2" * 64, instead_of=seen, by="ada")
    records.chart_versions.activate("v2", "b.csv", "2" * 64, by="bob", size=9, original="3" * 64, instead_of="v1")
    told = [(each.version, each.by, each.size, each.original) for each in records.chart_versions.all()]
    assert told == [("v2", "bob", 9, "3" * 64), ("v1", "ada", 7, "")]


def test_the_last_promotion_counts_and_none_is_forgotten(records: Records) -> None:
    assert records.promotions.current() == ""
    records.promotions.put(A, by="ada")
    assert records.promotions.current() == A
    records.promotions.put(B, by="bob", instead_of=A)
    assert records.promotions.current() == B
    records.promotions.put("", by="ada")
    assert records.promotions.current() == ""
    assert [(each.adapter, each.by) for each in records.promotions.all()] == [("", "ada"), (B, "bob"), (A, "ada")]
    moments = [each.at for each in records.promotions.all()]
    assert moments == sorted(moments, reverse=True)


def test_a_promotion_takes_the_place_only_of_the_adapter_that_was_seen(records: Records) -> None:
    records.promotions.put(A, by="ada", instead_of="")
    with pytest.raises(StoreError, match=f"promoted meanwhile: {A}"):
        records.promotions.put(B, by="bob", instead_of="")
    assert records.promotions.current() == A
