"""python -m bench.suggestions FILE...: how many of the steps and tables of gold workflows are among those suggested.

FILE has requests with their workflows, beside the folder `catalogues` (bench/workflows). Recall as the paper has it
(Bechard and Marquez Ayala 2024, section 4.2): of 15 steps and 10 tables suggested, the mean share of a request's own
that is there. The whole catalogue is searched; requests without any are left out. The rows are those of the paper's
table 3: encoder, words and both, the encoders that were learned with other wrong pairs (`--encoder FILE`, as
`python -m trag finetune steps` leaves them), the one that ships, and what the product does.

`--names N` adds names made by rule to each catalogue, up to N, and tells what a suggestion takes with and without.
"""

import argparse
import json
from collections.abc import Sequence
from dataclasses import dataclass
from itertools import groupby, islice, product
from pathlib import Path
from statistics import fmean, median
from time import perf_counter
from typing import Any

import numpy as np

from org.procedures.actions import Action
from org.procedures.flows import Book
from trag.embed import open_embedder
from trag.finetune.steps.pairs import deployment
from trag.workflow.suggesting import BY_WORDS, LEARNED, LENGTHS, Encode, Suggester

_WORDS_ALONE = 1e6
"""Of BM25 beside vectors, so that these count for nothing."""
_ACTS = (
    *("Open", "Close", "Order", "Inspect", "Move", "Count", "Clean", "Mend", "Lend", "Sell", "Weigh", "Paint", "Book"),
    *(
        "Record",
        "Report",
        "Approve",
        "Cancel",
        "Assign",
        "Photograph",
        "Store",
        "Ship",
        "Measure",
        "Replace",
        "Announce",
    ),
)
_THINGS = (
    *(
        "a beehive",
        "a barge",
        "a stage set",
        "a costume",
        "a quarry face",
        "a kiln",
        "a foal",
        "a greenhouse",
        "a trawl",
    ),
    *("a seed lot", "a grain silo", "a milking stand", "a rehearsal", "a lighting rig", "a mooring", "a lock gate"),
    *("a cable car", "a ski run", "a loaf batch", "a yeast tank", "a barrel", "a vineyard row", "a herd", "a shearing"),
    *("a fence line", "a felled trunk", "a sawmill shift", "a rope bridge", "an aquarium", "a lion house", "a glaze"),
    *("a blast round", "a freight wagon", "a signal box", "a balloon", "a glider", "a hull plate", "a propeller"),
    *("a ballot box", "a lamp post"),
)
_PLACES = tuple(
    f"{where} {name}"
    for where in ("at the", "in the")
    for name in (
        *("north yard", "old mill", "lower valley", "island depot", "harbour end", "summer theatre", "west wood"),
        *("upper farm", "salt works", "river station", "hill pasture"),
    )
)


@dataclass(frozen=True, slots=True)
class System:
    """What suggests: the encoder with what it learned, stretches of so many words, and what BM25 counts."""

    name: str
    learned: Path | None
    lengths: tuple[int, ...] = ()
    by_words: float = 0.0


@dataclass(frozen=True, slots=True)
class Found:
    """Of one request, with so many steps: the shares of its steps, of those that are in no common catalogue, and of its
    tables that were suggested, None where it has none; and the milliseconds that took."""

    size: int
    steps: float | None
    own: float | None
    tables: float | None
    milliseconds: float


PRODUCT = System("+ All, stretches and BM25: the product", LEARNED, LENGTHS, BY_WORDS)
STRETCHES = System("+ All, stretches", LEARNED, LENGTHS)
ALL = System("+ All (random, BM25, ANCE)", LEARNED)


def main() -> None:
    """Suggest for every request, and count."""
    parser = argparse.ArgumentParser(prog="python -m bench.suggestions")
    parser.add_argument("files", type=Path, nargs="+", metavar="FILE")
    parser.add_argument("--encoder", type=Path, action="append", default=[], metavar="FILE")
    parser.add_argument("--names", type=int, default=0, metavar="N")
    options = parser.parse_args()
    files: list[Path] = options.files
    systems = (
        System("all-MiniLM-L6-v2", None),
        System("BM25", None, by_words=_WORDS_ALONE),
        System("both", None, by_words=BY_WORDS),
        *(System(f"+ {file.stem}", file) for file in options.encoder),
        ALL,
        STRETCHES,
        PRODUCT,
    )
    if options.names:
        _with_padding(files, options.names)
        return
    print("Recall@15 steps / Recall@10 tables", _row("", *(file.stem for file in files)), _rule(len(files)), sep="\n")
    found: dict[tuple[System, Path], list[Found]] = {}
    for learned, rows in groupby(systems, lambda system: system.learned):
        encode = _kept(open_embedder("", learned).embed_passages)
        for system in rows:
            found |= {(system, file): suggested(system, encode, file) for file in files}
            shares = ((_mean(found[system, file], "steps"), _mean(found[system, file], "tables")) for file in files)
            print(_row(system.name, *(f"{steps:.3f} / {tables:.3f}" for steps, tables in shares)), flush=True)
    print(_row("", "requests", "all steps of one", "without common steps", "3 steps or more: whole", "with stretches"))
    print(_rule(5))
    for file in files:
        last = found[PRODUCT, file]
        complete = fmean(one.steps == 1 for one in last if one.steps is not None)
        long = (_mean([one for one in found[each, file] if one.size > 2], "steps") for each in (ALL, STRETCHES))
        print(_row(file.stem, str(len(last)), *(f"{share:.3f}" for share in (complete, _mean(last, "own"), *long))))


def suggested(system: System, encode: Encode, file: Path, names: int = 0) -> list[Found]:
    """What is found for every request of a file, in a catalogue filled up to so many steps."""
    rows: list[dict[str, Any]] = [json.loads(line) for line in file.read_text(encoding="utf-8").splitlines()]
    book = deployment(file.parent, rows[0]["catalogue"])
    common = deployment(file.parent, "common").actions
    suggester = Suggester(padded(book, names), encode, lengths=system.lengths, by_words=system.by_words)
    found = []
    for row in rows:
        start = perf_counter()
        of = suggester.suggest(row["request"])
        took = 1000 * (perf_counter() - start)
        seen, tables = {each.name for each in of.steps}, {each.name for each in of.tables}
        wanted = {step["name"] for step in row["workflow"]["steps"]} & {*book.actions}
        table = ((row["workflow"]["trigger"] or {}).get("inputs") or {}).get("value")
        found.append(
            Found(
                len(wanted),
                _share(wanted, seen),
                _share(wanted - {*common}, seen),
                _share({table} if table else set(), tables),
                took,
            )
        )
    return found


def padded(book: Book, names: int) -> Book:
    """The book with steps made by rule, from trades that no catalogue is of, until there are so many."""
    made = product(_ACTS, _THINGS, _PLACES)
    more = (
        Action(f"padding_{number}", f"{act} {thing} {place}", f"Done for {thing} {place} by whoever is on duty there.")
        for number, (act, thing, place) in enumerate(islice(made, max(0, names - len(book.actions))))
    )
    return Book.of((*book.actions.values(), *more), (), book.tables.values(), book.triggers.values())


def _with_padding(files: Sequence[Path], names: int) -> None:
    print(_row("", "steps", "Recall@15", "median ms"), _rule(3), sep="\n")
    encode = _kept(open_embedder("", LEARNED).embed_passages)
    for file in files:
        for each in (0, names):
            for _ in range(2):  # the first time for the vectors of the requests, which are kept
                found = suggested(PRODUCT, encode, file, each)
            took = median(one.milliseconds for one in found)
            print(_row(file.stem, f"{each:,}" if each else "its own", f"{_mean(found, 'steps'):.3f}", f"{took:.1f}"))


def _kept(encode: Encode) -> Encode:
    """The same, reading no text twice."""
    vectors: dict[str, np.ndarray] = {}

    def of(texts: Sequence[str]) -> np.ndarray:
        new = [text for text in dict.fromkeys(texts) if text not in vectors]
        vectors.update(zip(new, encode(new), strict=True))
        return np.stack([vectors[text] for text in texts])

    return of


def _share(wanted: set[str], seen: set[str]) -> float | None:
    return len(wanted & seen) / len(wanted) if wanted else None


def _mean(found: Sequence[Found], name: str) -> float:
    shares = [share for one in found if (share := getattr(one, name)) is not None]
    return fmean(shares) if shares else 1.0


def _row(*cells: str) -> str:
    return f"| {' | '.join(cells)} |"


def _rule(columns: int) -> str:
    return f"|{'---|' * (columns + 1)}"


if __name__ == "__main__":
    main()
