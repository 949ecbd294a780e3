"""Signing in with a name and a password, and the rate limits on it.

Whoever does not know the password learns nothing: the words, and the time they take, are the same whether the name
exists or not. Wrong tries make the next one wait, ever longer up to a bound, and never shut anybody out for good
(ASVS 6.3.1, 6.3.8).
"""

from __future__ import annotations

import hashlib
import threading
from collections import Counter
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from datetime import UTC, datetime
from typing import TYPE_CHECKING

from store.person import Person, folded
from trag.errors import TragError, later
from trag.people import passwords, second_factor

if TYPE_CHECKING:
    from store.records import Records

WRONG = (
    later("The name or the password is wrong."),
    later("Try again, or ask an admin for a link to set a new password."),
)
WRONG_CODE = (
    later("That code is wrong, or was used already."),
    later("Wait for the next one from your app, or type a recovery code. Who has neither asks an admin."),
)
WAITS = (later("Your account waits for an admin to approve it."), later("Nothing more is needed from you."))
DISABLED = (later("Your account is disabled."), later("An admin can say why."))
_SKEW = 5.0
"""Seconds by which a failure may lie ahead of this clock; further ahead, the clock was set back."""


class RateLimited(TragError):
    """A try before its time; `seconds` until the next one counts."""

    def __init__(self, seconds: int) -> None:
        wait = f"{seconds} seconds" if seconds < 90 else f"{round(seconds / 60)} minutes"
        super().__init__(later("There were too many wrong tries."), f"Try again in {wait}.")
        self.seconds = seconds


@dataclass(frozen=True, slots=True)
class RateLimit:
    """`free` wrong tries cost nothing; each more doubles the wait from a second up to `most` seconds."""

    free: int
    most: int

    def seconds(self, failed: int) -> int:
        """How long to wait after so many failures."""
        return min(2 ** min(failed - self.free, 30), self.most) if failed >= self.free else 0


RATE_LIMITS = {
    "from": RateLimit(4, 300),
    "name": RateLimit(12, 10),
    "address": RateLimit(60, 10),
    "code": RateLimit(4, 300),
}
"""For one name from one address; for one name from anywhere, short, since anybody can cause it; for one address, short,
since a whole building may share it; and for the codes of one person from anywhere, which only who knows their password
can try."""


class SignIn:
    """The way in by password, for one home. Any thread may use it."""

    def __init__(self, records: Records) -> None:
        self._records = records
        self._lock = threading.Lock()
        self._trying: Counter[str] = Counter()

    def by_password(self, name: str, password: str, address: str) -> Person:
        """Who has this name and password. Raises TragError with what may be said to whoever does not: RateLimited
        without even looking at the password."""
        people, audit = self._records.people, self._records.audit
        # Names are hashed: what is typed there by mistake may be a password.
        who = hashlib.sha256(folded(name[:200]).encode("utf-8", "replace")).hexdigest()[:32]
        keys = {"from": f"from:{who}:{address}", "name": f"name:{who}", "address": f"address:{address}"}
        with self._attempt(keys):
            person = people.find(name) if name else None
            kept = people.secret(person.id if person else "")
            if not passwords.is_right(password, kept):
                people.failed(*keys.values())
                # A password typed into the wrong field must not be kept: only names that exist are.
                audit.add(person.name if person else "", "sign-in", where=address, result="wrong name or password")
                raise TragError(*WRONG)
        assert person
        people.forgive(keys["from"], keys["name"])
        if person.state != "active":
            audit.add(person.name, "sign-in", where=address, result=person.state)
            raise TragError(*(WAITS if person.state == "pending" else DISABLED))
        if passwords.is_dated(kept):
            people.rehash(person.id, passwords.hashed(password), instead_of=kept)
        return person

    def by_code(self, person: Person, typed: str, address: str, *, link: str = "") -> str:
        """Which kind of code of their second factor somebody typed, "code" or "recovery code": used up by this, with
        the `link` of their sign-in. Raises TragError for a wrong one, RateLimited without looking at it, and StoreError
        for a link that is used or over."""
        people, audit = self._records.people, self._records.audit
        keys = {"code": f"code:{person.id}", "address": f"address:{address}"}
        with self._attempt(keys):
            kind = self._used_code(person, typed, link)
            if not kind:
                people.failed(*keys.values())
                audit.add(person.name, "sign-in", where=address, result="wrong code")
                raise TragError(*WRONG_CODE)
        people.forgive(keys["code"])
        return kind

    def _used_code(self, person: Person, typed: str, link: str) -> str:
        factors = self._records.second_factors
        factor, (number, code) = factors.of(person.id), second_factor.as_recovery_code(typed)
        if factor is None or factor.since is None:
            return ""
        if number and passwords.is_right(code, factors.recovery_hash(person.id, number)):
            return "recovery code" if factors.use(person.id, recovery=number, link=link) else ""
        step = second_factor.step_of(factor.key, typed)
        return "code" if step and factors.use(person.id, step=step, link=link) else ""

    def is_own(self, person: Person, password: str, address: str) -> bool:
        """Whether somebody who is in already knows their own password; wrong tries count as for `by_password`."""
        try:
            return self.by_password(person.name, password, address).id == person.id
        except RateLimited:
            raise
        except TragError:
            return False

    @contextmanager
    def _attempt(self, keys: dict[str, str]) -> Iterator[None]:
        """A try under way counts as failed until it is over: many at once are no way around the wait."""
        with self._lock:
            wait = max(self._wait(RATE_LIMITS[kind], key) for kind, key in keys.items())
            if wait:
                raise RateLimited(wait)
            self._trying.update(keys.values())
        try:
            yield
        finally:
            with self._lock:
                self._trying.subtract(keys.values())
                self._trying += Counter()  # drops what is zero

    def _wait(self, limit: RateLimit, key: str) -> int:
        """Whole seconds until the next try counts. A clock that was set back ends a wait: nobody waits for a day."""
        failures, trying = self._records.people.failures(key), self._trying[key]
        seconds = limit.seconds(failures.count + trying)
        if trying:
            return seconds
        since = (_now() - failures.last).total_seconds() if failures.last else seconds
        return 0 if since >= seconds or since < -_SKEW else max(1, round(seconds - since))


def _now() -> datetime:
    return datetime.now(UTC)
