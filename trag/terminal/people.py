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
    from store.person import Forgotten, Person

LINK_LASTS = timedelta(days=1)
MOST_DAYS = 36_500


def add(jobs: argparse._SubParsersAction[argparse.ArgumentParser]) -> None:
    """The words of this job."""
    parser = jobs.add_parser(
        "people", help="make an admin, list everybody, give a link; while the assistant is stopped"
    )
    parser.set_defaults(job=_people)
    acts = parser.add_subparsers(dest="act", required=True, metavar="ACT")
    admin = acts.add_parser("add-admin", help="make an admin; with the first one, everybody signs in from then on")
    admin.add_argument("name", help="the name to sign in with; the password is asked for, or read from standard input")
    acts.add_parser("list", help="everybody, with role and state")
    acts.add_parser("link", help="a link by which somebody sets a new password, for a day").add_argument("name")
    rename = acts.add_parser("rename", help="another name to sign in with")
    rename.add_argument("name")
    rename.add_argument("new", metavar="NEW")
    acts.add_parser(
        "take-factor", help="ask somebody who lost their authenticator app for no second factor any more"
    ).add_argument("name")
    acts.add_parser("remove", help="remove somebody, and forget their conversations").add_argument("name")
    forget = jobs.add_parser("forget", help="forget conversations; answers that reviewers judged stay, without a name")
    chosen = forget.add_mutually_exclusive_group(required=True)
    chosen.add_argument("--person", metavar="NAME", help="those of one person")
    chosen.add_argument("--older-than", type=int, metavar="DAYS", help="those that nobody went on with for so long")
    forget.set_defaults(job=_forget)


def _people(settings: Settings, options: argparse.Namespace) -> None:
    from trag.home import open_home
    from trag.people.accounts import accepted, make_admin
    from trag.people.external_identity import NO_PASSWORD, is_external

    with open_home(settings) as home:
        people = home.records.people
        if options.act == "add-admin":
            chart = home.organization.chart
            organization, password = chart.root.name if chart else "", _password()
            made = make_admin(home.records, options.name, "", password, organization=organization, by=by(), first=False)
            print(f"{made.name} is an admin. Everybody signs in from now on.")
        elif options.act == "list":
            page = 1
            while some := people.all(page=page, most=500):
                for one in some:
                    print(f"{one.state:8}  {one.role:8}  {one.name}  {one.shown}")
                page += 1
        else:
            person = _person_called(people, options.name)
            match options.act:
                case "link":
                    if is_external(people, person, settings):
                        raise TragError(*NO_PASSWORD)
                    secret, _ = home.records.links.make("password", person.id, LINK_LASTS, by=by())
                    print(f"For {person.shown}, within a day, once the app runs: {settings.url}/links/{secret}")
                case "rename":
                    now = people.change(person.id, by=by(), name=accepted(options.new))
                    print(f"{person.name} signs in as {now.name} from now on.")
                case "take-factor":
                    home.records.second_factors.end(person.id, by=by())
                    print(f"{person.name} signs in with the password alone.")
                case "remove":
                    print(f"{person.name} is removed: {_told(people.remove(person.id, by=by()))}")


def _forget(settings: Settings, options: argparse.Namespace) -> None:
    from store.records import Records

    with closing(Records(settings.database)) as records:
        if options.person is not None:
            forgotten = records.forget_person(_person_called(records.people, options.person).id, by=by())
        else:
            if not 1 <= options.older_than <= MOST_DAYS:
                raise TragError(f"1 to {MOST_DAYS:,} days are kept.", "python -m trag forget --older-than 365")
            forgotten = records.forget_before(datetime.now(UTC) - timedelta(days=options.older_than), by=by())
    print(_told(forgotten))


def _told(forgotten: Forgotten) -> str:
    kept = f"\n{forgotten.kept} answers that reviewers judged are kept, without a name" if forgotten.kept else ""
    return f"{forgotten.conversations} conversations and {forgotten.answers} answers forgotten{kept}"


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
