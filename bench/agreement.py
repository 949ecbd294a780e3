"""python -m bench.agreement [--show]: how far the automatic score of an answer agrees with the label a person gave it.

The answers and their labels are in bench/labels, a file an organization. Half of the questions were there to tune the
scoring on; the other half was held out, and its answers are never shown. Prints for each half the agreement and Cohen's
kappa, on the three labels and on right or wrong, and the confusion table.
"""

from __future__ import annotations

import argparse
import hashlib
import json
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

from bench.score import chart_of
from org.chart import Chart
from trag.evaluate import cases
from trag.evaluate.cases import Case
from trag.evaluate.scoring import Score, score
from trag.record import VERDICTS, AnswerRecord

HERE = Path(__file__).parent
UNDECIDED = "undecided"
Pair = tuple[str, str]
"""The label of a person, and the automatic one or `UNDECIDED`."""


@dataclass(frozen=True, slots=True)
class Labelled:
    """An answer with the label a person gave it."""

    id: str
    case: Case
    record: AnswerRecord
    label: str

    @property
    def is_held_out(self) -> bool:
        """Whether it belongs to the half that nothing was tuned on: all answers to one question are in one half."""
        organization, case, *_ = self.id.split("/")
        return hashlib.sha256(f"{organization}/{case}".encode()).digest()[0] % 2 == 1


def main() -> None:
    """Print the agreement of each half."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument(
        "--show", action="store_true", help="print what is judged otherwise, of the half to tune on alone"
    )
    options = parser.parse_args()
    halves: dict[str, list[Pair]] = {"tuned on": [], "held out": []}
    for chart, labelled in read(HERE / "labels"):
        for one in labelled:
            scored = score(one.case, one.record, chart)
            verdict = scored.verdict or UNDECIDED
            halves["held out" if one.is_held_out else "tuned on"].append((one.label, verdict))
            if options.show and not one.is_held_out and verdict != one.label:
                print(shown(one, scored))
    print(report("tuned on", halves["tuned on"]))
    if not options.show:
        print(report("held out", halves["held out"]))


def read(folder: Path) -> Iterator[tuple[Chart | None, tuple[Labelled, ...]]]:
    """The chart of each organization with its labelled answers."""
    for path in sorted(folder.glob("*.jsonl")):
        home = HERE / "organizations" / path.stem
        asked = {one.id: one for one in cases.read((home / "questions.jsonl").read_bytes(), "questions.jsonl")}
        rows = [json.loads(line) for line in path.read_text(encoding="utf-8").splitlines()]
        yield (
            chart_of(home / "chart.csv"),
            tuple(
                Labelled(
                    f"{path.stem}/{row['id']}",
                    asked[row["case"]],
                    AnswerRecord.from_json(json.dumps(row["record"])),
                    row["label"],
                )
                for row in rows
            ),
        )


def agreement(pairs: Sequence[Pair]) -> float:
    """The share of pairs that agree, in [0, 1]; NaN for none."""
    return sum(first == second for first, second in pairs) / len(pairs) if pairs else float("nan")


def kappa(pairs: Sequence[Pair]) -> float:
    """Cohen's kappa: agreement beyond chance, 1.0 when all agree, 0 for what chance would give; NaN for no pairs."""
    if not pairs:
        return float("nan")
    first, second = Counter(one for one, _ in pairs), Counter(one for _, one in pairs)
    chance = sum(first[label] * second[label] for label in first) / len(pairs) ** 2
    return 1.0 if chance == 1 else (agreement(pairs) - chance) / (1 - chance)


def right_or_wrong(pairs: Sequence[Pair]) -> list[Pair]:
    """The pairs with Correct-Verbose counted as Correct."""
    plain = {"Correct-Verbose": "Correct"}
    return [(plain.get(first, first), plain.get(second, second)) for first, second in pairs]


def report(name: str, pairs: Sequence[Pair]) -> str:
    """The figures of a set of pairs and their confusion table, as Markdown.

    Agreement and kappa are those of the answers that were decided; the rest are left to people.
    """
    decided = [pair for pair in pairs if pair[1] != UNDECIDED]
    two = right_or_wrong(decided)
    columns = (*VERDICTS, UNDECIDED)
    counts = Counter(pairs)
    lines = [
        f"\n{name}: {len(decided)} of {len(pairs)} answers decided",
        f"  three labels: agreement {agreement(decided):.1%}, kappa {kappa(decided):.3f}",
        f"  right or wrong: agreement {agreement(two):.1%}, kappa {kappa(two):.3f}\n",
        f"| person \\ automatic | {' | '.join(columns)} |",
        "|---|" + "---:|" * len(columns),
    ]
    for label in VERDICTS:
        lines.append(f"| {label} | {' | '.join(str(counts[label, column]) for column in columns)} |")
    return "\n".join(lines)


def shown(one: Labelled, scored: Score) -> str:
    """An answer that is judged otherwise than a person did."""
    return (
        f"{one.id}: {one.label}, not {scored.verdict}: {'; '.join(scored.reasons)}\n"
        f"  {one.case.question}\n  {one.record.answer!r}\n"
    )


if __name__ == "__main__":
    main()
