"""Workflows that were exported, read back to the same core: from BPMN by following its flows, and from Serverless
Workflow. What either form could not hold would be missed here."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from lxml import etree

from org.procedures.actions import LOGIC
from trag.workflow.record import Started, Workflow, WorkflowStep

_BPMN, _OURS = "http://www.omg.org/spec/BPMN/20100524/MODEL", "urn:trag:workflow"
_STEP, _JOIN = f"{{{_OURS}}}step", f"{{{_OURS}}}join"
_MOST = 1_000
_TOO_DEEP = 20


def from_serverless(values: Mapping[str, Any]) -> Workflow:
    """The core of a workflow that `serverless` gave, with its title and request. Raises ValueError for anything
    else."""
    found: list[tuple[int, str]] = []
    try:
        _read(values["do"], 0, found)
        event = values.get("schedule", {}).get("on", {}).get("one", {}).get("with")
        trigger = Started(event["type"], event.get("subject", "")) if event else None
        document = values["document"]
        return Workflow(trigger, _numbered(found), document.get("title", ""), document.get("summary", ""))
    except (KeyError, TypeError, AttributeError, ValueError) as error:
        raise ValueError(f"this is no such workflow: {error}") from error


def _read(tasks: Any, level: int, found: list[tuple[int, str]]) -> None:
    """The steps that a list of tasks stands for, and all within them."""
    if level > _TOO_DEEP:
        raise ValueError("the tasks are nested too deep")
    for item in tasks:
        ((key, task),) = item.items()
        name = task["call"].partition(":")[0] if "call" in task else key.partition("-")[2]
        if "call" not in task and name not in LOGIC:
            raise ValueError(f"the task {key!r} is no step")
        found.append((level, name))
        inside = task["fork"]["branches"] if "fork" in task else task.get("try", task.get("do", []))
        _read(inside, level + 1, found)
        if "do" in task.get("catch", {}):
            found.append((level, "CATCH"))
            _read(task["catch"]["do"], level + 1, found)


def from_bpmn(content: bytes) -> Workflow:
    """The core of a workflow that `bpmn` gave. Raises ValueError for anything else."""
    root = etree.fromstring(content)
    process = root.find(f"{{{_BPMN}}}process")
    if process is None:
        raise ValueError("the file has no process")
    found: list[tuple[int, str]] = []
    reader = _Reader(process, found)
    start = reader.start(process)
    reader.read(reader.after(start.get("id")), "", 0)
    signal = root.find(f"{{{_BPMN}}}signal")
    table = start.get(f"{{{_OURS}}}table", "")
    return Workflow(None if signal is None else Started(signal.get("name", ""), table), _numbered(found))


class _Reader:
    """The nodes and flows of a process."""

    def __init__(self, process: Any, found: list[tuple[int, str]]) -> None:
        self.found = found
        self.nodes = {node.get("id", ""): node for node in process.iter() if isinstance(node.tag, str)}
        self.flows: dict[str, list[Any]] = {}
        self.boundaries: dict[str, str] = {}
        for id, node in self.nodes.items():
            if node.tag == f"{{{_BPMN}}}sequenceFlow":
                self.flows.setdefault(node.get("sourceRef", ""), []).append(node)
            elif node.tag == f"{{{_BPMN}}}boundaryEvent":
                self.boundaries[node.get("attachedToRef", "")] = id

    def start(self, scope: Any) -> Any:
        start = scope.find(f"{{{_BPMN}}}startEvent")
        if start is None:
            raise ValueError("a process has no start")
        return start

    def after(self, id: str) -> str:
        """The node that one leads to, "" for none."""
        flows = self.flows.get(id, [])
        return flows[0].get("targetRef", "") if flows else ""

    def add(self, level: int, name: str) -> None:
        if level > _TOO_DEEP or len(self.found) >= _MOST:
            raise ValueError("the process is too large, or goes in circles")
        self.found.append((level, name))

    def read(self, id: str, until: str, level: int) -> None:
        """The steps from a node on, to another or to an end."""
        while id and id != until:
            node = self.nodes.get(id)
            if node is None:
                raise ValueError(f"a flow leads to {id!r}, which is not there")
            name, join = node.get(_STEP, ""), node.get(_JOIN, "")
            if not name and node.tag == f"{{{_BPMN}}}endEvent":
                return
            if not name:
                raise ValueError(f"{id!r} is no step")
            if name == "IF":
                self.branches(node, join, level)
            else:
                self.add(level, name)
            if name == "PARALLEL":
                for flow in self.flows.get(id, []):
                    self.add(level + 1, "PARALLELBLOCK")
                    self.read(flow.get("targetRef", ""), join, level + 2)
            elif name in ("FOREACH", "DOUNTIL", "TRY"):
                self.read(self.after(self.start(node).get("id")), "", level + 1)
            if name == "TRY" and (caught := self.after(self.boundaries.get(id, ""))) != join:
                self.add(level, "CATCH")
                self.read(caught, join, level + 1)
            id = self.after(join or id)

    def branches(self, node: Any, join: str, level: int) -> None:
        """What the flows out of a gateway lead to, up to the other."""
        for number, flow in enumerate(self.flows.get(node.get("id"), [])):
            target, last = flow.get("targetRef", ""), flow.get("id") == node.get("default")
            if not (last and target == join):
                self.add(level, "ELSE" if last else "ELSEIF" if number else "IF")
                self.read(target, join, level + 1)


def _numbered(found: Sequence[tuple[int, str]]) -> tuple[WorkflowStep, ...]:
    """The steps of a core: their levels from 0 on and names, in order."""
    path: list[int] = []
    steps = []
    for number, (level, name) in enumerate(found, 1):
        path[level:] = [number]
        steps.append(WorkflowStep(name, number, path[level - 1] if level else 0))
    return tuple(steps)
