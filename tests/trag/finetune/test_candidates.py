"""Candidates: kept whole or not at all, found again, and no longer offered once they are damaged."""

import json
from dataclasses import replace
from datetime import UTC, datetime
from pathlib import Path

import pytest

from trag.errors import TragError
from trag.models import adapters
from trag.models.adapters import Candidates, Figure, Manifest, Measured, Verdict

FIGURE = Figure("All questions", 40, 20, 30, 12, 2, 0.013)
MEASURED = Measured(
    datetime(2026, 11, 20, 20, tzinfo=UTC), "", Verdict(True, ("Better: <b>.",), (FIGURE,)), "20261120-2000"
)


def add(candidates: Candidates, folder: Path, content: bytes = b"weights") -> Manifest:
    (folder / "made.gguf").write_bytes(content)
    return adapters.add(
        folder / "made.gguf",
        base_name="SmolLM2",
        base_sha256="b" * 64,
        dataset_sha256="d" * 64,
        settings=(("rank", "16"), ("steps", "20")),
        by="ada",
        cases=b'{"id": "1"}\n',
        learned=("Who?", "Où ça ?"),
    )


def test_a_candidate_is_found_again_with_all_that_is_known_of_it(tmp_path: Path) -> None:
    kept = Candidates(tmp_path / "adapters")
    assert kept.all() == ()
    made = add(kept, tmp_path)
    assert made.id == f"{made.made:%Y%m%d}-{made.adapter_sha256[:8]}"
    assert Candidates(tmp_path / "adapters").get(made.id) == made
    assert kept.file(made.id).read_bytes() == b"weights"
    assert kept.cases(made.id).read_bytes() == b'{"id": "1"}\n'
    assert kept.learned(made.id) == ("Who?", "Où ça ?")
    measured = kept.keep_results(made.id, MEASURED)
    assert kept.all() == (measured,) == (replace(made, results=MEASURED),)


def test_one_that_an_earlier_program_kept_is_read_with_what_is_known_of_it(tmp_path: Path) -> None:
    kept = Candidates(tmp_path / "adapters")
    made = add(kept, tmp_path)
    measured = kept.keep_results(made.id, replace(MEASURED, against_sha256="a" * 64))
    folder = tmp_path / "adapters" / made.id
    (folder / "learned.json").unlink()
    values = json.loads((folder / "manifest.json").read_text())
    del values["results"]["against_sha256"]
    values["results"]["choice_run"] = "20261120-2001"
    (folder / "manifest.json").write_text(json.dumps(values))
    assert kept.get(made.id) == replace(measured, results=MEASURED)
    assert kept.learned(made.id) is None


def test_the_same_adapter_again_is_the_candidate_it_was(tmp_path: Path) -> None:
    kept = Candidates(tmp_path / "adapters")
    made = add(kept, tmp_path)
    kept.keep_results(made.id, MEASURED)
    assert add(kept, tmp_path).results == MEASURED
    other = add(kept, tmp_path, b"others")
    assert [each.id for each in kept.all()] == [other.id, made.id]


@pytest.mark.parametrize("harm", ["no manifest", "a broken manifest", "another manifest"])
def test_what_is_not_whole_is_never_offered(tmp_path: Path, harm: str) -> None:
    kept = Candidates(tmp_path / "adapters")
    made = add(kept, tmp_path)
    manifest = tmp_path / "adapters" / made.id / "manifest.json"
    if harm == "no manifest":
        manifest.unlink()
    else:
        manifest.write_text(manifest.read_text()[:40] if harm == "a broken manifest" else '{"id": "x"}')
    assert kept.all() == ()
    with pytest.raises(TragError, match="There is no adapter"):
        kept.get(made.id)


@pytest.mark.parametrize("id", ["", "..", "../adapters/20261120-0a0a0a0a", "20261120-0a0a0a0a/../x"])
def test_no_id_leads_out_of_the_folder(tmp_path: Path, id: str) -> None:
    kept = Candidates(tmp_path / "adapters")
    add(kept, tmp_path)
    with pytest.raises(TragError, match="There is no adapter"):
        kept.get(id)
    with pytest.raises(TragError, match="There is no adapter"):
        kept.remove(id)
    assert (tmp_path / "made.gguf").exists()


def test_a_removed_candidate_leaves_nothing(tmp_path: Path) -> None:
    kept = Candidates(tmp_path / "adapters")
    made = add(kept, tmp_path)
    kept.file(made.id).write_bytes(b"changed")
    kept.remove(made.id)
    assert list((tmp_path / "adapters").iterdir()) == []


def test_the_manifest_of_what_ships_is_read_where_it_is_whole(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    kept = Candidates(tmp_path / "adapters")
    made = add(kept, tmp_path)
    monkeypatch.setattr(adapters, "SHIPPED", kept.file(made.id).parent)
    assert adapters.shipped() == made
    monkeypatch.setattr(adapters, "SHIPPED", tmp_path)
    assert adapters.shipped() is None
