"""Who may sign in: people, their role, state and unit, the hash of a password, and failed sign-ins.

Each change is one transaction with its row in the audit log.
"""

from __future__ import annotations

import uuid
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from typing import get_args

from sqlalchemy import ColumnElement, Connection, Engine, case, delete, func, insert, select, update
from sqlalchemy.dialects import postgresql, sqlite
from sqlalchemy.exc import IntegrityError

from store import StoreError, audit, schema, storable
from store.database import lock_table, reading, rows, writing
from store.keys import end_keys, use_link
from store.person import COLUMNS, Forgotten, How, Newcomer, Person, Role, State, asked_by, folded, forget

REMEMBERED = timedelta(days=1)
"""How long a failed sign-in counts."""


@dataclass(frozen=True, slots=True)
class Failures:
    """How often something failed since it last succeeded, and when last (None: never)."""

    count: int = 0
    last: datetime | None = None


class People:
    """The people of one home."""

    def __init__(self, engine: Engine) -> None:
        self._engine = engine

    def add(self, newcomer: Newcomer, *, by: str, where: str = "", link: str = "", heir_of: str = "") -> Person:
        """A new person. With `link`, the secret of a one-time link that is used up in the same transaction; with
        `heir_of`, the owner without an account whose conversations and verdicts are theirs from now on.

        Raises StoreError for a name that is taken or empty, for an unknown role, state or way to sign in, and for a
        link that is used or over; then nothing changes.
        """
        return self.add_all([newcomer], by=by, where=where, link=link, heir_of=heir_of)[0]

    def add_all(
        self, newcomers: Sequence[Newcomer], *, by: str, where: str = "", link: str = "", heir_of: str = ""
    ) -> tuple[Person, ...]:
        """All of these people, or none; the first is the heir. Raises what `add` raises."""
        with writing(self._engine) as connection:
            if link:
                use_link(connection, link, "first admin")
            added = []
            for each in newcomers:
                if each.how not in get_args(How):
                    raise StoreError(f"{each.how!r} is no way to sign in.", f"Use one of {', '.join(get_args(How))}.")
                id = uuid.uuid4().hex
                row = {field: getattr(each, field) for field in ("name", "role", "state", "unit")}
                _write(connection, id, row | {"shown": each.shown or each.name}, created=_now(), how=each.how)
                if each.secret:
                    _put_secret(connection, id, each.secret)
                added.append(_get(connection, id))
            if heir_of:
                for column in (schema.conversations.c.owner, schema.reviews.c.asker, schema.labels.c.reviewer):
                    heir = {column: added[0].id}
                    connection.execute(update(column.table).where(column == heir_of).values(heir))
            for person in added:
                detail = f"{person.role}, {person.state}" + (f", unit {person.unit}" if person.unit else "")
                audit.note(connection, by, "person added", person.name, where=where, result=detail)
        return tuple(added)

    def exist(self) -> bool:
        """Whether there is anybody; without, there are no accounts."""
        return bool(rows(self._engine, select(schema.people.c.id).limit(1)))

    def find(self, name: str) -> Person | None:
        """The person of that name, in capitals or not."""
        return self._one(schema.people.c.folded == folded(name))

    def get(self, id: str) -> Person | None:
        """The person with that id."""
        return self._one(schema.people.c.id == id)

    def known(self, names: Iterable[str]) -> frozenset[str]:
        """Those of these names that somebody has, in capitals or not."""
        spelt = {name: folded(name) for name in names}
        column = schema.people.c.folded
        taken = {row[0] for row in rows(self._engine, select(column).where(column.in_(set(spelt.values()))))}
        return frozenset(name for name, one in spelt.items() if one in taken)

    def all(
        self, *, search: str = "", state: str = "", role: str = "", page: int = 1, most: int = 50
    ) -> tuple[Person, ...]:
        """A page of the people whose name holds `search`, those who wait first, then by name. "" is any."""
        table = schema.people.c
        query = select(*COLUMNS).where(*_chosen(search, state, role))
        query = query.order_by(case((table.state == "pending", 0), else_=1), table.folded)
        page_of = query.limit(most).offset(most * (max(page, 1) - 1))
        return tuple(Person(*row) for row in rows(self._engine, page_of))

    def count(self, *, search: str = "", state: str = "", role: str = "") -> int:
        """How many `all` has on all its pages."""
        query = select(func.count()).select_from(schema.people).where(*_chosen(search, state, role))
        with reading(self._engine) as connection:
            return connection.scalar(query) or 0

    def change(
        self,
        id: str,
        *,
        by: str,
        where: str = "",
        name: str | None = None,
        shown: str | None = None,
        role: Role | None = None,
        state: State | None = None,
        unit: str | None = None,
    ) -> Person:
        """The person with what is given in place of what was. With another role or state, every session and token of
        theirs ends. Under another name the log goes on with that one.

        Raises StoreError when the person is gone or the name is taken, and where nobody would be left as an active
        admin.
        """
        given = {"name": name, "shown": shown, "role": role, "state": state, "unit": unit}
        with writing(self._engine) as connection:
            lock_table(connection, schema.people)  # the last two admins could demote each other at once
            before = _get(connection, id)
            old = {field: getattr(before, field) for field in given}
            new = {
                field: storable(value) for field, value in given.items() if value is not None and value != old[field]
            }
            if not new:
                return before
            _write(connection, id, old | new)
            if "name" in new:
                _owns_as(connection, before.name, new["name"])
            _keep_an_admin(connection, before)
            if "role" in new or "state" in new:
                end_keys(connection, id)
            detail = "; ".join(f"{field}: {old[field]} -> {value}" for field, value in new.items())
            now = _get(connection, id)
            audit.note(connection, by, "person changed", now.name, where=where, result=detail)
            return now

    def remove(self, id: str, *, by: str, where: str = "") -> Forgotten:
        """Remove a person with their sessions, tokens and links, and forget their conversations; what they judged of
        others' answers stays under an id that names nobody.

        Raises StoreError when the person is gone, and for the last active admin.
        """
        with writing(self._engine) as connection:
            lock_table(connection, schema.people)  # the last two admins could demote each other at once
            before = _get(connection, id)
            forgotten = _remove(connection, _TABLE.id == id)
            _keep_an_admin(connection, before)
            _owns_as(connection, before.name, "")
            audit.note(connection, by, "person removed", before.name, where=where, result=str(forgotten))
        return forgotten

    def refuse(self, until: datetime, *, by: str, where: str = "") -> tuple[Person, ...]:
        """Remove everybody who waits and was here at that moment already: whoever asked later was not seen."""
        waiting = (_TABLE.state == "pending", _TABLE.created <= until)
        with writing(self._engine) as connection:
            lock_table(connection, schema.people)  # the last two admins could demote each other at once
            found = connection.execute(select(*COLUMNS).where(*waiting).order_by(_TABLE.folded)).all()
            refused = tuple(Person(*row) for row in found)
            _remove(connection, *waiting)
            for person in refused:
                audit.note(connection, by, "person removed", person.name, where=where, result="refused while waiting")
        return refused

    def shut_out(self, id: str, *, by: str, where: str = "", why: str = "") -> None:
        """End every session and token of a person. Raises StoreError when the person is gone."""
        with writing(self._engine) as connection:
            person = _get(connection, id)
            sessions, tokens = end_keys(connection, id)
            if sessions or tokens:
                detail = f"{sessions} sessions, {tokens} tokens" + (f": {why}" if why else "")
                audit.note(connection, by, "sessions and tokens ended", person.name, where=where, result=detail)

    # Passwords

    def secret(self, id: str) -> str:
        """The hash of a person's password, "" where none was set."""
        with reading(self._engine) as connection:
            return connection.scalar(select(schema.secrets.c.hash).where(schema.secrets.c.person == id)) or ""

    def holding(self, hash: str) -> tuple[Person, ...]:
        """Everybody of whom exactly this is kept in place of a password."""
        query = select(*COLUMNS).join(schema.secrets, schema.secrets.c.person == _TABLE.id)
        return tuple(Person(*row) for row in rows(self._engine, query.where(schema.secrets.c.hash == hash)))

    def put_secret(
        self,
        id: str,
        hash: str,
        *,
        by: str,
        where: str = "",
        link: str = "",
        session: str = "",
        tokens: bool = False,
    ) -> None:
        """Keep the hash of a new password, and end the person's sessions but the one with the id `session`, and their
        `tokens` too where that is wanted.

        With `link`, the secret of a one-time link of this person that is used up with it, the tokens end in any case:
        who forgot a password may have lost it to somebody. Raises StoreError when the person is gone, or the link is
        used, over or another's.
        """
        with writing(self._engine) as connection:
            person = _get(connection, id)
            if link and use_link(connection, link, "password").person != id:
                raise StoreError("That link is for somebody else.", "Open the link that you were given yourself.")
            _put_secret(connection, id, hash)
            _, ended = end_keys(connection, id, but=session, tokens=tokens or bool(link))
            detail = ["by a link"] * bool(link) + [f"{ended} tokens ended"] * bool(ended)
            audit.note(connection, by, "password set", person.name, where=where, result=", ".join(detail))

    def rehash(self, id: str, hash: str, *, instead_of: str) -> None:
        """Keep a stronger hash of the same password, unless it was changed meanwhile. Nothing else changes."""
        table = schema.secrets
        with writing(self._engine) as connection:
            same = (table.c.person == id, table.c.hash == instead_of)
            connection.execute(update(table).where(*same).values(hash=hash))

    # Failed sign-ins

    def failures(self, key: str) -> Failures:
        """What is remembered of a key: "name:ada", "address:10.0.0.7"."""
        table = schema.failures.c
        for count, last in rows(self._engine, select(table.count, table.last).where(table.key == key)):
            if abs(_now() - last) < REMEMBERED:
                return Failures(count, last)
        return Failures()

    def failed(self, *keys: str) -> None:
        """Count a failure for each key; those that are a day away from now are forgotten."""
        table, now = schema.failures, _now()
        with writing(self._engine) as connection:
            over = (table.c.last <= now - REMEMBERED) | (table.c.last >= now + REMEMBERED)
            connection.execute(delete(table).where(over))
            dialect = postgresql if connection.dialect.name == "postgresql" else sqlite
            for key in sorted(set(keys)):  # in one order, so that two that fail at once do not wait for each other
                one: postgresql.Insert | sqlite.Insert = dialect.insert(table).values(key=key, count=1, last=now)
                again = {"count": table.c.count + 1, "last": now}
                connection.execute(one.on_conflict_do_update(index_elements=["key"], set_=again))

    def forgive(self, *keys: str) -> None:
        """Forget the failures of these keys."""
        with writing(self._engine) as connection:
            connection.execute(delete(schema.failures).where(schema.failures.c.key.in_(keys)))

    def _one(self, condition: ColumnElement[bool]) -> Person | None:
        return next((Person(*row) for row in rows(self._engine, select(*COLUMNS).where(condition))), None)


_TABLE = schema.people.c


def _chosen(search: str, state: str, role: str) -> list[ColumnElement[bool]]:
    chosen = [_TABLE.found_by.contains(folded(search), autoescape=True)] if search else []
    return chosen + [column == value for column, value in ((_TABLE.state, state), (_TABLE.role, role)) if value]


def _owns_as(connection: Connection, before: str, name: str) -> None:
    """The documents of a person under another name, "" for nobody's: whoever is called so next must not own them."""
    owned = update(schema.validity).where(schema.validity.c.person == before)
    connection.execute(owned.values(person=name))


def _get(connection: Connection, id: str) -> Person:
    row = connection.execute(select(*COLUMNS).where(_TABLE.id == id)).first()
    if row is None:
        raise StoreError("There is no such person.", "They may have been removed in another window: reload the page.")
    return Person(*row)


def _remove(connection: Connection, *chosen: ColumnElement[bool]) -> Forgotten:
    """Remove the people who are chosen, with all that let them in and all that they asked."""
    gone = select(_TABLE.id).where(*chosen)
    alone = asked_by(schema.reviews.c.asker.in_(gone))
    forgotten = forget(connection, schema.conversations.c.owner.in_(gone), alone=alone)
    connection.execute(delete(schema.people).where(*chosen))
    return forgotten


def _write(connection: Connection, id: str, values: dict[str, str], **first: object) -> None:
    """Write a person's row, a new one when `first` says what is written once."""
    name = folded(values["name"])
    if not name:
        raise StoreError("A person needs a name.", "Give the name that is typed at sign-in.")
    for field, known in (("role", get_args(Role)), ("state", get_args(State))):
        if values[field] not in known:
            raise StoreError(f"{values[field]!r} is no {field}.", f"Use one of {', '.join(known)}.")
    row = values | {"folded": name, "found_by": f"{name} {folded(values['shown'])}"}
    table = schema.people
    taken = select(table.c.id).where(table.c.folded == name, table.c.id != id)
    if connection.execute(taken).first():
        raise _taken(values["name"])
    try:
        if first:
            connection.execute(insert(table), row | {"id": id} | first)
        else:
            connection.execute(update(table).where(table.c.id == id).values(row))
    except IntegrityError as error:  # another process was faster
        raise _taken(values["name"]) from error


def _taken(name: str) -> StoreError:
    return StoreError(f"The name {name} is taken.", "Choose another name.")


def _keep_an_admin(connection: Connection, before: Person) -> None:
    """Raises StoreError where the one who was changed was the last active admin."""
    admins = select(_TABLE.id).where(_TABLE.role == "admin", _TABLE.state == "active").limit(1)
    if (before.role, before.state) == ("admin", "active") and connection.execute(admins).first() is None:
        raise StoreError(
            f"{before.name} is the last active admin, so nobody could let people in any more.",
            "Make somebody else an admin first.",
        )


def _put_secret(connection: Connection, id: str, hash: str) -> None:
    table = schema.secrets
    if connection.execute(update(table).where(table.c.person == id).values(hash=hash)).rowcount == 0:
        connection.execute(insert(table), {"person": id, "hash": hash})


def _now() -> datetime:
    return datetime.now(UTC)
