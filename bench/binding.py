"""python -m bench.binding [--part choose|report] [--conditions]: inputs and conditions beside those filled in by hand.

bench/workflows/bound.jsonl has 120 workflows with what somebody would fill in, read from the request and the catalogue.
Inputs: how many of those that refer to something are bound to it, to something else, or left open; how many that a
person types were bound all the same; and what the checker objects to, a later step or another branch among it. With
--conditions the model that TRAG_MODEL names reads those of branches and loops: right is also what stays open by hand.
"""

import argparse
import json
from collections import Counter
from collections.abc import Iterator, Sequence
from contextlib import closing
from dataclasses import dataclass, replace
from pathlib import Path
from time import monotonic
from typing import Any

from org.procedures.flows import Book
from trag.evaluate.workflows.cases import catalogue
from trag.llm.model import LanguageModel
from trag.llm.opening import open_model
from trag.settings import load
from trag.workflow.binding import bound
from trag.workflow.checking import check
from trag.workflow.conditions import conditions
from trag.workflow.record import Condition, Workflow
from trag.workflow.scope import Scope

FOLDER = Path(__file__).parent / "workflows"
PARTS = ("choose", "report")


@dataclass(frozen=True, slots=True)
class Item:
    """A workflow as filled in by hand, and what is as right: by "2.record" references, by "2" conditions."""

    id: str
    part: str
    request: str
    gold: Workflow
    also: dict[str, list[Any]]
    book: Book

    @property
    def bare(self) -> Workflow:
        """The workflow with nothing filled in."""
        steps = tuple(replace(step, inputs=(), gives=(), condition=None) for step in self.gold.steps)
        return replace(self.gold, steps=steps, open=())


def items() -> Iterator[Item]:
    """All of them, in the order of the file."""
    books: dict[str, Book] = {}
    for line in (FOLDER / "bound.jsonl").read_text(encoding="utf-8").splitlines():
        row = json.loads(line)
        name = row["catalogue"]
        book = books[name] = books.get(name) or catalogue(FOLDER / "catalogues", name)
        yield Item(row["id"], row["split"], row["request"], Workflow.of(row["workflow"]), row.get("also", {}), book)


def inputs(item: Item, found: Workflow) -> Iterator[tuple[str, str]]:
    """How each input came out, and what it is bound to and should be: right, wrong, open, typed (rightly open), or
    bound though typed."""
    scope = Scope(item.gold, item.book)
    for gold, step in zip(item.gold.steps, found.steps, strict=True):
        for need in scope.needs(gold):
            wanted, got = (next((each for each in one.inputs if each.name in need), None) for one in (gold, step))
            said = f"{item.id} {step.step} {need[0]}: {got and got.source}, by hand {wanted and wanted.source}"
            if wanted is None:
                yield ("bound though typed" if got else "typed"), said
            elif got is None:
                yield "open", said
            else:
                right = {wanted.source, *item.also.get(f"{step.step}.{wanted.name}", ())}
                yield ("right" if got.source in right else "wrong"), said


def branches(item: Item, found: Workflow) -> Iterator[tuple[str, str]]:
    """How each condition came out, and as what."""

    def folded(condition: Condition) -> tuple[str, str, str]:
        return condition.left, condition.op, condition.right.casefold()

    for gold, step in zip(item.gold.steps, found.steps, strict=True):
        if gold.condition and step.condition:
            also = (Condition(**each) for each in item.also.get(str(step.step), ()))
            right = {*map(folded, (gold.condition, *also))}
            said = f"{item.id} {step.step}: {folded(step.condition)}, by hand {folded(gold.condition)}"
            is_open = step.condition.by == "open"
            if folded(step.condition) in right:
                yield ("right, open" if is_open else "right"), said
            else:
                yield ("open" if is_open else "wrong"), said


def errors(item: Item, found: Workflow) -> list[str]:
    """What the checker has against it."""
    problems = check(json.loads(found.to_json()), item.book)
    return [f"{item.id} {one.place}: {one.message}" for one in problems if one.severity == "error"]


def main() -> None:
    """Bind, read where asked to, and print what is not right and the counts."""
    parser = argparse.ArgumentParser(prog="python -m bench.binding")
    parser.add_argument("--part", choices=PARTS, nargs="+", default=PARTS)
    parser.add_argument("--conditions", action="store_true", help="let the model read conditions, too")
    options = parser.parse_args()
    chosen = [item for item in items() if item.part in options.part]
    if not options.conditions:
        report(chosen, None)
        return
    with closing(open_model(load())) as model:
        report(chosen, model)


def report(chosen: Sequence[Item], model: LanguageModel | None) -> None:
    """Print it."""
    counts = {part: Counter[str]() for part in PARTS}
    taken = dict.fromkeys(PARTS, 0.0)
    for item in chosen:
        found = bound(item.bare, item.book)
        if model:
            began = monotonic()
            found = conditions(found, item.book, item.request, model)
            taken[item.part] += monotonic() - began
        outcomes = [(f"input {how}", said) for how, said in inputs(item, found)]
        outcomes += [(f"condition {how}", said) for how, said in (branches(item, found) if model else ())]
        outcomes += [("checker's errors", said) for said in errors(item, found)]
        for how, said in outcomes:
            counts[item.part][how] += 1
            if not how.endswith((" right", " typed", "right, open")) or "though" in how:
                print(f"{how}: {said}", flush=True)
    for part, found in counts.items():
        if found:
            bindable = sum(found[f"input {how}"] for how in ("right", "wrong", "open"))
            asked = f", {taken[part]:.0f} s of reading" if model else ""
            print(f"{part}: inputs {found['input right']} of {bindable} right{asked}; {dict(sorted(found.items()))}")


if __name__ == "__main__":
    main()
