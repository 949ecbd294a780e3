"""The network of the judge: a sentence encoder that reads a sentence together with its evidence (torch).

before and sentence, evidence -> tokens -> lower layers -> each token marked by its side and by whether the other side
has it too -> upper layers -> hidden states h -> log-odds that the evidence bears the sentence out:

    b + w . first token + v . mean over the sentence's tokens - log sum exp(u . h over the sentence's tokens)

The last term lets one token speak against the whole sentence, as one wrong figure does. What is learned is b, w, v, u,
the marks, and for each matrix of the upper layers a change of low rank.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import pairwise
from pathlib import Path

import torch
from torch import Tensor, nn
from transformers import AutoTokenizer, BertModel
from transformers.utils import logging as transformers_logging

from trag import low_rank

LONGEST = 224
"""Tokens that are read at once. What of the evidence has no room is read in further windows."""
_OVERLAP = 48  # tokens that two windows share
_BEFORE = 300  # characters of what stands before a sentence: the nearest
_EVIDENCE, _SENTENCE, _CONTEXT = range(3)
_MARKS = 9  # three sides, each absent, there, or there with a neighbour
_SCALE = 0.2  # of the marks when learning begins, beside states of about 0.5
_LEARNING = 3
"""Layers that learn, of the 6: the upper ones."""


@dataclass(frozen=True, slots=True)
class Windows:
    """Tokens, mask and marks (n, t) of windows, whether each token is of the sentence (n, t), and which pair each
    window is of (n,)."""

    tokens: Tensor
    mask: Tensor
    marks: Tensor
    own: Tensor
    pairs: Tensor


class Network(nn.Module):
    """Encoder, marks and head. Called with Windows it gives (n,) float32 log-odds."""

    def __init__(self, encoder: BertModel) -> None:
        super().__init__()
        size = encoder.config.hidden_size
        self.encoder = encoder
        self.marks = nn.Parameter(torch.randn(_MARKS, size) * _SCALE)
        self.bias = nn.Parameter(torch.tensor([2.0]))
        self.first, self.mean = nn.Parameter(torch.zeros(size)), nn.Parameter(torch.zeros(size))
        self.against = nn.Parameter(torch.zeros(size))

    def forward(self, windows: Windows) -> Tensor:
        mask = (windows.mask == 1)[:, None, None]
        layers = self.encoder.encoder.layer
        with torch.no_grad():
            states = self.encoder.embeddings(windows.tokens)
            for layer in layers[:-_LEARNING]:
                states = layer(states, mask)
        hidden = states + self.marks[windows.marks]
        for layer in layers[-_LEARNING:]:
            hidden = layer(hidden, mask)
        own = windows.own.float()
        mean = (hidden * own.unsqueeze(-1)).sum(1) / own.sum(1, keepdim=True).clamp(min=1)
        against = (hidden @ self.against).masked_fill(~windows.own, -torch.inf).logsumexp(1)
        odds: Tensor = self.bias + hidden[:, 0] @ self.first + mean @ self.mean - against
        return odds


class Reader:
    """Turns sentences and evidence into Windows."""

    def __init__(self, folder: Path) -> None:
        self._tokenizer = AutoTokenizer.from_pretrained(folder, local_files_only=True)

    def read(self, pairs: Sequence[tuple[str, str, str]]) -> Windows:
        """Pairs of (evidence, before, sentence)."""
        contexts = [f"{before[-_BEFORE:]} " if before else "" for _, before, _ in pairs]
        found = self._tokenizer(
            [context + sentence for context, (_, _, sentence) in zip(contexts, pairs, strict=True)],
            [evidence for evidence, _, _ in pairs],
            truncation="only_second",
            max_length=LONGEST,
            stride=_OVERLAP,
            padding=True,
            return_overflowing_tokens=True,
            return_offsets_mapping=True,
            return_tensors="pt",
        )
        tokens, of = found["input_ids"], found["overflow_to_sample_mapping"]
        sides = torch.full_like(tokens, -1)
        for row, pair in enumerate(of.tolist()):
            begins = len(contexts[pair])
            for place, side in enumerate(found.sequence_ids(row)):
                if side == 1:
                    sides[row, place] = _EVIDENCE
                elif side == 0:
                    sides[row, place] = _SENTENCE if found["offset_mapping"][row, place, 0] >= begins else _CONTEXT
        marks = torch.zeros_like(tokens)
        for row in range(len(tokens)):
            marks[row] = _marked(tokens[row].tolist(), sides[row].tolist())
        return Windows(tokens, found["attention_mask"], marks, sides == _SENTENCE, of)


def _marked(tokens: Sequence[int], sides: Sequence[int]) -> Tensor:
    """For each token 3 * side, + 1 where the other side has it, + 2 where with one of its neighbours."""
    evidence = [token for token, side in zip(tokens, sides, strict=True) if side == _EVIDENCE]
    said = [token for token, side in zip(tokens, sides, strict=True) if side > _EVIDENCE]
    there = {True: {*evidence}, False: {*said}}
    together = {True: {*pairwise(evidence)}, False: {*pairwise(said)}}
    marks = []
    for place, (token, side) in enumerate(zip(tokens, sides, strict=True)):
        other = side > _EVIDENCE
        if side < 0:
            marks.append(0)
        elif token not in there[other]:
            marks.append(3 * side)
        else:
            beside = {tuple(tokens[place - 1 : place + 1]), tuple(tokens[place : place + 2])}
            marks.append(3 * side + 1 + bool(beside & together[other]))
    return torch.tensor(marks)


def learning(folder: Path) -> Network:
    """The network over the encoder in `folder`, ready to learn: all but the changes, the marks and the head stays."""
    encoder = _encoder(folder)
    encoder.requires_grad_(False)
    low_rank.change(encoder.encoder.layer[-_LEARNING:])
    return Network(encoder)


def merged(folder: Path, file: Path) -> Network:
    """The network as it runs: the encoder in `folder` with what was learned, in `file`, made part of its matrices.

    Raises TragError when the file is none, or made for another encoder.
    """
    network = Network(_encoder(folder))
    low_rank.merge(network, file)
    return network.eval()


def _encoder(folder: Path) -> BertModel:
    transformers_logging.disable_progress_bar()  # type: ignore[no-untyped-call]
    encoder: BertModel = BertModel.from_pretrained(folder, local_files_only=True, dtype=torch.float32)
    encoder.eval()  # type: ignore[no-untyped-call]
    encoder.pooler = None
    return encoder
