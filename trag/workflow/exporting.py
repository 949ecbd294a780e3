"""A workflow as CNCF Serverless Workflow (DSL 1.0.0, JSON).

Each step is a task under its number and name. Branches are `do` tasks with an `if` that says that none before held:
what a condition looks at does not change while a workflow runs. Actions are functions of their names, which whoever
runs the file has to have; what one gives is kept in the context under its number. `trag.workflow.bpmn` is the other
form.
"""

from __future__ import annotations

import json
import re
import unicodedata
from collections.abc import Mapping
from typing import Any

from trag.workflow.record import Condition, Workflow
from trag.workflow.running import MOST_ROUNDS

_RESERVED = ("asyncapi", "grpc", "http", "openapi")
"""What `call` means something else by."""
_DURATION = re.compile(r"P(?!$)(\d+W)?(\d+D)?(T(?=\d)(\d+H)?(\d+M)?(\d+S)?)?")


def serverless(workflow: Workflow) -> dict[str, Any]:
    """The workflow as the JSON of Serverless Workflow 1.0.0. Its trigger is an event of its name whose subject is the
    table, and whose data is the record."""
    name = unicodedata.normalize("NFKD", workflow.title).encode("ascii", "ignore").decode()
    slug = re.sub(r"[^A-Za-z0-9]+", "-", name).strip("-")[:63].strip("-") or "workflow"
    document = {"dsl": "1.0.0", "namespace": "trag", "name": slug, "version": "1.0.0"}
    document |= {"title": workflow.title} if workflow.title else {}
    document |= {"summary": workflow.request} if workflow.request else {}
    made: dict[str, Any] = {"document": document}
    if workflow.trigger:
        event = {"type": workflow.trigger.type}
        event |= {"subject": workflow.trigger.table} if workflow.trigger.table else {}
        made["schedule"] = {"on": {"one": {"with": event}}}
    return made | {"do": _tasks(workflow, 0)}


def _tasks(workflow: Workflow, parent: int) -> list[dict[str, Any]]:
    """The tasks within a step; a CATCH is part of its TRY."""
    names = {step.step: step.name for step in workflow.steps}
    tasks: list[dict[str, Any]] = []
    before: list[str] = []  # conditions of the branches that this one may go on with
    for step in (step for step in workflow.steps if step.parent == parent):
        inside = _tasks(workflow, step.step)
        inputs = {each.name: _jq(each.source, names) if each.source else each.value for each in step.inputs}
        holds = _holds(step.condition, names)
        task: dict[str, Any]
        if step.name == "CATCH":
            (made,) = tasks[-1].values()
            made["catch"] = {"as": f"error{step.step}", "do": inside}
            continue
        if step.name in ("IF", "ELSEIF", "ELSE"):
            before = [] if step.name == "IF" else before
            now = [*(f"({each} | not)" for each in before), *([] if step.name == "ELSE" else [holds])]
            task = {"if": f"${{ {' and '.join(now)} }}", "do": inside}
            before.append(holds)
        elif step.name == "FOREACH":
            task = {"for": {"each": f"item{step.step}", "in": inputs.get("items", "${ [] }")}, "do": inside}
        elif step.name == "DOUNTIL":
            at = f"round{step.step}"
            rounds = {"each": f"{at}of", "at": at, "in": f"${{ [range({MOST_ROUNDS})] }}"}
            task = {"for": rounds, "while": f"${{ ${at} == 0 or ({holds} | not) }}", "do": inside}
        elif step.name == "PARALLEL":
            task = {"fork": {"branches": inside}}
        elif step.name == "PARALLELBLOCK":
            task = {"do": inside}
        elif step.name == "TRY":
            task = {"try": inside, "catch": {}}
        elif step.name == "WAIT":
            duration = str(inputs.get("duration"))
            task = {"wait": duration if _DURATION.fullmatch(duration) else "PT0S"}
        elif step.name == "END":
            task = {"set": {"ended": True}, "then": "end"}
        else:
            call = f"{step.name}:1.0.0" if step.name in _RESERVED else step.name
            task = {"call": call, "export": {"as": f'${{ $context + {{"{step.step}": .}} }}'}}
            task |= {"with": inputs} if inputs else {}
        tasks.append({f"{step.step}-{step.name}": task})
    return tasks


def _jq(reference: str, names: Mapping[int, str], *, alone: bool = True) -> str:
    """The expression that a reference is."""
    first, *path = reference.removeprefix("trigger.").split(".")
    held = names.get(int(first)) if first.isdecimal() else ""
    if first == "record":
        start = "$workflow.input[0].data"
    elif held in ("FOREACH", "CATCH"):
        start, path = f"${'item' if held == 'FOREACH' else 'error'}{first}", path[1:]
    else:
        start = f"$context[{json.dumps(first)}]"
    found = start + "".join(f"[{json.dumps(name)}]" for name in path)
    return f"${{ {found} }}" if alone else found


def _holds(condition: Condition | None, names: Mapping[int, str]) -> str:
    """The expression, true or false, that a condition is; true where it is open."""
    if condition is None or condition.by == "open":
        return "true"
    left, op = _jq(condition.left, names, alone=False), {"=": "==", "!=": "=="}.get(condition.op, condition.op)
    right = condition.right.strip()
    if op == "is empty":
        found = f'({left} | . == null or . == "" or . == [])'
    elif op == "contains":
        found = f"({left} | tostring | ascii_downcase | contains({json.dumps(right.casefold())}))"
    elif re.fullmatch(r"-?\d+(\.\d+)?", right):
        found = f"(({left} | tonumber? // null) as $left | $left != null and $left {op} {right})"
    else:
        found = f"(({left} | tostring | ascii_downcase) {op} {json.dumps(right.casefold())})"
    return f"({found} | not)" if condition.op == "!=" else found
