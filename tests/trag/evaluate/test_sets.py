"""The sets of questions that people keep: what becomes of damaged ones."""

from pathlib import Path

import pytest

from trag.evaluate.cases import Case, CaseSets

WHERE, WHO = Case("1", "Where is the Tug Team?", "simple"), Case("2", "Who is the pilot?", "simple")


@pytest.mark.parametrize("about", [b"", b"{", b"[]", b'{"name": "Other"}', b"\xff"])
def test_a_set_of_which_nobody_can_tell_what_it_is_hides_no_other(tmp_path: Path, about: bytes) -> None:
    sets = CaseSets(tmp_path)
    kept, damaged = sets.keep([WHERE], "Where", by="ada"), sets.keep([WHO], "Who", by="ada")
    (tmp_path / f"{damaged.id}.about").write_bytes(about)
    assert (sets.all(), sets.find(damaged.id)) == ((kept,), None)
    again = sets.keep([WHO], "Who", by="ada")
    assert set(sets.all()) == {kept, again}
