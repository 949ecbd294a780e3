"""python -m bench.reviewing: the reviewers' queue and dashboard over 100,000 answers, on SQLite and on PostgreSQL.

Fills the records of a new home of each kind, with the widths that answers have, and opens each page ten times, through
the gate to the last byte of HTML, as an admin and as a reviewer to whom a quarter of the documents are closed; then the
queries alone. Prints the median, the least (what it takes where nothing else runs) and the processor's time, that of
the database's server included. PostgreSQL is started in a folder of its own, as the tests start it.
"""

from __future__ import annotations

import hashlib
import json
import random
import sys
import tempfile
import time
from collections.abc import Callable, Iterator
from contextlib import closing, contextmanager
from dataclasses import dataclass
from datetime import UTC, date, datetime, timedelta
from pathlib import Path
from statistics import median
from types import SimpleNamespace
from typing import Any

import psutil
from fastapi import FastAPI
from sqlalchemy import insert, text
from starlette.testclient import TestClient

from org.reading.charts import load
from store import schema
from store.database import reading, writing
from store.passage import OPEN, Passage
from store.person import Newcomer, Role
from store.records import Records
from store.review_queues import Queue, sampling_hash
from store.reviews import read_record, tally
from trag.record import VERDICTS
from trag.settings import Settings
from trag.web.gate import Gate
from trag.web.people.authentication import Authenticator
from trag.web.review import page as review

ANSWERS = 100_000
DOCUMENTS = 800
CLOSED = range(100, 300)
"""The documents that the reviewer may not read."""
UNITS = 400
BATCH = 5_000
OPENINGS = 10
BAR = 300
"""Milliseconds in which a page is to open."""
OPINIONS = {"open": (), "second": ("Correct",), "disputed": ("Correct", "Incorrect")}
"""The verdicts on an answer that stands so; on any other, the one that it stands at."""
QUEUES = ("newest", "flagged", "doubtful", "sample", "second", "disputed", "judged")
PEOPLE: dict[str, Role] = {"admin": "admin", "reviewer": "reviewer"}
ADDRESSES = {
    **{f"queue: {choice}": f"/review?choice={choice}" for choice in QUEUES},
    "queue: newest of the commonest document": "/review?document=document+000.pdf",
    "queue: doubtful of the commonest unit": "/review?choice=doubtful&unit=unit-000",
    "queue: newest, far back": "/review?at=40000",
    "dashboard": "/review/figures",
    "dashboard, 12 weeks": "/review/figures?weeks=12",
    "dashboard, 52 weeks": "/review/figures?weeks=52",
}


@dataclass(frozen=True, slots=True)
class Cost:
    """Milliseconds of one opening: the median and the least of all, and the processor's on the average."""

    median: float
    least: float
    processor: float


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
        told, topics = read_record(json.dumps(record))
        stands = "open" if chance.random() < 0.5 else chance.choice((*VERDICTS, *VERDICTS, "second", "disputed"))
        monday = (created - timedelta(days=created.weekday())).date().isoformat()
        desk = told | {
            "number": number,
            "asker": "eve",
            "sampling_hash": sampling_hash(id),
            "review_status": stands,
            "since": 0,
        }
        desk |= {"flag": chance.choice(("", "", "", *VERDICTS)), "second": stands == "second"}
        desk["first_opinion"], desk["second_opinion"] = (*OPINIONS.get(stands, (stands,)), "", "")[:2]
        answer = {"number": number, "id": id, "conversation": None, "question": f"Question {number}?"}
        answer |= {"answer": padding[:400], "record_json": json.dumps(record), "created": created}
        yield (
            answer,
            desk,
            [
                {"kind": kind, "value": value, "number": number, "review_status": stands}
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
                verdicts = OPINIONS.get(desk["review_status"], (desk["review_status"],))
                for reviewer, verdict in zip(("rita", "sam"), verdicts, strict=False):
                    label = {"answer": answer["id"], "reviewer": reviewer, "verdict": verdict, "at": answer["created"]}
                    labels.append(label | {"comment": "", "corrected": ""})
            connection.execute(insert(schema.labels), labels)
            numbers = [answer["number"] for answer, _, _ in batch]
            tally(connection, schema.topics.c.number.between(numbers[0], numbers[-1]), 1)
    if records._engine.dialect.name == "postgresql":  # as its server does by itself in two years, but not in a minute
        with reading(records._engine.execution_options(isolation_level="AUTOCOMMIT")) as connection:
            connection.execute(text("VACUUM ANALYZE"))


@contextmanager
def browsers(records: Records) -> Iterator[dict[str, TestClient]]:
    """Each of PEOPLE before the review desk of a home, behind its gate."""
    for number in range(DOCUMENTS):
        name = f"document {number:03}.pdf"
        records.library.put(name, "1" * 64, None, [Passage(name, "section", name, "1 Signing", None, "Words.")])
        records.library.set_audience(name, frozenset({"unit-007"}) if number in CLOSED else OPEN)
    units = "".join(f"unit-{number:03},Unit {number},Everything\n" for number in range(UNITS))
    chart = load(f"id,name,parent\nall,Everything,\n{units}".encode(), "chart.csv")
    home: Any = SimpleNamespace(records=records, organization=SimpleNamespace(chart=chart))
    app = FastAPI(openapi_url=None)
    app.add_middleware(Gate, door=Authenticator(records, Settings()), functions={})
    review.mount(app, home)
    with TestClient(app, base_url="http://127.0.0.1:7860") as client:  # one event loop for all openings
        found = {}
        for name, role in PEOPLE.items():
            person = records.people.add(Newcomer(name, role=role, state="active"), by="bench")
            cookies = {"trag": records.sessions.begin(person.id)[0]}
            found[name] = TestClient(app, base_url="http://127.0.0.1:7860", cookies=cookies)
            found[name].portal = client.portal
        yield found


def pages(found: dict[str, TestClient]) -> Iterator[tuple[str, Callable[[], object]]]:
    """Whole pages."""

    def page(browser: TestClient, address: str) -> None:
        answer = browser.get(address)
        if answer.status_code != 200:
            sys.exit(f"{address}: {answer.status_code}")

    for title, address in ADDRESSES.items():
        for who, browser in found.items():
            yield f"{title} ({who})", lambda browser=browser, address=address: page(browser, address)


def queries(records: Records) -> Iterator[tuple[str, Callable[[], object]]]:
    """The queries alone: those of a queue page are its answers, and the size of every queue beside them."""
    desk = records.reviews
    hidden = [f"document {number:03}.pdf" for number in CLOSED]

    def page(queue: Queue) -> None:
        desk.queue(queue, reviewer="tom")
        for choice in QUEUES:
            desk.size(Queue(choice, queue.document, queue.unit, hidden=queue.hidden), reviewer="tom")  # type: ignore[arg-type]

    for choice in QUEUES:
        yield f"queue: {choice}", lambda choice=choice: page(Queue(choice))
    yield "queue: newest of the commonest document", lambda: page(Queue(document="document 000.pdf"))
    yield "queue: doubtful of the commonest unit", lambda: page(Queue("doubtful", unit="unit-000"))
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


def measured(url: str, server: Callable[[], float] = lambda: 0.0) -> dict[str, Cost]:
    """What each page costs; `server` gives the seconds that the database's server has computed so far."""
    found = {}
    with closing(Records(url)) as records:
        began = time.monotonic()
        fill(records)
        print(f"{ANSWERS:,} answers in {time.monotonic() - began:,.0f} s", file=sys.stderr)
        with browsers(records) as people:
            jobs = [(f"page: {name}", job) for name, job in pages(people)]
            for name, job in jobs + [(f"queries: {name}", job) for name, job in queries(records)]:
                job()
                times = []
                computed = time.process_time() + server()
                for _ in range(OPENINGS):
                    began = time.perf_counter()
                    job()
                    times.append(1000 * (time.perf_counter() - began))
                computed = 1000 * (time.process_time() + server() - computed) / OPENINGS
                found[name] = Cost(median(times), min(times), computed)
    return found


def computing(folder: Path) -> Callable[[], float]:
    """How many seconds the PostgreSQL server of a folder has computed."""
    postmaster = psutil.Process(int((folder / "data" / "postmaster.pid").read_text().split()[0]))

    def seconds() -> float:
        processes = [postmaster, *postmaster.children()]
        return sum(times.user + times.system for times in (process.cpu_times() for process in processes))

    return seconds


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
            found["PostgreSQL"] = measured(server.database(), computing(server.folder))
        finally:
            server.remove()
    heads = " | ".join(f"{kind} | processor" for kind in found)
    print(f"| {ANSWERS:,} answers, ms: median (least of {OPENINGS}) | {heads} | bar |")
    print("|---" * (2 * len(found) + 2) + "|")
    for name in next(iter(found.values())):
        costs = (each[name] for each in found.values())
        cells = [f"{cost.median:,.0f} ({cost.least:,.0f}) | {cost.processor:,.0f}" for cost in costs]
        print(f"| {name} | {' | '.join(cells)} | {BAR} |")


if __name__ == "__main__":
    main()
