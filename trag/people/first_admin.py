"""The first admin of a home, by a link that is printed once and works once; no password ships with the program.

Knows nothing about pages: a link is an address and a secret.
"""

from __future__ import annotations

from datetime import timedelta
from typing import TYPE_CHECKING

from store.person import Newcomer, Person
from trag.errors import TragError
from trag.people import CurrentUser, passwords
from trag.people.names import accepted, accepted_shown

if TYPE_CHECKING:
    from store.records import Records

LASTS = timedelta(hours=24)


def first_link(records: Records) -> str:
    """The secret of a link that makes the first admin; an earlier one works no more. "" where there are accounts."""
    if records.people.exist():
        return ""
    secret, _ = records.links.make("first admin", None, LASTS, by="the program")
    return secret


def make_admin(
    records: Records,
    name: str,
    shown: str,
    password: str,
    *,
    organization: str,
    by: str,
    where: str = "",
    link: str = "",
    first: bool,
) -> Person:
    """An admin, at once; the first one takes over what was asked and judged here before there were accounts.
    `organization` is its name, "" without a chart.

    Raises TragError for a name or password that may not be used, and when there are people though this was to be the
    `first`; StoreError for a name that is taken or a link that is over.
    """
    alone = not records.people.exist()
    if first and not alone:
        raise TragError("There is an admin already.", "Sign in, or ask an admin for an account.")
    name = accepted(name)
    shown = accepted_shown(shown, name)
    passwords.check(password, (name, shown, organization))
    newcomer = Newcomer(name, shown, "admin", "active", secret=passwords.hashed(password))
    heir_of = CurrentUser.local.person if alone else ""
    return records.people.add(newcomer, by=by or name, where=where, link=link, heir_of=heir_of)
