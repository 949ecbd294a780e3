"""When the branches of a workflow are taken and what its loops go through: the model reads it in the request.

request, steps, the values there are -> 1.amount > "500", under a grammar -> a condition, or open for a person

The left side is one of the values, the operator one of a list, the right side a stretch of the request's own
characters. What compares with an order is a number.
"""

from __future__ import annotations

import re
import threading
from collections.abc import Iterator, Sequence
from dataclasses import replace
from itertools import islice, pairwise

import prompts
from org.procedures.flows import Book
from trag.llm.model import LanguageModel, text_of
from trag.progress import Cancelled
from trag.workflow.record import Condition, Input, Workflow, WorkflowStep
from trag.workflow.scope import Scope

_ASKED = {
    "IF": "When is step {} done?",
    "ELSEIF": "When is step {} done?",
    "DOUNTIL": "Until when is step {} repeated?",
    "FOREACH": "For each of what is step {} done?",
}
_OPEN = "open"
_SAID = ("yes", "no")
"""What somebody who is asked says, whatever the language of the request."""
_EQUAL, _ORDERS, _CONTAINS, _EMPTY = ("=", "!="), (">", ">=", "<", "<="), "contains", "is empty"
_WRITTEN = re.compile(rf'({"|".join((*_EQUAL, *_ORDERS, _CONTAINS))}) "(.+)"')
_VALUES, _TOKENS = 24, 48
"""Values that are shown, the nearest first, and tokens of an answer."""
_WORDS, _SPAN, _LETTERS = 80, 5, 40
"""Words of the request that may be quoted, how many of them in a row, and letters of one."""
_CHARACTER = "\u3040-\u30ff\u3400-\u9fff"  # of scripts that do not part words
_WORD = re.compile(rf"[{_CHARACTER}]|[^\W_{_CHARACTER}]+(?:[-.,&/'’][^\W_{_CHARACTER}]+)*")
_NUMBER = re.compile(r"\d+(?:[.,'’]\d+)*")
_GROUPED = re.compile(r"[1-9]\d{0,2}(?:([.,'’])\d{3})(?:\1\d{3})*")


def conditions(
    workflow: Workflow, book: Book, request: str, model: LanguageModel, stop: threading.Event | None = None
) -> Workflow:
    """The workflow with every condition that is open, and what loops go through, as the model reads the request; what
    it cannot say stays open. A step takes it a second or so.

    Raises Cancelled when `stop` is set meanwhile, and what `LanguageModel.stream` raises.
    """
    scope = Scope(workflow, book)
    for number in range(1, len(workflow.steps) + 1):
        step = scope.step(number)
        if step.name == "FOREACH" and not step.inputs:
            written = _ask(scope, step, request, model, stop)
            step = replace(step, inputs=(Input("items", written),) if written not in ("", _OPEN) else ())
        elif step.name in _ASKED and step.name != "FOREACH" and (not step.condition or step.condition.by == _OPEN):
            step = replace(step, condition=_condition(_ask(scope, step, request, model, stop), scope, step))
        scope = scope.with_step(step)
    return scope.finished()


def _ask(scope: Scope, step: WorkflowStep, request: str, model: LanguageModel, stop: threading.Event | None) -> str:
    """What the model writes, "" where there is no value that it could name."""
    values = dict(islice(_values(scope, step), _VALUES))
    if not values:
        return ""
    if stop and stop.is_set():
        raise Cancelled
    shown = [f"{value}: {told}" if told else value for value, told in values.items()]
    messages = prompts.condition(request, _steps(scope), shown, _ASKED[step.name].format(step.step))
    allowed = _grammar([*values], request, alone=step.name == "FOREACH")
    written, _ = text_of(model.stream(messages, max_tokens=_TOKENS, stop=stop, grammar=allowed))
    if stop and stop.is_set():
        raise Cancelled
    return written.strip()


def _steps(scope: Scope) -> list[str]:
    """The steps by their titles, a line each, one space more a level."""
    actions = scope.book.actions
    return [
        f"{step.step} {' ' * (len(scope.path(step.step)) - 1)}"
        f"{actions[step.name].title if step.name in actions else step.name}"
        for step in scope.workflow.steps
    ]


def _values(scope: Scope, step: WorkflowStep) -> Iterator[tuple[str, str]]:
    """What may be compared, or gone through, each with what is said of it: gifts and items, the nearest first, then the
    fields of the trigger's record."""
    path = scope.path(step.step)
    for earlier in scope.before(step.step, at_end=step.name == "DOUNTIL"):
        action = scope.book.actions.get(earlier.name)
        for thing in action.gives if action else ():
            yield f"{earlier.step}.{thing}", action.description or action.title if action else ""
        if earlier.name == "FOREACH" and earlier.step in path:
            yield f"{earlier.step}.item", ""
    for field in scope.table.fields if scope.table else ():
        yield f"record.{field}", ""


def _condition(written: str, scope: Scope, step: WorkflowStep) -> Condition:
    """The condition that was written, an open one where it is none: a server that knows no grammar writes freely."""
    left = next((value for value, _ in _values(scope, step) if written.startswith(f"{value} ")), "")
    rest = written[len(left) + 1 :]
    found = _WRITTEN.fullmatch(rest)
    if left and rest == _EMPTY:
        return Condition(left, _EMPTY, "", "model")
    if not left or not found:
        return Condition()
    op, right = found[1], found[2]
    if op in _ORDERS:
        right = _number(right)
    return Condition(left, op, right, "model") if right else Condition()


def _number(written: str) -> str:
    """A number as `running.compare` reads it: 5,000 and 5.000 are 5000, 4,5 is 4.5; "" for what is none."""
    if _GROUPED.fullmatch(written):
        return re.sub(r"\D", "", written)
    number = written.replace(",", ".")
    return number if re.fullmatch(r"\d+(\.\d+)?", number) else ""


def _grammar(values: Sequence[str], request: str, alone: bool) -> str:
    """What may be written, as GBNF: open, or a value, if not `alone` with what it is compared with."""
    value, numbers, spans = _any(values), dict.fromkeys(_NUMBER.findall(request)), [*_spans(request)]
    said = f'"\\"" ({" | ".join((_any(_SAID), *spans))}) "\\""'
    compared = [f"({_any(f'{op} ' for op in _EQUAL)}) said", f'"{_EMPTY}"']
    compared += [f'"{_CONTAINS} \\"" ({" | ".join(spans)}) "\\""'] if spans else []
    compared += [f'({_any(f"{op} " for op in _ORDERS)}) "\\"" ({_any(numbers)}) "\\""'] if numbers else []
    rest = "" if alone else f' " " ({" | ".join(compared)})'
    return f'root ::= "{_OPEN}" | ({value}){rest}\n' + ("" if alone else f"said ::= {said}\n")


def _spans(request: str) -> Iterator[str]:
    """From each word of the request on, it and as many of the following as one likes, as GBNF: "a" (" b" (" c")?)?"""
    words = [word for word in islice(_WORD.finditer(request), _WORDS) if len(word[0]) <= _LETTERS]
    seen = set[str]()
    for place, first in enumerate(words):
        tail, row = "", words[place : place + _SPAN]
        for before, word in reversed([*pairwise(row)]):
            between = request[before.end() : word.start()]
            tail = f" ({_literal(between + word[0])}{tail})?" if between in ("", " ") else ""
        span = _literal(first[0]) + tail
        if span not in seen:
            seen.add(span)
            yield span


def _any(texts: Sequence[str] | Iterator[str] | dict[str, None]) -> str:
    return " | ".join(map(_literal, texts))


def _literal(text: str) -> str:
    escaped = text.replace("\\", "\\\\").replace('"', '\\"')
    return f'"{escaped}"'
