"""How well the passages that ingest makes of PDFs are found on their pages."""

from __future__ import annotations

import io
from collections import Counter
from collections.abc import Callable
from functools import cache
from pathlib import Path

import pytest

from tests.trag.ingest.made import changed
from trag.ingest.passages import section_passages, sections
from trag.ingest.reading import read
from trag.sandbox import Limits
from trag.view.__main__ import boxes
from trag.view.locate import find, joined, words
from trag.view.picture import Picture, picture

SAMPLE = Path(__file__).parents[3] / "examples/larkmoor"
MANUAL = SAMPLE / "exports/larkmoor-governance-manual.pdf"
PART = SAMPLE / "documents/part-1-foundations.md"


def in_columns(turn: int) -> bytes:
    """The first part of the sample in two narrow columns of justified text, with a table, on pages that are turned."""
    from reportlab.lib.styles import ParagraphStyle, getSampleStyleSheet
    from reportlab.platypus import BaseDocTemplate, Frame, PageTemplate, Paragraph, Table

    styles = getSampleStyleSheet()
    body = ParagraphStyle("body", styles["BodyText"], alignment=4, fontSize=9)
    story: list[object] = []
    for line in PART.read_text().split("\n"):
        if line.startswith("#"):
            story.append(Paragraph(line.lstrip("# "), styles["Heading2"]))
        elif line and line[0].isalpha():
            story.append(Paragraph(line.replace("&", "&amp;"), body))
    rows = [["Post", "Limit", "Remark"], *([f"Clerk {at}", f"{at * 10},000 LMD", "alone"] for at in range(1, 9))]
    story[6:6] = [Table(rows, colWidths=[60, 80, 60])]
    file = io.BytesIO()
    frames = [Frame(x, 60, 230, 720) for x in (55, 305)]
    BaseDocTemplate(file, pageTemplates=[PageTemplate(frames=frames)]).build(story)
    return changed(file.getvalue(), lambda writer: [page.rotate(turn) for page in writer.pages])


@pytest.mark.slow
@pytest.mark.parametrize(
    "make",
    [
        pytest.param(MANUAL.read_bytes, id="the manual"),
        pytest.param(lambda: in_columns(0), id="two columns"),
        pytest.param(lambda: in_columns(90), id="two columns on turned pages"),
    ],
)
def test_passages_stand_in_their_boxes_and_little_else_does(make: Callable[[], bytes]) -> None:
    content = make()

    @cache
    def drawn(number: int) -> Picture:
        return picture(content, len(content), number, 100, {})

    def boxed(passage: str, number: int) -> Counter[str]:
        """The words whose middle is in a box, also on the next page where the passage goes on."""
        shown = drawn(number)
        found = find(shown.text, passage, before=shown.before, after=shown.after)
        around = boxes(shown, [found.words[at] for at in found.passage])
        inside: Counter[str] = Counter()
        for word in found.words:
            places = [place for place in shown.places[word.start : word.end] if place]
            middle = places[len(places) // 2]
            x, y = (middle.left + middle.right) / 2, (middle.top + middle.bottom) / 2
            inside[word.text] += any(box.left <= x <= box.right and box.top <= y <= box.bottom for box in around)
        return +inside + (boxed(passage, number + 1) if found.after else Counter())

    passages = section_passages("m", sections(read(content, "m.pdf", Limits()).blocks, "m"))
    total: Counter[str] = Counter()
    for passage in passages:
        assert passage.page is not None
        inside = boxed(passage.text, passage.page)
        wanted = Counter(word.text for word in joined(words(passage.text), set(inside)))
        total["wanted"] += wanted.total()
        total["found"] += sum(count for word, count in wanted.items() if word in inside)
        total["boxed"] += inside.total()
        total["other"] += (inside - wanted).total()
        assert inside, f"page {passage.page}: {passage.text}"
    assert len(passages) > 10
    assert total["found"] >= 0.99 * total["wanted"], total
    assert total["other"] <= 0.01 * total["boxed"], total
