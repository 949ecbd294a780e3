"""The assistant as tools of other assistants: `ask_organization`, `plan_procedure`, `draft_workflow` and
`brief_organization` over MCP, the Model Context Protocol.

POST /mcp (streamable HTTP) -> the question -> the answer record, and its words with the names of its sources

Off unless the settings say `mcp`; then the gate lets in whom it lets in to the other addresses of programs, by a
personal token, and has looked at host and origin. Each request stands by itself, so that no session of the protocol
could be taken over, and what a token may read is asked each time.
"""

from __future__ import annotations

import json
import logging
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from dataclasses import dataclass
from typing import TYPE_CHECKING, Annotated, Any

from fastapi import FastAPI
from pydantic import ConfigDict, Field, TypeAdapter
from starlette.responses import JSONResponse
from starlette.routing import Route

from org.procedures.flows import Book
from trag.brief.record import BriefRecord
from trag.briefs import brief_as_text
from trag.errors import SHOWN
from trag.flow.record import PlanRecord
from trag.plans import plan_as_text
from trag.question import LONGEST_QUESTION
from trag.record import AnswerRecord, standing_words
from trag.web.api.answering import Answerer, AnswerStream, AskRequest, Goal, Subject, Wish, askable, read
from trag.web.api.description import workflow_schema
from trag.web.api.responses import Refused, error_text, unmarked
from trag.web.visitors import Visit, visit
from trag.workflow.record import WorkflowRecord
from trag.workflow.wording import workflow_as_text

if TYPE_CHECKING:
    from mcp.server.context import ServerRequestContext
    from mcp.server.streamable_http_manager import StreamableHTTPSessionManager
    from mcp_types import CallToolRequestParams, CallToolResult, ListToolsResult, PaginatedRequestParams
    from starlette.types import Message, Receive, Scope, Send

log = logging.getLogger(__name__)

NAME, PLAN, WORKFLOW, BRIEF = "ask_organization", "plan_procedure", "draft_workflow", "brief_organization"
FAULT = "A fault in the program. Its log says more."
ABOUT = (
    "Ask this organization's own assistant one question about its documents or its organization chart. The answer is "
    "checked against its sources, and holds only what the person whose token is used may read, and the words of its "
    "sources where the token may read besides; it says so where "
    "nothing answers the question. Ask in one full sentence: nothing is remembered from one call to the next."
)
ABOUT_PLAN = (
    "Have this organization's own assistant say how something is done, step by step, by the organization's written "
    "procedures: whose each action is, what it needs, where it is written. Where several procedures may be meant it "
    "names them: call again with the id of one as `procedure`. `done` are the ids of actions that were done already."
)
ABOUT_WORKFLOW = (
    "Have this organization's own assistant draft a workflow: what is done by itself when something happens, said in "
    "full ('when a supplier invoice above 5,000 comes in, ask the unit head for approval, else post it'). It is made "
    "of steps and tables that exist alone; what no step fits is named. Nothing runs: its person looks at it on the "
    "page Automate, fills in what is open and hands it to an admin."
)
ABOUT_BRIEF = (
    "Have this organization's own assistant write a briefing on one of its units or on a topic: what its documents and "
    "its organization chart say, each sentence with the number of its source, and the questions that they leave open. "
    "Where several units have the name it says so: call again with one of the choices."
)


@dataclass(frozen=True, slots=True)
class Sent:
    """What the tool takes."""

    __pydantic_config__ = ConfigDict(extra="forbid")
    question: Annotated[str, Field(min_length=1, max_length=LONGEST_QUESTION)]


class Tool:
    """The address of the tool, an ASGI app; without a `manager` nothing is there."""

    def __init__(self, manager: StreamableHTTPSessionManager | None) -> None:
        self.manager = manager

    @asynccontextmanager
    async def running(self) -> AsyncIterator[None]:
        """To be entered once, while the app is served."""
        if self.manager is None:
            yield
            return
        async with self.manager.run():
            yield

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if self.manager is None:
            await JSONResponse({"detail": "There is nothing here."}, 404)(scope, receive, send)
        elif scope["method"] != "POST":
            # Nothing is told that was not asked for, and there is no session to end.
            await JSONResponse({"detail": "Ask by POST."}, 405, {"allow": "POST"})(scope, receive, send)
        else:
            refused = False

            async def plainly(message: Message) -> None:
                """What the protocol's server says of a call that is none names its libraries."""
                nonlocal refused
                if message["type"] == "http.response.start" and message["status"] == 400:
                    refused = True
                    error = {"code": -32600, "message": "This is no call of the protocol (MCP)."}
                    await JSONResponse({"jsonrpc": "2.0", "id": None, "error": error}, 400)(scope, receive, send)
                elif not refused:
                    await send(message)

            await self.manager.handle_request(scope, receive, plainly)


def mount(app: FastAPI, answerer: Answerer, *, on: bool) -> Tool:
    """The tool in `app`, which enters what `running` gives."""
    tool = Tool(_manager(answerer) if on else None)
    app.router.routes.append(Route("/mcp", tool, methods=["GET", "POST"]))
    return tool


def told(record: AnswerRecord | PlanRecord | WorkflowRecord | BriefRecord, book: Book | None = None) -> str:
    """An answer as text: its words, who approved them, and the names of its sources; or a plan; or a briefing; or a
    workflow, whose steps `book` has."""
    if isinstance(record, PlanRecord):
        return unmarked(plan_as_text(record))
    if isinstance(record, WorkflowRecord):
        return unmarked(workflow_as_text(record, book or Book.of((), ())))
    if isinstance(record, BriefRecord):
        return unmarked(brief_as_text(record))
    approved = f"Approved by {record.approved.by} on {record.approved.at}." if record.approved else ""
    places = (
        ", ".join(
            filter(
                None,
                (source.document, source.section, f"page {source.page}" if source.page else "", standing_words(source)),
            )
        )
        for source in record.sources
    )
    by_id = {source.id: source for source in record.sources}
    conflicts = (
        f"Another document in force may say something else: {by_id[one.other].document}: "
        f"{one.other_evidence or one.other_answer}"
        for one in record.conflicts
    )
    sources = [f"{number}. {place}" for number, place in enumerate(dict.fromkeys(places), 1)]
    parts = (record.answer, approved, *conflicts, "\n".join(["Sources:", *sources] if sources else []))
    return unmarked("\n\n".join(filter(None, parts)))


def given_schema(kind: Any) -> dict[str, Any]:
    """What a tool gives that gives records of a kind."""
    schema = TypeAdapter(kind).json_schema(mode="serialization")
    if kind is WorkflowRecord:
        schema["$defs"]["Workflow"] = workflow_schema("#/$defs/")
    return schema


def _manager(answerer: Answerer) -> StreamableHTTPSessionManager:
    import mcp_types as types
    from mcp.server import Server
    from mcp.server.streamable_http_manager import StreamableHTTPSessionManager

    kinds: tuple[tuple[str, str, str, Any, Any], ...] = (
        (NAME, "Ask the organization", ABOUT, Sent, AnswerRecord),
        (PLAN, "Say how something is done", ABOUT_PLAN, Goal, PlanRecord),
        (WORKFLOW, "Draft a workflow", ABOUT_WORKFLOW, Wish, WorkflowRecord),
        (BRIEF, "Write a briefing", ABOUT_BRIEF, Subject, BriefRecord),
    )
    described = [
        types.Tool(
            name=name,
            title=title,
            description=about,
            input_schema=TypeAdapter(takes).json_schema(),
            output_schema=given_schema(gives),
            annotations=types.ToolAnnotations(read_only_hint=True, open_world_hint=False),
        )
        for name, title, about, takes, gives in kinds
    ]

    async def tools(_: ServerRequestContext[Any], __: PaginatedRequestParams | None) -> ListToolsResult:
        return types.ListToolsResult(tools=described)

    async def begun(name: str, arguments: bytes, of: Visit) -> AnswerStream[Any]:
        if name == NAME:
            return await answerer.begin(AskRequest(askable(read(Sent, arguments).question)), of)
        if name == PLAN:
            return await answerer.plan(read(Goal, arguments), of)
        if name == WORKFLOW:
            return await answerer.draft(read(Wish, arguments), of)
        if name == BRIEF:
            return await answerer.brief(read(Subject, arguments), of)
        names = ", ".join(each.name for each in described)
        raise Refused(404, f"There is no tool {name[:100]!r} here.", f"Their names are {names}.")

    async def call(context: ServerRequestContext[Any], params: CallToolRequestParams) -> CallToolResult:
        try:
            arguments = json.dumps(params.arguments or {}).encode()
            stream = await begun(params.name, arguments, visit(context.request))
            try:
                record = await stream.record()
            finally:
                stream.leave()
        except SHOWN as error:
            return types.CallToolResult(content=[types.TextContent(text=error_text(error))], is_error=True)
        except Exception:  # the protocol's server would tell its words
            log.exception("a fault in the program: a call of the tool")
            return types.CallToolResult(content=[types.TextContent(text=FAULT)], is_error=True)
        plain = json.loads(record.to_json())
        words = told(record, answerer.home.procedures.in_use)
        return types.CallToolResult(content=[types.TextContent(text=words)], structured_content=plain)

    server: Server[Any] = Server("T-RAG", on_list_tools=tools, on_call_tool=call)
    return StreamableHTTPSessionManager(server, stateless=True)
