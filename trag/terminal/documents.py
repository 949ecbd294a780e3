"""python -m trag documents: when each document is valid and whose it is, written to a table and read from one."""

from __future__ import annotations

import argparse
import csv
import sys
from datetime import date

from trag.settings import Settings
from trag.terminal.console import by, file


def add(jobs: argparse._SubParsersAction[argparse.ArgumentParser]) -> None:
    """The words of this job."""
    documents = jobs.add_parser("documents", help="when each document is valid, whose it is, and what it supersedes")
    acts = documents.add_subparsers(dest="act", required=True, metavar="ACT")
    acts.add_parser("list", help="write what is known of each document as CSV, to be corrected and imported")
    acts.add_parser("review", help="the documents past their review date, the longest first")
    for name, words in (
        ("check", "say all that is wrong with FILE, and what it would change"),
        (
            "import",
            "change what FILE says (CSV as `list` writes it, with any of its columns)",
        ),
    ):
        acts.add_parser(name, help=words).add_argument("file", metavar="FILE")
    documents.set_defaults(job=_documents)


def _documents(settings: Settings, options: argparse.Namespace) -> int:
    from org.reading.cells import guard
    from trag.home import open_home
    from trag.ingest.parse.characters import counted
    from trag.validity import to_review
    from trag.validity_fields import FIELDS, changed_fields, read_import, typed

    with open_home(settings) as home:
        validity, library = home.records.validity, home.records.library
        if options.act == "review":
            known = validity.all()
            for name in to_review(known, date.today()):
                print(f"{known[name].review}  {name}  {known[name].unit or known[name].person}".rstrip())
            return 0
        if options.act == "list":
            from store.standing import Validity

            known, rows = validity.all(), csv.writer(sys.stdout)
            rows.writerow(["document", *FIELDS])
            for document in library.documents():
                held = typed(known.get(document.name, Validity()))
                cells = [document.name, *(held[name].replace("\n", "; ") for name in FIELDS)]
                rows.writerow(map(guard, cells))
            return 0
        content = file(options.file).read_bytes()
        found = read_import(content, home.records, home.organization.chart, by=by())
        if found.problems:
            print("\n".join(found.problems), file=sys.stderr)
            print(f"{counted(len(found.problems), 'problem')}, so nothing is changed.", file=sys.stderr)
            return 1
        for name, one in found.changes.items():
            for field, was, now in changed_fields(one, found.before[name]):
                shown = (text.replace("\n", "; ") or "nothing" for text in (was, now))
                print(f"{name}: {field}: {' -> '.join(shown)}")
        if options.act == "import":
            seen = {name: found.before[name] for name in found.changes}
            validity.put(found.changes, by=by(), instead_of=seen)
        print(f"{counted(len(found.changes), 'document')} {'changed' if options.act == 'import' else 'would change'}")
    return 0
