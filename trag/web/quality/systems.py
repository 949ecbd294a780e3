"""The systems that can be measured, each in one plain sentence and with a colour and a sign of its own on every plot.

Knows nothing about how they answer.
"""

from __future__ import annotations

from dataclasses import dataclass

from trag.evaluate.running import BASE

_SHOWN = {
    "trag": (1, "What people use: passages and the chart are found, and the answer is checked and mended."),
    "rag": (3, "Ten passages of the documents and nothing else, as a plain retrieval system answers."),
    "finetuned": (5, "The model alone, from what it has learned, with nothing to read."),
    "finetuned-tree": (4, "The model with what the chart says of the units in the question, without documents."),
    "trag-unrepaired": (6, "The model with the passages, the pairs and the chart, as it writes: the paper's T-RAG."),
    "trag-no-tree": (
        2,
        "The model with the passages and pairs that were found, without the chart and without mending.",
    ),
}
"""Each system's place among the colours and signs, and what it does; in the order in which they are offered."""


@dataclass(frozen=True, slots=True)
class Offered:
    """A system, what it does, and the name of the same without the adapter, "" where no adapter answers."""

    name: str
    said: str
    base: str = ""


def offered(adapter: str) -> tuple[Offered, ...]:
    """The systems that can be run; `adapter` is the one that answers, "" for none."""
    return tuple(Offered(name, said, f"{name}{BASE}" if adapter else "") for name, (_, said) in _SHOWN.items())


def tone(system: str) -> int:
    """Which colour and sign a system has, with the adapter or without, from 1; the last for one that is gone."""
    found, _ = _SHOWN.get(system.partition(":")[0], (len(_SHOWN), ""))
    return found
