"""Workflows that reviewers judge: as they are written to be corrected, held against the catalogue, and what is right.

A verdict is on the workflow as the reviewer saw it: the right one is kept with it, also where nothing was corrected.
Once whoever asked changes theirs, it counts no more.
"""

from __future__ import annotations

import json
from collections.abc import Collection, Mapping
from dataclasses import replace
from typing import Any

from org.procedures.flows import Book
from trag.errors import TragError
from trag.workflow.checking import check
from trag.workflow.record import Workflow

LONGEST = 40_000
"""Characters that a corrected workflow may have."""
_NONE = "That is no workflow that can be kept"


def written(workflow: Workflow | None) -> str:
    """A workflow as it is corrected: JSON with a step a line, without what the catalogue says; "" for none."""
    if workflow is None:
        return ""
    values = workflow.values()
    steps = [{name: value for name, value in step.items() if name != "gives"} for step in values["steps"]]
    trigger = f'"trigger": {_line(values["trigger"])},\n ' if "trigger" in values else ""
    listed = ",\n  ".join(map(_line, steps))
    return f'{{{trigger}"steps": [\n  {listed}]}}'


def read(text: str, request: str, book: Book, usable: Collection[str] | None) -> Workflow:
    """The workflow for a request that was written so. Raises TragError that names all that is wrong with it, by the
    names that may be used alone."""
    if len(text) > LONGEST:
        raise TragError(f"A workflow may have {LONGEST:,} characters, this one has {len(text):,}.", "Shorten it.")
    try:
        values: Mapping[str, Any] = json.loads(text)
    except (ValueError, RecursionError) as error:
        raise TragError(f"{_NONE}: it is not valid JSON.", "Correct the one that is there.") from error
    problems = [each for each in check(values, book, usable=usable) if each.severity == "error"]
    if problems:
        told = "; ".join(f"{each.place}: {each.message}" if each.place else each.message for each in problems)
        raise TragError(f"{_NONE}: {told}", problems[0].hint)
    made = Workflow.of(values)
    steps = tuple(
        replace(step, gives=action.gives if (action := book.actions.get(step.name)) else ()) for step in made.steps
    )
    return replace(made, steps=steps, request=request, catalogue=book.version)


def right(corrected: str) -> Workflow | None:
    """The workflow that a verdict says is right, None where it says none."""
    return Workflow.of(json.loads(corrected)) if corrected else None


def _line(values: Mapping[str, Any]) -> str:
    return json.dumps(values, ensure_ascii=False)
