"""The table of readers: read, written, and looked up; nothing is for everyone or nobody that does not say so."""

from __future__ import annotations

import pytest

from org.chart import Chart, Unit
from store.folders import Folder
from store.passage import OPEN
from trag.errors import TragError
from trag.folders.rights import read_readers, read_rights, readers_of, write_rights

CHART = Chart([Unit("u1", "Larkmoor", "foundation", None), Unit("u2", "Desk", "office", "u1")])


def test_a_table_is_read_as_it_is_written() -> None:
    rights = read_rights("Folder;Readers\nhr\\pay;Desk|u1\n/board/;nobody\nopen;everyone\n", CHART)
    assert rights == (("board", frozenset()), ("hr/pay", frozenset({"u1", "u2"})), ("open", OPEN))
    assert read_rights(write_rights(rights), CHART) == rights
    assert read_rights(" \n", CHART) == ()


@pytest.mark.parametrize("row", ["hr", "hr,", ",u1", "hr,u9", "hr,everyone|u1", "../x,u1", "hr,u1\nhr,u2"])
def test_what_a_table_leaves_open_is_refused(row: str) -> None:
    with pytest.raises(TragError, match="The table of readers: row"):
        read_rights(row, CHART)


def test_no_readers_are_no_choice() -> None:
    with pytest.raises(TragError, match="is not said"):
        read_readers(["", " "], CHART)
    assert read_readers(["everyone"], None) == OPEN
    assert read_readers(["nobody"], None) == frozenset()


def test_the_deepest_folder_counts_however_a_share_writes_its_names() -> None:
    rights = (("Büro", frozenset({"u1"})), ("büro/pay", frozenset()))
    folder = Folder("Share", "/srv", OPEN, rights)
    assert readers_of("bu\u0308ro/a.md", folder) == {"u1"}
    assert readers_of("BÜRO/Pay/a.md", folder) == frozenset()
    assert readers_of("büro2/a.md", folder) == OPEN
