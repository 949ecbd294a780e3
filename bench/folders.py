"""python -m bench.folders [FILES] [CHANGED]: how long a run over a folder takes in which little changed.

A home that has mirrored a folder of FILES short Markdown files (10,000) is made at once, with vectors that stand for
nothing, for the first run is not what is measured. Then CHANGED of the files (50) get other words, and the run that
follows is timed as `folders run` does it: the sandbox that reads each changed file, the encoder that embeds it, records
and index. Beside it a run in which nothing changed.
"""

import hashlib
import os
import random
import sys
import tempfile
import time
from pathlib import Path

os.environ.setdefault("HF_HUB_OFFLINE", "1")

import numpy as np
from sqlalchemy import Table, create_engine, insert

from store import schema
from store.folders import Folder, FolderFile
from store.passage import OPEN, Passage
from store.records import Records
from store.vectors import Vectors
from trag.embed import open_embedder
from trag.folders.listing import Local
from trag.folders.mirroring import mirror
from trag.home import Home, open_home
from trag.ingest.passages import section_passages, sections
from trag.ingest.reading import Block
from trag.progress import silent
from trag.settings import Settings

WORDS = [f"word{number}" for number in range(5_000)]


def main() -> None:
    """Measure and print."""
    count = int(sys.argv[1]) if len(sys.argv) > 1 else 10_000
    changed = int(sys.argv[2]) if len(sys.argv) > 2 else 50
    chance = random.Random(0)
    with tempfile.TemporaryDirectory() as place:
        share, settings = Path(place) / "share", Settings(home=Path(place) / "home")
        for number in range(count):
            write(share, number, chance)
        folder = made(share, settings)
        for number in chance.sample(range(count), changed):
            write(share, number, chance)
        with open_home(settings) as home:
            home.stock.embedder.embed_passages(["to load what is loaded once"])
            print(f"{count:,} files, {home.vectors.count():,} passages", flush=True)
            tell(f"{changed} changed", home, folder)
            tell("nothing changed", home, folder)


def write(share: Path, number: int, chance: random.Random) -> None:
    """A file of a folder of a hundred, written a minute ago."""
    file = share / f"{number // 100:03}" / f"{number}.md"
    file.parent.mkdir(parents=True, exist_ok=True)
    file.write_text(f"# Rule {number}\n\n{' '.join(chance.choices(WORDS, k=60))}.\n")
    moment = time.time() - 60 - chance.random()
    os.utime(file, (moment, moment))


def made(share: Path, settings: Settings) -> Folder:
    """The home as it is after a first run over a folder."""
    settings.home.mkdir()
    records = Records(settings.database)
    folder = records.folders.add(Folder("share", str(share), OPEN), by="bench")
    documents, rows, passages, files = [], [], list[Passage](), []
    for found in Local(share).listing().files:
        content = (share / found.path).read_bytes()
        sha256 = hashlib.sha256(content).hexdigest()
        title, _, words = content.decode().strip().partition("\n\n")
        blocks = Block("heading", title.removeprefix("# "), 1), Block("paragraph", words)
        some = section_passages(found.path, sections(blocks, Path(found.path).stem))
        documents.append({"name": found.path, "sha256": sha256, "added": folder.added})
        fields = ("id", "document", "kind", "section", "page", "text")
        rows += [{"position": at} | {name: getattr(each, name) for name in fields} for at, each in enumerate(some)]
        passages += some
        files.append(FolderFile(found.path, found.stamp, found.size, sha256, found.path, OPEN))
    engine = create_engine(settings.database)
    with engine.begin() as connection:
        tables: tuple[tuple[Table, list[dict[str, object]]], ...] = (
            (schema.documents, documents),
            (schema.passages, rows),
        )
        for table, each in tables:
            connection.execute(insert(table), each)
    engine.dispose()
    records.folders.put_files(folder.id, files)
    records.close()
    encoder = open_embedder("")
    random_vectors = np.random.default_rng(0).normal(size=(len(passages), encoder.dimension)).astype(np.float32)
    random_vectors /= np.linalg.norm(random_vectors, axis=1, keepdims=True)
    place = settings.home / "chroma"
    index = Vectors(place, embedder=encoder.identity, dimension=encoder.dimension)
    index.rebuild(passages, random_vectors)
    index.close()
    return folder


def processor() -> float:
    """Seconds of the processor that this process and its children took."""
    times = os.times()
    return times.user + times.system + times.children_user + times.children_system


def tell(what: str, home: Home, folder: Folder) -> None:
    """Run, and say in one line how long it took by the clock, and of the processor."""
    run, begun, worked = home.records.folders.begin(folder.id, "bench"), time.monotonic(), processor()
    ended = mirror(folder, home.stock, run, silent)
    seconds, worked = time.monotonic() - begun, processor() - worked
    counts = f"{ended.new:,} new, {ended.changed:,} changed, {ended.same:,} the same"
    print(f"{what}: {seconds:.1f} s ({worked:.1f} s of processor), {ended.state}: {counts}", flush=True)


if __name__ == "__main__":
    main()
