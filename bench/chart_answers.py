"""python -m bench.chart_answers [CHART ...] [--seeds N...] [--number N] [--own] [--show WHAT]: exam of chart queries.

For each chart (default: those of bench/organizations) and seed the cases that evaluations make of it
(trag/evaluate/chart_cases): the model that TRAG_MODEL names reads each as an expression, the chart answers, and the
answer is scored as evaluations score (trag/evaluate/scoring). By kind: right, wrong, and left to the documents. A
question that nothing answers is right when the chart gives none. With --own the questions are those that people wrote
beside the chart, of which those about documents are right when they are left to these.
"""

from __future__ import annotations

import argparse
import os
import sys
import threading
from collections import Counter, defaultdict
from collections.abc import Sequence
from contextlib import closing
from pathlib import Path

from bench.score import chart_of
from org.linking.entities import EntityFinder, Organization
from trag import chart_query
from trag.chart_query import ChartQuery
from trag.evaluate.cases import COMPLEX, SIMPLE, Case, read
from trag.evaluate.chart_cases import make
from trag.evaluate.comparing import is_right
from trag.evaluate.scoring import score
from trag.llm.model import LanguageModel
from trag.llm.opening import open_model
from trag.record import AnswerRecord, ModelUsed, StatementUsed
from trag.settings import load

CHARTS = sorted(Path(__file__).parent.glob("organizations/*/chart.csv"))
OUTCOMES = ("right", "wrong", "left to the documents", "left to people")


def main() -> None:
    """Print one line a kind of question, then all together."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("charts", nargs="*", type=Path, default=CHARTS, help="chart files")
    parser.add_argument("--seeds", nargs="+", type=int, default=(101,))
    parser.add_argument("--number", type=int, default=24, help="cases of each chart and seed")
    parser.add_argument(
        "--own", action="store_true", help="the questions.jsonl beside each chart, in place of made ones"
    )
    parser.add_argument("--show", default="", choices=("", *OUTCOMES), help="print the questions that ended so")
    options = parser.parse_args()
    outcomes: dict[str, Counter[str]] = defaultdict(Counter)
    with closing(open_model(load(os.environ))) as model:
        for path in options.charts:
            organization = known(path)
            for name, cases in (
                own(path) if options.own else made(organization, options.seeds, options.number)
            ).items():
                print(f"{path}, {name}", file=sys.stderr)
                for case in cases:
                    outcome, shown = ended(case, organization, model)
                    outcomes[case.kind][outcome] += 1
                    if outcome == options.show:
                        print(
                            f"{path.parent.name}, {name}, {case.id}: {case.question}\n  gold: {case.answer}\n  {shown}"
                        )
    report(outcomes)


def known(path: Path) -> Organization:
    """The organization of a chart file; one without a chart where there is no file."""
    made = chart_of(path)
    return Organization(made.root.name, made, EntityFinder(made)) if made else Organization("")


def made(organization: Organization, seeds: Sequence[int], number: int) -> dict[str, Sequence[Case]]:
    """The cases that evaluations make of its chart, by their seed."""
    if organization.chart is None:
        return {}
    return {f"seed {seed}": make(organization.chart, seed=seed, number=number) for seed in seeds}


def own(path: Path) -> dict[str, Sequence[Case]]:
    """The questions beside a chart."""
    return {"its own questions": read((path.parent / "questions.jsonl").read_bytes(), "questions.jsonl")}


def ended(case: Case, organization: Organization, model: LanguageModel) -> tuple[str, str]:
    """How a question ended, and the answer with what is thought of it."""
    query = asked(case.question, organization, model)
    if query.reply is None:
        return ("left to the documents" if case.kind in SIMPLE + COMPLEX else "right"), f"read as: {query.expression}"
    used = tuple(StatementUsed(one.unit, one.text) for one in query.reply.statements)
    record = AnswerRecord(
        case.id, case.question, case.question, query.reply.text, "answered", ModelUsed("", "", ""), statements=used
    )
    found = score(case, record, organization.chart)
    outcome = "right" if is_right(found) else "left to people" if found.verdict is None else "wrong"
    return outcome, f"read as: {query.expression}\n  got: {query.reply.text}\n  {'; '.join(found.reasons)}"


def asked(question: str, organization: Organization, model: LanguageModel) -> ChartQuery:
    """What the product makes of a question before it searches: nothing where it names nothing of the chart."""
    if organization.chart is None or organization.finder is None:
        raise ValueError("no chart")
    mentions, types = organization.finder.find(question), organization.finder.find_types(question)
    if not chart_query.concerns(question, mentions, types, organization.chart):
        return ChartQuery("", None)
    return chart_query.ask(question, mentions, organization.chart, model, stop=threading.Event())


def report(outcomes: dict[str, Counter[str]]) -> None:
    """A line a kind, then the sums."""
    rows = {**outcomes, "all": sum(outcomes.values(), Counter[str]())}
    print(f"{'':14}{'cases':>7}" + "".join(f"{outcome:>24}" for outcome in OUTCOMES))
    for kind, counts in rows.items():
        cells = (f"{counts[outcome]:>15} {counts[outcome] / counts.total():>7.1%} " for outcome in OUTCOMES)
        print(f"{kind:14}{counts.total():>7}" + "".join(cells))


if __name__ == "__main__":
    main()
