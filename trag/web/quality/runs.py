"""The pages of single runs: a run with its answers, what people say of them, two runs compared, a self-audit, and a
needle test."""

from __future__ import annotations

import logging
import threading
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

from fastapi import APIRouter, Request
from fastapi.responses import Response

from trag.errors import TragError
from trag.evaluate import needle, tables
from trag.evaluate.comparing import compare
from trag.evaluate.grammar import audit as audits
from trag.evaluate.grammar import tables as audit_tables
from trag.evaluate.runs import Run
from trag.evaluate.tables import by_system, report
from trag.people.permissions import opened
from trag.record import VERDICTS, Verdict
from trag.web.evidence import evidence, named_in
from trag.web.forms import Form
from trag.web.language import gettext as _
from trag.web.language import later
from trag.web.quality import render
from trag.web.quality.answers import CHANGES, MOST, Answer, AnswerFilter, pairs
from trag.web.quality.figures import shares
from trag.web.render import NEIGHBOURS, badge, pieces
from trag.web.responses import Denied, Notice, attachment, there
from trag.web.visitors import caller, named

if TYPE_CHECKING:
    from trag.web.quality.context import QualityContext

log = logging.getLogger(__name__)

MARKDOWN = "text/markdown; charset=utf-8"


@dataclass(frozen=True, slots=True)
class Side:
    """The answers of one system in one run."""

    run: Run
    system: str

    @property
    def key(self) -> str:
        """What stands for it in an address."""
        return f"{self.run.id}/{self.system}"


class RunPages:
    """What the routes share."""

    def __init__(self, context: QualityContext) -> None:
        self.context = context
        self._one_at_a_time = threading.Lock()

    def routes(self, router: APIRouter) -> None:
        router.get("/compare")(self.compare)
        router.get("/runs/{run_id}")(self.show)
        router.post("/runs/{run_id}/remove")(self.remove)
        router.get("/runs/{run_id}/answers/{number}")(self.answer)
        router.post("/runs/{run_id}/answers/{number}/label")(self.label)
        router.get("/runs/{run_id}/audit")(self.audit)
        router.get("/runs/{run_id}/audit.md")(self.audit_markdown)
        router.get("/runs/{run_id}/{name}")(self.file)
        router.get("/needles/{run_id}")(self.needle)
        router.get("/needles/{run_id}/report.md")(self.needle_markdown)
        router.post("/needles/{run_id}/remove")(self.remove_needle)

    # A run

    def show(self, request: Request, run_id: str) -> Response:
        """All that was measured, and the answers that are asked for."""
        run = self.context.run(run_id)
        answers, query = self.context.answers(run), AnswerFilter.read(request.query_params)
        results, readable = [answer.result for answer in answers], self.context.open_to(caller(request), run, answers)
        matching = [answer for answer in readable if query.matches(answer.result)]
        earlier = (each for each in self.context.results.runs() if each.started < run.started and each.finished)
        return render.page(
            "run",
            run=run,
            path=f"/quality/runs/{run.id}",
            results=results,
            shares=shares(results),
            tables=report(results),
            wanted=query,
            systems=list(by_system(results)),
            kinds=list(dict.fromkeys(result.case.kind for result in results)),
            answers=matching[query.first : query.first + MOST],
            total=len(matching),
            undecided=sum(answer.result.score.verdict is None for answer in readable),
            closed=len(results) - len(readable),
            going=self.context.going(run),
            running=self.context.is_running(run),
            before=next((each for each in earlier if each.cases_sha256 == run.cases_sha256), None),
            audit=audits.is_audit(self.context.home, run),
            limited=self.context.is_limited(caller(request)),
            notice=self.context.notices.said(request),
        )

    def remove(self, request: Request, run_id: str) -> Response:
        run = self.context.run(run_id)
        if self.context.is_running(run):
            raise TragError(later("This evaluation is running."), later("Stop it first."))
        self.context.results.remove(run.id)
        self.context.figures.forget(run.id)
        log.info("%s removed a run", named(request))
        return self.context.notices.go(
            "/quality", Notice(_("The run of %(name)s is removed.") % {"name": run.cases_name})
        )

    def file(self, request: Request, run_id: str, name: str) -> Response:
        """The tables to be pasted into a report, every answer for a spreadsheet, or all of it as JSON."""
        run = self.context.run(run_id)
        stem, results = f"{run.cases_name}-{run.id}", self.context.results.results(run.id)
        if name == "answers.csv":
            return attachment(tables.run_csv(results).encode("utf-8-sig"), f"{stem}.csv", "text/csv; charset=utf-8")
        if name == "run.json":
            return attachment(tables.run_json(run, results).encode(), f"{stem}.json", "application/json")
        if name == "report.md":
            return attachment(tables.run_markdown(run, results).encode(), f"{stem}.md", MARKDOWN)
        raise Denied

    # Its answers

    def answer(self, request: Request, run_id: str, number: int) -> Response:
        """One answer with what it stands on, and what was found wrong with it."""
        run, answers, answer = self._found(request, run_id, number)
        home, record, case = self.context.home, answer.result.record, answer.result.case
        chart, charts = home.organization.chart, home.records.chart_versions.all()
        numbers = [each.number for each in answers]
        documents = opened(caller(request), named_in(record), home.records.library, chart)
        found, place = evidence(record, chart, documents), numbers.index(answer.number)
        return render.page(
            "answer",
            run=run,
            path=f"/quality/runs/{run.id}",
            answer=answer,
            case=case,
            score=answer.result.score,
            record=record,
            others=[each for each in answers if each.result.case == case and each != answer],
            before=numbers[place - 1] if place else None,
            after=numbers[place + 1] if place + 1 < len(numbers) else None,
            badge=badge(record),
            pieces=pieces(record, found),
            used=[each for each in found if each.used],
            rest=[each for each in found if not each.used],
            against=next((each for each in charts if each.version == record.checks.chart), None),
            neighbours=NEIGHBOURS,
            notice=self.context.notices.said(request),
        )

    def label(self, request: Request, form: Form, run_id: str, number: int) -> Response:
        run, _cases, answer = self._found(request, run_id, number)
        verdict: Verdict = there(next((each for each in VERDICTS if each == form.get("verdict")), None))
        with self._one_at_a_time:
            self.context.results.label(run, answer.result.system, answer.result.case.id, verdict, by=named(request))
        self.context.figures.forget(run.id)
        log.info("%s judged an answer of an evaluation", named(request))
        if form.get("part") == "row":
            return render.page("row", path=f"/quality/runs/{run.id}", answer=self.context.answers(run)[number])
        return self.context.notices.go(
            f"/quality/runs/{run.id}/answers/{number}", Notice(_("Kept: %(verdict)s.") % {"verdict": _(verdict)})
        )

    def compare(self, request: Request) -> Response:
        """The questions that both sides answered; without sides in the address, those that are near at hand."""
        sides = [Side(run, system) for run in self.context.results.runs() for system in run.systems]
        chosen = _chosen(sides, request.query_params)
        if chosen is None:
            return render.page("nothing")
        before, after = there(chosen[0]), there(chosen[1])
        earlier, later = (
            self.context.open_to(
                caller(request),
                side.run,
                [each for each in self.context.answers(side.run) if each.result.system == side.system],
            )
            for side in (before, after)
        )
        query, paired = AnswerFilter.read(request.query_params), pairs(earlier, later)
        comparison = compare([each.result for each in earlier], [each.result for each in later])
        change = next((each for each in CHANGES if each == request.query_params.get("change")), "")
        of_kind = [pair for pair in paired if query.matches(pair.after.result)]
        shown = [pair for pair in of_kind if change in ("", pair.change)]
        shown.sort(key=lambda pair: CHANGES.index(pair.change))
        return render.page(
            "compare",
            sides=sides,
            before=before,
            after=after,
            shares=[shares([pair.before.result for pair in paired]), shares([pair.after.result for pair in paired])],
            total=len(shown),
            pairs=shown[query.first : query.first + MOST],
            counts=Counter(pair.change for pair in of_kind),
            comparison=comparison,
            only_one=comparison.unpaired - sum(pair.change == "undecided" for pair in paired),
            wanted=query,
            change=change,
            changes=("better", "worse", "same", "undecided"),
            kinds=list(dict.fromkeys(pair.after.result.case.kind for pair in paired)),
        )

    def _found(self, request: Request, run_id: str, number: int) -> tuple[Run, tuple[Answer, ...], Answer]:
        """A run, those of its answers that are open to whoever asks, and the one of that number among them."""
        run = self.context.run(run_id)
        answers = self.context.open_to(caller(request), run, self.context.answers(run))
        return run, answers, there(next((each for each in answers if each.number == number), None))

    # A self-audit

    def audit(self, request: Request, run_id: str) -> Response:
        """Which module is weak, and every table of it; whoever may not read all documents sees no words of them."""
        run, audit, examined, limited = self._audited(request, run_id)
        diagnosis = examined.diagnosis
        return render.page(
            "audit",
            run=run,
            path=f"/quality/runs/{run.id}",
            diagnosis=diagnosis,
            weakest=next((fault for fault in diagnosis.faults if fault.module == diagnosis.weak), None),
            answers=diagnosis.asked + examined.undecided,
            figures=audit_tables.figures(audit, examined),
            wrong=None if limited else audit_tables.wrong(audit, examined),
            modules=render.MODULES,
            going=self.context.going(run),
            limited=limited,
        )

    def audit_markdown(self, request: Request, run_id: str) -> Response:
        run, audit, examined, limited = self._audited(request, run_id)
        shown = audit_tables.figures(audit, examined) if limited else audit_tables.report(audit, examined)
        return attachment(tables.run_tables_markdown(run, shown).encode(), f"{run.cases_name}-{run.id}.md", MARKDOWN)

    def _audited(self, request: Request, run_id: str) -> tuple[Run, audits.Audit, audits.Examined, bool]:
        """The run of an audit with that, what was found, and whether a document is closed to whoever asks."""
        home, run = self.context.home, self.context.run(run_id)
        if not audits.is_audit(home, run):
            raise Denied
        audit = audits.audit_of(home, run)
        return run, audit, audits.examine_run(home, run, audit), self.context.is_limited(caller(request))

    # A needle test

    def needle(self, request: Request, run_id: str) -> Response:
        """How many answers were right at each place."""
        run = self.context.needle(run_id)
        results = self.context.needles.results(run.id)
        return render.page(
            "needle",
            run=run,
            path=f"/quality/needles/{run.id}",
            answers=len(results),
            table=needle.table(results),
            running=self.context.is_needle_running(),
        )

    def needle_markdown(self, request: Request, run_id: str) -> Response:
        run = self.context.needle(run_id)
        text = tables.run_tables_markdown(run, [needle.table(self.context.needles.results(run.id))])
        return attachment(text.encode(), f"{run.cases_name}-{run.id}.md", MARKDOWN)

    def remove_needle(self, request: Request, run_id: str) -> Response:
        run = self.context.needle(run_id)
        if not run.finished and self.context.is_needle_running():
            raise TragError(later("A needle test is running, and may be adding to this one."), later("Stop it first."))
        self.context.needles.remove(run.id)
        self.context.needle_figures.forget(run.id)
        log.info("%s removed a needle test", named(request))
        return self.context.notices.go(
            "/quality", Notice(_("The needle test of %(name)s is removed.") % {"name": run.cases_name})
        )


def _chosen(sides: Sequence[Side], query: Mapping[str, str]) -> tuple[Side | None, Side | None] | None:
    """The sides that an address names, None for one that is not there; None where there are no two to choose from."""
    by_key = {side.key: side for side in sides}
    if query.get("before") and query.get("after"):
        return by_key.get(query["before"]), by_key.get(query["after"])
    for place, after in enumerate(sides):
        same_set = [side for side in sides[place + 1 :] if side.run.cases_sha256 == after.run.cases_sha256]
        same_set.sort(key=lambda side: side.system != after.system)  # the same system before, if there is one
        if same_set:
            return same_set[0], after
    return None
