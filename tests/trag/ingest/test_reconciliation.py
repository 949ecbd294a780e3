"""What lasts through kills, faults and another embedder; real stores throughout."""

from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from store import StoreError, disk_full, files
from store.library import Library
from store.passage import OPEN
from store.vectors import Vectors
from trag.ingest import forgetting, reconciliation
from trag.progress import Cancelled

pytestmark = pytest.mark.slow  # the embedder takes seconds to load

OLD = "# Rules\n\n## Fees\n\nThe fee is 40 EUR a year.\n\n## Seat\n\nThe seat is Oslo.\n"
NEW = OLD.replace("40", "55")


STEPS = pytest.mark.parametrize(
    ("owner", "step"),
    [(files, "keep"), (Library, "put"), (Vectors, "put")],
    ids=["the original", "the records", "the index"],
)


class Killed(BaseException):
    """Ends an ingest on the spot, as nothing that is caught would."""


@pytest.mark.parametrize("after", [False, True], ids=["before", "after"])
@STEPS
def test_an_ingest_killed_at_any_step_leaves_the_old_or_the_new(
    shelf: Any, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, owner: Any, step: str, after: bool
) -> None:
    rules = tmp_path / "rules.md"
    rules.write_text(OLD)
    shelf.ingest(rules)
    rules.write_text(NEW)
    whole = getattr(owner, step)

    def killed(*arguments: Any, **options: Any) -> None:
        if after:
            whole(*arguments, **options)
        raise Killed

    monkeypatch.setattr(owner, step, killed)
    with pytest.raises(Killed):
        shelf.ingest(rules, replace=True)
    monkeypatch.undo()
    shelf.close()
    shelf.open()
    reconciliation.reconcile(shelf.context)
    assert shelf.in_line()
    assert shelf.texts() in ([f"The fee is {fee} EUR a year.", "The seat is Oslo."] for fee in (40, 55))
    assert reconciliation.reconcile(shelf.context) == ()
    shelf.ingest(rules, replace=True)
    assert shelf.nearest("membership fee") == "The fee is 55 EUR a year."
    assert shelf.originals() == [NEW]


@STEPS
@pytest.mark.parametrize("before", [None, OLD], ids=["a new document", "a new version"])
def test_a_document_whose_ingest_failed_at_any_step_is_whole_when_it_comes_again(
    shelf: Any, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, owner: Any, step: str, before: str | None
) -> None:
    rules = tmp_path / "rules.md"
    if before:
        rules.write_text(before)
        shelf.ingest(rules)
    rules.write_text(NEW)

    def fail(*arguments: Any, **options: Any) -> None:
        raise disk_full("here")

    monkeypatch.setattr(owner, step, fail)
    with pytest.raises(StoreError):
        shelf.ingest(rules, replace=True)
    monkeypatch.undo()
    (again,) = shelf.ingest(rules, replace=True)
    assert again.outcome in ("indexed", "replaced")
    assert shelf.in_line()
    assert shelf.nearest("membership fee") == "The fee is 55 EUR a year."
    assert shelf.originals() == [NEW]
    assert [result.outcome for result in shelf.ingest(rules, replace=True)] == ["unchanged"]


def test_an_original_that_was_lost_is_kept_again_when_the_document_comes_again(shelf: Any, tmp_path: Path) -> None:
    (tmp_path / "a.md").write_text(OLD)
    shelf.ingest(tmp_path / "a.md")
    for original in (shelf.folder / "documents").iterdir():
        original.unlink()
    shelf.ingest(tmp_path / "a.md")
    assert shelf.originals() == [OLD]


def test_a_page_that_the_index_has_otherwise_than_the_records_is_put_right(shelf: Any, tmp_path: Path) -> None:
    (tmp_path / "a.md").write_text(OLD)
    shelf.ingest(tmp_path / "a.md")
    passages = list(shelf.records.library.passages("a.md"))
    moved = [replace(passage, page=7) for passage in passages]
    points = shelf.embedder.embed_passages([passage.text for passage in moved])
    shelf.vectors.put("a.md", moved, points, audience=OPEN)
    assert reconciliation.reconcile(shelf.context) == ("a.md",)
    assert shelf.vectors.held("a.md")["a.md"].passages == set(passages)
    assert reconciliation.reconcile(shelf.context) == ()


def test_the_next_start_removes_the_original_that_a_killed_ingest_left(shelf: Any, tmp_path: Path) -> None:
    (tmp_path / "a.md").write_text(OLD)
    shelf.ingest(tmp_path / "a.md")
    files.keep(shelf.folder / "documents", NEW.encode(), ".md")
    reconciliation.reconcile(shelf.context)
    assert shelf.originals() == [OLD]


def test_reconcile_finishes_what_is_missing_and_removes_what_nobody_knows(shelf: Any, tmp_path: Path) -> None:
    for name, text in (("a.md", OLD), ("b.md", "# B\n\nThe second book.")):
        (tmp_path / name).write_text(text)
        shelf.ingest(tmp_path / name)
    shelf.vectors.delete("a.md")
    shelf.records.library.delete("b.md")
    assert reconciliation.reconcile(shelf.context) == ("a.md", "b.md")
    assert shelf.in_line()
    assert shelf.vectors.count() == 2


def test_an_index_of_another_encoder_is_made_anew_while_documents_change(shelf: Any, tmp_path: Path) -> None:
    for name in "abcd":
        (tmp_path / f"{name}.md").write_text(f"{OLD}\nOf {name}.\n")
        shelf.ingest(tmp_path / f"{name}.md")

    class Other:
        identity, dimension = "other", shelf.embedder.dimension
        embed_passages, embed_questions = shelf.embedder.embed_passages, shelf.embedder.embed_questions

    def found(words: str, *readers: str) -> set[str]:
        vector = np.zeros(shelf.embedder.dimension, dtype=np.float32)
        passages = shelf.vectors.search(vector, words, kinds=["section"], k=9, readers=readers)
        return {passage.document for passage in passages}

    shelf.close()
    shelf.embedder = Other()
    shelf.open()
    assert reconciliation.begin(shelf.context) == ((), ("a.md", "b.md", "c.md", "d.md"))
    assert found("fee", *OPEN) == {"a.md", "b.md", "c.md", "d.md"}

    def progress(step: str, done: int, total: int) -> None:
        if (step, done, total) == ("indexing", 1, 2):
            raise Cancelled

    with pytest.raises(Cancelled):
        reconciliation.finish(["a.md", "b.md"], shelf.context, progress)
    assert set(shelf.vectors.held()) == {"a.md"}
    reconciliation.set_audience("b.md", frozenset({"hr"}), shelf.context)
    forgetting.forget("c.md", shelf.context)
    (tmp_path / "d.md").write_text(NEW)
    shelf.ingest(tmp_path / "d.md", replace=True)
    assert (found("fee", *OPEN), found("fee", "hr")) == ({"a.md", "d.md"}, {"b.md"})
    shelf.close()
    shelf.open()
    assert reconciliation.begin(shelf.context) == ((), ("b.md",))
    reconciliation.finish(["b.md", "c.md"], shelf.context)
    assert shelf.in_line()
    assert (found("fee", *OPEN), found("fee", "hr")) == ({"a.md", "d.md"}, {"b.md"})


def test_who_may_read_a_document_is_right_before_the_rest_of_it_is(shelf: Any, tmp_path: Path) -> None:
    (tmp_path / "a.md").write_text(OLD)
    shelf.ingest(tmp_path / "a.md")
    shelf.records.library.set_audience("a.md", frozenset({"hr"}))
    assert reconciliation.begin(shelf.context) == ((), ("a.md",))
    assert shelf.vectors.audiences() == {"a.md": {"hr"}}
    reconciliation.finish(["a.md"], shelf.context)
    assert reconciliation.begin(shelf.context) == ((), ())
