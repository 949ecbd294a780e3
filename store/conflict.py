"""A conflict: two documents in force that say different things of the same matter."""

from __future__ import annotations

import hashlib
from dataclasses import dataclass
from datetime import datetime
from typing import Literal

ConflictState = Literal["open", "none"]
"""None: somebody who knows said that there is none."""


@dataclass(frozen=True, slots=True)
class Side:
    """What one document says: its name, the section, and the words."""

    document: str
    section: str
    words: str


@dataclass(frozen=True, slots=True)
class Conflict:
    """Two sides, and the question that was asked when they were seen, "" once that is forgotten; `by` is who said last
    what it is."""

    id: str
    question: str
    first: Side
    second: Side
    found: datetime
    state: ConflictState = "open"
    by: str = ""


def conflict_id(*sides: Side) -> str:
    """The id of a conflict, whichever side comes first."""
    told = "\0".join(sorted(f"{side.document}\0{side.words}" for side in sides))
    return hashlib.sha256(told.encode()).hexdigest()[:32]
