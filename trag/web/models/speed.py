"""How fast the answers of late were written.

answers -> Speed.  Knows nothing about models or pages.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from statistics import median

from trag.record import AnswerRecord

_FEWEST = 8
"""Tokens that an answer must have to say anything about speed."""


@dataclass(frozen=True, slots=True)
class Speed:
    """The medians of so many answers: tokens written a second, and seconds to the first of them."""

    answers: int
    tokens_per_second: float
    first_token: float


def speed(records: Iterable[AnswerRecord], *, sha256: str, adapter: str) -> Speed | None:
    """That of the answers which this model wrote with this adapter, at once and to their end; None without any."""
    written = [
        record
        for record in records
        if (record.model.sha256, record.model.adapter) == (sha256, adapter)
        and record.checks.attempts == 1
        and not record.interrupted
        and record.tokens.completion >= _FEWEST
        and record.seconds.generate > 0
    ]
    if not written:
        return None
    rates = (record.tokens.completion / record.seconds.generate for record in written)
    return Speed(len(written), median(rates), median(record.seconds.first_token for record in written))
