"""The audit of an assistant with a planted defect: does it name what was broken? (GRAMMAR, section 5)

benchmark, planting -> the product's own search, prompt and steps around the stand-ins -> the product's own audit ->
what it names, beside the cause of each wrong answer, which is known here from the sentences that state the facts.
"""

from __future__ import annotations

import hashlib
from collections import defaultdict
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any, Literal

from bench.grammar.benchmark import DESIGNS, Benchmark, load
from bench.grammar.modules import KeywordIndex, Reader, Remembered, crippled, faithful, quoting, stands_in
from store.passage import Passage
from trag import paper_systems
from trag.ask import Assistant
from trag.evaluate.cases import Case
from trag.evaluate.comparing import is_right
from trag.evaluate.grammar.audit import Examined, examine
from trag.evaluate.grammar.diagnosis import Group, Module, at_fault
from trag.evaluate.grammar.questions import FORMS, cases
from trag.evaluate.runs import Result
from trag.evaluate.scoring import score
from trag.home import Home, open_home
from trag.llm.queue import RequestQueue
from trag.progress import Progress, silent
from trag.settings import Settings

SYSTEM = "trag-no-tree"
"""Pairs and sections as the settings have them, no chart, and no answer mended: the modules as they are."""

Planting = Literal["keyword retriever", "crippled model", "quoting model", "nothing"]
NAMED: Mapping[Planting, Module] = {
    "keyword retriever": "retrieval",
    "crippled model": "language model",
    "quoting model": "language model",
    "nothing": "retrieval database",
}
"""What is planted, and what the audit must name: with nothing planted the gaps in the documents are left."""


@dataclass(frozen=True, slots=True)
class Wrong:
    """A wrong answer: the module that the audit owes it to, the one that the paper's own rule does, and its cause."""

    owed: Module
    by_paper: Module
    cause: Module


@dataclass(frozen=True, slots=True)
class Validated:
    """One audit of one benchmark. `balanced` is of all texts, `uneven` of the uneven set (GRAMMAR, table 2); `wrong`
    are the wrong answers to all texts."""

    benchmark: Benchmark
    planting: Planting
    balanced: Examined
    uneven: Examined
    wrong: tuple[Wrong, ...]


def validate(
    names: Sequence[str] = tuple(DESIGNS),
    plantings: Sequence[Planting] = tuple(NAMED),
    progress: Progress = silent,
) -> Iterator[Validated]:
    """Every benchmark with everything planted in turn; its documents and questions are embedded once."""
    for name in names:
        with TemporaryDirectory() as folder:
            benchmark = load(name, Path(folder) / f"{name}.db")
            with open_home(Settings(home=Path(folder) / "home")) as home:
                fill(home, benchmark, Path(folder))
                questions = [case.question for case in cases(benchmark.audit.meanings)]
                embedder = Remembered(home.embedder, questions)
                passages = tuple(home.records.library.passages())
                for planting in plantings:
                    assistant = planted(planting, benchmark, home, embedder, passages)
                    yield _validated(planting, benchmark, assistant, passages, progress)


def fill(home: Home, benchmark: Benchmark, folder: Path) -> None:
    """Give the documents of a benchmark to a home, as files from the folder."""
    files = []
    for document in benchmark.documents:
        file = folder / f"{document.name}.md"
        file.write_text(document.text, encoding="utf-8")
        files.append(file)
    if failed := [one for one in home.ingest(files, replace=False, progress=silent) if one.failed]:
        raise RuntimeError("; ".join(map(str, failed)))


def planted(
    planting: Planting, benchmark: Benchmark, home: Home, embedder: Remembered, passages: Sequence[Passage]
) -> Assistant:
    """The assistant over a home with stand-ins for some of its modules."""
    if planting == "crippled model":
        answer = crippled(benchmark)
    elif planting == "quoting model":
        answer = quoting(embedder)
    else:
        answer = faithful(benchmark)
    reader: Any = Reader(answer)
    vectors: Any = KeywordIndex(passages) if planting == "keyword retriever" else home.vectors
    remembered: Any = embedder
    return Assistant(home.organization, vectors, remembered, reader, None, RequestQueue(1, 0), home.settings)


def cause(result: Result, benchmark: Benchmark) -> Module:
    """What a wrong answer was in truth: a gap, or a sentence that was not brought, or one that was and was not used."""
    fact = benchmark.asked[result.case.group]
    if fact in benchmark.gaps:
        return "retrieval database"
    read = " ".join(source.text for source in result.record.sources)
    brought = any(stands_in(statement, read) for statement in benchmark.statements if statement.fact == fact)
    return "language model" if brought else "retrieval"


def uneven(results: Sequence[Result], sizes: tuple[int, int]) -> tuple[Result, ...]:
    """A seeded sample with so many short and long texts."""
    drawn: set[str] = set()
    for form, size in zip(FORMS, sizes, strict=True):
        ids = sorted((one.case.id for one in results if one.case.kind == form), key=_order)
        drawn.update(ids[:size])
    return tuple(one for one in results if one.case.id in drawn)


def _validated(
    planting: Planting,
    benchmark: Benchmark,
    assistant: Assistant,
    passages: Sequence[Passage],
    progress: Progress,
) -> Validated:
    results = _asked(cases(benchmark.audit.meanings), assistant, f"{benchmark.name}, {planting}", progress)
    some = uneven(results, DESIGNS[benchmark.name].uneven)
    texts = [f"{one.section} {one.question} {one.text}" for one in passages]
    examined = examine(benchmark.audit, results, texts)
    wrong = tuple(_wrong(examined, results, benchmark))
    return Validated(benchmark, planting, examined, examine(benchmark.audit, some, texts), wrong)


def _asked(asked: Sequence[Case], assistant: Assistant, name: str, progress: Progress) -> tuple[Result, ...]:
    """What the assistant answers to each case, scored."""
    results: list[Result] = []
    for number, case in enumerate(asked, 1):
        record = assistant.answer(case.question, steps=paper_systems.steps(SYSTEM))
        results.append(Result(name, case, record, score(case, record, assistant.organization.chart)))
        progress(name, number, len(asked))
    return tuple(results)


def _wrong(examined: Examined, results: Sequence[Result], benchmark: Benchmark) -> Iterator[Wrong]:
    of_group: dict[str, list[Result]] = defaultdict(list)
    for result in results:
        if result.score.verdict is not None:
            of_group[result.case.group].append(result)
    for group in examined.groups:
        bare = Group(group.id, tuple(replace(outcome, holding=frozenset()) for outcome in group.outcomes))
        for outcome, alone, result in zip(group.outcomes, bare.outcomes, of_group[group.id], strict=True):
            if not is_right(result.score):
                # The paper compares whole contexts and asks no text what it holds.
                owed, by_paper = at_fault(outcome, group, examined.covered), at_fault(alone, bare)
                yield Wrong(owed, by_paper, cause(result, benchmark))


def _order(id: str) -> bytes:
    return hashlib.blake2b(id.encode()).digest()
