"""python -m trag procedures: check, activate and show the written procedures, and those found in documents, and go
back to earlier ones."""

from __future__ import annotations

import argparse
from collections.abc import Iterable
from typing import TYPE_CHECKING

from trag.errors import TragError
from trag.settings import Settings
from trag.terminal import console
from trag.terminal.console import by

if TYPE_CHECKING:
    from org.procedures.flows import Book
    from org.reading.problems import Problem
    from trag.home import Home
    from trag.version_files import File


def add(jobs: argparse._SubParsersAction[argparse.ArgumentParser]) -> None:
    """The words of this job."""
    procedures = jobs.add_parser("procedures", help="check, activate and show the written procedures")
    acts = procedures.add_subparsers(dest="act", required=True, metavar="ACT")
    for name, words, argument in (
        ("check", "report every problem in FILE, or in CSVs of a kind each", "FILE"),
        ("activate", "plan by the procedures in FILE, or in such CSVs, from now on", "FILE"),
        ("bind", "print FILE as JSON with the actions of each step worked out from its words, to correct", "FILE"),
        ("drafts", "print the procedures in use and those found in documents, as JSON to correct", ""),
        ("show", "print the procedures in use, or the one with this ID", "ID"),
        ("versions", "list the versions that were activated", ""),
        ("rollback", "plan by an earlier VERSION again", "VERSION"),
    ):
        act = acts.add_parser(name, help=words)
        if argument == "FILE":
            act.add_argument("files", metavar=argument, nargs="+")
        elif argument:
            act.add_argument("argument", metavar=argument, nargs="?" if name == "show" else None, default="")
    procedures.set_defaults(job=_procedures)


def _procedures(settings: Settings, options: argparse.Namespace) -> int:
    if options.act == "check":
        return _check(_files(options.files))
    if options.act == "bind":
        return _bind(_files(options.files))
    from trag.home import open_home

    with open_home(settings) as home:
        if options.act == "activate":
            _activate(home, _files(options.files))
        elif options.act == "show":
            _show(home.procedures.in_use, options.argument)
        elif options.act == "drafts":
            _drafts(home)
        elif options.act == "versions":
            for each in home.procedures.versions.all():
                when = f"{each.activated:%Y-%m-%d %H:%M} UTC"
                by_whom = f" by {each.by}" if each.by else ""
                print(f"{'*' if each.active else ' '} {each.version}  {when}{by_whom}  {each.name}")
        else:
            version = home.procedures.roll_back(options.argument, by=by())
            print(f"Active: {version.version} ({version.name})")
    return 0


def _files(names: list[str]) -> list[File]:
    from org.procedures.entries import COLUMNS, too_large

    if len(names) > len(COLUMNS):
        raise TragError(f"{len(names)} files were named.", "Name one file, or a CSV of each kind.")
    found = [console.file(name) for name in names]
    for file in found:
        if problem := too_large(file.stat().st_size):
            raise TragError(f"{file.name}: {problem.message}", problem.hint)
    return [(file.name, file.read_bytes()) for file in found]


def _check(files: list[File]) -> int:
    from trag.procedures import check

    report = check(files)
    _print(report.problems)
    if report.book is None:
        return 1
    print(f"{', '.join(name for name, _ in files)}: {_counted(report.book)}")
    print(f"version {report.book.version}")
    print("Units and sources are looked for in the chart and the documents of the home when it is activated.")
    return 0


def _bind(files: list[File]) -> int:
    """Some seconds a procedure on two cores."""
    from org.procedures.flows import write
    from org.procedures.reading import usable
    from trag.embed import open_embedder
    from trag.flow.binding import with_actions
    from trag.procedures import check
    from trag.reranking.reranker import Reranker

    book = usable(check(files), ", ".join(name for name, _ in files))
    encode, weigh = open_embedder("").embed_passages, Reranker().weigh
    with console.bar() as progress:
        bound = with_actions(book, encode, weigh, progress)
    print(write(bound).decode())
    return 0


def _activate(home: Home, files: list[File]) -> None:
    from org.procedures.changes import compare
    from org.procedures.reading import usable
    from trag.procedures import check, sections_of

    report = check(files, home.organization.chart, sections_of(home.records.library))
    book = usable(report, ", ".join(name for name, _ in files))
    _print(report.problems)
    try:
        before = home.procedures.in_use
    except TragError:
        before = None  # its file cannot be read, and this is how another comes in its place
    version = home.procedures.activate(book, files, by=by())
    if before:
        changes = compare(before, book)
        kinds = ("added", "removed", "changed")
        told = ", ".join(f"{len(found):,} {kind}" for kind in kinds if (found := getattr(changes, kind)))
        print(f"Changed: {told or ('only the order' if changes else 'nothing')}")
    print(f"Active: {version.version} ({version.name}), {_counted(book)}")


def _print(problems: Iterable[Problem]) -> None:
    for problem in problems:
        where = problem.place or (f"row {problem.row}" if problem.row else "")
        print(f"{problem.severity}: {f'{where}: ' if where else ''}{problem.message} ({problem.hint})")


def _show(book: Book | None, id: str) -> None:
    if book is None:
        raise TragError("This home has no procedures.", "python -m trag procedures activate FILE")
    if id and id not in book.procedures:
        raise TragError(f"There is no procedure '{id}'.", "python -m trag procedures show")
    for procedure in [book.procedures[id]] if id else book.procedures.values():
        print(f"{procedure.id}: {procedure.title}" + (f" ({procedure.when})" if procedure.when else ""))
        for number, step in enumerate(procedure.steps, 1):
            print(f"  {number}. {step.text}" + (f" [{', '.join(step.actions)}]" if step.actions else ""))


def _drafts(home: Home) -> None:
    from org.procedures.flows import write
    from trag.flow.drafting import drafts, unwritten, with_drafts

    book, library = home.procedures.in_use, home.records.library
    found = (draft for each in library.documents() for draft in drafts(each.name, library.passages(each.name)))
    print(write(with_drafts(book, (draft.procedure for draft in unwritten(found, book)))).decode())


def _counted(book: Book) -> str:
    from trag.ingest.parse.characters import counted

    kinds = {"procedure": book.procedures, "action": book.actions, "table": book.tables, "trigger": book.triggers}
    return ", ".join(counted(len(of), kind) for kind, of in kinds.items() if of)
