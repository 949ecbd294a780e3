"""How long a text is, how much it repeats itself, and how much it tells of a written checklist.

Plan-based retrieval, section 4.3 and appendix A.1.2; checklists the paper does not have.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from trag.evaluate.briefs.judge import Judge

_WORD = re.compile(r"\w+(?:['’-]\w+)*")


def words(text: str) -> int:
    """Its length in words: what stands between spaces."""
    return len(text.split())


def unique(text: str, n: int) -> float:
    """The share of distinct ones among its runs of `n` words (A.1.2), 1 where it has none."""
    said = _WORD.findall(text.casefold())
    runs = [tuple(said[start : start + n]) for start in range(len(said) - n + 1)]
    return len({*runs}) / len(runs) if runs else 1.0


def covered(text: str, facts: Sequence[str], judge: Judge) -> tuple[bool, ...]:
    """Of each fact of a checklist, a sentence, whether the text tells it: the judge takes the text for the evidence."""
    return tuple(bool(row[0]) for row in judge.supported([text], facts))
