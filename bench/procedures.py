"""python -m bench.procedures FOLDER...: how far the plans of a book that binds no action come out as they should.

Each folder holds `procedures.json` and `gold.json`, the actions of each step of each procedure. Edits are actions too
many and missing, as FLAP counts them (section 2.4), in the mean of a plan; exact is without any.
"""

import argparse
import json
from collections import Counter
from pathlib import Path

from org.procedures.graph import Graph
from org.procedures.reading import load
from trag.embed import open_embedder
from trag.flow.binding import bound, likeness
from trag.flow.planning import calls
from trag.reranking.reranker import Reranker


def main() -> None:
    """Plan every procedure, and count."""
    parser = argparse.ArgumentParser(prog="python -m bench.procedures")
    parser.add_argument("folders", type=Path, nargs="+", metavar="FOLDER")
    encode, weigh = open_embedder("").embed_passages, Reranker().weigh
    print("| | procedures | edits | exact | steps too |\n|---|---|---|---|---|")
    for folder in parser.parse_args().folders:
        book = load((folder / "procedures.json").read_bytes(), "procedures.json")
        gold = json.loads((folder / "gold.json").read_bytes())["gold"]
        graph, edits, exact, placed = Graph(book.for_plans.values()), 0, 0, 0
        for id, procedure in book.procedures.items():
            made = calls(bound(procedure, graph, likeness(procedure, graph.actions, encode, weigh)), graph)
            found = Counter(call.action for call in made)
            wanted = Counter(action for step in gold[id] for action in step)
            wrong = ((found - wanted) + (wanted - found)).total()
            steps = [{call.action for call in made if call.step == number} for number in range(len(procedure.steps))]
            edits, exact, placed = (
                edits + wrong,
                exact + (not wrong),
                placed + (steps == [{*step} for step in gold[id]]),
            )
        number = len(book.procedures)
        print(f"| {folder.name} | {number} | {edits / number:.2f} | {exact} | {placed} |", flush=True)


if __name__ == "__main__":
    main()
