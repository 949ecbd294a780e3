"""Exports are valid by the official schemas, and read back to the same core."""

import json
from functools import cache
from pathlib import Path
from typing import Any

from jsonschema_rs import Draft202012Validator  # jsonschema takes minutes for deep tasks
from lxml import etree

from org.procedures.flows import Book
from tests.trag.workflow.conftest import INVOICES, by_chance
from tests.trag.workflow.test_checking import GOOD
from tests.trag.workflow.test_running import workflow as by_lines
from tests.workflow_files import from_bpmn, from_serverless
from trag.workflow.bpmn import bpmn
from trag.workflow.exporting import serverless
from trag.workflow.record import Started, Workflow
from trag.workflow.structure import made, read

SCHEMAS = Path(__file__).parent / "schemas"
ENDS = """-
IF
 END
ELSEIF
 log
 END
ELSE
 TRY
  END
log
TRY
 log
PARALLEL
 PARALLELBLOCK
  END
 PARALLELBLOCK
  WAIT"""


@cache
def dsl() -> Draft202012Validator:
    return Draft202012Validator(json.loads((SCHEMAS / "serverless-workflow-1.0.0.json").read_text(encoding="utf-8")))


@cache
def xsd() -> Any:
    return etree.XMLSchema(etree.parse(SCHEMAS / "BPMN20.xsd"))


def workflows(book: Book) -> list[Workflow]:
    chances = [
        made(Started("record_created", "travel_claim") if seed % 2 else None, by_chance(seed, book, 30), book)
        for seed in range(60)
    ]
    return [Workflow.of(INVOICES), *map(Workflow.of, GOOD), made(*read(ENDS), book), *chances]


def test_every_serverless_export_is_valid_and_reads_back(book: Book) -> None:
    for workflow in workflows(book):
        values = json.loads(json.dumps(serverless(workflow)))
        assert [error.message for error in dsl().iter_errors(values)] == []
        assert from_serverless(values).core() == workflow.core()
    assert from_serverless(serverless(Workflow.of(INVOICES))).request == INVOICES["request"]
    assert [*dsl().iter_errors({"do": [{"1-x": {"calls": "x"}}]})]


def test_every_bpmn_export_is_valid_is_drawn_and_reads_back(book: Book) -> None:
    for workflow in workflows(book):
        written = bpmn(workflow, book)
        root = etree.fromstring(written)
        xsd().assertValid(root)
        assert from_bpmn(written).core() == workflow.core()
        names = {key: value for key, value in root.nsmap.items() if key}
        flows = root.xpath("//bpmn:sequenceFlow", namespaces=names)
        nodes = root.xpath("//bpmn:process//*[@id]", namespaces=names)
        drawn = root.xpath("//@bpmnElement")
        assert sorted(drawn) == sorted(["workflow", *(node.get("id") for node in nodes)])
        assert {end for flow in flows for end in (flow.get("sourceRef"), flow.get("targetRef"))} <= {*drawn}


def test_the_exports_say_what_the_workflow_does(book: Book, invoices: dict[str, Any]) -> None:
    high, otherwise, told = (next(iter(task.values())) for task in serverless(Workflow.of(invoices))["do"])
    amount = '(($workflow.input[0].data["amount"] | tonumber? // null) as $left | $left != null and $left > 5000)'
    assert (high["if"], otherwise["if"]) == (f"${{ {amount} }}", f"${{ ({amount} | not) }}")
    asked = high["do"][1]["3-ask_for_approval"]
    assert asked["with"] == {"record": "${ $workflow.input[0].data }", "person": '${ $context["2"]["person"] }'}
    assert told["with"]["message"] == "Your invoice was dealt with."
    root = etree.fromstring(bpmn(Workflow.of(invoices), book))
    names = {key: value for key, value in root.nsmap.items() if key}
    assert root.xpath("//bpmn:conditionExpression/text()", namespaces=names) == ["record.amount > 5000"]
    assert root.xpath("//bpmn:startEvent/@name", namespaces=names) == ["Record created: Supplier invoices"]
    assert root.xpath("//bpmn:serviceTask/@name", namespaces=names)[-1] == "Notify a person"
    loops = serverless(Workflow.of(GOOD[1]))["do"]
    assert loops[1]["2-FOREACH"]["for"] == {"each": "item2", "in": '${ $context["1"]["records"] }'}
    caught = loops[1]["2-FOREACH"]["do"][0]["3-TRY"]["catch"]
    assert (caught["as"], caught["do"][0]["6-log"]["with"]) == ("error5", {"message": "${ $error5 }"})
    assert '$context["14"]["decision"]' in loops[3]["12-DOUNTIL"]["while"]


def test_a_branch_is_taken_where_none_before_it_was() -> None:
    text = (
        "IF record.state = Open\n log\nELSEIF record.note is empty\n log\nELSE\n log\nIF\n log\n"
        "ELSEIF record.title contains Rush\n log"
    )
    state = '(($workflow.input[0].data["state"] | tostring | ascii_downcase) == "open")'
    note = '($workflow.input[0].data["note"] | . == null or . == "" or . == [])'
    rush = '($workflow.input[0].data["title"] | tostring | ascii_downcase | contains("rush"))'
    assert [task["if"] for each in serverless(by_lines(text))["do"] for task in each.values()] == [
        f"${{ {state} }}",
        f"${{ ({state} | not) and {note} }}",
        f"${{ ({state} | not) and ({note} | not) }}",
        "${ true }",
        f"${{ (true | not) and {rush} }}",
    ]
