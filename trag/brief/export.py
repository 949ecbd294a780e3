"""A briefing as a Word document: paragraphs under their headings, sources as a numbered list, and what is open."""

from __future__ import annotations

from io import BytesIO

import docx

from trag.brief.record import BriefRecord


def word_document(record: BriefRecord, organization: str) -> bytes:
    """The bytes of a .docx. Its properties name the organization and nobody."""
    made = docx.Document()
    properties = made.core_properties
    properties.author, properties.title, properties.comments = organization, record.subject, ""
    number = {one.id: place for place, one in enumerate(record.sources, 1)}
    made.add_heading(record.subject, 0)
    if record.interrupted:
        made.add_paragraph(f"({record.interrupted})")
    for part in record.parts:
        if part.title:
            made.add_heading(part.title, 1)
        paragraph = made.add_paragraph()
        for one in part.sentences:
            paragraph.add_run(f"{one.text} ")
            paragraph.add_run(f"[{number[one.source]}] ").font.superscript = True
    if record.open:
        made.add_heading("What the documents do not say", 1)
        for question in record.open:
            made.add_paragraph(question.text, style="List Bullet")
    if record.sources:
        made.add_heading("Sources", 1)
    for source in record.sources:
        where = f"{source.document}, {source.section}" if source.section else source.document
        page = f", page {source.page}" if source.page else ""
        made.add_paragraph(f"[{number[source.id]}] {where}{page}")
    written = BytesIO()
    made.save(written)
    return written.getvalue()
