"""python -m bench.documents: a PDF of 1,000 pages, read as an ingest does it; the whole ingest of it; what they cost.

Beside the reading, in the same run, what one writes by hand: pypdf's own extract_text, page by page, which knows no
heading and no table. The whole ingest, once, is that of a new home, to which the file is uploaded: read, embedded,
recorded, indexed. Each runs in a process of its own; seconds of computing, and the most memory that
the process and its children, such as the one that parses, hold at the same time.
"""

from __future__ import annotations

import io
import random
import resource
import subprocess
import sys
import tempfile
import time
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path
from statistics import median

import psutil

PAGES = 1_000
TURNS = 3
BAR = 1_536
"""MiB that an ingest may take in all."""
PACE = 0.02
"""Seconds between two looks at the memory of a job."""


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
    from trag.ingest.passages import sections
    from trag.ingest.reading import read
    from trag.sandbox import Limits

    reading = read(file.read_bytes(), file.name, Limits())
    found = sections(reading.blocks, "manual")
    assert reading.pages == PAGES, reading.pages
    assert len({section.path for section in found}) == PAGES, len(found)
    assert sum(section.text.count("Limit: ") for section in found) == 8 * PAGES


def whole(file: Path) -> None:
    """Ingest it into a new home."""
    from trag.home import open_home
    from trag.settings import Settings

    with tempfile.TemporaryDirectory() as folder, open_home(Settings(home=Path(folder))) as home:
        (result,) = home.ingest([file], replace=False, progress=lambda step, done, total: None)
        assert (result.outcome, result.pages) == ("indexed", PAGES), result
        assert result.passages >= PAGES, result
        assert home.vectors.count("section") == result.passages, result
        print(result, file=sys.stderr)


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
    with subprocess.Popen(command, stdout=subprocess.PIPE, text=True) as process:
        most = 0
        while process.poll() is None:
            most = max(most, held(psutil.Process(process.pid)))
            time.sleep(PACE)
        assert process.stdout
        assert process.returncode == 0, f"{job} failed"
        return Cost(float(process.stdout.read()), most / 2**20)


def held(process: psutil.Process) -> int:
    """Bytes that a process and its children hold now."""
    total = 0
    with suppress(psutil.NoSuchProcess):
        for each in (process, *process.children(recursive=True)):
            with suppress(psutil.NoSuchProcess):
                total += each.memory_info().rss
    return total


def main() -> None:
    """Print the figures of each, and the ratio of the first two."""
    if len(sys.argv) == 3:
        {"ours": ours, "plain": plain, "whole": whole}[sys.argv[1]](Path(sys.argv[2]))
        usage = [resource.getrusage(who) for who in (resource.RUSAGE_SELF, resource.RUSAGE_CHILDREN)]
        print(sum(each.ru_utime + each.ru_stime for each in usage))
        return
    with tempfile.TemporaryDirectory() as name:
        file = Path(name) / "manual.pdf"
        file.write_bytes(document(PAGES))
        both = [(measured("ours", file), measured("plain", file)) for _ in range(TURNS)]
        ingest = measured("whole", file)
        mib = file.stat().st_size / 2**20
    ratio = median(one.seconds / other.seconds for one, other in both)
    named = (
        ("read to sections", "pypdf's extract_text alone", "the whole ingest"),
        (*zip(*both, strict=True), (ingest,)),
    )
    for what, costs in zip(*named, strict=True):
        seconds, most = median(each.seconds for each in costs), max(each.mib for each in costs)
        print(f"{PAGES:,} pages ({mib:.1f} MiB), {what}: {seconds:.1f} s of computing, {most:.0f} MiB in all")
    print(f"read: ratio of seconds, median of {TURNS} turns: {ratio:.2f}x; bar of memory: {BAR:,} MiB")


if __name__ == "__main__":
    main()
