"""Question-answer pairs made for documents: read from JSON lines, every bad line reported at once.

Knows nothing of how pairs are made or searched.
"""

from __future__ import annotations

import json
import re
from dataclasses import dataclass
from typing import Any

from trag.errors import TragError
from trag.ingest.parse.characters import clean, decode, listed
from trag.ingest.reader import shown

DIRECT_TYPES = frozenset(
    {"direct", "question", "short answer", "yes no", "yes or no", "list", "definition", "summary", "fact check"}
)
"""The types that are indexed: "we only kept the direct question and answers and filtered out other question types
such as dialog, fill in the blank etc." (T-RAG, section 5.4.2). A question that a person could ask, and its answer."""

OTHER_TYPES = frozenset(
    {
        "dialog",
        "dialogue",
        "conversation",
        "conversation summary",
        "conversation fact check",
        "true false",
        "true or false",
        "quiz",
        "review",
        "fill in the blank",
        "matrix",
        "compound question",
        "classify question",
    }
)
"""The paper's other types (T-RAG, appendix A.1): they train a model, and would mislead a search."""

LONGEST = 4_000
"""Characters that a question or an answer may have."""

_FIELDS = ("question", "answer", "type", "document", "section")
_HINT = 'A line is {"question": "...", "answer": "...", "type": "short answer", "document": "a.md", "section": "..."}.'


@dataclass(frozen=True, slots=True)
class GivenPair:
    """A question about one section of one document, with its answer; `line` is where its file has it, from 1."""

    question: str
    answer: str
    type: str
    document: str
    section: str
    line: int

    @property
    def direct(self) -> bool:
        """Whether it is of a type that is indexed."""
        return self.type in DIRECT_TYPES


def pairs(content: bytes, name: str) -> tuple[GivenPair, ...]:
    """The pairs in a file of lines {"question", "answer", "type", "document", "section"}; other fields are left alone.

    Raises TragError that lists every line that is not one, with what is wrong.
    """
    text, _ = decode(content)
    found: list[GivenPair] = []
    problems: dict[str, list[int]] = {}
    for number, line in enumerate(re.split("\r?\n", text), 1):
        if line.strip():
            pair = _pair(line, number)
            if isinstance(pair, GivenPair):
                found.append(pair)
            else:
                problems.setdefault(pair, []).append(number)
    if problems:
        told = "; ".join(f"{listed('line', numbers)} {problem}" for problem, numbers in problems.items())
        raise TragError(f"{shown(name)} has lines that are no question-answer pairs: {told}.", _HINT)
    if not found:
        raise TragError(f"{shown(name)} holds no question-answer pair.", "Check that it was saved or copied whole.")
    return tuple(found)


def _pair(line: str, number: int) -> GivenPair | str:
    """The pair on one line, or what is wrong with it, so that "line 3" can stand before it."""
    try:
        row: Any = json.loads(line)
    except (ValueError, RecursionError) as error:
        return f"not JSON ({error})"
    if not isinstance(row, dict):
        return f"not an object but {type(row).__name__}"
    wrong = [field for field in _FIELDS if not isinstance(row.get(field), str) or not clean(row[field])]
    if wrong:
        return f"without text in {', '.join(wrong)}"
    if long := [field for field in _FIELDS if len(row[field]) > LONGEST]:
        return f"more than {LONGEST:,} characters in {', '.join(long)}"
    type_ = re.sub(r"[_\\/-]+", " ", clean(row["type"]).lower())
    if type_ not in DIRECT_TYPES | OTHER_TYPES:
        return f"unknown type '{shown(row['type'])}' (known: {', '.join(sorted(DIRECT_TYPES | OTHER_TYPES))})"
    return GivenPair(
        clean(row["question"]), clean(row["answer"]), type_, row["document"], clean(row["section"]), number
    )
