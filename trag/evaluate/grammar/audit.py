"""The self-audit (GRAMMAR, algorithm 1 and 4.3): database, templates -> questions with truth -> answers -> diagnosis.

Each step can be taken alone, with any database and any answerer. Knows nothing about homes or the terminal.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

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
from trag.progress import Progress, silent

if TYPE_CHECKING:
    from store.source import Source


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
    progress: Progress = silent,
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
