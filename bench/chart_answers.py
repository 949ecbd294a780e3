"""python -m bench.chart_answers CHART... [--seeds N...] [--number N] [--show WHAT]: the chart's own answers, scored.

For each chart and seed the cases that evaluations make of it (trag/evaluate/chart_cases), answered by the chart alone,
without any model, and scored as evaluations score (trag/evaluate/scoring). By kind: right, wrong, and without a direct
answer, which a model then has to give. A question that nothing answers is right when the chart gives none.
"""

from __future__ import annotations

import argparse
from collections import Counter, defaultdict
from pathlib import Path

from bench.score import known
from org import statements
from trag.asking import Organization
from trag.evaluate.cases import Case
from trag.evaluate.chart_cases import make
from trag.evaluate.comparing import is_right
from trag.evaluate.scoring import score
from trag.record import AnswerRecord, ModelUsed, StatementUsed

OUTCOMES = ("right", "wrong", "no direct answer", "left to people")
SEEDS = (101, 102, 103)


def main() -> None:
    """Print one line a kind of question, then all together."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("charts", nargs="+", type=Path, help="chart files")
    parser.add_argument("--seeds", nargs="+", type=int, default=SEEDS)
    parser.add_argument("--number", type=int, default=120, help="cases of each chart and seed")
    parser.add_argument("--show", default="", choices=("", *OUTCOMES), help="print the questions that ended so")
    options = parser.parse_args()
    outcomes: dict[str, Counter[str]] = defaultdict(Counter)
    for path in options.charts:
        organization = known(path)
        for seed in options.seeds:
            if organization.chart:
                for case in make(organization.chart, seed=seed, number=options.number):
                    outcome, shown = ended(case, organization)
                    outcomes[case.kind][outcome] += 1
                    if outcome == options.show:
                        print(f"{path.parent.name} {seed} {case.id}: {case.question}\n  gold: {case.answer}\n  {shown}")
    report(outcomes)


def ended(case: Case, organization: Organization) -> tuple[str, str]:
    """How a question ended, and the answer with what is thought of it."""
    if organization.chart is None or organization.finder is None:
        raise ValueError("no chart")
    mentions, types = organization.finder.find(case.question), organization.finder.find_types(case.question)
    stated = statements.answer(case.question, mentions, types, organization.chart)
    if stated is None:
        return ("right" if case.refuse else "no direct answer"), f"found: {[one.text for one in mentions]}"
    used = (StatementUsed(stated.unit, stated.text),)
    record = AnswerRecord(
        case.id, case.question, case.question, stated.text, "answered", ModelUsed("", "", ""), statements=used
    )
    found = score(case, record, organization)
    outcome = "right" if is_right(found) else "left to people" if found.verdict is None else "wrong"
    return outcome, f"got: {stated.text}\n  {'; '.join(found.reasons)}"


def report(outcomes: dict[str, Counter[str]]) -> None:
    """A line a kind, then the sums."""
    rows = {**outcomes, "all": sum(outcomes.values(), Counter[str]())}
    print(f"{'':14}{'cases':>7}" + "".join(f"{outcome:>18}" for outcome in OUTCOMES))
    for kind, counts in rows.items():
        cells = (f"{counts[outcome]:>9} {counts[outcome] / counts.total():>7.1%} " for outcome in OUTCOMES)
        print(f"{kind:14}{counts.total():>7}" + "".join(cells))


if __name__ == "__main__":
    main()
