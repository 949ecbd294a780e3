"""The words of the terminal that keep or end what a home remembers: backup, restore, forget. Knows nothing of how."""

from __future__ import annotations

import argparse
from contextlib import closing
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import TYPE_CHECKING, Any

from trag.errors import TragError
from trag.settings import Settings
from trag.terminal.people import person_called

if TYPE_CHECKING:
    from trag.backup import Manifest


MOST_DAYS = 36_500


def add(jobs: Any) -> None:
    """Add the words to the parser's jobs."""
    backup = jobs.add_parser("backup", help="write all that the home holds to FILE, while the assistant runs")
    backup.add_argument("file", type=Path, metavar="FILE")
    backup.set_defaults(job=_backup)
    restore = jobs.add_parser("restore", help="fill an empty home from FILE, which backup wrote")
    restore.add_argument("file", type=Path, metavar="FILE")
    restore.set_defaults(job=_restore)
    forget = jobs.add_parser("forget", help="forget conversations; answers that reviewers judged stay, without a name")
    chosen = forget.add_mutually_exclusive_group(required=True)
    chosen.add_argument("--person", metavar="NAME", help="those of one person")
    chosen.add_argument("--older-than", type=int, metavar="DAYS", help="those that nobody went on with for so long")
    forget.set_defaults(job=_forget)


def _backup(settings: Settings, options: argparse.Namespace) -> None:
    from trag.backup import back_up

    _told(options.file, "holds", back_up(settings, options.file))


def _restore(settings: Settings, options: argparse.Namespace) -> None:
    from trag.backup import restore

    _told(settings.home, "holds again", restore(settings, options.file))
    print("The search index is made when the assistant is started.")


def _forget(settings: Settings, options: argparse.Namespace) -> None:
    from getpass import getuser

    from store.records import Records

    by = f"{getuser()} (terminal)"
    with closing(Records(settings.database)) as records:
        if options.person is not None:
            forgotten = records.forget_person(person_called(records.people, options.person).id, by=by)
        else:
            if not 1 <= options.older_than <= MOST_DAYS:
                raise TragError(f"1 to {MOST_DAYS:,} days are kept.", "python -m trag forget --older-than 365")
            forgotten = records.forget_before(datetime.now(UTC) - timedelta(days=options.older_than), by=by)
    print(f"{forgotten.conversations} conversations and {forgotten.answers} answers forgotten")
    if forgotten.kept:
        print(f"{forgotten.kept} answers that reviewers judged are kept, without a name")


def _told(place: Path, verb: str, manifest: Manifest) -> None:
    rows = manifest.rows
    counts = ", ".join(f"{rows.get(table, 0):,} {table}" for table in ("documents", "answers", "labels", "people"))
    files = sum(not name.startswith("records/") for name in manifest.files)
    print(f"{place} {verb} {counts} and {files:,} files, as of {manifest.made}")
    for name in manifest.missing:
        print(f"missing in the home already: the file of {name}")
