"""Real small files for the tests of ingest, made by other libraries than those that read them (but for Word)."""

from __future__ import annotations

import io
import shutil
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path
from typing import Any

import pytest

from store.passage import Passage
from store.records import Records
from trag.embed import Embedder, open_embedder
from trag.ingest import forgetting, index, reconciliation
from trag.ingest.context import IngestContext
from trag.ingest.discovery import Ingested
from trag.ingest.forgetting import Receipt


@pytest.fixture
def pdf() -> Callable[..., bytes]:
    """Makes a PDF of pages, each a list of (style, text) or of a table's rows; `running` draws header and footer."""
    from reportlab.lib.styles import getSampleStyleSheet
    from reportlab.pdfgen.canvas import Canvas
    from reportlab.platypus import Flowable, ListFlowable, ListItem, PageBreak, Paragraph, SimpleDocTemplate, Table

    styles = getSampleStyleSheet()

    def flowable(part: tuple[str, str] | list[list[str]]) -> Flowable:
        if isinstance(part, list):
            return Table([[Paragraph(cell, styles["BodyText"]) for cell in row] for row in part])
        style, text = part
        if style == "Bullet":
            return ListFlowable([ListItem(Paragraph(text, styles["BodyText"]))], bulletType="bullet")
        return Paragraph(text, styles[style])

    def make(*pages: Sequence[tuple[str, str] | list[list[str]]], running: bool = False) -> bytes:
        def draw(canvas: Canvas, document: SimpleDocTemplate) -> None:
            if running:
                canvas.setFont("Helvetica", 8)
                canvas.drawString(72, 30, f"Confidential, page {document.page} of {len(pages)}")
                canvas.drawString(72, 810, "Governance Manual, 3rd edition")

        story: list[Flowable] = []
        for page in pages:
            story += [*map(flowable, page), PageBreak()]
        file = io.BytesIO()
        SimpleDocTemplate(file).build(story, onFirstPage=draw, onLaterPages=draw)
        return file.getvalue()

    return make


@pytest.fixture
def manual(pdf: Callable[..., bytes]) -> bytes:
    """A PDF of three pages with running lines, headings of two levels, a table and a list."""
    return pdf(
        [
            ("Title", "Governance Manual"),
            ("BodyText", "This manual binds all bodies of the foundation. " * 3),
            ("Heading2", "4 Finance"),
            ("BodyText", "Money is spent as the budget says, and re-use of funds is allowed."),
            ("Heading3", "4.2 Approval limits"),
            [["Post", "Limit", "Remark"], ["Director", "50,000 LMD", "with the Treasurer"], ["Head", "10,000 LMD", ""]],
        ],
        [("BodyText", "The limits are reviewed every year by the committee, " * 60 + "in June.")],
        [
            ("Heading2", "5 Meetings"),
            ("BodyText", "Papers are sent:"),
            ("Bullet", "to members;"),
            ("Bullet", "to guests."),
        ],
        running=True,
    )


class Shelf:
    """A home's stores, and the real embedder."""

    def __init__(self, folder: Path, embedder: Embedder) -> None:
        self.folder, self.embedder = folder, embedder
        self.open()

    def open(self) -> None:
        """Opens the stores, as a new process would."""
        self.records = Records(f"sqlite:///{self.folder / 'trag.db'}")
        self.vectors = reconciliation.open_index(self.records, self.folder / "chroma", self.embedder)

    def close(self) -> None:
        self.vectors.close()
        self.records.close()

    @property
    def context(self) -> IngestContext:
        return IngestContext(self.records, self.vectors, self.embedder, self.folder)

    def ingest(self, *paths: Path, **options: Any) -> tuple[Ingested, ...]:
        return index.ingest(paths, self.context, **options)

    def forget(self, document: str) -> Receipt:
        return forgetting.forget(document, self.context)

    def texts(self, document: str | None = None) -> list[str]:
        return [passage.text for passage in self.records.library.passages(document)]

    def originals(self) -> list[str]:
        return sorted(path.read_text() for path in (self.folder / "documents").glob("*"))

    def in_line(self) -> bool:
        """Whether the index holds just what the records do."""
        recorded: dict[str, set[Passage]] = {}
        for passage in self.records.library.passages():
            recorded.setdefault(passage.document, set()).add(passage)
        return {name: held.passages for name, held in self.vectors.held().items()} == recorded

    def nearest(self, question: str) -> str:
        """The text of the passage that is found first."""
        (vector,) = self.embedder.embed_questions([question])
        found = self.vectors.search(vector, question, kinds=("qa", "section"), k=1, readers=None)
        return found[0].text if found else ""


@pytest.fixture(scope="session")
def embedder() -> Embedder:
    return open_embedder("")


@pytest.fixture
def open_shelf(empty_database: Path) -> Callable[[Path, Embedder], Shelf]:
    """Opens the stores in a folder, new ones where there is none."""

    def open_shelf(home: Path, embedder: Embedder) -> Shelf:
        if not home.exists():
            home.mkdir()
            shutil.copy(empty_database, home)
        return Shelf(home, embedder)

    return open_shelf


@pytest.fixture
def shelf(tmp_path: Path, open_shelf: Callable[[Path, Embedder], Shelf], embedder: Embedder) -> Iterator[Shelf]:
    shelf = open_shelf(tmp_path / "home", embedder)
    yield shelf
    shelf.close()
