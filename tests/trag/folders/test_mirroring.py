"""A folder mirrored into a home: what is new, changed, renamed and gone, who may read it, and what is never deleted."""

from __future__ import annotations

import os
import shutil
import unicodedata
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

import pytest

from store.folders import FolderRun
from store.library import Pair
from store.passage import OPEN
from tests.trag.folders.conftest import Mirrored
from trag.ingest import index
from trag.ingest.pair_changes import keep_pair
from trag.progress import Cancelled


def counts(run: FolderRun) -> tuple[int, int, int, int, int]:
    assert run.state == "done", (run.message, run.notes)
    return run.new, run.changed, run.moved, run.gone, run.same


def test_files_become_documents_and_follow_what_happens_to_them(mirrored: Mirrored) -> None:
    mirrored.add(share_gone=100)
    for name in ("a.md", "hr/b.md", "hr/c.txt", "d.md"):
        mirrored.write(name, f"Words of {name}.")
    mirrored.write("hr/photo.heic", "no document")
    mirrored.write(".git/config.md", "hidden")
    mirrored.write("~$a.md", "what Office keeps beside an open file")
    assert counts(mirrored.run()) == (4, 0, 0, 0, 0)
    assert [*mirrored.documents()] == ["a.md", "d.md", "hr/b.md", "hr/c.txt"]
    assert counts(mirrored.run()) == (0, 0, 0, 0, 4)

    mirrored.write("a.md", "Other words.", age=30)
    (mirrored.folder / "hr/b.md").rename(mirrored.folder / "hr/bee.md")
    (mirrored.folder / "d.md").unlink()
    mirrored.write("hr/e.md", "Words of e.")
    seen = mirrored.preview().changes
    assert [each.path for _, each in seen.changed] == ["a.md"]
    assert [(file.path, each.path) for file, each in seen.moved] == [("hr/b.md", "hr/bee.md")]
    assert [file.path for file in seen.gone] == ["d.md"]
    assert [each.path for each in seen.new] == ["hr/e.md"]
    assert counts(mirrored.run()) == (1, 1, 1, 1, 1)
    found = mirrored.documents()
    assert [*found] == ["a.md", "hr/b.md", "hr/c.txt", "hr/e.md"]
    assert "Other words" in found["a.md"]
    assert {path: file.document for path, file in mirrored.files.items()} == {
        "a.md": "a.md",
        "hr/bee.md": "hr/b.md",
        "hr/c.txt": "hr/c.txt",
        "hr/e.md": "hr/e.md",
    }
    held = mirrored.vectors.held()
    assert {name: each.passages for name, each in held.items()} == {
        name: frozenset(mirrored.records.library.passages(name)) for name in found
    }


def test_a_rename_reads_nothing_and_keeps_what_people_made_of_the_document(
    mirrored: Mirrored, monkeypatch: pytest.MonkeyPatch
) -> None:
    mirrored.add()
    mirrored.write("old/leave.md", "Leave is thirty days a year.")
    mirrored.write("stays.md", "It stays.")
    mirrored.run()
    pair = Pair(
        *("p1", "old/leave.md", "leave", None, "How long is leave?", "Thirty days.", "short answer", "person"),
        *("approved", True, "", "ada"),
    )
    keep_pair(pair, mirrored.context)
    before = mirrored.records.library.document("old/leave.md")
    shutil.move(mirrored.folder / "old", mirrored.folder / "new")

    def never(*_: object) -> None:
        raise AssertionError("a file that was only renamed is read or embedded")

    monkeypatch.setattr("trag.ingest.index.read", never)
    monkeypatch.setattr(mirrored.context.embedder, "embed_passages", never)
    assert counts(mirrored.run()) == (0, 0, 1, 0, 1)
    assert mirrored.records.library.document("old/leave.md") == before
    assert mirrored.records.library.pairs("old/leave.md") == (pair,)
    assert mirrored.files["new/leave.md"].document == "old/leave.md"


def test_moved_and_changed_at_once_is_new(mirrored: Mirrored) -> None:
    mirrored.add(share_gone=100)
    for name in ("a.md", "b.md"):
        mirrored.write(name, f"The first words of {name}.")
    mirrored.run()
    (mirrored.folder / "a.md").unlink()
    mirrored.write("c.md", "Quite other words than before.")
    assert counts(mirrored.run()) == (1, 0, 0, 1, 1)
    assert [*mirrored.documents()] == ["b.md", "c.md"]


@pytest.mark.parametrize(
    ("before", "after"), [("Report.md", "report.MD"), (unicodedata.normalize("NFD", "Büro.md"), "Büro.md")]
)
def test_a_name_in_another_case_or_composition_is_the_same_file(mirrored: Mirrored, before: str, after: str) -> None:
    mirrored.add()
    mirrored.write(before, "As it was.")
    mirrored.run()
    (name,) = mirrored.documents()
    (mirrored.folder / before).unlink()
    mirrored.write(after, "As it is now.")
    assert counts(mirrored.run()) == (0, 1, 0, 0, 0)
    assert "As it is now" in mirrored.documents()[name]
    assert mirrored.files[after].document == name


def test_two_names_that_read_the_same_are_told_and_one_is_a_document(mirrored: Mirrored) -> None:
    mirrored.add()
    mirrored.write("Büro.md", "One.")
    mirrored.write(unicodedata.normalize("NFD", "Büro.md"), "Two.")
    run = mirrored.run()
    assert (run.new, run.problems) == (2, 0)
    assert len(mirrored.documents()) == 2


def test_more_than_may_go_is_asked_for_and_nothing_is_changed(mirrored: Mirrored) -> None:
    mirrored.add(most_gone=3, share_gone=100)
    for number in range(8):
        mirrored.write(f"{number}.md", f"Words number {number}.")
    mirrored.run()
    for number in range(4):
        (mirrored.folder / f"{number}.md").unlink()
    mirrored.write("new.md", "Something new.")
    assert mirrored.preview().asks
    run = mirrored.run()
    assert (run.state, run.message) == ("asks", "4 of 8 documents would go.")
    assert len(mirrored.documents()) == 8
    assert "new.md" not in mirrored.documents()
    (mirrored.folder / "4.md").unlink()  # more than whoever looked has seen
    assert mirrored.run(let_go=4).state == "asks"
    assert counts(mirrored.run(let_go=5)) == (1, 0, 0, 5, 3)


def test_a_folder_that_is_empty_or_gone_deletes_nothing(mirrored: Mirrored, tmp_path: Path) -> None:
    mirrored.add(share_gone=100)
    for name in ("a.md", "b.md"):
        mirrored.write(name, f"Words of {name}.")
    mirrored.run()
    mirrored.folder.rename(tmp_path / "elsewhere")
    run = mirrored.run()
    assert run.state == "failed"
    assert "cannot be read" in run.message
    mirrored.folder.mkdir()  # the place where a share was mounted
    assert mirrored.run().state == "asks"
    assert [*mirrored.documents()] == ["a.md", "b.md"]


def test_a_share_that_vanishes_in_the_middle_deletes_nothing(mirrored: Mirrored, tmp_path: Path) -> None:
    mirrored.add(share_gone=100)
    for name in ("a.md", "b.md", "c.md"):
        mirrored.write(name, f"Words of {name}.")
    mirrored.run()
    (mirrored.folder / "a.md").unlink()

    def vanish(step: str, done: int, total: int) -> None:
        if step == "looking for what is gone" and mirrored.folder.exists():
            mirrored.folder.rename(tmp_path / "elsewhere")

    run = mirrored.run(vanish)
    assert run.state == "failed"
    assert [*mirrored.documents()] == ["a.md", "b.md", "c.md"]


def test_what_an_unreadable_folder_holds_stays(mirrored: Mirrored, monkeypatch: pytest.MonkeyPatch) -> None:
    mirrored.add(share_gone=100)
    mirrored.write("hr/a.md", "Words.")
    mirrored.run()
    scan = os.scandir

    def refuse(path: Path) -> object:  # as the system does whoever may not read it, but for root
        if path == mirrored.folder / "hr":
            raise PermissionError(13, "Permission denied")
        return scan(path)

    monkeypatch.setattr("trag.folders.listing.os.scandir", refuse)
    run = mirrored.run()
    assert (run.state, run.problems, run.gone) == ("done", 1, 0)
    assert [*mirrored.documents()] == ["hr/a.md"]


def test_files_that_are_being_written_wait(mirrored: Mirrored) -> None:
    mirrored.add()
    mirrored.write("a.md", "Half of it", age=0)
    run = mirrored.run()
    assert (run.waiting, run.new) == (1, 0)
    file = mirrored.write("b.md", "Old enough.")

    def grow(step: str, done: int, total: int) -> None:
        if step == "reading b.md":
            with file.open("a") as out:
                out.write("more")

    assert mirrored.run(grow).waiting == 2
    mirrored.write("a.md", "All of it.")
    mirrored.write("b.md", "All of it too.")
    assert counts(mirrored.run()) == (2, 0, 0, 0, 0)


def test_links_lead_nowhere_and_no_circle_holds_a_run_up(mirrored: Mirrored, tmp_path: Path) -> None:
    mirrored.add()
    mirrored.write("hr/a.md", "Words.")
    (tmp_path / "secret.md").write_text("A secret.")
    (mirrored.folder / "hr/round").symlink_to(mirrored.folder)
    (mirrored.folder / "secret.md").symlink_to(tmp_path / "secret.md")
    assert counts(mirrored.run()) == (1, 0, 0, 0, 0)


def test_a_run_that_is_stopped_goes_on_where_it_was(mirrored: Mirrored, make_mirrored: Callable[[], Mirrored]) -> None:
    mirrored.add()
    for number in range(6):
        mirrored.write(f"{number}.md", f"Words number {number}.")

    def stop(step: str, done: int, total: int) -> None:
        if step.startswith("reading") and done == 3:
            raise Cancelled

    assert mirrored.run(stop).state == "stopped"
    assert len(mirrored.documents()) == 3
    # A kill between the document and what is written of its file.
    (folder,) = mirrored.records.folders.all()
    mirrored.records.folders.put_files(folder.id, [], instead_of=["1.md"])
    assert counts(mirrored.run()) == (3, 0, 0, 0, 3)
    assert len(mirrored.documents()) == 6


def test_readers_are_those_of_the_deepest_folder_and_follow_a_move(mirrored: Mirrored) -> None:
    hr, pay = frozenset({"hr"}), frozenset({"pay"})
    folder = mirrored.add(audience=frozenset(), rights=(("HR", hr), ("hr/pay", pay)))
    for name in ("a.md", "hr/b.md", "hr/pay/c.md", "hrx/d.md"):
        mirrored.write(name, f"Words of {name}.")
    mirrored.run()
    assert mirrored.records.library.audiences() == {
        "a.md": frozenset(),
        "hr/b.md": hr,
        "hr/pay/c.md": pay,
        "hrx/d.md": frozenset(),
    }
    (mirrored.folder / "hr/b.md").rename(mirrored.folder / "hr/pay/b.md")
    mirrored.run()
    assert mirrored.records.library.audiences()["hr/b.md"] == pay
    mirrored.records.folders.put(replace(folder, audience=OPEN, rights=()), by="ada")
    mirrored.run()
    assert set(mirrored.records.library.audiences().values()) == {OPEN}
    assert set(mirrored.vectors.audiences().values()) == {OPEN}


def test_what_somebody_set_for_one_document_stays(mirrored: Mirrored) -> None:
    mirrored.add()
    mirrored.write("a.md", "Words.")
    mirrored.run()
    mirrored.records.library.set_audience("a.md", frozenset({"hr"}))
    mirrored.write("a.md", "Other words.", age=30)
    mirrored.run()
    assert mirrored.records.library.audiences() == {"a.md": frozenset({"hr"})}


def test_a_file_that_cannot_be_read_is_told_and_read_again_when_asked_for(mirrored: Mirrored) -> None:
    mirrored.add()
    file = mirrored.write("a.pdf", "no PDF")
    run = mirrored.run()
    assert (run.new, run.problems) == (0, 1)
    assert mirrored.files["a.pdf"].problem
    assert mirrored.run().problems == 0
    assert mirrored.run(again=True).problems == 1
    file.unlink()
    assert mirrored.run().state == "done"
    assert mirrored.files == {}


def test_a_copy_is_a_document_once_the_first_is_gone(mirrored: Mirrored) -> None:
    mirrored.add(share_gone=100)
    mirrored.write("a.md", "Words.")
    mirrored.run()
    shutil.copy2(mirrored.folder / "a.md", mirrored.folder / "b.md")
    mirrored.run()
    assert [*mirrored.documents()] == ["a.md"]
    (mirrored.folder / "a.md").unlink()
    assert counts(mirrored.run()) == (0, 0, 1, 0, 0)
    assert mirrored.files["b.md"].document == "a.md"


def test_a_document_that_was_there_with_this_content_becomes_the_files(mirrored: Mirrored) -> None:
    mirrored.add()
    file = mirrored.write("hr/a.md", "Words.")
    index.ingest([file], mirrored.context, audience=frozenset({"hr"}))
    assert counts(mirrored.run()) == (0, 0, 0, 0, 1)
    assert mirrored.records.library.audiences() == {"a.md": frozenset({"hr"})}
    assert mirrored.files["hr/a.md"].document == "a.md"


def test_a_link_that_is_put_in_the_way_of_a_file_leads_nowhere(mirrored: Mirrored, tmp_path: Path) -> None:
    mirrored.add()
    mirrored.write("hr/a.md", "Words.")
    (tmp_path / "secret").mkdir()
    shutil.copy2(mirrored.folder / "hr/a.md", tmp_path / "secret/a.md")

    def swap(step: str, done: int, total: int) -> None:
        if step == "reading hr/a.md" and not (mirrored.folder / "hr").is_symlink():
            shutil.rmtree(mirrored.folder / "hr")
            (mirrored.folder / "hr").symlink_to(tmp_path / "secret")

    run = mirrored.run(swap)
    assert (run.new, run.problems) == (0, 1)
    assert mirrored.documents() == {}
