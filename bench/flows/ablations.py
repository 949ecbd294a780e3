"""FLAP and the product's planner, each with one thing taken away: python -m bench.flows.ablations NAME... [--number N]
[--half dev|test].

Plans for the first N queries of each flow, all flows shown, by the model that TRAG_MODEL names. Nothing is kept.
"""

import argparse
import zlib
from collections.abc import Sequence
from contextlib import closing
from dataclasses import replace
from time import monotonic
from typing import Any, get_args

import numpy as np

from bench.flows.change import PAPER
from trag.embed import open_embedder
from trag.evaluate.flows import data, running, tables
from trag.evaluate.flows.writing import MAX_TOKENS, TRAG, Written, write
from trag.evaluate.runs import commit
from trag.evaluate.tables import markdown
from trag.flow import prompting
from trag.flow.lookahead import decode
from trag.flow.planner import Planner
from trag.flow.scoring import FLAP, Encode, Heuristic, Weights
from trag.llm.local import LocalModel
from trag.llm.model import ModelIdentity
from trag.reranking.reranker import Reranker
from trag.settings import load

PAPERS = FLAP["flap.4"]
DECODINGS: dict[str, tuple[Weights, dict[str, int]]] = {
    "flap.4": (PAPERS, {}),
    **{f"lambda {share}": (replace(PAPERS, heuristic=share), {}) for share in (0.0, 0.3, 0.5, 1.0)},
    **{f"k {k}": (PAPERS, {"width": k}) for k in (5, 15)},
    **{f"without {term}": (replace(PAPERS, **{term: 0.0}), {}) for term in ("step", "api", "query", "description")},
    "hard": (replace(PAPERS, not_permitted=0.0), {}),
    "every 4": (PAPERS, {"every": 4}),
    "every unit": (PAPERS, {"every": MAX_TOKENS}),
    "flap.4, hashing encoder": (PAPERS, {}),
}
"""Soft constraints, k 10, lambda 0.7 and a look-ahead at each token are those of the paper, in the first."""
PLANNERS = (TRAG, "trag, uniform model", "trag, hashing encoder")


def hashed(texts: Sequence[str]) -> np.ndarray:
    """Texts by which words they have, and by nothing that these mean: 256 numbers, of unit length."""
    rows = np.full((len(texts), 256), 1e-9)
    for row, text in zip(rows, texts, strict=True):
        for word in text.casefold().split():
            row[zlib.crc32(word.encode()) % 256] += 1
    return np.asarray(rows / np.linalg.norm(rows, axis=1, keepdims=True))


class Uniform:
    """Finds all procedures as likely as each other, so that encoder and reranker choose alone."""

    identity, context = ModelIdentity("uniform"), 4096


def main() -> None:
    """Plan, and print the tables."""
    parser = argparse.ArgumentParser(prog="python -m bench.flows.ablations")
    parser.add_argument("names", nargs="+", metavar="NAME", choices=(*DECODINGS, *PLANNERS))
    parser.add_argument("--number", type=int, default=1)
    parser.add_argument("--half", choices=get_args(data.Half), default="dev")
    options = parser.parse_args()
    held = data.read(PAPER)
    queries = running.chosen(held, options.half, options.number)
    encode, weigh = open_embedder("").embed_passages, Reranker().weigh
    written = []
    settings = load()
    with closing(LocalModel(settings.home, model=settings.model)) as model:
        for name in options.names:
            vectors = hashed if "hashing" in name else encode
            planners = {
                domain: Planner(of.book, None, vectors, weigh, lambda *_: True) for domain, of in held.domains.items()
            }
            reader: Any = Uniform() if "uniform" in name else model
            for query in queries:
                planner = planners[query.domain]
                if name in PLANNERS:
                    written.append(replace(write(reader, planner, query, TRAG, "all", vectors), system=name))
                else:
                    written.append(_decoded(model, planner, query, name, vectors))
                print(name, query.id, round(written[-1].seconds), flush=True)
    for table in tables.report(written, held, tables.nearest_by(encode))[:-1]:
        print(markdown(table))


def _decoded(model: LocalModel, planner: Planner, query: data.Query, name: str, encode: Encode) -> Written:
    began, book = monotonic(), planner.book
    weights, form = DECODINGS[name]
    messages = prompting.messages(query.query, book.actions.values(), book.procedures.values())
    with model.search(messages) as search:
        plan = decode(search, Heuristic(book, query.query, encode, weights), max_tokens=MAX_TOKENS, **form)
    return Written(name, "all", query.id, plan.text, not plan.ended, plan.tokens, monotonic() - began, commit())


if __name__ == "__main__":
    main()
