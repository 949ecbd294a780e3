"""What the reranker learns from, made of two written organizations."""

import shutil
from pathlib import Path

import pytest

from trag.finetune.dataset.corpus import CORPUS
from trag.finetune.reranker import corpus
from trag.finetune.reranker.examples import listings
from trag.ingest.upkeep import silent

pytestmark = pytest.mark.slow


def test_organizations_are_kept_and_whole_ones_are_held_out(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    places = tmp_path / "training"
    for name in ("first", "second"):
        shutil.copytree(CORPUS / "ardstat", places / name)
    monkeypatch.setattr(corpus, "CORPUS", places)
    monkeypatch.setattr(corpus, "HELD_OUT", 0.5)
    monkeypatch.setattr(corpus, "listings", lambda cases, home: listings(cases[:12], home))
    learned, held_out = corpus.make(tmp_path / "listings", seed=1, progress=silent)
    assert len(learned) > 5
    assert sorted(one.question for one in learned) == sorted(one.question for one in held_out)
    files = {file: file.stat().st_mtime_ns for file in (tmp_path / "listings").iterdir()}
    assert len(files) == 2
    assert corpus.make(tmp_path / "listings", seed=1, progress=silent) == (learned, held_out)
    assert {file: file.stat().st_mtime_ns for file in (tmp_path / "listings").iterdir()} == files
