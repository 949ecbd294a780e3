"""The Ask page: its parts, and what each press does.

The server keeps nothing for a page. Which conversation is shown travels with every event, and whose it is gets looked
up each time; conversations, answers and labels live in the records, and what is being answered in ActiveRuns.
Imports Gradio, so it is imported only to serve.
"""

from __future__ import annotations

import asyncio
import threading
from collections.abc import AsyncIterator, Iterable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field, replace
from functools import partial
from html import escape
from itertools import chain, islice
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple
from urllib.parse import quote

import gradio as gr
from fastapi.concurrency import run_in_threadpool

from org.chart import Chart
from store.passage import Passage
from trag import appearance
from trag.briefs import subject_of
from trag.errors import SHOWN, in_one_line, told
from trag.events import Event
from trag.first_steps import count_open
from trag.llm.queue import QueueFull
from trag.people import CurrentUser
from trag.people.permissions import may_read, opened, readers
from trag.plans import procedure_of, readable
from trag.question import LONGEST_QUESTION
from trag.record import NEAREST, VERDICTS, AnswerRecord, first_of_sections
from trag.review.verdicts import put_label
from trag.web import render
from trag.web.abandoned_calls import Page
from trag.web.active_runs import PACE, ActiveRuns, AssistantLoader, Draft, history
from trag.web.evidence import named_in
from trag.web.forms import remark
from trag.web.language import gettext as _
from trag.web.language import language
from trag.web.visitors import caller, shell_of, where

if TYPE_CHECKING:
    from trag.home import Home

EXAMPLES = 4
LOOKED_AT = 400
"""Passages looked through for a question: the first page should not wait for a whole library."""
MOST_CONTACTS = 3
SCRIPT = (Path(__file__).parent / "static" / "ask.js").read_text(encoding="utf-8")


class Shown(NamedTuple):
    """What a handler changes on the page; what it does not name stays as it is."""

    chosen: Any = gr.skip()
    side: Any = gr.skip()
    log: Any = gr.skip()
    live: Any = gr.skip()
    state: Any = gr.skip()
    notice: Any = gr.skip()
    ask: Any = gr.skip()
    stop: Any = gr.skip()
    question: Any = gr.skip()


@dataclass(slots=True)
class AskPage:
    """What the handlers share. `assistant` is there as soon as it is open; pages are shown before."""

    home: Home
    assistant: AssistantLoader
    runs: ActiveRuns = field(default_factory=ActiveRuns)

    def build(self) -> Page:
        page: Page
        title = appearance.current(self.home).organization or "Assistant"
        with Page(title=title, analytics_enabled=False, fill_width=True) as page:
            chosen = gr.Textbox(visible=False)
            side = _part("side")
            with gr.Column(elem_id="talk"):
                log = _part("log")
                live = _part("live")
            with gr.Column(elem_id="composer"):
                state = _part("state")
                notice = _part("notice")
                with gr.Row(elem_id="box"):
                    box: dict[str, Any] = {
                        "label": "Your question",
                        "placeholder": "Ask a question",
                        "elem_id": "question",
                    }
                    question = gr.Textbox(**box, show_label=False, container=False, max_lines=8, autofocus=True)
                    ask = gr.Button("Ask", elem_id="ask", scale=0, min_width=72)
                    stop = gr.Button("Stop", elem_id="stop", visible=False, scale=0, min_width=72)
            shown = [chosen, side, log, live, state, notice, ask, stop, question]

            def on(trigger: Any, handler: Any, inputs: Any = None, **more: Any) -> Any:
                """Handlers run for several visitors at once: who must wait, waits in the assistant's own line."""
                quiet = {"show_progress": "hidden", "concurrency_limit": None, "api_visibility": "private"}
                return trigger(handler, inputs, shown, **{"trigger_mode": "multiple"} | quiet | more)

            # A second press on one page asks nothing while the first is under way: each would begin a conversation.
            sent = partial(gr.on, [question.submit, ask.click])
            begun = [
                on(page.load, self.open),
                on(sent, self.ask, [question, chosen], trigger_mode="once"),
                on(log.ask, self.ask_this, chosen, trigger_mode="once"),
                on(live.ask, self.ask_this, chosen, trigger_mode="once"),
            ]
            following = [on(event.then, self.follow, chosen) for event in begun]
            following.append(on(on(side.choose, self.choose, cancels=following).then, self.follow, chosen))
            on(side.begin, self.begin, cancels=following)
            on(side.remove, self.remove, chosen, cancels=following)
            on(side.rename, self.rename, chosen)
            on(log.judge, self.judge, chosen)
            on(log.remark, self.remark, chosen)
            on(stop.click, self.stop, chosen)
        return page

    def open(self, request: gr.Request) -> Shown:
        """The page as its address says: ?c= names a conversation."""
        page = self._page(caller(request), str(request.query_params.get("c", "")))
        # Who types fast has begun a conversation before this is there.
        page = page._replace(question=gr.update(label=_("Your question"), placeholder=_("Ask a question")))
        return page if page.chosen else page._replace(chosen=gr.skip())

    def choose(self, request: gr.Request, event: gr.EventData) -> Shown:
        return self._page(caller(request), event.conversation)

    def begin(self, request: gr.Request) -> Shown:
        """A new conversation, kept from its first question on."""
        return self._page(caller(request), "")

    def rename(self, chosen: str, request: gr.Request, event: gr.EventData) -> Shown:
        with _refusals_shown():
            self.home.records.rename_conversation(caller(request).person, event.conversation, _title(event.title))
        return Shown(side=self._side(caller(request), chosen))

    def remove(self, chosen: str, request: gr.Request, event: gr.EventData) -> Shown:
        """A conversation less, shown or not; what is being asked in it ends."""
        with _refusals_shown():
            self.home.records.delete_conversation(caller(request).person, event.conversation)
        self.runs.end(event.conversation)
        return self._page(caller(request), chosen)

    def ask(self, question: str, chosen: str, request: gr.Request) -> Shown:
        """The question in the box, which stays there when it cannot be asked."""
        return self._ask(question, chosen, caller(request))

    def ask_this(self, chosen: str, request: gr.Request, event: gr.EventData) -> Shown:
        """A question that the page offers; what is in the box stays there."""
        return self._ask(event.question, chosen, caller(request))._replace(question=gr.skip())

    def stop(self, chosen: str, request: gr.Request) -> Shown:
        """End the answer here; what is written is kept."""
        run = self.runs.find(chosen) if self._owns(caller(request), chosen) else None
        if run is not None:
            run.stop.set()
        return Shown()

    async def follow(self, chosen: str, request: gr.Request) -> AsyncIterator[Shown]:
        """The answer as it is written, the page with the answer in its place, then whether the model has come up."""
        owned = await run_in_threadpool(self._owns, caller(request), chosen)
        run = self.runs.find(chosen) if owned else None
        if run is not None:
            async for draft in run.follow():
                if not draft.over:
                    yield Shown(live=self._live(draft), ask=gr.update(visible=False), stop=gr.update(visible=True))
        page = await run_in_threadpool(self._page, caller(request), chosen)
        # The notice may say why a question was refused; by the time the model is up another conversation may be shown.
        yield page._replace(chosen=gr.skip(), notice=gr.skip())
        if page.state:
            while not self.assistant.latest().done():
                await asyncio.sleep(PACE)
            yield Shown(state=render.notice(self._problem(caller(request))))

    def judge(self, chosen: str, request: gr.Request, event: gr.EventData) -> Shown:
        """Correct, Correct-Verbose or Incorrect; an earlier comment stays."""
        with _refusals_shown():
            before = self.home.records.label(event.answer, caller(request).person)
            comment, corrected = (before.comment, before.corrected) if before else ("", "")
            self._label(chosen, request, event.answer, event.verdict, comment, corrected)
        return Shown(log=self._log(caller(request), chosen))

    def remark(self, chosen: str, request: gr.Request, event: gr.EventData) -> Shown:
        """A comment and a corrected answer beside a verdict that is there already."""
        with _refusals_shown():
            comment, corrected = remark(event.comment), remark(event.corrected)
            before = self.home.records.label(event.answer, caller(request).person)
            if before is not None:
                self._label(chosen, request, event.answer, before.verdict, comment, corrected)
        return Shown(log=self._log(caller(request), chosen))

    def _label(self, chosen: str, request: gr.Request, answer: str, verdict: str, comment: str, corrected: str) -> None:
        """Keep what an asker says of an answer: a flag for the reviewers, and no review, unless nobody else is one."""
        who, stored = caller(request), self.home.records.answer(answer)
        if verdict in VERDICTS and stored and stored.conversation == chosen and self._owns(who, chosen):
            asker = not who.may("reviewer") or not self.home.records.reviews.alone(who.person)
            put_label(
                self.home.records,
                answer,
                who.person,
                verdict,
                comment,
                corrected,
                asker=asker,
                by=who.name,
                where=where(request),
            )

    def _ask(self, question: str, chosen: str, who: CurrentUser) -> Shown:
        if not question.strip():
            return Shown(notice=render.notice(_("Type a question first.")))
        if len(question) > LONGEST_QUESTION:
            limit = _("A question may have %(most)s characters, this one has %(found)s. Shorten it and ask again.")
            found = {"most": f"{LONGEST_QUESTION:,}", "found": f"{len(question):,}"}
            return Shown(notice=render.notice(limit % found))
        try:
            self.runs.check(who.person)
        except QueueFull as error:
            return Shown(notice=render.notice(in_one_line(error)))
        with _refusals_shown():
            if not self._owns(who, chosen):
                chosen = self.home.records.start_conversation(who.person, _title(question)).id
            said = history(self.home.records, chosen)

        page = language()

        def events(stop: threading.Event) -> Iterator[Event]:
            assistant = self.assistant.result()
            held = readers(who, self.home.organization.chart)
            owned = self.home.records.validity.owned(who.unit, who.name)
            yield from assistant.ask(
                question, history=said, conversation=chosen, stop=stop, readers=held, owned=owned, page=page
            )

        with _refusals_shown():
            begun = self.runs.begin(chosen, question, events, by=who.person)
        if not begun:
            return Shown(notice=render.notice(_("One question at a time: wait for the answer, or stop it.")))
        return self._page(who, chosen)._replace(question="")

    def _page(self, who: CurrentUser, conversation: str) -> Shown:
        """Everything but the question box, as it is now."""
        chosen = conversation if self._owns(who, conversation) else ""
        run = self.runs.find(chosen)
        busy = run is not None and not run.draft.over
        return Shown(
            chosen=chosen,
            side=self._side(who, chosen),
            log=self._log(who, chosen),
            live=self._live(run.draft) if run else "",
            state=render.notice(self._problem(who)),
            notice="",
            ask=gr.update(visible=not busy, value=_("Ask")),
            stop=gr.update(visible=busy, value=_("Stop")),
        )

    def _side(self, who: CurrentUser, chosen: str) -> str:
        return render.sidebar(shell_of(self.home, who), chosen)

    def _log(self, who: CurrentUser, chosen: str) -> str:
        chart, records = self.home.organization.chart, self.home.records
        if not chosen:
            empty, in_charge = self.home.state().empty, who.may("admin")
            open_steps = count_open(self.home) if in_charge else 0
            shown = appearance.current(self.home)
            return render.welcome(
                shown.organization,
                self._examples(who),
                empty=empty,
                in_charge=in_charge,
                welcomes=shown.welcome,
                open_steps=open_steps,
            )
        book, turns, empty = readable(self.home, who), [], self.home.state().empty
        for each in records.answers(chosen):
            record = AnswerRecord.from_json(each.record_json)
            written = procedure_of(record, book)
            label = records.label(each.id, who.person)
            subject = "" if empty else subject_of(record, chart)
            turns.append(render.Turn(record, label, each.created, written.id if written else "", subject))
        turns = [replace(turn, contacts=contacts(turn, self.home, who)) for turn in turns]
        quoted = frozenset[str]().union(*(named_in(turn.record) for turn in turns))
        documents = opened(who, quoted, records.library, chart)
        return render.conversation(
            turns,
            chart,
            charts=records.chart_versions.all(),
            documents=documents,
            id=chosen,
            examples=self._examples(who) if any(turn.kind == "greeting" for turn in turns) else (),
            shares=records.people.exist(),
        )

    def _examples(self, who: CurrentUser) -> tuple[str, ...]:
        """Questions to begin with: those that an admin has set, else of what somebody may read."""
        if chosen := appearance.current(self.home).examples:
            return chosen
        chart, library = self.home.organization.chart, self.home.records.library
        names = (each.name for each in library.documents() if may_read(who, each.audience, chart))
        return examples(chart, chain.from_iterable(map(library.passages, names)))

    def _live(self, draft: Draft) -> str:
        return render.draft(draft, starting=not self.assistant.latest().done())

    def _problem(self, who: CurrentUser) -> str:
        """Why nobody can be answered now, "" when they can."""
        opening = self.assistant.latest()
        if not opening.done():
            return _("The model is starting. Ask already: the answer comes when it is ready.")
        error = opening.exception()
        if error is None:
            return ""
        if isinstance(error, SHOWN):
            return _("No question can be answered.") + " " + in_one_line(told(error, to_admin=who.may("admin")))
        return _("No question can be answered because of a fault in the program. Its log says more.")

    def _owns(self, who: CurrentUser, conversation: str) -> bool:
        return self.home.records.owns(who.person, conversation)


def examples(chart: Chart | None, passages: Iterable[Passage]) -> tuple[str, ...]:
    """At most four questions: what a unit holds, then pairs, each from another section."""
    found = []
    if chart:
        broad = (unit for unit in chart.units if unit != chart.root.id and 3 <= len(chart.children(unit)) <= 8)
        found = [f"Which units are under {chart.unit(unit).name}?" for unit in islice(broad, 1)]
    pairs = [passage for passage in islice(passages, LOOKED_AT) if passage.kind == "qa" and len(passage.question) <= 80]
    sections = {(pair.document, pair.section): pair.question for pair in pairs}
    wanted = EXAMPLES - len(found)
    found += list(sections.values())[:: max(1, len(sections) // wanted)][:wanted]
    return tuple(found)


def contacts(turn: render.Turn, home: Home, who: CurrentUser) -> tuple[render.Contact, ...]:
    """Whom to ask where nothing was found: who leads the units that the question names, and the owners of the documents
    nearest to it, at most three; then the one whom an admin has named for all questions."""
    chart, record = home.organization.chart, turn.record
    if turn.kind != "refusal":
        return ()
    units = [entity.unit for entity in record.entities]
    people: list[render.Contact] = []
    near = dict.fromkeys(one.document for one in first_of_sections(record.sources)[:NEAREST])
    readable = opened(who, near, home.records.library, chart)
    for name in (name for name in near if readable.get(name)):
        validity = home.records.validity.of(name)
        units += [validity.unit] if validity.unit else []
        people += [render.Contact(validity.person, readable[name])] if validity.person else []
    helper = appearance.current(home)
    named = [chart.unit(unit) for unit in dict.fromkeys(units) if chart and unit in chart.units]
    leading = []
    for unit in named:
        address = f"mailto:{quote(unit.email, safe='@')}" if unit.email else ""
        leading.append(render.Contact(unit.head or unit.name, unit.name if unit.head else "", address))
    known = [each for each in (*people, *leading) if each.address or each.what][:MOST_CONTACTS]
    known += [render.Contact(helper.contact, "", appearance.contact_address(helper))] if helper.contact else []
    return tuple(dict.fromkeys(known))


def _part(name: str) -> gr.HTML:
    return gr.HTML("", elem_id=name, js_on_load=SCRIPT, apply_default_css=False)


def _title(text: str) -> str:
    title = " ".join(text.split())
    return title if len(title) <= render.LONGEST_TITLE else f"{title[: render.LONGEST_TITLE - 1]}…"


@contextmanager
def _refusals_shown() -> Iterator[None]:
    """What the records refuse, said on the page."""
    try:
        yield
    except SHOWN as error:  # Gradio shows the message as HTML
        raise gr.Error(escape(in_one_line(told(error))), duration=None, print_exception=False) from error
