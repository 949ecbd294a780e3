"""The systems that can be measured, each in one plain sentence.

Knows nothing about how they answer.
"""

from __future__ import annotations

from dataclasses import dataclass

from trag.evaluate.running import BASE

_SAID = {
    "trag": "What people use: passages and the chart are found, and the answer is checked and mended.",
    "rag": "Ten passages of the documents and nothing else, as a plain retrieval system answers.",
    "finetuned": "The model alone, from what it has learned, with nothing to read.",
    "finetuned-tree": "The model with what the chart says of the units in the question, without documents.",
    "trag-unrepaired": "The model with the passages, the pairs and the chart, as it writes: the paper's T-RAG.",
    "trag-no-tree": "The model with the passages and pairs that were found, without the chart and without mending.",
}


@dataclass(frozen=True, slots=True)
class Offered:
    """A system, what it does, and the name of the same without the adapter, "" where no adapter answers."""

    name: str
    said: str
    base: str = ""


def offered(adapter: str) -> tuple[Offered, ...]:
    """The systems that can be run; `adapter` is the one that answers, "" for none."""
    return tuple(Offered(name, said, f"{name}{BASE}" if adapter else "") for name, said in _SAID.items())
