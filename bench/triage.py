"""How well the order of the desk finds wrong answers: python -m bench.triage [CASES ANSWERS]...

labelled answers (bench/labels) -> what the search finds for their questions -> checks -> doubt -> the worst tenth
answers of a batch, scored as evaluations score them ------------------------------> doubt -> the worst tenth

The records of the labelled answers lack what spoke against them, so that is made anew: passages as the product finds
them without the reader, and its checks of the words against those. More than half of these answers are wrong, which no
tenth could hold: the right ones are mixed with one wrong one in ten, drawn at random, many times.
"""

from __future__ import annotations

import json
import random
import sys
import tempfile
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from pathlib import Path
from statistics import mean

from bench.score import chart_of
from prompts import CANNOT_ANSWER
from store.review_topics import read_record
from trag import grounding, retrieve
from trag.evaluate import cases
from trag.evaluate.comparing import is_right
from trag.evaluate.scoring import score
from trag.grounding import Evidence
from trag.home import Home, open_home
from trag.record import AnswerRecord, sources_of
from trag.settings import Settings

LABELS = Path(__file__).with_name("labels")
ORGANIZATIONS = Path(__file__).with_name("organizations")
DRAWS = 500
SHARE = 0.1
"""How many are looked at, and how many of those that are drawn are wrong."""


@dataclass(frozen=True)
class Judged:
    """An answer, what speaks against it, and whether it is wrong."""

    record: AnswerRecord
    is_wrong: bool

    @cached_property
    def doubt(self) -> float:
        columns, _ = read_record(self.record.to_json())
        return float(columns["doubt"])


def labelled(organization: str) -> Iterator[Judged]:
    """The labelled answers of an organization, each record with what the product would have kept with it."""
    rows = [json.loads(line) for line in (LABELS / f"{organization}.jsonl").read_text("utf-8").splitlines()]
    folder = ORGANIZATIONS / organization
    with tempfile.TemporaryDirectory() as place, open_home(Settings(home=Path(place))) as home:
        home.ingest(sorted((folder / "documents").iterdir()), replace=False, progress=lambda *_: None)
        if chart := chart_of(next(folder.glob("chart.*"))):
            content = next(folder.glob("chart.*")).read_bytes()
            home.charts.activate(chart, [("chart.csv", content)], by="bench")
        found: dict[str, AnswerRecord] = {}
        for row in rows:
            record = AnswerRecord.from_json(json.dumps(row["record"]))
            if record.question not in found:
                found[record.question] = searched(record, home)
            yield Judged(checked(record, found[record.question], home), row["label"] == "Incorrect")


def searched(record: AnswerRecord, home: Home) -> AnswerRecord:
    """A record with the passages that the product finds for its question without the reader."""
    vector, reranker = home.embedder.embed_questions([record.standalone])[0], home.reranker
    weigh = reranker.weigh if reranker else None
    lines = retrieve.ranked(record.standalone, vector, home.vectors, readers=None, weigh=weigh)
    found = retrieve.excerpts(lines)
    return replace(record, sources=sources_of((), found, home.organization.chart), odds=round(found[0].odds, 2))


def checked(record: AnswerRecord, found: AnswerRecord, home: Home) -> AnswerRecord:
    """A labelled answer with the sources of its question and the checks of its words against them; one in the chart's
    own words as it is."""
    if record.checks.replaced == "chart":
        return record
    if record.status == "cannot_answer" or record.answer == CANNOT_ANSWER:
        return replace(found, answer=record.answer, status="cannot_answer")
    evidence = [Evidence(one.id, one.text, one.question or one.section) for one in found.sources]
    grounded = grounding.check(record.standalone, record.answer, evidence, home.organization)
    return replace(found, answer=record.answer, status="answered", checks=replace(grounded.checks, attempts=1))


def batch(file: Path, answers: Path) -> tuple[Judged, ...]:
    """The answers of a batch, wrong where the scorer says so; without those that it leaves to people."""
    asked = {case.id: case for case in cases.read(file.read_bytes(), file.name)}
    chart = chart_of(next(file.parent.glob("chart.*")))
    records = map(AnswerRecord.from_json, filter(str.strip, answers.read_text("utf-8").splitlines()))
    scored = [(record, score(asked[record.id], record, chart)) for record in records]
    return tuple(Judged(record, not is_right(one)) for record, one in scored if one.verdict)


def shown(judged: Sequence[Judged], chance: random.Random) -> tuple[int, int]:
    """How many wrong answers the worst tenth holds, and how many it could hold; of those that are as doubtful chance
    decides."""
    ordered = sorted(judged, key=lambda one: (-one.doubt, chance.random()))
    looked_at = ordered[: max(1, round(SHARE * len(ordered)))]
    return sum(one.is_wrong for one in looked_at), min(len(looked_at), sum(one.is_wrong for one in judged))


def drawn(judged: Sequence[Judged], chance: random.Random) -> tuple[Judged, ...]:
    """All right answers, and so many wrong ones that they are SHARE of all."""
    right, wrong = ([one for one in judged if one.is_wrong is is_wrong] for is_wrong in (False, True))
    return (*right, *chance.sample(wrong, min(len(wrong), round(len(right) * SHARE / (1 - SHARE)))))


def told(name: str, judged: Sequence[Judged], *, mixed: bool) -> str:
    """A line of the table, the means over DRAWS; the last cell is what a tenth in any order holds on the average."""
    chance = random.Random(1)
    samples = [drawn(judged, chance) if mixed else judged for _ in range(DRAWS)]
    held, could = map(mean, zip(*(shown(each, chance) for each in samples), strict=True))
    wrong = mean(sum(one.is_wrong for one in each) for each in samples)
    by_chance = wrong * max(1, round(SHARE * len(samples[0]))) / len(samples[0])
    counts = f"{len(judged)} | {sum(one.is_wrong for one in judged)}"
    return f"| {name} | {counts} | {held:.1f} of {could:.1f} | {held / could:.0%} | {by_chance / could:.0%} |"


def main() -> None:
    """Print one table."""
    given = [Path(each) for each in sys.argv[1:]]
    print("| answers | number | wrong | wrong ones in the worst tenth, of what it can hold | share | by chance |")
    print("|---|---|---|---|---|---|")
    for file, answers in zip(given[::2], given[1::2], strict=True):
        print(told(f"{file.parent.name}, a batch", batch(file, answers), mixed=False), flush=True)
    for file in () if given else sorted(LABELS.glob("*.jsonl")):
        print(told(f"{file.stem}, labelled by hand", tuple(labelled(file.stem)), mixed=True), flush=True)


if __name__ == "__main__":
    main()
