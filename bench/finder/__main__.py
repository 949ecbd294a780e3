"""python -m bench.finder [SET ...] [--tuning] [--wrong]: how much of what questions name is found, and how rightly.

A set is a folder here: chart.csv, and questions.jsonl with the units marked in each question,
`where is [[the dpo=>Data Protection Office]]`. The sets called tuning-* were written while the finder was; the others,
which are run when none is named, were written by people who had not seen it.

A mention that was found is right when it overlaps a marked one and has the very same units.
"""

from __future__ import annotations

import argparse
import json
import re
import sys
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

from org.chart import Chart, ChartError
from org.linking.entities import EntityFinder, Mention
from org.reading.charts import load

SETS = Path(__file__).parent
_MARK = re.compile(r"\[\[(.*?)=>(.*?)\]\]")
_OR = " | "
_BELOW = " > "


@dataclass(frozen=True, slots=True)
class Question:
    """A question and the mentions that are marked in it."""

    text: str
    marked: tuple[Mention, ...]


@dataclass(frozen=True, slots=True)
class Set:
    """One organization and what its people ask."""

    name: str
    chart: Chart
    questions: tuple[Question, ...]


@dataclass(frozen=True, slots=True)
class Tally:
    """Counts over questions: `silent` ones have no mention marked; `right` mentions are both found and marked."""

    questions: int = 0
    silent: int = 0
    marked: int = 0
    found: int = 0
    right: int = 0

    def __add__(self, other: Tally) -> Tally:
        return Tally(
            self.questions + other.questions,
            self.silent + other.silent,
            self.marked + other.marked,
            self.found + other.found,
            self.right + other.right,
        )

    @property
    def precision(self) -> float:
        """The part of the found mentions that is right; 1 when none is found."""
        return self.right / self.found if self.found else 1.0

    @property
    def recall(self) -> float:
        """The part of the marked mentions that is found; 1 when none is marked."""
        return self.right / self.marked if self.marked else 1.0


def main(arguments: Sequence[str] | None = None) -> int:
    """Print the table; 1 when a set is malformed, and then every problem of every set."""
    parser = argparse.ArgumentParser(prog="python -m bench.finder", description=__doc__)
    parser.add_argument(
        "sets", nargs="*", metavar="SET", help="folders of bench/finder; without any, the reported sets"
    )
    parser.add_argument("--tuning", action="store_true", help="run the sets that the finder was tuned on")
    parser.add_argument("--wrong", action="store_true", help="show each question that is not all right")
    chosen = parser.parse_args(arguments)
    folders = sorted(path.parent.name for path in SETS.glob("*/questions.jsonl"))
    names = chosen.sets or [name for name in folders if name.startswith("tuning-") == chosen.tuning]
    problems: list[str] = []
    sets = [read_set(SETS / name, problems) for name in names]
    if problems or not sets:
        print("\n".join(problems or ["No set was found."]), file=sys.stderr)
        return 1
    print(
        f"{'set':<24}{'questions':>10}{'without':>9}{'marked':>8}{'found':>7}{'right':>7}{'precision':>11}{'recall':>8}"
    )
    total = Tally()
    for one in filter(None, sets):
        tally = score(one, print_wrong=chosen.wrong)
        print(line(one.name, tally))
        total += tally
    if len(sets) > 1:
        print(line("all", total))
    return 0


def read_set(folder: Path, problems: list[str]) -> Set | None:
    """The set in a folder. What is wrong with it is added to `problems`; None when there is no chart to read by."""
    try:
        chart = load((folder / "chart.csv").read_bytes(), "chart.csv")
        lines = (folder / "questions.jsonl").read_text(encoding="utf-8").splitlines()
    except (OSError, ChartError) as error:
        problems.append(f"{folder.name}: {error}")
        return None
    questions: list[Question] = []
    seen: set[str] = set()
    for number, line in enumerate(lines, start=1):
        try:
            question = _question(json.loads(line)["question"], chart)
        except (ValueError, KeyError, TypeError) as error:
            problems.append(f"{folder.name}, line {number}: {error}")
            continue
        if question.text in seen:
            problems.append(f"{folder.name}, line {number}: this question stands here twice.")
        seen.add(question.text)
        questions.append(question)
    return Set(folder.name, chart, tuple(questions))


def _question(written: str, chart: Chart) -> Question:
    """A question without its marks. Raises ValueError with everything that is wrong with them."""
    problems: list[str] = []
    marked: list[Mention] = []
    text, last = "", 0
    for match in _MARK.finditer(written):
        text += written[last : match.start()]
        units: set[str] = set()
        for label in match[2].split(_OR):
            fitting = _labelled(label, chart)
            if len(fitting) != 1:
                problems.append(f"{label!r} names {len(fitting)} units")
            units.update(fitting)
        start, end = len(text), len(text) + len(match[1])
        if not match[1].strip():
            problems.append(f"no words are marked as {match[2]!r}")
        marked.append(Mention(tuple(sorted(units)), match[1], start, end))
        text, last = text + match[1], match.end()
    text += written[last:]
    if "[[" in text or "]]" in text or "=>" in text:
        problems.append("a mark is not [[words=>unit]]")
    if problems:
        raise ValueError(f"{'; '.join(problems)}: {written}")
    return Question(text, tuple(marked))


def _labelled(label: str, chart: Chart) -> list[str]:
    """The units of this exact name, or with this end of their path."""
    last = label.rpartition(_BELOW)[2]
    return [
        unit.id
        for unit in (*chart.named(label), *(chart.named(last) if last != label else ()))
        if f"{_BELOW}{_path(unit.id, chart)}".endswith(f"{_BELOW}{label}")
    ]


def _path(unit_id: str, chart: Chart) -> str:
    return _BELOW.join(unit.name for unit in chart.path(unit_id))


def score(one: Set, *, print_wrong: bool) -> Tally:
    """The counts for a set; each marked mention is right once at most."""
    finder = EntityFinder(one.chart)
    total = Tally()
    for question in one.questions:
        found = finder.find(question.text)
        right = list(_right(found, question.marked))
        total += Tally(1, not question.marked, len(question.marked), len(found), len(right))
        if print_wrong and not len(right) == len(found) == len(question.marked):
            print(f"  {question.text}")
            for mention in question.marked:
                if mention not in right:
                    print(f"    not found: {_told(mention, one.chart)}")
            for mention in found:
                if not any(list(_right([mention], [marked])) for marked in right):
                    print(f"    wrong:     {_told(mention, one.chart)}")
    return total


def _right(found: Iterable[Mention], marked: Sequence[Mention]) -> Iterator[Mention]:
    """The marked mentions that were found."""
    left = list(found)
    for mention in marked:
        for other in left:
            overlaps = other.start < mention.end and mention.start < other.end
            if overlaps and set(other.units) == set(mention.units):
                left.remove(other)
                yield mention
                break


def _told(mention: Mention, chart: Chart) -> str:
    return f"{mention.text!r} -> {_OR.join(sorted(_path(unit, chart) for unit in mention.units))}"


def line(name: str, tally: Tally) -> str:
    counts = f"{tally.questions:>10}{tally.silent:>9}{tally.marked:>8}{tally.found:>7}{tally.right:>7}"
    return f"{name:<24}{counts}{tally.precision:>11.4f}{tally.recall:>8.4f}"


if __name__ == "__main__":
    sys.exit(main())
