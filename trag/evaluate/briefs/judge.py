"""The judge of briefings: whether passages bear a sentence out. It stands in for AutoAIS (Plan-based retrieval, section
4.3), a T5 of 11 billion parameters; how far it may be trusted, `python -m bench.judge` measures.

passages, sentences each with what stands before it -> probability for each passage -> verdicts
"""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING

from trag import embed
from trag.evaluate.briefs.ais import Verdict

if TYPE_CHECKING:
    import numpy as np

LEARNED = Path(__file__).with_name("judge.safetensors")
"""What the embedded encoder learned for this; `python -m trag finetune judge` makes it anew. Not validated yet
(docs/RESULTS.md)."""
THRESHOLD = 0.5
"""The probability from which a sentence counts as supported."""
_BATCH = 16
_LIKELIEST = 3  # passages that are read as one where none alone supports a sentence


class Judge:
    """The loaded network, for one thread at a time."""

    def __init__(self, learned: Path = LEARNED) -> None:
        """Loads encoder and changes (90 MB). Raises TragError when the encoder is not installed, or a file is
        damaged."""
        from trag.evaluate.briefs import entailment

        folder = embed.embedded_folder()
        self._network = entailment.merged(folder, learned)
        self._reader = entailment.Reader(folder)

    def weigh(self, pairs: Sequence[tuple[str, str, str]]) -> np.ndarray:
        """The probability (n,) float64 that the evidence of each (evidence, before, sentence) bears the sentence out.
        `before` is what it refers to, such as the sentence before it; evidence that is long is read in windows, and the
        one that says most counts."""
        import numpy as np
        import torch

        odds = np.full(len(pairs), -np.inf)
        order = sorted(range(len(pairs)), key=lambda place: len(pairs[place][0]))  # little padding
        for start in range(0, len(order), _BATCH):
            places = np.array(order[start : start + _BATCH])
            with torch.inference_mode():
                windows = self._reader.read([pairs[place] for place in places])
                np.maximum.at(odds, places[windows.pairs.numpy()], self._network(windows).numpy())
        return np.asarray(1 / (1 + np.exp(-odds)))

    def supported(self, passages: Sequence[str], sentences: Sequence[tuple[str, str]]) -> np.ndarray:
        """Which passages support which sentences, each with what stands before it: (sentences, passages) bool."""
        return self._probabilities(passages, sentences) >= THRESHOLD

    def verdicts(
        self, passages: Sequence[str], sentences: Sequence[str], cited: Sequence[Sequence[int]] = ()
    ) -> tuple[Verdict, ...]:
        """The verdict on each sentence of a text, in order. `cited` are the places of the passages that each cites."""
        said = [(sentences[place - 1] if place else "", sentence) for place, sentence in enumerate(sentences)]
        likely = self._probabilities(passages, said)
        found = [tuple((row >= THRESHOLD).nonzero()[0].tolist()) for row in likely]
        unsettled = [place for place, by in enumerate(found) if not by and len(passages) > 1]
        joined = [
            ("\n".join(passages[one] for one in sorted((-likely[place]).argsort()[:_LIKELIEST].tolist())), *said[place])
            for place in unsettled
        ]
        together = {place for place, odds in zip(unsettled, self.weigh(joined), strict=True) if odds >= THRESHOLD}
        return tuple(
            Verdict(
                sentence, tuple(cited[place]) if cited else (), found[place], bool(found[place]) or place in together
            )
            for place, sentence in enumerate(sentences)
        )

    def _probabilities(self, passages: Sequence[str], sentences: Sequence[tuple[str, str]]) -> np.ndarray:
        every = [(passage, before, sentence) for before, sentence in sentences for passage in passages]
        return self.weigh(every).reshape(len(sentences), len(passages))
