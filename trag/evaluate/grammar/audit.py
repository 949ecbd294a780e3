"""The self-audit (GRAMMAR, algorithm 1 and 4.3): database, templates -> questions with truth -> answers -> diagnosis.

Each step can be taken alone, with any database and any answerer. Knows nothing about homes or the terminal.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

from trag import batch
from trag.errors import TragError
from trag.evaluate.comparing import is_right
from trag.evaluate.grammar import BOUND, SEED, TEXTS
from trag.evaluate.grammar.diagnosis import Diagnosis, diagnose
from trag.evaluate.grammar.evidence import covered, outcome
from trag.evaluate.grammar.filling import fill
from trag.evaluate.grammar.groups import Group, grouped
from trag.evaluate.grammar.kept import Audit
from trag.evaluate.grammar.templates import Template, check
from trag.evaluate.runs import Result
from trag.evaluate.scoring import score
from trag.record import AnswerRecord, ModelUsed

if TYPE_CHECKING:
    from store.source import Source
    from trag.asking import Organization
    from trag.evaluate.cases import Case


@dataclass(frozen=True, slots=True)
class Examined:
    """What came of an audit. `covered` are the groups that were asked about what the texts hold; `undecided` counts the
    answers that nobody has judged yet, which are left out."""

    groups: tuple[Group, ...]
    covered: frozenset[str]
    diagnosis: Diagnosis
    undecided: int = 0


def prepare(
    source: Source,
    templates: Sequence[Template],
    origin: str,
    *,
    strict: bool,
    seed: int = SEED,
    bound: int = BOUND,
    texts: int = TEXTS,
    progress: Callable[[str, int, int], None] | None = None,
) -> Audit:
    """The questions that the templates make of the database, at most `bound` meanings a template.

    Templates that break the criteria or do not run are left out and told of; with `strict` they are all listed in a
    TragError instead. Raises TragError when nothing can be asked, StoreError when the database goes away.
    """
    ready, broken = check(templates, source.tables, source.dialect)
    if strict and broken:
        raise TragError(f"{origin} cannot be used:\n" + "\n".join(broken), "Correct them, or leave them out.")
    filled = fill(ready, source, seed=seed, bound=bound, texts=texts, progress=progress)
    problems = (*broken, *filled.problems)
    if strict and filled.problems:
        raise TragError(f"{origin} cannot be used:\n" + "\n".join(filled.problems), "Correct them, or leave them out.")
    if not filled.meanings:
        left_out = filled.dropped
        raise TragError(
            f"Nothing can be asked of {source.place}: {len(problems)} of {len(templates)} templates cannot be used; of "
            f"{left_out.total} fillings {left_out.no_answer} have no answer, {left_out.several} several, "
            f"{left_out.unsayable} one that nobody says, {left_out.given_away} one that the question gives away."
            + "".join(f"\n{problem}" for problem in problems[:20]),
            "Check that its tables have rows, or give templates of your own: --templates FILE",
        )
    return Audit(source.place, origin, seed, filled.meanings, filled.dropped, problems)


def ask(
    cases: Sequence[Case],
    answer: Callable[[str], AnswerRecord],
    path: Path,
    *,
    organization: Organization,
    system: str,
    progress: Callable[[str, int, int], None] | None = None,
) -> tuple[Result, ...]:
    """The answers of any answerer, each in the file `path` before the next is asked; what is there already is not asked
    again. A question that cannot be asked has a wrong answer. Raises what the answerer raises besides."""
    asked = tuple(batch.Asked(case.id, case.question) for case in cases)
    for number, _ in enumerate(batch.run(asked, path, answer, _unanswered), 1):
        if progress:
            progress(system, number, len(asked))
    with path.open("rb") as lines:
        records = {record.id: record for record in (AnswerRecord.from_json(line.decode()) for line in lines)}
    return tuple(Result(system, case, records[case.id], score(case, records[case.id], organization)) for case in cases)


def examine(audit: Audit, results: Sequence[Result], texts: Iterable[str] = ()) -> Examined:
    """What the answers of one system say of its modules. `texts` are all the evidence that it may have found: where a
    meaning was never answered rightly they tell what is not there from what was not brought."""
    meanings = {meaning.id: meaning for meaning in audit.meanings}
    outcomes = [
        outcome(meanings[result.case.group], result.case.kind, result.record, right=is_right(result.score))
        for result in results
        if result.score.verdict is not None
    ]
    groups = grouped(outcomes)
    gaps = [meanings[group.id] for group in groups if group.tag == "gap"]
    known = covered(gaps, texts)
    return Examined(groups, known, diagnose(groups, known), len(results) - len(outcomes))


def _unanswered(question: str, reason: str) -> AnswerRecord:
    return AnswerRecord("", question, question, "", "cannot_answer", ModelUsed("", "", ""), interrupted=reason)
