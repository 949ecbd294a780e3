"""What one check finds in an answer, and how findings add up.

Knows nothing about cases or answers.
"""

from __future__ import annotations

from dataclasses import dataclass

from trag.evaluate.scoring.wording import Place


@dataclass(frozen=True, slots=True)
class Findings:
    """What is `wrong`, what is true and `besides` what was asked, what stays `open`, in words; `places`
    are those that are right."""

    wrong: tuple[str, ...] = ()
    besides: tuple[str, ...] = ()
    open: tuple[str, ...] = ()
    places: tuple[Place, ...] = ()

    def __add__(self, other: Findings) -> Findings:
        return Findings(
            self.wrong + other.wrong, self.besides + other.besides, self.open + other.open, self.places + other.places
        )
