"""What answers, plans, workflows and briefings under review are chosen and counted by, read from their records."""

from __future__ import annotations

import json
from typing import Any, Literal

By = Literal["week", "model", "document", "unit", "procedure", "action", "part"]
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
        "status": record.get("status", ""),
        "model": model.get("name", ""),
        "adapter": model.get("adapter", ""),
        "support": sum(one["supported"] for one in sentences) / len(sentences) if sentences else None,
    }
    documents = {source["document"] for source in record.get("sources", ()) if source["kind"] != "chart"}
    units = {entity["unit"] for entity in record.get("entities", ())}
    topics = [("model", " + ".join(filter(None, (columns["model"], columns["adapter"]))))]
    return columns, topics + [("document", name) for name in documents] + [("unit", unit) for unit in units]


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
