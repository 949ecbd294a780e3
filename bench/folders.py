"""python -m bench.folders [FILES] [CHANGED]: how long a run over a folder takes in which little changed.

A folder of FILES short Markdown files (10,000) is mirrored once, with a parser and vectors that cost nothing, for that
is not what is measured. Then CHANGED of them (50) get other words, and the run that follows is timed as `folders run`
does it: with the sandbox that reads each changed file and the encoder that embeds it; and once more a run in which
nothing changed.
"""

import os
import random
import sys
import tempfile
import time
from pathlib import Path
from unittest import mock

os.environ.setdefault("HF_HUB_OFFLINE", "1")

import numpy as np

from store.folders import Folder, FolderRun
from store.passage import OPEN
from trag.folders.mirroring import mirror
from trag.home import Home, open_home
from trag.ingest.parse import parse
from trag.progress import silent
from trag.settings import Settings

WORDS = [f"word{number}" for number in range(5_000)]


def main() -> None:
    """Measure and print."""
    count = int(sys.argv[1]) if len(sys.argv) > 1 else 10_000
    changed = int(sys.argv[2]) if len(sys.argv) > 2 else 50
    chance = random.Random(0)
    with tempfile.TemporaryDirectory() as place, open_home(Settings(home=Path(place) / "home")) as home:
        share = Path(place) / "share"
        for number in range(count):
            write(share, number, chance)
        folder = home.records.folders.add(Folder("share", str(share), OPEN), by="bench")
        dimension = home.embedder.dimension

        def embedded(texts: list[str], _: object = None) -> np.ndarray:
            found = np.random.default_rng(0).normal(size=(len(texts), dimension)).astype(np.float32)
            return found / np.linalg.norm(found, axis=1, keepdims=True)

        _ = home.stock
        with (
            mock.patch("trag.ingest.index.read", lambda content, name, *_: parse(content, Path(name).suffix)),
            mock.patch.object(home.embedder, "embed_passages", embedded),
        ):
            tell("the first run", *run(home, folder))
        for number in chance.sample(range(count), changed):
            write(share, number, chance)
        home.embedder.embed_passages(["to load what is loaded once"])
        tell(f"{changed} of {count:,} changed", *run(home, folder))
        tell("nothing changed", *run(home, folder))


def write(share: Path, number: int, chance: random.Random) -> None:
    """A file of a folder of a hundred, written a minute ago."""
    file = share / f"{number // 100:03}" / f"{number}.md"
    file.parent.mkdir(parents=True, exist_ok=True)
    file.write_text(f"# Rule {number}\n\n{' '.join(chance.choices(WORDS, k=60))}.\n")
    moment = time.time() - 60 - chance.random()
    os.utime(file, (moment, moment))


def run(home: Home, folder: Folder) -> tuple[float, float, FolderRun]:
    """Seconds by the clock, and of this process's own work."""
    begun, worked = time.monotonic(), time.process_time()
    ended = mirror(folder, home.stock, home.records.folders.begin(folder.id, "bench"), silent)
    return time.monotonic() - begun, time.process_time() - worked, ended


def tell(what: str, seconds: float, worked: float, ended: FolderRun) -> None:
    """One line."""
    counts = f"{ended.new:,} new, {ended.changed:,} changed, {ended.same:,} the same"
    print(f"{what}: {seconds:.1f} s ({worked:.1f} s of this process), {ended.state}: {counts}", flush=True)


if __name__ == "__main__":
    main()
