"""The bar at the terminal: which step a job is at, how much of it is done, and the time that is left.

Progress -> what tqdm shows.  Knows nothing about jobs.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from trag.progress import Progress

if TYPE_CHECKING:
    from tqdm import tqdm


def progress_of(bar: tqdm[object]) -> Progress:
    """The Progress that a bar shows. Each step has a time left of its own, told from what was done since it was first
    heard of: what was there already took no time. A total of 0 is one that nobody knows."""
    shown: str | None = None

    def progress(step: str, done: int, total: int) -> None:
        nonlocal shown
        if bar.disable:
            return
        if step != shown:
            shown = step
            bar.reset()
            bar.initial = done
            bar.set_description_str(step, refresh=False)
        bar.total, bar.n = total or None, done
        bar.refresh()

    return progress
