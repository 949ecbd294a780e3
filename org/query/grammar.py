"""The grammar that a model writes an expression under: only given units, functions that this chart can answer, its own
types and columns, and words of the question.

given units, Chart, question -> GBNF, the notation of llama.cpp.  What it lets through, expression.py runs.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence

from org.chart import Chart
from org.query import lists, types

_WORD = re.compile(r"[^\W_]+(?:[-.&/][^\W_]+)*")
SPAN = 5
"""Words of a question in a row that an expression may quote."""
_WORDS, _LETTERS = 80, 40
"""Words of a question that are offered, and letters of one."""
_NOUNS, _COLUMNS, _NAME = 120, 40, 60
"""Types and columns that are offered, and signs of one."""


def grammar(given: int, chart: Chart, question: str, *, earlier: bool = False) -> str:
    """The grammar for a question with `given` units, u1 to uN, as GBNF: documents(), or one to three expressions.

    A function is left out where the chart has nothing for it: no types, no such column, no alias, no `earlier` chart.
    The text stays within some tens of kilobytes, whatever the chart and the question. It is one rule for all units, so
    that nothing can be read in two ways; how deep they are nested, `run` bounds.
    """
    columns = [column for column in lists.columns(chart) if _fits(column)]
    others = [column for column in columns if column != "description"][:_COLUMNS]
    nouns, text = _any(map(_string, _nouns(chart, question))), _text(question)
    noun = '(", " type)?' if nouns else ""
    units = [f'"u{place}"' for place in range(1, given + 1)]
    if not given:  # of units that are given, a small model would list all of the chart that are of their type
        units += [_call("top", ""), _call("units", "type?" if nouns else "")]
    units += [_call(name, f"unit {noun}") for name in ("parent", "children", "descendants", "siblings")]
    units += [_call("path", "unit"), _call("common", 'unit (", " unit)+')]
    units += [_call("named", f"text {noun}")] if text else []
    units += [_call("described", f"text {noun}")] if text and "description" in columns else []
    units += [_call("where", 'column ", " text')] if text and others else []
    ends = [_call(name, "unit") for name in ("count", "any")]
    ends += [_call(name, 'unit ", " unit') for name in ("is_under", "same")]
    ends += [_call("more", f'unit ", " unit {noun}'), _call("most", f'unit (", " unit)* {noun}')]
    ends += [_call("type_of", "unit"), _call("is_a", 'unit ", " type')] if nouns else []
    ends += [_call("about", "unit")] if {"description", "head"} & {*columns} else []
    ends += [_call("aliases", "unit")] if any(unit.aliases for unit in chart.units.values()) else []
    ends += [_call(name, "unit") for name in ("head", "email") if name in columns]
    ends += [_call("attribute", 'unit ", " column')] if others else []
    rules = {
        "root": '"documents()" | part (", " part (", " part)?)?',
        "part": _any(["answer", _call("was", "answer")]) if earlier else "answer",
        "answer": _any(["unit", *ends]),
        "unit": _any(units),
        "type": nouns,
        "column": _any(map(_string, others)),
        "text": text,
    }
    return "".join(f"{name} ::= {rule}\n" for name, rule in rules.items() if rule)


def _nouns(chart: Chart, question: str) -> list[str]:
    """The chart's nouns for types; of too many those first that have a word of the question."""
    fitting = [noun for noun in types.nouns(chart) if _fits(noun)]
    if len(fitting) > _NOUNS:
        starts = {word[:4] for word in _WORD.findall(question.casefold()) if len(word) >= 3}
        fitting.sort(key=lambda noun: not any(word[:4] in starts for word in noun.casefold().split()))
    return fitting[:_NOUNS]


def words(question: str) -> list[str]:
    """The words of a question that an expression may quote, SPAN of them in a row."""
    return [word for word in _WORD.findall(question) if len(word) <= _LETTERS][:_WORDS]


def quoted(text: str) -> str:
    """A text as a string of an expression."""
    return "'" + text.replace("\\", "\\\\").replace("'", "\\'") + "'"


def _text(question: str) -> str:
    """Some words of the question in a row, in quotation marks."""
    found = words(question)
    spans = dict.fromkeys(tuple(found[place : place + SPAN]) for place in range(len(found)))
    return f'''"'" ({_any(map(_span, spans))}) "'"''' if found else ""


def _span(words: Sequence[str]) -> str:
    """The first word, and as many of the following as one likes: "a" (" b" (" c")?)?"""
    first, *rest = words
    tail = ""
    for word in reversed(rest):
        tail = f" ({_literal(f' {word}')}{tail})?"
    return _literal(first) + tail


def _call(name: str, arguments: str) -> str:
    return f'"{name}(" {arguments} ")"'


def _any(choices: Iterable[str]) -> str:
    return " | ".join(choices)


def _fits(name: str) -> bool:
    return len(name) <= _NAME and name.isprintable()


def _string(text: str) -> str:
    """A literal that matches the text as a string of an expression."""
    return _literal(quoted(text))


def _literal(text: str) -> str:
    escaped = text.replace("\\", "\\\\").replace('"', '\\"')
    return f'"{escaped}"'
