"""One answer, plan, workflow or briefing under review: judged, the verdict taken back, a second reviewer asked for;
answers and plans approved for everybody."""

from __future__ import annotations

import json
from dataclasses import asdict
from datetime import UTC, datetime
from hashlib import sha256
from typing import Any
from urllib.parse import urlencode

from fastapi import APIRouter, Request
from fastapi.responses import JSONResponse, Response

from org.procedures.reading import is_section
from store.reviews import Label, Places
from trag import briefs
from trag.brief.record import BriefRecord
from trag.errors import SHOWN, Shown, TragError, joined, told
from trag.flow.pinned import read_order
from trag.flow.planner import planner
from trag.flow.record import PlanRecord, WrittenIn
from trag.people import CurrentUser
from trag.people.permissions import opened, readers
from trag.question import LONGEST_QUESTION
from trag.record import LONGEST_REMARK, VERDICTS, AnswerRecord
from trag.review import approvals, verdicts, workflows
from trag.review.verdicts import holding
from trag.web.documents.names import key
from trag.web.evidence import brief_evidence, documents_of, evidence, named_in
from trag.web.forms import Form, remark
from trag.web.language import gettext as _
from trag.web.language import later
from trag.web.render import against, badge, pieces
from trag.web.responses import Denied, Notice, there
from trag.web.review import render
from trag.web.review.context import COUNTED, NONE, GivenAnswer, QueuePlace, ReviewContext, readable
from trag.web.visitors import caller, named, where
from trag.workflow import structure, wording
from trag.workflow.record import Workflow, WorkflowRecord


class AnswerPage:
    """What the routes share."""

    def __init__(self, context: ReviewContext) -> None:
        self.context = context

    def routes(self, router: APIRouter) -> None:
        router.get("/approved")(self.approved)
        router.post("/approved/{id}/unpin")(self.unpin)
        router.post("/{id}/pin")(self.pin)
        router.get("/{id}")(self.show)
        router.get("/{id}/places")(self.places)
        router.post("/{id}/verdict")(self.judge)
        router.post("/{id}/undo")(self.undo)
        router.post("/{id}/second")(self.second)

    def show(self, request: Request, id: str) -> Response:
        """The answer, its sources and checks, what was said of it, and what one may say."""
        return self._page(request, id)

    def _page(self, request: Request, id: str, *, typed: Label | None = None, problem: Any = None) -> Response:
        """An answer; where a verdict was not kept because of a `problem`, one of SHOWN, with what was `typed`."""
        who, place = caller(request), QueuePlace.read(request.query_params)
        given = self.context.find(who, id)
        records, review = self.context.records, given.review
        seen = self.context.sight(who, review)
        people = {each.reviewer: records.people.get(each.reviewer) for each in seen.others}
        said = [*seen.others, *([seen.mine] if seen.mine else [])]
        corrected = [each.corrected for each in said if each.verdict == review.review_status and each.corrected]
        return render.page(
            "answer",
            409 if problem else 200,
            review=review,
            record=given.record,
            words_given=given.words,
            seen=seen,
            place=place,
            waiting=records.reviews.size(place.queue(self.context.hidden(who)), reviewer=who.person, most=COUNTED),
            flagged=next((each for each in reversed(records.labels_of(id)) if each.asker), None),
            names={
                id: _("You") if id == who.person else person.shown if person else _("Somebody")
                for id, person in people.items()
            },
            holds=holding(review, records.verdicts(id)),
            approved=next((each for each in records.approved.all() if each.answer == id), None),
            last=self.context.last(request),
            # What would be approved: the corrected answer, or the one that is right.
            wanted_words=corrected[-1] if corrected else "" if review.review_status == "Incorrect" else given.words,
            typed=typed,
            notice=_not_kept(problem) if problem else self.context.notices.said(request),
            **self._own(who, given),
        )

    def places(self, request: Request, id: str, words: str = "") -> Response:
        """Where the right answer may stand, of what the reviewer may read: documents that are called so, and the
        sections nearest to some words, as JSON."""
        who = caller(request)
        self.context.find(who, id)
        return JSONResponse([asdict(each) for each in self.context.places(who, words[:LONGEST_QUESTION])])

    def _own(self, who: CurrentUser, given: GivenAnswer) -> dict[str, Any]:
        """What only the page of its kind shows."""
        if isinstance(given.record, PlanRecord):
            return self._of_plan(given.record)
        if isinstance(given.record, BriefRecord):
            return self._of_brief(who, given.record)
        own = self._of_workflow if isinstance(given.record, WorkflowRecord) else self._of_answer
        return own(who, given)

    def _of_answer(self, who: CurrentUser, given: GivenAnswer) -> dict[str, Any]:
        """What only the page of an answer shows."""
        records, chart, record = self.context.records, self.context.chart, given.record
        assert isinstance(record, AnswerRecord)
        found = evidence(record, chart, opened(who, named_in(record), records.library, chart))
        return {
            "badge": badge(record),
            "pieces": pieces(record, found),
            "sources": found,
            "used": [each for each in found if each.used],
            "rest": [each for each in found if not each.used],
            "against": against(record, given.review.created, chart, records.chart_versions.all()),
            "asked": record.standalone,
        }

    def _of_plan(self, plan: PlanRecord) -> dict[str, Any]:
        """What only the page of a plan shows: where its procedure and actions are written, as addresses."""
        library, links = self.context.records.library, dict[WrittenIn, str]()
        for place in {*filter(None, (plan.source, *(step.source for step in plan.steps)))}:
            passages = library.passages(place.document)
            here = next((each.id for each in passages if is_section(place.section, each.section)), "")
            query = f"?{urlencode({'passage': here})}#here" if here else ""
            links[place] = f"/documents/{key(place.document)}/view{query}"
        book = self.context.home.procedures.in_use
        changed = book is None or book.version != plan.procedures
        return {
            "links": links,
            "sources": (),
            "against": later("Other procedures are in use by now.") if changed else "",
            "asked": plan.request,
        }

    def _of_brief(self, who: CurrentUser, brief: BriefRecord) -> dict[str, Any]:
        """What only the page of a briefing shows: its sources under their numbers."""
        home, chart = self.context.home, self.context.chart
        found = brief_evidence(brief, opened(who, brief.documents, self.context.records.library, chart))
        changed = bool(briefs.changes(home, brief))
        return {
            "evidence": {each.source.id: each for each in found},
            "chart_link": "",
            "sources": found,
            "used": found,
            "rest": (),
            "against": later("Its sources have changed since.") if changed else "",
            "asked": brief.subject,
        }

    def _of_workflow(self, who: CurrentUser, given: GivenAnswer) -> dict[str, Any]:
        """What only the page of a workflow shows: its steps in plain words, and those that were judged in its place."""
        record, book = given.record, self.context.home.procedures.in_use or NONE
        assert isinstance(record, WorkflowRecord)
        workflow = record.workflow
        # What reviewers say counts until the workflow is changed: then it is open again.
        labels = self.context.records.labels_of(record.id) if given.review.review_status == "open" else ()
        before = [each for each in labels if not each.asker]
        return {
            "steps": [
                {
                    "step": step,
                    "words": wording.headed(step, workflow, book),
                    "inputs": [(wording.thing(one.name), wording.given(one, workflow, book)) for one in step.inputs],
                    "open": [wording.thing(one.input) for one in workflow.open if one.step == step.step],
                }
                for step in workflow.steps
            ]
            if workflow
            else (),
            "begins": wording.begins(workflow, book) if workflow else "",
            "state": _state(given),
            "judged_before": bool(before),
            "said_before": next((each for each in reversed(before) if each.reviewer == who.person), None),
            "longest_corrected": workflows.LONGEST,
            "shown_corrected": lambda text: structure.write(Workflow.of(json.loads(text))),
            "to_correct": lambda text: workflows.written(workflows.right(text)),
            "links": {},
            "sources": (),
            "against": later("Another catalogue is in use by now.") if book.version != record.catalogue else "",
            "asked": record.request,
        }

    def undo(self, request: Request, id: str) -> Response:
        """One's last verdict taken back, and its answer again."""
        who = caller(request)
        self.context.find(who, id)
        verdicts.take_back_label(self.context.records, id, who.person, by=who.name, where=where(request))
        return self._again(request, id)

    def approved(self, request: Request) -> Response:
        """The answers that are pinned, or those that came back, of what whoever looks may read."""
        state = "returned" if request.query_params.get("state") == "returned" else "pinned"
        hidden = self.context.hidden(caller(request))
        found = [each for each in self.context.records.approved.all() if readable(each, hidden)]
        return render.page(
            "approved",
            approved=[each for each in found if each.state == state],
            counts={each: sum(one.state == each for one in found) for each in ("pinned", "returned")},
            state=state,
            again={each.id for each in self.context.returned(hidden)},
            notice=self.context.notices.said(request),
        )

    def unpin(self, request: Request, id: str) -> Response:
        """Give an approved answer to nobody any more; it goes back into the queue."""
        if not readable(there(self.context.records.approved.get(id)), self.context.hidden(caller(request))):
            raise Denied
        approvals.unpin(self.context.records, id, by=named(request), where=where(request))
        told = Notice(_("It is no longer given. Its answer is back in the queue."))
        return self.context.notices.go("/review/approved", told)

    def _again(self, request: Request, id: str, told: str = "") -> Response:
        """To the answer again, at its place in the queue."""
        address = QueuePlace.read(request.query_params).address(f"/review/{id}")
        return self.context.notices.go(address, Notice(told) if told else None)

    def judge(self, request: Request, form: Form, id: str) -> Response:
        """A verdict, and on to the next answer."""
        who, place = caller(request), QueuePlace.read(request.query_params)
        given = self.context.find(who, id)
        verdict = there(next((each for each in VERDICTS if each == form.get("verdict")), None))
        try:
            self._keep(request, form, given, verdict)
        except SHOWN as error:
            comment, corrected = (form.get(name, "") for name in ("comment", "corrected"))
            places = asdict(self._places(who, form, given))
            typed = Label(id, who.person, verdict, comment, corrected, datetime.now(UTC), **places)
            return self._page(request, id, typed=typed, problem=error)
        following = self.context.next(who, place, but=id)
        if following is None:
            return self.context.notices.go(place.address("/review", last=id))
        then, answer = following
        return self.context.notices.go(then.address(f"/review/{answer}", last=id))

    def _keep(self, request: Request, form: Form, given: GivenAnswer, verdict: str) -> None:
        """Keep a verdict with what was said with it. Raises TragError or StoreError where it may not be given."""
        who, record = caller(request), given.record
        may, settles = self.context.sight(who, given.review).may, form.get("may") == "settle"
        if may == "asked":
            raise TragError(
                later("You asked this question yourself, so somebody else judges its answer."),
                later("Say what you think of it where you asked: reviewers see it."),
            )
        if isinstance(record, AnswerRecord) and record.interrupted:
            raise TragError(later("This answer was stopped before it was whole, so there is nothing to judge."))
        if may == "look" or (settles and may != "settle"):
            raise TragError(
                later("This answer stands otherwise by now, so nothing was kept."), later("Look at it again.")
            )
        if isinstance(record, WorkflowRecord):
            corrected = self._right_workflow(who, form, given, record, verdict)
        elif (corrected := remark(form.get("corrected", ""))) == given.words.strip():
            corrected = ""
        elif isinstance(record, PlanRecord) and corrected:
            procedure, actions = read_order(corrected, self.context.procedures(who))
            corrected = "\n".join([procedure, *actions])
        verdicts.put_label(
            self.context.records,
            record.id,
            who.person,
            verdict,
            remark(form.get("comment", "")),
            corrected,
            places=self._places(who, form, given),
            settles=settles,
            instead_of=given.review.review_status,
            by=who.name,
            where=where(request),
        )

    def _places(self, who: CurrentUser, form: Form, given: GivenAnswer) -> Places:
        """What a form says of where the answer stands and the right one does; nothing of what there is not, or is
        closed to the reviewer."""
        sources = given.record.sources if isinstance(given.record, AnswerRecord | BriefRecord) else ()
        wrong = next((each.id for each in sources if each.id == form.get("wrong_source")), "")
        name, _, section = form.get("right_place", "").replace("\r\n", "\n").partition("\n")
        library = self.context.records.library
        if not name or not opened(who, [name], library, self.context.chart).get(name):
            return Places(wrong)
        known = any(one.section == section for one in library.passages(name))
        return Places(wrong, name, section if known else "")

    def _right_workflow(
        self, who: CurrentUser, form: Form, given: GivenAnswer, record: WorkflowRecord, verdict: str
    ) -> str:
        """The workflow that a verdict says is right, as it is kept; "" where it says none. Raises TragError for what is
        none, and where it was changed since it was shown."""
        if form.get("state") != _state(given):
            raise TragError(
                later("This workflow was changed meanwhile, so nothing was kept."), later("Look at it again.")
            )
        typed = form.get("corrected", "").replace("\r\n", "\n").strip()
        if typed in ("", given.words):
            return record.workflow.to_json() if record.workflow and verdict != "Incorrect" else ""
        book = self.context.home.procedures.in_use or NONE
        return workflows.read(typed, record.request, book, self.context.usable(who)).to_json()

    def second(self, request: Request, form: Form, id: str) -> Response:
        """Two reviewers for this answer, or one after all."""
        self.context.find(caller(request), id)
        wanted = form.get("wanted") == "yes"
        verdicts.ask_second(self.context.records, id, wanted, by=named(request), where=where(request))
        told = (
            _("Two reviewers are wanted for this answer.") if wanted else _("One reviewer is enough for this answer.")
        )
        return self._again(request, id, told)

    def pin(self, request: Request, form: Form, id: str) -> Response:
        """Let an answer that was judged be given to everybody who asks its question."""
        who, section = caller(request), ""
        given = self.context.find(who, id)
        record = given.record
        if isinstance(record, WorkflowRecord):
            raise TragError(
                later("A workflow is given to nobody but who asked for it."), later("An admin puts it in use.")
            )
        if isinstance(record, BriefRecord):
            raise TragError(later("A briefing is not approved."), later("Who asked for it shares it."))
        question, reply = (form.get(name, "").replace("\r\n", "\n").strip() for name in ("question", "reply"))
        if not question or not reply:
            raise TragError(later("An approved answer needs its question and its words."), later("Fill in both."))
        if len(question) > LONGEST_QUESTION or len(reply) > LONGEST_REMARK:
            raise TragError(
                later(
                    "A question may have %(most)s characters, an answer %(longest)s.",
                    most=LONGEST_QUESTION,
                    longest=LONGEST_REMARK,
                ),
                later("Shorten what is longer."),
            )
        label = holding(given.review, self.context.records.verdicts(id))
        documents = documents_of(record)
        if isinstance(record, PlanRecord):
            record = self._followed(who, record, reply)
            documents, chart, reply = documents_of(record), record.chart, record.order
        elif label and label.right_document:
            documents, section, chart = frozenset({label.right_document}), label.right_section, ""
        else:
            chart = record.checks.chart if any(source.kind == "chart" for source in record.sources) else ""
        approvals.pin(
            self.context.records, id, question, reply, sorted(documents), chart,
            kind="plan" if isinstance(record, PlanRecord) else "answer", procedures=getattr(record, "procedures", ""),
            section=section, by=who.name, reviewer=who.person, where=where(request),
        )  # fmt: skip
        told = "Approved. Whoever asks this, and may read its sources, is given it at once."
        return self._again(request, id, told)

    def _followed(self, who: CurrentUser, plan: PlanRecord, order: str) -> PlanRecord:
        """The plan of an order by the procedures in use. Raises TragError where there is none that keeps to them."""
        home = self.context.home
        procedure, actions = read_order(order, self.context.procedures(who))
        held = readers(who, self.context.chart)
        made = planner(home).plan(plan.request, home.model, readers=held, procedure=procedure, actions=actions)
        if made.status != "planned":
            missing = "; ".join(made.checks.missing)
            raise TragError(
                later("This order lacks what is needed before: %(missing)s.", missing=missing)
                if missing
                else later("This order does not keep to the steps of the procedure."),
                later("Put it right, or have an admin bind the actions to the steps they are of."),
            )
        return made


def _state(given: GivenAnswer) -> str:
    """What tells a workflow from what it is after a change."""
    return sha256(given.words.encode()).hexdigest()[:16]


def _not_kept(problem: Shown) -> Notice:
    said = told(problem)
    return Notice(_(joined((said.message, said.hint))), good=False)
