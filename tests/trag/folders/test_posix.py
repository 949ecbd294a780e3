"""The rights of a share as a table of readers."""

import os
from pathlib import Path

import pytest

from org.reading.charts import load
from store.folders import Folder
from store.passage import OPEN
from trag.errors import TragError
from trag.folders import posix
from trag.folders.rights import read_rights, readers_of, write_rights

CHART = load(b"name,parent,type\nTop,,trust\nStaff Office,Top,office\nBoard,Top,board\nAudit,Board,unit\n", "chart.csv")
ID = {unit.name: unit.id for unit in CHART.units.values()}
GROUPS = "group,units\nstaff,Staff Office\nboard,Board\nhr,Staff Office|Audit\nother,nobody\n"
EXPORT = """# file: .
# owner: root
# group: staff
user::rwx
group::r-x
group:board:r-x
mask::r-x
other::---

# file: pay
# owner: root
# group: hr
user::rwx
user:ann:r--
group::r-x
group:board:rwx\t#effective:--x
mask::r-x
other::---
default:group::r-x

# file: pay/2024.csv
# owner: root
# group: hr
user::rw-
group::r--
other::r--

# file: minutes
# group: staff
user::rwx
group::r-x
group:board:r-x
other::---

# file: minutes/closed\\040one.md
# group: board
user::rw-
group::r--
other::---

# file: minutes/open.md
# group: staff
user::rw-
group::r--
group:board:r--
other::---
"""


def test_the_lists_of_a_share_become_the_readers_of_what_differs_from_its_folder() -> None:
    found = posix.rights(posix.of_export(EXPORT), GROUPS, CHART)
    assert found.readers == {ID["Staff Office"], ID["Board"]}
    assert dict(found.rights) == {
        "minutes/closed one.md": {ID["Board"]},
        # Who is in hr alone cannot enter the folder above, whatever the list of this one says.
        "pay": {ID["Board"]},
    }
    assert found.persons == 1
    table = write_rights(found.rights)
    folder = Folder("share", "/srv", found.readers, read_rights(table, CHART))
    assert readers_of("minutes/closed one.md", folder) == {ID["Board"]}
    assert readers_of("minutes/open.md", folder) == found.readers
    assert readers_of("pay/2024.csv", folder) == {ID["Board"]}


def test_the_mask_bounds_a_group_and_not_the_others() -> None:
    (entry,) = posix.of_export("# file: .\n# group: g\ngroup::rwx\ngroup:h:rw-\nmask::r--\nother::r-x\n").values()
    assert entry.groups == {"g": "r--", "h": "r--", "other": "r-x"}


def test_names_in_other_letters_and_the_bit_of_a_shared_folder_take_no_rights_away() -> None:
    export = (
        "# file: .\n# group: staff\n# flags: -s-\ngroup::r-s\nother::---\n\n"
        "# file: löhne\n# group: board\ngroup::r-x\nother::---\n"
        "# file: pl\\303\\244ne\n# group: staff\ngroup::r-S\nother::---\n"
    )
    entries = posix.of_export(export)
    assert set(entries) == {"", "löhne", "pläne"}
    assert (entries[""].groups["staff"], entries["pläne"].groups["staff"]) == ("r-x", "r--")
    found = posix.rights(entries, GROUPS, CHART)
    assert (found.readers, dict(found.rights)) == ({ID["Staff Office"]}, {"löhne": frozenset()})


def test_what_is_open_to_everyone_is_a_table_that_can_be_read() -> None:
    export = "# file: .\n# group: staff\ngroup::r-x\nother::---\n\n# file: a\n# group: staff\ngroup::r--\nother::r--\n"
    found = posix.rights(posix.of_export(export), GROUPS.replace("staff,Staff Office", "staff,everyone"), CHART)
    assert found.readers == OPEN
    assert found.rights == ()
    found = posix.rights(posix.of_export(EXPORT), GROUPS.replace("hr,Staff Office|Audit", "hr,everyone"), CHART)
    assert read_rights(write_rights(found.rights), CHART) == found.rights


def test_the_modes_of_a_folder_are_read_where_there_is_no_export(tmp_path: Path) -> None:
    for path, mode in (("open/a.md", 0o644), ("closed/b.md", 0o644), (".git/c.md", 0o644), ("open/d.md", 0o600)):
        file = tmp_path / path
        file.parent.mkdir(exist_ok=True)
        file.write_text("x")
        file.chmod(mode)
    tmp_path.chmod(0o755)
    (tmp_path / "open").chmod(0o755)
    (tmp_path / "closed").chmod(0o700)
    entries = posix.of_folder(tmp_path)
    assert set(entries) == {"", "open", "closed", "open/a.md", "open/d.md", "closed/b.md"}
    (own,) = set(entries[""].groups) - {"other"}
    found = posix.rights(entries, f"{own},Board\nother,everyone\n", CHART)
    assert found.readers == OPEN >= {"everyone"}
    assert dict(found.rights) == {"closed": frozenset(), "open/d.md": frozenset()}


@pytest.mark.parametrize(
    ("export", "groups", "said"),
    [
        (EXPORT, "staff,Staff Office\nother,nobody\n", "no row for: board, hr"),
        (EXPORT, "staff\n", "Row 1 of the table of groups"),
        (EXPORT, GROUPS.replace("Board", "Nowhere"), "Nowhere"),
        ("# file: srv/share\n# group: g\ngroup::r-x\nother::---\n", GROUPS, "does not begin with the folder itself"),
        ("drwxr-xr-x 2 root root 4096 pay\n", GROUPS, "Line 1 is none of an export of getfacl"),
    ],
)
def test_what_is_wrong_is_said(export: str, groups: str, said: str) -> None:
    with pytest.raises(TragError, match=said):
        posix.rights(posix.of_export(export), groups, CHART)


@pytest.mark.skipif(os.geteuid() == 0, reason="root may look at everything")
def test_a_folder_that_cannot_be_looked_at_is_named(tmp_path: Path) -> None:
    (tmp_path / "closed").mkdir(mode=0o000)
    with pytest.raises(TragError, match="closed cannot be looked at"):
        posix.of_folder(tmp_path)
