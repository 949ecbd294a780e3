"""An ingest killed at each of its steps, and at some moments between: the home ends as one that nobody disturbed.

KILLS_SEED=n chooses other moments, and -s shows which they were.
"""

import csv
import io
import json
import os
import random
import sys
from dataclasses import replace
from datetime import datetime
from pathlib import Path
from shutil import copytree
from typing import Any

import docx
import numpy as np
import pytest

from store import collection
from store.embedded import Embedded
from store.records import Records
from store.vectors import Vectors
from tests.trag.ingest.killing import Standing, Worker, ingest_folder

SEED = int(os.environ.get("KILLS_SEED", "7"))
SEAMS = [
    ("index.read",),
    ("Standing.embed_passages",),
    ("Standing.embed_passages", "files.keep"),
    ("Library.put",),
    ("Vectors.put",),
    ("Library.put_pairs",),
    ("Vectors.add",),
    ("Vectors.remove",),
    ("index.sweep",),
]
"""What an ingest has told, step by step, when it is killed."""
RANDOM = 3
ROOMS = ("archive", "boathouse", "cellar", "drawing office", "engine room", "forge")


def write(folder: Path, fee: int, *suffixes: str) -> None:
    """An edition of a document of each of some formats, with other fees and the same keys; and pairs for two."""
    folder.mkdir(exist_ok=True)
    for suffix in suffixes:
        path = folder / f"book{suffix}"
        sections = [
            (f"{at} The {room}", f"The {suffix} key to the {room} costs {fee + at if at % 2 else 7} EUR.")
            for at, room in enumerate(ROOMS, 1)
        ]
        if suffix == ".docx":
            document = docx.Document()
            for heading, text in sections:
                document.add_heading(heading, 1)
                document.add_paragraph(text)
            document.save(path)
        elif suffix == ".csv":
            table = io.StringIO()
            csv.writer(table).writerows([("Place", "Key", "Book"), *((*section, suffix) for section in sections)])
            path.write_text(table.getvalue())
        else:
            path.write_text("\n\n".join(f"## {heading}\n\n{text}" for heading, text in sections))
    for name in ("book.md", "book.docx"):
        told = {"document": name, "section": "2 The boathouse", "type": "short answer", "answer": f"{fee} EUR."}
        lines = [json.dumps(told | {"question": f"What does room {number} cost?"}) for number in range(4)]
        (folder / f"{Path(name).suffix[1:]}.jsonl").write_text("\n".join(lines))


def found(home: Path) -> dict[str, Any]:
    """All that a home holds but for the moments at which it was put there."""
    records = Records(f"sqlite:///{home / 'trag.db'}")
    index = Vectors(home / "chroma", embedder=Standing.identity, dimension=Standing.dimension)
    own, tried = collection.probe(index._index.collection, index.count())  # type: ignore[union-attr]
    assert tried == index.count()
    assert own >= 0.99 * tried  # a graph from which much was taken may lose its way to one, in homes without kills too
    index.close()
    chroma = Embedded(home / "chroma", embedder=Standing.identity, dimension=Standing.dimension)
    indexed = {
        passage.id: (passage, audience, vector)
        for passages, audiences, vectors in collection.read(chroma.open())
        for passage, audience, vector in zip(passages, audiences, vectors, strict=True)
    }
    chroma.close()
    documents = [replace(each, added=datetime.min) for each in records.library.documents()]
    recorded = {passage.id: passage for passage in records.library.passages()}
    held = {
        "documents": documents,
        "pairs": records.library.pairs(),
        "recorded": recorded,
        "indexed": {id: rest for id, (*rest, _) in indexed.items()},
        "originals": {path.name: path.read_bytes() for path in (home / "documents").iterdir()},
        "folders": sorted(path.name for path in home.iterdir() if path.name != "cache"),
        "vectors": np.array([indexed[id][2] for id in sorted(indexed)]),
    }
    records.close()
    assert len([path for path in (home / "chroma").iterdir() if path.is_dir()]) == 1
    assert not list(home.rglob("*.unfinished"))
    assert set(held["originals"]) == {f"{each.sha256}{Path(each.name).suffix}" for each in documents}
    assert {id: passage for id, (passage, *_) in indexed.items()} == recorded
    return held


@pytest.mark.slow
@pytest.mark.timeout(600)
def test_kills_at_random_moments_end_in_the_same_home_as_an_undisturbed_ingest(tmp_path: Path) -> None:
    calm, stepped, disturbed, folder = (tmp_path / name for name in ("calm", "stepped", "disturbed", "documents"))
    write(folder, 40, ".md", ".docx")
    assert ingest_folder(calm, str(folder)) == ["indexed"] * 4
    copytree(calm, stepped)
    copytree(calm, disturbed)
    write(folder, 55, ".md", ".docx", ".txt", ".csv")  # new editions of those two, and two that there were not yet
    assert sorted(ingest_folder(calm, str(folder))) == ["indexed"] * 2 + ["replaced"] * 4
    chance = random.Random(SEED)
    with Worker(ingest_folder) as worker:
        kills = [worker.run(disturbed, folder, wait=chance.uniform(0, 3)) for _ in range(RANDOM)]
        for seam in SEAMS:
            kills.append(worker.run(stepped, folder, *seam, wait=0))
            assert seam[-1] in kills[-1]
            assert kills[-1][-1] != "end", seam
        for home in (disturbed, stepped):
            assert worker.run(home, folder)[-1] == "end"
    theirs = found(calm)
    for home in (disturbed, stepped):
        ours = found(home)
        np.testing.assert_allclose(ours["vectors"], theirs["vectors"], atol=1e-6, err_msg=str(kills))
        for what in theirs.keys() - {"vectors"}:
            assert ours[what] == theirs[what], (what, kills)
        assert ingest_folder(home, str(folder)) == ["unchanged"] * 6
    sys.stdout.write(f"\n{'; '.join(' '.join(kill[-1:]) or 'opening' for kill in kills)}\n")
