"""`python -m trag ingest` of every format, killed again and again: the home ends as one that nobody disturbed.

KILLS_SEED=n chooses other moments, and -s shows which they were.
"""

import csv
import io
import json
import os
import pty
import random
import re
import select
import subprocess
import sys
import termios
import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from getpass import getuser
from pathlib import Path
from shutil import copytree
from typing import Any

import docx
import numpy as np
import openpyxl
import pptx
import pytest

from store import collection
from store.embedded import Embedded
from store.library import Document, Pair
from store.passage import Passage
from store.records import Records
from store.vectors import Vectors
from trag.embed import Embedder
from trag.home import open_home
from trag.ingest.parse.formats import FORMATS
from trag.settings import Settings

ROOT = Path(__file__).parents[3]
SEED = int(os.environ.get("KILLS_SEED", "7"))
KILLS = 10
OPENINGS = 3
"""Those while it opens the home."""
OPENING = (-1, 0)
STEPS = ("reading", "embedding")
ROOMS = ("archive", "boathouse", "cellar", "drawing office", "engine room", "forge")
HEADER = ("Post", "Limit", "Remark")


def texts(book: str, fee: int) -> list[tuple[str, str]]:
    """Headings, and what stands under them; the fees differ from edition to edition, the keys do not."""
    return [
        (
            f"{number} The {room}",
            f"The {book} keeper shall lock the {room} before {number + 15}:00. "
            + (f"The fee for the {room} is {fee + number} EUR a year." if number % 2 else "Nobody pays a fee for it."),
        )
        for number, room in enumerate(ROOMS, 1)
    ]


def rows(book: str, fee: int) -> list[tuple[str, str, str]]:
    return [HEADER, *((f"Keeper of the {room}", f"{fee + 10 * len(room)} EUR", book) for room in ROOMS)]


def markdown(book: str, fee: int) -> bytes:
    return "\n\n".join([f"# {book}", *(f"## {heading}\n\n{text}" for heading, text in texts(book, fee))]).encode()


def html(book: str, fee: int) -> bytes:
    body = "".join(f"<h2>{heading}</h2><p>{text}</p>" for heading, text in texts(book, fee))
    cells = "".join(f"<tr>{''.join(f'<td>{cell}</td>' for cell in row)}</tr>" for row in rows(book, fee))
    return f"<html><body><h1>{book}</h1>{body}<table>{cells}</table></body></html>".encode()


def word(book: str, fee: int) -> bytes:
    document = docx.Document()
    for heading, text in texts(book, fee):
        document.add_heading(heading, 1)
        document.add_paragraph(text)
    table = document.add_table(rows=0, cols=len(HEADER))
    for row in rows(book, fee):
        for cell, words in zip(table.add_row().cells, row, strict=True):
            cell.text = words
    return saved(document.save)


def slides(book: str, fee: int) -> bytes:
    presentation = pptx.Presentation()
    for heading, text in texts(book, fee):
        slide = presentation.slides.add_slide(presentation.slide_layouts[1])
        slide.shapes.title.text, slide.placeholders[1].text = heading, text
    return saved(presentation.save)


def workbook(book: str, fee: int) -> bytes:
    file = openpyxl.Workbook()
    for row in rows(book, fee):
        file.active.append(row)
    return saved(file.save)


def table(book: str, fee: int, delimiter: str = ",") -> bytes:
    file = io.StringIO()
    csv.writer(file, delimiter=delimiter).writerows(rows(book, fee))
    return file.getvalue().encode()


def saved(save: Callable[[Any], Any]) -> bytes:
    file = io.BytesIO()
    save(file)
    return file.getvalue()


@pytest.fixture
def write(tmp_path: Path, pdf: Callable[..., bytes]) -> Callable[[int, Sequence[str]], Path]:
    """Writes an edition of a document of each of some formats, and pairs for two of them; the folder they are in."""

    def manual(book: str, fee: int) -> bytes:
        parts = [[("Heading2", heading), ("BodyText", text)] for heading, text in texts(book, fee)]
        table = [list(row) for row in rows(book, fee)]
        return pdf([*parts[0], *parts[1], *parts[2]], [*parts[3], *parts[4], *parts[5], table], running=True)

    makers: dict[str, Callable[[str, int], bytes]] = {
        "pdf": manual,
        "docx": word,
        "pptx": slides,
        "xlsx": workbook,
        "html": html,
        "markdown": markdown,
        "text": lambda book, fee: markdown(book, fee).replace(b"#", b""),
        "csv": table,
    }

    def write(fee: int, suffixes: Sequence[str]) -> Path:
        folder = tmp_path / "documents"
        folder.mkdir(exist_ok=True)
        for suffix in suffixes:
            book = f"{suffix[1:].capitalize()} book"
            separated = {"delimiter": "\t"} if suffix == ".tsv" else {}
            (folder / f"book{suffix}").write_bytes(makers[FORMATS[suffix]](book, fee, **separated))
        for name in ("book.md", "book.docx"):
            section = texts(name, fee)[1][0]
            told = {"document": name, "section": section, "type": "short answer", "answer": f"It costs {fee} EUR."}
            lines = [json.dumps(told | {"question": f"What does room {number} cost?"}) for number in range(4)]
            (folder / f"{Path(name).suffix[1:]}.jsonl").write_text("\n".join(lines))
        return folder

    return write


@dataclass(frozen=True, slots=True)
class Found:
    """All that a home holds but for the moments at which it was put there; vectors (n, d) in the order of their ids."""

    documents: tuple[tuple[str, str, int | None, int, int, int, tuple[str, ...]], ...]
    pairs: tuple[Pair, ...]
    recorded: dict[str, Passage]
    indexed: dict[str, tuple[Passage, frozenset[str] | None]]
    originals: dict[str, bytes]
    folders: tuple[str, ...]
    vectors: np.ndarray


def found(home: Path, embedder: Embedder) -> Found:
    records = Records(f"sqlite:///{home / 'trag.db'}")
    index = Vectors(home / "chroma", embedder=embedder.identity, dimension=embedder.dimension)
    own, tried = collection.probe(index._index.collection, index.count())  # type: ignore[union-attr]
    assert tried == index.count()
    assert own >= 0.99 * tried  # a graph from which much was taken may lose its way to one, in homes without kills too
    index.close()
    chroma = Embedded(home / "chroma", embedder=embedder.identity, dimension=embedder.dimension)
    read = list(collection.read(chroma.open()))
    chroma.close()
    held = [row for passages, audiences, vectors in read for row in zip(passages, audiences, vectors, strict=True)]
    held.sort(key=lambda row: row[0].id)

    def told(each: Document) -> tuple[str, str, int | None, int, int, int, tuple[str, ...]]:
        return each.name, each.sha256, each.pages, each.passages, each.pairs, each.reviews, each.notes

    result = Found(
        tuple(map(told, records.library.documents())),
        records.library.pairs(),
        {passage.id: passage for passage in records.library.passages()},
        {passage.id: (passage, audience) for passage, audience, _ in held},
        {path.name: path.read_bytes() for path in (home / "documents").iterdir()},
        tuple(sorted(path.name for path in home.iterdir())),
        np.array([vector for _, _, vector in held]),
    )
    records.close()
    generations = [path for path in (home / "chroma").iterdir() if path.is_dir()]
    assert len(generations) == 1
    assert not list(home.rglob("*.unfinished"))
    assert set(result.originals) == {f"{sha}{Path(name).suffix}" for name, sha, *_ in result.documents}
    assert {id: passage for id, (passage, _) in result.indexed.items()} == result.recorded
    return result


def start(home: Path, folder: Path) -> tuple[subprocess.Popen[bytes], int]:
    """`python -m trag ingest --replace FOLDER` at a terminal, and the end of that on which its progress is read."""
    ours, theirs = pty.openpty()
    termios.tcsetwinsize(ours, (24, 200))  # else a progress bar finds no room
    process = subprocess.Popen(
        [sys.executable, "-m", "trag", "ingest", "--replace", str(folder)],
        cwd=ROOT,
        env=os.environ | {"TRAG_HOME": str(home)},
        stdin=theirs,
        stdout=theirs,
        stderr=theirs,
    )
    os.close(theirs)
    return process, ours


def watch(terminal: int, enough: Callable[[str], bool], until: float) -> str:
    """What is shown at a terminal until it is enough, or that moment has come, or nothing will be shown any more."""
    shown = b""
    while not enough(shown.decode("utf-8", "replace")) and (left := until - time.monotonic()) > 0:
        if select.select([terminal], [], [], left)[0]:
            try:
                shown += os.read(terminal, 10_000)
            except OSError:  # Linux: the other end is closed
                break
    return shown.decode("utf-8", "replace")


def ingest(home: Path, folder: Path, embedder: Embedder) -> list[str]:
    """What becomes of each file in an ingest that nobody disturbs."""
    with open_home(Settings(home=home)) as opened:
        opened.__dict__["embedder"] = embedder
        results = opened.ingest([folder], replace=True, progress=lambda *_: None, by=f"{getuser()} (terminal)")
    return [result.outcome for result in results]


def come_to(shown: str, names: Sequence[str]) -> tuple[int, int]:
    """How far the progress bar says that an ingest has come: the place of a document among all, and the step."""
    told = re.findall(r"(reading|embedding) (pairs of )?([\w.]+):", shown)
    if not told:
        return -1, 0
    step, pairs, name = told[-1]
    return len(names) if pairs else names.index(name), STEPS.index(step)


def killed(home: Path, folder: Path, moment: tuple[int, int], chance: random.Random) -> str:
    """Where an ingest was that was killed a little after it had come to a moment; "" when it ended before."""
    names = sorted(path.name for path in folder.iterdir() if path.suffix in FORMATS)
    process, terminal = start(home, folder)
    shown = watch(terminal, lambda shown: come_to(shown, names) >= moment, time.monotonic() + 300)
    shown += watch(terminal, lambda _: False, time.monotonic() + chance.uniform(0, 5 if moment == OPENING else 0.4))
    ended = process.poll() is not None
    process.kill()
    process.wait()
    os.close(terminal)
    if ended:
        return ""
    place, step = come_to(shown, names)
    return "opening" if place < 0 else f"{STEPS[step]} {[*names, 'pairs'][place]}"


@pytest.mark.slow
@pytest.mark.timeout(1800)  # each start loads the encoder: 80 s in all where nothing else runs
def test_kills_at_random_moments_end_in_the_same_home_as_an_undisturbed_ingest(
    tmp_path: Path, write: Callable[[int, Sequence[str]], Path], embedder: Embedder
) -> None:
    calm, disturbed = tmp_path / "calm", tmp_path / "disturbed"
    folder = write(40, [".md", ".docx", ".pdf", ".csv"])
    assert ingest(calm, folder, embedder) == ["indexed"] * 6
    copytree(calm, disturbed)
    write(55, list(FORMATS))  # new editions of those four, and all that there was not yet
    assert sorted(ingest(calm, folder, embedder)) == ["indexed"] * 8 + ["replaced"] * 6
    chance = random.Random(SEED)
    moments = [(place, chance.randrange(len(STEPS))) for place in range(len(FORMATS))] + [(len(FORMATS), 0)]
    kills = []
    for moment in sorted(chance.sample(moments, k=KILLS - OPENINGS)):
        kills.append(killed(disturbed, folder, moment, chance))
        if len(kills) % 3 == 0:
            kills.append(killed(disturbed, folder, OPENING, chance))
    while len(list(filter(None, kills))) < KILLS:
        kills.append(killed(disturbed, folder, OPENING, chance))
    process, terminal = start(disturbed, folder)
    shown = watch(terminal, lambda _: False, time.monotonic() + 300)
    assert process.wait() == 0, shown
    os.close(terminal)
    ours, theirs = found(disturbed, embedder), found(calm, embedder)
    for field in ("documents", "pairs", "recorded", "indexed", "originals", "folders"):
        assert getattr(ours, field) == getattr(theirs, field), (field, kills)
    np.testing.assert_allclose(ours.vectors, theirs.vectors, atol=1e-6, err_msg=str(kills))
    assert ingest(disturbed, folder, embedder) == ["unchanged"] * (len(FORMATS) + 2)
    sys.stdout.write(f"\n{'; '.join(kills)}\n")
