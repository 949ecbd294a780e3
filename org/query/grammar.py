"""What an expression may say of a chart: its types and columns, and the GBNF grammar, the notation of llama.cpp, that a
model writes it under. What that lets through, expression.py runs."""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Iterable, Sequence
from itertools import chain
from weakref import WeakKeyDictionary

from org.chart import Chart, ChartError, Unit
from org.query.sentences import line, plural

COLUMNS = ("description", "head", "email", "code")
"""The columns of every chart that say something of a unit beside its place; the others go by their headers."""
_WORD = re.compile(r"[^\W_]+(?:[-.&/][^\W_]+)*")
SPAN = 5
"""Words of a question in a row that an expression may quote."""
_WORDS, _LETTERS = 80, 40
"""Words of a question that are offered, and letters of one."""
_NOUNS, _COLUMNS, _NAME = 120, 40, 60
"""Types and columns that are offered, and signs of one."""

_columns: WeakKeyDictionary[Chart, tuple[str, ...]] = WeakKeyDictionary()
_meanings: WeakKeyDictionary[Chart, dict[str, tuple[str, frozenset[str]]]] = WeakKeyDictionary()


class QueryError(ChartError):
    """An expression that cannot be run."""


def cell(unit: Unit, header: str) -> str:
    """What stands in a column about a unit, "" for nothing."""
    if header in COLUMNS:
        return str(getattr(unit, header))
    return next((text for name, text in unit.attributes if name == header), "")


def columns(chart: Chart) -> tuple[str, ...]:
    """The columns in which the chart says anything about a unit, beside its place, names and type."""
    if chart not in _columns:
        units = chart.units.values()
        own = [header for header in COLUMNS if any(getattr(unit, header) for unit in units)]
        _columns[chart] = (*own, *dict.fromkeys(header for unit in units for header, _ in unit.attributes))
    return _columns[chart]


def spelled(column: str, chart: Chart) -> str:
    """A column as the chart spells it. Raises QueryError for one that it does not have."""
    known = columns(chart)
    wanted = " ".join(column.casefold().split())
    found = next((header for header in known if " ".join(header.casefold().split()) == wanted), None)
    if found is None:
        raise QueryError(
            f"The chart has no column {line(column, 80)}.", f"It has: {line(', '.join(known) or 'none', 400)}."
        )
    return found


def types_of(noun: str, chart: Chart) -> tuple[str, frozenset[str]]:
    """A noun as the chart spells it, and the types that it means, whatever its case and number: the type itself, else
    all that end in the noun, where they are several (country offices and field offices are offices). Empty for a noun
    that is no type of the chart."""
    return _all(chart).get(_plain(noun), ("", frozenset()))


def type_nouns(chart: Chart) -> tuple[str, ...]:
    """Every noun for types of the chart, as the chart spells it: its types, then the endings that several share."""
    return tuple(dict.fromkeys(spelled for spelled, _ in _all(chart).values()))


def _all(chart: Chart) -> dict[str, tuple[str, frozenset[str]]]:
    if chart not in _meanings:
        exact: dict[str, list[str]] = defaultdict(list)
        wider: dict[str, dict[str, list[str]]] = defaultdict(dict)
        spelled: dict[str, str] = {}
        for kind in chart.types:
            exact[_plain(kind)].append(kind)
            words = kind.split()
            # "Field Office" and "Office" of "Regional Field Office"; three at most, for nobody asks for more
            endings = [" ".join(words[place:]) for place in range(max(1, len(words) - 3), len(words))]
            for noun in (kind, *endings):
                spelled.setdefault(_plain(noun), " ".join(noun.split()))
                wider[_plain(noun)].setdefault(_plain(kind), []).append(kind)
        shared = {key: chain.from_iterable(kinds.values()) for key, kinds in wider.items() if len(kinds) > 1}
        found = {key: (spelled[key], frozenset(kinds)) for key, kinds in (exact | shared | exact).items() if key}
        _meanings[chart] = {plural(key): meaning for key, meaning in found.items()} | found
    return _meanings[chart]


def _plain(noun: str) -> str:
    return " ".join(noun.casefold().split())


def kinds(noun: str, chart: Chart) -> frozenset[str]:
    """The types that a noun means. Raises QueryError for one that is no type of the chart."""
    _, meant = types_of(noun, chart)
    if not meant:
        known = ", ".join(chart.types[:20]) or "none"
        raise QueryError(f"The chart has no type {line(noun, 80)}.", f"Its types are: {line(known, 400)}.")
    return meant


def grammar(given: int, chart: Chart, question: str, *, earlier: bool = False) -> str:
    """The grammar for a question with `given` units, u1 to uN, as GBNF: documents(), or one to three expressions.

    A function is left out where the chart has nothing for it: no types, no such column, no alias, no `earlier` chart.
    The text stays within some tens of kilobytes, whatever the chart and the question. It is one rule for all units, so
    that nothing can be read in two ways; how deep they are nested, `run` bounds.
    """
    known = [column for column in columns(chart) if _fits(column)]
    others = [column for column in known if column != "description"][:_COLUMNS]
    nouns, text = _any(map(_string, _nouns(chart, question))), _text(question)
    noun = '(", " type)?' if nouns else ""
    units = [f'"u{place}"' for place in range(1, given + 1)]
    if not given:  # of units that are given, a small model would list all of the chart that are of their type
        units += [_call("top", ""), _call("units", "type?" if nouns else "")]
    units += [_call(name, f"unit {noun}") for name in ("parent", "children", "descendants", "siblings")]
    units += [_call("path", "unit"), _call("common", 'unit (", " unit)+')]
    units += [_call("named", f"text {noun}")] if text else []
    units += [_call("described", f"text {noun}")] if text and "description" in known else []
    units += [_call("where", 'column ", " text')] if text and others else []
    ends = [_call(name, "unit") for name in ("count", "any")]
    ends += [_call(name, 'unit ", " unit') for name in ("is_under", "same")]
    ends += [_call("more", f'unit ", " unit {noun}'), _call("most", f'unit (", " unit)* {noun}')]
    ends += [_call("type_of", "unit"), _call("is_a", 'unit ", " type')] if nouns else []
    ends += [_call("about", "unit")] if {"description", "head"} & {*known} else []
    ends += [_call("aliases", "unit")] if any(unit.aliases for unit in chart.units.values()) else []
    ends += [_call(name, "unit") for name in ("head", "email") if name in known]
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
    fitting = [noun for noun in type_nouns(chart) if _fits(noun)]
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

    def span(words: Sequence[str]) -> str:
        """The first word, and as many of the following as one likes: "a" (" b" (" c")?)?"""
        first, *rest = words
        tail = ""
        for word in reversed(rest):
            tail = f" ({_literal(f' {word}')}{tail})?"
        return _literal(first) + tail

    found = words(question)
    spans = dict.fromkeys(tuple(found[place : place + SPAN]) for place in range(len(found)))
    return f'''"'" ({_any(map(span, spans))}) "'"''' if found else ""


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
