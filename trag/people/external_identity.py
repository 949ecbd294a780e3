"""People whom somebody else vouches for, an OpenID provider or a proxy in front: what a proxy's headers say, and the
account that a claim belongs to."""

from __future__ import annotations

import hashlib
import logging
from collections.abc import Sequence
from dataclasses import dataclass
from ipaddress import IPv4Network, IPv6Network, ip_address, ip_network
from typing import TYPE_CHECKING

from store import StoreError
from store.person import How, Newcomer, Person, Role
from trag.errors import TragError
from trag.people.accounts import accepted, accepted_shown
from trag.people.permissions import CurrentUser

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
class Proxies:
    """The trusted proxies, by their networks, and the header that names who signed in there, "" for none."""

    networks: tuple[IPv4Network | IPv6Network, ...] = ()
    header: str = ""

    def user(self, client: str, values: Sequence[str]) -> str:
        """Who signed in at the proxy, by the values of its header; "" unless a proxy says exactly one."""
        return values[0].strip() if self.header and len(values) == 1 and self._is_trusted(client) else ""

    def origin(self, client: str, forwarded: Sequence[str]) -> str:
        """Where a request came from, by the values of X-Forwarded-For: the nearest address that is not a proxy's. What
        stands before it anybody could have written."""
        if not self._is_trusted(client):
            return client
        for address in reversed([each.strip() for value in forwarded for each in value.split(",")]):
            client = address if _is_address(address) else client
            if not self._is_trusted(address):
                break
        return client

    def _is_trusted(self, address: str) -> bool:
        return _is_address(address) and any(ip_address(address) in network for network in self.networks)


def proxies(addresses: str, header: str) -> Proxies:
    """Proxies as settings name them: addresses or networks with commas between. Raises TragError for what is none."""
    networks = []
    for each in filter(None, map(str.strip, addresses.split(","))):
        try:
            network = ip_network(each)
        except ValueError as error:
            raise TragError(
                f"proxy_from: {each!r} is no address.", "Write addresses or networks, like 10.0.0.5, 10.1.0.0/16."
            ) from error
        if not network.prefixlen:
            raise TragError(f"proxy_from: {each!r} is every machine there is.", "Name the proxies alone.")
        networks.append(network)
    if header and not networks:
        raise TragError("proxy_user names a header, but proxy_from names no proxy that may send it.", "Set both.")
    return Proxies(tuple(networks), header.lower())


def _is_address(text: str) -> bool:
    try:
        ip_address(text)
    except ValueError:
        return False
    return True


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


def provision(people: People, claim: Claim, *, where: str) -> Person:
    """The account of a claim, brought up to date: a new one waits for an admin, unless the claim gives a role. A
    disabled one stays so. An admin who is the first person of all takes over what was asked and judged here before
    there were accounts.

    Raises TragError where the name belongs to somebody who comes in another way, or was given to another person; and
    for who is not welcome, whose sessions and tokens end with that.
    """
    # Kept in place of a password, so that a name given to somebody else at the provider opens nothing here.
    mark = f"{_SUBJECT}{hashlib.sha256(claim.subject.encode()).hexdigest()}" if claim.subject else ""
    if not claim.welcome:
        for known in people.holding(mark):
            people.shut_out(known.id, by=f"{known.name} ({claim.how})", where=where, why="no group lets them in")
        raise TragError(*UNWELCOME)
    name = accepted(claim.name)
    shown = accepted_shown(claim.shown, name)
    by = f"{name} ({claim.how})"
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


def sign_in_method(people: People, person: Person) -> How:
    """What somebody signs in by: whoever was added under a password comes by single sign-on once they have done so."""
    return "sso" if people.secret(person.id).startswith(_SUBJECT) else person.how


def is_external(people: People, person: Person, settings: Settings) -> bool:
    """Whether the provider or the proxy of these settings says who this is. A password of ours would take the place of
    what they are known by there."""
    return bool({"sso": settings.sso_issuer, "proxy": settings.proxy_user}.get(sign_in_method(people, person)))
