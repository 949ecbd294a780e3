"""Which adapter answers, and the adapters that a home has made: each in a folder of its own with what it came from and
how it was measured.

TRAG_HOME/adapters/<id>/: adapter.gguf, cases.jsonl (questions that its training has not seen), learned.json (those
that it has), then manifest.json, written last and at once: a folder without one is unfinished, and never offered.
"""

from __future__ import annotations

import json
import re
import shutil
from collections.abc import Sequence
from dataclasses import astuple, dataclass, replace
from datetime import UTC, datetime
from pathlib import Path
from typing import Literal

from store import disk_full, files
from trag.errors import OperatorError
from trag.json_lines import kept, to_keep
from trag.llm import files as model_files
from trag.llm.files import ADAPTER_FILE, SHIPPED, sha256_of
from trag.settings import Settings

CASES, LEARNED, MANIFEST = "cases.jsonl", "learned.json", "manifest.json"
_ID = r"\d{8}-[0-9a-f]{8}"


@dataclass(frozen=True, slots=True)
class Figure:
    """How one kind of question was answered before and after: of `questions`, so many right; `better` and `worse` are
    those that changed sides, and `p` is how likely chance alone parts those so far (exact McNemar test, two-sided)."""

    name: str
    questions: int
    before: int
    after: int
    better: int
    worse: int
    p: float


@dataclass(frozen=True, slots=True)
class Verdict:
    """Whether a candidate has earned its place, why or why not, and the figures that say so, first that of all."""

    promote: bool
    reasons: tuple[str, ...]
    figures: tuple[Figure, ...]


@dataclass(frozen=True, slots=True)
class Measurement:
    """A verdict, the adapter that answered then ("" for none), and the id of the run that has the answers to all but
    the general questions.
    `against_sha256` is that of the adapter that answered, "" for none, None where it was not written down."""

    at: datetime
    against: str
    verdict: Verdict
    run: str
    against_sha256: str | None = None


@dataclass(frozen=True, slots=True)
class Manifest:
    """Where an adapter comes from. `base_sha256` is of the file it was trained on; `settings` are what it was trained
    with, each a name and a value; `results` is None until it was measured."""

    id: str
    made: datetime
    base_name: str
    base_sha256: str
    adapter_sha256: str
    dataset_sha256: str
    settings: tuple[tuple[str, str], ...]
    by: str
    results: Measurement | None = None


@dataclass(frozen=True, slots=True)
class Baseline:
    """What a candidate is held against: sha256 of the base model, and the adapter on it with its own, "" for none."""

    base_sha256: str
    adapter: str
    adapter_sha256: str


CandidateStatus = Literal["unmeasured", "outdated", "earned", "not earned"]


def candidate_status(candidate: Manifest, now: Baseline | None) -> CandidateStatus:
    """How a candidate stands beside what answers `now` (None where nothing can): its figures say something only as long
    as that is what they were measured against."""
    results = candidate.results
    if results is None:
        return "unmeasured"
    if (candidate.base_sha256, results.against, results.against_sha256) != (now and astuple(now)):
        return "outdated"
    return "earned" if results.verdict.promote else "not earned"


@dataclass(frozen=True, slots=True)
class Candidates:
    """The candidates kept in `folder`. Any method may raise StoreError for a failing disk."""

    folder: Path

    def all(self) -> tuple[Manifest, ...]:
        """Every candidate, the newest first. One whose manifest cannot be read is left out."""
        found = filter(None, (_read(file) for file in self.folder.glob(f"*/{MANIFEST}")))
        return tuple(sorted(found, key=lambda each: (each.made, each.id), reverse=True))

    def get(self, id: str) -> Manifest:
        """Raises TragError when there is no such candidate, or its adapter is no longer what it was."""
        found = _read(self.folder / id / MANIFEST) if re.fullmatch(_ID, id) else None
        if found is None:
            known = ", ".join(each.id for each in self.all()[:5]) or "none yet"
            raise OperatorError(f"There is no adapter {id}; there are: {known}.", "python -m trag finetune list")
        file = self.file(id)
        if not file.is_file() or sha256_of(file) != found.adapter_sha256:
            raise OperatorError(
                f"{file} is gone, or no longer what was measured.",
                "Restore it from a backup, or promote another: python -m trag finetune list",
            )
        return found

    def file(self, id: str) -> Path:
        """Where the adapter of a candidate is."""
        return (self.folder / id / ADAPTER_FILE).absolute()

    def cases(self, id: str) -> Path:
        """Where the questions are that its training has not seen, as JSON lines; the file may be empty."""
        return self.folder / id / CASES

    def learned(self, id: str) -> tuple[str, ...] | None:
        """The questions that its training has seen, None where they were not kept."""
        file = self.folder / id / LEARNED
        return kept(tuple[str, ...], file.read_bytes()) if file.exists() else None

    def add(
        self,
        adapter: Path,
        *,
        base_name: str,
        base_sha256: str,
        dataset_sha256: str,
        settings: Sequence[tuple[str, str]],
        by: str,
        cases: bytes = b"",
        learned: Sequence[str] = (),
    ) -> Manifest:
        """Keeps a copy of the file `adapter` as a candidate. The same adapter again is the candidate it was."""
        sha256 = sha256_of(adapter)
        if known := next((each for each in self.all() if each.adapter_sha256 == sha256), None):
            return known
        made = datetime.now(UTC)
        id = f"{made:%Y%m%d}-{sha256[:8]}"
        manifest = Manifest(id, made, base_name, base_sha256, sha256, dataset_sha256, tuple(settings), by)
        target = self.folder / id / ADAPTER_FILE
        target.parent.mkdir(parents=True, exist_ok=True)
        if shutil.disk_usage(target.parent).free < 2 * adapter.stat().st_size:
            raise disk_full(str(target))
        files.write_atomic(target, adapter.read_bytes())
        files.write_atomic(self.cases(id), cases)
        files.write_atomic(self.folder / id / LEARNED, json.dumps(learned, ensure_ascii=False, indent=0).encode())
        _write(self.folder / manifest.id / MANIFEST, manifest)
        return manifest

    def keep_results(self, id: str, results: Measurement) -> Manifest:
        """The candidate, measured. Raises TragError when it is gone."""
        measured = replace(self.get(id), results=results)
        _write(self.folder / id / MANIFEST, measured)
        return measured

    def remove(self, id: str) -> None:
        """Forgets a candidate. Raises TragError when there is no such one."""
        if not re.fullmatch(_ID, id) or not (self.folder / id / MANIFEST).is_file():
            self.get(id)
        (self.folder / id / MANIFEST).unlink()  # first: without it the rest is no candidate, wherever a kill comes
        shutil.rmtree(self.folder / id)


def shipped() -> Manifest | None:
    """Where the adapter that ships comes from, None where none does or that is not written down in full."""
    return _read(SHIPPED / MANIFEST)


def ship(manifest: Manifest) -> None:
    """Writes down where the adapter that ships comes from; without that it is not used."""
    _write(SHIPPED / MANIFEST, manifest)


def _write(file: Path, manifest: Manifest) -> None:
    files.write_atomic(file, to_keep(manifest))


def _read(file: Path) -> Manifest | None:
    try:
        return kept(Manifest, file.read_bytes())
    except (OSError, ValueError):
        return None


def answering(settings: Settings, promoted: str, candidates: Candidates) -> str:
    """The file of the adapter that answers, "" for none; `promoted` is the id of a candidate, "" for the adapter that
    ships. Raises TragError when that candidate is gone."""
    if settings.model_url:
        return ""
    if promoted and not settings.adapter and not why_left_out(settings, promoted, candidates):
        return str(candidates.file(promoted))
    return model_files.adapter_file(settings.model, settings.adapter)


def why_left_out(settings: Settings, promoted: str, candidates: Candidates) -> str:
    """Why the promoted candidate does not answer, "" where it does or none is. Raises TragError when it is gone."""
    if not promoted:
        return ""
    if name := fixed_by(settings):
        return f"The promoted adapter {promoted} does not answer: {name} says what does."
    made_for = candidates.get(promoted)
    if made_for.base_sha256 == model_files.base_sha256(settings.model):
        return ""
    return (
        f"The promoted adapter {promoted} does not answer: it was trained on {made_for.base_name}, and the model is "
        f"{model_files.base_name(settings.model)}."
    )


def fixed_by(settings: Settings) -> str:
    """The name of the setting that says what answers, whatever is promoted; "" for none."""
    return "TRAG_MODEL_URL" if settings.model_url else "TRAG_ADAPTER" if settings.adapter else ""


def check_local(settings: Settings) -> None:
    """Raises TragError where a server answers, which no adapter can be put on."""
    if settings.model_url:
        raise OperatorError(
            "TRAG_MODEL_URL says what answers, and no adapter can be put on that.",
            "Take TRAG_MODEL_URL out of the settings to make or measure one.",
        )


def check_open(settings: Settings) -> None:
    """Raises TragError where the settings say what answers, whatever is promoted."""
    if name := fixed_by(settings):
        raise OperatorError(
            f"{name} says what answers, so that promoting an adapter would change nothing.",
            f"Take {name} out of the settings first.",
        )


def adapter_file_of(id: str, settings: Settings, candidates: Candidates) -> str:
    """The file of a candidate; for the id "" that of the adapter that ships, "" where none does.

    Raises TragError when the candidate is gone, or was trained on another model.
    """
    if not id:
        return model_files.adapter_file(settings.model, "")
    made_for, base = candidates.get(id), model_files.base_sha256(settings.model)
    if made_for.base_sha256 != base:
        raise OperatorError(
            f"The adapter {id} was trained on {made_for.base_name} ({made_for.base_sha256[:12]}), and the model is "
            f"{model_files.base_name(settings.model)} ({base[:12]}).",
            "Set TRAG_MODEL to the model it was trained on, or fine-tune this one.",
        )
    return str(candidates.file(id))
