"""What a model wrote -> drafts of pairs: JSON wherever it stands, a table, or questions and answers under their labels.

Forgiving of form, strict about content: what is no question with an answer is left out. Knows nothing about sections.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

from trag.ingest.pairs import DIRECT_TYPES, OTHER_TYPES

LONGEST_QUESTION = 300
LONGEST_ANSWER = 1_200

_KEYS = {
    "question": ("question", "q", "user", "employee"),
    "answer": ("answer", "a", "assistant", "response"),
    "type": ("type", "question type", "question_type"),
    "source": ("source", "source text", "source_text"),
}
_FIELD = {name: field for field, names in _KEYS.items() for name in names}
_LABEL = re.compile(
    r"^[\s>*_#-]*(?:(?:pair\s*)?\d+\s*[.):]\s*)?[*_]*"
    r"(question type|question|source text|source|answer|type|user|employee|assistant|q|a)"
    r"\s*\d*[*_]*\s*[:.)][*_]*\s*(.*)$",
    re.I,
)
_NUMBERED = re.compile(r"^\s*(?:\d+[.)]|[-*])\s+(.+\?)[*_]*\s*$")
_POINTS_AT_TEXT = re.compile(
    r"\b(?:this|the (?:above|given|following|provided)) (?:section|text|passage|paragraph|document)\b|"
    r"\b(?:text|passage|section|paragraph) (?:above|provided|given)\b|\bthe (?:text|passage|paragraph)\b",
    re.I,
)
_ACCORDING = re.compile(r"^according to (?:the|this) (?:text|passage|section|document|paragraph)[^,]*, ", re.I)


@dataclass(frozen=True, slots=True)
class Draft:
    """A pair as a model wrote it, its type one of those in trag/ingest/pairs.py; `source` may be empty."""

    question: str
    answer: str
    type: str
    source: str = ""


def drafts(text: str, *, type: str = "short answer") -> tuple[Draft, ...]:
    """The pairs in `text`. `type` is for those that name no known one."""
    rows = list(_json_rows(text)) or list(_table_rows(text)) or list(_labelled_rows(text))
    return tuple(dict.fromkeys(draft for row in rows if (draft := _draft(row, type))))


def _json_rows(text: str) -> Iterator[dict[str, str]]:
    decoder = json.JSONDecoder(strict=False)
    at = text.find("{")
    while at >= 0:
        try:
            value, end = decoder.raw_decode(text, at)
        except (ValueError, RecursionError):
            end = at + 1
        else:
            yield from _pairs_in(value)
        at = text.find("{", end)


def _pairs_in(value: Any) -> Iterator[dict[str, str]]:
    """The objects with a question in a JSON value, one level down: models wrap them ({"pairs": [...]})."""
    if not isinstance(value, dict):
        return
    row = {
        _FIELD[key.lower()]: str(each) for key, each in value.items() if key.lower() in _FIELD and isinstance(each, str)
    }
    if row:
        yield row
        return
    for each in value.values():
        if isinstance(each, list):
            for inner in each:
                yield from _pairs_in(inner)


def _table_rows(text: str) -> Iterator[dict[str, str]]:
    """The paper's table (T-RAG, appendix A.1): | type | question | answer | source |."""
    header: list[str] = []
    for line in text.splitlines():
        cells = [cell.strip() for cell in line.strip().strip("|").split("|")]
        if line.count("|") < 2 or not any(re.search(r"\w", cell) for cell in cells):
            continue
        names = [_FIELD.get(cell.lower(), "") for cell in cells]
        if "question" in names and "answer" in names:
            header = names
        elif header and len(cells) == len(header):
            yield {name: cell for name, cell in zip(header, cells, strict=True) if name}


def _labelled_rows(text: str) -> Iterator[dict[str, str]]:
    row: dict[str, str] = {}
    field = ""
    for line in text.splitlines():
        match = _LABEL.match(line)
        numbered = _NUMBERED.match(line)
        if match or numbered:
            whole = not field and "answer" in row  # a blank line came after the answer
            field, said = (_FIELD[match[1].lower()], match[2]) if match else ("question", line)
            said = numbered[1] if numbered and not match else said
            if field in row or (field == "question" and "answer" in row) or (field == "type" and whole):
                yield row
                row = {}
            row[field] = said
        elif line.strip() and field == "question" and row[field].rstrip(" *_").endswith("?"):
            field = "answer"
            row[field] = line
        elif line.strip() and field:
            row[field] = f"{row[field]}\n{line}".strip()
        elif not line.strip() and "answer" in row:
            field = ""
    if row:
        yield row


def _draft(row: dict[str, str], type: str) -> Draft | None:
    question, answer = _plain(row.get("question", "")), _plain(row.get("answer", ""))
    question = _ACCORDING.sub("", question)
    question = question[:1].upper() + question[1:]
    named = re.sub(r"[_\\/-]+", " ", row.get("type", "")).strip().lower()
    type = named if named in DIRECT_TYPES | OTHER_TYPES else type
    whole = 8 <= len(question) <= LONGEST_QUESTION and 0 < len(answer) <= LONGEST_ANSWER
    if (
        not whole
        or not re.search(r"\w", answer)
        or answer.lower() == question.lower()
        or _POINTS_AT_TEXT.search(question)
    ):
        return None
    if type in DIRECT_TYPES and not question.endswith("?"):
        return None
    return Draft(question, answer, type, _plain(row.get("source", "")))


def _plain(text: str) -> str:
    """Without the marks of bold and quotation around it."""
    text = text.strip()
    for mark in ("**", "__", '"', "*"):
        if (
            text.startswith(mark)
            and text.endswith(mark)
            and len(text) > 2 * len(mark)
            and mark not in text[len(mark) : -len(mark)]
        ):
            text = text[len(mark) : -len(mark)].strip()
    return text.strip(" *_") if text.startswith("*") or text.endswith("**") else text
