"""What lasts through kills, another embedder, and a wish to be forgotten; real stores throughout."""

import os
import random
import signal
import subprocess
import sys
import time
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
ROOT = Path(__file__).parents[3]


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
    ingest.reconcile(shelf.records, shelf.vectors, shelf.embedder)
    assert shelf.in_line()
    assert shelf.texts() in ([f"The fee is {fee} EUR a year.", "The seat is Oslo."] for fee in (40, 55))
    assert ingest.reconcile(shelf.records, shelf.vectors, shelf.embedder) == ()
    shelf.ingest(rules, replace=True)
    assert shelf.nearest("membership fee") == "The fee is 55 EUR a year."
    assert shelf.originals() == [NEW]


KILLED_PROCESS = """
import sys
from pathlib import Path
import numpy as np
from store.records import Records
from store.vectors import Vectors
from trag import ingest

class Letters:
    identity, dimension = "letters", 26
    def embed_passages(self, texts, progress=None):
        counts = np.array([[text.lower().count(chr(97 + n)) + 0.01 for n in range(26)] for text in texts], np.float32)
        return counts / np.linalg.norm(counts, axis=1, keepdims=True)

home, documents = Path(sys.argv[1]), Path(sys.argv[2])
records, vectors = Records(f"sqlite:///{home / 'trag.db'}"), Vectors(home / "chroma", embedder="letters", dimension=26)
print("open", flush=True)
ingest.reconcile(records, vectors, Letters())
stores = {"records": records, "vectors": vectors, "files_folder": home / "documents"}
ingest.ingest([documents], **stores, embedder=Letters(), replace=True)
held = {}
for passage in records.library.passages():
    held.setdefault(passage.document, set()).add(passage.id)
print("in line", {name: set(ids) for name, ids in vectors.ids().items()} == held, vectors.count(), flush=True)
"""


def test_a_process_killed_at_random_moments_ends_in_the_same_index_as_an_undisturbed_one(tmp_path: Path) -> None:
    documents = tmp_path / "documents"
    documents.mkdir()
    for number in range(8):
        sections = "\n\n".join(f"## Rule {at}\n\nRule {at} of book {number} is kept." for at in range(12))
        (documents / f"book-{number}.md").write_text(f"# Book {number}\n\n{sections}\n")

    def start(home: Path) -> subprocess.Popen[str]:
        home.mkdir(exist_ok=True)
        arguments = [sys.executable, "-c", KILLED_PROCESS, str(home), str(documents)]
        return subprocess.Popen(arguments, cwd=ROOT, stdout=subprocess.PIPE, text=True, start_new_session=True)

    chance = random.Random(7)
    kills = 0
    for _ in range(20):
        process = start(tmp_path / "killed")
        assert process.stdout is not None
        process.stdout.readline()
        time.sleep(chance.uniform(0, 1))
        if process.poll() is None:
            os.kill(process.pid, signal.SIGKILL)
            kills += 1
        process.communicate()
    assert kills > 0
    last_lines = [
        start(tmp_path / home).communicate(timeout=120)[0].strip().splitlines()[-1] for home in ("killed", "calm")
    ]
    assert last_lines == ["in line True 96"] * 2


def test_reconcile_finishes_what_is_missing_and_removes_what_nobody_knows(shelf: Any, tmp_path: Path) -> None:
    for name, text in (("a.md", OLD), ("b.md", "# B\n\nThe second book.")):
        (tmp_path / name).write_text(text)
        shelf.ingest(tmp_path / name)
    shelf.vectors.delete("a.md")
    shelf.records.library.delete("b.md")
    assert ingest.reconcile(shelf.records, shelf.vectors, shelf.embedder) == ("a.md", "b.md")
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
