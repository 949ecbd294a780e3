"""python -m bench.score CASES ANSWERS [--chart CHART] [--show]: how many answers of a batch are right, by kind.

The answers are those of `python -m trag batch`, scored as evaluations score them (trag/evaluate/scoring). For questions
about documents also how often the sources held the right section and all of the gold, which no answer tells.
"""

from __future__ import annotations

import argparse
from collections import Counter, defaultdict
from collections.abc import Mapping, Sequence
from pathlib import Path

from org.chart import Chart
from org.reading.charts import load
from store.passage import Passage
from trag.evaluate import cases
from trag.evaluate.cases import Case, names_section
from trag.evaluate.comparing import RIGHT, is_right
from trag.evaluate.scoring import score
from trag.evaluate.scoring.wording import says_all
from trag.record import AnswerRecord, Source


def main() -> None:
    """Print one line a kind of question."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("cases", type=Path)
    parser.add_argument("answers", type=Path)
    parser.add_argument("--chart", type=Path, help="the chart to know units by (default: chart.csv beside the cases)")
    parser.add_argument("--show", action="store_true", help="print what is wrong, or left to people")
    options = parser.parse_args()
    asked = cases.read(options.cases.read_bytes(), options.cases.name)
    lines = options.answers.read_text(encoding="utf-8").splitlines()
    answers = {record.id: record for record in map(AnswerRecord.from_json, filter(str.strip, lines))}
    known = chart_of(options.chart or options.cases.parent / "chart.csv")
    verdicts: dict[str, Counter[str | None]] = defaultdict(Counter)
    how = Counter[str]()
    groups: dict[str, list[bool]] = defaultdict(list)
    for case in asked:
        record = answers[case.id]
        found = score(case, record, known)
        verdicts[case.kind][found.verdict] += 1
        how[f"{case.kind}: {record.status}, replaced {record.checks.replaced}"] += 1
        if case.group:
            groups[case.group].append(is_right(found))
        if options.show and not is_right(found):
            print(f"{case.id}: {case.question}\n  gold: {case.answer}\n  got:  {record.answer!r}")
            print(f"  {found.verdict}: {'; '.join(found.reasons)}")
    for kind, counts in verdicts.items():
        right = sum(counts[verdict] for verdict in RIGHT)
        rest = f", verbose {counts['Correct-Verbose']}, left to people {counts[None]}"
        print(f"{kind:14} {right:3}/{counts.total():<3} {right / counts.total():.0%}{rest}")
    if groups:
        print(f"groups of paraphrases, all right: {sum(map(all, groups.values()))}/{len(groups)}")
    for line, number in [*sources_held(asked, answers), *sorted(how.items())]:
        print(f"  {number:3} {line}")


def chart_of(path: Path) -> Chart | None:
    """The chart in a file, None where there is no file."""
    return load(path.read_bytes(), path.name) if path.exists() else None


def sources_held(asked: Sequence[Case], answers: Mapping[str, AnswerRecord]) -> list[tuple[str, int]]:
    """For how many document questions the sources held the right section, and every item of the gold."""
    section = gold = 0
    for case in asked:
        if case.kind == "document":
            in_section, all_gold = held(case, answers[case.id].sources)
            section += in_section
            gold += all_gold
    return [("document: right section among the sources", section), ("document: all of the gold in the sources", gold)]


def held(case: Case, sources: Sequence[Source] | Sequence[Passage]) -> tuple[bool, bool]:
    """Whether one of the sources is of the right section, and whether they hold all of the gold."""
    in_section = any(names_section(case, source.document, source.section) for source in sources)
    return in_section, says_all("\n".join(f"{source.question}\n{source.text}" for source in sources), case.gold)


if __name__ == "__main__":
    main()
