"""Folders that are mirrored by themselves: by the clock, when something changes, and when somebody asks."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator
from contextlib import closing
from datetime import UTC, datetime, timedelta
from types import SimpleNamespace
from typing import Any

import pytest

from tests.trag.folders.conftest import Mirrored
from trag.folders import runner
from trag.folders.runner import FolderRunner


@pytest.fixture
def running(mirrored: Mirrored, monkeypatch: pytest.MonkeyPatch) -> Iterator[FolderRunner]:
    monkeypatch.setattr(runner, "PACE", 0.05)
    home: Any = SimpleNamespace(records=mirrored.records, stock=mirrored.context, look_over=lambda: None)
    with closing(FolderRunner(home)) as made:
        yield made


def until(what: Callable[[], bool]) -> None:
    end = time.monotonic() + 60
    while not what():
        assert time.monotonic() < end, "it does not come"
        time.sleep(0.05)


def test_a_folder_is_looked_at_when_its_time_has_come(mirrored: Mirrored, running: FolderRunner) -> None:
    folder = mirrored.add(every=60, watched=False)
    mirrored.write("a.md", "Words.")
    running.work_off()
    assert [*mirrored.documents()] == ["a.md"]
    mirrored.write("b.md", "More words.")
    running.work_off()
    assert len(mirrored.documents()) == 1
    running.work_off(datetime.now(UTC) + timedelta(minutes=61))
    assert len(mirrored.documents()) == 2
    assert len(mirrored.records.folders.runs(folder.id)) == 2


def test_a_paused_folder_is_looked_at_when_somebody_asks_alone(mirrored: Mirrored, running: FolderRunner) -> None:
    folder = mirrored.add(paused=True)
    mirrored.write("a.md", "Words.")
    running.work_off(datetime.now(UTC) + timedelta(days=1))
    assert mirrored.records.folders.runs(folder.id) == ()
    running.ask(folder.id, by="ada")
    running.work_off()
    (run,) = mirrored.records.folders.runs(folder.id)
    assert (run.cause, run.state, run.new) == ("ada", "done", 1)


def test_a_run_that_a_kill_broke_off_goes_on_at_the_next_start(mirrored: Mirrored, running: FolderRunner) -> None:
    folder = mirrored.add(every=0, watched=False)
    mirrored.write("a.md", "Words.")
    mirrored.records.folders.begin(folder.id, "the clock")
    running.start()
    until(lambda: [*mirrored.documents()] == ["a.md"])
    until(lambda: mirrored.records.folders.runs(folder.id)[0].state == "done")
    assert mirrored.records.folders.runs(folder.id)[1].state == "interrupted"


def test_a_change_in_a_folder_that_is_watched_is_heard(
    mirrored: Mirrored, running: FolderRunner, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(runner, "SETTLED", 0.1)
    folder = mirrored.add(every=0)
    running.start()
    until(lambda: bool((runs := mirrored.records.folders.runs(folder.id)) and runs[0].state == "done"))
    time.sleep(0.5)  # until the system watches
    mirrored.write("a.md", "Words.")
    until(lambda: [*mirrored.documents()] == ["a.md"])
    assert mirrored.records.folders.runs(folder.id)[0].cause == "a change"
