"""python -m bench.judge FOLDER [--file FILE] [--show]: how far a judge of briefings may be trusted.

pairs labelled by hand (bench/briefs/entailment.jsonl) -> accuracy, recall of what is unsupported; beside simpler judges

The simpler ones are given the threshold that suits them best on these very pairs; the judge has its own. What is told
of `grounding` is how the check that mends agrees with the labels: it is no judge of itself.
"""

from __future__ import annotations

import argparse
import json
import re
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

import torch

from bench.agreement import kappa
from org.linking.entities import Organization
from trag import embed, grounding
from trag.evaluate.briefs.judge import THRESHOLD, Judge
from trag.grounding import Evidence
from trag.reranking import network
from trag.reranking.reranker import SHIPPED

FILE = Path(__file__).parent / "briefs" / "entailment.jsonl"
_WORD = re.compile(r"\w+")
_BATCH = 32


@dataclass(frozen=True, slots=True)
class Labelled:
    """A sentence of a text with the passages that its writer was shown, and whether they bear it out. `second` is the
    label of a second reading, "" where there was none."""

    id: str
    set: str
    evidence: tuple[str, ...]
    before: str
    sentence: str
    label: str
    why: str = ""
    second: str = ""

    @property
    def is_supported(self) -> bool:
        return self.label == "supported"


@dataclass(frozen=True, slots=True)
class Figures:
    """Shares, 0 to 1: of all pairs judged rightly, of the unsupported ones found, and of those that are called
    unsupported the share that is."""

    accuracy: float
    recall: float
    precision: float


def read(file: Path) -> tuple[Labelled, ...]:
    """The pairs in a file."""
    rows = map(json.loads, file.read_text(encoding="utf-8").splitlines())
    return tuple(Labelled(**row | {"evidence": tuple(row["evidence"])}) for row in rows)


def figures(labels: Sequence[bool], judged: Sequence[bool]) -> Figures:
    """How judgements (whether supported) fit labels."""
    counts = Counter(zip(labels, judged, strict=True))
    found, missed, wronged = counts[False, False], counts[False, True], counts[True, False]
    return Figures(
        (found + counts[True, True]) / len(labels),
        found / max(1, found + missed),
        found / max(1, found + wronged),
    )


def at_best(labels: Sequence[bool], scores: Sequence[float]) -> Figures:
    """With the threshold on the scores that gives the best accuracy."""
    every = (figures(labels, [score >= threshold for score in scores]) for threshold in sorted({*scores}))
    return max(every, key=lambda one: one.accuracy)


def overlap(pair: Labelled) -> float:
    """The share of the sentence's words that the passage with most of them has."""
    said = {*_WORD.findall(pair.sentence.casefold())}
    return max(len(said & {*_WORD.findall(text.casefold())}) for text in pair.evidence) / max(1, len(said))


def answering(pairs: Sequence[Labelled]) -> list[float]:
    """The reranker's log-odds that the passage it puts first answers the sentence, taken for a question. A batch holds
    several sentences, which `Reranker.weigh` has no need of."""
    folder = embed.embedded_folder()
    model, reader = network.merged(folder, SHIPPED, torch.float32), network.Pairs(folder)
    asked = [(number, pair.sentence, text) for number, pair in enumerate(pairs) for text in pair.evidence]
    best = [float("-inf")] * len(pairs)
    for start in range(0, len(asked), _BATCH):
        numbers, sentences, texts = zip(*asked[start : start + _BATCH], strict=True)
        with torch.inference_mode():
            odds = model(*reader.encode(sentences, texts)).tolist()
        for number, one in zip(numbers, odds, strict=True):
            best[number] = max(best[number], one)
    return best


def weighed(pairs: Sequence[Labelled], judge: Judge) -> list[float]:
    """The judge's probability for each pair: by the passage that says most, or several read as one."""
    asked = [
        (number, (text, pair.sentence))
        for number, pair in enumerate(pairs)
        for text in dict.fromkeys((*pair.evidence, "\n".join(pair.evidence)))
    ]
    likely = [0.0] * len(pairs)
    for (number, _), one in zip(asked, judge.weigh([read for _, read in asked]), strict=True):
        likely[number] = max(likely[number], float(one))
    return likely


def compared(pairs: Sequence[Labelled], likely: Sequence[float]) -> Mapping[str, Figures]:
    """The figures of the judge, by its probabilities, and of each simpler way to judge."""
    labels = [pair.is_supported for pair in pairs]
    nobody = Organization("", None, None)
    checked = [
        grounding.check(
            pair.before, pair.sentence, [Evidence(f"{n}", text) for n, text in enumerate(pair.evidence)], nobody
        ).checks.sentences
        for pair in pairs
    ]
    return {
        "the judge": figures(labels, [one >= THRESHOLD for one in likely]),
        "words shared, best threshold": at_best(labels, [overlap(pair) for pair in pairs]),
        "the reranker, best threshold": at_best(labels, answering(pairs)),
        "grounding (the check that mends)": figures(labels, [all(one.supported for one in found) for found in checked]),
        "all called supported": figures(labels, [True] * len(pairs)),
    }


def main() -> None:
    """Print the table."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("judge", type=Path, metavar="FOLDER", help="a CrossEncoder that learned inference")
    parser.add_argument("--file", type=Path, default=FILE, help="other pairs that are labelled")
    parser.add_argument("--show", action="store_true", help="print what the judge gets wrong")
    options = parser.parse_args()
    pairs = read(options.file)
    likely = weighed(pairs, Judge(options.judge))
    unsupported = sum(not pair.is_supported for pair in pairs)
    twice = [(pair.label, pair.second) for pair in pairs if pair.second]
    print(f"{len(pairs)} pairs, {unsupported} unsupported; {len(twice)} labelled twice, kappa {kappa(twice):.2f}\n")
    print("| | accuracy | recall of unsupported | precision of unsupported |\n|---|---|---|---|")
    for name, found in compared(pairs, likely).items():
        print(f"| {name} | {found.accuracy:.1%} | {found.recall:.1%} | {found.precision:.1%} |")
    print("\n| set | pairs | accuracy of the judge |\n|---|---|---|")
    judged = [(pair, one, (one >= THRESHOLD) == pair.is_supported) for pair, one in zip(pairs, likely, strict=True)]
    for name, number in sorted(Counter(pair.set for pair in pairs).items()):
        right = sum(is_right for pair, _, is_right in judged if pair.set == name)
        print(f"| {name} | {number} | {right / number:.1%} |")
    for pair, one, is_right in judged if options.show else ():
        if not is_right:
            print(f"\n{pair.id}: {pair.label}, judged {one:.2f}\n  {pair.sentence}\n  {pair.why}")


if __name__ == "__main__":
    main()
