"""The gate in front of every page: who may call what, how much may be sent, and whose an open page is.

request -> refused, or led to sign in, or passed on with who sent it -> response with its headers

Gradio serves many routes and trusts many headers; only those that our pages need are let through, and what access.py
does not name is not there.
"""

from __future__ import annotations

import asyncio
import json
import logging
import re
from collections.abc import Callable, Mapping
from contextlib import suppress
from dataclasses import dataclass, field, replace
from functools import partial
from typing import TYPE_CHECKING, Any, Literal
from urllib.parse import parse_qs, urlencode

from anyio import CapacityLimiter, to_thread
from fastapi.concurrency import run_in_threadpool
from starlette.datastructures import Headers
from starlette.requests import Request

from org.procedures.entries import MAX_BYTES as PROCEDURES
from org.reading.table import MAX_BYTES
from store import StoreError
from trag.appearance import LARGEST_LOGO
from trag.errors import in_one_line, told
from trag.json_lines import made
from trag.models.local import LARGEST as LARGEST_MODEL
from trag.people import CurrentUser
from trag.people.accounts import LARGEST_IMPORT
from trag.sandbox import Limits
from trag.web import access, language, request_bodies
from trag.web.api.responses import Refused, response
from trag.web.language import SPOKEN, later
from trag.web.people.authentication import LOCAL, holds_cookie, host_name, passed_on
from trag.web.quality.render import LARGEST_SET
from trag.web.request_bodies import Cancel, Join
from trag.web.request_limits import ADDRESS, PERSON, Allowance, RequestLimits, give_turn_back
from trag.web.responses import error_response
from trag.web.security_headers import Answer
from trag.web.visitors import HERE, SHELLS, Shell, Visit

if TYPE_CHECKING:
    from starlette.types import ASGIApp, Receive, Scope, Send

    from store.person import Role
    from trag.web.people.authentication import Authenticator

log = logging.getLogger(__name__)

LOOKING = 4
"""Threads that look up who sent a request: their own ones, so that no page keeps others from being let in."""
LARGEST = 1_000_000
"""Bytes a request may carry: a pasted book gets a kind answer from the page, more than that is refused here."""

LONGEST_NAMED = 200
"""Characters of an address in the log: each refusal is a line of it."""
LARGEST_FORM = 20_000
"""Bytes of a form that anyone may send: names, a password, a code."""

UPLOADS = {
    "/charts/uploads": ("A chart", MAX_BYTES),
    "/procedures/uploads": ("Files of procedures", 2 * PROCEDURES + 2**16),
    "/documents/uploads": ("A document", Limits().file_bytes),
    "/documents/pairs/import": ("A file of pairs", MAX_BYTES),
    "/quality/cases": ("A set of questions", LARGEST_SET),
    "/models/uploads": ("A model", LARGEST_MODEL),
    "/people/import": ("A list of people", LARGEST_IMPORT),
    "/settings/appearance": ("A logo, with what is said beside it,", 2 * LARGEST_LOGO),
}
"""The paths that a file is sent to, its body passed on as it comes: what it is called, and the bytes it may have."""

JOIN, CANCEL, FOLLOW = "/gradio_api/queue/join", "/gradio_api/cancel", "/gradio_api/queue/data"
PACE = 1.0
"""Seconds between two looks whether the session of an open stream goes on."""
LONGEST_TAB = 100
"""Characters of the name that a page of Gradio's gives itself."""
PASSED_ON = (
    "This came through a proxy, and there are no accounts: without them only whoever sits at this machine is let in. "
    "Make the first account there, on the page People; and have TRAG_ADDRESS and TRAG_PROXY_FROM set, so that people "
    "can sign in from elsewhere."
)
NEEDS_FACTOR = later(
    "An admin here has a second factor, and is an employee until it is set up on the page Your account."
)
_NEXT = ("Reload the page to sign in.", "Nothing was kept: sign in in another window, then send it again.")
"""What somebody who is not signed in can do, who only looked, and who sent something."""


@dataclass(frozen=True, slots=True)
class Gate:
    """An ASGI app around another one. `functions` are those of the Ask page, by their numbers; `shells`
    gives what stands around the pages of somebody, where it is known."""

    app: ASGIApp
    door: Authenticator
    functions: Mapping[int, access.Function]
    shells: Callable[[CurrentUser], Shell] | None = None
    limits: RequestLimits = field(default_factory=RequestLimits)
    looking: CapacityLimiter = field(default_factory=lambda: CapacityLimiter(LOOKING))

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] == "lifespan":
            await self.app(scope, receive, send)
            return
        if scope["type"] != "http":
            await send({"type": "websocket.close", "code": 1008})
            return
        headers = Headers(scope=scope)
        SPOKEN.set(language.of(headers))
        answer = Answer(send, over_tls=host_name(headers) not in LOCAL)
        where = self.door.where(headers, scope["client"][0] if scope.get("client") else "")
        # A link that lets somebody in must not be read in a log.
        spoken = re.sub(r"(?i)(/links/).*", r"\1...", scope["path"], flags=re.DOTALL)
        what = f"{scope['method']} {spoken[:LONGEST_NAMED]}"
        visit: Visit | None = None
        needs: Literal["anyone"] | Role | None = None
        try:
            try:
                needs = self._needs(scope, headers)
                visit = None if needs == "anyone" else await self._visit(scope)
            finally:  # what is refused counts too
                if needs is None or not access.is_file(scope["path"]):
                    self.limits.count(*_caller(visit, where))
            if needs != "anyone":
                if visit is None and scope["path"] in access.PROGRAMS:
                    raise Refused(401, "This needs a token of yours that is not over: Authorization: Bearer trag_...")
                if visit is None and scope["method"] in ("GET", "HEAD") and "text/html" in headers.get("accept", ""):
                    query = scope["query_string"].decode("latin-1")
                    after = scope["path"] + (f"?{query}" if query else "")
                    await answer.lead("/sign-in" if after == "/" else f"/sign-in?{urlencode({'after': after})}")
                    return
                if visit is None:
                    raise Refused(401, f"You are not signed in, or not any more. {_NEXT[scope['method'] == 'POST']}")
                if not visit.caller.may(needs):
                    more = NEEDS_FACTOR if self.door.settings.second_factor else ""
                    raise Refused(403, refused_to_others(scope["method"], needs), more)
            await self._pass(scope, receive, answer, visit, where)
            if visit and access.noted(scope["method"], scope["path"]):
                result = f"answered {answer.status}"
                await run_in_threadpool(self.door.log, "call", visit.caller.name, what, where, result)
        except Refused as refusal:
            noted = self.door.notes_refusal(where)
            if noted or refusal.status != 429:
                log.warning("refused %r: %s %s", what, refusal.status, refusal.message)
            if noted and refusal.status != 503:
                who, reason = visit.caller.name if visit else "", f"{refusal.status} {refusal.message}"
                await run_in_threadpool(self.door.log, "refused", who, what, where, reason)
            await self._refuse(refusal, scope, receive, answer, visit, where)

    async def _refuse(
        self, refusal: Refused, scope: Scope, receive: Receive, answer: Answer, visit: Visit | None, where: str
    ) -> None:
        """Tell it to a program in the shape that its address promises, on a page to who reads pages, which for somebody
        who is not in is the one to sign in on, else in a word."""
        headers = Headers(scope=scope)
        reads = scope["method"] in ("GET", "POST") and "text/html" in headers.get("accept", "")
        if scope["path"] in access.PROGRAMS:
            await response(scope["path"], refusal.status, in_one_line(refusal))(scope, receive, answer.pass_on)
        elif reads and refusal.status == 401:
            # Back to the page of ours that it was sent from, as far as the browser says, else to the first one.
            host, slash, path = headers.get("referer", "").partition("://")[2].partition("/")
            after = slash + path if host == headers.get("host") else "/"
            query = urlencode({"after": after, "over": "1"}).encode()
            entrance = {**scope, "method": "GET", "path": "/sign-in", "raw_path": b"/sign-in", "query_string": query}
            try:
                await self._pass(entrance, request_bodies.replayed(b"", receive), answer, None, where)
            except Refused as full:
                await answer.refuse(full.status, in_one_line(full))
        elif reads and refusal.status != 400:
            HERE.set(visit)
            page = error_response(Request(scope), refusal, refusal.status)
            await page(scope, receive, answer.pass_on)
        else:
            await answer.refuse(refusal.status, in_one_line(refusal))

    def _needs(self, scope: Scope, headers: Headers) -> Literal["anyone"] | Role:
        """The role that a request needs. Raises Refused for what is not there, for what another site sent, and for
        whoever asks for figures without their key."""
        if host_name(headers) not in self.door.names:
            raise Refused(
                421, later("This assistant answers at its own address only, and on its machine at 127.0.0.1.")
            )
        if "transfer-encoding" in headers and "content-length" in headers:
            raise Refused(400, "A request has one length.")  # a proxy in front may have believed the other
        needs = access.needed(scope["method"], scope["path"])
        if needs is None:
            raise Refused(404, later("There is nothing here."))
        # A link from elsewhere may open the page; nothing else may be called from another site.
        opened = scope["method"] in ("GET", "HEAD") and headers.get("sec-fetch-mode") == "navigate"
        if headers.get("sec-fetch-site", "same-origin") not in ("same-origin", "none") and not opened:
            raise Refused(403, later("Calls from another site are refused."))
        host = headers.get("host", "")
        if headers.get("origin", f"http://{host}") not in (f"http://{host}", f"https://{host}"):
            raise Refused(403, later("Calls from another site are refused."))
        if scope["path"] in access.PROGRAMS:
            if "origin" in headers or "sec-fetch-site" in headers:
                raise Refused(403, "This address is for programs, not for web pages.")
            if "authorization" in headers and holds_cookie(headers):
                raise Refused(400, "A token comes without the cookie of a session.")
        if needs == "monitoring":
            if not self.door.monitors(headers):
                raise Refused(401, "This needs the key of monitoring: Authorization: Bearer, and TRAG_METRICS_KEY.")
            return "anyone"
        return needs

    async def _visit(self, scope: Scope) -> Visit | None:
        """Who sent a request. Raises Refused when the records cannot say, and for whoever would be let in as the one
        who sits at this machine, and came through a proxy."""
        headers, path = Headers(scope=scope), scope["path"]
        if path in access.PROGRAMS:
            look = partial(self.door.by_token, headers)
        else:
            client = scope["client"][0] if scope.get("client") else ""
            look = partial(self.door.visit, headers, client, used=path not in access.LOOKS)
        try:
            found = await to_thread.run_sync(look, limiter=self.looking)
        except StoreError as error:
            log.exception("nobody can be let in")
            raise Refused(503, told(error).message) from error
        found = found and replace(found, language=language.of(headers))
        if found and found.caller is CurrentUser.local and passed_on(headers, scope.get("http_version", "")):
            raise Refused(403, PASSED_ON)
        return found

    async def _pass(self, scope: Scope, receive: Receive, answer: Answer, visit: Visit | None, where: str) -> None:
        """On to the app, with who sent it."""
        path = scope["path"]
        HERE.set(visit)
        if self.shells:
            SHELLS.set(self.shells)
        # No caller is believed about proxies.
        kept = [
            (name, value)
            for name, value in scope["headers"]
            if name != b"forwarded" and not name.startswith(b"x-forwarded-")
        ]
        state = {**scope.get("state", {}), "where": where} | ({"visit": visit, "caller": visit.caller} if visit else {})
        # Under its public name the app is reached over TLS alone; what it says of its own address must be so too.
        scheme = scope.get("scheme", "http") if host_name(Headers(scope=scope)) in LOCAL else "https"
        passed = {**scope, "headers": kept, "state": state, "scheme": scheme}
        if path in UPLOADS:
            what, most = UPLOADS[path]
            try:
                await self.app(passed, request_bodies.bounded(scope, receive, most), answer.pass_on)
            except request_bodies.TooLargeError:
                raise Refused(413, f"{what} may have {most:,} bytes.") from None
            return
        most = LARGEST_FORM if access.needed(scope["method"], path) == "anyone" else LARGEST
        try:
            body = await request_bodies.whole(receive, most)
        except request_bodies.TooLargeError:
            raise Refused(413, f"A request may carry {most:,} bytes.") from None
        except request_bodies.BrokenOffError:
            return  # nobody is there to be answered
        if visit and path in (JOIN, CANCEL):
            call = self._called(body, visit, path)
            body, state["tab"] = json.dumps(call).encode(), call["session_hash"]
            length = (b"content-length", str(len(body)).encode())
            passed["headers"] = [*((name, value) for name, value in kept if name != b"content-length"), length]
        if visit and path == FOLLOW:
            state["tab"] = self._own_tab(parse_qs(scope["query_string"].decode("latin-1")).get("session_hash"), visit)
        given = request_bodies.replayed(body, receive)
        if access.is_file(path):
            await self.app(passed, given, answer.pass_on)
            return
        async with self.limits.turn(*_caller(visit, where), answer.pass_on) as send:
            if visit and (path == FOLLOW or path in access.PROGRAMS):
                await self._follow(passed, given, answer, send, visit)
            else:
                await self.app(passed, given, send)

    def _called(self, body: bytes, visit: Visit, path: str) -> dict[str, Any]:
        """A call of a function of the Ask page, as it was understood here: of two readings of the same bytes only this
        one reaches Gradio. Raises Refused for a page or a function that is not the visitor's, and for anything that the
        page does not send."""
        try:
            call = json.loads(body)
        except (ValueError, RecursionError):
            raise Refused(400, "That is no call of this page.") from None
        if not isinstance(call, dict):
            raise Refused(400, "That is no call of this page.")
        self._own_tab([call.get("session_hash")], visit)
        function: access.Function | None = None
        if path == JOIN:
            number = call.get("fn_index")
            function = self.functions.get(number) if type(number) is int else None
            if function is None:
                raise Refused(404, later("There is nothing here."))
            if not visit.caller.may(function.role):
                raise Refused(403, refused_to_others("POST", function.role))
        try:
            made(Join if path == JOIN else Cancel, json.dumps(call))
        except ValueError:
            raise Refused(400, "A call of this page holds words alone: no files, lists or objects.") from None
        if function:
            # Gradio would write all that was typed into the log, and the function find no word where it needs one.
            data, pressed = call.get("data", []), call.get("event_data") or {}
            if len(data) != function.inputs or not pressed.keys() >= set(function.fields):
                raise Refused(400, "That is no call of this page.")
            call["data"] = [word or "" for word in data]
        return call

    def _own_tab(self, names: list[object] | list[str] | None, visit: Visit) -> str:
        """The one page of Gradio's that is named. Raises Refused unless it is one, and the visitor's own."""
        name = names[0] if names and len(names) == 1 else None
        if not isinstance(name, str) or not 0 < len(name) <= LONGEST_TAB:
            raise Refused(400, "That is no call of this page.")
        if not self.door.owns(visit.caller.person, name):
            raise Refused(403, "That page is somebody else's.")
        return name

    async def _follow(self, scope: Scope, receive: Receive, answer: Answer, send: Send, visit: Visit) -> None:
        """A response that goes on for long, but no longer than the visit: it ends with the session or the token, and
        with a change of what its visitor may do."""
        give_turn_back()  # it waits for the model, without a thread
        app = asyncio.ensure_future(self.app(scope, receive, send))
        try:
            while not (await asyncio.wait([app], timeout=PACE))[0]:
                try:
                    goes_on = await self._visit(scope) == visit
                except Refused:
                    goes_on = False
                if not goes_on:
                    await answer.break_off()
                    app.cancel()
                    with suppress(asyncio.CancelledError):
                        await app
                    return
            app.result()
        finally:
            app.cancel()


def refused_to_others(method: str, role: Role) -> str:
    """What is said to those who may not do what needs a role."""
    opens = method in ("GET", "HEAD")
    if role == "reviewer":
        page = later("Only reviewers and administrators can open this page.")
        return page if opens else later("Only reviewers and administrators can do this.")
    page = later("Only administrators can open this page.")
    return page if opens else later("Only administrators can do this.")


def _caller(visit: Visit | None, where: str) -> tuple[str, Allowance]:
    """Whom a request counts for, and what they may; who is in is not held to what others at their address do."""
    return (visit.caller.person, PERSON) if visit else (where, ADDRESS)
