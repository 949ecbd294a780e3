"""What the pages of the evaluations share: the home, its runs and sets of questions, what runs now, and who may begin
or read what."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from trag.errors import TragError
from trag.evaluate.cases import CaseSets
from trag.evaluate.running import is_filled
from trag.evaluate.runs import Result, Results, Run
from trag.people import CurrentUser
from trag.people.permissions import hidden, readers
from trag.web.evidence import documents_of
from trag.web.language import later
from trag.web.quality.answers import Answer, numbered
from trag.web.quality.evaluation import Evaluating, Evaluation
from trag.web.quality.figures import Figures
from trag.web.responses import Denied, Notices, there

if TYPE_CHECKING:
    from trag.background import JobStatus
    from trag.home import Home

LIMITED = TragError(
    later("Some documents are not open to you, so you can neither begin an evaluation nor add questions."),
    later(
        "An evaluation reads every document, and its shares of right answers would tell what those say. Somebody who "
        "may read all of them can do it, such as an admin."
    ),
)
"""What somebody is told to whom a document is closed."""


@dataclass(slots=True)
class QualityContext:
    """The evaluations of one home, for every page."""

    home: Home
    results: Results
    sets: CaseSets
    evaluation: Evaluation
    figures: Figures
    needles: Results
    needle_figures: Figures
    notices: Notices = field(default_factory=Notices)

    def run(self, run_id: str) -> Run:
        """The run of an id. Raises Denied where there is none."""
        return there(next((run for run in self.results.runs() if run.id == run_id), None))

    def needle(self, run_id: str) -> Run:
        """The needle test of an id. Raises Denied where there is none."""
        return there(next((run for run in self.needles.runs() if run.id == run_id), None))

    def is_limited(self, user: CurrentUser) -> bool:
        """Whether a document is closed to somebody. They neither begin anything nor add questions: a question with its
        answer, and the share of right answers to it, would tell what a closed document says."""
        chart = self.home.organization.chart
        return readers(user, chart) is not None and bool(hidden(user, self.home.records.library.documents(), chart))

    def allowed(self, user: CurrentUser) -> Callable[[], bool]:
        """Whether somebody may go on with what they begin, which is asked again while it runs. Raises Denied for who
        may not begin it."""
        if self.is_limited(user):
            raise Denied(LIMITED, 403)
        return lambda: not self.is_limited(user)

    def answers(self, run: Run) -> tuple[Answer, ...]:
        """The answers that a run has by now. Raises TragError when they are damaged."""
        return numbered(self.results.results(run.id))

    def open_to(self, user: CurrentUser, run: Run, answers: Sequence[Answer]) -> tuple[Answer, ...]:
        """Those of a run's answers whose words somebody may read, and the right ones beside them.

        An evaluation reads every document. What it answered from, and the one that a question is about, must be open to
        them; a question that names none may be about any, whatever its kind is called, unless it is of a set that is
        kept here and was made from the chart.
        """
        chart, documents = self.home.organization.chart, self.home.records.library.documents()
        if readers(user, chart) is None:
            return tuple(answers)
        closed = hidden(user, documents, chart)
        readable = {document.name for document in documents} - closed
        kept = self.sets.find(run.cases_sha256)
        nowhere_closed = not closed or (kept is not None and bool(kept.chart))

        def is_open(result: Result) -> bool:
            if not documents_of(result.record) <= readable:
                return False
            return result.case.document in readable if result.case.document else nowhere_closed

        return tuple(answer for answer in answers if is_open(answer.result))

    def going(self, run: Run) -> JobStatus[Evaluating] | None:
        """How far the evaluation of these pages has come that adds answers to a run, None where none does."""
        now = self.evaluation.now
        return now if now and not now.over and now.about.run == run.id else None

    def is_running(self, run: Run) -> bool:
        """Whether answers are being added to a run, be it by a fine-tune's gate."""
        return self.going(run) is not None or is_filled(self.home, run.id)

    def is_needle_running(self) -> bool:
        """Whether answers are being added to one of the needle tests."""
        now = self.evaluation.now
        return now is not None and not now.over and now.about.kind == "needle"
