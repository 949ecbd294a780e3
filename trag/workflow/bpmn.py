"""A workflow as BPMN 2.0 (XML, with its drawing).

Loops and TRY are sub-processes, whose ends an END ends alone in BPMN; CATCH is what their boundary event leads to.
Branches are gateways and what lies between. Inputs are said in words; names of steps are attributes of our own.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any, NamedTuple

from lxml import etree

from org.procedures.flows import Book
from trag.workflow.record import Condition, Workflow, WorkflowStep

_SPEC = "http://www.omg.org/spec"
_BPMN, _DI = f"{_SPEC}/BPMN/20100524/MODEL", f"{_SPEC}/BPMN/20100524/DI"
_DC, _DD = f"{_SPEC}/DD/20100524/DC", f"{_SPEC}/DD/20100524/DI"
_OURS = "urn:trag:workflow"
_STEP, _JOIN = f"{{{_OURS}}}step", f"{{{_OURS}}}join"
_SIZES = {"startEvent": 36, "endEvent": 36, "intermediateCatchEvent": 36, "boundaryEvent": 36}
_SIZES |= {"exclusiveGateway": 50, "parallelGateway": 50}
_GAP, _ROW, _TASK = 50, 110, (120, 80)


class _Way(NamedTuple):
    """Where the next node is drawn, and what leads to it: the node before ("" for none) under a condition."""

    x: int
    y: int
    source: str
    condition: str = ""
    default: bool = False


@dataclass
class _Drawing:
    workflow: Workflow
    book: Book
    shapes: dict[str, tuple[int, int, int, int]] = field(default_factory=dict)
    flows: list[tuple[str, str, str]] = field(default_factory=list)

    def node(self, scope: Any, tag: str, id: str, way: _Way, **said: str) -> Any:
        """A node where the way leads, and the flow to it."""
        made = etree.SubElement(scope, f"{{{_BPMN}}}{tag}", id=id, **said)
        width, height = (_SIZES[tag],) * 2 if tag in _SIZES else _TASK
        self.shapes[id] = (way.x, way.y - height // 2, width, height)
        self.flow(scope, way, id)
        return made

    def flow(self, scope: Any, way: _Way, target: str) -> None:
        if not way.source:
            return
        flow = f"flow-{len(self.flows) + 1}"
        self.flows.append((flow, way.source, target))
        made = etree.SubElement(scope, f"{{{_BPMN}}}sequenceFlow", id=flow, sourceRef=way.source, targetRef=target)
        if way.condition:
            made.set("name", way.condition)
            expression = etree.SubElement(made, f"{{{_BPMN}}}conditionExpression")
            expression.set("{http://www.w3.org/2001/XMLSchema-instance}type", "bpmn:tFormalExpression")
            expression.text = way.condition
        if way.default:
            next(each for each in scope if each.get("id") == way.source).set("default", flow)

    def chain(self, scope: Any, steps: list[WorkflowStep], way: _Way) -> tuple[_Way, int]:
        """What steps of a level are, one after the other; the way on, and how far down they go."""
        bottom = way.y + _ROW // 2
        while steps:
            step, *steps = steps
            beside = [step]
            if step.name in ("IF", "TRY"):
                follow = ("ELSEIF", "ELSE") if step.name == "IF" else ("CATCH",)
                while steps and steps[0].name in follow:
                    beside.append(steps.pop(0))
            if step.name in ("IF", "PARALLEL"):
                way, low = self.fork(scope, beside if step.name == "IF" else self.within(step), step, way)
            elif step.name in ("TRY", "FOREACH", "DOUNTIL"):
                way, low = self.sub_process(scope, beside, way)
            else:
                way, low = self.single(scope, step, way), way.y + _ROW // 2
            bottom = max(bottom, low)
        return way, bottom

    def within(self, step: WorkflowStep) -> list[WorkflowStep]:
        return [each for each in self.workflow.steps if each.parent == step.step]

    def single(self, scope: Any, step: WorkflowStep, way: _Way) -> _Way:
        """An action, WAIT or END."""
        id = f"step-{step.step}"
        if step.name == "END":
            made = self.node(scope, "endEvent", id, way, **{_STEP: "END"})
            etree.SubElement(made, f"{{{_BPMN}}}terminateEventDefinition")
            return _Way(way.x + 36 + _GAP, way.y, "")
        if step.name == "WAIT":
            made = self.node(scope, "intermediateCatchEvent", id, way, **{_STEP: "WAIT"})
            timer = etree.SubElement(made, f"{{{_BPMN}}}timerEventDefinition")
            etree.SubElement(timer, f"{{{_BPMN}}}timeDuration").text = str(
                next((one.value for one in step.inputs), "PT0S")
            )
            return _Way(way.x + 36 + _GAP, way.y, id)
        action = self.book.actions.get(step.name)
        tag = "userTask" if action is None or action.runs == "person" else "serviceTask"
        made = self.node(scope, tag, id, way, name=action.title if action else step.name, **{_STEP: step.name})
        if step.inputs:
            said = (f"{one.name}: {one.source or one.value}" for one in step.inputs)
            etree.SubElement(made, f"{{{_BPMN}}}documentation").text = "\n".join(said)
        return _Way(way.x + _TASK[0] + _GAP, way.y, id)

    def fork(self, scope: Any, branches: list[WorkflowStep], step: WorkflowStep, way: _Way) -> tuple[_Way, int]:
        """The branches of an IF, or the blocks of a PARALLEL, between two gateways."""
        tag = "exclusiveGateway" if step.name == "IF" else "parallelGateway"
        id, join = f"step-{step.step}", f"join-{step.step}"
        self.node(scope, tag, id, way, **{_STEP: step.name, _JOIN: join})
        ends: list[_Way] = []
        y = way.y
        for branch in branches:
            begin = _Way(way.x + 50 + _GAP, y, id, _in_words(branch.condition), branch.name == "ELSE")
            end, bottom = self.chain(scope, self.within(branch), begin)
            ends.append(end)
            y = bottom + _ROW // 2
        if step.name == "IF" and branches[-1].name != "ELSE":
            ends.append(_Way(way.x, y, id, default=True))
        x = max(end.x for end in ends)
        self.node(scope, tag, join, _Way(x, way.y, ""))
        for end in ends:
            self.flow(scope, end, join)
        return _Way(x + 50 + _GAP, way.y, join), y

    def sub_process(self, scope: Any, steps: list[WorkflowStep], way: _Way) -> tuple[_Way, int]:
        """A loop, or TRY with its CATCH."""
        step, id, join = steps[0], f"step-{steps[0].step}", f"join-{steps[0].step}"
        made = self.node(scope, "subProcess", id, way, **{_STEP: step.name})
        if step.name == "FOREACH":
            loop = etree.SubElement(made, f"{{{_BPMN}}}multiInstanceLoopCharacteristics", isSequential="true")
            source = next((one.source for one in step.inputs), "")
            etree.SubElement(loop, f"{{{_BPMN}}}loopCardinality").text = f"count({source})" if source else "0"
        elif step.name == "DOUNTIL":
            loop = etree.SubElement(made, f"{{{_BPMN}}}standardLoopCharacteristics", testBefore="false")
            etree.SubElement(loop, f"{{{_BPMN}}}loopCondition").text = f"not ({_in_words(step.condition)})"
        begin = _Way(way.x + _GAP, way.y, "")
        self.node(made, "startEvent", f"start-{step.step}", begin)
        end, bottom = self.chain(made, self.within(step), _Way(begin.x + 36 + _GAP, way.y, f"start-{step.step}"))
        if end.source:
            self.node(made, "endEvent", f"end-{step.step}", end)
        width, height = end.x + 36 + _GAP - way.x, bottom - way.y + _ROW // 2
        self.shapes[id] = (way.x, way.y - _ROW // 2, width, height)
        on = _Way(way.x + width + _GAP, way.y, id)
        if step.name != "TRY":
            return on, bottom + _ROW // 2
        y = way.y - _ROW // 2 + height
        boundary = etree.SubElement(scope, f"{{{_BPMN}}}boundaryEvent", id=f"error-{step.step}", attachedToRef=id)
        etree.SubElement(boundary, f"{{{_BPMN}}}errorEventDefinition")
        self.shapes[f"error-{step.step}"] = (way.x + _GAP, y - 18, 36, 36)
        made.set(_JOIN, join)
        caught = _Way(way.x + 2 * _GAP + 36, y + _ROW // 2 + 30, f"error-{step.step}")
        ends, low = [on], y + _ROW
        for each in steps[1:]:
            caught, low = self.chain(scope, self.within(each), caught)
        x = max(on.x, caught.x)
        self.node(scope, "exclusiveGateway", join, _Way(x, way.y, ""))
        for end in (*ends, caught):
            self.flow(scope, end, join)
        return _Way(x + 50 + _GAP, way.y, join), low + _ROW // 2


def bpmn(workflow: Workflow, book: Book) -> bytes:
    """The workflow as BPMN 2.0, tasks called by their titles in the book."""
    spaces = {"bpmn": _BPMN, "bpmndi": _DI, "dc": _DC, "di": _DD, "trag": _OURS}
    root = etree.Element(f"{{{_BPMN}}}definitions", nsmap=spaces, id="definitions", targetNamespace=_OURS)
    started = workflow.trigger
    if started:
        etree.SubElement(root, f"{{{_BPMN}}}signal", id="trigger", name=started.type)
    process = etree.SubElement(root, f"{{{_BPMN}}}process", id="workflow", isExecutable="false")
    process.set("name", workflow.title or workflow.request)
    drawing = _Drawing(workflow, book)
    said = {f"{{{_OURS}}}table": started.table} if started and started.table else {}
    start = drawing.node(process, "startEvent", "start", _Way(100, 100, ""), **said)
    if started:
        trigger, table = book.triggers.get(started.type), book.tables.get(started.table)
        start.set("name", ": ".join(one.title for one in (trigger, table) if one))
        etree.SubElement(start, f"{{{_BPMN}}}signalEventDefinition", signalRef="trigger")
    first = [step for step in workflow.steps if not step.parent]
    end, _ = drawing.chain(process, first, _Way(136 + _GAP, 100, "start"))
    if end.source:
        drawing.node(process, "endEvent", "end", end)
    _draw(root, drawing)
    return bytes(etree.tostring(root, xml_declaration=True, encoding="UTF-8", pretty_print=True))


def _in_words(condition: Condition | None) -> str:
    if condition is None or condition.by == "open":
        return ""
    return " ".join(filter(None, (condition.left, condition.op, condition.right)))


def _draw(root: Any, drawing: _Drawing) -> None:
    """Where everything is on the page."""
    diagram = etree.SubElement(root, f"{{{_DI}}}BPMNDiagram", id="diagram")
    plane = etree.SubElement(diagram, f"{{{_DI}}}BPMNPlane", id="plane", bpmnElement="workflow")
    for id, (x, y, width, height) in drawing.shapes.items():
        shape = etree.SubElement(plane, f"{{{_DI}}}BPMNShape", id=f"{id}-shape", bpmnElement=id, isExpanded="true")
        bounds = {"x": x, "y": y, "width": width, "height": height}
        etree.SubElement(shape, f"{{{_DC}}}Bounds", {name: str(value) for name, value in bounds.items()})
    for id, source, target in drawing.flows:
        edge = etree.SubElement(plane, f"{{{_DI}}}BPMNEdge", id=f"{id}-edge", bpmnElement=id)
        (x, y, width, height), (to_x, to_y, _, to_height) = drawing.shapes[source], drawing.shapes[target]
        begin, end = (x + width, y + height // 2), (to_x, to_y + to_height // 2)
        corner = begin[0] + _GAP // 2
        for point in (begin, (corner, begin[1]), (corner, end[1]), end):
            etree.SubElement(edge, f"{{{_DD}}}waypoint", x=str(point[0]), y=str(point[1]))
