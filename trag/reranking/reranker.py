"""How likely each of some texts answers a question, read together with it (a cross-encoder).

question, texts -> log-odds, one a text.  The embedded all-MiniLM-L6-v2 with small changes to its matrices, learned from
examples/training, which ship with the program.
"""

from __future__ import annotations

import threading
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING

from trag import embed

if TYPE_CHECKING:
    import numpy as np

SHIPPED = Path(__file__).with_name("shipped.safetensors")
"""What was learned; `python -m trag.finetune.reranker.training` makes it anew."""
_BATCH, _STEP = 32, 16
"""Texts weighed together, and what their tokens are a multiple of. For each new shape of its matrices the library below
torch compiles code, and keeps it: batches that are filled up come in 7 shapes, all others in thousands."""


class Reranker:
    """The loaded model. May be used from several threads; they take turns, a batch each."""

    def __init__(self, learned: Path = SHIPPED) -> None:
        """Loads encoder and changes (50 MB in bfloat16, else 90). Raises TragError when the encoder is not installed,
        or a file is damaged."""
        from trag.reranking import network

        folder = embed.embedded_folder()
        self._network = network.merged(folder, learned, network.fast_precision(gpu=False))
        self._pairs = network.Pairs(folder)
        self._turn = threading.Lock()

    def weigh(self, question: str, texts: Sequence[str]) -> np.ndarray:
        """The log-odds (n,) float64 that a text answers `question`, against that none does: 0 is even."""
        import numpy as np
        import torch

        odds = np.zeros(len(texts))
        # Texts of about the same length together, so that little padding is computed; the shortest are filled up.
        order = sorted(range(len(texts)), key=lambda place: -len(texts[place]))
        for start in range(0, len(order), _BATCH):
            places = order[start : start + _BATCH]
            filled = [texts[place] for place in places] + [""] * (_BATCH - len(places))
            with self._turn, torch.inference_mode():
                pairs = self._pairs.encode([question] * _BATCH, filled, multiple=_STEP)
                odds[places] = self._network(*pairs).numpy()[: len(places)]
        return odds
