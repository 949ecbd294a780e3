"""Templates that a configured model writes for any schema, every one of them held to the criteria (GRAMMAR, 4.1).

tables -> SQL, table by table with those it is linked to -> short and long texts of each. The model sees the schema and
never a row. Knows nothing about what is in the database, or about which model it is.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

import prompts
from trag.evaluate.grammar.placeholders import canonical
from trag.evaluate.grammar.sql import Select, understand
from trag.evaluate.grammar.templates import Template, long_problem, short_problem
from trag.progress import Progress, silent

if TYPE_CHECKING:
    from prompts import Message
    from store.source import Table
    from trag.llm.model import LanguageModel

TOKENS = 1_200
"""Tokens that the model may write to one request."""
MOST_TABLES = 40
MOST_COLUMNS = 30
"""What is shown of a schema; the rest is left out."""
_STATEMENT = re.compile(r"\bSELECT\b.*?(?=;|\n\s*\n|\n[\s\d.)`*-]*SELECT\b|\n```|\Z)", re.I | re.S)
_NUMBERED = re.compile(r"^\s*(?:[-*•]|\(?\d{1,2}[.):])\s*")
_LABEL = re.compile(r"^(?:query|question|short|long|text|variant)\s*\d*\s*:\s*", re.I)


@dataclass(frozen=True, slots=True)
class Written:
    """The templates that keep to the criteria, and what speaks against the rest that the model wrote, each reason
    once."""

    templates: tuple[Template, ...]
    reasons: tuple[str, ...] = ()


def written(
    tables: Sequence[Table],
    dialect: str,
    model: LanguageModel,
    *,
    texts: int,
    progress: Progress = silent,
) -> Written:
    """The templates that `model` writes, each with at most `texts` short and as many long texts.

    Raises TragError when the model cannot be reached, or when a table does not fit it.
    """
    found: dict[str, tuple[str, Select]] = {}
    reasons: list[str] = []
    some = list(tables)[:MOST_TABLES]
    for number, table in enumerate(some):
        progress("writing SQL templates", number, len(some))
        for sql in statements(_said(prompts.grammar_sql(_schema(table, tables)), model)):
            select, wrong = understand(sql, tables, dialect)
            reasons += wrong
            if select:
                found.setdefault(select.statement, (canonical(sql, tables), select))
    templates: list[Template] = []
    for number, (sql, select) in enumerate(found.values()):
        progress("writing texts", number, len(found))
        template, refused = _with_texts(sql, select, tables, model, texts)
        reasons += refused
        if template:
            templates.append(template)
    return Written(tuple(templates), tuple(dict.fromkeys(reasons)))


def statements(text: str) -> Iterator[str]:
    """The SELECT statements in what a model wrote: numbered, fenced, over several lines, with words around them."""
    for match in _STATEMENT.finditer(text):
        yield " ".join(match[0].replace("`", "").split())


def lines(text: str) -> Iterator[str]:
    """The texts in what a model wrote, a line each, without numbers, labels and quotation marks around them."""
    for line in text.splitlines():
        said = _LABEL.sub("", _NUMBERED.sub("", line)).strip().strip("*").strip()
        if said[:1] in "\"'“" and said[-1:] in "\"'”":
            said = said[1:-1].strip()
        if "[" in said:
            yield said


def _with_texts(
    sql: str, select: Select, tables: Sequence[Table], model: LanguageModel, texts: int
) -> tuple[Template | None, list[str]]:
    wanted = [str(placeholder) for placeholder in select.placeholders]
    reasons: list[str] = []
    forms: list[tuple[str, ...]] = []
    for long, problem in ((False, short_problem), (True, long_problem)):
        said = _said(prompts.grammar_texts(sql, texts, long=long), model)
        kept: list[str] = []
        for line in lines(said):
            text = canonical(line, tables)
            if why := problem(text, wanted):
                reasons.append(why)
            else:
                kept.append(text)
        forms.append(tuple(dict.fromkeys(kept))[:texts])
    if all(forms):
        return Template(sql, *forms), reasons
    return None, [*reasons, f"no text that can be used for {sql[:80]}"]


def _schema(table: Table, tables: Sequence[Table]) -> str:
    """A table and those it is linked to, as a model reads it: names and types, keys and links, no row."""
    linked = {link.other_table for link in table.links} | {
        other.name for other in tables if any(link.other_table == table.name for link in other.links)
    }
    shown = [table, *(other for other in tables if other.name in linked and other.name != table.name)]
    told: list[str] = []
    for one in shown:
        columns = [f"{column.name} {column.type}".strip() for column in one.columns[:MOST_COLUMNS]]
        told.append(f"{one.name}({', '.join(columns)})")
        told += [f"  {one.name}.{link.column} is a {link.other_table}.{link.other_column}" for link in one.links]
    return "\n".join(told)


def _said(messages: Sequence[Message], model: LanguageModel) -> str:
    stream = model.stream(messages, max_tokens=min(TOKENS, model.context // 3))
    return "".join(part for part in stream if isinstance(part, str))
