"""The product, and the paper's other systems and ablations, each by the steps that run (T-RAG, tables 2 and 4).

Knows nothing about the steps.
"""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class System:
    """Which steps run.

    `pairs` and `sections` are how many passages may enter the prompt, None for what the settings say. `repairs` is
    whether more is done than in the paper: passages are ranked by their odds to answer, and an answer that is wrong or
    stands on nothing is written again or replaced; the other systems show the model as it is. `approved` is whether an
    answer that a reviewer pinned is given in place of a new one.
    """

    tree: bool
    pairs: int | None = None
    sections: int | None = None
    repairs: bool = False
    approved: bool = False


SYSTEMS = {
    "trag": System(tree=True, repairs=True, approved=True),
    "trag-unrepaired": System(tree=True),
    "trag-no-tree": System(tree=False),
    "rag": System(tree=False, pairs=0, sections=10),
    "finetuned": System(tree=False, pairs=0, sections=0),
    "finetuned-tree": System(tree=True, pairs=0, sections=0),
}
