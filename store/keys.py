"""What lets people in once they are known: sessions of browsers, tokens of programs, and links that work once.

Of each only the sha256 is kept, which is its id; the 256 random bits are told once, to whoever is to hold them. What
was begun more than `IDLE` from now lets nobody in: the clock was set back since, and it would last too long.
"""

from __future__ import annotations

import hashlib
import logging
import secrets
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from typing import Any, Literal

from sqlalchemy import ColumnElement, Connection, Engine, Table, delete, insert, select, update

from store import StoreError, audit, schema
from store.database import rows, writing
from store.person import COLUMNS, Person, display_name

log = logging.getLogger(__name__)

Kind = Literal["first admin", "password", "second factor"]
"""What a link is for: to make the first admin, to choose a new password, or, which no address carries, to go on with a
sign-in that wants a code."""
IN_ADDRESSES: tuple[Kind, ...] = ("first admin", "password")
Scope = Literal["ask", "read"]
"""What a token is for: to ask, or besides to read the words that an answer stands on, and what was said before. There
is none for anything else."""
IDLE = timedelta(hours=12)
"""How long a session lasts that nobody uses."""
LASTS = timedelta(days=7)
"""How long a session lasts at most, and the link that lasts longest."""
PREFIX = "trag_"
"""What every token begins with, so that one that got out is recognised."""
_SEEN_EVERY = timedelta(minutes=1)
"""How exactly the last use is known: a write for each request would cost more than the request."""


@dataclass(frozen=True, slots=True)
class Session:
    """A browser that somebody signed in with; `person` is their id."""

    id: str
    person: str
    begun: datetime
    seen: datetime
    ends: datetime


@dataclass(frozen=True, slots=True)
class Token:
    """What a program acts for somebody with, within its scope; `last_used` is None for never."""

    id: str
    person: str
    name: str
    created: datetime
    last_used: datetime | None
    ends: datetime
    scope: Scope


@dataclass(frozen=True, slots=True)
class Link:
    """A link that works once; `person` is the id of whom it is for, None for the first admin."""

    id: str
    kind: Kind
    person: str | None
    ends: datetime


class Sessions:
    """The sessions of one home."""

    def __init__(self, engine: Engine) -> None:
        self._engine = engine

    def begin(self, person: str) -> tuple[str, Session]:
        """What the browser is to hold, and its new session. Raises StoreError unless that person is active."""
        secret, now = secrets.token_urlsafe(32), _now()
        session = Session(_hash(secret), person, now, now, now + LASTS)
        table = schema.sessions
        with writing(self._engine) as connection:
            connection.execute(delete(table).where((table.c.ends <= now) | (table.c.seen <= now - IDLE)))
            _name(connection, person, active=True)
            row = {"id": session.id, "person": person, "begun": now, "seen": now, "ends": session.ends}
            connection.execute(insert(table), row)
        return secret, session

    def find(self, secret: str, *, used: bool = True) -> tuple[Session, Person] | None:
        """The session that a browser holds, and whose it is as they are now; None when it is over, was idle too long
        or its person is not active. It is `used` by this, unless a page asks by itself."""
        now = _now()
        found = _find(self._engine, schema.sessions, secret)
        if found is None:
            return None
        row, person = found
        session = Session(*row)
        if not (now < session.ends and abs(now - session.seen) < IDLE):
            return None
        if used and abs(now - session.seen) >= _SEEN_EVERY:
            _note_use(self._engine, schema.sessions, session.id, seen=now)
        return session, person

    def of(self, person: str) -> tuple[Session, ...]:
        """The sessions of a person that go on, the last used first."""
        table, now = schema.sessions, _now()
        going = (table.c.person == person, table.c.ends > now, table.c.seen > now - IDLE, table.c.seen < now + IDLE)
        query = select(table).where(*going).order_by(table.c.seen.desc())
        return tuple(Session(*row) for row in rows(self._engine, query))

    def end(self, id: str) -> None:
        """End a session; one that is over stays so."""
        with writing(self._engine) as connection:
            connection.execute(delete(schema.sessions).where(schema.sessions.c.id == id))

    def end_all(self, person: str, *, but: str = "") -> None:
        """End every session of a person, but the one with that id."""
        with writing(self._engine) as connection:
            end_keys(connection, person, but=but, tokens=False)


class Tokens:
    """The tokens of one home."""

    def __init__(self, engine: Engine) -> None:
        self._engine = engine

    def make(
        self, person: str, name: str, lasts: timedelta, *, by: str, scope: Scope = "ask", where: str = ""
    ) -> tuple[str, Token]:
        """What the program is to hold, and its new token. Raises StoreError unless that person is active."""
        secret, now = PREFIX + secrets.token_urlsafe(32), _now()
        token = Token(_hash(secret), person, name, now, None, now + lasts, scope)
        with writing(self._engine) as connection:
            whose = _name(connection, person, active=True)
            row = {"id": token.id, "person": person, "name": name, "created": now, "ends": token.ends, "scope": scope}
            connection.execute(insert(schema.tokens), row)
            detail = f"{name}, to {scope}, until {token.ends:%Y-%m-%d}"
            audit.note(connection, by, "token made", whose, where=where, result=detail)
        return secret, token

    def find(self, secret: str) -> tuple[Token, Person] | None:
        """The token that a program holds, and whose it is as they are now; None when it is over or its person is not
        active."""
        now = _now()
        found = _find(self._engine, schema.tokens, secret) if secret.startswith(PREFIX) else None
        if found is None:
            return None
        row, person = found
        token = Token(*row)
        if not (token.created - IDLE < now < token.ends):
            return None
        if token.last_used is None or abs(now - token.last_used) >= _SEEN_EVERY:
            _note_use(self._engine, schema.tokens, token.id, last_used=now)
        return token, person

    def of(self, person: str) -> tuple[Token, ...]:
        """The tokens of a person, also those that are over, the newest first."""
        table = schema.tokens
        query = select(table).where(table.c.person == person).order_by(table.c.created.desc())
        return tuple(Token(*row) for row in rows(self._engine, query))

    def end(self, id: str, *, by: str, where: str = "") -> None:
        """End a token; one that is over stays so."""
        table = schema.tokens
        with writing(self._engine) as connection:
            row = connection.execute(select(table).where(table.c.id == id)).first()
            if row is not None:
                connection.execute(delete(table).where(table.c.id == id))
                audit.note(
                    connection, by, "token ended", display_name(connection, row.person), where=where, result=row.name
                )


class Links:
    """The one-time links of one home.

    A link is used up by `People.add`, `People.put_secret` or `SecondFactors.use`, in the transaction of what it is for.
    """

    def __init__(self, engine: Engine) -> None:
        self._engine = engine

    def make(self, kind: Kind, person: str | None, lasts: timedelta, *, by: str, where: str = "") -> tuple[str, Link]:
        """What the link is to carry, and the link; an earlier one of the same kind for the same person ends, but for
        sign-ins: whoever begins another does not end one that is under way. Raises StoreError when nobody has that
        id."""
        secret, now = secrets.token_urlsafe(32), _now()
        link = Link(_hash(secret), kind, person, now + lasts)
        table = schema.links
        with writing(self._engine) as connection:
            whose = "" if person is None else _name(connection, person)
            same = table.c.person.is_(None) if person is None else table.c.person == person
            earlier = table.c.ends <= now if kind == "second factor" else same
            connection.execute(delete(table).where(table.c.kind == kind, earlier))
            row = {"id": link.id, "kind": kind, "person": person, "ends": link.ends}
            connection.execute(insert(table), row)
            if kind == "second factor":
                audit.note(connection, by, "sign-in", where=where, result="the password was right, a code is asked for")
            else:
                audit.note(connection, by, "link made", whose, where=where, result=kind)
        return secret, link

    def find(self, secret: str, kinds: tuple[Kind, ...] = IN_ADDRESSES) -> Link | None:
        """The link of one of these kinds that carries this, None when it was used or is over."""
        table = schema.links
        query = select(table).where(table.c.id == _hash(secret), table.c.kind.in_(kinds), *_goes_on())
        return next((Link(*row) for row in rows(self._engine, query)), None)


def use_link(connection: Connection, secret: str, kind: Kind) -> Link:
    """Use up a link of that kind. Raises StoreError when it was used or is over, or is for something else."""
    table = schema.links
    this = (table.c.id == _hash(secret), table.c.kind == kind)
    row = connection.execute(select(table).where(*this)).first()
    # Of two that use it at once only one finds it there to delete.
    used = connection.execute(delete(table).where(*this, *_goes_on()))
    if row is None or used.rowcount == 0:
        raise StoreError("This link was used already, or its time is over.", "Ask for a new one.")
    return Link(*row)


def _note_use(engine: Engine, table: Table, id: str, **moment: datetime) -> None:
    """Writes down when a key was last used. Where nothing can be written nobody is shut out for that: an admin may be
    coming to make room."""
    try:
        with writing(engine) as connection:
            connection.execute(update(table).where(table.c.id == id).values(**moment))
    except StoreError as error:
        log.warning("when a key was last used is not kept: %s", error.message)


def _goes_on() -> tuple[ColumnElement[bool], ...]:
    """That a link is not over."""
    ends, now = schema.links.c.ends, _now()
    return ends > now, ends < now + LASTS + IDLE


def end_keys(connection: Connection, person: str, *, but: str = "", tokens: bool = True) -> tuple[int, int]:
    """End the sessions of a person but the one with that id, with the sign-ins that want a code still, and the tokens:
    how many sessions and tokens."""
    sessions, links = schema.sessions, schema.links
    connection.execute(delete(links).where(links.c.person == person, links.c.kind == "second factor"))
    ended = connection.execute(delete(sessions).where(sessions.c.person == person, sessions.c.id != but)).rowcount
    if not tokens:
        return ended, 0
    return ended, connection.execute(delete(schema.tokens).where(schema.tokens.c.person == person)).rowcount


def _find(engine: Engine, table: Table, secret: str) -> tuple[tuple[Any, ...], Person] | None:
    """The row that belongs to a secret, and its person, who is active."""
    people = schema.people
    query = select(*table.columns, *COLUMNS).join_from(table, people, table.c.person == people.c.id)
    own, active = len(table.columns), query.where(table.c.id == _hash(secret), people.c.state == "active")
    return next(((tuple(row[:own]), Person(*row[own:])) for row in rows(engine, active)), None)


def _name(connection: Connection, person: str, *, active: bool = False) -> str:
    """The name of a person, who stays as they are until the transaction is over. Raises StoreError when nobody has that
    id, or they are not `active`."""
    people = schema.people.c
    wanted = (people.id == person, *([people.state == "active"] if active else []))
    name: str | None = connection.scalar(select(people.name).where(*wanted).with_for_update(read=True))
    if name is None and active:
        raise StoreError("This account is not active.", "An admin can activate it on the page People.")
    if name is None:
        raise StoreError("This account was removed.", "Load the page People again.")
    return name


def _hash(secret: str) -> str:
    return hashlib.sha256(secret.encode("utf-8", "surrogatepass")).hexdigest()


def _now() -> datetime:
    return datetime.now(UTC)
