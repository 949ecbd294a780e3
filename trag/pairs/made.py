"""The record that every way of making pairs gives.

Knows nothing of how pairs are made, kept or searched.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal


@dataclass(frozen=True, slots=True)
class Made:
    """A question about one section, its answer, and what the answer stands on.

    `type` is one of the types in trag/ingest/pairs.py ("short answer", "dialogue"). `section` is the path of headings
    and `page` the section's page. `source` is the stretch of the section that bears the answer out, as it stands
    there; empty where none was found. A pair that is not `supported` is for a person to look at, not for the index.
    """

    question: str
    answer: str
    type: str
    section: str
    page: int | None
    source: str
    origin: Literal["rule", "model"]
    supported: bool
