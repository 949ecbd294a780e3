"""Question-answer pairs of documents: those that people give, read from JSON lines or a CSV file with every bad line
reported at once, and the record of those that a model wrote.

Knows nothing of how pairs are written or searched.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any, cast, get_args

from store.library import Origin, State
from trag.errors import TragError
from trag.ingest import pair_table
from trag.ingest.discovery import document_name
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

FIELDS = ("question", "answer", "type", "document", "section")
"""What every pair of a file says."""
_MORE = ("state", "origin", "page", "source")
_HINT = 'A line is {"question": "...", "answer": "...", "type": "short answer", "document": "a.md", "section": "..."}.'


@dataclass(frozen=True, slots=True)
class GivenPair:
    """A question about one section of one document, with its answer; `line` is where its file has it, from 1. `state`,
    `origin` and `page` are None and `source`, the text that it stands on, is "" where the file does not say."""

    question: str
    answer: str
    type: str
    document: str
    section: str
    line: int
    state: State | None = None
    origin: Origin | None = None
    page: int | None = None
    source: str = ""

    @property
    def direct(self) -> bool:
        """Whether it is of a type that is indexed."""
        return self.type in DIRECT_TYPES


@dataclass(frozen=True, slots=True)
class GeneratedPair:
    """A question that a model wrote about one section, and its answer, checked. `section` is the path of headings,
    `page` its page, `source` the sentence of the section that the pair stands on, spaces aside."""

    question: str
    answer: str
    type: str
    section: str
    page: int | None
    source: str


def pairs(content: bytes, name: str) -> tuple[GivenPair, ...]:
    """The pairs in a file of lines {"question", "answer", "type", "document", "section"}, which may say "state",
    "origin", "page" and "source" too; other fields are left alone. A name that ends in .csv is that of a table with
    these columns.

    Raises TragError that lists every line that is not one, with what is wrong.
    """
    text, _ = decode(content)
    is_table = name.lower().endswith(".csv")
    hint = f"The columns are {', '.join(FIELDS)}, and where known {', '.join(_MORE)}." if is_table else _HINT
    found: list[GivenPair] = []
    problems: dict[str, list[int]] = {}
    try:
        for number, row in pair_table.rows(text, FIELDS) if is_table else _objects(text):
            pair = row if isinstance(row, str) else _pair(row, number)
            if isinstance(pair, GivenPair):
                found.append(pair)
            else:
                problems.setdefault(pair, []).append(number)
    except TragError as error:
        raise TragError(f"{shown(name)} {error.message}", error.hint or hint) from error
    if problems:
        told = "; ".join(f"{listed('line', numbers)} {problem}" for problem, numbers in problems.items())
        raise TragError(f"{shown(name)} has lines that are no question-answer pairs: {told}.", hint)
    if not found:
        raise TragError(f"{shown(name)} holds no question-answer pair.", "Check that it was saved or copied whole.")
    return tuple(found)


def known_type(text: str) -> str:
    """The type that `text` names, however it is written: "Short_Answer" is "short answer". "" for none that is
    known."""
    type_ = re.sub(r"[_\\/-]+", " ", clean(text).lower())
    return type_ if type_ in DIRECT_TYPES | OTHER_TYPES else ""


def _objects(text: str) -> Iterator[tuple[int, Mapping[str, Any] | str]]:
    """The object on each line that is not empty, or what is wrong with the line, so that "line 3" can stand before
    it."""
    for number, line in enumerate(re.split("\r?\n", text), 1):
        if line.strip():
            try:
                row: Any = json.loads(line)
            except (ValueError, RecursionError) as error:
                yield number, f"not JSON ({error})"
            else:
                yield number, row if isinstance(row, dict) else f"not an object but {type(row).__name__}"


def _pair(row: Mapping[str, Any], line: int) -> GivenPair | str:
    """The pair that a line says, or all that is wrong with it."""
    wrong = [field for field in FIELDS if not isinstance(row.get(field), str) or not clean(row[field])]
    if wrong:
        return f"without text in {', '.join(wrong)}"
    if long := [field for field in FIELDS if len(row[field]) > LONGEST]:
        return f"more than {LONGEST:,} characters in {', '.join(long)}"
    if odd := [field for field in _MORE if not isinstance(row.get(field), str | int | float | None)]:
        return f"neither text nor a number in {', '.join(odd)}"
    more = {field: "" if row.get(field) is None else clean(str(row[field])) for field in _MORE}
    type_, state, origin = known_type(row["type"]), more["state"].lower(), more["origin"].lower()
    page = more["page"].removesuffix(".0")  # as programs write a column of numbers that has gaps
    unknown = [
        f"unknown {field} '{shown(said)}' (known: {', '.join(known)})"
        for field, said, is_known, known in (
            ("type", row["type"], type_, sorted(DIRECT_TYPES | OTHER_TYPES)),
            ("state", state, not state or state in get_args(State), get_args(State)),
            ("origin", origin, not origin or origin in get_args(Origin), get_args(Origin)),
            ("page", page, not page or (page.isdecimal() and 0 < int(page[:7]) < 1_000_000), ["1, 2, 3 ..."]),
        )
        if not is_known
    ]
    if unknown:
        return ", ".join(unknown)
    return GivenPair(
        clean(row["question"]),
        clean(row["answer"]),
        type_,
        document_name(row["document"]),
        clean(row["section"]),
        line,
        cast(State, state) if state else None,
        cast(Origin, origin) if origin else None,
        int(page) if page else None,
        more["source"],
    )
