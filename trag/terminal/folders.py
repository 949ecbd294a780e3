"""python -m trag folders: folders that are mirrored into the documents: added, looked at, run, paused, removed."""

from __future__ import annotations

import argparse
import sys
from getpass import getpass
from pathlib import Path
from typing import TYPE_CHECKING

from trag.errors import TragError
from trag.settings import Settings
from trag.terminal.console import by, file

if TYPE_CHECKING:
    from store.folders import Folder, FolderRun
    from trag.folders.keeping import Wanted
    from trag.home import Home

_SHOWN = 20


def add(jobs: argparse._SubParsersAction[argparse.ArgumentParser]) -> None:
    """The words of this job."""
    folders = jobs.add_parser("folders", help="mirror folders, shares and WebDAV addresses into the documents")
    acts = folders.add_subparsers(dest="act", required=True, metavar="ACT")
    adding = acts.add_parser("add", help="mirror ADDRESS, a folder or https://..., under NAME; it is paused at first")
    adding.add_argument("name", metavar="NAME")
    adding.add_argument("address", metavar="ADDRESS")
    adding.add_argument("--person", default="", metavar="NAME", help="who signs in at the address; a password is asked")
    acts.add_parser("list", help="list the folders")
    for word, told in (
        ("preview", "say what a run would do, and do nothing"),
        ("pause", "mirror it no more by itself"),
        ("resume", "mirror it by itself, while the assistant is served"),
        ("log", "list its runs"),
    ):
        acts.add_parser(word, help=told).add_argument("name", metavar="NAME")
    change = acts.add_parser("set", help="change who may read it, and when it is mirrored")
    change.add_argument("name", metavar="NAME")
    for act in (adding, change):
        act.add_argument(
            "--readers",
            action="append",
            default=[],
            metavar="UNIT",
            help="who may read it: a unit of the chart and all below it (may be given again), or everyone, or nobody",
        )
        act.add_argument("--table", metavar="FILE", help="CSV of folders in it with readers of their own: hr/pay,u1|u2")
        act.add_argument("--every", type=int, metavar="MINUTES", help="minutes between two runs, 0 for none (60)")
        act.add_argument("--watch", action=argparse.BooleanOptionalAction, help="also run when something changes there")
        act.add_argument("--most-gone", type=int, metavar="N", help="documents that may go unasked (50)")
        act.add_argument("--share-gone", type=int, metavar="PERCENT", help="and which share of them (10)")
    rights = acts.add_parser("rights", help="write the rights of ADDRESS, a folder or share, as a table for --table")
    rights.add_argument("address", metavar="ADDRESS")
    rights.add_argument("--groups", required=True, metavar="FILE", help="CSV of its groups with their units: hr,u1|u2")
    rights.add_argument("--acl", metavar="FILE", help="what getfacl -R . wrote there, in place of the modes")
    run = acts.add_parser("run", help="mirror it now, or all of them")
    run.add_argument("name", metavar="NAME", nargs="?", default="")
    run.add_argument("--let-go", type=int, default=0, metavar="N", help="let so many documents go")
    remove = acts.add_parser("remove", help="mirror it no more; its documents stay")
    remove.add_argument("name", metavar="NAME")
    remove.add_argument("--forget", action="store_true", help="forget its documents too")
    folders.set_defaults(job=_folders)


def _folders(settings: Settings, options: argparse.Namespace) -> int:
    from trag.folders import keeping
    from trag.home import open_home

    with open_home(settings) as home:
        if options.act == "add":
            password = getpass(f"Password of {options.person}: ") if options.person else ""
            wanted = _wanted(options, None)
            folder = keeping.add(
                home, options.name, options.address, wanted, person=options.person, password=password, by=by()
            )
            print(f"{folder.name} is added, and paused. Look at it: python -m trag folders preview '{folder.name}'")
            return 0
        if options.act == "list":
            for each in home.records.folders.all():
                _list(home, each)
            return 0
        if options.act == "run" and not options.name:
            states = [_run(home, each, options).state for each in home.records.folders.all() if not each.paused]
            return int(any(state != "done" for state in states))
        if options.act == "rights":
            _rights(home, options)
            return 0
        folder = _named(home, options.name)
        if options.act == "run":
            return int(_run(home, folder, options).state != "done")
        if options.act == "preview":
            _preview(home, folder)
        elif options.act == "set":
            keeping.change(home, folder, _wanted(options, folder), by=by())
            _list(home, _named(home, folder.name))
        elif options.act == "log":
            for run in reversed(home.records.folders.runs(folder.id)):
                _print(run)
        elif options.act == "remove":
            receipts = keeping.remove(home, folder, forget=options.forget, by=by())
            for receipt in receipts:
                print(receipt)
            print(f"{folder.name} is mirrored no more.")
            return int(any(receipt.left for receipt in receipts))
        else:
            keeping.pause(home, folder, options.act == "pause", by=by())
            _list(home, _named(home, folder.name))
    return 0


def _rights(home: Home, options: argparse.Namespace) -> None:
    from trag.folders import posix
    from trag.folders.rights import write_readers, write_rights
    from trag.ingest.parse.characters import counted, decode

    groups = decode(file(options.groups).read_bytes())[0]
    if options.acl:
        entries = posix.of_export(decode(file(options.acl).read_bytes())[0])
    else:
        entries = posix.of_folder(Path(options.address))
    found = posix.rights(entries, groups, home.organization.chart)
    print(write_rights(found.rights), end="")
    print(
        f"The folder itself: --readers {' --readers '.join(write_readers(found.readers).split('|'))}", file=sys.stderr
    )
    if found.persons:
        print(f"{counted(found.persons, 'right')} of single persons left out.", file=sys.stderr)


def _wanted(options: argparse.Namespace, folder: Folder | None) -> Wanted:
    from trag.folders.keeping import Wanted
    from trag.folders.rights import write_readers, write_rights
    from trag.ingest.parse.characters import decode

    if options.table:
        table = decode(file(options.table).read_bytes())[0]
    else:
        table = write_rights(folder.rights) if folder else ""
    readers = options.readers or (write_readers(folder.audience).split("|") if folder else [])
    given = {"every": options.every, "watched": options.watch}
    given |= {"most_gone": options.most_gone, "share_gone": options.share_gone}
    kept = {name: getattr(folder, name) for name in given} if folder else {}
    return Wanted(readers, table, **kept | {name: value for name, value in given.items() if value is not None})


def _named(home: Home, name: str) -> Folder:
    if found := home.records.folders.find(name):
        return found
    known = ", ".join(each.name for each in home.records.folders.all())
    raise TragError(f"There is no folder called {name}.", f"The folders are: {known or 'none'}.")


def _list(home: Home, folder: Folder) -> None:
    from trag.folders.rights import write_readers

    files = home.records.folders.files(folder.id).values()
    last = next(iter(home.records.folders.runs(folder.id, 1)), None)
    print(f"{folder.name}: {folder.address}{' (paused)' if folder.paused else ''}")
    print(f"  readers: {write_readers(folder.audience)}; {len(folder.rights)} folders in it with their own")
    documents, problems = sum(bool(each.document) for each in files), sum(bool(each.problem) for each in files)
    print(f"  {documents:,} documents; {problems:,} files with problems")
    if last:
        _print(last)


def _preview(home: Home, folder: Folder) -> None:
    from trag.folders.mirroring import preview

    found = preview(folder, home.stock, home.organization.chart)
    changes = found.changes
    for what, paths in (
        ("new", [each.path for each in changes.new]),
        ("perhaps changed", [each.path for _, each in changes.changed]),
        ("moved", [f"{one.path} -> {each.path}" for one, each in changes.moved]),
        ("would go", [each.path for each in changes.vanishing]),
        ("being written to", [each.path for each in changes.waiting]),
        ("cannot be looked at", [f"{path}: {why}" for path, why in changes.unreadable]),
        ("strange", list(found.strange)),
    ):
        print(f"{what}: {len(paths):,}")
        for path in paths[:_SHOWN]:
            print(f"  {path}")
        if len(paths) > _SHOWN:
            print(f"  and {len(paths) - _SHOWN:,} more")
    if found.asks:
        print(f"More would go than may unasked: run it with --let-go {len(changes.vanishing)} if that is right.")


def _run(home: Home, folder: Folder, options: argparse.Namespace) -> FolderRun:
    from tqdm import tqdm

    from trag.folders.mirroring import mirror
    from trag.terminal.console import progress_of

    folders = home.records.folders
    folders.break_off()
    with tqdm(unit="file", file=sys.stderr, disable=None, leave=False) as bar:
        begun = folders.begin(folder.id, by())
        run = mirror(folder, home.stock, begun, progress_of(bar), let_go=options.let_go, again=True)
    if run.changes:
        home.look_over()
    print(f"{folder.name}:")
    _print(run)
    for note in run.notes:
        print(f"    {note}")
    if run.state == "asks":
        gone = sum(note.startswith("would go: ") for note in run.notes)
        print(f"  python -m trag folders run '{folder.name}' --let-go {gone} lets them go.")
    return run


def _print(run: FolderRun) -> None:
    counts = ("new", "changed", "moved", "gone", "same", "waiting", "problems")
    told = ", ".join(f"{getattr(run, name):,} {name}" for name in counts if getattr(run, name)) or "nothing"
    print(f"  {run.begun:%Y-%m-%d %H:%M} UTC {run.state} ({run.cause}): {told}")
    if run.message:
        print(f"    {run.message} {run.hint}".rstrip())
