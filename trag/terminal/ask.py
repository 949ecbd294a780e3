"""python -m trag ask and batch: one question answered, or a file of them."""

from __future__ import annotations

import argparse
import sys
from functools import partial
from pathlib import Path
from textwrap import shorten

from trag.paper_systems import SYSTEMS
from trag.record import AnswerRecord
from trag.settings import Settings


def add(jobs: argparse._SubParsersAction[argparse.ArgumentParser]) -> None:
    """The words of these jobs."""
    ask = jobs.add_parser("ask", help="answer one question")
    ask.add_argument("question")
    ask.add_argument("--json", action="store_true", help="print the whole answer record as one line of JSON")
    ask.add_argument("--system", default="trag", choices=SYSTEMS, help="which steps run (default: trag)")
    ask.set_defaults(job=_ask)

    batch = jobs.add_parser("batch", help="answer a file of questions; resumes where it was stopped")
    batch.add_argument("questions", type=Path, help='JSON lines: {"id": ..., "question": ...}')
    batch.add_argument("answers", type=Path, help="JSON lines: one answer record a question, with the question's id")
    batch.add_argument("--system", default="trag", choices=SYSTEMS, help="which steps run (default: trag)")
    batch.set_defaults(job=_batch)


def _ask(settings: Settings, options: argparse.Namespace) -> None:
    from trag import paper_systems
    from trag.events import Answer, Token
    from trag.home import open_home

    with open_home(settings) as home:
        drafting = sys.stderr.isatty() and not options.json
        for event in home.assistant.ask(options.question, steps=paper_systems.steps(options.system), readers=None):
            if isinstance(event, Token) and drafting:
                print(f"\x1b[2m{event.text}\x1b[0m", end="", file=sys.stderr, flush=True)
            if isinstance(event, Answer):
                record, away = event.record, event.away
    if drafting and not away:
        print("\n", file=sys.stderr)
    print(record.to_json() if options.json else answer_as_text(record))
    if away:
        raise away


def answer_as_text(record: AnswerRecord) -> str:
    """An answer as the terminal shows it: the words, how far they are borne out, and the sources they stand on, or
    where there is no answer those that are nearest to the question."""
    from trag.record import NEAREST, first_of_sections, standing_words

    lines = [record.answer]
    if record.interrupted:
        lines.append(f"[interrupted: {record.interrupted}]")
    used = dict.fromkeys(sentence.source for sentence in record.checks.sentences if sentence.supported)
    by_id = {source.id: source for source in record.sources}
    if record.approved:
        lines.append(f"[approved by {record.approved.by} on {record.approved.at}]")
    if record.checks.replaced == "chart":
        lines.append(f"[from the organization chart, read as {record.chart_query}]")
    lines += [
        f"[no source bears this out: {sentence.text}]" for sentence in record.checks.sentences if not sentence.supported
    ]
    lines += [
        f"[another document in force may say something else: {by_id[one.other].document}, {by_id[one.other].section}: "
        f"{shorten(one.other_evidence, 300)}]"
        for one in record.conflicts
    ]
    used |= dict.fromkeys(one.other for one in record.conflicts)
    sources = [by_id[id] for id in used if id in by_id]
    if record.status == "cannot_answer" and (near := first_of_sections(record.sources)[:NEAREST]):
        lines.append("[nearest to the question]")
        sources = [*near]
    elif sources:
        lines.append("")
    for number, source in enumerate(sources, 1):
        page = f", page {source.page}" if source.page else ""
        known = f" ({words})" if (words := standing_words(source)) else ""
        lines.append(f"[{number}] {source.document}{page}, {source.section}{known}: {shorten(source.text, 200)}")
    return "\n".join(lines)


def _batch(settings: Settings, options: argparse.Namespace) -> None:
    from tqdm import tqdm

    from trag import batch, paper_systems
    from trag.home import open_home
    from trag.ingest.parse.characters import counted

    asked = batch.questions(options.questions)
    batch.answered(options.answers)  # where that cannot be written to, say so before the assistant is loaded
    with open_home(settings) as home:
        answer = partial(home.assistant.answer, steps=paper_systems.steps(options.system), readers=None)
        progress = batch.run(asked, options.answers, answer, home.assistant.problem)
        for _ in tqdm(progress, total=len(asked), unit="question", file=sys.stderr, disable=None):
            pass
    print(f"{counted(len(asked), 'question')} answered in {options.answers}")
