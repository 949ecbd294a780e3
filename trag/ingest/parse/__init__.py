"""Where untrusted bytes are read: one file a format, run only in the child process that `trag.ingest.reader` starts.

Everything here may hang, swell or die on a hostile file; the parent holds the limits. Each parser takes the bytes and
gives a Reading; a file that a person can put right is a TragError whose message does not name it, because the child
is not told its name.
"""

from __future__ import annotations

from dataclasses import replace

from trag.errors import TragError
from trag.ingest.blocks import Block, Reading
from trag.ingest.parse.captions import with_captions
from trag.ingest.parse.characters import clean, count_deceptive
from trag.ingest.parse.recognise import recognise

_LONGEST_NOTE = 1_000


def parse(content: bytes, suffix: str) -> Reading:
    """The blocks of a file of which only the bytes and the suffix (".pdf") are known.

    Raises TragError for a file that is empty, damaged, encrypted, not what its suffix says, or without any text.
    """
    kind = recognise(content, suffix)
    # A parser is imported only when its format is there: they are slow to load and none needs another.
    match kind:
        case "pdf":
            from trag.ingest.parse import pdf

            reading = pdf.parse(content)
        case "docx":
            from trag.ingest.parse import docx

            reading = docx.parse(content)
        case "pptx":
            from trag.ingest.parse import pptx

            reading = pptx.parse(content)
        case "xlsx":
            from trag.ingest.parse import xlsx

            reading = xlsx.parse(content)
        case "csv":
            from trag.ingest.parse import csv

            reading = csv.parse(content)
        case "html":
            from trag.ingest.parse import html

            reading = html.parse(content)
        case "markdown":
            from trag.ingest.parse import markdown

            reading = markdown.parse(content)
        case _:
            from trag.ingest.parse import text

            reading = text.parse(content)
    deceptive = sum(count_deceptive(block.text) + sum(map(count_deceptive, _cells(block))) for block in reading.blocks)
    cleaned = map(_cleaned, reading.blocks)
    blocks = with_captions([block for block in cleaned if block.text or any(_cells(block))])
    if not blocks:
        raise TragError(
            "holds no text.", " ".join(reading.notes) or "Check that it is the right file, and not a picture of one."
        )
    notes = (*reading.notes, f"{deceptive} invisible characters left out") if deceptive else reading.notes
    # Names of sheets stand in notes: they are as much a stranger's as the rest.
    return replace(
        reading, blocks=blocks, notes=tuple(clean(note).replace("\n", " ")[:_LONGEST_NOTE] for note in notes)
    )


def _cells(block: Block) -> list[str]:
    return [cell for row in block.rows for cell in row]


def _cleaned(block: Block) -> Block:
    rows = tuple(tuple(clean(cell) for cell in row) for row in block.rows)
    return replace(block, text=clean(block.text), rows=rows)
