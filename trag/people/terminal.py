"""python -m trag people: make an admin, list everybody, give a link to set a password.

Words -> one call on the records -> lines. The app must not be running: a home has one owner. Each act imports what it
needs, as in trag.cli.
"""

from __future__ import annotations

import argparse
import sys
from datetime import timedelta
from getpass import getpass, getuser

from trag.errors import TragError
from trag.settings import Settings

LINK_LASTS = timedelta(days=1)


def add(jobs: argparse._SubParsersAction[argparse.ArgumentParser]) -> None:
    """The words of this job."""
    parser = jobs.add_parser("people", help="make an admin, list everybody, give a link to set a password")
    acts = parser.add_subparsers(required=True, metavar="ACT")
    admin = acts.add_parser("add-admin", help="make an admin; with the first one, everybody signs in from then on")
    admin.add_argument("name", help="the name to sign in with; the password is asked for, or read from standard input")
    admin.set_defaults(job=_add_admin)
    listing = acts.add_parser("list", help="everybody, with role and state")
    listing.set_defaults(job=_list)
    link = acts.add_parser("link", help="a link by which somebody sets a new password, for a day")
    link.add_argument("name")
    link.set_defaults(job=_link)


def _add_admin(settings: Settings, options: argparse.Namespace) -> None:
    from trag.home import open_home
    from trag.people.first_admin import make_admin

    with open_home(settings) as home:
        person = make_admin(home.records, options.name, "", _password(), by=_by(), first=False)
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

    with open_home(settings) as home:
        person = home.records.people.find(options.name)
        if person is None:
            raise TragError(f"Nobody is called {options.name}.", "python -m trag people list")
        secret, _ = home.records.links.make("password", person.id, LINK_LASTS, by=_by())
    own = settings.address.rstrip("/") or f"http://{settings.host}:{settings.port}"
    print(f"For {person.shown}, within a day, once the app runs: {own}/links/{secret}")


def _password() -> str:
    """The password that is typed twice at a terminal, else the first line of standard input."""
    if not sys.stdin.isatty():
        return sys.stdin.readline().rstrip("\n")
    password = getpass("Password: ")
    if getpass("The same again: ") != password:
        raise TragError("The two passwords are not the same.", "Try again.")
    return password


def _by() -> str:
    return f"{getuser()} (terminal)"
