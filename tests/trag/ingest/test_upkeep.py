"""What lasts through kills, another embedder, and a wish to be forgotten; real stores throughout."""

from pathlib import Path
from typing import Any

import pytest

from store import files
from store.library import Library
from store.vectors import Vectors
from trag import ingest
from trag.errors import TragError

pytestmark = pytest.mark.slow  # the embedder takes seconds to load

OLD = "# Rules\n\n## Fees\n\nThe fee is 40 EUR a year.\n\n## Seat\n\nThe seat is Oslo.\n"
NEW = OLD.replace("40", "55")


class Killed(BaseException):
    """Ends an ingest on the spot, as nothing that is caught would."""


@pytest.mark.parametrize("after", [False, True], ids=["before", "after"])
@pytest.mark.parametrize(
    ("owner", "step"),
    [(files, "keep"), (Library, "put"), (Vectors, "put")],
    ids=["the original", "the records", "the index"],
)
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
    ingest.reconcile(shelf.stock)
    assert shelf.in_line()
    assert shelf.texts() in ([f"The fee is {fee} EUR a year.", "The seat is Oslo."] for fee in (40, 55))
    assert ingest.reconcile(shelf.stock) == ()
    shelf.ingest(rules, replace=True)
    assert shelf.nearest("membership fee") == "The fee is 55 EUR a year."
    assert shelf.originals() == [NEW]


def test_reconcile_finishes_what_is_missing_and_removes_what_nobody_knows(shelf: Any, tmp_path: Path) -> None:
    for name, text in (("a.md", OLD), ("b.md", "# B\n\nThe second book.")):
        (tmp_path / name).write_text(text)
        shelf.ingest(tmp_path / name)
    shelf.vectors.delete("a.md")
    shelf.records.library.delete("b.md")
    assert ingest.reconcile(shelf.stock) == ("a.md", "b.md")
    assert shelf.in_line()
    assert shelf.vectors.count() == 2


def test_reindex_makes_the_index_anew_for_another_embedder(shelf: Any, tmp_path: Path) -> None:
    (tmp_path / "a.md").write_text(OLD)
    shelf.ingest(tmp_path / "a.md")
    shelf.vectors.close()

    class Other:
        identity, dimension = "other", shelf.embedder.dimension
        embed_passages, embed_questions = shelf.embedder.embed_passages, shelf.embedder.embed_questions

    told: list[tuple[str, int, int]] = []
    other: Any = Other()
    assert ingest.reindex(shelf.records, shelf.folder / "chroma", other, lambda *step: told.append(step)) == 2
    assert told == [("embedding", 2, 2)]
    shelf.embedder = other
    shelf.open()
    assert shelf.in_line()
    assert shelf.nearest("membership fee") == "The fee is 40 EUR a year."


def test_forget_removes_every_trace_and_says_what(shelf: Any, tmp_path: Path) -> None:
    for name, text in (
        ("a.md", OLD + "\n## Code\n\nThe code word is zanzibarite.\n"),
        ("b.md", "# B\n\nThe second book."),
    ):
        (tmp_path / name).write_text(text)
        shelf.ingest(tmp_path / name)
    receipt = shelf.forget("a.md")
    assert str(receipt) == "forgotten: a.md (3 passages, 0 pairs, 3 vectors, the original; checked, nothing is left)"
    assert shelf.in_line()
    assert shelf.texts() == ["The second book."]
    shelf.close()
    holding = [path for path in shelf.folder.rglob("*") if path.is_file() and b"zanzibarite" in path.read_bytes()]
    shelf.open()
    assert holding == []


def test_forget_names_what_is_meant_when_it_knows_no_such_document(shelf: Any, tmp_path: Path) -> None:
    (tmp_path / "rules.md").write_text(OLD)
    shelf.ingest(tmp_path / "rules.md")
    with pytest.raises(TragError) as caught:
        shelf.forget("ruels.md")
    assert (caught.value.message, caught.value.hint) == ("There is no document ruels.md.", "Did you mean rules.md?")
