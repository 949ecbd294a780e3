"""What stands as the answer: the model's words, the chart's own statement, a quotation, or a refusal.

A wrong placement never stands, and a weak model gives way to a good search. A pure decision over what the other steps
found.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import dataclass, replace

from prompts import CANNOT_ANSWER
from trag.record import CheckedSentence, Checks, Replaced, Status

MOSTLY = 0.5
"""Share of the model's sentences that must be borne out for its words to stand."""

_REFUSAL = re.compile(
    r"\b(?:I|we)\s+(?:can\s?not|can't|could\s+not|am\s+unable\s+to|are\s+unable\s+to|do\s+not|don't)\s+(?:answer|know|find|determine|have)\b|"
    r"\b(?:facts?|context|documents?|information)\b[^.]{0,60}\b(?:do(?:es)?\s+not|don't|doesn't)\s+(?:hold|contain|mention|include|provide|say|state|specify)\b|"
    r"\bnot\s+(?:mentioned|stated|specified|provided)\s+in\s+the\b",
    re.I,
)


@dataclass(frozen=True, slots=True)
class Stand:
    """Something ready to stand in for the model's words: sentences, each with the id of its source; whether it answers
    so surely that it overrules a refusal, or is so doubtful that it is one; and whether it bears at least half of the
    model's sentences out, and says nothing more that may have been asked for."""

    sentences: tuple[tuple[str, str], ...]
    is_sure: bool = True
    is_doubtful: bool = False
    agrees: bool = False

    @property
    def text(self) -> str:
        """The words, a line a sentence."""
        return "\n".join(text for text, _ in self.sentences)


@dataclass(frozen=True, slots=True)
class Settled:
    """The answer as the reader gets it."""

    text: str
    status: Status
    checks: Checks


def refused(text: str) -> bool:
    """Whether the model's words are a refusal, in the agreed words or its own."""
    return not text.strip() or CANNOT_ANSWER.lower() in text.lower() or bool(_REFUSAL.search(text))


def settle(
    text: str,
    checks: Checks,
    *,
    finding: str = "",
    fitting: bool = True,
    astray: bool = False,
    chart: Stand | None,
    quotation: Callable[[], Stand | None],
    places: Stand | None = None,
) -> Settled:
    """The answer that stands for the model's `text`.

    `finding` is what the chart still says against it after the second attempt ("" for nothing); `fitting` is whether it
    holds the kind of thing that was asked for, and `astray` whether what it says is about other units: then nothing was
    found about the right ones, as with a refusal. `chart` is the chart's own answer to a plain question about it,
    `quotation` gives the best words of the documents and is only asked for when they are needed, and `places` says
    where the units really are that the answer misplaces; each is None where there is none.

    What the chart answers is not left to words of the documents. Those stand only where they are among the best ones: a
    small model likes to copy a sentence beside the one that answers. Of 126 document questions of three organizations
    that it had not learned from, 76 were answered rightly so, and 59 when all stood that some source bears out. Nor do
    they stand for a sentence that says more than they do, unless an able model chose them.
    """
    refusal = refused(text) or astray
    borne_out = [sentence for sentence in checks.sentences if sentence.supported]
    good = not finding and not refusal and fitting and borne_out and len(borne_out) >= MOSTLY * len(checks.sentences)
    if good and all(sentence.source.startswith("chart-") for sentence in borne_out):
        return Settled(text, "answered", checks)
    if chart:
        return _replaced(chart, checks, "chart")
    quoted = quotation()
    doubtful = quoted is not None and quoted.is_doubtful
    if good and not doubtful and (quoted is None or quoted.agrees):
        return Settled(text, "answered", checks)
    if quoted and not doubtful and (quoted.is_sure or not refusal):
        return _replaced(quoted, checks, "quotation")
    if places:
        return _replaced(places, checks, "chart")
    return Settled(CANNOT_ANSWER, "cannot_answer", replace(checks, sentences=(), misplaced=(), unknown_units=()))


def _replaced(stand: Stand, checks: Checks, by: Replaced) -> Settled:
    sentences = tuple(CheckedSentence(text, True, source) for text, source in stand.sentences)
    return Settled(
        stand.text, "answered", replace(checks, sentences=sentences, misplaced=(), unknown_units=(), replaced=by)
    )
