"""The product, and the paper's own systems and ablations (T-RAG, tables 2 and 4).

Knows nothing about the steps.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class System:
    """What a system of the paper puts into its prompt: the path context of units (`tree`), and how many pairs and
    sections, None for what the settings say."""

    tree: bool
    pairs: int | None = None
    sections: int | None = None


PRODUCT = "trag"
SYSTEMS: Mapping[str, System] = {
    PRODUCT: System(tree=True),
    "trag-unrepaired": System(tree=True),
    "trag-no-tree": System(tree=False),
    "rag": System(tree=False, pairs=0, sections=10),
    "finetuned": System(tree=False, pairs=0, sections=0),
    "finetuned-tree": System(tree=True, pairs=0, sections=0),
}
"""What an evaluation can ask. The product has steps of its own; the others show the model as it is."""
