"""The runs of evaluations: by what program and model, on what evidence; kept answer by answer.

TRAG_HOME/results/<run id>/: run.json (what was run, on what), cases.jsonl (the questions), results.jsonl (a line for
each answer, on the disk before the next question is asked), labels.jsonl (what people said of an answer). Beside them
audits/<sha256 of the questions>.json: what an audit keeps of its questions, as long as a run of them is here.
"""

from __future__ import annotations

import hashlib
import json
import logging
import os
import re
import shutil
import subprocess
from collections.abc import Callable, Mapping, Sequence
from contextlib import suppress
from dataclasses import asdict, dataclass, replace
from datetime import UTC, datetime
from functools import cache
from itertools import chain, count
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypeVar

from store import disk_full, files
from trag.errors import OperatorError, TragError
from trag.evaluate import cases as case_files
from trag.evaluate.cases import Case
from trag.evaluate.scoring import Score
from trag.json_lines import made, to_keep
from trag.record import AnswerRecord, ModelUsed, Verdict

if TYPE_CHECKING:
    from trag.llm.model import LanguageModel

T = TypeVar("T")
log = logging.getLogger(__name__)

AUDITS = "audits"
_RUN, _CASES, _RESULTS, _LABELS = "run.json", "cases.jsonl", "results.jsonl", "labels.jsonl"
_ROOT = Path(__file__).parents[2]
_SOURCES = ("app.py", "org", "prompts", "requirements.txt", "store", "trag")


@dataclass(frozen=True, slots=True)
class Run:
    """One evaluation: which questions, which systems, and all that the answers depended on.

    A system is what the measurement calls it; behind a colon stands another adapter than the one that answers, "base"
    for none. `started` and `finished` are in UTC; `finished` is None while it runs, and when it was interrupted.
    `commit` is that of the program, `chart` the version of the chart, `total` how many answers make the run whole.
    `evidence` is the sha256 of what is searched or shown and of the settings that answers depend on, "" for unknown.
    """

    id: str
    cases_name: str
    cases_sha256: str
    systems: tuple[str, ...]
    started: datetime
    finished: datetime | None
    commit: str
    model: ModelUsed
    chart: str
    total: int
    adapter_sha256: str = ""
    evidence: str = ""


@dataclass(frozen=True, slots=True)
class Result:
    """One answer of one system to one case, and what is thought of it."""

    system: str
    case: Case
    record: AnswerRecord
    score: Score


class Results:
    """The runs kept in `folder`. One process writes at a time; others may read meanwhile."""

    def __init__(self, folder: Path) -> None:
        self._folder = folder

    def runs(self) -> tuple[Run, ...]:
        """Every run, the newest first. One that cannot be read is left out, and the log says which."""
        found = filter(None, (_run(file) for file in self._folder.glob(f"*/{_RUN}")))
        return tuple(sorted(found, key=lambda run: (run.started, run.id), reverse=True))

    def run(self, run_id: str) -> Run:
        """Raises TragError when there is no such run, or it cannot be read."""
        file = self._place(run_id) / _RUN
        run = _run(file)
        if run is None:
            raise TragError(f"The run {run_id} is damaged, or a newer version wrote it.", _remove_hint(run_id))
        return run

    def cases(self, run_id: str) -> tuple[Case, ...]:
        """The questions of a run, in the order in which they are asked."""
        file = self._place(run_id) / _CASES
        return case_files.read(_content(file), str(file))

    def results(self, run_id: str) -> tuple[Result, ...]:
        """The answers that a run has so far; what people said of one stands before what its gold says.

        A last line that a kill cut short does not count. Raises TragError when another line is damaged, or the run is
        removed meanwhile.
        """
        folder = self._place(run_id)
        cases = {case.id: case for case in self.cases(run_id)}
        labels: dict[tuple[str, str], tuple[Verdict, str]] = {}
        if (folder / _LABELS).exists():
            labels = dict(
                _lines(folder / _LABELS, lambda one: ((one["system"], one["case"]), (one["verdict"], one["by"])))
            )

        def result(values: Mapping[str, Any]) -> Result:
            score = Score(**values["score"] | {"reasons": tuple(values["score"]["reasons"])})
            if label := labels.get((values["system"], values["case"])):
                reasons = (*score.reasons, f"{label[0]} in the eyes of {label[1]}")
                score = replace(score, verdict=label[0], reasons=reasons)
            record = AnswerRecord.from_json(json.dumps(values["record"]))
            return Result(values["system"], cases[values["case"]], record, score)

        return tuple(_lines(folder / _RESULTS, result))

    def begin(self, planned: Run, cases: Sequence[Case]) -> Run:
        """A new run like the planned one, under an id of its own and without results."""
        self._folder.mkdir(parents=True, exist_ok=True)
        name = f"{planned.started:%Y%m%d-%H%M%S}"
        for run_id in chain([name], (f"{name}-{number}" for number in count(2))):
            folder = self._folder / run_id
            with suppress(FileExistsError):
                folder.mkdir()
                break
        run = replace(planned, id=run_id)
        files.write_atomic(folder / _CASES, case_files.write(cases))
        files.write_atomic(folder / _RESULTS, b"")
        self._write(run)  # last, so that a folder with a run in it is whole
        return run

    def add(self, run: Run, result: Result) -> None:
        """Keeps an answer. Raises StoreError when the disk is full."""
        score, record = asdict(result.score), asdict(result.record)
        line = {"system": result.system, "case": result.case.id, "score": score, "record": record}
        append(self._folder / run.id / _RESULTS, line)

    def label(self, run: Run, system: str, case_id: str, verdict: Verdict, *, by: str) -> None:
        """Keeps what `by` says of an answer, in place of what anybody said before."""
        at = datetime.now(UTC).isoformat(timespec="seconds")
        line = {"system": system, "case": case_id, "verdict": verdict, "by": by, "at": at}
        append(self._folder / run.id / _LABELS, line)

    def finish(self, run: Run) -> Run:
        """The run, whole from now on."""
        finished = replace(run, finished=datetime.now(UTC))
        self._write(finished)
        return finished

    def remove(self, run_id: str) -> None:
        """Forgets a run and its answers, also one that cannot be read, and with the last run of an audit its questions.
        Raises TragError when there is no such run."""
        folder = self._place(run_id)
        gone = _run(folder / _RUN)
        (folder / _RUN).unlink()  # first: without it the rest is no run, wherever a kill comes
        shutil.rmtree(folder)
        if gone and all(run.cases_sha256 != gone.cases_sha256 for run in self.runs()):
            (self._folder / AUDITS / f"{gone.cases_sha256}.json").unlink(missing_ok=True)

    def _place(self, run_id: str) -> Path:
        """The folder of a run. Raises TragError when there is no such run."""
        folder = self._folder / run_id
        if not re.fullmatch(r"[0-9-]+", run_id) or not (folder / _RUN).is_file():
            newest = ", ".join(run.id for run in self.runs()[:5]) or "none yet"
            raise TragError(f"There is no run {run_id}; the newest are: {newest}.", "python -m trag evaluate list")
        return folder

    def _write(self, run: Run) -> None:
        files.write_atomic(self._folder / run.id / _RUN, to_keep(run))


def _run(file: Path) -> Run | None:
    try:
        return made(Run, file.read_bytes())
    except FileNotFoundError:  # removed since it was found
        return None
    except (OSError, ValueError) as error:
        log.warning("%s cannot be read: %r", file, error)
        return None


def _lines(file: Path, read: Callable[[Mapping[str, Any]], T]) -> list[T]:
    """What each whole line of a file holds."""
    *lines, _ = _content(file).split(b"\n")
    found = []
    for number, line in enumerate(lines, 1):
        try:
            found.append(read(json.loads(line)))
        except (ValueError, KeyError, TypeError) as error:
            damaged = f"The {file.name} of the run {file.parent.name} is damaged in line {number}."
            raise TragError(damaged, _remove_hint(file.parent.name)) from error
    return found


def _content(file: Path) -> bytes:
    try:
        return file.read_bytes()
    except FileNotFoundError as error:
        gone = f"The {file.name} of the run {file.parent.name} is gone, alone or with its run."
        raise TragError(gone, "python -m trag evaluate list") from error


def _remove_hint(run_id: str) -> str:
    return f"Remove the run: python -m trag evaluate remove {run_id}"


def append(file: Path, values: Mapping[str, Any]) -> None:
    """One more line, on the disk when this returns. What a kill left of the line before goes first."""
    try:
        with file.open("a+b") as results:
            size = results.seek(0, os.SEEK_END)
            if size:
                results.seek(size - 1)
                if results.read(1) != b"\n":
                    results.seek(0)
                    results.truncate(results.read().rfind(b"\n") + 1)
            results.write(json.dumps(values, ensure_ascii=False).encode() + b"\n")
            results.flush()
            os.fsync(results.fileno())
    except OSError as error:
        if error.errno in files.FULL:
            raise disk_full(str(file)) from error
        raise


def kept(file: Path, record: type[T]) -> list[T]:
    """The records that `append` put in a file, none where there is no file. A last line that a kill cut short does not
    count. Raises OperatorError when the file is damaged."""
    *lines, _ = file.read_bytes().split(b"\n") if file.exists() else [b""]
    try:
        return [made(record, line) for line in lines]
    except ValueError as error:
        raise OperatorError(f"{file} is damaged ({error}).", "Remove it, and begin anew.") from error


def plan(
    model: LanguageModel,
    cases_name: str,
    cases_sha256: str,
    systems: Sequence[str],
    *,
    chart: str,
    total: int,
    evidence: tuple[object, ...],
) -> Run:
    """`total` answers by these systems with this model. `chart` is the version of the chart that they depend on, "" for
    none; `evidence` is all that they depend on beside, each with a `repr` that tells it whole."""
    identity, names, now = model.identity, tuple(dict.fromkeys(systems)), datetime.now(UTC)
    used = ModelUsed(identity.name, identity.sha256, identity.adapter)
    depends = (identity.adapter_sha256, fingerprint(evidence))
    return Run("", cases_name, cases_sha256, names, now, None, commit(), used, chart, total, *depends)


def fingerprint(evidence: tuple[object, ...]) -> str:
    """The sha256 of all that answers depend on beside model and chart, each with a `repr` that tells it whole."""
    return hashlib.sha256(repr(evidence).encode()).hexdigest()


@cache
def commit() -> str:
    """That of this program, as it was when it was first asked for: what is edited later is not what is running."""
    return commit_of(_ROOT)


def commit_of(root: Path) -> str:
    """The first 12 digits of the commit in a clone, with "+" and a hash of the sources behind it where they differ from
    that commit; "sources " and the hash elsewhere."""
    git = shutil.which("git") if (root / ".git").exists() else None
    if git:
        head = _git(git, root, "rev-parse", "--short=12", "HEAD")
        changes = _git(git, root, "status", "--porcelain", "--", *_SOURCES)
        if head and changes is not None:
            return f"{head.strip()}+{_sources_hash(root)}" if changes else head.strip()
    return f"sources {_sources_hash(root)}"


def _git(git: str, root: Path, *words: str) -> str | None:
    """What git says, None when it fails: the folder may belong to somebody else."""
    # Without optional locks it leaves alone what it reads.
    said = subprocess.run(
        [git, "--no-optional-locks", "-C", str(root), *words], capture_output=True, text=True, timeout=60, check=False
    )
    return said.stdout if said.returncode == 0 else None


def _sources_hash(root: Path) -> str:
    inside = (file for name in _SOURCES for file in (root / name, *(root / name).rglob("*")))
    digest = hashlib.sha256()
    for file in sorted(file for file in inside if file.is_file() and "__pycache__" not in file.parts):
        content = hashlib.sha256(file.read_bytes()).hexdigest()
        digest.update(f"{file.relative_to(root).as_posix()}\0{content}\n".encode())
    return digest.hexdigest()[:12]
