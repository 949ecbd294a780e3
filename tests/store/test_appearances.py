"""What the organization shows of itself, version by version, on both databases."""

from dataclasses import replace

import pytest

from store import StoreError
from store.appearances import Appearance, differing
from store.records import Records


def test_each_saving_is_a_version_and_the_newest_counts(records: Records) -> None:
    assert records.appearances.current() == Appearance()
    first = Appearance("Larkmoor", "#112299", "Hello", ("Who signs?", "Wer?"), "Desk", "desk@example.org", 30)
    kept = records.appearances.put(first, logo="aGk=", by="ada", where="10.0.0.7")
    assert kept == records.appearances.current()
    assert replace(kept, version=0, by="", at=None, logo=False) == first
    assert (kept.version, kept.by, kept.logo, records.appearances.logo()) == (1, "ada", True, "aGk=")
    second = records.appearances.put(replace(kept, welcome=""), by="bo")
    assert (second.version, second.logo, records.appearances.logo()) == (2, True, "aGk=")
    records.appearances.put(second, logo="", by="bo")
    assert records.appearances.logo() == ""
    assert differing(records.appearances.version(1), records.appearances.current()) == ("welcome",)
    told = [(each.who, each.about, each.result) for each in records.audit.page(what="appearance set")]
    all_of_it = "organization, accent, welcome, examples, contact, contact_at, days_kept, logo"
    assert told == [("bo", "version 3", "logo"), ("bo", "version 2", "welcome"), ("ada", "version 1", all_of_it)]


def test_the_second_of_two_who_saw_the_same_version_changes_nothing(records: Records) -> None:
    seen = records.appearances.current()
    records.appearances.put(replace(seen, welcome="mine"), logo="aGk=", by="ada")
    with pytest.raises(StoreError, match="Somebody else saved meanwhile"):
        records.appearances.put(replace(seen, welcome="theirs"), logo="", by="bo")
    assert (records.appearances.current().welcome, records.appearances.logo()) == ("mine", "aGk=")
