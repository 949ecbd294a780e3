"""python -m bench.verification [--held-out] [--show KIND] [CHART...]: how well verification tells wrong from right.

For the charts kept here, or the CSV files given, the answers of bench/answers.py: right ones in many wordings, and the
same with one planted error. Prints detection and false alarms by kind of error. Seeded: the same answers every time.
"""

from __future__ import annotations

import argparse
from collections import Counter
from pathlib import Path

from bench import answers
from bench.answers import Case
from org import statements
from org.chart import Chart, load
from org.entities import EntityFinder
from trag import verify
from trag.verify import Evidence

HERE = Path(__file__).parent
CHARTS = (
    HERE.parent / "examples/larkmoor/chart.csv",
    HERE / "organizations/kestrel/chart.csv",
    HERE / "organizations/brackwater-hospital/chart.csv",
)


def main() -> None:
    """Print the rates by kind of error, and with --show the cases that are judged wrongly."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--held-out", action="store_true", help="the wordings kept aside")
    parser.add_argument("--show", default="", help="print the misjudged answers of this kind, or of all")
    parser.add_argument("charts", nargs="*", type=Path, default=CHARTS)
    options = parser.parse_args()
    wordings = answers.read(HERE / "wordings" / ("held-out.txt" if options.held_out else "tuned.txt"))
    asked, hit, shown = Counter[str](), Counter[str](), Counter[str]()
    for path in options.charts:
        chart = load(path.read_bytes(), path.name)
        finder = EntityFinder(chart)
        for case in (*answers.cases(chart, wordings), *answers.sentences_of(path.parent / "documents")):
            found = finding(case, chart, finder)
            name = case.error or f"none: {case.kind}"
            asked[name] += 1
            hit[name] += bool(found)
            wrongly = bool(found) != bool(case.error)
            shown[case.wording + case.error] += wrongly
            if wrongly and options.show in (case.kind, case.error, "all") and shown[case.wording + case.error] <= 2:
                print(f"{case.kind} | {case.error or 'right'} | {case.question}\n  {case.answer!r}\n  {found}")
    report(asked, hit)


def report(asked: Counter[str], hit: Counter[str]) -> None:
    """A line a kind of error, then the sums."""
    for name in sorted(asked):
        print(f"{name:28} {hit[name]:5}/{asked[name]:<5} {hit[name] / asked[name]:.4f}")
    right = [name for name in asked if name.startswith("none")]
    wrong = [name for name in asked if name not in right]
    for name, group in (("errors found", wrong), ("false alarms", right)):
        number, total = sum(hit[one] for one in group), sum(asked[one] for one in group)
        print(f"{name:28} {number:5}/{total:<5} {number / total:.4f}")


def finding(case: Case, chart: Chart, finder: EntityFinder) -> str:
    """What verification says against the answer, as a question on its way would have it said."""
    stated = statements.answer(case.question, finder.find(case.question), finder.find_types(case.question), chart)
    evidence = (Evidence("1", case.answer),) if case.kind == "documents" else ()
    reply = stated.text if stated else ""
    return verify.examine(case.question, case.answer, evidence, chart, finder, reply=reply).finding


if __name__ == "__main__":
    main()
