"""Documents that are forgotten: every trace of them, through faults and through kills; real stores throughout.

KILLS_SEED=n chooses other moments.
"""

from __future__ import annotations

import os
import random
import shutil
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from store import collection, disk_full, files
from store.embedded import Embedded
from store.library import Library
from tests.trag.ingest.killing import Standing, Worker, forget
from trag.errors import TragError
from trag.ingest import forgetting, reconciliation
from trag.ingest.context import generated_folder

pytestmark = pytest.mark.slow  # the embedder takes seconds to load

SEED = int(os.environ.get("KILLS_SEED", "7"))
SECRET = "# Codes\n\n## Code\n\nThe code word is zanzibarite.\n\n## Seat\n\nThe seat is Oslo.\n"
OTHER = "# B\n\nThe second book.\n"


def fill(shelf: Any, folder: Path) -> None:
    """Two documents; and of each a failed upload, a drawn page, and pairs that a model wrote."""
    for name, text in (("a.md", SECRET), ("b.md", OTHER)):
        (folder / name).write_text(text)
        shelf.ingest(folder / name)
        failed = f"{text}Older.\n"
        for content in (text, failed):
            sha256 = files.keep(shelf.context.uploads, content.encode(), ".md")
            job = shelf.records.jobs.add(name, sha256, "ada")
            shelf.records.jobs.end(job.id, "failed", "It is damaged.")
        page = shelf.context.pages / shelf.records.library.document(name).sha256
        for place in (page, generated_folder(shelf.folder, name)):
            place.mkdir(parents=True)
            (place / "1.json").write_text(text)
    (generated_folder(shelf.folder, "a.md").parent / "of-nobody-knows-which.json").write_text(SECRET)


def holding(shelf: Any, words: bytes) -> list[Path]:
    """The files of a home that hold these words."""
    shelf.close()
    found = [path for path in shelf.folder.rglob("*") if path.is_file() and words in path.read_bytes()]
    shelf.open()
    return found


def is_gone(shelf: Any) -> None:
    """Nothing is left of the one document, and all of the other."""
    assert [document.name for document in shelf.records.library.documents()] == ["b.md"]
    assert shelf.in_line()
    assert shelf.texts() == ["The second book."]
    assert {job.name for job in shelf.records.jobs.all()} == {"b.md"}
    assert shelf.records.library.leaving() == ()
    assert holding(shelf, b"zanzibarite") == []
    # The original, two uploads, the page, the pairs; the rest are the stores'.
    others = [path for path in holding(shelf, b"The second book.") if "chroma" not in path.parts]
    assert len([path for path in others if not path.name.startswith("trag.db")]) == 5


def test_forget_removes_every_trace_and_says_what(shelf: Any, tmp_path: Path) -> None:
    fill(shelf, tmp_path)
    receipt = shelf.forget("a.md")
    assert str(receipt) == "forgotten: a.md (2 passages, 0 pairs, 2 vectors, the original; checked, nothing is left)"
    (event,) = shelf.records.audit.page(what="document forgotten")
    assert (event.about, event.result) == ("a.md", str(receipt))
    is_gone(shelf)


def test_forget_names_what_is_meant_when_it_knows_no_such_document(shelf: Any, tmp_path: Path) -> None:
    fill(shelf, tmp_path)
    shelf.forget("a.md")
    with pytest.raises(TragError) as caught:
        shelf.forget("c.md")
    assert (caught.value.message, caught.value.hint) == ("There is no document c.md.", "Did you mean b.md?")


FAULTS = pytest.mark.parametrize(
    ("owner", "step", "said"),
    [
        pytest.param(collection, "remove", "its vectors (No space is left for", id="the index"),
        pytest.param(forgetting, "sweep", "the original or drawn pages (No space", id="the original"),
        pytest.param(forgetting, "drop_unwanted", "a copy in the line of uploads (No space", id="the uploads"),
        pytest.param(forgetting, "rmtree", "(Input/output error)", id="drawn pages"),
        pytest.param(Embedded, "check_room", "its words in the files of the index (No space", id="compacting"),
    ],
)


@FAULTS
@pytest.mark.parametrize("again", [True, False], ids=["forgotten again", "the next start"])
def test_a_document_whose_removal_failed_at_any_step_is_not_found_and_is_gone_after(
    shelf: Any,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    owner: Any,
    step: str,
    said: str,
    again: bool,
) -> None:
    fill(shelf, tmp_path)
    assert "zanzibarite" in shelf.nearest("the code word")

    def fail(*arguments: Any, **options: Any) -> None:
        raise OSError(5, "Input/output error") if step == "rmtree" else disk_full("here")

    monkeypatch.setattr(owner, step, fail)
    receipt = shelf.forget("a.md")
    assert said in str(receipt)
    assert "nothing is left" not in str(receipt)
    assert "zanzibarite" not in shelf.nearest("the code word")
    assert shelf.records.library.document("a.md") is None
    if not again:
        shelf.close()
        shelf.open()
        reconciliation.reconcile(shelf.context)  # a start where nothing is better than before
        assert "zanzibarite" not in shelf.nearest("the code word")
    monkeypatch.undo()
    if again:
        later = shelf.forget("a.md")
        assert (later.left, later.sections) == ((), 2)
    else:
        shelf.close()
        shelf.open()
        assert reconciliation.reconcile(shelf.context) == ("a.md",)
    is_gone(shelf)


def test_a_full_database_changes_nothing_or_loses_no_receipt(
    shelf: Any, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    fill(shelf, tmp_path)

    def fail(*arguments: Any, **options: Any) -> None:
        raise disk_full("here")

    monkeypatch.setattr("store.library.audit.note", fail)
    with pytest.raises(Exception, match="No space is left"):
        shelf.forget("a.md")
    monkeypatch.undo()
    assert "zanzibarite" in shelf.nearest("the code word")
    assert shelf.in_line()
    monkeypatch.setattr(Library, "has_left", fail)
    assert shelf.forget("a.md").left == ()
    monkeypatch.undo()
    reconciliation.reconcile(shelf.context)
    is_gone(shelf)


def test_a_copy_that_waits_to_be_read_stays_and_stands_in_the_receipt(shelf: Any, tmp_path: Path) -> None:
    fill(shelf, tmp_path)
    newer = files.keep(shelf.context.uploads, SECRET.replace("Oslo", "Bergen").encode(), ".md")
    job = shelf.records.jobs.add("a.md", newer, "ada")
    assert shelf.forget("a.md").left == ("a copy in the line of uploads",)
    assert [path.stem for path in holding(shelf, b"zanzibarite")] == [newer]
    shelf.records.jobs.end(job.id, "cancelled", "")
    assert shelf.forget("a.md").left == ()
    is_gone(shelf)


def test_a_document_given_again_while_the_old_one_is_leaving_stays(
    shelf: Any, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    fill(shelf, tmp_path)
    shelf.records.library.set_audience("a.md", frozenset(["board"]))
    shelf.vectors.set_audience("a.md", ["board"])
    monkeypatch.setattr(collection, "remove", lambda *_: 1 / 0)
    with pytest.raises(ZeroDivisionError):
        shelf.forget("a.md")
    monkeypatch.undo()
    (tmp_path / "a.md").write_text(SECRET.replace("zanzibarite", "yttrium"))
    shelf.ingest(tmp_path / "a.md")
    assert "yttrium" in shelf.nearest("the code word")
    reconciliation.reconcile(shelf.context)
    assert "yttrium" in shelf.nearest("the code word")
    assert shelf.vectors.audiences()["a.md"] == {"everyone"}
    assert shelf.records.library.leaving() == ()
    (kept,) = holding(shelf, b"zanzibarite")
    assert kept.parent == shelf.context.uploads, "another version, which may be tried again"


SEAMS = (
    "Library.delete", "Vectors.delete", "forgetting.drop_unwanted", "forgetting.rmtree", "forgetting.sweep",
    "Vectors.compact", "Library.has_left",
)  # fmt: skip
"""What a forgetting has told when it is killed."""


@pytest.mark.timeout(600)  # each start looks through an index that was not closed: 4 s
def test_a_document_whose_removal_is_killed_is_there_whole_or_gone_after_the_next_start(
    tmp_path: Path, open_shelf: Callable[[Path, Any], Any]
) -> None:
    home = tmp_path / "home"
    shelf = open_shelf(home, Standing())
    fill(shelf, tmp_path)
    shelf.close()
    chance = random.Random(SEED)
    with Worker(forget) as worker:
        for seam in SEAMS:
            folder = tmp_path / seam
            shutil.copytree(home, folder)
            kill = worker.run(folder, "a.md", seam, wait=chance.choice([0, chance.uniform(0, 0.1)]))
            assert seam in kill
            shelf = open_shelf(folder, Standing())
            reconciliation.reconcile(shelf.context)
            if shelf.records.library.document("a.md"):
                assert len(kill) < 2, "the records had not gone yet"
                assert shelf.in_line()
                assert sorted(shelf.originals()) == sorted([SECRET, OTHER])
                assert shelf.forget("a.md").left == ()
            is_gone(shelf)
            shelf.close()
