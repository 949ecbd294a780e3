"""python -m bench.suggestions FILE...: how many of the steps and tables of gold workflows are among those suggested.

FILE has requests with their workflows, beside the folder `catalogues` (bench/workflows). Recall as the paper has it
(Bechard and Marquez Ayala 2024, section 4.2): of 15 steps and 10 tables suggested, the mean share of a request's own
that is there, and in brackets the share of requests whose every one is. The whole catalogue is searched; requests
without any are left out.
"""

import argparse
import json
from pathlib import Path
from statistics import fmean
from typing import Any

from org.procedures.flows import Book
from org.procedures.reading import load
from trag.embed import open_embedder
from trag.workflow.suggesting import Suggester


def main() -> None:
    """Suggest for every request, and count."""
    parser = argparse.ArgumentParser(prog="python -m bench.suggestions")
    parser.add_argument("files", type=Path, nargs="+", metavar="FILE")
    encode = open_embedder("").embed_passages
    print("| | requests | steps in the catalogue | Recall@15 steps | Recall@10 tables |\n|---|---|---|---|---|")
    for file in parser.parse_args().files:
        rows = [json.loads(line) for line in file.read_text().splitlines()]
        book = catalogue(file.parent / "catalogues", rows[0]["catalogue"])
        suggester = Suggester(book, encode)
        steps, tables = list[float](), list[float]()
        for row in rows:
            found = suggester.suggest(row["request"])
            wanted = {step["name"] for step in row["workflow"]["steps"]} & {*book.actions}
            steps += [len(wanted & {each.name for each in found.steps}) / len(wanted)] if wanted else []
            table = ((row["workflow"]["trigger"] or {}).get("inputs") or {}).get("value")
            tables += [float(table in {each.name for each in found.tables})] if table else []
        share = f"{fmean(steps):.3f} ({fmean(each == 1 for each in steps):.3f})"
        print(f"| {file.stem} | {len(rows)} | {len(book.actions)} | {share} | {fmean(tables):.3f} |", flush=True)


def catalogue(folder: Path, name: str) -> Book:
    """The deployment of that name: its own catalogue and the common one."""
    parts: list[dict[str, Any]] = [json.loads((folder / f"{each}.json").read_bytes()) for each in ("common", name)]
    kinds = ("actions", "tables", "triggers")
    joined = {kind: [entry for part in parts for entry in part[kind]] for kind in kinds}
    return load(json.dumps(joined).encode(), f"{name}.json")


if __name__ == "__main__":
    main()
