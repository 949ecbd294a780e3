"""How likely a question is asked by whom a text answers (query likelihood, Ponte and Croft 1998).

question, texts -> mean log-likelihood of the question's tokens after each text.  The embedded language model, in a
process of its own, with an adapter that learned from examples/training.  Knows nothing about what is made of it.
"""

from __future__ import annotations

import logging
import threading
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING

import prompts
from trag.errors import TragError, in_one_line
from trag.llm.local import LocalModel
from trag.quote import Text

if TYPE_CHECKING:
    import numpy as np

log = logging.getLogger(__name__)

SHIPPED = Path(__file__).with_name("likelihood.gguf")
"""What was learned; `python -m trag.finetune.reranker.likelihood` makes it anew."""
LONGEST = 500
"""Characters of a text, and of a question, that are read."""
_CONTEXT = 1024  # tokens, four times what such a question and text have in English


class QueryLikelihood:
    """The model in its process; both are prepared with the first question. `close` it in the end."""

    def __init__(self, home: Path, learned: Path = SHIPPED) -> None:
        """`home` is where the embedded model is prepared."""
        self._home, self._learned = home, learned
        self._opening = threading.Lock()
        self._model: LocalModel | None = None

    def weigh(self, question: str, texts: Sequence[Text]) -> np.ndarray:
        """The natural logarithm (n,) float64 of how likely a token of `question` is after each text, on average.

        All are alike where the model cannot say, and the log says why: a file is not right, its process died, or the
        texts are of a script that takes many tokens.
        """
        import numpy as np

        asked = question[:LONGEST]
        try:
            model = self._opened()
            tokens = max(1, model.count_text(asked))
            weights = [model.weigh(prompts.asked(text.whole[:LONGEST]), [asked])[0] for text in texts]
        except TragError as error:
            log.warning("texts are ranked without the likelihood of the question: %s", in_one_line(error))
            return np.zeros(len(texts))
        return np.array(weights) / tokens

    def close(self) -> None:
        """End the process."""
        if self._model:
            self._model.close()

    def _opened(self) -> LocalModel:
        with self._opening:
            if self._model is None:
                # It stays off a GPU, whose memory is the answering model's.
                self._model = LocalModel(self._home, adapter=str(self._learned), context=_CONTEXT, gpu_layers=0)
            return self._model
