"""What a plan costs beside greedy decoding: python -m bench.flows.speed [--system SYSTEM...] [--number N].

The same test queries, one system after the other in one run, all flows shown, by the model that TRAG_MODEL names:
seconds a plan, as a ratio to greedy, the slowest of twenty; tokens that the model computed, of the prompt and after it;
the most memory that its process took so far.
"""

import argparse
from collections.abc import Iterator
from contextlib import closing, contextmanager
from pathlib import Path
from statistics import fmean
from typing import Any

from bench.flows.change import PAPER
from trag.embed import open_embedder
from trag.evaluate.flows import data, running
from trag.evaluate.flows.writing import GREEDY, SYSTEMS, TRAG, write
from trag.evaluate.tables import Table, markdown, slowest
from trag.flow.planner import Planner
from trag.llm.local import LocalModel
from trag.llm.model import Usage
from trag.reranking.reranker import Reranker
from trag.settings import load


class Counting(LocalModel):
    """Adds up what it computes."""

    computed = 0

    def stream(self, *args: Any, **more: Any) -> Any:
        """See LanguageModel. Whoever has the end of a plan listens no more, so each piece counts as a token."""
        self.computed += self.count(args[0])
        for piece in super().stream(*args, **more):
            self.computed += not isinstance(piece, Usage)
            yield piece

    @contextmanager
    def _search(self, *args: Any, **more: Any) -> Iterator[Any]:
        with super()._search(*args, **more) as found:
            yield found
            self.computed += found.usage.evaluated + found.usage.completion


def main() -> None:
    """Plan, and print the table."""
    parser = argparse.ArgumentParser(prog="python -m bench.flows.speed")
    parser.add_argument("--system", nargs="+", choices=SYSTEMS, default=("flap.4", TRAG))
    parser.add_argument("--number", type=int, default=1)
    options = parser.parse_args()
    held = data.read(PAPER)
    queries = running.chosen(held, "test", options.number)
    encode, weigh = open_embedder("").embed_passages, Reranker().weigh
    planners = {name: Planner(of.book, None, encode, weigh, lambda *_: True) for name, of in held.domains.items()}
    rows: list[tuple[str, ...]] = []
    settings, greedy = load(), 0.0
    with closing(Counting(settings.home, model=settings.model)) as model:
        model.warm()
        for system in dict.fromkeys((GREEDY, *options.system)):
            model.computed = 0
            times = [write(model, planners[one.domain], one, system, "all", encode).seconds for one in queries]
            greedy = greedy or fmean(times)
            peak = int(Path(f"/proc/{model.pid}/status").read_text().partition("VmHWM:")[2].split()[0]) / 1024
            found = (fmean(times), fmean(times) / greedy, slowest(times), model.computed / len(times), peak)
            rows.append((system, *(f"{value:,.1f}" for value in found)))
    header = ("System", "Seconds a plan", "to greedy", "p95", "Tokens computed", "Peak MiB")
    of = f"{len(queries)} test queries of our own, {model.identity.name}"
    note = f"{of}; the paper's FLAP takes 11 to 33 times greedy, with models of 7B on a GPU."
    print(markdown(Table("What a plan costs", header, tuple(rows), note)))


if __name__ == "__main__":
    main()
