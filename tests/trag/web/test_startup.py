"""When an assistant that could not be opened is opened again; what it is opened from is a script."""

from collections.abc import Iterator
from concurrent.futures import Executor, ThreadPoolExecutor
from unittest.mock import Mock

import pytest

from trag.errors import TragError
from trag.web import active_runs
from trag.web.active_runs import PAUSE, AssistantLoader

REFUSED = TragError("The Chroma server cannot be reached.", "Start it.")


@pytest.fixture
def threads() -> Iterator[Executor]:
    with ThreadPoolExecutor(max_workers=1) as threads:
        yield threads


@pytest.fixture
def clock(monkeypatch: pytest.MonkeyPatch) -> Mock:
    """What time it is, in seconds."""
    clock = Mock(return_value=0.0)
    monkeypatch.setattr(active_runs, "monotonic", clock)
    return clock


def test_what_was_put_right_opens_it_and_the_log_keeps_why_it_did_not(
    threads: Executor, clock: Mock, caplog: pytest.LogCaptureFixture
) -> None:
    opened = AssistantLoader(threads, Mock(side_effect=[REFUSED, "assistant"]), Mock())
    for clock.return_value in (0.0, PAUSE - 1):
        with pytest.raises(TragError, match="cannot be reached"):
            opened.result()
    clock.return_value = PAUSE
    assert opened.result() == "assistant"
    assert [record.message for record in caplog.records] == [
        "the assistant cannot be opened: The Chroma server cannot be reached. Start it."
    ]


def test_a_fault_of_the_program_is_in_the_log_and_not_tried_again(
    threads: Executor, clock: Mock, caplog: pytest.LogCaptureFixture
) -> None:
    opened = AssistantLoader(threads, Mock(side_effect=ZeroDivisionError("by zero")), Mock())
    for clock.return_value in (0.0, 10 * PAUSE):
        with pytest.raises(ZeroDivisionError):
            opened.result()
    (record,) = caplog.records
    assert record.exc_info
