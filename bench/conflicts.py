"""python -m bench.conflicts READINGS: how many conflicts between two documents are told, and how many that are none.

Pairs of passages written by hand in some ten languages: those of `bench/conflicts/dev.jsonl` (40 conflicts, 120 that
look like one) fit the weights, those of `test.jsonl` (60 and 200, by another hand) are only counted. What the
reader says of a passage is kept in the folder READINGS, so that a run that is stopped goes on.
"""

from __future__ import annotations

import json
import sys
import threading
from collections import Counter
from collections.abc import Iterator, Mapping
from contextlib import closing
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
from sklearn.linear_model import LogisticRegression  # type: ignore[import-untyped]
from sklearn.metrics import roc_auc_score  # type: ignore[import-untyped]
from sklearn.model_selection import cross_val_predict  # type: ignore[import-untyped]
from sklearn.pipeline import make_pipeline  # type: ignore[import-untyped]
from sklearn.preprocessing import StandardScaler  # type: ignore[import-untyped]

from store.passage import Excerpt, Passage
from trag import conflicts
from trag.conflicts import Reading
from trag.embed import open_embedder
from trag.llm.model import LanguageModel
from trag.llm.opening import open_model
from trag.retrieve import lines_of
from trag.settings import load

PAIRS = Path(__file__).with_suffix("")
FALSE = 0.03
"""The share of pairs without a conflict that may be told as one."""


@dataclass(frozen=True, slots=True)
class Pair:
    """One pair with its signs; `differs` is whether code saw two values."""

    kind: str
    conflict: bool
    differs: bool
    signs: Mapping[str, float]


def excerpt(pair: Mapping[str, Any], side: str) -> Excerpt:
    """A passage of a pair: they are short enough to be shown whole."""
    one = pair[side]
    passage = Passage(side, "section", one["document"], one["section"], None, one["text"])
    return Excerpt(passage, lines_of(passage)[0])


def read(name: str, folder: Path, model: LanguageModel) -> Iterator[tuple[dict[str, Any], Any]]:
    """Each pair of a set with what the reader says of both passages, read once."""
    file = folder / f"{name}.jsonl"
    known = {row["id"]: row for row in map(json.loads, file.read_text("utf-8").splitlines())} if file.exists() else {}
    for line in (PAIRS / f"{name}.jsonl").read_text("utf-8").splitlines():
        pair = json.loads(line)
        if pair["id"] not in known:
            said = [
                conflicts.read(pair["question"], excerpt(pair, side), model, threading.Event()) for side in ("a", "b")
            ]
            known[pair["id"]] = {"id": pair["id"], "ans": [one.answer for one in said]}
            known[pair["id"]]["ref"] = [one.refusal_odds for one in said]
            with file.open("a", encoding="utf-8") as kept:
                kept.write(json.dumps(known[pair["id"]], ensure_ascii=False) + "\n")
        yield pair, known[pair["id"]]


def main() -> None:
    """Fit, and count."""
    folder = Path(sys.argv[1])
    folder.mkdir(parents=True, exist_ok=True)
    embedder = open_embedder("")
    sets: dict[str, list[Pair]] = {}
    with closing(open_model(load())) as model:
        for name in ("dev", "test"):
            sets[name] = []
            for pair, said in read(name, folder, model):
                mine, other = (excerpt(pair, side) for side in ("a", "b"))
                reading = Reading(said["ans"][1], said["ref"][1])
                found = conflicts.signs(conflicts.nearness(mine, other, embedder.embed_passages), reading)
                differs = conflicts.differs(said["ans"][0], mine, reading, other)
                sets[name].append(Pair(pair["kind"], pair["conflict"], differs, found))
    fit(sets["dev"])
    for name, pairs in sets.items():
        report(name, pairs)


def fit(pairs: list[Pair]) -> None:
    """Print weights, and a bias under which at most FALSE of the pairs without a conflict are told, each of them judged
    by weights that have not seen it."""
    names = sorted(pairs[0].signs)
    values = np.array([[pair.signs[name] for name in names] for pair in pairs])
    wanted = np.array([pair.conflict for pair in pairs])
    seen = np.array([pair.differs for pair in pairs])
    learner = make_pipeline(StandardScaler(), LogisticRegression(C=0.1, class_weight="balanced", max_iter=5_000))
    odds = cross_val_predict(learner, values, wanted, cv=10, method="decision_function")
    least = np.quantile(np.where(seen, odds, -np.inf)[~wanted], 1 - FALSE, method="higher")
    print(f"dev, each judged by the others: area {roc_auc_score(wanted, odds):.3f}")
    learner.fit(values, wanted)
    scaler, regression = learner[0], learner[1]
    weights = regression.coef_[0] / scaler.scale_
    bias = regression.intercept_[0] - weights @ scaler.mean_ - least
    print("weights", {name: round(float(weight), 3) for name, weight in zip(names, weights, strict=True)}, end=" ")
    print("bias", round(float(bias), 3))


def report(name: str, pairs: list[Pair]) -> None:
    """Print what the weights that ship tell of a set."""
    told: Counter[tuple[bool, str]] = Counter()
    every: Counter[tuple[bool, str]] = Counter()
    for pair in pairs:
        every[pair.conflict, pair.kind] += 1
        told[pair.conflict, pair.kind] += pair.differs and conflicts.odds(pair.signs) > 0
    for conflict, what in ((True, "conflicts"), (False, "that only look like one")):
        number = sum(count for (is_one, _), count in told.items() if is_one == conflict)
        of = sum(count for (is_one, _), count in every.items() if is_one == conflict)
        kinds = ", ".join(
            f"{kind} {told[key]}/{every[key]}" for key in sorted(every) if key[0] == conflict for kind in [key[1]]
        )
        print(f"{name}: {number} of {of} {what} told ({number / of:.0%}): {kinds}")
    print(f"{name}: in {sum(pair.differs for pair in pairs if pair.conflict)} of the conflicts code sees two values")


if __name__ == "__main__":
    main()
