"""python -m bench.documents: reading a PDF of 1,000 pages, as an ingest does it, and what it costs.

Beside it, in the same run, what one writes by hand: pypdf's own extract_text, page by page, which knows no heading and
no table. Each runs in a process of its own, by turns; seconds of computing, and peak memory with the child that parses.
"""

from __future__ import annotations

import io
import json
import random
import resource
import subprocess
import sys
import tempfile
from dataclasses import dataclass
from pathlib import Path
from statistics import median

PAGES = 1_000
TURNS = 3
BAR = 1_536
"""MiB that reading may take in all."""


def document(pages: int) -> bytes:
    """A deterministic manual: a heading, paragraphs, a list and a ruled table on each page, under running lines."""
    from reportlab.lib.styles import getSampleStyleSheet
    from reportlab.pdfgen.canvas import Canvas
    from reportlab.platypus import PageBreak, Paragraph, SimpleDocTemplate, Table

    chance = random.Random(1)
    words = (
        "the committee shall adopt a budget and report to its council on every fund that members hold in trust".split()
    )
    styles = getSampleStyleSheet()

    def running(canvas: Canvas, template: SimpleDocTemplate) -> None:
        canvas.drawString(72, 810, "Governance Manual, 3rd edition")
        canvas.drawString(72, 30, f"Page {template.page} of {pages}")

    story = []
    for number in range(1, pages + 1):
        story.append(Paragraph(f"{number} Duties of body {number}", styles["Heading2"]))
        for _ in range(4):
            text = " ".join(chance.choice(words) for _ in range(90)).capitalize()
            story.append(Paragraph(f"{text}.", styles["BodyText"]))
        rows = [[f"Post {number}.{row}", f"{chance.randrange(1, 99)},000 LMD", "yearly"] for row in range(1, 9)]
        story.append(Table([["Post", "Limit", "Review"], *rows], style=[("GRID", (0, 0), (-1, -1), 0.5, "black")]))
        story.append(PageBreak())
    file = io.BytesIO()
    SimpleDocTemplate(file, invariant=1).build(story, onFirstPage=running, onLaterPages=running)
    return file.getvalue()


def ours(file: Path) -> None:
    """Read it as an ingest does: in the limited child, to sections."""
    from trag.ingest.reader import Limits, read
    from trag.ingest.sections import sections

    reading = read(file.read_bytes(), file.name, Limits())
    found = sections(reading.blocks, "manual")
    assert reading.pages == PAGES, reading.pages
    assert len({section.path for section in found}) == PAGES, len(found)
    assert sum(section.text.count("Limit: ") for section in found) == 8 * PAGES


def plain(file: Path) -> None:
    """The text of each page by pypdf alone."""
    from pypdf import PdfReader

    assert all(page.extract_text() for page in PdfReader(file).pages)


@dataclass(frozen=True, slots=True)
class Cost:
    """Seconds of computing, which the load of the machine changes little, and MiB at the peak."""

    seconds: float
    mib: float


def measured(job: str, file: Path) -> Cost:
    """What one job in a new process costs."""
    command = [sys.executable, "-m", "bench.documents", job, str(file)]
    return Cost(**json.loads(subprocess.run(command, check=True, capture_output=True, text=True).stdout))


def main() -> None:
    """Print the figures of both, and their ratio."""
    if len(sys.argv) == 3:
        {"ours": ours, "plain": plain}[sys.argv[1]](Path(sys.argv[2]))
        # The parent and the child are there at the same time, so both count.
        usage = [resource.getrusage(who) for who in (resource.RUSAGE_SELF, resource.RUSAGE_CHILDREN)]
        seconds = sum(each.ru_utime + each.ru_stime for each in usage)
        print(json.dumps({"seconds": seconds, "mib": sum(each.ru_maxrss for each in usage) / 1024}))
        return
    with tempfile.TemporaryDirectory() as name:
        file = Path(name) / "manual.pdf"
        file.write_bytes(document(PAGES))
        both = [(measured("ours", file), measured("plain", file)) for _ in range(TURNS)]
        mib = file.stat().st_size / 2**20
    ratio = median(one.seconds / other.seconds for one, other in both)
    for what, costs in zip(("read to sections", "pypdf's extract_text alone"), zip(*both, strict=True), strict=True):
        seconds, most = median(each.seconds for each in costs), max(each.mib for each in costs)
        print(f"{PAGES:,} pages ({mib:.1f} MiB), {what}: {seconds:.1f} s of computing, {most:.0f} MiB in all")
    print(f"ratio of seconds, median of {TURNS} turns: {ratio:.2f}x; bar of memory: {BAR:,} MiB")


if __name__ == "__main__":
    main()
