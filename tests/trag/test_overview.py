"""What an admin looks at on a Monday."""

from dataclasses import replace
from datetime import date, timedelta
from pathlib import Path

import pytest

from store.records import Records
from store.standing import Validity
from trag.overview import LONG, SOON, Due, due


@pytest.fixture
def records(tmp_path: Path) -> Records:
    records = Records(f"sqlite:///{tmp_path}/trag.db")
    for name in ("old.md", "new.md", "leave; part 2.md"):
        records.library.put(name, "0" * 64, None, [])
    return records


def test_what_is_near_its_end_or_its_review_or_stays_as_it_is_for_long_is_due(records: Records) -> None:
    today, day = date.today(), timedelta(days=1)
    for name in ("a.md", "b.md", "c.md", "d.md"):
        records.library.put(name, "0" * 64, None, [])
    known = {
        "old.md": Validity(valid_to=today - day, review=today - day),
        "new.md": Validity(valid_to=today + SOON),
        "leave; part 2.md": Validity(valid_to=today + SOON + day, review=today),
        "a.md": Validity("withdrawn", valid_to=today - day),
        "b.md": Validity(review=today - 2 * day, supersedes=("c.md",)),
        "c.md": Validity(review=today - day),
    }
    records.validity.put({name: replace(one, by="ada") for name, one in known.items()}, by="ada")
    documents = records.library.documents()
    found = [
        Due("b.md", "review", today - 2 * day),
        Due("old.md", "over", today - day),
        Due("leave; part 2.md", "review", today),
        Due("new.md", "ends", today + SOON),
    ]
    assert due(documents, records, today) == tuple(found), "none that is withdrawn, superseded or new"
    later = {one.document: one.why for one in due(documents, records, today + LONG)}
    assert later["d.md"] == "unchanged"
    assert later["new.md"] == "over"
    assert later["leave; part 2.md"] == "over"
