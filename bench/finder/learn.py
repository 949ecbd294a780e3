"""python -m bench.finder.learn [--check]: the weights of the finder's clues, learned from the tuning sets.

Marked questions -> readings, meant or not -> logistic regression over their clues -> org/finding/weights.tsv.
`--check` writes nothing: it learns from some of the sets, finds in the others, and prints how rightly, so that a change
of the clues can be judged without the reported sets.
"""

from __future__ import annotations

import argparse
import random
import re
import sys
from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from unittest.mock import patch

import numpy as np
from sklearn.feature_extraction import DictVectorizer
from sklearn.linear_model import LogisticRegression

from bench.finder.__main__ import SETS, Set, Tally, line, read_set, score
from org.chart import Chart
from org.entities import EntityFinder
from org.finding import clues, weighing
from org.finding.names import kind_in

STRENGTH = 0.3  # of the regularization, its inverse: of 0.1, 0.3 and 1.0 the best in --check
RAREST = 3  # readings that a clue has to be seen in
LEAST = 0.01  # a weight that is kept
PARTS = 6
MARGIN = 0.5  # log-odds that a reading has to have above even: where false and missed mentions are about as many
MADE = 60  # sentences made of one chart
ASKED = (
    "where does {} sit?", "where is the {}", "what is under {}", "who is above {}", "is {} in the chart",
    "what does {}'s {} do",
)  # fmt: skip
"""Questions about nothing but a unit, so that every name is found in them, however plain."""
STATED = (
    "It reports to {}.", "It is part of {}, which is under {}.", "{} is under {}.", "Yes. {} belongs to {}.",
    "{} has 3 units: {}, {} and {}.", "No, it is under {}, and so is {}.", "All of them may ask {} for it.",
    "Directly under {}: {}, {}.", "In {}, the head of {} approves it.", "Who may say so is up to {}; most go to {}.",
)  # fmt: skip
"""Sentences as answers have them, for what is verified."""
INVENTED = ("where is the {} {}", "who runs the {} {}", "what does {} {} do", "is the {} {} part of {}")
SHARED = (
    "which {} has a scanner",
    "which {} is open on sunday",
    "phone of the {}",
    "is there a {} in the new building",
)
"""Questions that leave open which unit of a shared name they mean; the last one none."""
CATEGORIES = ("which {}s are there", "how many {}s have we got", "what is a {}", "do all {}s meet", "are {}s paid")
"""Questions about a kind of unit, by a name that ends in one."""
STRANGE = "zeppelin origami jousting bagpipe marmalade volcano penguin saxophone glacier tango".split()
"""Of these no organization has a unit."""


@dataclass(frozen=True, slots=True)
class Span:
    """A stretch of text that means units."""

    start: int
    end: int
    units: frozenset[str]


@dataclass(frozen=True, slots=True)
class Example:
    """A reading's clues, and whether it is meant."""

    clues: frozenset[str]
    meant: bool


def main(arguments: Sequence[str] | None = None) -> int:
    """Learn, or check; 1 when a set is malformed."""
    parser = argparse.ArgumentParser(prog="python -m bench.finder.learn", description=__doc__)
    parser.add_argument("--check", action="store_true", help="learn from some sets, try the others, write nothing")
    check = parser.parse_args(arguments).check
    problems: list[str] = []
    names = sorted(path.parent.name for path in SETS.glob("tuning-*/questions.jsonl"))
    sets = [one for name in names if (one := read_set(SETS / name, problems))]
    if problems:
        print("\n".join(problems), file=sys.stderr)
        return 1
    examples = {one.name: tuple(examples_of(one)) for one in sets}
    if not check:
        weights = learn(example for some in examples.values() for example in some)
        rows = "".join(f"{clue}\t{weight:.2f}\n" for clue, weight in sorted(weights.items()))
        weighing.WEIGHTS.write_text(rows, encoding="utf-8")
        print(f"{len(weights)} weights from {sum(map(len, examples.values()))} readings in {len(sets)} sets")
        return 0
    total = Tally()
    for part in range(PARTS):
        held = sets[part::PARTS]
        weights = learn(example for one in sets if one not in held for example in examples[one.name])
        with patch.object(weighing, "weights", lambda weights=weights: weights):
            for one in held:
                tally = score(one, print_wrong=False)
                print(line(one.name, tally), flush=True)
                total += tally
    print(line("all", total))
    return 0


def examples_of(one: Set) -> Iterator[Example]:
    """Every reading of a set's questions, and of sentences made of its chart."""
    finder = EntityFinder(one.chart)
    for question in one.questions:
        spans = tuple(Span(mark.start, mark.end, frozenset(mark.units)) for mark in question.marked)
        yield from _examples(finder, question.text, spans)
    for text, spans in made(one.chart):
        yield from _examples(finder, text, spans)


def made(chart: Chart) -> Iterator[tuple[str, tuple[Span, ...]]]:
    """Sentences made of a chart's names, always the same, and where in them which names stand."""
    draw = random.Random(chart.root.name)
    written = [(unit.id, name) for unit in chart.units.values() for name in (unit.name, *unit.aliases)]
    kinds = sorted({kind_in(unit.name) for unit in chart.units.values()} - {""}) or ["team"]
    categories = sorted(
        {name.lower() for _, name in written if " " in name and kind_in(name) == name.split()[-1].lower()}
    )
    for frame, name in zip(CATEGORIES, draw.sample(categories, min(len(CATEGORIES), len(categories))), strict=False):
        yield frame.format(name), ()
    owners: dict[str, set[str]] = defaultdict(set)
    for unit, name in written:
        owners[name].add(unit)
    shared = sorted(name for name, units in owners.items() if len(units) > 1)
    for frame, name in zip(SHARED, draw.sample(shared, min(len(SHARED), len(shared))), strict=False):
        text = frame.format(name.lower())
        start = text.index(name.lower())
        yield text, (Span(start, start + len(name), frozenset(owners[name])),) if frame != SHARED[-1] else ()
    for number in range(MADE):
        frame = draw.choice((ASKED, STATED, STATED, INVENTED)[number % 4])
        strange = [draw.choice(STRANGE), draw.choice(kinds)] if frame in INVENTED else []
        text, spans = "", list[Span]()
        for piece in re.split(r"(\{\})", frame):
            if piece != "{}":
                text += piece
            elif strange:
                text += strange.pop(0)
            else:
                unit, name = draw.choice(written)
                spans.append(Span(len(text), len(text) + len(name), frozenset((unit,))))
                text += name
        yield text, tuple(spans)


def _examples(finder: EntityFinder, text: str, meant: Sequence[Span]) -> Iterator[Example]:
    sentence, _, found = finder.read(text)
    sure = clues.anchors(sentence, found, finder.index)
    for reading in found:
        start, end = sentence.words[reading.first].start, sentence.words[reading.last - 1].end
        # Of a shared name the sentence may say which unit is meant: the reading is right all the same.
        is_meant = any(span.start < end and start < span.end and span.units.issubset(reading.units) for span in meant)
        yield Example(frozenset(clues.clues(sentence, reading, sure, finder.index)), is_meant)


def learn(examples: Iterable[Example]) -> Mapping[str, float]:
    """The weight of each clue that tells anything, and of being a reading at all."""
    chosen = tuple(examples)
    vectorizer = DictVectorizer()
    table = vectorizer.fit_transform([dict.fromkeys(example.clues, 1) for example in chosen])
    often = np.asarray(table.sum(axis=0)).ravel() >= RAREST
    model = LogisticRegression(C=STRENGTH, max_iter=3000)
    model.fit(table[:, often], [example.meant for example in chosen])
    found = zip(vectorizer.get_feature_names_out()[often], model.coef_[0], strict=True)
    weights = {str(clue): round(float(weight), 2) for clue, weight in found if abs(weight) >= LEAST}
    return weights | {weighing.ALWAYS: round(float(model.intercept_[0]) - MARGIN, 2)}


if __name__ == "__main__":
    sys.exit(main())
