"""python -m trag people: make an admin, list everybody, give a link to set a password, rename and remove; and forget,
which ends conversations. The app must not be running: a home has one owner. Each act imports what it needs.
"""

from __future__ import annotations

import argparse
import sys
from contextlib import closing
from datetime import UTC, datetime, timedelta
from getpass import getpass
from typing import TYPE_CHECKING

from trag.errors import TragError
from trag.settings import Settings
from trag.terminal.console import by

if TYPE_CHECKING:
    from store.people import People
    from store.person import Person

LINK_LASTS = timedelta(days=1)
MOST_DAYS = 36_500


def add(jobs: argparse._SubParsersAction[argparse.ArgumentParser]) -> None:
    """The words of this job."""
    parser = jobs.add_parser(
        "people", help="make an admin, list everybody, give a link; while the assistant is stopped"
    )
    acts = parser.add_subparsers(required=True, metavar="ACT")
    admin = acts.add_parser("add-admin", help="make an admin; with the first one, everybody signs in from then on")
    admin.add_argument("name", help="the name to sign in with; the password is asked for, or read from standard input")
    admin.set_defaults(job=_add_admin)
    listing = acts.add_parser("list", help="everybody, with role and state")
    listing.set_defaults(job=_list)
    link = acts.add_parser("link", help="a link by which somebody sets a new password, for a day")
    link.add_argument("name")
    link.set_defaults(job=_link)
    rename = acts.add_parser("rename", help="another name to sign in with")
    rename.add_argument("name")
    rename.add_argument("new", metavar="NEW")
    rename.set_defaults(job=_rename)
    remove = acts.add_parser("remove", help="remove somebody, and forget their conversations")
    remove.add_argument("name")
    remove.set_defaults(job=_remove)
    forget = jobs.add_parser("forget", help="forget conversations; answers that reviewers judged stay, without a name")
    chosen = forget.add_mutually_exclusive_group(required=True)
    chosen.add_argument("--person", metavar="NAME", help="those of one person")
    chosen.add_argument("--older-than", type=int, metavar="DAYS", help="those that nobody went on with for so long")
    forget.set_defaults(job=_forget)


def _add_admin(settings: Settings, options: argparse.Namespace) -> None:
    from trag.home import open_home
    from trag.people.accounts import make_admin

    with open_home(settings) as home:
        chart = home.organization.chart
        organization = chart.root.name if chart else ""
        person = make_admin(
            home.records, options.name, "", _password(), organization=organization, by=by(), first=False
        )
    print(f"{person.name} is an admin. Everybody signs in from now on.")


def _list(settings: Settings, options: argparse.Namespace) -> None:
    from trag.home import open_home

    with open_home(settings) as home:
        page = 1
        while people := home.records.people.all(page=page, most=500):
            for person in people:
                print(f"{person.state:8}  {person.role:8}  {person.name}  {person.shown}")
            page += 1


def _link(settings: Settings, options: argparse.Namespace) -> None:
    from trag.home import open_home
    from trag.people.external_identity import NO_PASSWORD, is_external

    with open_home(settings) as home:
        person = _person_called(home.records.people, options.name)
        if is_external(home.records.people, person, settings):
            raise TragError(*NO_PASSWORD)
        secret, _ = home.records.links.make("password", person.id, LINK_LASTS, by=by())
    print(f"For {person.shown}, within a day, once the app runs: {settings.url}/links/{secret}")


def _rename(settings: Settings, options: argparse.Namespace) -> None:
    from trag.home import open_home
    from trag.people.accounts import accepted

    with open_home(settings) as home:
        people = home.records.people
        before = _person_called(people, options.name)
        now = people.change(before.id, by=by(), name=accepted(options.new))
    print(f"{before.name} signs in as {now.name} from now on.")


def _remove(settings: Settings, options: argparse.Namespace) -> None:
    from trag.home import open_home

    with open_home(settings) as home:
        person = _person_called(home.records.people, options.name)
        gone = home.records.people.remove(person.id, by=by())
    print(f"{person.name} is removed: {gone.conversations} conversations and {gone.answers} answers forgotten")
    if gone.kept:
        print(f"{gone.kept} answers that reviewers judged are kept, without a name")


def _forget(settings: Settings, options: argparse.Namespace) -> None:
    from store.records import Records

    with closing(Records(settings.database)) as records:
        if options.person is not None:
            forgotten = records.forget_person(_person_called(records.people, options.person).id, by=by())
        else:
            if not 1 <= options.older_than <= MOST_DAYS:
                raise TragError(f"1 to {MOST_DAYS:,} days are kept.", "python -m trag forget --older-than 365")
            forgotten = records.forget_before(datetime.now(UTC) - timedelta(days=options.older_than), by=by())
    print(f"{forgotten.conversations} conversations and {forgotten.answers} answers forgotten")
    if forgotten.kept:
        print(f"{forgotten.kept} answers that reviewers judged are kept, without a name")


def _person_called(people: People, name: str) -> Person:
    """The person of that name. Raises TragError for nobody."""
    person = people.find(name)
    if person is None:
        raise TragError(f"Nobody is called {name}.", "python -m trag people list")
    return person


def _password() -> str:
    """The password that is typed twice at a terminal, else the first line of standard input."""
    if not sys.stdin.isatty():
        return sys.stdin.readline().rstrip("\n")
    password = getpass("Password: ")
    if getpass("The same again: ") != password:
        raise TragError("The two passwords are not the same.", "Try again.")
    return password
