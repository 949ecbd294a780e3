"""Reviewers at work while the program, or the database under it, is killed: nothing that was acknowledged is lost.

Two processes judge the same answers on and on, each telling what it was told is safe. KILLS_SEED=n chooses other
moments.
"""

from __future__ import annotations

import contextlib
import os
import random
import signal
import subprocess
import sys
import time
from collections.abc import Iterator
from contextlib import closing
from pathlib import Path
from typing import TYPE_CHECKING

import pytest
from sqlalchemy import text

from store import schema
from store.database import HEAD, connect, open_database, reading, version_of
from store.person import Newcomer
from store.records import Records
from store.reviews import Label

if TYPE_CHECKING:
    from conftest import Postgres

ROOT = Path(__file__).parents[2]
SEED = int(os.environ.get("KILLS_SEED", "7"))
KILLS = 6
"""Of the program, on each kind of database."""
CRASHES = 3
"""Of the server."""
ANSWERS = 4

WORK = r"""
import os, sys
from store import StoreError
from store.person import Newcomer
from store.records import Records
from trag.record import VERDICTS
from trag.review.verdicts import put_label

def say(words):
    os.write(1, f"{words}\n".encode())  # at once, whatever is buffered: the other writes here too

def judge(url, name):
    records = Records(url)
    say(f"{name} is {os.getpid()}")
    try:
        for number in range(1_000_000):
            verdict = VERDICTS[number * (len(name) + 1) % 3]
            put_label(records, f"a{number % 4}", name, verdict, str(number), "", settles=number % 7 == 0)
            say(f"{name} safe {number}")
    except StoreError as error:
        say(f"{name} told {error.message}")

def manage(url, name):
    records = Records(url)
    say(f"{name} is {os.getpid()}")
    for number in range(1_000_000):
        person = records.people.add(Newcomer(f"{name} {number}", state="active", secret=f"h{number}"), by=name)
        records.sessions.begin(person.id)
        records.people.change(person.id, role="admin", state="disabled", by=name)
        say(f"{name} safe {number}")

for line in sys.stdin:
    act, *rest = line.split()
    if act == "wait":
        while True:
            try:
                os.wait()
            except ChildProcessError:
                break
        say("over")
    elif os.fork() == 0:
        globals()[act](*rest)
        os._exit(0)
"""


class Workers:
    """Processes that start at once, for all that they need is loaded already, and that tell what they were told."""

    def __init__(self) -> None:
        pipes = {"stdin": subprocess.PIPE, "stdout": subprocess.PIPE}
        self._process = subprocess.Popen([sys.executable, "-c", WORK], text=True, cwd=ROOT, **pipes)  # type: ignore[call-overload]
        self._pids: list[int] = []
        self.safe: dict[str, int] = {}

    def start(self, act: str, url: str, *names: str) -> None:
        self._pids, self.safe = [], dict.fromkeys(names, -1)
        for name in names:
            self._say(f"{act} {url} {name}")

    def until(self, acknowledged: int) -> None:
        """Listen until that many acknowledgements have come from all together, and everybody has begun."""
        while len(self._pids) < len(self.safe) or sum(self.safe.values()) + len(self.safe) < acknowledged:
            self._hear(self._process.stdout.readline())

    def kill(self) -> None:
        for pid in self._pids:
            os.kill(pid, signal.SIGKILL)
        self.end()
        self._pids = []

    def end(self) -> None:
        """Wait until every process has ended, and listen to all that they have told."""
        self._say("wait")
        while (line := self._process.stdout.readline()) != "over\n":
            self._hear(line)

    def close(self) -> None:
        """End the processes, also those that a failed test left at work."""
        for pid in self._pids:
            with contextlib.suppress(ProcessLookupError):
                os.kill(pid, signal.SIGKILL)
        self._process.kill()
        self._process.communicate()

    def _say(self, words: str) -> None:
        self._process.stdin.write(f"{words}\n")
        self._process.stdin.flush()

    def _hear(self, line: str) -> None:
        assert line, "the processes ended"
        name, what, told = line.split(maxsplit=2)
        if what == "is":
            self._pids.append(int(told))
        elif what == "safe":
            self.safe[name] = int(told)


@pytest.fixture(scope="module")
def workers() -> Iterator[Workers]:
    with closing(Workers()) as workers:
        yield workers


def expected(labels: tuple[Label, ...]) -> str:
    """How an answer stands by its labels, told in other words than the store's."""
    last = {label.reviewer: label for label in labels}
    settling = [label.verdict for label in labels if label.settles and last[label.reviewer] is label]
    verdicts = sorted({label.verdict for label in last.values()})
    return settling[-1] if settling else "disputed" if len(verdicts) > 1 else verdicts[0] if verdicts else "open"


class Seen:
    """What the labels were at the last look; each look checks them against what was acknowledged since."""

    def __init__(self, url: str) -> None:
        self.url = url
        self.counts: dict[str, int] = {}

    def look(self, records: Records, safe: dict[str, int], kill: int) -> None:
        self._wait()
        by_answer = [records.labels_of(f"a{number}") for number in range(ANSWERS)]
        for name, last in safe.items():
            mine = sorted(
                (label for labels in by_answer for label in labels if label.reviewer == name), key=lambda each: each.at
            )
            new = [label.comment for label in mine[self.counts.get(name, 0) :]]
            assert new[: last + 1] == [str(number) for number in range(last + 1)], (kill, name)
            assert len(new) <= last + 2, "at most the one in flight beyond the acknowledged"
            self.counts[name] = len(mine)
        for number, labels in enumerate(by_answer):
            review = records.reviews.review(f"a{number}")
            assert review is not None
            assert review.review_status == expected(labels), (kill, labels[-3:])
        judged = [event for event in records.audit.all() if event.what == "judged"]
        assert len(judged) == sum(map(len, by_answer)), "a row for each label, and a label for each row"
        assert records.audit.verify() is None
        if self.url.startswith("sqlite"):
            engine = open_database(self.url)
            with reading(engine) as connection:
                assert connection.scalar(text("PRAGMA integrity_check")) == "ok"
            engine.dispose()

    def _wait(self) -> None:
        """Until a server has done with what killed programs had sent it: it may commit that after they are gone."""
        busy = "SELECT count(*) FROM pg_stat_activity WHERE datname = current_database() AND state <> 'idle'"
        if self.url.startswith("postgresql"):
            engine = open_database(self.url)
            for _ in range(1_000):
                with reading(engine) as connection:
                    if not connection.scalar(text(f"{busy} AND pid <> pg_backend_pid()")):
                        break
                time.sleep(0.01)
            engine.dispose()


@pytest.fixture
def answered(records: Records) -> Records:
    for number in range(ANSWERS):
        records.save_answer(f"a{number}", None, "q", "w", "{}")
    return records


@pytest.mark.slow
def test_no_acknowledged_label_is_lost_when_the_program_is_killed(
    answered: Records, migrated: str, workers: Workers
) -> None:
    chance, seen = random.Random(SEED), Seen(migrated)
    for kill in range(KILLS):
        workers.start("judge", migrated, "rita", "sam")
        workers.until(chance.randrange(25))
        time.sleep(chance.uniform(0, 0.05))
        workers.kill()
        seen.look(answered, workers.safe, kill)
    assert sum(seen.counts.values()) > KILLS


@pytest.mark.slow
@pytest.mark.timeout(900)
def test_no_acknowledged_label_is_lost_when_the_server_is_killed(postgres_alone: Postgres, workers: Workers) -> None:
    url = postgres_alone.database()
    chance, seen = random.Random(SEED), Seen(url)
    with closing(Records(url)) as records:
        for number in range(ANSWERS):
            records.save_answer(f"a{number}", None, "q", "w", "{}")
        for kill in range(CRASHES):
            workers.start("judge", url, "rita", "sam")
            workers.until(chance.randrange(2, 40))
            time.sleep(chance.uniform(0, 0.05))
            postgres_alone.kill()
            workers.end()
            postgres_alone.start()
            seen.look(records, workers.safe, kill)  # the same Records go on once the server is back
    assert sum(seen.counts.values()) > CRASHES


@pytest.mark.slow
def test_nobody_is_half_a_person_when_the_program_is_killed(records: Records, migrated: str, workers: Workers) -> None:
    records.people.add(Newcomer("root", role="admin", state="active"), by="root")
    chance = random.Random(SEED)
    for kill in range(6):
        workers.start("manage", migrated, f"boss{kill}")
        workers.until(chance.randrange(6))
        time.sleep(chance.uniform(0, 0.05))
        workers.kill()
        last = workers.safe[f"boss{kill}"]
        people = records.people.all(search=f"boss{kill} ", most=1000)
        numbers = sorted(int(person.name.split()[1]) for person in people)
        assert numbers[: last + 1] == list(range(last + 1))
        assert len(numbers) <= last + 2
        for person in people:
            number = person.name.split()[1]
            assert records.people.secret(person.id) == f"h{number}"
            assert (person.role, person.state) in {("employee", "active"), ("admin", "disabled")}, "both or neither"
            assert len(records.sessions.of(person.id)) <= (person.state == "active")
        assert records.audit.verify() is None


MIGRATING = """
import sys
from store import database
import alembic.command, alembic.config
print("ready", flush=True)
sys.stdin.readline()
database.open_database(sys.argv[1])
"""


@pytest.mark.slow
def test_a_killed_migration_leaves_the_version_before_or_after(url: str) -> None:
    engine = connect(url)
    chance = random.Random(SEED)
    for _ in range(4):
        command = [sys.executable, "-c", MIGRATING, url]
        child = subprocess.Popen(command, cwd=ROOT, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True)
        assert child.stdout is not None
        assert child.stdin is not None
        child.stdout.readline()
        child.stdin.write("go\n")
        child.stdin.flush()
        time.sleep(chance.uniform(0, 0.3))
        child.kill()
        child.communicate()
        with reading(engine) as connection:
            tables = set(engine.dialect.get_table_names(connection))
            assert (version_of(connection), tables) in (
                (None, set()),
                (HEAD, {*schema.metadata.tables, "alembic_version"}),
            )
    engine.dispose()
    with closing(Records(url)) as records:
        records.save_answer("a50", None, "q", "w", "{}")
        assert records.reviews.review("a50") is not None
