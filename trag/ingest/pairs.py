"""Question-answer pairs of documents: the types they have, those that people give, read from JSON lines or a CSV file
with every bad line reported at once, the record of those that a model wrote, and the example questions that it is
given."""

from __future__ import annotations

import csv
import io
import json
import re
from collections import Counter
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any, cast, get_args

from org.reading.cells import unguard
from store.library import Origin, State
from trag.errors import TragError
from trag.ingest.discovery import document_name
from trag.ingest.parse.characters import clean, decode, listed
from trag.sandbox import shown

DIRECT_TYPES = frozenset(
    {"direct", "question", "short answer", "yes no", "yes or no", "list", "definition", "summary", "fact check"}
)
"""The types that are indexed: "we only kept the direct question and answers and filtered out other question types
such as dialog, fill in the blank etc." (T-RAG, section 5.4.2). A question that a person could ask, and its answer."""

OTHER_TYPES = frozenset(
    {"dialog", "dialogue", "conversation", "conversation summary", "conversation fact check"}
    | {"true false", "true or false", "quiz", "review", "fill in the blank", "matrix"}
    | {"compound question", "classify question"}
)
"""The paper's other types (T-RAG, appendix A.1): they train a model, and would mislead a search."""

LONGEST = 4_000
"""Characters that a question or an answer may have."""

LONGEST_EXAMPLE = 300
"""Characters that an example question may have."""

FIELDS = ("question", "answer", "type", "document", "section")
"""What every pair of a file says."""
_MORE = ("state", "origin", "page", "source")
_HINT = 'A line is {"question": "...", "answer": "...", "type": "short answer", "document": "a.md", "section": "..."}.'

_DELIMITERS = ",;\t|"
_ANNOUNCED = re.compile(rf'"?sep=([{_DELIMITERS}])"?\r?\n', re.I)


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


def read_pairs(content: bytes, name: str) -> tuple[GivenPair, ...]:
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
        for number, row in _table_rows(text) if is_table else _objects(text):
            pair = row if isinstance(row, str) else _pair(row, number)
            if isinstance(pair, GivenPair):
                found.append(pair)
            else:
                problems.setdefault(pair, []).append(number)
    except TragError as error:
        raise TragError(f"{shown(name)} {error.message}", error.hint or hint) from error
    if problems:
        wrong = "; ".join(f"{listed('line', numbers)} {problem}" for problem, numbers in problems.items())
        raise TragError(f"{shown(name)} has lines that are no question-answer pairs: {wrong}.", hint)
    if not found:
        raise TragError(f"{shown(name)} holds no question-answer pair.", "Check that it was saved or copied whole.")
    return tuple(found)


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


def _table_rows(text: str) -> Iterator[tuple[int, Mapping[str, str] | str]]:
    """Each row of a CSV table that is not empty, with the line it begins on, from 1: its cells by their columns, or
    what is wrong with it. An apostrophe that keeps a spreadsheet from running a cell is taken off.

    Raises TragError, of which the name of the file is left out, for a header that lacks one of FIELDS or has a column
    twice.
    """
    announced = _ANNOUNCED.match(text)
    offset = 1 if announced else 0
    text = text[announced.end() :] if announced else text

    def names(header: list[str] | str) -> list[str]:
        return [" ".join(unguard(cell).split()).lower() for cell in header] if isinstance(header, list) else []

    def known(mark: str) -> int:
        return len({*FIELDS} & {*names(next(_records(text, mark), (1, ""))[1])})

    records = _records(text, announced[1] if announced else max(_DELIMITERS, key=known))
    line, header = next(records, (1, []))
    if isinstance(header, str):
        raise TragError(f"cannot be read as a CSV file: line {line + offset} {header}.")
    columns = names(header)
    twice = [f'"{column}" twice' for column, count in Counter(columns).items() if column and count > 1]
    lacking = [f'no "{column}"' for column in FIELDS if column not in columns]
    if lacking or twice:
        raise TragError(f"has {', '.join(lacking + twice)} among the columns in line {line + offset}.")
    for line, cells in records:
        if isinstance(cells, str):
            yield line + offset, cells
        elif any(cells[len(columns) :]):
            yield line + offset, "more cells than there are columns"
        else:
            yield line + offset, dict(zip(columns, map(unguard, cells), strict=False))


def _records(text: str, delimiter: str) -> Iterator[tuple[int, list[str] | str]]:
    """The cells of each record that is not empty, with its first line; from a record on that has no end, what is
    wrong."""
    reader = csv.reader(io.StringIO(text, newline=""), delimiter=delimiter, strict=True)
    while True:
        line = reader.line_num + 1
        try:
            cells = next(reader)
        except StopIteration:
            return
        except csv.Error as error:
            yield line, f"is not closed or too long ({error})"
            return
        if any(map(str.strip, cells)):
            yield line, cells


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
    type_ = re.sub(r"[_\\/-]+", " ", clean(row["type"]).lower())  # "Short_Answer" is "short answer"
    state, origin = more["state"].lower(), more["origin"].lower()
    page = more["page"].removesuffix(".0")  # as programs write a column of numbers that has gaps
    unknown = [
        f"unknown {field} '{shown(said)}' (known: {', '.join(known)})"
        for field, said, is_known, known in (
            ("type", row["type"], type_ in DIRECT_TYPES | OTHER_TYPES, sorted(DIRECT_TYPES | OTHER_TYPES)),
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


def example_questions(text: str, most: int) -> tuple[str, ...]:
    """The questions in a text, one a line, each once, in their order; `most` is how many there may be.

    Raises TragError that says everything that is wrong: too many, and which are too long.
    """
    found = tuple(dict.fromkeys(line for line in clean(text).split("\n") if line))
    problems = []
    if len(found) > most:
        problems.append(f"There are {len(found):,} questions; {most} are the most.")
    problems += [
        f"Question {number} has {len(question):,} characters; {LONGEST_EXAMPLE} are the most."
        for number, question in enumerate(found[:most], 1)
        if len(question) > LONGEST_EXAMPLE
    ]
    if problems:
        raise TragError(" ".join(problems), "Keep the best, one a line, and shorten what is too long.")
    return found
