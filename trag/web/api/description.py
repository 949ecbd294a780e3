"""The description of the programs' addresses (OpenAPI 3.1), made from the records that are read and told there, and the
page that shows it to people."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from functools import cache
from typing import Any

from markupsafe import Markup
from pydantic import TypeAdapter

from trag.brief.record import BriefRecord
from trag.flow.record import PlanRecord
from trag.record import AnswerRecord
from trag.web.api.answering import Goal, Question, Subject, Wish
from trag.web.api.openai_compatible import MODEL, PATH, Chat
from trag.web.api.responses import AGAIN
from trag.web.render import environment
from trag.workflow.record import WorkflowRecord

REF = "#/components/schemas/"
REFUSALS = {
    400: "A session's cookie came with the token, or the request has two lengths.",
    401: "There is no token, or it opens nothing any more.",
    403: "The request came from a web page, or names a conversation that the token may not read.",
    404: "There is no such conversation of yours.",
    409: "Another question is being answered in this conversation.",
    413: "The request is larger than 1,000,000 bytes.",
    415: "The body is not sent as application/json.",
    421: "The request names another host than the assistant's.",
    422: "What was sent cannot be answered; the message says what is wrong, five problems at most.",
    429: "The line is full; Retry-After says in how many seconds to ask again.",
    500: "A fault in the program.",
    503: "Nothing can be answered now; the message says why.",
}
EVENTS = """Server-sent events, the data of each JSON: `waiting` {"position"}, 1 is next, 0 has its turn; `found`
{"standalone", "entities", "statements", "sources"}; `token` {"text"}, a piece of the draft, not checked yet; `retry`
{"reason"}: the draft so far is withdrawn; `answer`, the answer record, which is what counts; or `error` {"detail"} in
its place. A comment comes where nothing else did for a while."""
PLANNING = """Server-sent events, the data of each JSON: `waiting` {"position"}; `chosen` {"id", "title"}, the
procedure; `step`, each as it stands in the plan; `plan`, the record of the plan; or `error` {"detail"} in its place. A
comment comes where nothing else did for a while."""
DRAFTING = """Server-sent events, the data of each JSON: `waiting` {"position"}; `draft`, the workflow so far, after
each step; `workflow`, its record; or `error` {"detail"} in its place. A comment comes where nothing else did for a
while."""
BRIEFING = """Server-sent events, the data of each JSON: `draft`, the briefing so far, with quotations first and then a
paragraph more in prose each time; `brief`, its record; or `error` {"detail"} in its place. A comment comes where
nothing else did for a while."""
PIECES = """Server-sent events as OpenAI sends them, and `[DONE]`. The words come when they are checked, for they could
not be taken back; until then comments keep the connection open. The piece with the finish_reason carries `trag`."""


@cache
def description() -> dict[str, Any]:
    """The whole description, as plain values for JSON."""
    asked = "Where does the Ethics Office sit?"
    ask = {
        "operationId": "ask",
        "summary": "Ask a question",
        "description": "The answer record; with `Accept: text/event-stream`, events while it is written.",
        "requestBody": _body("Question", {"question": asked}),
        "responses": {
            "200": _answer("The answer, with all that it stands on", "AnswerRecord", stream=EVENTS),
            **_refusals("Refusal", *REFUSALS),
        },
    }
    plan = {
        "operationId": "plan",
        "summary": "Say how something is done",
        "description": "A plan by the written procedure that serves the request; its `status` is `ask_which` where "
        "several may be meant: send the `id` of one of the `choices` as `procedure` then. With "
        "`Accept: text/event-stream`, events.",
        "requestBody": _body("Goal", {"request": "My badge is lost."}),
        "responses": {
            "200": _answer("The plan, checked against the procedures", "PlanRecord", stream=PLANNING),
            **_refusals("Refusal", *(status for status in REFUSALS if status not in (404, 409))),
        },
    }
    workflow = {
        "operationId": "workflow",
        "summary": "Draft a workflow",
        "description": "A workflow in JSON, made of steps and tables that exist alone; what no step fits is in "
        "`workflow.no_step_for`, what is to be filled in in `workflow.open`. It is kept on the page Automate of whose "
        "token it is. With `Accept: text/event-stream`, events.",
        "requestBody": _body("Wish", {"request": "When an invoice comes in, tell the unit that ordered."}),
        "responses": {
            "200": _answer("The workflow and how it came about", "WorkflowRecord", stream=DRAFTING),
            **_refusals("Refusal", *(status for status in REFUSALS if status not in (404, 409))),
        },
    }
    brief = {
        "operationId": "brief",
        "summary": "Write a briefing",
        "description": "What the documents and the chart say of a unit or a topic, each sentence with its source; what "
        "they do not say is in `open`. Its `status` is `ask_which` where several units have the name: send one of the "
        "`choices` then. It is kept on the page Briefings of whose token it is. With `Accept: text/event-stream`, "
        "events.",
        "requestBody": _body("Subject", {"subject": "Ethics Office", "length": "short"}),
        "responses": {
            "200": _answer("The briefing, every sentence with its source", "BriefRecord", stream=BRIEFING),
            **_refusals("Refusal", *(status for status in REFUSALS if status not in (404, 409))),
        },
    }
    chat = {
        "operationId": "chat",
        "summary": "Ask a question as OpenAI's clients do",
        "description": "The last message is the question, earlier ones are the history. What else OpenAI's own API "
        "reads, such as a temperature or tools, is taken and not read.",
        "requestBody": _body("Chat", {"model": MODEL, "messages": [{"role": "user", "content": asked}]}),
        "responses": {
            "200": _answer("The answer; its record is in the field `trag`", "Completion", stream=PIECES),
            **_refusals("OpenAIRefusal", *(status for status in REFUSALS if status != 409)),
            "404": _refused("There is no model of that name.", "OpenAIRefusal"),
        },
    }
    token = {
        "type": "http",
        "scheme": "bearer",
        "description": "A token of yours (Your account, Tokens for programs): trag_... One that may only ask is told "
        "where an answer stands; the words there, in sources and checks, steps of plans and quotations of briefings, "
        "are empty.",
    }
    return {
        "openapi": "3.1.0",
        "info": {
            "title": "T-RAG",
            "version": "1",
            "description": "Questions about the organization, answered from its documents and its chart.",
        },
        "security": [{"token": []}],
        "paths": {
            "/api/ask": {"post": ask},
            "/api/plan": {"post": plan},
            "/api/workflow": {"post": workflow},
            "/api/brief": {"post": brief},
            PATH: {"post": chat},
            "/v1/models": {"get": _get("models", "The one model there is", "Models")},
            f"/v1/models/{MODEL}": {"get": _get("model", "The assistant as a model", "Model")},
        },
        "components": {"schemas": _schemas(), "securitySchemes": {"token": token}},
    }


def _get(id: str, summary: str, schema: str) -> dict[str, Any]:
    responses = {"200": _answer(summary, schema), **_refusals("OpenAIRefusal", 401, 403)}
    return {"operationId": id, "summary": summary, "responses": responses}


def _body(schema: str, example: dict[str, Any]) -> dict[str, Any]:
    content = {"application/json": {"schema": {"$ref": REF + schema}, "example": example}}
    return {"required": True, "content": content}


def _answer(summary: str, schema: str, *, stream: str = "") -> dict[str, Any]:
    content: dict[str, Any] = {"application/json": {"schema": {"$ref": REF + schema}}}
    if stream:
        content["text/event-stream"] = {"schema": {"type": "string", "description": " ".join(stream.split())}}
    return {"description": summary, "content": content}


def _refusals(schema: str, *statuses: int) -> dict[str, Any]:
    found = {str(status): _refused(REFUSALS[status], schema) for status in statuses}
    if "429" in found:
        found["429"]["headers"] = {"Retry-After": {"schema": {"type": "integer", "example": AGAIN}}}
    return found


def _refused(why: str, schema: str) -> dict[str, Any]:
    return {"description": why, "content": {"application/json": {"schema": {"$ref": REF + schema}}}}


def _schemas() -> dict[str, Any]:
    template = REF + "{model}"
    kinds: list[tuple[str, Any, TypeAdapter[Any]]] = [
        ("Question", "validation", TypeAdapter(Question)),
        ("Chat", "validation", TypeAdapter(Chat)),
        ("Goal", "validation", TypeAdapter(Goal)),
        ("Wish", "validation", TypeAdapter(Wish)),
        ("Subject", "validation", TypeAdapter(Subject)),
        ("AnswerRecord", "serialization", TypeAdapter(AnswerRecord)),
        ("PlanRecord", "serialization", TypeAdapter(PlanRecord)),
        ("WorkflowRecord", "serialization", TypeAdapter(WorkflowRecord)),
        ("BriefRecord", "serialization", TypeAdapter(BriefRecord)),
    ]
    _, made = TypeAdapter.json_schemas(kinds, ref_template=template)
    record = {"$ref": REF + "AnswerRecord"}
    message = _object(role={"const": "assistant"}, content={"type": "string"}, refusal={"type": "null"})
    finish = {"enum": ["stop", "length"], "description": "length: the answer broke off"}
    choice = _object(index={"const": 0}, message=message, logprobs={"type": "null"}, finish_reason=finish)
    count = {"type": "integer", "minimum": 0}
    usage = _object(prompt_tokens=count, completion_tokens=count, total_tokens=count)
    model = _object(
        id={"const": MODEL}, object={"const": "model"}, created={"type": "integer"}, owned_by={"type": "string"}
    )
    error = _object(message={"type": "string"}, type={"type": "string"}, param={"type": "null"}, code={"type": "null"})
    schemas: dict[str, Any] = made["$defs"]
    return schemas | {
        "Workflow": workflow_schema(REF),
        "Completion": _object(
            id={"type": "string"},
            object={"const": "chat.completion"},
            created={"type": "integer"},
            model={"const": MODEL},
            choices={"type": "array", "items": choice, "minItems": 1, "maxItems": 1},
            usage=usage,
            trag=record,
        ),
        "Model": model,
        "Models": _object(object={"const": "list"}, data={"type": "array", "items": {"$ref": REF + "Model"}}),
        "Refusal": _object(detail={"type": "string"}),
        "OpenAIRefusal": _object(error=error),
    }


def workflow_schema(ref: str) -> dict[str, Any]:
    """A workflow as its files have it, in the shape of the paper; `ref` is where other schemas are."""
    text = {"type": "string"}
    texts = {"type": "array", "items": text}
    step = {"name": text, "step": {"type": "integer"}, "parent": {"type": "integer"}, "gives": texts}
    step |= {"condition": {"$ref": ref + "Condition"}, "inputs": {"type": "object"}}
    steps = {"type": "array", "items": {"type": "object", "required": ["name", "step"], "properties": step}}
    beside = {"open": {"type": "array", "items": {"$ref": ref + "Open"}}, "no_step_for": texts}
    core = {"trigger": {"type": "object"}, "steps": steps, "title": text, "request": text, "catalogue": text}
    return {"type": "object", "required": ["steps"], "properties": core | beside}


def _object(**properties: Any) -> dict[str, Any]:
    return {"type": "object", "properties": properties, "required": list(properties)}


@dataclass(frozen=True, slots=True)
class Field:
    """What may be sent under one name: what it is in a few words, and whether it must be there."""

    name: str
    kind: str
    needed: bool


@dataclass(frozen=True, slots=True)
class Operation:
    """One address as people read it: each refusal is a status and what it means, each kind of answer a media type and
    what comes then."""

    method: str
    path: str
    summary: str
    about: Markup
    fields: tuple[Field, ...]
    answers: tuple[tuple[str, Markup], ...]
    refusals: tuple[tuple[str, str], ...]


def programs(address: str, description: Mapping[str, Any]) -> str:
    """The page about programs; `address` is where the reader reached it."""
    page = environment().get_template("programs.html")
    return page.render(here="/api", address=address, model=MODEL, operations=tuple(operations(description)))


def operations(description: Mapping[str, Any]) -> Iterator[Operation]:
    """Every address of a description."""
    schemas = description["components"]["schemas"]
    for path, methods in description["paths"].items():
        for method, one in methods.items():
            body = one["requestBody"]["content"]["application/json"]["schema"] if "requestBody" in one else {}
            sent = _found(body, schemas)
            fields = (
                Field(name, _kind(each, schemas), name in sent.get("required", ()))
                for name, each in sent.get("properties", {}).items()
            )
            answers = (
                (kind, _with_code(each["schema"].get("description") or _kind(each["schema"], schemas)))
                for kind, each in one["responses"]["200"]["content"].items()
            )
            yield Operation(
                method.upper(),
                path,
                one["summary"],
                _with_code(one.get("description", "")),
                tuple(fields),
                tuple(answers),
                tuple((status, each["description"]) for status, each in one["responses"].items() if status != "200"),
            )


def _kind(schema: Mapping[str, Any], schemas: Mapping[str, Any]) -> str:
    """What a value may be, in a few words."""
    if "anyOf" in schema:
        return " or ".join(kind for each in schema["anyOf"] if (kind := _kind(each, schemas)) != "null")
    found = _found(schema, schemas)
    if "properties" in found:
        return f"{{{', '.join(found['properties'])}}}"
    if found.get("type") == "array":
        return f"list of {_kind(found['items'], schemas)}"
    most = f", up to {found['maxLength']:,} characters" if "maxLength" in found else ""
    return f"{found.get('type', 'anything')}{most}"


def _found(schema: Mapping[str, Any], schemas: Mapping[str, Any]) -> Mapping[str, Any]:
    """A schema, or the one it refers to."""
    found: Mapping[str, Any] = schemas[schema["$ref"].rpartition("/")[2]] if "$ref" in schema else schema
    return found


def _with_code(text: str) -> Markup:
    """Text in which what stands between backticks is code."""
    parts = (
        Markup("<code>{}</code>" if number % 2 else "{}").format(part) for number, part in enumerate(text.split("`"))
    )
    return Markup().join(parts)
