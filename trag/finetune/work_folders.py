"""The fine-tunes of a home, each in a folder of its own that holds all it needs to go on after a kill.

TRAG_HOME/finetune/<id>/: work.json (what was asked for, and how far it is), beginning.gguf and known.json (the adapter
that it begins from, and the questions which that one has learned), dataset/, training/, adapter.gguf.
"""

from __future__ import annotations

import json
import re
import shutil
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import UTC, datetime
from pathlib import Path
from typing import Literal, get_args

from store import files
from trag.errors import TragError
from trag.json_lines import kept, to_keep
from trag.llm.files import adapter_name

Stage = Literal["dataset", "train", "export", "measure", "done"]
"""What is to be done next; every stage before it is whole."""
STAGES: tuple[Stage, ...] = get_args(Stage)
MOST_SEED = 10**9
"""Seeds of fine-tunes are 1 to this, so that one beyond is never learned from."""
_WORK, _BEGINNING, _KNOWN = "work.json", "beginning.gguf", "known.json"
_DATASET, _TRAINING = "dataset", "training"
_ID = r"\d{8}-\d{6}"


@dataclass(frozen=True, slots=True)
class Work:
    """One fine-tune, measured by so many `questions` (0: as usual). `base` is the Hugging Face folder it is trained on,
    "" for the model in use; `adapter` is what it begins from, and `candidate` what came of it, "" for none."""

    id: str
    begun: datetime
    by: str
    seed: int
    settings: tuple[tuple[str, float], ...] = ()
    questions: int = 0
    stage: Stage = "dataset"
    candidate: str = ""
    base: str = ""
    adapter: str = ""

    def is_past(self, stage: Stage) -> bool:
        """Whether all that comes before a stage is done."""
        return STAGES.index(self.stage) >= STAGES.index(stage)

    @property
    def finished(self) -> bool:
        """Whether nothing is left to be done."""
        return self.stage == "done"


@dataclass(frozen=True, slots=True)
class Works:
    """The fine-tunes kept in `folder`. Any method may raise StoreError for a failing disk."""

    folder: Path

    def all(self) -> tuple[Work, ...]:
        """Every fine-tune, the newest first. One that cannot be read is left out."""
        found = filter(None, (_read(file) for file in self.folder.glob(f"*/{_WORK}")))
        return tuple(sorted(found, key=lambda work: work.id, reverse=True))

    def unfinished(self) -> Work | None:
        """The newest fine-tune, if something of it is left to be done."""
        newest = next(iter(self.all()), None)
        return newest if newest and not newest.finished else None

    def of(self, candidate: str) -> tuple[Work, ...]:
        """The fine-tunes that a candidate came of, the newest first: two may have made the same one."""
        return tuple(work for work in self.all() if candidate and work.candidate == candidate)

    def get(self, id: str) -> Work:
        """Raises TragError when there is no such fine-tune."""
        found = _read(self.folder / id / _WORK) if re.fullmatch(_ID, id) else None
        if found is None:
            raise TragError(f"There is no fine-tune {id}.", "python -m trag finetune begins one.")
        return found

    def begin(
        self,
        *,
        by: str,
        seed: int,
        settings: Mapping[str, float],
        questions: int = 0,
        base: str = "",
        adapter: Path | None = None,
        known: Sequence[str] = (),
    ) -> Work:
        """A new one. It keeps a copy of the adapter that it begins from: another one may answer when it goes on."""
        begun, name, chosen = datetime.now(UTC), adapter_name(adapter) if adapter else "", tuple(settings.items())
        work = Work(f"{begun:%Y%m%d-%H%M%S}", begun, by, seed, chosen, questions, base=base, adapter=name)
        self.place(work).mkdir(parents=True)
        if adapter:
            files.write_atomic(self.beginning(work), adapter.read_bytes())
            files.write_atomic(self.place(work) / _KNOWN, json.dumps(known, ensure_ascii=False, indent=0).encode())
        self._write(work)
        return work

    def after(self, work: Work, stage: Stage, *, candidate: str = "") -> Work:
        """The same with everything before `stage` done."""
        now = replace(work, stage=stage, candidate=candidate or work.candidate)
        self._write(now)
        return now

    def place(self, work: Work) -> Path:
        """The folder of one."""
        return (self.folder / work.id).absolute()

    def beginning(self, work: Work) -> Path:
        """The adapter that one begins from, where it begins from one."""
        return self.place(work) / _BEGINNING

    def known(self, work: Work) -> tuple[str, ...]:
        """The questions that the adapter has learned which one begins from."""
        file = self.place(work) / _KNOWN
        return kept(tuple[str, ...], file.read_bytes()) if file.exists() else ()

    def dataset(self, work: Work) -> Path:
        """The folder of what one learns from."""
        return self.place(work) / _DATASET

    def training(self, work: Work) -> Path:
        """The folder in which one is trained."""
        return self.place(work) / _TRAINING

    def remove(self, work: Work) -> None:
        """Forgets one, with its checkpoints; the candidate that came of it stays."""
        (self.place(work) / _WORK).unlink(missing_ok=True)  # first: without it the rest is none, wherever a kill comes
        shutil.rmtree(self.place(work), ignore_errors=True)

    def _write(self, work: Work) -> None:
        files.write_atomic(self.place(work) / _WORK, to_keep(work))


def _read(file: Path) -> Work | None:
    try:
        return kept(Work, file.read_bytes())
    except (OSError, ValueError):
        return None
