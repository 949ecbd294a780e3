"""Systems put to queries: what is kept, what goes on, and the tables of it."""

from collections.abc import Generator, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from tests.scripted import Scripted
from trag.errors import TragError
from trag.evaluate.flows.data import Data
from trag.evaluate.flows.running import chosen, run
from trag.evaluate.flows.tables import nearest_by, report
from trag.evaluate.flows.writing import Written
from trag.llm.model import Sampling, Usage
from trag.progress import silent

GOOD = """ Write down the problem and tell the team in charge [API] RecordIssue()
[thought] Write down the problem and tell the team in charge [API] NotifyComplaintDepartment()
[thought] Finish handling the request [API] Finish()
[thought] and so on [API] RecordIssue()"""
SHORT = "\n".join(line for line in GOOD.splitlines() if "Notify" not in line)
BARE = " NotifyComplaintDepartment()\n[API] Finish()"


def encode(texts: Sequence[str]) -> np.ndarray:
    """Texts that are the same, and others."""
    rows = [np.random.default_rng([*text.encode()]).normal(size=64) for text in texts]
    return np.array([row / np.linalg.norm(row) for row in rows])


def weigh(question: str, texts: Sequence[str]) -> np.ndarray:
    return np.zeros(len(texts))


def test_it_goes_on_where_it_was_stopped(tmp_path: Path, paper: Data) -> None:
    problems = [query for query in chosen(paper, "dev", 2) if query.flow == "report-problem"]
    assert [query.half for query in problems] == ["dev", "dev"]
    model = Scripted(GOOD, ValueError("gone"))

    def go_on(model: Scripted) -> tuple[Written, ...]:
        tasks = (("greedy", "all"), ("greedy-apis", "relevant"))
        return run(tmp_path, model, paper, problems, tasks, encode, weigh, silent)  # type: ignore[arg-type]

    with pytest.raises(ValueError, match="gone"):
        go_on(model)
    file = next(tmp_path.iterdir())
    with file.open("ab") as kept:
        kept.write(b'{"system": "gre')
    written = go_on(Scripted(SHORT, BARE))
    assert [(one.system, one.setting) for one in written] == [("greedy", "all")] * 2 + [("greedy-apis", "relevant")] * 2
    assert go_on(Scripted(ValueError("asked again"))) == written
    assert (
        written[0].text == "[thought]" + GOOD[: GOOD.index("Finish()") + len("Finish()")]
    )  # nothing behind the end is written

    published, reliable, flows, figures = report(written, paper, nearest_by(encode))
    first, second = (dict(zip(published.header, row, strict=True)) for row in published.rows)
    assert (first["Edits of APIs"], first["Exact %"], first["Plans"]) == ("0.5 ± 0.5", "50.0 ± 50.0", "2")
    assert (second["Edits of APIs"], second["Incons. APIs %"], second["Thoughts"]) == (
        "1.0 ± 0.0",
        "50.0 ± 0.0",
        "0.0 ± 0.0",
    )
    assert [row[:5] for row in reliable.rows] == [
        ("greedy", "all", "50.0", "0.0", "-"),
        ("greedy-apis", "relevant", "0.0", "0.0", "-"),
    ]
    assert not flows.rows
    assert len(figures.rows) == 26

    short = replace(written[0], query=next(one.id for one in paper.queries if one.flow == "buy-insurance"))
    titles = [table.title for table in report([short], paper, nearest_by(encode))]
    assert titles[:2] == ["Plans, by the gold as published", "Plans, by the gold as mended"]


def test_sampling_is_the_same_every_time_and_of_each_query_its_own(tmp_path: Path, paper: Data) -> None:
    seeds: list[Sampling] = []

    class Sampled(Scripted):
        def stream(self, *args: Any, sampling: Sampling, **more: Any) -> Generator[str | Usage, None, None]:
            seeds.append(sampling)
            return super().stream(*args, **more)

    for part in ("a", "b"):
        queries = chosen(paper)[:2]
        run(tmp_path / part, Sampled(GOOD), paper, queries, [("nucleus", "all")], encode, weigh, silent)  # type: ignore[arg-type]
    assert seeds[:2] == seeds[2:]
    assert seeds[0].seed != seeds[1].seed
    assert (seeds[0].temperature, seeds[0].top_p) == (1.0, 0.9)


def test_the_setting_decides_what_is_shown(tmp_path: Path, paper: Data) -> None:
    query = chosen(paper, number=1)[:1]
    for setting, flows in (("all", 3), ("relevant", 1)):
        model = Scripted(BARE)
        run(tmp_path, model, paper, query, [("greedy-apis", setting)], encode, weigh, silent)  # type: ignore[list-item, arg-type]
        (asked, opening), *_ = model.asked
        assert asked.content.count("1. Start handling the customer's request") == flows
        assert query[0].query in asked.content
        assert opening.content == "[API] InitSystem()\n[API] Start()\n[API]"


def test_what_cannot_be_searched_says_so(tmp_path: Path, paper: Data) -> None:
    with pytest.raises(TragError, match=r"scripted cannot be searched, so flap\.3"):
        run(tmp_path, Scripted(BARE), paper, chosen(paper)[:1], [("flap.3", "all")], encode, weigh, silent)  # type: ignore[arg-type]
