"""Templates with placeholders: SQL, and short and long texts that ask for the same (GRAMMAR, 4.1).

A block of a file is

    sql: SELECT head FROM unit WHERE name = '[unit.name]'
    short: head of [unit.name]
    long: I have been asked to write to whoever runs [unit.name] before the end of the month, and ...

where an indented line goes on with the one above, # begins a comment, and blocks stand apart by an empty line.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

import prompts
from trag.errors import OperatorError, TragError
from trag.evaluate.grammar.sql import Select, canonical, placeholders_in, understand
from trag.progress import Progress, silent

if TYPE_CHECKING:
    from prompts import Message
    from store.source import Table
    from trag.llm.model import LanguageModel

SHORT_WORDS = 14
"""Words that a short form may have, a placeholder counted as one."""
LONG_WORDS = 30
"""Words that a long form must have (GRAMMAR, table 6)."""
_LINE = re.compile(r"(sql|short|long):\s*(.*)", re.I)
_HINT = "A block is a line `sql: SELECT ...`, then lines `short: ...` and `long: ...`; an empty line ends it."
TOKENS = 1_200
"""Tokens that the model may write to one request."""
MOST_TABLES = 40
MOST_COLUMNS = 30
"""What is shown of a schema; the rest is left out."""
_STATEMENT = re.compile(r"\bSELECT\b.*?(?=;|\n\s*\n|\n[\s\d.)`*-]*SELECT\b|\n```|\Z)", re.I | re.S)
_NUMBERED = re.compile(r"^\s*(?:[-*•]|\(?\d{1,2}[.):])\s*")
_LABEL = re.compile(r"^(?:query|question|short|long|text|variant)\s*\d*\s*:\s*", re.I)


@dataclass(frozen=True, slots=True)
class Template:
    """One meaning with placeholders: `sql` as written, and its texts in both forms."""

    sql: str
    short: tuple[str, ...]
    long: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Ready:
    """A template that keeps to the criteria, what its SQL selects, and its place among all, from 1."""

    template: Template
    select: Select
    number: int


def read(content: bytes, name: str) -> tuple[Template, ...]:
    """The templates in a file. Raises TragError with every bad line and what is wrong with it."""
    try:
        text = content.decode("utf-8-sig")
    except UnicodeDecodeError as error:
        raise OperatorError(f"{name} is no UTF-8 text ({error}).", _HINT) from error
    problems: list[str] = []
    blocks: list[dict[str, list[str]]] = []
    open_block = False
    for number, line in _lines(text):
        if not line:
            open_block = False
            continue
        match = _LINE.fullmatch(line)
        if match is None:
            problems.append(f"line {number}: begins with none of sql:, short:, long:")
        elif not match[2]:
            problems.append(f"line {number}: nothing behind {match[1]}:")
        elif match[1].lower() == "sql":
            blocks.append({"sql": [match[2]], "short": [], "long": []})
            open_block = True
        elif not open_block:
            problems.append(f"line {number}: {match[1]}: without a sql: above it")
        else:
            blocks[-1][match[1].lower()].append(match[2])
    if problems:
        raise TragError(f"{name} cannot be used: " + "\n".join(problems), _HINT)
    if not blocks:
        raise TragError(f"{name} holds no template.", _HINT)
    return tuple(Template(block["sql"][0], tuple(block["short"]), tuple(block["long"])) for block in blocks)


def write(templates: Sequence[Template]) -> bytes:
    """The file that `read` reads."""
    blocks = []
    for one in templates:
        lines = [f"sql: {one.sql}", *(f"short: {text}" for text in one.short), *(f"long: {text}" for text in one.long)]
        blocks.append("\n".join(lines))
    return ("\n\n".join(blocks) + "\n").encode()


def check(
    templates: Sequence[Template], tables: Sequence[Table], dialect: str
) -> tuple[tuple[Ready, ...], tuple[str, ...]]:
    """The templates that keep to the criteria, and all that is wrong with each of the others."""
    ready: list[Ready] = []
    problems: list[str] = []
    for number, template in enumerate(templates, 1):
        select, wrong = understand(template.sql, tables, dialect)
        short, long = (tuple(canonical(text, tables) for text in said) for said in (template.short, template.long))
        forms = {"short": short, "long": long}
        if select:
            for form, said in forms.items():
                problem = ((text, text_problem(text, select, form)) for text in said)
                wrong += tuple(f"{form} '{text}': {why}" for text, why in problem if why)
        wrong += tuple(f"no {form} text" for form, said in forms.items() if not said)
        if select and not wrong:
            ready.append(Ready(Template(template.sql, short, long), select, number))
        problems += (f"template {number} ({shortened(template.sql)}): {why}" for why in wrong)
    return tuple(ready), tuple(problems)


def shortened(sql: str) -> str:
    """An SQL template as it is named in a message."""
    return " ".join(sql.split())[:80]


def text_problem(text: str, select: Select, form: str) -> str:
    """Why a text is no "short" or "long" `form` of a template; "" where it is one."""
    wanted, found = list(map(str, select.placeholders)), placeholders_in(text)
    problems = [f"{one} is missing" for one in wanted if one not in found]
    problems += [f"{one} is not in the SQL" for one in found if one not in wanted]
    count = len(re.sub(r"\[[^\]]*\]", "x", text).split())
    if not problems and form == "short" and count > SHORT_WORDS:
        problems = [f"has {count} words, at most {SHORT_WORDS} are short"]
    if not problems and form == "long" and count < LONG_WORDS:
        problems = [f"has {count} words, a long form has at least {LONG_WORDS}"]
    return "; ".join(problems)


def _lines(text: str) -> list[tuple[int, str]]:
    """Each line with its number, those that go on joined to the one above, comments left out; "" for an empty one."""
    found: list[tuple[int, str]] = []
    for number, line in enumerate(text.splitlines(), 1):
        if found and line[:1].isspace() and line.strip():
            found[-1] = (found[-1][0], f"{found[-1][1]} {line.strip()}")
        elif not line.startswith("#"):
            found.append((number, line.strip()))
    return found


@dataclass(frozen=True, slots=True)
class Generated:
    """The templates that keep to the criteria, and what speaks against the rest that the model wrote, each reason
    once."""

    templates: tuple[Template, ...]
    reasons: tuple[str, ...] = ()


def generate(
    tables: Sequence[Table], dialect: str, model: LanguageModel, *, texts: int, progress: Progress = silent
) -> Generated:
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
        forms = []
        for form in ("short", "long"):
            said = _said(prompts.grammar_texts(sql, texts, long=form == "long"), model)
            candidates = (canonical(line, tables) for line in lines(said))
            problems = {text: text_problem(text, select, form) for text in candidates}
            reasons += filter(None, problems.values())
            forms.append(tuple(text for text, why in problems.items() if not why)[:texts])
        if all(forms):
            templates.append(Template(sql, *forms))
        else:
            reasons.append(f"no text that can be used for {sql[:80]}")
    return Generated(tuple(templates), tuple(dict.fromkeys(reasons)))


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
