"""The pages of the evaluations as HTML: records in, text out.

Every template escapes what it is given: questions, answers and names come from files and models that nobody has
checked. Knows nothing about requests.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING
from urllib.parse import urlencode

from org.chart import Chart
from store.versions import ChartVersion
from trag.evaluate import tables
from trag.evaluate.exports import model_of
from trag.evaluate.grammar.contexts import Module
from trag.evaluate.runs import Result, Run
from trag.evaluate.sets import CaseSet
from trag.record import VERDICTS
from trag.web.evidence import evidence
from trag.web.navigation import here
from trag.web.quality import LARGEST_SET, MOST_QUESTIONS, MOST_SEED
from trag.web.quality.figures import Measured, trends
from trag.web.quality.pairing import CHANGES, Answer, Pair
from trag.web.quality.shares import shares
from trag.web.quality.systems import tone
from trag.web.quality.wanted import CHOICES, MOST, UNDECIDED, Wanted
from trag.web.render import MEANINGS, NEIGHBOURS, badge, environment, percent, pieces, time_left

if TYPE_CHECKING:
    from trag.background import JobStatus
    from trag.errors import TragError
    from trag.evaluate.comparing import Comparison
    from trag.evaluate.grammar.audit import Examined
    from trag.home import State
    from trag.web.notices import Notice
    from trag.web.quality.compare import Side
    from trag.web.quality.running import Evaluating
    from trag.web.quality.systems import Offered

SAMPLE = """{"id": "1", "kind": "simple", "question": "What is the Library under?", "gold": [["Education"]]}
{"id": "2", "kind": "list", "question": "Which units are under the Director's Office?", "units": ["Grants & Partners", "Education"]}
{"id": "3", "kind": "document", "question": "How early must leave be asked for?", "answer": "Two weeks before it begins.", "gold": [["two weeks", "14 days"]], "forbidden": ["four weeks"]}
{"id": "4", "kind": "unanswerable", "question": "What is the Director's private address?", "refuse": true}
"""  # noqa: E501

KEYS = {
    "id": "A key of your own, another one on each line. Needed.",
    "question": "What is asked. Needed.",
    "kind": "What the tables are broken down by: document, simple, complex, list, unanswerable, or a word of yours. "
    "Needed.",
    "gold": "What a right answer holds: a list of items, each a list of the forms that count.",
    "forbidden": "What it must not say.",
    "units": "For a list: the names of all the units that belong to it, as in the chart.",
    "count": "For “how many”: the number.",
    "polarity": "For a yes or no: “yes” or “no”.",
    "refuse": "true where nothing answers the question, so that only a refusal is right.",
    "answer": "A right answer in a sentence, for people who look on. Where it sets a limit to an item of gold, “at "
    "most four nights”, or denies it, an answer must not say the opposite.",
}
"""The keys of a line that most sets need, and what each means."""

MODULES: dict[Module, tuple[str, str]] = {
    "retrieval database": (
        "The documents",
        "Nothing that the system may find holds what was asked. Add what is missing.",
    ),
    "retrieval": ("The search", "It is there, but was not brought for those words."),
    "language model": ("The model", "It was given what tells the truth, and did not answer from it."),
}
"""The modules of an audit as people call them, and what it means that one owes a wrong answer."""


def quality(
    sets: Sequence[CaseSet],
    systems: Sequence[Offered],
    measured: Sequence[Measured],
    *,
    audits: Sequence[Measured],
    needles: Sequence[Measured],
    limited: TragError | None,
    going: JobStatus[Evaluating] | None,
    chosen: str,
    first: int,
    state: State,
    adapter: str,
    notice: Notice | None,
) -> str:
    """The first page: `audits` are those of the `measured` runs that are audits, `needles` the needle tests. `limited`
    says why the visitor may begin nothing, None where they may. `chosen` is the id of the set that was just added, ""
    for none; `first` is the first run that its table shows."""
    ids = [kept.id for kept in sets]
    return _page(
        "list",
        sets=sets,
        systems=systems,
        measured=measured,
        audits=audits,
        needles=needles,
        limited=limited,
        trends=trends(measured),
        first=first,
        most=MOST,
        going=going,
        chosen=chosen if chosen in ids else next(iter(ids), ""),
        state=state,
        adapter=adapter,
        notice=notice,
        largest=LARGEST_SET,
        most_questions=MOST_QUESTIONS,
        most_seed=MOST_SEED,
        keys=KEYS,
    )


def progress(going: JobStatus[Evaluating] | None, *, limited: bool) -> str:
    """How far the evaluation has come that runs, or how the last one ended; a `limited` visitor only looks on."""
    return _page("progress", going=going, limited=limited)


def run(
    run: Run,
    results: Sequence[Result],
    answers: Sequence[Answer],
    wanted: Wanted,
    *,
    going: JobStatus[Evaluating] | None,
    running: bool,
    before: Run | None,
    audit: bool,
    limited: bool,
    notice: Notice | None,
) -> str:
    """A run with the tables of its `results`, and those `wanted` of its `answers`, which the visitor may read; `going`
    says how far it has come while these pages run it, `running` is whether anything does, `before` is an earlier one of
    the same set. `audit` is whether it is one, `limited` whether the visitor may begin nothing."""
    fitting = [answer for answer in answers if wanted.fits(answer.result)]
    return _page(
        "run",
        run=run,
        path=f"/quality/runs/{run.id}",
        results=results,
        shares=shares(results),
        tables=tables.report(results),
        wanted=wanted,
        systems=list(tables.by_system(results)),
        kinds=list(dict.fromkeys(result.case.kind for result in results)),
        answers=fitting[wanted.first : wanted.first + MOST],
        total=len(fitting),
        most=MOST,
        undecided=sum(answer.result.score.verdict is None for answer in answers),
        closed=len(results) - len(answers),
        going=going,
        running=running,
        before=before,
        audit=audit,
        limited=limited,
        notice=notice,
    )


def audit(
    run: Run,
    examined: Examined,
    figures: Sequence[tables.Table],
    wrong: tables.Table | None,
    *,
    going: JobStatus[Evaluating] | None,
    limited: bool,
) -> str:
    """A self-audit: which module owes most of the wrong answers, the tables of figures, and that of the questions that
    were answered `wrong`, None for a `limited` visitor."""
    diagnosis = examined.diagnosis
    return _page(
        "audit",
        run=run,
        path=f"/quality/runs/{run.id}",
        diagnosis=diagnosis,
        weakest=next((fault for fault in diagnosis.faults if fault.module == diagnosis.weak), None),
        answers=diagnosis.asked + examined.undecided,
        figures=figures,
        wrong=wrong,
        modules=MODULES,
        going=going,
        limited=limited,
    )


def needle(run: Run, answers: int, table: tables.Table, *, running: bool) -> str:
    """A needle test with so many answers by now; `running` is whether one is under way, which may be this one."""
    path = f"/quality/needles/{run.id}"
    return _page("needle", run=run, path=path, answers=answers, table=table, running=running)


def answer(
    run: Run,
    answers: Sequence[Answer],
    answer: Answer,
    *,
    chart: Chart | None,
    charts: Sequence[ChartVersion],
    documents: Mapping[str, bool],
    notice: Notice | None,
) -> str:
    """An answer of a run, with its gold, its checks and its sources; `answers` are all that whoever looks may read,
    `documents` those that are there, by name, and whether they may open each."""
    record = answer.result.record
    numbers = [each.number for each in answers]
    place = numbers.index(answer.number)
    found = evidence(record, chart, documents)
    return _page(
        "answer",
        run=run,
        path=f"/quality/runs/{run.id}",
        answer=answer,
        case=answer.result.case,
        score=answer.result.score,
        record=record,
        others=[each for each in answers if each.result.case == answer.result.case and each != answer],
        before=numbers[place - 1] if place else None,
        after=numbers[place + 1] if place + 1 < len(numbers) else None,
        badge=badge(record),
        pieces=pieces(record, found),
        used=[each for each in found if each.used],
        rest=[each for each in found if not each.used],
        against=next((each for each in charts if each.version == record.checks.chart), None),
        neighbours=NEIGHBOURS,
        notice=notice,
    )


def row(run: Run, answer: Answer) -> str:
    """One answer of a run's page."""
    return _page("row", path=f"/quality/runs/{run.id}", answer=answer)


def compare(
    sides: Sequence[Side],
    before: Side,
    after: Side,
    pairs: Sequence[Pair],
    comparison: Comparison,
    wanted: Wanted,
    *,
    change: str,
) -> str:
    """Two sides, question by question: those pairs whose later answer is `wanted`, of one `change` or ("") of all."""
    of_kind = [pair for pair in pairs if wanted.fits(pair.after.result)]
    shown = [pair for pair in of_kind if change in ("", pair.change)]
    shown.sort(key=lambda pair: CHANGES.index(pair.change))
    return _page(
        "compare",
        sides=sides,
        before=before,
        after=after,
        shares=[shares([answer.result for answer in side]) for side in _sides(pairs)],
        total=len(shown),
        pairs=shown[wanted.first : wanted.first + MOST],
        counts=Counter(pair.change for pair in of_kind),
        comparison=comparison,
        only_one=comparison.unpaired - sum(pair.change == "undecided" for pair in pairs),
        wanted=wanted,
        change=change,
        changes=("better", "worse", "same", "undecided"),
        kinds=list(dict.fromkeys(pair.after.result.case.kind for pair in pairs)),
        most=MOST,
    )


def nothing_to_compare() -> str:
    """The page while there are no two sets of answers to the same questions."""
    return _page("nothing")


def in_charge() -> bool:
    """Whether a page is drawn for somebody who may also remove, and take answers and questions away."""
    caller = here()
    return caller is not None and caller.may("admin")


def _sides(pairs: Sequence[Pair]) -> tuple[list[Answer], list[Answer]]:
    return [pair.before for pair in pairs], [pair.after for pair in pairs]


def _page(name: str, **values: object) -> str:
    template = environment().get_template(f"quality/{name}.html")
    return template.render(
        here="/quality",
        choices=CHOICES,
        meanings=MEANINGS,
        model_of=model_of,
        percent=percent,
        tone=tone,
        time_left=time_left,
        undecided_word=UNDECIDED,
        urlencode=urlencode,
        in_charge=in_charge(),
        verdicts=VERDICTS,
        **values,
    )
