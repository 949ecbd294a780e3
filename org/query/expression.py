"""An expression over the chart, such as count(children(u1, 'committee')): parsed by Python's own grammar, of which
calls, names, strings and tuples are allowed, bounded, run, and answered."""

from __future__ import annotations

import ast
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from datetime import date

from org.chart import Chart, Unit
from org.language import day, gettext, speaking
from org.query import facts, lists, sentences
from org.query.grammar import QueryError
from org.query.lists import Cell, Units, Value
from org.query.sentences import Statement, placement

Earlier = Callable[[], Sequence[tuple[date, Chart]]]
"""The charts that were in use before, the last one first, each with the day of the change that ended it."""

_LONGEST, _CALLS, _DEPTH, _PARTS = 600, 16, 6, 4
"""Signs of an expression, calls in it, calls within calls, questions at once."""
_SOURCES = 20
"""Statements of a reply; a list may have more units, and its text names them."""
_USE = "Write one of: parent, path, children, descendants, siblings, common, is_under, ... or documents()."


@dataclass(frozen=True, slots=True)
class ChartReply:
    """What the chart answers: the whole `text`, and a statement, the place in the tree, for each unit it rests on."""

    text: str
    statements: tuple[Statement, ...]


@dataclass(frozen=True, slots=True)
class _Scene:
    """What an expression is read in: u1 is the first of `given`, None where a chart lacks it."""

    given: tuple[Unit | Cell | None, ...]
    chart: Chart
    earlier: Earlier


def run(
    expression: str, given: Sequence[str | Cell], chart: Chart, *, earlier: Earlier = tuple, language: str = "en"
) -> ChartReply | None:
    """The answer to an expression, in which u1 is the unit with the first id in `given`, or all with such a cell. It is
    in `language`, one of `org.language`.

    None for documents(), and where the chart does not say: words that no unit has, a cell that is empty. Raises
    QueryError for what does not parse, goes beyond the bounds, or names what is not there.
    """
    scene = _Scene(tuple(one if isinstance(one, Cell) else chart.unit(one) for one in given), chart, earlier)
    if len(expression) > _LONGEST:
        raise QueryError(f"The expression has {len(expression):,} signs.", f"{_LONGEST} are the most.")
    try:
        tree = ast.parse(expression.strip(), mode="eval").body
    except (SyntaxError, ValueError, MemoryError, RecursionError) as error:
        raise QueryError(f"This is no expression: {sentences.line(expression, 80)}", _USE) from error
    if sum(isinstance(node, ast.Call) for node in ast.walk(tree)) > _CALLS:
        raise QueryError("The expression has too many calls.", f"{_CALLS} are the most.")
    parts = tree.elts if isinstance(tree, ast.Tuple | ast.List) else [tree]
    if not 0 < len(parts) <= _PARTS:
        raise QueryError(f"The expression asks {len(parts)} things at once.", f"Ask 1 to {_PARTS}.")
    with speaking(language):
        replies = [_answer(part, scene) for part in parts]
    found = [reply for reply in replies if reply]
    if len(found) < len(replies):
        return None  # half an answer would pass for a whole one
    statements = dict.fromkeys(statement for reply in found for statement in reply.statements)
    text = " ".join(dict.fromkeys(reply.text for reply in found))
    return ChartReply(text, tuple(statements)[:_SOURCES])


def described(given: Sequence[str | Cell], chart: Chart) -> list[str]:
    """A line for each that is given as the model reads it: "u1 = Field Division (division, under Northwind Agency)" or
    "u1 = Finance (department, 3 people)". No name, whatever is in it, makes a second line or a long one."""
    lines = []
    for place, one in enumerate(given, 1):
        if isinstance(one, Cell):
            notes = f"{sentences.line(one.column.casefold(), 40)}, {one.units:,} {'units' if chart.types else 'people'}"
            lines.append(f"u{place} = {sentences.line(one.text, 80)} ({notes})")
            continue
        unit = chart.unit(one)
        above = "at the top" if unit.parent is None else f"under {sentences.line(chart.unit(unit.parent).name, 60)}"
        notes = ", ".join(filter(None, (sentences.line(unit.type, 40), above)))
        lines.append(f"u{place} = {sentences.line(unit.name, 80)} ({notes})")
    return lines


def _answer(tree: ast.expr, scene: _Scene) -> ChartReply | None:
    if isinstance(tree, ast.Call) and isinstance(tree.func, ast.Name) and tree.func.id == "was":
        return _before(tree, scene)
    value = _value(tree, scene, 1)
    if value is None:
        return None
    units = (*value.about, *(value.units if isinstance(value, Units) else ()))[:_SOURCES]
    statements = dict.fromkeys(placement(unit.id, scene.chart) for unit in units)
    return ChartReply(lists.text(value, scene.chart), tuple(statements))


def _before(call: ast.Call, scene: _Scene) -> ChartReply | None:
    """What the last chart before this one said, and what this one says."""
    charts = scene.earlier()
    if len(call.args) != 1 or call.keywords:
        raise QueryError("was(...) takes one expression.", "For example: was(is_under(u1, u2))")
    if not charts:
        return None
    changed, chart = charts[0]
    when = day(changed)
    gone = next((unit for unit in scene.given if unit and not _then(unit, chart)), None)
    if isinstance(gone, Unit):
        name = sentences.label(gone, scene.chart)
        text = gettext("{unit} was not in the chart before the change of {day}.", unit=name, day=when)
        return ChartReply(sentences.sentence(text), (placement(gone.id, scene.chart),))
    then = _answer(call.args[0], _Scene(tuple(unit and _then(unit, chart) for unit in scene.given), chart, tuple))
    now = _answer(call.args[0], scene)
    if then is None:
        return None
    if now and now.text == then.text:
        same = gettext("{text} It was so before the change of {day} too.", text=then.text, day=when)
        return ChartReply(same, now.statements)
    text = gettext("{text} That was before the change of {day}.", text=then.text, day=when)
    today = [gettext("Today: {text}", text=now.text)] if now else []
    return ChartReply(" ".join([text, *today]), (*then.statements, *(now.statements if now else ())))


def _then(unit: Unit | Cell, chart: Chart) -> Unit | Cell | None:
    """A unit as an earlier chart had it: by its id, else by its name where that is one unit's alone."""
    if isinstance(unit, Cell):
        return unit
    named = chart.named(unit.name)
    return chart.units.get(unit.id) or (named[0] if len(named) == 1 else None)


def _value(tree: ast.expr, scene: _Scene, depth: int) -> Value | None:
    """What a name or a call comes to, None where something in it was not found."""
    if isinstance(tree, ast.Name):
        name = tree.id
        place = int(name[1:]) - 1 if name[:1] == "u" and name[1:].isascii() and name[1:].isdigit() else -1
        unit = scene.given[place] if 0 <= place < len(scene.given) else None
        if unit is None:
            hint = f"{len(scene.given)} units are given, from u1 on."
            raise QueryError(f"There is no {sentences.line(name, 40)}.", hint)
        if isinstance(unit, Cell):
            return lists.in_cell(unit, "", scene.chart)
        return Units((unit,), told=sentences.placed(unit, scene.chart))
    if not isinstance(tree, ast.Call) or not isinstance(tree.func, ast.Name):
        raise QueryError(f"This is neither a unit nor a function: {type(tree).__name__}", _USE)
    if depth > _DEPTH:
        raise QueryError("The expression is nested too deeply.", f"{_DEPTH} calls within each other are the most.")
    arguments: list[Value | str] = []
    for argument in (*tree.args, *(keyword.value for keyword in tree.keywords)):
        if isinstance(argument, ast.Constant) and isinstance(argument.value, str):
            arguments.append(argument.value)
        elif isinstance(argument, ast.Tuple | ast.List):
            arguments += [value for each in argument.elts if (value := _value(each, scene, depth + 1))]
        elif (value := _value(argument, scene, depth + 1)) is None:
            return None
        else:
            arguments.append(value)
    return _call(tree.func.id, arguments, scene.chart)


def _call(name: str, arguments: Sequence[Value | str], chart: Chart) -> Value | None:  # noqa: C901  a table
    """The language: every function, and what it takes."""
    units = [one for one in arguments if isinstance(one, Units)]
    texts = [one for one in arguments if isinstance(one, str)]
    if len(units) + len(texts) < len(arguments):
        raise QueryError(f"{sentences.line(name, 40)}(...) is asked of an answer.", "Ask it of units, such as u1.")
    noun = texts[-1] if texts else ""
    match (name, units, texts):
        case ("documents", [], []):
            return None
        case ("top", [], []):
            return lists.top(chart)
        case ("units", [], [] | [_]):
            return lists.everything(noun, chart)
        case ("parent" | "path" | "children" | "descendants" | "siblings", [some], [] | [_]) if not some.units:
            return some  # of nothing there is nothing, and how it was looked for is the answer
        case ("parent", [some], [] | [_]):
            return lists.parent(some, noun, chart)
        case ("path", [some], []):
            return lists.path(some, chart)
        case ("children" | "descendants", [Units(given=Cell() as cell)], [] | [_]):
            return lists.in_cell(cell, noun, chart)
        case ("is_under", [Units(given=Cell()) as one, Units(given=Cell()) as other], []):
            return lists.in_both(one, other)
        case ("attribute", [Units(given=Cell(column=column))], [asked]) if asked == column:
            return None  # what the question says itself
        case ("children", [some], [] | [_]):
            return lists.children(some, noun, chart)
        case ("descendants", [some], [] | [_]):
            return lists.descendants(some, noun, chart)
        case ("siblings", [some], [] | [_]):
            return lists.siblings(some, noun, chart)
        case ("common", [_, *_], []):
            return lists.common(_merged(units), chart)
        case ("named", [], [text] | [text, _]):
            return lists.named(text, "".join(texts[1:]), chart)
        case ("described", [], [text] | [text, _]):
            return lists.described(text, "".join(texts[1:]), chart)
        case ("where", [], [column, text]):
            return lists.where(column, text, chart)
        case ("about", [some], []):
            return facts.about(some, chart)
        case ("type_of", [some], []):
            return facts.type_of(some, chart)
        case ("aliases", [some], []):
            return facts.aliases(some, chart)
        case ("head" | "email", [some], []):
            return facts.attribute(some, name, chart)
        case ("attribute", [some], [column]):
            return facts.attribute(some, column, chart)
        case ("is_a", [some], [_]):
            return facts.is_a(some, noun, chart)
        case ("is_under", [some, above], []):
            return facts.is_under(some, above, chart)
        case ("same", [some, other], []):
            return facts.same(some, other, chart)
        case ("any", [some], []):
            return facts.exists(some, chart)
        case ("count", [some], []):
            return lists.count(some, chart)
        case ("more", [some, other], [] | [_]):
            return facts.more(some, other, noun, chart)
        case ("most", [_, *_], [] | [_]):
            return facts.most(_merged(units), noun, chart)
        case _:
            given = f"{len(units)} units or lists and {len(texts)} texts"
            raise QueryError(f"There is no function {sentences.line(name, 40)} of {given}.", _USE)


def _merged(groups: Sequence[Units]) -> Units:
    return Units(tuple({unit.id: unit for group in groups for unit in group.units}.values()))
