"""People whom somebody else vouches for, an OpenID provider or a proxy: known, or new and waiting.

A claim -> the person it is about, brought up to date. Knows nothing about how the claim was proved.
"""

from __future__ import annotations

import hashlib
import logging
from dataclasses import dataclass
from typing import TYPE_CHECKING

from store import StoreError
from store.person import How, Newcomer, Person, Role
from trag.errors import TragError
from trag.people import Caller
from trag.people.names import accepted, accepted_shown

if TYPE_CHECKING:
    from store.people import People

log = logging.getLogger(__name__)


@dataclass(frozen=True, slots=True)
class Claim:
    """Who somebody is said to be. `subject` is what the provider never gives to another person, "" where it tells none;
    `role` and `unit` are None where nothing is said about them."""

    name: str
    shown: str
    how: How
    subject: str = ""
    role: Role | None = None
    unit: str | None = None


def arrive(people: People, claim: Claim, *, where: str) -> Person:
    """The person of a claim: a new one waits for an admin, unless the claim gives a role. A disabled one stays so. An
    admin who is the first person of all takes over what was asked and judged here before there were accounts.

    Raises TragError where the name belongs to somebody who comes in another way, or was given to another person.
    """
    name = accepted(claim.name)
    shown = accepted_shown(claim.shown, name)
    by, mark = f"{name} ({claim.how})", _mark(claim)
    person = people.find(name)
    if person is None:
        state = "active" if claim.role else "pending"
        new = Newcomer(name, shown, claim.role or "employee", state, claim.unit or "", claim.how, mark)  # type: ignore[arg-type]
        alone = claim.role == "admin" and not people.exist()
        return people.add(new, by=by, where=where, heir_of=Caller.local.person if alone else "")
    if mark and (kept := people.secret(person.id)) != mark:
        if kept:
            raise TragError(
                f"The name {name} belongs to another account here.",
                "An admin can say which, and give you another name.",
            )
        people.put_secret(person.id, mark, by=by, where=where)
    state = "active" if claim.role and person.state == "pending" else person.state
    try:
        return people.change(person.id, by=by, where=where, role=claim.role, state=state, unit=claim.unit)
    except StoreError as error:  # the last admin stays one, whatever the provider says
        log.warning("%s keeps the role %s: %s", name, person.role, error.message)
        return person


def _mark(claim: Claim) -> str:
    """What is kept in place of a password, so that a name given to somebody else at the provider opens nothing here."""
    return f"subject:{hashlib.sha256(claim.subject.encode()).hexdigest()}" if claim.subject else ""
