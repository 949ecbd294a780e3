"""Somebody who may come in, as the records know them. Knows nothing about what a role may do, or what a unit is."""

from __future__ import annotations

import unicodedata
from dataclasses import dataclass
from datetime import datetime
from typing import Literal

from sqlalchemy import Connection, select

from store import schema, storable

Role = Literal["employee", "reviewer", "admin"]
State = Literal["pending", "active", "disabled"]
How = Literal["password", "sso", "proxy"]


@dataclass(frozen=True, slots=True)
class Person:
    """`name` is what is typed at sign-in, `shown` what others see; `unit` is the id of a unit of the chart or "";
    `how` says what the person signs in by."""

    id: str
    name: str
    shown: str
    role: Role
    state: State
    unit: str
    created: datetime
    how: How


_TABLE = schema.people.c
COLUMNS = (
    _TABLE.id, _TABLE.name, _TABLE.shown, _TABLE.role, _TABLE.state, _TABLE.unit, _TABLE.created, _TABLE.how
)  # fmt: skip
"""The columns of a Person, in the order of its fields."""


_COMPARED = 1_000
"""Characters of a name that are compared."""


@dataclass(frozen=True, slots=True)
class Newcomer:
    """Somebody to be added; `secret` is the hash of a password, "" where none was set."""

    name: str
    shown: str = ""
    role: Role = "employee"
    state: State = "pending"
    unit: str = ""
    how: How = "password"
    secret: str = ""


def called(connection: Connection, person: str) -> str:
    """The name of a person; where nobody has that id, as in a home without accounts, the id itself."""
    return connection.scalar(select(_TABLE.name).where(_TABLE.id == person)) or person


def folded(name: str) -> str:
    """A name as it is compared: without capitals, compatibility forms, or white space that nobody sees. Of one
    that is longer than any that is kept, its beginning: the time that marks take to be composed grows with the square
    of their number."""
    return " ".join(unicodedata.normalize("NFKC", storable(name[:_COMPARED])).casefold().split())
