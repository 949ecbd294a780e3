"""The network of the reranker: a sentence encoder that reads question and text together (torch).

tokens of both -> hidden states -> log-odds that the text answers:

    a * cosine(mean over the question's tokens, mean over the text's tokens) + b + w . first token

The first term is what the encoder was made for, so learning begins from a good ranking. What is learned is a, b, w, and
for each matrix of the encoder a change of low rank.
"""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

import torch
from torch import Tensor, nn
from torch.nn.functional import cosine_similarity
from transformers import AutoTokenizer, BertModel
from transformers.utils import logging as transformers_logging

from trag import low_rank

LONGEST = 112
"""Tokens of a question and a text together; the end of a longer text is not read."""
_BEGIN = (10.0, -4.0)  # a and b: most cosines of a question with what answers it lie above 0.4

Pair = tuple[Tensor, Tensor, Tensor]
"""Tokens, mask and segments, each (n, tokens): n questions, each with its text."""


def fast_precision(gpu: bool) -> torch.dtype:
    """What weights are held and computed in: bfloat16 where that is fast, else float32. A processor that does not
    multiply in bfloat16 takes several times as long with it."""
    can = torch.cpu.get_capabilities()
    is_fast = gpu or any(can.get(name) for name in ("avx512_bf16", "amx_bf16", "bf16"))
    return torch.bfloat16 if is_fast else torch.float32


class Network(nn.Module):
    """Encoder and head. Called with a Pair it gives (n,) float32 log-odds."""

    def __init__(self, encoder: BertModel) -> None:
        super().__init__()
        self.encoder = encoder
        self.scale = nn.Parameter(torch.tensor(_BEGIN))
        self.head = nn.Parameter(torch.zeros(encoder.config.hidden_size))

    def forward(self, tokens: Tensor, mask: Tensor, segments: Tensor) -> Tensor:
        # The encoder has met one segment only, so it is not told which is which; the means are.
        hidden = self.encoder(input_ids=tokens, attention_mask=mask).last_hidden_state.float()
        parts = ((mask * one).unsqueeze(-1) for one in (1 - segments, segments))
        question, text = ((hidden * part).sum(1) / part.sum(1).clamp(min=1) for part in parts)
        odds: Tensor = self.scale[0] * cosine_similarity(question, text) + self.scale[1] + hidden[:, 0] @ self.head
        return odds


class Pairs:
    """Turns questions and texts into tokens."""

    def __init__(self, folder: Path) -> None:
        self._tokenizer = AutoTokenizer.from_pretrained(folder, local_files_only=True)

    def encode(self, questions: Sequence[str], texts: Sequence[str], *, multiple: int = 1) -> Pair:
        """Each question with the text at its place; as many tokens as the longest has, up to the next `multiple`."""
        found = self._tokenizer(
            list(questions),
            list(texts),
            truncation="longest_first",
            max_length=LONGEST,
            padding=True,
            pad_to_multiple_of=multiple,
            return_tensors="pt",
        )
        return found["input_ids"], found["attention_mask"], found["token_type_ids"]


def learning(folder: Path, dtype: torch.dtype) -> Network:
    """The network over the encoder in `folder`, ready to learn: all but the changes and the head stays, and is held in
    `dtype`."""
    encoder = _encoder(folder, dtype)
    low_rank.change(encoder)
    return Network(encoder)


def merged(folder: Path, file: Path, dtype: torch.dtype) -> Network:
    """The network as it runs, in `dtype`: the encoder in `folder` with what was learned, in `file`, made part of its
    matrices.

    Raises TragError when the file is none, or made for another encoder.
    """
    network = Network(_encoder(folder, torch.float32))
    low_rank.merge(network, file)
    nn.Module.to(network.encoder, dtype)  # only now: sums in bfloat16 would lose what was learned
    return network.eval()


def _encoder(folder: Path, dtype: torch.dtype) -> BertModel:
    transformers_logging.disable_progress_bar()  # type: ignore[no-untyped-call]
    encoder: BertModel = BertModel.from_pretrained(folder, local_files_only=True, dtype=dtype)
    encoder.pooler = None
    return encoder
