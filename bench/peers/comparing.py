"""The same questions put to every system in turns, each in a process of its own, and scored as evaluations score.

questions, documents, chart, systems -> Compared, kept under var/peers/results; a stopped run goes on where it was.

First each system alone: start, index, a few questions, for its memory and its indexing. Then all of them at once, one
question after the other, each going first as often as last, so that whatever else the machine does slows all alike.
"""

from __future__ import annotations

import hashlib
import json
import shutil
import sys
from collections.abc import Iterator, Mapping, Sequence
from contextlib import ExitStack, contextmanager, suppress
from dataclasses import asdict, dataclass, replace
from datetime import UTC, datetime
from pathlib import Path
from uuid import uuid4

from tqdm import tqdm

from bench.peers.process import Process, SystemDied
from bench.peers.serving import Answered, Indexed, Setup
from org.chart import Chart
from store import files
from trag.evaluate import runs
from trag.evaluate.cases import Case, sha256_of
from trag.evaluate.runs import Result, Results, Run
from trag.evaluate.scoring import Score, score
from trag.record import AnswerRecord, ModelUsed, Seconds, Source

WARM_UP = "What is this organization called?"
"""Asked before the first question that counts."""
ALONE = 3
"""Questions while a system is watched alone, spread over the set."""


@dataclass(frozen=True, slots=True)
class Contender:
    """A system that can be started: its name with its version, and the command that serves it."""

    name: str
    command: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Alone:
    """What a system took when nothing else ran: bytes at most, seconds to index, passages in its index."""

    memory: int
    indexing: float
    passages: int


@dataclass(frozen=True, slots=True)
class Compared:
    """A whole run: every answer, and what each system took alone, by its name."""

    run: Run
    results: tuple[Result, ...]
    alone: Mapping[str, Alone]


@dataclass(frozen=True, slots=True)
class Asked:
    """What is asked about: a name, what answers are scored by, the files handed out, and the questions."""

    name: str
    known: Chart | None
    chart: Path
    documents: Path
    cases: Sequence[Case]


def compare(asked: Asked, contenders: Sequence[Contender], setup: Setup, model: ModelUsed, folder: Path) -> Compared:
    """Answers of every contender, from an earlier run of the very same programs where there is one.

    `setup` says what all are given alike; its places are filled in here, under `folder`, which is emptied for each
    system: one process has it at a time. Raises StoreError while another one has it, SystemExit when a system cannot be
    set up.
    """
    with files.lock(folder):
        return _compared(asked, contenders, setup, model, folder)


def _compared(asked: Asked, contenders: Sequence[Contender], setup: Setup, model: ModelUsed, folder: Path) -> Compared:
    store = Results(folder / "results")
    run = _run(asked, contenders, setup, model, store)
    setup = _handed(asked, setup, folder / "handed")
    figures = folder / "results" / run.id / "alone.json"
    alone = _kept(figures)
    for contender in contenders:
        if contender.name not in alone:
            alone[contender.name] = _alone(contender, setup, asked.cases[:: max(1, len(asked.cases) // ALONE)][:ALONE])
            _keep(figures, alone)
    if not run.finished:
        for name, indexed in _ask_all(asked, contenders, setup, store, run):
            alone[name] = replace(alone[name], indexing=min(alone[name].indexing, indexed.seconds))
            _keep(figures, alone)
        run = store.finish(run)
    return Compared(run, store.results(run.id), alone)


def _run(asked: Asked, contenders: Sequence[Contender], setup: Setup, model: ModelUsed, store: Results) -> Run:
    """An earlier run of the same programs on the same documents, the newest; else one that begins now."""
    read = (*sorted(Path(__file__).parent.rglob("*.py")), *sorted(asked.documents.iterdir()))
    evidence = hashlib.sha256(b"".join([repr(setup).encode(), *(file.read_bytes() for file in read)])).hexdigest()
    planned = Run(
        id="",
        cases_name=f"{asked.name}, side by side",
        cases_sha256=sha256_of(asked.cases),
        systems=tuple(contender.name for contender in contenders),
        started=datetime.now(UTC),
        finished=None,
        commit=runs.commit(),
        model=model,
        chart=asked.known.version if asked.known else "",
        total=len(asked.cases) * len(contenders),
        evidence=evidence,
    )
    for run in store.runs():
        if replace(run, id="", started=planned.started, finished=None) == planned:
            return run
    return store.begin(planned, asked.cases)


def _handed(asked: Asked, setup: Setup, folder: Path) -> Setup:
    """The setup with one folder that holds the documents and the chart, and one to write in."""
    shutil.rmtree(folder, ignore_errors=True)
    shutil.copytree(asked.documents, folder)
    chart = shutil.copy(asked.chart, folder / "chart.csv")
    return replace(setup, documents=str(folder), chart=str(chart))


def _alone(contender: Contender, setup: Setup, cases: Sequence[Case]) -> Alone:
    with _started(contender, setup) as process, process.watched() as peak:
        print(f"{contender.name} alone", file=sys.stderr)
        indexed = process.index()
        with suppress(SystemDied):  # of a question; it may do better when that counts
            for case in cases:
                process.ask(case.question)
    return Alone(peak[0], indexed.seconds, indexed.passages)


def _ask_all(
    asked: Asked,
    contenders: Sequence[Contender],
    setup: Setup,
    store: Results,
    run: Run,
) -> Iterator[tuple[str, Indexed]]:
    """Puts every question that has no answer yet to every contender, and keeps the answers; what each took to index
    this time."""
    done = {(result.system, result.case.id) for result in store.results(run.id)}
    with ExitStack() as closing:
        processes = {}
        # The other way round than alone: who was first then is last now.
        for contender in reversed(contenders):
            processes[contender.name] = closing.enter_context(_started(contender, setup))
            yield contender.name, processes[contender.name].index()
            processes[contender.name].ask(WARM_UP)
        for number, case in enumerate(tqdm(asked.cases, desc=asked.name, unit="question", file=sys.stderr)):
            turn = number % len(contenders)
            for contender in (*contenders[turn:], *contenders[:turn]):
                if (contender.name, case.id) in done:
                    continue
                try:
                    answered = processes[contender.name].ask(case.question)
                except SystemDied as error:
                    # The answer is lost, no more: it is started again for the next.
                    answered = Answered("", (), 0.0, 0.0, f"it died: {error}")
                    processes[contender.name] = closing.enter_context(_started(contender, setup))
                    processes[contender.name].index()
                store.add(run, _result(contender.name, case, answered, run.model, asked.known))


def _result(system: str, case: Case, answered: Answered, model: ModelUsed, known: Chart | None) -> Result:
    record = AnswerRecord(
        id=uuid4().hex,
        question=case.question,
        standalone=case.question,
        answer=answered.answer,
        status="answered",
        model=model,
        sources=tuple(
            Source(str(number), "section", passage.document, "", None, passage.text, 0.0)
            for number, passage in enumerate(answered.passages, 1)
        ),
        seconds=Seconds(first_token=answered.first_token, total=answered.total),
        interrupted=answered.error,
    )
    if answered.error:
        return Result(system, case, record, Score("Incorrect", (answered.error,)))
    return Result(system, case, record, score(case, record, known))


@contextmanager
def _started(contender: Contender, setup: Setup) -> Iterator[Process]:
    """The contender in a process of its own; what it prints is in a file beside the documents."""
    log = Path(setup.documents).with_name(f"{contender.name}.log")
    process = Process(contender.command, setup, log)
    try:
        yield process
    except SystemDied as error:
        raise SystemExit(f"{contender.name} cannot be measured, see {log}:\n{error}") from error
    finally:
        process.close()


def _kept(file: Path) -> dict[str, Alone]:
    values = json.loads(file.read_bytes()) if file.exists() else {}
    return {name: Alone(**one) for name, one in values.items()}


def _keep(file: Path, alone: Mapping[str, Alone]) -> None:
    files.write_atomic(file, json.dumps({name: asdict(one) for name, one in alone.items()}).encode())
