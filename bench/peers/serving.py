"""The end of the pipe that a system sits at: a setup and then questions on stdin, replies with their times on stdout.

Runs in the product's environment and in that of the peers: only the standard library. Knows no system.
"""

from __future__ import annotations

import json
import os
import sys
from collections.abc import Callable
from dataclasses import asdict, dataclass
from time import monotonic
from typing import Any, Protocol


@dataclass(frozen=True, slots=True)
class Setup:
    """What every system is given. Paths; tokens; a penalty on what was written already, as llama.cpp counts it."""

    documents: str
    """A folder with the documents, and the chart among them as a CSV file: what a person would hand over."""
    chart: str
    """That CSV file."""
    model: str
    """A GGUF file with a chat template."""
    embedder: str
    """The folder of a sentence-transformers model."""
    folder: str
    """Where the system may write."""
    context: int
    answer_tokens: int
    penalty: float
    threads: int


@dataclass(frozen=True, slots=True)
class Passage:
    """A text that the model was given to answer from, and the document that it is from."""

    document: str
    text: str


@dataclass(frozen=True, slots=True)
class Reply:
    """An answer, and all that the model was given to answer from."""

    answer: str
    passages: tuple[Passage, ...]


@dataclass(frozen=True, slots=True)
class Indexed:
    """Passages in the index, and the seconds from the files to an index that can be asked."""

    passages: int
    seconds: float


@dataclass(frozen=True, slots=True)
class Answered:
    """A reply, or the error in its place; seconds from the question to the first piece of the answer, and to all."""

    answer: str
    passages: tuple[Passage, ...]
    first_token: float
    total: float
    error: str = ""


class System(Protocol):
    """A system with its models loaded."""

    def index(self) -> int:
        """Read the documents and make them searchable; how many passages there are."""

    def ask(self, question: str, heard: Callable[[str], object]) -> Reply:
        """The answer; `heard` is told its pieces as they are written."""


def serve(load: Callable[[Setup], System]) -> None:
    """One Setup is read and one Indexed written, then an Answered for each question, all as JSON lines."""
    replies = os.fdopen(os.dup(sys.stdout.fileno()), "w", encoding="utf-8")
    os.dup2(sys.stderr.fileno(), sys.stdout.fileno())  # what a library prints is no reply
    sys.addaudithook(refuse_network)
    system = load(Setup(**json.loads(sys.stdin.readline())))
    began = monotonic()
    passages = system.index()
    _write(replies, Indexed(passages, monotonic() - began))
    for line in sys.stdin:
        _write(replies, answered(system, json.loads(line)["question"]))


def answered(system: System, question: str) -> Answered:
    """The reply and its times. Where nothing was heard before the end, the first token came with the last."""
    began = monotonic()
    first: list[float] = []

    def heard(piece: str) -> None:
        if piece and not first:
            first.append(monotonic() - began)

    try:
        reply = system.ask(question, heard)
    except Exception as error:  # noqa: BLE001 - a foreign program may fail in any way; that is its answer then
        total = monotonic() - began
        return Answered("", (), total, total, f"{type(error).__name__}: {error}")
    total = monotonic() - began
    return Answered(reply.answer, reply.passages, first[0] if first else total, total)


def refuse_network(event: str, arguments: tuple[Any, ...]) -> None:
    """An audit hook: raises PermissionError when anything wants to reach another machine, or this one by its name."""
    if event == "socket.getaddrinfo":
        raise PermissionError(f"{arguments[0]} was looked up: nothing may use the network while it is measured")
    if event in ("socket.connect", "socket.sendto") and isinstance(arguments[1], tuple):  # a path is a local socket
        raise PermissionError(f"{arguments[1]} was called: nothing may use the network while it is measured")


def _write(replies: Any, value: Indexed | Answered) -> None:
    replies.write(json.dumps(asdict(value)) + "\n")
    replies.flush()
