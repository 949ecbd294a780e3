"""Who may call what: one table of every address and one of every function of the Ask page, each with the role it needs.

What is not in them is not there for anybody, and a test fails.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, Literal

from store.keys import Scope
from store.person import Role

Needs = Literal["anyone", "monitoring"] | Role

PARTS = {
    "address": r"[0-9a-f]{32}",
    "adapter": r"(?:shipped|\d{8}-[0-9a-f]{8})",
    "asset": r"(?!/)(?!.*(?:\.\.|//))[\w./@~+-]+",
    "brief_file": r"briefing\.(?:md|docx)",
    "code": r"[\w-]{20,100}",
    "hash": r"[0-9a-f]{64}",
    "job": r"[\w-]{1,64}",
    "number": r"\d{1,6}",
    "ours": r"(?:ask|combobox|overview|pages|sending|following|shell|stream|words|"
    r"(?:briefings|charts|documents|models|people|plans|procedures|programs|quality|review|settings|workflows)(?:_\w+)?)\.(?:css|js)",
    "run": r"\d{8}-\d{6}(?:-\d{1,4})?",
    "chart": r"(?:uploads/[0-9a-f]{64}|versions/[0-9a-f]{12})",
    "book": r"(?:uploads/[0-9a-f]{64}|versions/[0-9a-f]{12})",
    "chart_file": r"(?:chart\.(?:csv|xlsx|json)|tree\.json)",
    "version": r"[0-9a-f]{12}",
    "workflow_file": r"workflow\.(?:json|serverless\.json|bpmn)",
    "work": r"\d{8}-\d{6}",
}
"""What may stand in an address in place of each name in braces."""

FILES = (
    "/health", "/healthz", "/favicon.ico", "/theme.css", "/{ours}", "/assets/{asset}", "/static/js/{asset}",
    "/appearance.css", "/logo.png",
)  # fmt: skip
"""What every page loads, the same for everybody: it costs little and is not counted."""

READ: tuple[tuple[Needs, str], ...] = (
    *(("anyone", path) for path in FILES),
    ("anyone", "/ready"),
    ("monitoring", "/metrics"),
    ("anyone", "/sign-in"),
    ("anyone", "/sign-in/sso"),
    ("anyone", "/sign-in/back"),
    ("anyone", "/account/new"),
    ("anyone", "/links/{code}"),
    ("anyone", "/api/openapi.json"),
    ("employee", "/api"),
    ("employee", "/v1/models"),
    ("employee", "/v1/models/trag"),
    ("employee", "/mcp"),
    ("employee", "/"),
    ("employee", "/gradio_api/queue/data"),
    ("employee", "/gradio_api/app_id"),
    ("employee", "/account"),
    ("employee", "/answers/{address}"),
    ("employee", "/conversations/{address}/conversation.md"),
    ("employee", "/plans"),
    ("employee", "/plans/{address}"),
    ("employee", "/briefings"),
    ("employee", "/briefings/{address}"),
    ("employee", "/briefings/{address}/{brief_file}"),
    ("employee", "/workflows"),
    ("employee", "/workflows/{address}"),
    ("employee", "/workflows/{address}/{workflow_file}"),
    ("employee", "/workflows/notices"),
    ("employee", "/workflows/registers"),
    ("admin", "/workflows/active"),
    ("admin", "/workflows/active/{address}"),
    ("admin", "/workflows/active/runs/{address}"),
    ("employee", "/documents/owned"),
    ("employee", "/documents/{address}/validity"),
    ("employee", "/documents/{address}/view"),
    ("employee", "/documents/{address}/original"),
    ("employee", "/documents/{address}/pages/{number}.png"),
    ("reviewer", "/review"),
    ("reviewer", "/review/next"),
    ("reviewer", "/review/figures"),
    ("reviewer", "/review/approved"),
    ("reviewer", "/review/judged.csv"),
    ("reviewer", "/review/judged.jsonl"),
    ("reviewer", "/review/{address}"),
    ("reviewer", "/review/{address}/places"),
    ("admin", "/overview"),
    ("employee", "/charts"),
    ("employee", "/charts/picture"),
    ("employee", "/charts/units/{number}"),
    ("admin", "/charts/sample.csv"),
    ("admin", "/charts/{chart}"),
    ("admin", "/charts/{chart}/ready"),
    ("admin", "/charts/{chart}/picture"),
    ("admin", "/charts/{chart}/units/{number}"),
    ("admin", "/charts/{chart}/problems.csv"),
    ("admin", "/charts/{chart}/changes.csv"),
    ("admin", "/charts/versions/{version}/{chart_file}"),
    ("admin", "/charts/versions/{version}/original"),
    ("admin", "/procedures"),
    ("admin", "/procedures/sample.xlsx"),
    ("admin", "/procedures/found"),
    ("admin", "/procedures/{book}"),
    ("admin", "/procedures/{book}/problems.csv"),
    ("admin", "/procedures/{book}/procedures.json"),
    ("admin", "/procedures/{book}/procedures.xlsx"),
    ("admin", "/procedures/versions/{version}/original"),
    ("employee", "/documents"),
    ("admin", "/documents/queue"),
    ("admin", "/documents/units"),
    ("admin", "/documents/examples"),
    ("admin", "/documents/conflicts"),
    ("admin", "/documents/folders"),
    ("admin", "/documents/folders/progress"),
    ("admin", "/documents/folders/{address}"),
    ("admin", "/documents/pairs"),
    ("admin", "/documents/pairs.csv"),
    ("admin", "/documents/pairs.jsonl"),
    ("admin", "/documents/{address}"),
    ("reviewer", "/quality"),
    ("reviewer", "/quality/progress"),
    ("reviewer", "/quality/compare"),
    ("reviewer", "/quality/sample.jsonl"),
    ("admin", "/quality/cases/{hash}.jsonl"),
    ("reviewer", "/quality/runs/{run}"),
    ("reviewer", "/quality/runs/{run}/report.md"),
    ("reviewer", "/quality/runs/{run}/audit"),
    ("reviewer", "/quality/runs/{run}/audit.md"),
    ("admin", "/quality/runs/{run}/answers.csv"),
    ("admin", "/quality/runs/{run}/run.json"),
    ("reviewer", "/quality/runs/{run}/answers/{number}"),
    ("reviewer", "/quality/needles/{run}"),
    ("reviewer", "/quality/needles/{run}/report.md"),
    ("admin", "/models"),
    ("admin", "/models/progress"),
    ("admin", "/models/finetune/{work}/card.md"),
    ("admin", "/models/finetune/{work}/loss.csv"),
    ("admin", "/people"),
    ("admin", "/people/sample.csv"),
    ("admin", "/people/log"),
    ("admin", "/people/log.csv"),
    ("admin", "/people/log.jsonl"),
    ("admin", "/people/{address}"),
    ("admin", "/settings"),
)
"""What is only looked at: GET and HEAD."""

WRITE: tuple[tuple[Needs, str], ...] = (
    ("anyone", "/sign-in"),
    ("anyone", "/sign-in/code"),
    ("anyone", "/account/new"),
    ("anyone", "/links/{code}"),
    ("employee", "/gradio_api/queue/join"),
    ("employee", "/gradio_api/cancel"),
    ("employee", "/gradio_api/reset"),
    ("employee", "/sign-out"),
    ("employee", "/account/password"),
    ("employee", "/account/second-factor"),
    ("employee", "/account/second-factor/confirm"),
    ("employee", "/account/second-factor/end"),
    ("employee", "/account/tokens"),
    ("employee", "/account/tokens/{hash}/end"),
    ("employee", "/account/sessions/end"),
    ("employee", "/account/sessions/{hash}/end"),
    ("employee", "/answers/{address}/share"),
    ("employee", "/answers/{address}/share/end"),
    ("employee", "/plans"),
    ("employee", "/plans/{address}/stop"),
    ("employee", "/plans/{address}/verdict"),
    ("employee", "/briefings"),
    ("employee", "/briefings/{address}/stop"),
    ("employee", "/briefings/{address}/update"),
    ("employee", "/briefings/{address}/share"),
    ("employee", "/briefings/{address}/share/end"),
    ("employee", "/briefings/{address}/verdict"),
    ("employee", "/workflows"),
    ("employee", "/workflows/{address}/stop"),
    ("employee", "/workflows/{address}/change"),
    ("employee", "/workflows/{address}/try"),
    ("employee", "/workflows/{address}/send"),
    ("employee", "/workflows/{address}/verdict"),
    ("employee", "/workflows/notices/{address}/done"),
    ("employee", "/workflows/registers"),
    ("admin", "/workflows/active/{address}/activate"),
    ("admin", "/workflows/active/{address}/rollback"),
    ("admin", "/workflows/active/{address}/return"),
    ("admin", "/workflows/active/{address}/off"),
    ("admin", "/workflows/active/{address}/run"),
    ("admin", "/workflows/active/runs/{address}/stop"),
    ("employee", "/api/ask"),
    ("employee", "/api/plan"),
    ("employee", "/api/brief"),
    ("employee", "/api/workflow"),
    ("employee", "/v1/chat/completions"),
    ("employee", "/mcp"),
    ("reviewer", "/review/{address}/verdict"),
    ("reviewer", "/review/{address}/undo"),
    ("reviewer", "/review/{address}/second"),
    ("reviewer", "/review/{address}/pin"),
    ("reviewer", "/review/approved/{address}/unpin"),
    ("admin", "/overview"),
    ("admin", "/charts/uploads"),
    ("admin", "/charts/uploads/{hash}/activate"),
    ("admin", "/charts/uploads/{hash}/discard"),
    ("admin", "/charts/versions/{version}/activate"),
    ("admin", "/procedures/found/take"),
    ("admin", "/procedures/uploads"),
    ("admin", "/procedures/uploads/{hash}/activate"),
    ("admin", "/procedures/uploads/{hash}/discard"),
    ("admin", "/procedures/versions/{version}/activate"),
    ("employee", "/documents/{address}/validity"),
    ("admin", "/documents/uploads"),
    ("admin", "/documents/present"),
    ("admin", "/documents/queue/clear"),
    ("admin", "/documents/queue/{job}/cancel"),
    ("admin", "/documents/queue/{job}/retry"),
    ("admin", "/documents/writing"),
    ("admin", "/documents/writing/stop"),
    ("admin", "/documents/writing/dismiss"),
    ("admin", "/documents/indexing/dismiss"),
    ("admin", "/documents/examples"),
    ("admin", "/documents/pairs"),
    ("admin", "/documents/conflicts/{address}/none"),
    ("admin", "/documents/conflicts/{address}/open"),
    ("admin", "/documents/folders"),
    ("admin", "/documents/folders/{address}/set"),
    ("admin", "/documents/folders/{address}/run"),
    ("admin", "/documents/folders/{address}/stop"),
    ("admin", "/documents/folders/{address}/pause"),
    ("admin", "/documents/folders/{address}/resume"),
    ("admin", "/documents/folders/{address}/remove"),
    ("admin", "/documents/pairs/many"),
    ("admin", "/documents/pairs/import"),
    ("admin", "/documents/{address}/delete"),
    ("admin", "/documents/{address}/audience"),
    ("reviewer", "/quality/stop"),
    ("reviewer", "/quality/dismiss"),
    ("reviewer", "/quality/runs"),
    ("reviewer", "/quality/cases"),
    ("reviewer", "/quality/cases/chart"),
    ("admin", "/quality/cases/{hash}/remove"),
    ("reviewer", "/quality/runs/{run}/resume"),
    ("admin", "/quality/runs/{run}/remove"),
    ("reviewer", "/quality/runs/{run}/answers/{number}/label"),
    ("reviewer", "/quality/audits"),
    ("reviewer", "/quality/needles"),
    ("admin", "/quality/needles/{run}/remove"),
    ("admin", "/models/rollback"),
    ("admin", "/models/uploads"),
    ("admin", "/models/get"),
    ("admin", "/models/get/stop"),
    ("admin", "/models/get/dismiss"),
    ("admin", "/models/try"),
    ("admin", "/models/try/stop"),
    ("admin", "/models/try/dismiss"),
    ("admin", "/models/use"),
    ("admin", "/models/use/back"),
    ("admin", "/models/finetune"),
    ("admin", "/models/finetune/go-on"),
    ("admin", "/models/finetune/stop"),
    ("admin", "/models/finetune/discard"),
    ("admin", "/models/finetune/dismiss"),
    ("admin", "/models/adapters/{adapter}/promote"),
    ("admin", "/models/adapters/{adapter}/measure"),
    ("admin", "/models/adapters/{adapter}/remove"),
    ("admin", "/people"),
    ("admin", "/people/first"),
    ("admin", "/people/import"),
    ("admin", "/people/refuse"),
    ("admin", "/people/{address}"),
    ("admin", "/people/{address}/name"),
    ("admin", "/people/{address}/link"),
    ("admin", "/people/{address}/end"),
    ("admin", "/people/{address}/second-factor/end"),
    ("admin", "/people/{address}/forget"),
    ("admin", "/people/{address}/remove"),
    ("admin", "/settings/appearance"),
    ("admin", "/settings/values"),
)
"""What changes something: POST."""

NOTED = re.compile(r"/(?:charts|documents|models|procedures|quality)(?:/.*)?")
"""The addresses whose calls the gate writes into the log, when they change something or take data away. Those of people
and reviewers write down what they do themselves."""
_TAKEN_AWAY = re.compile(r".*(?:\.(?:csv|json|jsonl|md|xlsx)|/original)")
_TAKEN_FROM_NOBODY = frozenset(
    {"/charts/sample.csv", "/procedures/sample.xlsx", "/quality/sample.jsonl", "/documents/present"}
)

LOOKS = frozenset({"/documents/folders/progress", "/documents/queue", "/models/progress", "/quality/progress"})
"""What open pages ask for by themselves, again and again: no sign that somebody is there, so it keeps no session."""

PROGRAMS = frozenset(
    {
        "/api/ask",
        "/api/plan",
        "/api/workflow",
        "/api/brief",
        "/v1/chat/completions",
        "/v1/models",
        "/v1/models/trag",
        "/mcp",
    }
)
"""The addresses of programs: a token opens these alone, and where there are accounts nothing else opens them. What an
answer tells of the words it stands on needs "read" besides (api/answering.py)."""
SCOPES: tuple[Scope, ...] = ("ask", "read")
"""What a token may do; each may do all that those before it may."""

FUNCTIONS: Mapping[str, tuple[Role, tuple[str, ...]]] = {
    "open": ("employee", ()),
    "choose": ("employee", ("conversation",)),
    "begin": ("employee", ()),
    "rename": ("employee", ("conversation", "title")),
    "remove": ("employee", ("conversation",)),
    "ask": ("employee", ()),
    "ask_this": ("employee", ("question",)),
    "stop": ("employee", ()),
    "follow": ("employee", ()),
    "judge": ("employee", ("answer", "verdict")),
    "remark": ("employee", ("answer", "comment", "corrected")),
}
"""The functions of the Ask page, which Gradio lets anybody call who knows their number: the role that each needs, and
what it reads of what was pressed."""


@dataclass(frozen=True, slots=True)
class Function:
    """A function of the Ask page: the role that its call needs, how many inputs, and which fields of a press."""

    role: Role
    inputs: int = 0
    fields: tuple[str, ...] = ()


def needed(method: str, path: str) -> Needs | None:
    """The role that a call needs, "monitoring" for the key in the settings, None where there is nothing to call."""
    table = _READ if method in ("GET", "HEAD") else _WRITE if method == "POST" else ()
    return next((role for role, pattern in table if pattern.fullmatch(path)), None)


def is_file(path: str) -> bool:
    """Whether an address is one of FILES."""
    return any(pattern.fullmatch(path) for _, pattern in _READ[: len(FILES)])


def noted(method: str, path: str) -> bool:
    """Whether a call is one that the log names with who made it and from where."""
    if path in _TAKEN_FROM_NOBODY or path.endswith("/tree.json") or not NOTED.fullmatch(path):
        return False
    return method == "POST" or (method == "GET" and bool(_TAKEN_AWAY.fullmatch(path)))


def functions(page: Any) -> dict[int, Function]:
    """What a call of each function of a page of Gradio's needs, by its number. Raises KeyError for one that is not in
    the table: such a page is not served."""
    found = {}
    for number, each in page.fns.items():
        if each.fn is not None:
            role, fields = FUNCTIONS[each.fn.__name__]
            found[number] = Function(role, len(each.inputs), fields)
    return found


def _compiled(table: tuple[tuple[Needs, str], ...]) -> tuple[tuple[Needs, re.Pattern[str]], ...]:
    parts = re.compile(r"\\\{(\w+)\\\}")
    return tuple((role, re.compile(parts.sub(lambda part: PARTS[part[1]], re.escape(path)))) for role, path in table)


_READ, _WRITE = _compiled(READ), _compiled(WRITE)
