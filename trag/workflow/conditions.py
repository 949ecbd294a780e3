"""When the branches of a workflow are taken and what its loops go through: the model reads it in the request.

request, steps, the values there are -> "above 500 euros": 1.amount > "500", under a grammar -> a condition, or open

First the words are found that say it. The left side is one of the values, the operator one of a list, the right side a
stretch of the request's own characters; what compares with an order is a number.
"""

from __future__ import annotations

import re
import threading
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import replace
from itertools import islice, pairwise

import prompts
from org.procedures.flows import Book
from trag.llm.model import LanguageModel, text_of
from trag.progress import Cancelled
from trag.workflow.record import Condition, Input, Workflow, WorkflowStep
from trag.workflow.scope import Scope

_ASKED = {
    "IF": "When is step {} done ({})?",
    "ELSEIF": "When is step {} done ({})?",
    "DOUNTIL": "Until when is step {} repeated ({})?",
    "FOREACH": "For each of which value is step {} done ({})?",
}
_OPEN = "open"
_SAID = ("yes", "no")
"""What somebody who is asked says, whatever the language of the request."""
_EQUAL, _ORDERS, _CONTAINS, _EMPTY = ("=", "!="), (">", ">=", "<", "<="), "contains", "is empty"
_WRITTEN = re.compile(rf'({"|".join((*_EQUAL, *_ORDERS, _CONTAINS))}) "(.+)"')
_VALUES, _TOKENS = 24, 80
"""Values that are shown, the nearest first, and tokens of an answer."""
_WORDS, _LETTERS = 80, 40
"""Words of the request that may be quoted, and letters of one."""
_SAYING, _SPAN = 10, 5
"""Words in a row that say when, and that a value is compared with."""
_CHARACTER = "\u3040-\u30ff\u3400-\u9fff"  # of scripts that do not part words
_WORD = re.compile(rf"[{_CHARACTER}]|[^\W_{_CHARACTER}]+(?:[-.,&/'’][^\W_{_CHARACTER}]+)*")
_NUMBER = re.compile(r"\d+(?:[.,'’]\d+)*")
_GROUPED = re.compile(r"[1-9]\d{0,2}(?:([.,'’])\d{3})(?:\1\d{3})*")


def conditions(
    workflow: Workflow, book: Book, request: str, model: LanguageModel, stop: threading.Event | None = None
) -> Workflow:
    """The workflow with every condition that is open, and what loops go through, as the model reads the request; what
    it cannot say stays open. One takes it some seconds on two cores.

    Raises Cancelled when `stop` is set meanwhile, and what `LanguageModel.stream` raises.
    """
    scope = Scope(workflow, book)
    for number in range(1, len(workflow.steps) + 1):
        step = scope.step(number)
        if step.name == "FOREACH" and not step.inputs:
            written = _ask(scope, step, request, model, stop)
            known = any(written == value for value, _ in _values(scope, step))
            step = replace(step, inputs=(Input("items", written),) if known else ())
        elif step.name in _ASKED and step.name != "FOREACH" and (not step.condition or step.condition.by == _OPEN):
            step = replace(step, condition=_condition(scope, step, request, _ask(scope, step, request, model, stop)))
        scope = scope.with_step(step)
    return scope.finished()


def _ask(scope: Scope, step: WorkflowStep, request: str, model: LanguageModel, stop: threading.Event | None) -> str:
    """What the model writes, "" where there is no value that it could name."""
    values = dict(islice(_values(scope, step), _VALUES))
    if not values or not _WORD.search(request):
        return ""
    if stop and stop.is_set():
        raise Cancelled
    shown = [f"{value}: {told}" if told else value for value, told in values.items()]
    inside = ", ".join(_title(scope, each) for each in scope.workflow.steps if each.parent == step.step)
    messages = prompts.condition(request, _steps(scope), shown, _ASKED[step.name].format(step.step, inside))
    allowed = _grammar([*values], request, alone=step.name == "FOREACH")
    written, _ = text_of(model.stream(messages, max_tokens=_TOKENS, stop=stop, grammar=allowed))
    if stop and stop.is_set():
        raise Cancelled
    return written.strip()


def _steps(scope: Scope) -> list[str]:
    """The steps by their titles, a line each, one space more a level."""
    return [
        f"{step.step} {' ' * (len(scope.path(step.step)) - 1)}{_title(scope, step)}" for step in scope.workflow.steps
    ]


def _title(scope: Scope, step: WorkflowStep) -> str:
    action = scope.book.actions.get(step.name)
    return action.title if action else step.name


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


def _condition(scope: Scope, step: WorkflowStep, request: str, written: str) -> Condition:
    """The condition that was written, an open one where it is none: a server that knows no grammar writes freely."""
    written = written.rpartition(": ")[2]
    left = next((value for value, _ in _values(scope, step) if written.startswith(f"{value} ")), "")
    rest = written[len(left) + 1 :]
    found = _WRITTEN.fullmatch(rest)
    if left and rest == _EMPTY:
        return Condition(left, _EMPTY, "", "model")
    if not left or not found:
        return Condition()
    op, right = found[1], found[2]
    if right not in request and not (op in _EQUAL and right in _SAID):
        return Condition()
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
    """What may be written, as GBNF: open, or a value, if not `alone` with words that say it and what it is compared
    with."""
    numbers = dict.fromkeys(_NUMBER.findall(request))
    rules = {"value": _any(values)}
    if alone:
        rules["root"] = f'"{_OPEN}" | value'
    else:
        ways = [f"({_any(f'{op} ' for op in _EQUAL)}) said", f'"{_EMPTY}"', f'"{_CONTAINS} " words']
        ways += [f"({_any(f'{op} ' for op in _ORDERS)}) number"] if numbers else []
        rules["root"] = f'"{_OPEN}" | saying ": " value " " ({" | ".join(ways)})'
        rules["saying"] = _quoted(_spans(request, _SAYING))
        rules["words"] = _quoted(_spans(request, _SPAN))
        rules["said"] = f"{_quoted(map(_literal, _SAID))} | words"
        rules |= {"number": _quoted(map(_literal, numbers))} if numbers else {}
    return "".join(f"{name} ::= {rule}\n" for name, rule in rules.items())


def _quoted(options: Iterable[str]) -> str:
    return f'"\\"" ({" | ".join(options)}) "\\""'


def _spans(request: str, most: int) -> Iterator[str]:
    """From each word of the request on, it and as many of the following as one likes, as GBNF: "a" (" b" (" c")?)?"""
    words = [word for word in islice(_WORD.finditer(request), _WORDS) if len(word[0]) <= _LETTERS]
    seen = set[str]()
    for place, first in enumerate(words):
        tail, row = "", words[place : place + most]
        for before, word in reversed([*pairwise(row)]):
            between = request[before.end() : word.start()]
            tail = f" ({_literal(between + word[0])}{tail})?" if between in ("", " ") else ""
        span = _literal(first[0]) + tail
        if span not in seen:
            seen.add(span)
            yield span


def _any(texts: Iterable[str]) -> str:
    return " | ".join(map(_literal, texts))


def _literal(text: str) -> str:
    escaped = text.replace("\\", "\\\\").replace('"', '\\"')
    return f'"{escaped}"'
