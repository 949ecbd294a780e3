"""One home served to browsers: its pages mounted in FastAPI behind the gate, until it is told to end."""

from __future__ import annotations

import errno
import logging
import os
import signal
import socket
import sys
from collections.abc import AsyncIterator, Callable
from concurrent.futures import Future, ThreadPoolExecutor
from contextlib import asynccontextmanager
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING

import uvicorn

from trag.errors import TragError
from trag.home import open_home
from trag.logs import marked_prints
from trag.people.accounts import first_link
from trag.settings import Settings
from trag.web.connections import BACKLOG, Connection
from trag.web.start_checks import problems

if TYPE_CHECKING:
    from fastapi import FastAPI

    from trag.home import Home

log = logging.getLogger(__name__)

STATIC = Path(__file__).parent / "static"
HEAD = "".join(f'<link rel="stylesheet" href="/{name}.css">' for name in ("ask", "appearance"))
HEAD += '<script src="/shell.js"></script><script src="/stream.js"></script>'
"""What the Ask page loads beside what is Gradio's."""
_HINTS = {
    errno.EADDRINUSE: "Another program listens there: stop it, or set TRAG_PORT to another number.",
    errno.EACCES: "Set TRAG_PORT to a number from 1024 on: those below are kept for the system.",
}
"""What to do, by why a port cannot be opened."""


def serve(settings: Settings) -> None:
    """Serve one home until SIGTERM or Ctrl-C. Raises TragError when it may not, or cannot, be served there."""
    if wrong := list(problems(settings)):
        raise TragError(" ".join(problem for problem, _ in wrong), " ".join(hint for _, hint in wrong))
    with open_home(settings, later=True) as home, _listener(settings) as listener:
        app = create_app(home)
        if settings.address and (link := first_link(home.records)):
            sys.stdout.write(f"No accounts yet. Make the first admin within 24 hours at {settings.url}/links/{link}\n")
        sys.stdout.write(f"Open {settings.url}\n")
        sys.stdout.flush()
        signal.signal(signal.SIGTERM, lambda *_: sys.exit(0))
        config = uvicorn.Config(
            app,
            http=Connection,  # of h11, which bounds the head of a request, as the faster httptools does not
            backlog=BACKLOG,
            limit_concurrency=Connection.most + BACKLOG,
            ws="none",
            log_config=None,  # as everything else is logged
            log_level="warning",
            proxy_headers=False,
            server_header=False,
            timeout_graceful_shutdown=2,
        )
        with marked_prints(sys.stderr, as_json=settings.log_json):
            uvicorn.Server(config).run(sockets=[listener])


def create_app(home: Home) -> FastAPI:
    """The web app over one open home. Its pages are there at once, while the assistant is still being opened."""
    os.environ["GRADIO_ANALYTICS_ENABLED"] = "False"
    import gradio as gr
    import gradio.routes
    from fastapi import FastAPI
    from fastapi.concurrency import run_in_threadpool
    from fastapi.responses import FileResponse

    from trag.retention import Retention
    from trag.web import access, answers, monitoring, overview
    from trag.web.abandoned_calls import AbandonedCalls
    from trag.web.active_runs import ActiveRuns, AssistantLoader
    from trag.web.api import mcp
    from trag.web.api import page as programs
    from trag.web.api.answering import Answerer
    from trag.web.ask import AskPage
    from trag.web.briefings import page as briefings
    from trag.web.charts import page as charts
    from trag.web.documents import page as documents
    from trag.web.gate import Gate
    from trag.web.models import page as models
    from trag.web.people import page as people
    from trag.web.people.authentication import Authenticator
    from trag.web.plans import page as plans
    from trag.web.procedures import page as procedures
    from trag.web.quality import page as quality
    from trag.web.review import page as review
    from trag.web.security_headers import give_nonces
    from trag.web.settings import page as settings
    from trag.web.visitors import shell_of
    from trag.web.workflows import active, notices, registers
    from trag.web.workflows import page as workflows
    from trag.workflow.runner import Runner

    give_nonces(gradio.routes.templates.env)
    threads = ThreadPoolExecutor(max_workers=1, thread_name_prefix="opening")
    figures = monitoring.Figures()
    opening = AssistantLoader(threads, lambda: home.assistant, home.warm)
    page = AskPage(home, opening, ActiveRuns(figures.count))
    ready, busy = page.assistant.result, page.runs.busy
    blocks = page.build().queue(api_open=False)
    door = Authenticator(home.records, home.settings)
    runner, retention = Runner(home), Retention(home.records)

    @asynccontextmanager
    async def running(app: FastAPI) -> AsyncIterator[None]:
        runner.start()
        retention.start()
        async with tool.running():
            yield
        charts_page.reviews.close()
        await run_in_threadpool(runner.close)
        await run_in_threadpool(retention.close)
        await run_in_threadpool(documents_page.writing.close)
        await run_in_threadpool(documents_page.indexing.close)
        await run_in_threadpool(documents_page.folders.close)
        await run_in_threadpool(evaluation.close)
        await run_in_threadpool(models_page.close)
        await run_in_threadpool(page.runs.end_all)
        await run_in_threadpool(threads.shutdown)

    def static_file(path: Path) -> Callable[[], FileResponse]:
        return lambda: FileResponse(path, headers={"cache-control": "no-cache"})

    def log_failure(done: Future[None]) -> None:
        if not done.cancelled() and (error := done.exception()):
            log.error("the line of uploads cannot be opened", exc_info=error)

    app = FastAPI(openapi_url=None, lifespan=running)
    app.add_middleware(AbandonedCalls, page=blocks)
    app.add_middleware(Gate, door=door, functions=access.functions(blocks), shells=partial(shell_of, home))
    monitoring.mount(app, home, figures, page.runs, opening)
    for path in STATIC.iterdir():
        app.get(f"/{path.name}")(static_file(path))
    charts_page = charts.mount(app, home)
    documents_page = documents.mount(app, home, ready=ready, busy=busy)
    evaluation = quality.mount(app, home, ready=ready, busy=busy)
    models_page = models.mount(app, home, ready=ready, busy=busy)
    people.mount(app, home, door)
    answers.mount(app, home)
    plans.mount(app, home, page.runs, ready)
    briefings.mount(app, home, page.runs, ready)
    overview.mount(app, home, ready)
    procedures.mount(app, home)
    review.mount(app, home)
    settings.mount(app, home, retention)
    for each in (active, notices, registers):
        each.mount(app, home)
    workflows.mount(app, home, page.runs, ready)
    answerer = Answerer(home, page.runs, ready)
    programs.mount(app, answerer)
    tool = mcp.mount(app, answerer, on=home.settings.mcp)
    threads.submit(documents_page.begin).add_done_callback(log_failure)
    gr.mount_gradio_app(
        app,
        blocks,
        path="/",
        theme=gr.themes.Base(font=["system-ui", "sans-serif"], font_mono=["ui-monospace", "monospace"]),
        head=HEAD,
        favicon_path=str(STATIC / "favicon.svg"),
        footer_links=[],
        run_history=False,
        ssr_mode=False,
        enable_monitoring=False,
        show_error=False,
        pwa=False,
        mcp_server=False,
    )
    return app


def _listener(settings: Settings) -> socket.socket:
    family = socket.AF_INET6 if ":" in settings.host else socket.AF_INET
    try:
        return socket.create_server((settings.host, settings.port), family=family)
    except OSError as error:
        hint = _HINTS.get(error.errno or 0, "TRAG_HOST must be an address of this machine.")
        raise TragError(f"Port {settings.port} on {settings.host} cannot be opened: {error.strerror}.", hint) from error
