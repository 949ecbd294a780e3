"""Whether llama.cpp with the exported adapter says what was trained: PEFT and llama.cpp on the same prompts.

prompts -> how likely each token comes next, by both -> the same first token? how far apart?

`python -m bench.adapter_parity FOLDER ADAPTER` compares them on the prompts of a training's dataset.
"""

from __future__ import annotations

import argparse
import sys
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np

from prompts import Message
from trag.errors import SHOWN, TragError
from trag.finetune.dataset import folders
from trag.finetune.training import base as bases
from trag.finetune.training import plan, run
from trag.finetune.training.base import Base
from trag.llm import files

if TYPE_CHECKING:
    from trag.llm.engine import Logarithms

PROMPTS = 50
CLEAR = 0.5
"""Difference of two logarithms from which one token is clearly likelier: rounding to 8 bits moves it by about 0.1."""
_CONTEXT = 4096


@dataclass(frozen=True, slots=True)
class Compared:
    """One prompt. `same` is whether both begin with the same token; `clear` whether the trained model's first token is
    clearly likelier than its second. The rest are Kullback-Leibler divergences in nats: `apart`, from the trained model
    to llama.cpp; `moved`, from it to the base without the adapter."""

    same: bool
    clear: bool
    apart: float
    moved: float


def compare(
    base: Base, source: Path, gguf: Path, adapter: Path, prompts: Sequence[Sequence[Message]]
) -> Iterator[Compared]:
    """The adapter that PEFT kept in the folder `source` beside the file `adapter` over the model `gguf`, in order.

    PEFT computes in float32 on the dequantized weights. Raises TragError when a file cannot be loaded.
    """
    import torch
    from peft import PeftModel

    from trag.llm.engine import Engine, logarithms

    vocabulary = bases.GgufVocabulary(base)
    model = PeftModel.from_pretrained(bases.load(base, torch.float32), str(source)).eval()
    engine = Engine(str(gguf), str(adapter), _CONTEXT, 0, base.template)
    for messages in prompts:
        tokens = torch.tensor([vocabulary.prompt(messages)])
        with torch.no_grad():
            trained = logarithms(model(tokens).logits[0, -1].numpy())
            with model.disable_adapter():
                untrained = logarithms(model(tokens).logits[0, -1].numpy())
        written = engine.likely(messages)
        second, first = np.sort(trained)[-2:]
        yield Compared(
            same=bool(trained.argmax() == written.argmax()),
            clear=bool(first - second > CLEAR),
            apart=_divergence(trained, written),
            moved=_divergence(trained, untrained),
        )


def _divergence(one: Logarithms, other: Logarithms) -> float:
    return float((np.exp(one) * (one - other)).sum())


def main() -> None:
    """Compare, say what was found, and end with 1 where a clear first token is another."""
    parser = argparse.ArgumentParser(prog="python -m bench.adapter_parity", description=main.__doc__)
    parser.add_argument("folder", type=Path, help="of a finished training")
    parser.add_argument("adapter", type=Path, help="the GGUF file that was exported from it")
    parser.add_argument("--prompts", type=int, default=PROMPTS)
    words = parser.parse_args()
    try:
        order = plan.read(words.folder)
        if run.trained(words.folder) is None:
            raise TragError(
                f"{words.folder} holds no finished training.", "Go on with it: python -m trag.finetune.training"
            )
        base = bases.find(order.base)
        if base.is_folder:
            raise TragError(
                f"{base.path} is no GGUF file, which llama.cpp could read.", "Name a GGUF file as the base."
            )
        (learned, held_out), _ = folders.read(order.dataset)
        asked = [example.messages for example in (*held_out, *learned)][: words.prompts]
        gguf = files.find(order.base, str(words.adapter)).model
        found = list(compare(base, run.adapter(words.folder), gguf, words.adapter, asked))
    except SHOWN as error:
        print(error.message, error.hint, sep="\n", file=sys.stderr)
        sys.exit(1)
    same, clear = sum(one.same for one in found), [one.same for one in found if one.clear]
    apart, moved = [one.apart for one in found], [one.moved for one in found]
    print(f"the same first token: {same} of {len(found)}; where it is clear: {sum(clear)} of {len(clear)}")
    print(f"apart, in nats: {np.mean(apart):.5f} on average, {max(apart):.5f} at most")
    print(f"the adapter itself moves the base by {np.mean(moved):.3f} on average")
    sys.exit(0 if all(clear) else 1)


if __name__ == "__main__":
    main()
