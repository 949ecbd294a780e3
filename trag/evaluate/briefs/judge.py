"""The judge of briefings: whether passages bear a sentence out, by a network of natural language inference that the
operator names. It stands in for AutoAIS (Plan-based retrieval, section 4.3), a T5 of 11 billion parameters; how far it
may be trusted, `python -m bench.judge` measures.

passages, sentences -> probability for each passage -> verdicts
"""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING

from trag.errors import OperatorError
from trag.evaluate.briefs.ais import Verdict

if TYPE_CHECKING:
    import numpy as np

THRESHOLD = 0.5
"""The probability from which a sentence counts as supported."""
_LIKELIEST = 3  # passages that are read as one where none alone supports a sentence


class Judge:
    """The loaded network, for one thread at a time."""

    def __init__(self, folder: Path) -> None:
        """Loads the sentence-transformers CrossEncoder in a folder, one of whose labels is "entailment". Raises
        TragError when there is none."""
        import torch
        from safetensors import SafetensorError
        from sentence_transformers import CrossEncoder

        try:
            self._network = CrossEncoder(
                str(folder.resolve(strict=True)),
                local_files_only=True,
                trust_remote_code=False,
                activation_fn=torch.nn.Identity(),
                model_kwargs={"use_safetensors": True},
            )
        except (OSError, ValueError, KeyError, ImportError, RuntimeError, SafetensorError) as error:
            raise OperatorError(
                f"The judge in {folder} cannot be loaded: {error}",
                "Name the folder of a sentence-transformers CrossEncoder with its weights as safetensors.",
            ) from error
        names = {name.casefold(): number for number, name in self._network.config.id2label.items()}
        if "entailment" not in names:
            raise OperatorError(
                f"The judge in {folder} knows no entailment: its labels are {', '.join(sorted(names))}.",
                "Name a CrossEncoder that learned natural language inference.",
            )
        self._entailment = int(names["entailment"])

    def weigh(self, pairs: Sequence[tuple[str, str]]) -> np.ndarray:
        """The probability (n,) that the evidence of each (evidence, sentence) bears the sentence out."""
        import numpy as np

        odds = np.asarray(self._network.predict(list(pairs), show_progress_bar=False)) if pairs else np.zeros((0, 3))
        likely = np.exp(odds - odds.max(axis=1, keepdims=True))
        return np.asarray((likely / likely.sum(axis=1, keepdims=True))[:, self._entailment])

    def supported(self, passages: Sequence[str], sentences: Sequence[str]) -> np.ndarray:
        """Which passages support which sentences: (sentences, passages) bool."""
        return self._probabilities(passages, sentences) >= THRESHOLD

    def verdicts(
        self, passages: Sequence[str], sentences: Sequence[str], cited: Sequence[Sequence[int]] = ()
    ) -> tuple[Verdict, ...]:
        """The verdict on each sentence of a text, in order. `cited` are the places of the passages that each cites."""
        likely = self._probabilities(passages, sentences)
        found = [tuple((row >= THRESHOLD).nonzero()[0].tolist()) for row in likely]
        unsettled = [place for place, by in enumerate(found) if not by and len(passages) > 1]
        joined = [
            ("\n".join(passages[one] for one in sorted((-likely[place]).argsort()[:_LIKELIEST])), sentences[place])
            for place in unsettled
        ]
        together = {place for place, odds in zip(unsettled, self.weigh(joined), strict=True) if odds >= THRESHOLD}
        return tuple(
            Verdict(
                sentence, tuple(cited[place]) if cited else (), found[place], bool(found[place]) or place in together
            )
            for place, sentence in enumerate(sentences)
        )

    def _probabilities(self, passages: Sequence[str], sentences: Sequence[str]) -> np.ndarray:
        every = [(passage, sentence) for sentence in sentences for passage in passages]
        return self.weigh(every).reshape(len(sentences), len(passages))
