"""Every job from the terminal: python -m trag ask, batch, ingest, documents, folders, chart, procedures, plan, brief,
workflow, evaluate, audit, finetune, models, people, backup, restore, forget, doctor, serve.

Errors are one line and a hint on stderr with exit 1, wrong usage is exit 2, a bug keeps its traceback.
"""

from __future__ import annotations

import argparse
import ctypes
import logging
import os
import sys
from collections.abc import Sequence
from contextlib import suppress
from pathlib import Path

from trag.errors import SHOWN
from trag.logs import log_json, log_warnings
from trag.paper_systems import SYSTEMS
from trag.settings import Settings, load
from trag.terminal import (
    ask,
    audit,
    brief,
    chart,
    documents,
    evaluate,
    finetune,
    folders,
    ingest,
    models,
    people,
    plan,
    procedures,
    workflow,
)

log = logging.getLogger(__name__)
_M_ARENA_MAX = -8  # of malloc.h

# Each job imports what it needs, so that `chart check` does not pay for a language model.


def main(arguments: Sequence[str] | None = None) -> int:
    """Run one job; the exit status."""
    options = _parser().parse_args(arguments)
    os.umask(0o077)  # what is written is for this account alone: see trag.file_modes
    log_warnings()
    # GOMP_SPINCOUNT: threads of torch that wait for each other would else keep the cores from the model's process.
    for name, value in (
        ("GOMP_SPINCOUNT", "1000"),
        ("HF_HUB_OFFLINE", "1"),
        ("ANONYMIZED_TELEMETRY", "False"),
        ("GRADIO_ANALYTICS_ENABLED", "False"),
    ):
        os.environ.setdefault(name, value)
    # Else each of many threads at once, a question each, keeps an arena of freed memory for itself.
    with suppress(OSError, AttributeError):  # glibc alone has arenas
        ctypes.CDLL(None).mallopt(_M_ARENA_MAX, 2)
    try:
        settings = load()
        if settings.log_json:
            log_json()
        status = int(options.job(settings, options) or 0)
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
    except Exception:
        log.critical("a fault in the program", exc_info=True)
        return 1


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(
        prog="python -m trag",
        description="Answers about an organization from its documents and its chart, checked against both.",
        epilog="TRAG_HOME chooses the organization (default: var).",
    )
    jobs = parser.add_subparsers(required=True, metavar="JOB")

    ask.add(jobs)
    ingest.add(jobs)
    documents.add(jobs)
    folders.add(jobs)
    chart.add(jobs)
    procedures.add(jobs)
    plan.add(jobs)
    brief.add(jobs)
    workflow.add(jobs)
    evaluate.add(jobs, tuple(SYSTEMS))
    audit.add(jobs, tuple(SYSTEMS))
    finetune.add(jobs)
    models.add(jobs)
    people.add(jobs)
    for word, told in (
        ("backup", "write all that the home holds to FILE, while the assistant runs"),
        ("restore", "fill an empty home from FILE, which backup wrote"),
    ):
        job = jobs.add_parser(word, help=told)
        job.add_argument("file", type=Path, metavar="FILE")
        job.set_defaults(job=_backup, word=word)
    doctor = jobs.add_parser("doctor", help="what this machine can do: models, hashes, GPU, disk, versions")
    doctor.set_defaults(job=_doctor)
    serve = jobs.add_parser("serve", help="open the assistant in the browser; the same as python app.py")
    serve.set_defaults(job=_serve)
    return parser


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


def _backup(settings: Settings, options: argparse.Namespace) -> None:
    from trag.backup import back_up, restore

    if options.word == "backup":
        told, manifest = f"{options.file} holds", back_up(settings, options.file)
    else:
        told, manifest = f"{settings.home} holds again", restore(settings, options.file)
    rows = manifest.rows
    counts = ", ".join(f"{rows.get(table, 0):,} {table}" for table in ("documents", "answers", "labels", "people"))
    files = sum(not name.startswith("records/") for name in manifest.files)
    print(f"{told} {counts} and {files:,} files, as of {manifest.made}")
    for name in manifest.missing:
        print(f"missing in the home already: the file of {name}")
    if options.word == "restore":
        print("The search index is made when the assistant is started.")
