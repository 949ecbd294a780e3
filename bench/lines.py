"""python -m bench.lines READ FILE...: fit the weights by which the lines of workflows are chosen.

FILE has requests with their workflows (bench/workflows). What the reader makes of the options at each line of each gold
workflow is kept in READ, a line a request, some 5 s each on two idle cores, and only worked out for those that are not
there yet; --only N reads the first N of each file in an order by chance. The weights are those under which the gold
lines are likeliest among the options (conditional logit, a little shrunk), and are written to
trag/workflow/weights.json. How many come out right is told of four folds, each by the weights of the other three.
"""

import argparse
import json
import random
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any, get_args

import torch

import prompts
from org.procedures.flows import Book
from trag.embed import open_embedder
from trag.evaluate.workflows.cases import catalogue
from trag.llm.model import LanguageModel, Search, Searching
from trag.llm.opening import open_model
from trag.reranking.reranker import Reranker
from trag.retrieve import Weigh
from trag.settings import Settings
from trag.workflow import choosing
from trag.workflow.choosing import DONE, LOGIC, Decided, Features, Said
from trag.workflow.drafting import opened, ranks, shares, started, table_lines, trigger_lines, with_table
from trag.workflow.record import Workflow
from trag.workflow.structure import read, write
from trag.workflow.suggesting import LEARNED, Suggester

_SHRUNK, _FOLDS = 0.02, 4
_WHAT = ("step", "logic", "end", "trigger", "by request", "table")
_READERS = ("reader", "reader.logic", "reader.end", "reader.none", "level")
_WEIGHTS = Path(choosing.__file__).with_name("weights.json")


@dataclass(frozen=True, slots=True)
class Decision:
    """What could be chosen, by its features, and what gold has."""

    kind: str
    options: Sequence[Features]
    gold: int
    what: str


def main() -> None:
    """Read what is not read yet, fit, say how well, write."""
    parser = argparse.ArgumentParser(prog="python -m bench.lines")
    parser.add_argument("read", type=Path, metavar="READ")
    parser.add_argument("files", type=Path, nargs="+", metavar="FILE")
    parser.add_argument("--only", type=int, default=120, metavar="N")
    options = parser.parse_args()
    kept = {}
    if options.read.exists():
        kept = {row["id"]: row for row in map(json.loads, options.read.read_text().splitlines())}
    model: LanguageModel | None = None
    suggesters: dict[str, Suggester] = {}
    encode, weigh = open_embedder("", LEARNED).embed_passages, Reranker().weigh
    found: list[list[Decision]] = []
    for file in options.files:
        rows = [json.loads(line) for line in file.read_text().splitlines()]
        random.Random(7).shuffle(rows)
        for row in rows[: options.only]:
            name = row["catalogue"]
            if name not in suggesters:
                suggesters[name] = Suggester(catalogue(file.parent / "catalogues", name), encode)
            book, suggester = suggesters[name].book, suggesters[name]
            if row["id"] not in kept:
                model = model or open_model(Settings())
                assert isinstance(model, Searching)
                with model.search(prompts.workflow(row["request"])) as search:
                    kept[row["id"]] = _read(search, row, book, suggester)
                with options.read.open("a") as out:
                    out.write(json.dumps(kept[row["id"]]) + "\n")
            found.append([*decisions(row, kept[row["id"]], book, suggester, weigh)])
    print("| | " + " | ".join(_WHAT) + " |\n|" + "---|" * (1 + len(_WHAT)))
    for called, seen in (("with the reader", found), ("without", [[*map(_alone, each)] for each in found])):
        right = Counter[str]()
        for fold in range(_FOLDS):
            weights = _fitted([each for number, each in enumerate(seen) if number % _FOLDS != fold])
            for one in (one for each in seen[fold::_FOLDS] for one in each):
                odds = [choosing.odds(option, weights[one.kind]) for option in one.options]
                right[one.what] += odds.index(max(odds)) == one.gold
        of = Counter(one.what for each in seen for one in each)
        print(f"| {called} | " + " | ".join(f"{right[what]} of {of[what]}" for what in _WHAT) + " |")
    alone = _fitted([[*map(_alone, each)] for each in found])
    _WEIGHTS.write_text(
        json.dumps(_fitted(found) | {f"{kind} alone": of for kind, of in alone.items()}, indent=1) + "\n"
    )


def _fitted(found: Sequence[Sequence[Decision]]) -> dict[str, dict[str, float]]:
    """The weights of each kind of decision."""
    return {kind: fit([one for each in found for one in each if one.kind == kind]) for kind in get_args(Decided)}


def _read(search: Search, row: Mapping[str, Any], book: Book, suggester: Suggester) -> dict[str, Any]:
    """What the reader makes of the options at each line of a gold workflow."""
    workflow, found = Workflow.of(row["workflow"]), suggester.suggest(row["request"])
    trigger, lines = read(write(workflow))
    titles = {one.name: book.actions[one.name].title for one in found.steps}
    kept: dict[str, Any] = {"id": row["id"], "triggers": shares(search, trigger_lines(found, book)), "lines": []}
    if trigger and trigger.table:
        kept["tables"] = shares(search, table_lines(trigger.type, found, book))
    search.take(started(trigger, book))
    for count in range(len(lines) + 1):
        levels = choosing.indents(lines[:count])
        kept["lines"].append(
            {
                "shares": shares(search, choosing.options(lines[:count], titles)),
                "levels": shares(search, levels),
            }
        )
        if count < len(lines):
            line = lines[count]
            search.take(f"{'  ' * line.depth}- {LOGIC.get(line.name) or book.actions[line.name].title}\n")
    return kept


def decisions(
    row: Mapping[str, Any], kept: Mapping[str, Any], book: Book, suggester: Suggester, weigh: Weigh
) -> Iterator[Decision]:
    """What is to be decided for a gold workflow, where its own is among the options."""
    found = suggester.suggest(row["request"])
    trigger, lines = read(write(Workflow.of(row["workflow"])))
    ranked, words = ranks(row["request"], found, book, weigh), found.words
    of = choosing.trigger_features(found, kept["triggers"], ranked["trigger"], with_table(book))
    yield from _decision(
        "triggers", "by request" if trigger is None else "trigger", of, trigger.type if trigger else DONE
    )
    if trigger and "tables" in kept:
        of = choosing.table_features(words["table"], kept["tables"], ranked["table"])
        yield from _decision("tables", "table", of, trigger.table)
    said = Said(words["step"], ranked["step"])
    if trigger and (span := opened(trigger, found)):
        said.cover(*span)
    for count, each in enumerate(kept["lines"]):
        gold = lines[count] if count < len(lines) else None
        levels = {int(depth): share for depth, share in each["levels"].items()}
        what = "end" if gold is None else "logic" if gold.name in LOGIC else "step"
        yield from _decision("lines", what, choosing.features(lines[:count], each["shares"], levels, said), gold)
        if gold and gold.name in words["step"].places:
            said.take(gold.name)


def _decision(kind: str, what: str, of: Mapping[Any, Features], gold: object) -> Iterator[Decision]:
    names = list(of)
    if gold in names:
        yield Decision(kind, [of[name] for name in names], names.index(gold), what)


def _alone(decision: Decision) -> Decision:
    """Without what the reader makes of it."""
    options = [{name: value for name, value in one.items() if name not in _READERS} for one in decision.options]
    return replace(decision, options=options)


def fit(found: Sequence[Decision]) -> dict[str, float]:
    """The weights by the names of the features. Triggers and none count alike however many there are: how often people
    name what sets a workflow off differs from one organization to the next."""
    counts = Counter(one.what for one in found)
    names = sorted({name for one in found for option in one.options for name in option})
    most = max(len(one.options) for one in found)
    values = torch.zeros(len(found), most, len(names))
    absent = torch.full((len(found), most), -1e9)
    for number, one in enumerate(found):
        absent[number, : len(one.options)] = 0
        for place, option in enumerate(one.options):
            for name, value in option.items():
                values[number, place, names.index(name)] = value
    scale = values.abs().amax((0, 1)).clamp(min=1e-6)
    gold = torch.tensor([one.gold for one in found])
    even = len(found) / len(counts)
    balance = torch.tensor([even / counts[one.what] if one.kind == "triggers" else 1.0 for one in found])
    weights = torch.zeros(len(names), requires_grad=True)
    optimizer = torch.optim.LBFGS([weights], max_iter=500, line_search_fn="strong_wolfe")

    def loss() -> torch.Tensor:
        optimizer.zero_grad()
        odds = (values / scale) @ weights + absent
        each = torch.nn.functional.cross_entropy(odds, gold, reduction="none")
        total = (each * balance).sum() + _SHRUNK * weights.square().sum()
        total.backward()  # type: ignore[no-untyped-call]
        return total

    optimizer.step(loss)  # type: ignore[no-untyped-call]
    return {name: round(float(value), 3) for name, value in zip(names, (weights / scale).detach(), strict=True)}


if __name__ == "__main__":
    main()
