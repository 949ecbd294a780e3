"""What answers, plans, workflows and briefings under review are chosen and counted by, read from their records."""

from __future__ import annotations

import json
from collections.abc import Mapping
from math import exp
from typing import Any, Literal

By = Literal["week", "model", "document", "unit", "procedure", "action", "part"]
STOPPED = "stopped"
"""The status of an answer that was ended before it was whole: there is nothing to judge."""
UNKNOWN = 0.2
"""The doubt in an answer of which nobody told how near to a refusal it was."""
FLAGGED = 10.0
"""What it counts that whoever asked says that an answer is Incorrect: more than all else."""
PART = "workflow:"
"""What stands before the id of a step, table or trigger of a workflow: it may be closed where a plan may have it."""


def read_record(record_json: str) -> tuple[dict[str, Any], list[tuple[str, str]]]:
    """What answers are chosen by, of what a record says, and its topics; nothing of what is no record."""
    try:
        record = json.loads(record_json)
    except ValueError:
        record = {}
    if record.get("kind") == "plan":
        return _read_plan(record)
    if record.get("kind") == "workflow":
        return _read_workflow(record)
    if record.get("kind") == "brief":
        return _read_brief(record)
    model = record.get("model", {})
    sentences = record.get("checks", {}).get("sentences", ())
    columns = {
        "status": STOPPED if record.get("interrupted") else record.get("status", ""),
        "doubt": _doubt(record),
        "model": model.get("name", ""),
        "adapter": model.get("adapter", ""),
        "support": sum(one["supported"] for one in sentences) / len(sentences) if sentences else None,
    }
    documents = {source["document"] for source in record.get("sources", ()) if source["kind"] != "chart"}
    units = {entity["unit"] for entity in record.get("entities", ())}
    topics = [("model", " + ".join(filter(None, (columns["model"], columns["adapter"]))))]
    return columns, topics + [("document", name) for name in documents] + [("unit", unit) for unit in units]


def doubt(columns: Mapping[str, Any], flag: str) -> float:
    """How much speaks against what `read_record` has read, with what whoever asked says of it."""
    found: float = columns.get("doubt", 0.0)
    return found + FLAGGED if flag == "Incorrect" else found


def _doubt(record: dict[str, Any]) -> float:
    """How much speaks against an answer, by what its record keeps: about 0 for nothing, 1 and more for much."""
    checks: dict[str, Any] = record.get("checks", {})
    sentences = checks.get("sentences", ())
    unsupported = sum(not one["supported"] for one in sentences) / len(sentences) if sentences else 0.0
    against: float = unsupported + bool(checks.get("misplaced") or checks.get("unknown_units")) / 2
    against += (checks.get("attempts", 0) > 1) / 4 + bool(record.get("conflicts")) / 4
    if checks.get("replaced") == "chart" or record.get("status") == "approved":
        return against
    reader, reranker = record.get("refusal_odds"), record.get("odds")
    near = UNKNOWN if reader is None or reranker is None else _between(reader, reranker)
    # What was nearly answered is rightly refused more often than what was nearly refused is rightly answered.
    return against + (near / 2 if record.get("status") == "cannot_answer" else near)


def _between(reader: float, reranker: float) -> float:
    """How near it was, in [0, 1], that what was answered was refused, or the other way round: 1 where the log-odds of
    the reader that it refuses, and those of the reranker that the passage answers, nearly make up for each other
    (trag/ask.py, REFUSAL)."""
    return 2 / (1 + exp(abs(reader + 1 - reranker) / 3))


def _read_plan(plan: dict[str, Any]) -> tuple[dict[str, Any], list[tuple[str, str]]]:
    """What `read_record` gives, of a plan; the procedures and actions that it names are topics too, since some are
    closed to some."""
    steps, named = plan["steps"], [plan["procedure"], *plan["choices"]]
    places = [plan["source"], *(step["source"] for step in steps), *named]
    topics = {
        "document": {place["document"] for place in places if place and place.get("document")},
        "unit": {step["unit_id"] for step in steps if step["unit_id"]},
        "procedure": {each["id"] for each in named if each},
        "action": {*(step["action"] for step in steps), *plan["done"]},
    }
    columns = {
        "status": "approved" if plan["approved"] else plan["status"],
        "model": plan["model"]["name"],
        "adapter": plan["model"]["adapter"],
        "support": None,
    }
    return columns, [(kind, value) for kind, values in topics.items() for value in values]


def _read_brief(brief: dict[str, Any]) -> tuple[dict[str, Any], list[tuple[str, str]]]:
    """What `read_record` gives, of a briefing."""
    documents = {source["document"] for source in brief["sources"] if source["kind"] != "chart"}
    columns = {"status": brief["status"], "model": brief["model"]["name"], "adapter": "", "support": None}
    units = [("unit", brief["unit"])] if brief["unit"] else []
    return columns, [("model", columns["model"]), *(("document", name) for name in documents), *units]


def _read_workflow(record: dict[str, Any]) -> tuple[dict[str, Any], list[tuple[str, str]]]:
    """What `read_record` gives, of a workflow, with the steps, the table and the trigger that it names by now."""
    workflow = record["workflow"] or {"steps": []}
    trigger = workflow.get("trigger") or {}
    names = [step["name"] for step in workflow["steps"]] + [trigger.get("type"), trigger.get("inputs", {}).get("value")]
    columns = {"status": record["status"], "model": record["model"], "adapter": "", "support": None}
    return columns, [("part", f"{PART}{name}") for name in dict.fromkeys(filter(None, names))]
