"""What the app and the model's process say to each other: a line of JSON a record, `[name of the record, its fields]`.

`request` numbers the orders, so that replies find who asked; 0 is the start of the process itself.
"""

from __future__ import annotations

import json
from dataclasses import asdict, dataclass, fields
from typing import get_args

from prompts import Message, Task
from trag.llm.model import Candidate, Choice, Sampling, Usage


@dataclass(frozen=True, slots=True)
class Load:
    """Order: load this GGUF. `adapter` is "" for none; `gpu_layers` -1 is all of them; `template` is the chat template,
    "" for that of the file."""

    model: str
    adapter: str
    context: int
    gpu_layers: int
    template: str = ""


@dataclass(frozen=True, slots=True)
class Count:
    """Order: how many tokens the rendered messages have."""

    request: int
    messages: tuple[Message, ...]


@dataclass(frozen=True, slots=True)
class CountText:
    """Order: how many tokens a text has by itself."""

    request: int
    text: str


@dataclass(frozen=True, slots=True)
class Read:
    """Order: read a prompt ahead, when nothing else waits."""

    request: int
    messages: tuple[Message, ...]
    task: Task


@dataclass(frozen=True, slots=True)
class Write:
    """Order: write an answer; see LanguageModel.stream."""

    request: int
    messages: tuple[Message, ...]
    max_tokens: int
    task: Task = "other"
    grammar: str = ""
    refusal: str = ""
    refusal_bias: float = 0.0
    repetition_penalty: float = 1.0
    sampling: Sampling | None = None


@dataclass(frozen=True, slots=True)
class Score:
    """Order: how likely the answer begins with each of these texts."""

    request: int
    messages: tuple[Message, ...]
    beginnings: tuple[str, ...]
    task: Task = "other"


@dataclass(frozen=True, slots=True)
class LookAhead:
    """Order: the ways on after a prompt and the pieces of text taken since; see Search, also for the next two."""

    request: int
    messages: tuple[Message, ...]
    taken: tuple[str, ...]
    k: int
    length: int
    ends: tuple[str, ...]
    ways: tuple[int, ...]


@dataclass(frozen=True, slots=True)
class Weigh:
    """Order: how likely each of these texts comes next."""

    request: int
    messages: tuple[Message, ...]
    taken: tuple[str, ...]
    options: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Choose:
    """Order: which of these texts comes next."""

    request: int
    messages: tuple[Message, ...]
    taken: tuple[str, ...]
    options: tuple[str, ...]
    width: int


@dataclass(frozen=True, slots=True)
class Cancel:
    """Order: that is not wanted any more."""

    request: int


@dataclass(frozen=True, slots=True)
class Hello:
    """The process runs; `gpu` is whether its llama.cpp can use one."""

    gpu: bool
    request: int = 0


@dataclass(frozen=True, slots=True)
class Ready:
    """The file is loaded."""

    request: int = 0


@dataclass(frozen=True, slots=True)
class Alive:
    """A prompt is being read: nothing to show yet. Said when it begins, and every second."""

    request: int


@dataclass(frozen=True, slots=True)
class Counted:
    """The answer to a count."""

    request: int
    tokens: int


@dataclass(frozen=True, slots=True)
class Piece:
    """Text that was just written."""

    request: int
    text: str


@dataclass(frozen=True, slots=True)
class Done:
    """The answer is whole or was stopped, or a step of a search was."""

    request: int
    usage: Usage


@dataclass(frozen=True, slots=True)
class LookedAhead:
    """The answer to a look ahead."""

    request: int
    candidates: tuple[Candidate, ...]
    usage: Usage


@dataclass(frozen=True, slots=True)
class Chosen:
    """The answer to a choice."""

    request: int
    choices: tuple[Choice, ...]
    usage: Usage


@dataclass(frozen=True, slots=True)
class Scored:
    """The answer to a scoring, or to a weighing: a natural logarithm for each text."""

    request: int
    log_probabilities: tuple[float, ...]
    usage: Usage


@dataclass(frozen=True, slots=True)
class Failed:
    """The order cannot be carried out, said as to a person; the process goes on, unless it was starting."""

    request: int
    message: str
    hint: str
    public: str = ""


Step = LookAhead | Weigh | Choose
"""One step of a search. It says all of where it stands, so that a process which died meanwhile, or was asked something
else, loses nothing but time."""
Work = Read | Write | Score | Step
"""What is done one after the other."""
Order = Load | Count | CountText | Work | Cancel
Reply = Hello | Ready | Alive | Counted | Piece | Done | LookedAhead | Chosen | Scored | Failed
_ROWS = {"beginnings", "ends", "log_probabilities", "options", "taken", "ways"}
_RECORDS = {record.__name__: record for record in (*get_args(Order), *get_args(Reply))}


def encode(record: Order | Reply) -> bytes:
    """The record as one line."""
    values = {field.name: getattr(record, field.name) for field in fields(record)}
    return (json.dumps([type(record).__name__, values], default=asdict) + "\n").encode("ascii")


def decode(line: bytes) -> Order | Reply:
    """The record that `encode` made a line of."""
    name, values = json.loads(line)
    if "messages" in values:
        values["messages"] = tuple(Message(**message) for message in values["messages"])
    if "usage" in values:
        values["usage"] = Usage(**values["usage"])
    if values.get("sampling"):
        values["sampling"] = Sampling(**values["sampling"])
    if "choices" in values:
        values["choices"] = tuple(Choice(**choice) for choice in values["choices"])
    if "candidates" in values:
        values["candidates"] = tuple(Candidate(**candidate) for candidate in values["candidates"])
    values |= {field: tuple(values[field]) for field in _ROWS & values.keys()}
    record: Order | Reply = _RECORDS[name](**values)
    return record
