"""python -m bench.statements [--units N]: what the chart's statements for a question cost on a large chart.

A made chart of N units (100,000), with shared names, wide and deep parts, and every kind of question about it; the
mentions are given, as finding them is another matter.  Prints process CPU time a question, mean and worst, by kind.
"""

from __future__ import annotations

import argparse
import random
from collections import defaultdict
from statistics import mean
from time import process_time

from org import statements
from org.chart import Chart, Unit
from org.entities import Mention, TypeMention

TYPES = ("division", "department", "office", "team", "unit", "committee", "working group", "desk")
TOPICS = "Harbour Water Grants Payroll Archive Clinic River Coast School Audit Press Travel Roads Forest Energy".split()
QUESTIONS = {
    "place": "Where is the {0}?",
    "parent": "Who does the {0} report to?",
    "children": "Which units are directly under the {0}?",
    "all below": "List all units under the {0}.",
    "count": "How many units are under the {0}?",
    "type below": "How many {t} are under the {0}?",
    "type in all": "Which {t} are there?",
    "siblings": "What are the siblings of the {0}?",
    "common": "What is the common parent of the {0} and the {1}?",
    "whether": "Is the {0} under the {1}?",
    "more": "Which has more {t}, the {0} or the {1}?",
    "top": "Which units are at the top level?",
    "head": "Who heads the {0}?",
    "document": "How long does the {0} take to answer?",
    "none": "How do I claim a taxi?",
}
EACH = 200
WARM = 3  # questions before the clock starts: what is made once for a chart is made by them
BUDGET = 700  # tokens, as in trag/settings.py


def main() -> None:
    """Print one line a kind of question, then all together."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--units", type=int, default=100_000)
    options = parser.parse_args()
    chance = random.Random(7)
    chart = made(options.units, chance)
    began = process_time()
    for _ in range(WARM):
        statements.answer(*asked("Which {t} are there?", chart, chance), chart)
    print(f"first questions: {process_time() - began:.3f} s")
    took: dict[str, list[float]] = defaultdict(list)
    for kind, wording in QUESTIONS.items():
        for _ in range(EACH):
            question = asked(wording, chart, chance)
            began = process_time()
            statements.answer(*question, chart)
            statements.describe(*question, chart, budget=BUDGET, count=lambda text: len(text) // 4)
            took[kind].append(process_time() - began)
    took["all"] = [one for times in list(took.values()) for one in times]
    for kind, times in took.items():
        print(f"{kind:12} {mean(times) * 1000:7.3f} ms   worst {max(times) * 1000:8.3f} ms")


def made(size: int, chance: random.Random) -> Chart:
    """A chart of `size` units: the root with 400 units, each other unit under one drawn by chance before it."""
    units = [Unit("0", "Grand Foundation", "foundation", None)]
    for number in range(1, size):
        parent = units[0] if number <= 400 else units[chance.randrange(1, min(number, size // 3))]
        kind = chance.choice(TYPES)
        shared = "" if number % 50 else "Shared "
        name = f"{shared}{chance.choice(TOPICS)} {chance.choice(TOPICS)} {'' if shared else number} {kind.title()}"
        head = f"Person {number}" if number % 2 else ""
        units.append(Unit(str(number), " ".join(name.split()), kind, parent.id, description="What it does.", head=head))
    return Chart(units)


def asked(wording: str, chart: Chart, chance: random.Random) -> tuple[str, list[Mention], list[TypeMention]]:
    """A question with its mentions and types, as the finder would give them."""
    units = [chart.unit(str(chance.randrange(len(chart)))) for _ in range(2)]
    if chance.random() < 0.3:
        units[1] = chart.path(units[0].id)[chance.randrange(chart.depth(units[0].id) + 1)]
    kind = chance.choice(TYPES)
    question = wording.format(*(unit.name for unit in units), t=f"{kind}s")
    mentions = []
    for unit in dict.fromkeys(units):
        if (start := question.find(unit.name)) >= 0:
            sharing = tuple(one.id for one in chart.named(unit.name))
            mentions.append(Mention(sharing, unit.name, start, start + len(unit.name)))
    place = question.find(f"{kind}s")
    types = [TypeMention(kind, f"{kind}s", place, place + len(kind) + 1)] if "{t}" in wording else []
    return question, sorted(mentions, key=lambda mention: mention.start), types


if __name__ == "__main__":
    main()
