"""python -m bench.reviewing: the reviewers' queue and dashboard over 100,000 answers, on SQLite and on PostgreSQL.

Fills the records of a new home of each kind, with the widths that answers have, and prints the median and the least of
ten openings of each page: the least is what it takes where nothing else runs. PostgreSQL is started in a folder of its
own, as the tests start it.
"""

from __future__ import annotations

import hashlib
import json
import random
import sys
import tempfile
import time
from collections.abc import Callable, Iterator
from contextlib import closing
from datetime import UTC, date, datetime, timedelta
from pathlib import Path
from statistics import median
from typing import Any

from sqlalchemy import insert

from store import schema, standing
from store.database import writing
from store.records import VERDICTS, Records
from store.reviewing import Queue

ANSWERS = 100_000
DOCUMENTS = 800
UNITS = 400
BATCH = 5_000
OPENINGS = 10
BAR = 300
"""Milliseconds in which a page is to open."""
QUEUES = ("newest", "flagged", "weak", "sample", "second", "disputed", "judged")


def rows(chance: random.Random) -> Iterator[tuple[dict[str, Any], dict[str, Any], list[dict[str, Any]]]]:
    """Answers over two years, each with its row on the desk and its topics: half are judged; documents and units are
    asked for as unevenly as they are in life."""
    padding = "What the sources said, and the sentences of the chart that entered the prompt. " * 60
    now = datetime.now(UTC)
    for number in range(1, ANSWERS + 1):
        created = now - timedelta(minutes=10 * (ANSWERS - number))
        documents = {f"document {int(DOCUMENTS * chance.random() ** 3):03}.pdf" for _ in range(4)}
        units = {f"unit-{int(UNITS * chance.random() ** 3):03}" for _ in range(chance.choice((0, 1, 1, 2)))}
        supports = [chance.random() < 0.8 for _ in range(3)]
        record = {
            "status": "answered",
            "model": {"name": chance.choice(("small", "large")), "adapter": ""},
            "sources": [{"kind": "section", "document": name, "text": padding[:400]} for name in documents],
            "entities": [{"unit": unit} for unit in units],
            "checks": {"sentences": [{"supported": each} for each in supports]},
        }
        id = hashlib.md5(str(number).encode()).hexdigest()
        told, topics = standing._told(json.dumps(record))
        stands = "open" if chance.random() < 0.5 else chance.choice((*VERDICTS, *VERDICTS, "second", "disputed"))
        monday = (created - timedelta(days=created.weekday())).date().isoformat()
        desk = told | {"number": number, "asker": "eve", "lot": standing.lot(id), "standing": stands, "since": 0}
        desk |= {"flag": chance.choice(("", "", "", *VERDICTS)), "second": stands == "second"}
        desk["reviewers"] = {"open": 0, "disputed": 2}.get(stands, 1)
        answer = {"number": number, "id": id, "conversation": None, "question": f"Question {number}?"}
        answer |= {"answer": padding[:400], "record_json": json.dumps(record), "created": created}
        yield (
            answer,
            desk,
            [
                {"kind": kind, "value": value, "number": number, "standing": stands}
                for kind, value in [("week", monday), *topics]
            ],
        )


def fill(records: Records) -> None:
    """All the answers, and a label for each that was judged."""
    chance = random.Random(1)
    made = rows(chance)
    for _ in range(ANSWERS // BATCH):
        batch = [next(made) for _ in range(BATCH)]
        with writing(records._engine) as connection:
            connection.execute(insert(schema.answers), [answer for answer, _, _ in batch])
            connection.execute(insert(schema.reviews), [desk for _, desk, _ in batch])
            connection.execute(insert(schema.topics), [topic for _, _, topics in batch for topic in topics])
            labels = []
            for answer, desk, _ in batch:
                given = {"open": (), "second": ("Correct",), "disputed": ("Correct", "Incorrect")}
                for reviewer, verdict in zip(
                    ("rita", "sam"), given.get(desk["standing"], (desk["standing"],)), strict=False
                ):
                    label = {"answer": answer["id"], "reviewer": reviewer, "verdict": verdict, "at": answer["created"]}
                    labels.append(label | {"comment": "", "corrected": ""})
            connection.execute(insert(schema.labels), labels)
            numbers = [answer["number"] for answer, _, _ in batch]
            standing.tally(connection, schema.topics.c.number.between(numbers[0], numbers[-1]), 1)


def pages(records: Records) -> Iterator[tuple[str, Callable[[], object]]]:
    """What is opened, and how: a queue page is its answers, and the size of every queue beside them."""
    desk = records.reviewing
    hidden = [f"document {number:03}.pdf" for number in range(100, 300)]

    def page(queue: Queue) -> None:
        desk.queue(queue, reviewer="tom")
        for choice in QUEUES:
            desk.size(Queue(choice, queue.document, queue.unit, hidden=queue.hidden), reviewer="tom")  # type: ignore[arg-type]

    for choice in QUEUES:
        yield f"queue: {choice}", lambda choice=choice: page(Queue(choice))
    yield "queue: newest of the commonest document", lambda: page(Queue(document="document 000.pdf"))
    yield "queue: weak of the commonest unit", lambda: page(Queue("weak", unit="unit-000"))
    yield "queue: newest, 200 documents hidden", lambda: page(Queue(hidden=hidden))
    yield "queue: judged, 200 documents hidden", lambda: page(Queue("judged", hidden=hidden))
    yield "queue: newest, the last page", lambda: desk.queue(Queue(), reviewer="tom", page=2_400)
    for by in ("week", "model", "document", "unit"):
        yield f"counts by {by}", lambda by=by: desk.counts(by)
    recent = date.today() - timedelta(weeks=12)
    yield "counts by document, 12 weeks", lambda: desk.counts("document", since=recent)
    yield "agreement", desk.agreement

    def dashboard() -> None:
        for by in ("week", "model", "document", "unit"):
            desk.counts(by)  # type: ignore[arg-type]
        desk.agreement()

    yield "dashboard: all counts and the agreement", dashboard


def measured(url: str) -> dict[str, tuple[float, float]]:
    """Milliseconds of each page: the median and the least."""
    found = {}
    with closing(Records(url)) as records:
        began = time.monotonic()
        fill(records)
        print(f"{ANSWERS:,} answers in {time.monotonic() - began:,.0f} s", file=sys.stderr)
        for name, open_page in pages(records):
            open_page()
            times = []
            for _ in range(OPENINGS):
                began = time.perf_counter()
                open_page()
                times.append(1000 * (time.perf_counter() - began))
            found[name] = median(times), min(times)
    return found


def main() -> None:
    """Measure both, and print one table."""
    from tests.store.conftest import Postgres

    kinds = sys.argv[1:] or ["sqlite", "postgresql"]
    found = {}
    with tempfile.TemporaryDirectory() as folder:
        if "sqlite" in kinds:
            found["SQLite"] = measured(f"sqlite:///{Path(folder) / 'trag.db'}")
    if "postgresql" in kinds:
        server = Postgres()
        try:
            found["PostgreSQL"] = measured(server.database())
        finally:
            server.remove()
    print(f"| {ANSWERS:,} answers, ms: median (least of {OPENINGS}) | {' | '.join(found)} | bar |")
    print("|---" * (len(found) + 2) + "|")
    for name in next(iter(found.values())):
        cells = [f"{times[name][0]:,.0f} ({times[name][1]:,.0f})" for times in found.values()]
        print(f"| {name} | {' | '.join(cells)} | {BAR} |")


if __name__ == "__main__":
    main()
