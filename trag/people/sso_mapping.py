"""People whom somebody else vouches for, an OpenID provider or a proxy: known, or new and waiting.

A claim -> the person it is about, brought up to date, or shut out. Knows nothing about how the claim was proved.
"""

from __future__ import annotations

import hashlib
import logging
from dataclasses import dataclass
from typing import TYPE_CHECKING

from store import StoreError
from store.person import How, Newcomer, Person, Role
from trag.errors import TragError
from trag.people import CurrentUser
from trag.people.names import accepted, accepted_shown

if TYPE_CHECKING:
    from store.people import People
    from trag.settings import Settings

log = logging.getLogger(__name__)

UNWELCOME = ("None of your groups may use this assistant.", "Ask whoever looks after groups to add you.")
NO_PASSWORD = (
    "Whoever signs in with the organization's own service has no password here.",
    "Sign in there; an admin can disable, rename or remove the account on the page People.",
)
_SUBJECT = "subject:"


@dataclass(frozen=True, slots=True)
class Claim:
    """Who somebody is said to be. `subject` is what the provider never gives to another person, "" where it tells none;
    `role` and `unit` are None where nothing is said about them; who is not `welcome` has no group that lets them in."""

    name: str
    shown: str
    how: How
    subject: str = ""
    role: Role | None = None
    unit: str | None = None
    welcome: bool = True


def arrive(people: People, claim: Claim, *, where: str) -> Person:
    """The person of a claim: a new one waits for an admin, unless the claim gives a role. A disabled one stays so. An
    admin who is the first person of all takes over what was asked and judged here before there were accounts.

    Raises TragError where the name belongs to somebody who comes in another way, or was given to another person; and
    for who is not welcome, whose sessions and tokens end with that.
    """
    if not claim.welcome:
        for known in people.holding(_mark(claim)):
            people.shut_out(known.id, by=f"{known.name} ({claim.how})", where=where, why="no group lets them in")
        raise TragError(*UNWELCOME)
    name = accepted(claim.name)
    shown = accepted_shown(claim.shown, name)
    by, mark = f"{name} ({claim.how})", _mark(claim)
    person = people.find(name)
    if person is None:
        state = "active" if claim.role else "pending"
        new = Newcomer(name, shown, claim.role or "employee", state, claim.unit or "", claim.how, mark)  # type: ignore[arg-type]
        alone = claim.role == "admin" and not people.exist()
        return people.add(new, by=by, where=where, heir_of=CurrentUser.local.person if alone else "")
    if mark and (kept := people.secret(person.id)) != mark:
        if kept:
            raise TragError(
                f"The name {name} belongs to another account here.",
                "An admin can give that account another name on the page People, or remove it. Then sign in again.",
            )
        people.put_secret(person.id, mark, by=by, where=where)
    state = "active" if claim.role and person.state == "pending" else person.state
    try:
        return people.change(person.id, by=by, where=where, role=claim.role, state=state, unit=claim.unit)
    except StoreError as error:  # the last admin stays one, whatever the provider says
        log.warning("%s keeps the role %s: %s", name, person.role, error.message)
        return person


def way_in(people: People, person: Person) -> How:
    """What somebody signs in by: whoever was added under a password comes by single sign-on once they have done so."""
    return "sso" if people.secret(person.id).startswith(_SUBJECT) else person.how


def is_vouched_for(people: People, person: Person, settings: Settings) -> bool:
    """Whether the provider or the proxy of these settings says who this is. A password of ours would take the place of
    what they are known by there."""
    return bool({"sso": settings.sso_issuer, "proxy": settings.proxy_user}.get(way_in(people, person)))


def _mark(claim: Claim) -> str:
    """What is kept in place of a password, so that a name given to somebody else at the provider opens nothing here."""
    return f"{_SUBJECT}{hashlib.sha256(claim.subject.encode()).hexdigest()}" if claim.subject else ""
