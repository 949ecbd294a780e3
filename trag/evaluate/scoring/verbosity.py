"""What a right answer says that was not asked for (Correct-Verbose; T-RAG, section 6.1).

Reading, the places that are right -> Findings.  Knows nothing about gold.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence

from trag.evaluate.scoring.findings import Findings
from trag.evaluate.scoring.reading import Reading
from trag.evaluate.scoring.wording import Place, plain
from trag.verify import support
from trag.words import numbers, stems

LONGEST = 14
"""Content words that a sentence may have beyond those of the question, the gold and the case's own answer."""
OWN = 0.5
"""Share of new content words from which a sentence or clause without gold counts as not asked for."""
FEWEST = 4
"""Content words of a clause from which that is asked of it."""

_LEADS = re.compile(r":\W*$")
_CLAUSE = re.compile(r";\s|,\s+(?=(?:but|while|whereas|although|though|and (?:the|it|they|he|she|you|there))\b)")
_COURTESY = re.compile(
    r"^\W*(?:yes|no|nope|correct|right|sure|of course|certainly|i hope|let me know|please|thank|if you (?:have|need)"
    r"|feel free|based on|according to|here (?:is|are)|great question)\b",
    re.IGNORECASE,
)
_SHORT = 6  # words of a courtesy


def beyond(reading: Reading, right: Sequence[Place]) -> Findings:
    """The sentences and clauses that hold nothing of what is right or only say it again, and those that go on long.

    What the sources do not bear out stays open, for it may be wrong; without any source it is taken for true.
    """
    case = reading.case
    gold = (alternative for item in case.gold for alternative in item)
    known = plain(" ".join((case.question, case.answer, *gold, *case.listed)))
    asked, figures = stems(known), numbers(known)
    found: list[str] = []
    told: set[str] = set()
    for sentence in reading.sentences:
        text = reading.text[sentence.start : sentence.end]
        here = {reading.text[one.start : one.end].lower() for one in right if one.overlaps(sentence)}
        if here - told:
            told |= here
            clauses = [
                one for one in _clauses(sentence, reading.text) if not any(one.overlaps(place) for place in right)
            ]
            aside = [reading.text[one.start : one.end] for one in clauses]
            found += (one for one in aside if _is_new(one, asked, FEWEST))
            if len(stems(text) - asked) > LONGEST:
                found.append(text)
        elif (
            not _LEADS.search(text) and not _is_courtesy(text) and (_is_new(text, asked, 1) or numbers(text) - figures)
        ):
            found.append(text)
    claims = [one for one in found if reading.evidence and not one.endswith("?")]
    baseless = [one for one in claims if not support.checked(one, reading.evidence).supported]
    return Findings(
        besides=tuple(f"not asked for: {_shown(one)}" for one in found if one not in baseless),
        open=tuple(f"not asked for, and not in the sources: {_shown(one)}" for one in baseless),
    )


def _clauses(sentence: Place, text: str) -> Iterator[Place]:
    """The clauses of a sentence."""
    start = sentence.start
    for match in _CLAUSE.finditer(text, sentence.start, sentence.end):
        yield Place(start, match.start())
        start = match.end()
    yield Place(start, sentence.end)


def _is_new(text: str, asked: frozenset[str], fewest: int) -> bool:
    said = stems(text)
    return len(said) >= fewest and len(said - asked) > OWN * len(said)


def _is_courtesy(sentence: str) -> bool:
    return bool(_COURTESY.match(sentence)) and len(sentence.split()) <= _SHORT


def _shown(text: str) -> str:
    return text if len(text) <= 80 else text[:77].rstrip() + "..."
