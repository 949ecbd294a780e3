"""python -m bench.unfit FILE...: whether the parts of requests that no step fits are told, and parts that one fits are
not.

FILE has requests with their workflows (bench/workflows): those with `no_step_for`, as in beyond.jsonl, are told where a
part lies in it by half or more; of the others each that is told is false. No language model is asked: it is the encoder
and the reranker that say so. --only N takes the first N of each file.
"""

import argparse
import json
from collections import Counter
from pathlib import Path
from typing import Any

from trag.embed import open_embedder
from trag.evaluate.workflows.cases import catalogue
from trag.reranking.reranker import Reranker
from trag.workflow.drafting import Drafter
from trag.workflow.suggesting import LEARNED


def main() -> None:
    """Look for parts that nothing fits in every request, and count."""
    parser = argparse.ArgumentParser(prog="python -m bench.unfit")
    parser.add_argument("files", type=Path, nargs="+", metavar="FILE")
    parser.add_argument("--only", type=int, metavar="N")
    options = parser.parse_args()
    encode, weigh = open_embedder("", LEARNED).embed_passages, Reranker().weigh
    drafters: dict[str, Drafter] = {}
    for file in options.files:
        counts = Counter[str]()
        for line in file.read_text(encoding="utf-8").splitlines()[: options.only]:
            row = json.loads(line)
            name = row["catalogue"]
            if name not in drafters:
                drafters[name] = Drafter(catalogue(file.parent / "catalogues", name), encode, weigh)
            counts.update(judged(row, drafters[name].unfit(row["request"])))
        print(f"{file.stem}: told {counts['told']} of {counts['to tell']}, false {counts['false']} of {counts['all']}")


def judged(row: dict[str, Any], found: tuple[tuple[int, int], ...]) -> list[str]:
    """What is counted of a request in which these words, each span by its first and the one after its last, are told to
    be fitted by nothing."""
    spans = [span_of(row["request"], part) for part in row["workflow"].get("no_step_for", ())]
    right = [[min(end, last) - max(first, begin) >= (end - first) / 2 for first, end in found] for begin, last in spans]
    wrong = len(found) > sum(any(of[place] for of in right) for place in range(len(found)))
    return ["all", *["to tell"] * len(spans), *["told"] * sum(map(any, right)), *["false"] * wrong]


def span_of(request: str, part: str) -> tuple[int, int]:
    """The first word of a part of a request, and the one after its last."""
    first = len(request[: request.index(part)].split())
    return first, first + len(part.split())


if __name__ == "__main__":
    main()
