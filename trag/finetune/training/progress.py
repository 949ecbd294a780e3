"""What a training says while it runs, a line of JSON a record: `[name of the record, its fields]`.

Knows nothing about how a model learns. Importing it loads nothing heavy.
"""

from __future__ import annotations

import json
from dataclasses import asdict, dataclass
from typing import get_args


@dataclass(frozen=True, slots=True)
class Preparing:
    """What is done before the first step, in words for people."""

    doing: str


@dataclass(frozen=True, slots=True)
class Needed:
    """What it takes at most and what there is, in bytes, and what it learns from: so many examples, without those that
    are `too_long`; said before the first step."""

    memory: int
    memory_free: int
    disk: int
    disk_free: int
    examples: int
    too_long: int


@dataclass(frozen=True, slots=True)
class Step:
    """`step` of `steps` is done, with this loss on the tokens of its answers. `held_out` is the last measured loss on
    the held-out examples, and `seconds_left` counts what is still planned."""

    step: int
    steps: int
    loss: float
    held_out: float | None
    tokens_per_second: float
    seconds_left: float


@dataclass(frozen=True, slots=True)
class Paused:
    """Stopped when it was told to, after `step`; it goes on from there when it is started again."""

    step: int
    steps: int


@dataclass(frozen=True, slots=True)
class Finished:
    """The adapter is written. `stopped_early` is whether the held-out loss had stopped to fall."""

    steps: int
    held_out: float
    stopped_early: bool


@dataclass(frozen=True, slots=True)
class Failed:
    """It cannot go on, said as to a person."""

    message: str
    hint: str


Report = Preparing | Needed | Step | Paused | Finished | Failed
_RECORDS = {record.__name__: record for record in get_args(Report)}


def encode(record: Report) -> str:
    """The record as one line."""
    return json.dumps([type(record).__name__, asdict(record)])


def decode(line: str) -> Report:
    """The record that `encode` made a line of."""
    name, values = json.loads(line)
    record: Report = _RECORDS[name](**values)
    return record
