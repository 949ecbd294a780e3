"""People: who may come in, as whom, and with which password. The rules, without the web.

`CurrentUser` is who asks, wherever something is asked: every question of "may they?" is answered from it.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

from store.person import Person, Role

ROLES: tuple[Role, ...] = ("employee", "reviewer", "admin")
"""What somebody may do; each may do all that those before it may."""


def role_of(word: str) -> Role | None:
    """The role that a word names, None where it names none."""
    return next((role for role in ROLES if role == word), None)


@dataclass(frozen=True, slots=True)
class CurrentUser:
    """Who asks: the id of a person, the name they sign in with and the one that is shown, their role, and the id of
    their unit in the chart, "" for none."""

    person: str
    name: str
    shown: str
    role: Role
    unit: str = ""

    local: ClassVar[CurrentUser]
    """Whoever sits at the machine of a home without accounts: one person, who may do everything."""

    @classmethod
    def of(cls, person: Person) -> CurrentUser:
        """A person of the records as somebody who asks."""
        return cls(person.id, person.name, person.shown, person.role, person.unit)

    def may(self, role: Role) -> bool:
        """Whether this caller may do what is asked of that role."""
        return ROLES.index(self.role) >= ROLES.index(role)


CurrentUser.local = CurrentUser("local", "local", "You", "admin")
