"""Every job from the terminal: python -m trag ask, batch, ingest, chart, evaluate, audit, finetune, models, people,
backup, restore, forget, doctor, serve.

Words -> one call on the home -> lines. Errors are one line and a hint on stderr with exit 1, wrong usage is exit 2,
a bug keeps its traceback. Knows nothing of how any job is done.
"""

from __future__ import annotations

import argparse
import logging
import os
import sys
from collections.abc import Sequence
from functools import partial
from pathlib import Path
from textwrap import shorten
from typing import TYPE_CHECKING

from trag.backup import terminal as keeping
from trag.errors import SHOWN, TragError
from trag.evaluate import terminal as evaluation
from trag.evaluate.grammar import terminal as auditing
from trag.finetune import terminal as finetuning
from trag.models import terminal as models
from trag.people import terminal as people
from trag.record import AnswerRecord
from trag.settings import Settings, load
from trag.systems import SYSTEMS

if TYPE_CHECKING:
    from org.reading.charts import Report

# Each job imports what it needs, so that `chart check` does not pay for a language model.


def main(arguments: Sequence[str] | None = None) -> int:
    """Run one job; the exit status."""
    options = _parser().parse_args(arguments)
    logging.basicConfig(level=logging.WARNING, format="%(levelname)s %(name)s: %(message)s")
    # GOMP_SPINCOUNT: threads of torch that wait for each other would else keep the cores from the model's process.
    for name, value in (
        ("GOMP_SPINCOUNT", "1000"),
        ("HF_HUB_OFFLINE", "1"),
        ("ANONYMIZED_TELEMETRY", "False"),
        ("GRADIO_ANALYTICS_ENABLED", "False"),
    ):
        os.environ.setdefault(name, value)
    try:
        status = int(options.job(load(), options) or 0)
        sys.stdout.flush()
        return status
    except SHOWN as error:
        print(f"Error: {error.message}", file=sys.stderr)
        if error.hint:
            print(f"Hint: {error.hint}", file=sys.stderr)
        return 1
    except KeyboardInterrupt:
        print("\nStopped.", file=sys.stderr)
        return 130
    except BrokenPipeError:
        # Whoever read the lines has seen enough, such as `head`. Python flushes once more when it ends.
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        return 141


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(
        prog="python -m trag",
        description="Answers about an organization from its documents and its chart, checked against both.",
        epilog="TRAG_HOME chooses the organization (default: var).",
    )
    jobs = parser.add_subparsers(required=True, metavar="JOB")

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

    ingest = jobs.add_parser("ingest", help="add documents, and question-answer pairs (.jsonl)")
    ingest.add_argument("paths", nargs="*", type=Path, metavar="PATH", help="files or folders")
    ingest.add_argument("--replace", action="store_true", help="replace documents of the same name")
    ingest.add_argument(
        "--readers",
        action="append",
        default=[],
        metavar="UNIT",
        help="who may read documents that are new: a unit of the chart and all below it; may be given again (default: "
        "everyone)",
    )
    ingest.add_argument("--forget", metavar="DOCUMENT", help="remove a document everywhere")
    ingest.add_argument(
        "--reindex", action="store_true", help="embed everything again, after another embedder was chosen"
    )
    ingest.add_argument(
        "--pairs",
        action="store_true",
        help="have the model write question-answer pairs about the sections that have none of yours: some ten seconds "
        "a section on two cores; goes on where it was stopped",
    )
    ingest.add_argument(
        "--examples", metavar="FILE", help="example questions, one a line, in whose manner the model writes pairs"
    )
    ingest.set_defaults(job=_ingest)

    chart = jobs.add_parser("chart", help="check, activate and show the organization chart")
    acts = chart.add_subparsers(required=True, metavar="ACT")
    for name, words, argument in (
        ("check", "report every problem in FILE", "FILE"),
        ("activate", "answer from the chart in FILE from now on", "FILE"),
        ("show", "print the active chart, or what is under UNIT", "UNIT"),
        ("versions", "list the charts that were activated", ""),
        ("rollback", "answer from an earlier VERSION again", "VERSION"),
    ):
        act = acts.add_parser(name, help=words)
        if argument:
            act.add_argument("argument", metavar=argument, nargs="?" if name == "show" else None, default="")
        if argument == "FILE":
            act.add_argument("--sheet", default="", help="the sheet of a workbook (default: the first that is a chart)")
            act.add_argument(
                "--encoding",
                type=_encoding,
                help="of a text that is not in Unicode: windows-1251, gbk, shift-jis (default: told by its letters)",
            )
            act.add_argument(
                "--column",
                action="append",
                type=_column,
                metavar="NAME=HEADER",
                help='where a column is called otherwise: --column parent="Reports to"; without a HEADER, where the '
                "file does not have it: --column head=",
            )
        act.set_defaults(job=_CHART[name])

    evaluation.add(jobs, tuple(SYSTEMS))
    auditing.add(jobs, tuple(SYSTEMS))
    finetuning.add(jobs)
    models.add(jobs)
    people.add(jobs)
    keeping.add(jobs)
    doctor = jobs.add_parser("doctor", help="what this machine can do: models, hashes, GPU, disk, versions")
    doctor.set_defaults(job=_doctor)
    serve = jobs.add_parser("serve", help="open the assistant in the browser; the same as python app.py")
    serve.set_defaults(job=_serve)
    return parser


def _ask(settings: Settings, options: argparse.Namespace) -> None:
    from trag import paper
    from trag.events import Answer, Token
    from trag.home import open_home

    with open_home(settings) as home:
        drafting = sys.stderr.isatty() and not options.json
        for event in home.assistant.ask(options.question, steps=paper.steps(options.system), readers=None):
            if isinstance(event, Token) and drafting:
                print(f"\x1b[2m{event.text}\x1b[0m", end="", file=sys.stderr, flush=True)
            if isinstance(event, Answer):
                record = event.record
    if options.json:
        print(record.to_json())
        return
    if drafting:
        print("\n", file=sys.stderr)
    print(answer_as_text(record))


def answer_as_text(record: AnswerRecord) -> str:
    """An answer as the terminal shows it: the words, how far they are borne out, and the sources they stand on, or
    where there is no answer those that are nearest to the question."""
    from trag import cited

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
    sources = [by_id[id] for id in used if id in by_id]
    if record.status == "cannot_answer" and (near := cited.leading(record.sources)[: cited.NEAREST]):
        lines.append("[nearest to the question]")
        sources = [*near]
    elif sources:
        lines.append("")
    for number, source in enumerate(sources, 1):
        page = f", page {source.page}" if source.page else ""
        lines.append(f"[{number}] {source.document}{page}, {source.section}: {shorten(source.text, 200)}")
    return "\n".join(lines)


def _batch(settings: Settings, options: argparse.Namespace) -> None:
    from tqdm import tqdm

    from trag import batch, paper
    from trag.home import open_home
    from trag.ingest.parse.characters import counted

    asked = batch.questions(options.questions)
    batch.answered(options.answers)  # where that cannot be written to, say so before the assistant is loaded
    with open_home(settings) as home:
        answer = partial(home.assistant.answer, steps=paper.steps(options.system), readers=None)
        progress = batch.run(asked, options.answers, answer, home.assistant.problem)
        for _ in tqdm(progress, total=len(asked), unit="question", file=sys.stderr, disable=None):
            pass
    print(f"{counted(len(asked), 'question')} answered in {options.answers}")


def _ingest(settings: Settings, options: argparse.Namespace) -> int:
    from tqdm import tqdm

    from trag.bar import progress_of
    from trag.home import open_home
    from trag.ingest.parse.characters import counted, decode
    from trag.people import permissions

    if not (options.paths or options.forget or options.reindex or options.pairs or options.examples):
        raise TragError(
            "Nothing to do: no PATH, --forget, --reindex, --pairs or --examples.", "python -m trag ingest --help"
        )
    left: tuple[str, ...] = ()
    with open_home(settings) as home, tqdm(unit="passage", file=sys.stderr, disable=None, leave=False) as bar:
        progress = progress_of(bar)
        chart = home.organization.chart if options.readers else None  # a chart that is lost hinders nothing else
        audience = permissions.audience_of(options.readers, chart)
        if options.examples:
            text, _ = decode(_file(options.examples).read_bytes())
            print(f"{counted(len(home.set_examples(text, by=_by())), 'example question')} kept")
        if options.forget:
            receipt = home.forget(options.forget, by=_by())
            print(receipt)
            left = receipt.left
        if options.reindex:
            print(f"{counted(home.reindex(progress), 'passage')} embedded again")
        results = (
            home.ingest(options.paths, replace=options.replace, progress=progress, audience=audience, by=_by())
            if options.paths
            else ()
        )
        for result in results:
            print(result)
        if options.pairs:
            written = home.write_pairs(by=_by(), progress=progress)
            print(f"{counted(written.pairs, 'new pair')} about {counted(written.total, 'section')}")
    return int(bool(left) or any(result.failed for result in results))


def _chart_check(settings: Settings, options: argparse.Namespace) -> int:
    from org.reading.decode import label
    from trag.ingest.parse.characters import counted

    _, _, report = _chart_report(options)
    for problem in report.problems:
        place = f"row {problem.row}: " if problem.row else ""
        print(f"{problem.severity}: {place}{problem.message}" + (f" ({problem.hint})" if problem.hint else ""))
    if report.encoding:
        print(f"encoding {label(report.encoding)}")
    if report.chart is None:
        return 1
    depth = max(report.chart.depth(unit) for unit in report.chart.units)
    size, levels = counted(len(report.chart), "unit"), counted(depth, "level")
    print(f"{options.argument}: {size}, {levels} below {report.chart.root.name}")
    print(f"version {report.chart.version}")
    return 0


def _chart_activate(settings: Settings, options: argparse.Namespace) -> None:
    from org.changes import compare
    from org.reading.charts import usable
    from org.reading.letters import ENCODINGS
    from trag.home import open_home

    file, content, report = _chart_report(options)
    chart = usable(report, file.name)
    with open_home(settings) as home:
        try:
            before = home.organization.chart
        except TragError:
            before = None  # its file cannot be read, and this is how another comes in its place
        version = home.activate_chart(chart, file.name, content, by=_by())
    if before:
        changes = compare(before, chart)
        counts = {
            "added": changes.added,
            "removed": changes.removed,
            "moved": changes.moved,
            "renamed": changes.renamed,
            "edited": changes.edited,
        }
        told = ", ".join(f"{len(units):,} {what}" for what, units in counts.items() if units)
        told = told or ("only the order of the units, or their ids" if changes else "nothing")
        print(f"Changed: {told}")
    print(f"Active: {version.version} ({version.name})")
    if report.encoding in ENCODINGS:
        print(f"Read as {ENCODINGS[report.encoding].label}")


def _chart_report(options: argparse.Namespace) -> tuple[Path, bytes, Report]:
    """The file that was named, its content, and what is in it, read in a process of its own."""
    from org.reading.charts import Report
    from org.reading.table import too_large
    from trag import charts

    file = _file(options.argument)
    problem = too_large(file.stat().st_size)
    if problem:
        return file, b"", Report(None, (problem,))
    content = file.read_bytes()
    columns = dict(options.column) if options.column else None
    report = charts.check(content, file.name, sheet=options.sheet, columns=columns, encoding=options.encoding or "")
    return file, content, report


def _column(text: str) -> tuple[str, str]:
    name, equals, header = text.partition("=")
    if not equals or not name:
        raise argparse.ArgumentTypeError(f"{text!r} is not NAME=HEADER")
    return name, header


def _encoding(text: str) -> str:
    from org.reading.letters import ENCODINGS, called

    codec = called(text)
    if not codec:
        known = ", ".join(encoding.label for encoding in ENCODINGS.values())
        raise argparse.ArgumentTypeError(f"{text!r} is none of these: {known}")
    return codec


def _chart_show(settings: Settings, options: argparse.Namespace) -> None:
    from trag.home import open_home

    with open_home(settings) as home:
        chart, finder = home.organization.chart, home.organization.finder
    if chart is None or finder is None:
        raise TragError("This home has no chart.", "python -m trag chart activate FILE")
    tops = (
        {unit for mention in finder.find(options.argument) for unit in mention.units}
        if options.argument
        else {chart.root.id}
    )
    if not tops:
        raise TragError(f"The chart has no unit named '{options.argument}'.", "python -m trag chart show")
    for top in sorted(tops):
        for unit in (chart.unit(top), *chart.descendants(top)):
            print("  " * (chart.depth(unit.id) - chart.depth(top)) + f"{unit.name} ({unit.type})")


def _chart_versions(settings: Settings, options: argparse.Namespace) -> None:
    from trag.home import open_home

    with open_home(settings) as home:
        for chart in home.records.activations.all():
            when = f"{chart.activated:%Y-%m-%d %H:%M} UTC"
            by = f" by {chart.by}" if chart.by else ""
            print(f"{'*' if chart.active else ' '} {chart.version}  {when}{by}  {chart.name}")


def _chart_rollback(settings: Settings, options: argparse.Namespace) -> None:
    from trag.home import open_home

    with open_home(settings) as home:
        version = home.roll_back_chart(options.argument, by=_by())
    print(f"Active: {version.version} ({version.name})")


def _doctor(settings: Settings, options: argparse.Namespace) -> int:
    from trag.doctor import examine

    well = True
    for finding in examine(settings):
        print(f"{'ok  ' if finding.well else 'FAIL'}  {finding.what}: {finding.found}", flush=True)
        if finding.hint:
            print(f"      {finding.hint}")
        well = well and finding.well
    return int(not well)


def _serve(settings: Settings, options: argparse.Namespace) -> None:
    from trag.web.serve import serve

    serve(settings)


def _by() -> str:
    """Who sits at the terminal, as records name them."""
    from getpass import getuser

    return f"{getuser()} (terminal)"


def _file(name: str) -> Path:
    path = Path(name)
    if not path.is_file():
        raise TragError(f"There is no file {name}.", "Check the path.")
    return path


_CHART = {
    "check": _chart_check,
    "activate": _chart_activate,
    "show": _chart_show,
    "versions": _chart_versions,
    "rollback": _chart_rollback,
}
