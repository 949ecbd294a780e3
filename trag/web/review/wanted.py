"""Which queue of answers a page is of, and the place in it, as an address says it.

Knows nothing about requests, HTML or who may judge.
"""

from __future__ import annotations

from collections.abc import Collection, Mapping
from dataclasses import dataclass, fields, replace
from typing import get_args
from urllib.parse import urlencode

from store.reviewing import Choice, Queue
from trag.web.forms import number

CHOICES: tuple[Choice, ...] = get_args(Choice)
SHARES = (1, 2, 5, 10, 20)
"""Percent of all answers that a sample may be."""
COUNTED = 200
"""Answers of a queue that are counted; of more it is said that there are more."""


@dataclass(frozen=True, slots=True)
class Wanted:
    """A queue of one `choice`, on `document` or `unit` where they are not "", and the place `at` in it, from 0.

    A sample is `share` percent of all answers, those that `seed` chooses.
    """

    choice: Choice = "newest"
    document: str = ""
    unit: str = ""
    share: int = 5
    seed: int = 1
    at: int = 0

    @classmethod
    def read(cls, query: Mapping[str, str]) -> Wanted:
        """What the query of an address asks for; nonsense in it is left alone."""
        usual = cls()
        share = number(query.get("share", ""), usual.share)
        return cls(
            next((choice for choice in CHOICES if choice == query.get("choice")), usual.choice),
            query.get("document", ""),
            query.get("unit", ""),
            share if share in SHARES else usual.share,
            number(query.get("seed", ""), usual.seed),
            number(query.get("at", "")),
        )

    def queue(self, hidden: Collection[str]) -> Queue:
        """The queue, without what stands on `hidden` documents."""
        return Queue(self.choice, self.document, self.unit, self.share / 100, self.seed, hidden)

    def of(self, choice: Choice) -> Wanted:
        """The beginning of another queue of the same documents and units."""
        return replace(self, choice=choice, at=0)

    def placed(self, at: int) -> Wanted:
        """The same queue at another place."""
        return replace(self, at=max(at, 0))

    def address(self, path: str, **more: str) -> str:
        """`path` with all of this as its query, and `more`."""
        usual = Wanted()
        told = {each.name: getattr(self, each.name) for each in fields(self)}
        told = {name: value for name, value in told.items() if value != getattr(usual, name)} | more
        return f"{path}?{urlencode(told, errors='replace')}" if told else path
