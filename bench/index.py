"""python -m bench.index [COUNT] [--readers]: the search index beside what it is built on, as ratios in one run on this
machine.

Search at 100,000 passages of 10,000 documents, of which the asker may read half, beside Chroma's own plain query for
as many; and the indexing of some 2,000 texts by the code that `ingest` runs, beside the encoder alone. The passages of
the first are random unit vectors and random words, drawn as rarely as words of a language are. A question is asked both
ways in turn, so that whatever else the machine does slows both.

With --readers only what it costs to search for an asker: 200 audiences, one of a unit and all below for each document,
and one asker who holds the keys of their own place in the chart, one of half the audiences, and one of a single one,
each beside a search for who may read everything.
"""

import os
import sys
import tempfile
import time
from collections.abc import Callable
from functools import partial
from pathlib import Path

os.environ.setdefault("HF_HUB_OFFLINE", "1")

import numpy as np
import psutil

from store.passage import EVERYONE, Passage
from store.vectors import Vectors
from trag.embed import open_embedder
from trag.home import open_home
from trag.settings import Settings

SAMPLE = Path(__file__).parent.parent / "examples" / "larkmoor" / "documents"
COUNT = 100_000
DOCUMENTS = 10_000
UNITS = 20
AUDIENCES = 200
DEPTH = 5
DIMENSION = 384
FETCH = 20
QUESTIONS = 100
TEXTS = 2_000
FILES = 10

random = np.random.default_rng(0)
words = np.array([f"word{number}" for number in range(20_000)])
# The most frequent words are words of grammar, which are not indexed: the ranks begin after them.
rarity = 1 / (np.arange(len(words)) + 50)
rarity /= rarity.sum()


def main() -> None:
    """Measure and print."""
    given = [argument for argument in sys.argv[1:] if argument != "--readers"]
    count = int(given[0]) if given else COUNT
    with tempfile.TemporaryDirectory() as folder:
        if "--readers" in sys.argv:
            rows = permissions(Path(folder) / "chroma", count)
        else:
            rows = [*search(Path(folder) / "chroma", count), throughput(Path(folder))]
    print("| measure | here | bar |\n|---|---|---|")
    for row in rows:
        print(f"| {' | '.join(row)} |")


def search(folder: Path, count: int) -> list[tuple[str, str, str]]:
    """Search, opening and changing at `count` passages."""
    passages, audiences = corpus(count, UNITS)
    points = unit_vectors(count)
    started = time.monotonic()
    index = Vectors(folder, embedder="bench", dimension=DIMENSION)
    index.rebuild(passages, points, audiences=audiences)
    index.close()
    built = time.monotonic() - started
    before = psutil.Process().memory_info().rss
    started = time.monotonic()
    index = Vectors(folder, embedder="bench", dimension=DIMENSION)
    opened = time.monotonic() - started
    memory = psutil.Process().memory_info().rss - before
    assert index._index
    plain = index._index.collection
    half = [EVERYONE, *(f"unit{number}" for number in range(UNITS // 2 - 1))]
    ways: dict[str, Callable[[np.ndarray, str], object]] = {
        "chroma": lambda vector, question: plain.query(query_embeddings=vector, n_results=FETCH),
        "all": lambda vector, question: index.search(
            vector, question, kinds=["section"], k=3, fetch=FETCH, readers=None
        ),
        "half": lambda vector, question: index.search(vector, question, kinds=["section"], k=3, readers=half),
        "few": lambda vector, question: index.search(vector, question, kinds=["section"], k=3, readers=["unit3"]),
    }
    median = in_turn(ways)
    started = time.monotonic()
    document = passages[0].document
    own = sum(passage.document == document for passage in passages)
    index.put(document, passages[:own], points[:own], audience=audiences[document])
    index.search(points[0], text(6), kinds=["section"], k=3, readers=None)
    changed = time.monotonic() - started
    started = time.monotonic()
    index.set_audience(document, ["unit1"])
    audience = time.monotonic() - started
    index.close()
    read = {way: f"{median[way] / median['chroma']:.2f}x ({1000 * median[way]:.1f} ms)" for way in ways}
    return [
        (f"search of {count:,} passages, half readable / Chroma's plain query, median", read["half"], "1.3x"),
        ("the same, all readable", read["all"], "1.3x"),
        ("the same, one document in twenty readable", read["few"], "1.3x"),
        ("Chroma's plain query", f"{1000 * median['chroma']:.1f} ms", ""),
        ("opening it, ready for the first question", f"{opened:.1f} s", ""),
        ("memory that opening it takes, Chroma's included", f"{memory / 2**20:,.0f} MiB", ""),
        ("replacing a document and asking again", f"{1000 * changed:.0f} ms", ""),
        ("changing a document's audience", f"{1000 * audience:.0f} ms", ""),
        ("making it of vectors that are there", f"{built:.0f} s", ""),
    ]


def permissions(folder: Path, count: int) -> list[tuple[str, str, str]]:
    """What the filter by readers adds to a search at `count` passages with 200 audiences."""
    passages, audiences = corpus(count, AUDIENCES)
    index = Vectors(folder, embedder="bench", dimension=DIMENSION)
    index.rebuild(passages, unit_vectors(count), audiences=audiences)
    units = [f"unit{number}" for number in range(AUDIENCES - 1)]
    askers = {
        "who reads everything": None,
        "half the audiences": [EVERYONE, *units[: AUDIENCES // 2 - 1]],
        "everyone's, and those of a unit and the four above it": [EVERYONE, *units[:DEPTH]],
        "one audience of the 200": units[:1],
    }
    ways: dict[str, Callable[[np.ndarray, str], object]] = {
        asker: partial(index.search, kinds=["section"], k=3, readers=readers) for asker, readers in askers.items()
    }
    median = in_turn(ways)
    index.close()
    plain = median["who reads everything"]
    told = {asker: f"{100 * (taken / plain - 1):+.0f}% ({1000 * taken:.1f} ms)" for asker, taken in median.items()}
    return [
        (f"search of {count:,} passages, {AUDIENCES} audiences, {asker}, beside one without a filter", value, "+20%")
        for asker, value in told.items()
    ]


def in_turn(ways: dict[str, Callable[[np.ndarray, str], object]]) -> dict[str, float]:
    """The median seconds of each way to answer the same questions."""
    seconds: dict[str, list[float]] = {way: [] for way in ways}
    for number, vector in enumerate(unit_vectors(QUESTIONS)):
        question = text(6)
        turn = number % len(ways)  # whoever comes second finds what the first one left in the processor's caches
        for way, ask in [*ways.items()][turn:] + [*ways.items()][:turn]:
            started = time.perf_counter()
            ask(vector, question)
            seconds[way].append(time.perf_counter() - started)
    return {way: float(np.median(some[5:])) for way, some in seconds.items()}


def throughput(folder: Path) -> tuple[str, str, str]:
    """Texts a second of `ingest`, as a share of the bare encoder's, on the same texts."""
    spoken = [word for file in sorted(SAMPLE.glob("*.md")) for word in file.read_text(encoding="utf-8").split()]
    texts = [" ".join(random.choice(spoken, size=80)) for _ in range(TEXTS)]
    source = folder / "documents"
    source.mkdir()
    for number in range(FILES):
        sections = [f"## {number}.{place} Section\n\n{some}\n" for place, some in enumerate(texts[number::FILES])]
        (source / f"{number}.md").write_text("# Title\n\n" + "\n".join(sections), encoding="utf-8")
    ours = theirs = 0.0
    model = open_embedder("")._model
    with open_home(Settings(home=folder / "home")) as home:
        done = home.vectors.count()  # opened, with its model, before the clock starts
        for file in sorted(source.iterdir()):
            started = time.monotonic()
            results = home.ingest([file], replace=False, progress=lambda *step: None)
            ours += time.monotonic() - started
            assert not any(result.failed for result in results), results
            passages = home.records.library.passages(file.name)
            read = [f"{each.section}\n{each.text}" for each in passages]
            started = time.monotonic()
            model.encode(read, batch_size=32, normalize_embeddings=True, show_progress_bar=False)
            theirs += time.monotonic() - started
            done += len(read)
        assert done == home.vectors.count() >= TEXTS, home.vectors.count()
    told = f"{theirs / ours:.2f} ({done / ours:.0f} and {done / theirs:.0f} a second)"
    return (
        f"indexing {done:,} passages, file by file in turn, ingest / the encoder alone",
        told,
        "0.85",
    )


def corpus(count: int, audiences: int) -> tuple[list[Passage], dict[str, list[str]]]:
    """Passages of random words, and who may read each document: everyone or one of the units, as many documents each,
    in turn."""
    of_document = max(1, count // DOCUMENTS)
    passages = [
        Passage(f"{n:032x}", "section", f"document{n // of_document}.pdf", "4 Finance > 4.2 Limits", 1, text(70))
        for n in range(count)
    ]
    names = list(dict.fromkeys(passage.document for passage in passages))
    keys = [EVERYONE, *(f"unit{number}" for number in range(audiences - 1))]
    return passages, {name: [keys[place % audiences]] for place, name in enumerate(names)}


def text(length: int) -> str:
    """Random words."""
    return " ".join(words[random.choice(len(words), size=length, p=rarity)])


def unit_vectors(count: int) -> np.ndarray:
    """Random unit vectors, shape (count, DIMENSION)."""
    points = random.normal(size=(count, DIMENSION)).astype(np.float32)
    return points / np.linalg.norm(points, axis=1, keepdims=True)


if __name__ == "__main__":
    main()
