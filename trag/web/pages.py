"""The web app: the pages mounted in FastAPI, behind the gate.

Knows nothing about how an answer is made.
"""

from __future__ import annotations

import logging
import os
from collections.abc import AsyncIterator, Callable
from concurrent.futures import Future, ThreadPoolExecutor
from contextlib import asynccontextmanager
from pathlib import Path
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from fastapi import FastAPI
    from fastapi.responses import FileResponse

    from trag.home import Home

log = logging.getLogger(__name__)

STATIC = Path(__file__).parent / "static"


def create_app(home: Home) -> FastAPI:
    """The web app over one open home. Its pages are there at once, while the assistant is still being opened."""
    os.environ["GRADIO_ANALYTICS_ENABLED"] = "False"
    import gradio as gr
    from fastapi import FastAPI
    from fastapi.concurrency import run_in_threadpool
    from fastapi.responses import PlainTextResponse

    from trag.web import access
    from trag.web.api import mcp as mcp
    from trag.web.api import page as programs
    from trag.web.api.answering import Answerer
    from trag.web.ask import AskPage
    from trag.web.charts import page as charts
    from trag.web.documents import page as documents
    from trag.web.gate import Gate
    from trag.web.models import page as models
    from trag.web.people import page as people
    from trag.web.people.authentication import Authenticator
    from trag.web.quality import page as quality
    from trag.web.review import page as review
    from trag.web.startup import Opening

    threads = ThreadPoolExecutor(max_workers=1, thread_name_prefix="opening")
    page = AskPage(home, Opening(threads, lambda: home.assistant, home.warm))
    blocks = page.build().queue(api_open=False)
    door = Authenticator(home.records, home.settings)

    @asynccontextmanager
    async def running(app: FastAPI) -> AsyncIterator[None]:
        async with tool.running():
            yield
        charts_page.reviews.close()
        await run_in_threadpool(documents_page.writing.close)
        await run_in_threadpool(evaluation.close)
        await run_in_threadpool(fine_tune.close)
        await run_in_threadpool(page.askings.end_all)
        await run_in_threadpool(threads.shutdown)

    app = FastAPI(openapi_url=None, lifespan=running)
    app.add_middleware(Gate, door=door, functions=access.functions(blocks))
    app.get("/healthz", response_class=PlainTextResponse)(lambda: "ok")
    for path in STATIC.iterdir():
        app.get(f"/{path.name}")(_sent(path))
    charts_page = charts.mount(app, home)
    documents_page = documents.mount(app, home, ready=page.assistant.result, busy=page.askings.busy)
    evaluation = quality.mount(app, home, ready=page.assistant.result, busy=page.askings.busy)
    fine_tune = models.mount(app, home, ready=page.assistant.result, busy=page.askings.busy)
    people.mount(app, home, door)
    review.mount(app, home)
    programs.mount(app, home, page.askings, ready=page.assistant.result)
    tool = mcp.mount(app, Answerer(home, page.askings, page.assistant.result), on=home.settings.mcp)
    threads.submit(documents_page.begin).add_done_callback(_logged)
    gr.mount_gradio_app(
        app,
        blocks,
        path="/",
        theme=gr.themes.Base(font=["system-ui", "sans-serif"], font_mono=["ui-monospace", "monospace"]),
        head='<link rel="stylesheet" href="/ask.css"><script src="/stream.js"></script>',
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


def _logged(done: Future[None]) -> None:
    """What went wrong where nobody waits for it."""
    if not done.cancelled() and (error := done.exception()):
        log.error("the line of uploads cannot be opened", exc_info=error)


def _sent(path: Path) -> Callable[[], FileResponse]:
    from fastapi.responses import FileResponse

    return lambda: FileResponse(path, headers={"cache-control": "no-cache"})
