"""A home as monitoring sees it from outside: whether the program is up, whether it can answer, and figures for
Prometheus. None of it holds a name, a question or a title."""

from __future__ import annotations

from collections import Counter as Counts
from collections.abc import Iterable, Iterator
from dataclasses import asdict
from typing import TYPE_CHECKING

from fastapi import Response
from fastapi.responses import PlainTextResponse
from prometheus_client import (
    CONTENT_TYPE_LATEST,
    CollectorRegistry,
    Counter,
    Histogram,
    ProcessCollector,
    disable_created_metrics,
    generate_latest,
)
from prometheus_client.core import GaugeMetricFamily
from prometheus_client.registry import Collector

from store import StoreError
from trag.brief.record import BriefRecord
from trag.flow.record import PlanRecord
from trag.llm.servers import ModelServers
from trag.record import AnswerRecord
from trag.workflow.record import WorkflowRecord

if TYPE_CHECKING:
    from fastapi import FastAPI

    from trag.home import Home
    from trag.web.active_runs import ActiveRuns, AssistantLoader, Draft

KINDS = {AnswerRecord: "answer", PlanRecord: "plan", WorkflowRecord: "workflow", BriefRecord: "briefing"}
_WHOLE = (0.3, 1, 2, 3, 5, 10, 20, 30, 60, 120, 300)
_STEP = (0.01, 0.03, 0.1, 0.3, 1, 2, 3, 5, 10, 30, 60)
"""Bounds in seconds between which what is asked, and each step of it, is counted."""


class Figures:
    """Counts what was asked of one app since it was started. Any thread may call `count`."""

    def __init__(self) -> None:
        disable_created_metrics()  # type: ignore[no-untyped-call]
        self.registry = CollectorRegistry()
        ProcessCollector(registry=self.registry)
        said = "What was asked and came to an end, by its kind and how it ended."
        self._answers = Counter("trag_answers", said, ["kind", "status"], registry=self.registry)
        said = "What was asked and came to none: the line was full, the asker left it, or it failed."
        self._failures = Counter("trag_failures", said, ["why"], registry=self.registry)
        said = "Seconds from what was asked to its end, waiting included."
        self._whole = Histogram("trag_answer_seconds", said, ["kind"], buckets=_WHOLE, registry=self.registry)
        said = "Seconds of each step that a question has taken; first_token counts from the question."
        self._steps = Histogram("trag_step_seconds", said, ["step"], buckets=_STEP, registry=self.registry)
        said = "Tokens of questions: of prompts, those that the model had to read anew, and of answers."
        self._tokens = Counter("trag_tokens", said, ["part"], registry=self.registry)

    def count(self, draft: Draft) -> None:
        """One more that is over."""
        record = draft.record
        if record is None:
            self._failures.labels(draft.failed).inc()
            return
        kind = KINDS[type(record)]
        self._answers.labels(kind, "interrupted" if record.interrupted else record.status).inc()
        if not isinstance(record, AnswerRecord):
            self._whole.labels(kind).observe(record.seconds)
            return
        steps = asdict(record.seconds)
        self._whole.labels(kind).observe(steps.pop("total"))
        for step, seconds in steps.items():
            if seconds:  # else it was not taken
                self._steps.labels(step).observe(seconds)
        for part in ("prompt", "evaluated", "completion"):
            self._tokens.labels(part).inc(getattr(record.tokens, part))


class _Present(Collector):
    """What is so at the moment at which somebody looks. What the records cannot tell is left out."""

    def __init__(self, home: Home, runs: ActiveRuns, opening: AssistantLoader) -> None:
        self._home, self._runs, self._opening = home, runs, opening

    def collect(self) -> Iterator[GaugeMetricFamily]:
        def gauge(name: str, said: str, label: str, values: Iterable[tuple[str, int]]) -> GaugeMetricFamily:
            family = GaugeMetricFamily(f"trag_{name}", said, labels=[label])
            for value, number in values:
                family.add_metric([value], number)
            return family

        records, drafts = self._home.records, self._runs.under_way()
        yield GaugeMetricFamily("trag_ready", "Whether questions can be answered.", not any(self._missing()))
        waiting = sum(draft.waiting > 0 for draft in drafts)
        asked = (("waiting", waiting), ("answering", len(drafts) - waiting))
        yield gauge("under_way", "What is being asked: waiting in line, or being answered.", "state", asked)
        if isinstance(model := self._home.parts.get("model"), ModelServers):
            states = model.states()
            up = ((one.name, int(one.up)) for one in states)
            yield gauge("model_server_up", "Whether a model server is asked.", "server", up)
            outstanding = ((one.name, one.outstanding) for one in states)
            yield gauge("model_server_outstanding", "Requests that a model server has.", "server", outstanding)
        try:
            jobs, reviews = records.jobs.counts(), records.reviews.counts("week")
        except StoreError:
            return
        yield gauge("jobs", "Uploaded files, by what has become of them.", "state", jobs.items())
        reviewed = Counts[str]()
        for each in reviews:
            reviewed[each.review_status] += each.answers
        yield gauge("reviews", "Answers by the verdict that holds, or that none does yet.", "status", reviewed.items())

    def _missing(self) -> Iterator[str]:
        return missing(self._home, self._opening)


def missing(home: Home, opening: AssistantLoader) -> Iterator[str]:
    """What is not there of all that a question needs, for anybody's eyes: why is in the log."""
    try:
        home.records.jobs.counts()
    except StoreError:
        yield "the records cannot be reached"
    opened = opening.latest()
    if "vectors" not in home.parts:
        yield "the index is not open"
    elif "model" not in home.parts:
        yield "the model is not there"
    elif isinstance(model := home.parts["model"], ModelServers) and not any(one.up for one in model.states()):
        yield "no model server can be asked"
    elif not opened.done() or opened.exception():
        yield "the assistant is not open"
    else:
        try:
            home.vectors.count()
        except StoreError:
            yield "the index cannot be reached"


def mount(app: FastAPI, home: Home, figures: Figures, runs: ActiveRuns, opening: AssistantLoader) -> None:
    """The addresses that monitoring asks."""
    figures.registry.register(_Present(home, runs, opening))

    def ready() -> Response:
        found = "; ".join(missing(home, opening))
        return PlainTextResponse(f"not ready: {found}" if found else "ready", 503 if found else 200)

    def metrics() -> Response:
        return Response(generate_latest(figures.registry), media_type=CONTENT_TYPE_LATEST)

    for path in ("/health", "/healthz"):  # the second from before, for what watches it already
        app.get(path, response_class=PlainTextResponse)(lambda: "ok")
    app.get("/ready")(ready)
    app.get("/metrics")(metrics)
