"""A benchmark from its files: the database, the documents written from it, and the questions.

database.sql, documents, templates.txt, gaps.txt -> Benchmark. In a document `[saltmarsh.client]` stands for a value of
the row with that id, so that documents and database agree by construction; of every sentence it is known which facts it
states. A fact is the value of an asked column of one row; those in gaps.txt are stated nowhere, on purpose.
"""

from __future__ import annotations

import csv
import re
import sqlite3
from collections.abc import Iterator, Mapping
from contextlib import closing
from dataclasses import dataclass
from datetime import date
from pathlib import Path

from trag.evaluate.grammar import audit as audits
from trag.evaluate.grammar.audit import Audit
from trag.evaluate.grammar.questions import FORMS, Meaning, ways_to_say
from trag.evaluate.grammar.templates import read

FOLDER = Path(__file__).parent
SEED = 1
_MARK = re.compile(r"\[([a-z]+)\.([a-z_]+)(?::([a-z]+))?\]")
_SENTENCE_END = re.compile(r"(?<=[.!?])\s+")
_STYLES = {"": 0, "american": 1, "iso": 3}
"""Ways to write a date, by their place among the forms of a value."""


@dataclass(frozen=True, slots=True)
class Design:
    """What makes a benchmark: the folder of its database and documents, the file of other names for its rows, what each
    of its templates asks for, the texts of each form that a meaning has, and how many short and long texts the uneven
    set has (GRAMMAR, table 2)."""

    folder: str
    names: str
    asked: tuple[str, ...]
    texts: int
    uneven: tuple[int, int]


_COMPANIES = ("headquarters", "founded", "founder", "birth_year", "studied_at")
_FIRM = (
    "industry", "location", "location", "start_date", "end_date", "client", "director", "manager", "job_title",
    "department", "manager",
)  # fmt: skip
DESIGNS: Mapping[str, Design] = {
    "fictional": Design("fictional", "", _FIRM, 3, (314, 257)),
    "closed": Design("open", "closed/names.csv", _COMPANIES, 10, (426, 430)),
    "open": Design("open", "", _COMPANIES, 10, (397, 436)),
}


@dataclass(frozen=True, slots=True)
class Statement:
    """A sentence that states a fact ("saltmarsh.client"), and the words in it that are the value."""

    fact: str
    said: str
    sentence: str


@dataclass(frozen=True, slots=True)
class Document:
    """A document as it is given to the assistant, Markdown, and what it states."""

    name: str
    text: str
    statements: tuple[Statement, ...]


@dataclass(frozen=True, slots=True)
class Benchmark:
    """Everything about one benchmark. `asked` has the fact that a meaning asks for by the meaning's id, `values` all
    values of each asked column."""

    name: str
    audit: Audit
    asked: Mapping[str, str]
    documents: tuple[Document, ...]
    gaps: frozenset[str]
    values: Mapping[str, tuple[str, ...]]

    @property
    def statements(self) -> Iterator[Statement]:
        """All that the documents state."""
        return (statement for document in self.documents for statement in document.statements)


Rows = Mapping[str, Mapping[str, str]]
"""The columns of each row by its id, a linked row as its name: {"saltmarsh": {"client": "Grey Quay Harbour Trust"}}."""


def load(name: str, database: Path) -> Benchmark:
    """The benchmark of that name; its database is built as the SQLite file `database`."""
    from store.source import Source

    design = DESIGNS[name]
    folder = FOLDER / design.folder
    build(design, database)
    rows = _rows(database)
    templates = folder / "templates.txt"
    with closing(Source(f"sqlite:///{database}")) as source:
        audit = audits.prepare(
            source,
            read(templates.read_bytes(), templates.name),
            f"bench/grammar/{design.folder}/{templates.name}",
            strict=True,
            seed=SEED,
            bound=len(rows),
            texts=design.texts,
        )
    ids = {columns["name"]: id for id, columns in rows.items()}
    gaps = (folder / "gaps.txt").read_text(encoding="utf-8").splitlines()
    return Benchmark(
        name=name,
        audit=audit,
        asked={one.id: f"{ids[one.values[0]]}.{_column(one, design)}" for one in audit.meanings},
        documents=tuple(
            _document(file, rows, frozenset(design.asked)) for file in sorted((folder / "documents").glob("*.md"))
        ),
        gaps=frozenset(line for line in gaps if line and not line.startswith("#")),
        values={
            column: tuple(dict.fromkeys(one.answer for one in audit.meanings if _column(one, design) == column))
            for column in design.asked
        },
    )


def build(design: Design, database: Path) -> None:
    """Make the SQLite file; for the closed benchmark under the other names."""
    with closing(sqlite3.connect(database)) as connection:
        connection.executescript((FOLDER / design.folder / "database.sql").read_text(encoding="utf-8"))
        if design.names:
            with (FOLDER / design.names).open(encoding="utf-8", newline="") as file:
                for row in csv.DictReader(file):
                    connection.execute("UPDATE person SET name = :name, surname = :short WHERE id = :id", row)
                    connection.execute("UPDATE company SET name = :name, short_name = :short WHERE id = :id", row)
        connection.commit()


def _rows(database: Path) -> Rows:
    with closing(sqlite3.connect(database)) as connection:
        connection.row_factory = sqlite3.Row
        tables = [row[0] for row in connection.execute("SELECT name FROM sqlite_master WHERE type = 'table'")]
        found = {row["id"]: dict(row) for table in tables for row in connection.execute(f"SELECT * FROM {table}")}
    return {
        id: {
            column.removesuffix("_id"): found[value]["name"] if column.endswith("_id") else str(value)
            for column, value in row.items()
            if value is not None
        }
        | {"short": row.get("short_name", "")}
        for id, row in found.items()
    }


def _document(file: Path, rows: Rows, asked: frozenset[str]) -> Document:
    lines: list[str] = []
    statements: list[Statement] = []
    for line in file.read_text(encoding="utf-8").splitlines():
        sentences = []
        for sentence in _SENTENCE_END.split(line):
            said = {match[0]: _said(match, rows) for match in _MARK.finditer(sentence)}
            written = _MARK.sub(lambda match, said=said: said[match[0]], sentence)
            statements += (
                Statement(f"{match[1]}.{match[2]}", said[match[0]], written)
                for match in _MARK.finditer(sentence)
                if match[2] in asked
            )
            sentences.append(written)
        lines.append(" ".join(sentences))
    return Document(file.stem, "\n".join(lines) + "\n", tuple(statements))


def _said(match: re.Match[str], rows: Rows) -> str:
    """What stands in the text for a mark."""
    row, column, style = match[1], match[2], match[3] or ""
    value = rows[row][column]
    if style == "lower":
        return value.lower()
    return ways_to_say(date.fromisoformat(value))[_STYLES[style]] if column.endswith("_date") else value


def _column(meaning: Meaning, design: Design) -> str:
    return design.asked[int(meaning.id.partition("-")[0]) - 1]


def form_sizes(audit: Audit) -> tuple[int, int]:
    """How many short and long texts there are."""
    short, long = (sum(len(getattr(meaning, form)) for meaning in audit.meanings) for form in FORMS)
    return short, long
