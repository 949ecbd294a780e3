"""python -m trag brief: what the documents and the chart say of a unit or a topic, every sentence with its source."""

from __future__ import annotations

import argparse
import sys
from pathlib import Path

from trag.settings import Settings


def add(jobs: argparse._SubParsersAction[argparse.ArgumentParser]) -> None:
    """The words of this job."""
    brief = jobs.add_parser("brief", help="write what the documents say of a unit or a topic")
    brief.add_argument("subject", help='a unit or a topic ("Ethics Office", "travel expenses")')
    brief.add_argument("--length", default="standard", choices=("short", "standard", "full"))
    brief.add_argument("--json", action="store_true", help="print the whole record as one line of JSON")
    brief.add_argument("--docx", type=Path, metavar="FILE", help="write it into a Word document too")
    brief.set_defaults(job=_brief)


def _brief(settings: Settings, options: argparse.Namespace) -> None:
    from trag.brief import writer
    from trag.brief.export import word_document
    from trag.brief.record import BriefRecord
    from trag.briefs import brief_as_text, brief_request
    from trag.home import open_home

    with open_home(settings) as home:
        asked = brief_request(home, options.subject, options.length)
        record: BriefRecord | None = None
        told = writer.write(home.assistant, asked.subject, length=asked.length, readers=None)
        for record in (each for each in told if isinstance(each, BriefRecord)):
            if not options.json and sys.stderr.isatty():
                done = sum(one.how != "quotation" for part in record.parts for one in part.sentences)
                print(f"\r{len(record.sources)} sources, {done} sentences worded", end="", file=sys.stderr)
    assert record is not None
    if sys.stderr.isatty() and not options.json:
        print(file=sys.stderr)
    if options.docx:
        options.docx.write_bytes(word_document(record, home.organization.name))
    print(record.to_json() if options.json else brief_as_text(record))
