"""Conflicts between documents, on SQLite and PostgreSQL."""

import pytest

from store import StoreError
from store.conflict import Side, conflict_id
from store.passage import Passage
from store.records import Records

FEE = Side("fees.md", "Rooms", "A room costs 30 EUR.")
OTHER = Side("guide.md", "Rooms", "Each room is 25 EUR.")


def write(records: Records, side: Side, more: str = "") -> None:
    passage = Passage(f"{side.document}{more}", "section", side.document, side.section, None, f"{side.words} {more}")
    records.library.put(side.document, more or "first", None, [passage])


@pytest.fixture(autouse=True)
def _documents(records: Records) -> None:
    records.save_answer("a1", None, "What is a room?", "30 EUR.", "{}", asker="ann")
    write(records, FEE)
    write(records, OTHER)


def test_a_conflict_is_kept_once_whichever_side_comes_first(records: Records) -> None:
    records.conflicts.put("a1", [(FEE, OTHER), (OTHER, FEE)])
    records.conflicts.put("a2", [(OTHER, FEE)])
    (one,) = records.conflicts.all()
    assert (one.question, one.first, one.second, one.state) == ("What is a room?", FEE, OTHER, "open")
    assert one.id == conflict_id(OTHER, FEE)


def test_what_was_asked_is_shown_until_it_is_forgotten(records: Records) -> None:
    records.conflicts.put("a1", [(FEE, OTHER)])
    records.forget_person("ann", by="root")
    (one,) = records.conflicts.all()
    assert (one.question, one.first) == ("", FEE)


def test_what_somebody_says_to_be_none_stays_known_as_none(records: Records) -> None:
    records.conflicts.put("?", [(FEE, OTHER)])
    id = conflict_id(FEE, OTHER)
    assert not records.conflicts.denied([id])
    records.conflicts.set_state(id, "none", by="ann")
    records.conflicts.put("again?", [(FEE, OTHER)])
    (one,) = records.conflicts.all()
    assert (one.state, one.by) == ("none", "ann")
    assert records.conflicts.denied([id, "other"]) == {id}
    records.conflicts.set_state(id, "open", by="bob")
    assert not records.conflicts.denied([id])
    assert [each.what for each in records.audit.all()].count("conflict judged") == 2


def test_it_goes_when_a_document_no_longer_says_so_or_is_forgotten(records: Records) -> None:
    records.conflicts.put("?", [(FEE, OTHER)])
    write(records, FEE, "More.")
    assert len(records.conflicts.all()) == 1
    write(records, Side("fees.md", "Rooms", "A room costs 25 EUR."), "Changed.")
    assert records.conflicts.all() == ()
    with pytest.raises(StoreError, match="no longer there"):
        records.conflicts.set_state(conflict_id(FEE, OTHER), "none", by="ann")
    write(records, FEE, "Back.")
    records.conflicts.put("?", [(FEE, OTHER)])
    assert records.library.delete("guide.md")
    assert records.conflicts.all() == ()
    records.conflicts.put("?", [(FEE, OTHER)])
    assert records.conflicts.all() == ()
