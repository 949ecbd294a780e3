"""Which answers a page shows: those of a system, a kind of question and a verdict, from the first one on.

Knows nothing about requests or HTML.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from trag.evaluate.runs import Result
from trag.record import VERDICTS
from trag.web.forms import number

MOST = 50
"""Answers on a page."""
UNDECIDED = "undecided"
CHOICES = (*VERDICTS, UNDECIDED)
"""The verdicts that can be asked for."""


@dataclass(frozen=True, slots=True)
class Wanted:
    """What is asked for; "" is everything."""

    system: str = ""
    kind: str = ""
    verdict: str = ""
    first: int = 0

    @classmethod
    def read(cls, query: Mapping[str, str]) -> Wanted:
        """What the query of an address asks for; nonsense in it is left alone."""
        verdict = query.get("verdict", "")
        return cls(
            query.get("system", ""),
            query.get("kind", ""),
            verdict if verdict in CHOICES else "",
            number(query.get("first", "")),
        )

    def fits(self, result: Result) -> bool:
        """Whether an answer is asked for."""
        return (
            self.system in ("", result.system)
            and self.kind in ("", result.case.kind)
            and self.verdict in ("", result.score.verdict or UNDECIDED)
        )
