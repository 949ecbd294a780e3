"""The folders that are mirrored, what was seen of their files, and their runs, on both databases."""

from __future__ import annotations

from dataclasses import replace

import pytest

from store import StoreError
from store.folders import KEPT, Folder, FolderFile, FolderRun
from store.passage import OPEN
from store.records import Records

FOLDER = Folder("Policies", "/srv/policies", frozenset({"u1"}), (("hr", frozenset()), ("open", OPEN)), every=30)


def test_a_folder_is_kept_changed_and_removed(records: Records) -> None:
    folders = records.folders
    kept = folders.add(FOLDER, by="ada")
    assert folders.find("Policies") == folders.find(kept.id) == kept
    assert replace(kept, id="", by="", added=None) == FOLDER
    with pytest.raises(StoreError, match="already a folder called Policies"):
        folders.add(replace(FOLDER, address="/srv/other"), by="ada")
    folders.put(replace(kept, paused=True, audience=frozenset()), by="bob")
    (changed,) = folders.all()
    assert (changed.paused, changed.audience, changed.by) == (True, frozenset(), "ada")
    folders.put_files(kept.id, [FolderFile("a.md", "1:2", 1, "0" * 64, "a.md", OPEN)])
    folders.begin(kept.id, "ada")
    folders.remove(kept.id, by="bob")
    assert (folders.all(), folders.files(kept.id), folders.runs(kept.id), folders.owners()) == ((), {}, (), {})
    with pytest.raises(StoreError, match="no such folder"):
        folders.put(kept, by="bob")
    told = [(each.who, each.what, each.about) for each in reversed(records.audit.page()) if "folder" in each.what]
    assert told == [
        (who, f"folder {what}", "Policies") for who, what in (("ada", "added"), ("bob", "changed"), ("bob", "removed"))
    ]


def test_files_are_kept_by_their_paths(records: Records) -> None:
    folders = records.folders
    one, other = folders.add(FOLDER, by="ada"), folders.add(replace(FOLDER, name="Other"), by="ada")
    files = [FolderFile(f"{number}.md", "s", 2**40, "", f"d{number}" if number else "", OPEN) for number in range(1200)]
    folders.put_files(one.id, files)
    folders.put_files(other.id, [FolderFile("0.md", "s", 1, problem="damaged")])
    assert list(folders.files(one.id).values()) == sorted(files, key=lambda file: file.path)
    folders.put_files(one.id, [replace(files[1], path="moved.md")], instead_of=["1.md", "2.md"])
    found = folders.files(one.id)
    assert len(found) == 1199
    assert "1.md" not in found
    assert found["moved.md"].document == "d1"
    assert folders.owners(["d1", "d2", "x"]) == {"d1": (one.id, "moved.md")}
    assert folders.files(other.id)["0.md"].problem == "damaged"


def test_runs_are_kept_with_what_came_of_them(records: Records) -> None:
    folders = records.folders
    folder = folders.add(FOLDER, by="ada")

    def run(cause: str = "the clock", **counts: int) -> FolderRun:
        return folders.end(replace(folders.begin(folder.id, cause), state="done", notes=("a note",), **counts))

    first = run(new=3)
    assert folders.runs(folder.id) == (first,)
    quiet = [run(same=3) for _ in range(3)]
    assert folders.runs(folder.id) == (quiet[-1], first)
    broken = folders.begin(folder.id, "ada")
    folders.break_off()
    newest = folders.runs(folder.id)[0]
    assert (newest.number, newest.state) == (broken.number, "interrupted")
    for number in range(KEPT + 5):
        run(new=number + 1)
    assert len(folders.runs(folder.id, 1000)) == KEPT
