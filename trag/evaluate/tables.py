"""The paper's tables of a run, and those that it lacks, as Markdown, CSV or JSON; a whole run as a file."""

from __future__ import annotations

import json
from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import asdict, dataclass, replace
from math import ceil
from statistics import fmean, median

from org.reading.cells import csv_text
from trag.evaluate.cases import COMPLEX, SIMPLE
from trag.evaluate.comparing import Comparison, is_right
from trag.evaluate.runs import Result, Run
from trag.evaluate.scoring import Score, declines
from trag.record import VERDICTS

_COUNTS = ("N", "C", "CV", "I", "T", "Perc.", "Undecided")
_OVERALL = (
    "C is Correct, CV Correct-Verbose, I Incorrect, T is C + CV, N is C + CV + I; undecided answers wait for people. "
    "What trag answers is checked and mended; the other systems show the model as it is."
)
_ORDER = ("rag", "finetuned", "finetuned-tree", "trag-no-tree", "trag-unrepaired", "trag")


@dataclass(frozen=True, slots=True)
class Table:
    """Cells as they are shown; every row is as long as the header."""

    title: str
    header: tuple[str, ...]
    rows: tuple[tuple[str, ...], ...]
    note: str = ""


def report(results: Sequence[Result]) -> tuple[Table, ...]:
    """Every table that these answers give rise to."""
    every = (overall, simple_and_complex, by_kind, refusals, lists, groups, seconds)
    return tuple(table for make in every if (table := make(results)).rows)


def overall(results: Sequence[Result]) -> Table:
    """How many answers of each system are right (T-RAG, table 3)."""
    rows = tuple((system, *_counts(of)) for system, of in by_system(results).items())
    return Table("Overall", ("Name", *_COUNTS), rows, _OVERALL)


def overall_by_set(sets: Mapping[str, Sequence[Result]]) -> Table:
    """The same for several sets of questions, with all of them together under "All", as the paper has it (table 3)."""
    every = [result for results in sets.values() for result in results]
    named = {**sets, "All": every} if len(sets) > 1 else sets
    rows = tuple(
        (system, name, *_counts(by_system(results)[system]))
        for system in by_system(every)
        for name, results in named.items()
        if system in by_system(results)
    )
    return Table("Overall", ("Name", "Question Set", *_COUNTS), rows, _OVERALL)


def by_kind(results: Sequence[Result]) -> Table:
    """How many answers of each system are right, by kind of question: the paper's table 4 for any kinds, turned, since
    there may be many kinds."""
    kinds = tuple(dict.fromkeys(result.case.kind for result in results))
    across = _table_4("By kind of question", results, {kind: (kind,) for kind in kinds}, "")
    (_, *systems), *rows = zip(across.header, *across.rows, strict=True)
    return replace(across, header=("Kind", *systems), rows=tuple(rows))


def simple_and_complex(results: Sequence[Result]) -> Table:
    """The questions about units, with and without the tree (T-RAG, table 4)."""
    columns = {"Simple": SIMPLE, "Complex": COMPLEX}
    asked = [result for result in results if result.case.kind in SIMPLE + COMPLEX]
    note = f"Complex is every question of the kinds {', '.join(COMPLEX)}."
    return _table_4("Questions about units", asked, columns, note)


def refusals(results: Sequence[Result]) -> Table:
    """What each system does with questions that nothing answers, and how often it refuses those that something does."""
    if not any(result.case.refuse for result in results):
        return Table("Refusals", (), ())
    rows = []
    for system, of in by_system(results).items():
        without = [result for result in of if result.case.refuse]
        rest = [result for result in of if not result.case.refuse]
        wrongly = sum(declines(result.case, result.record) and not result.record.interrupted for result in rest)
        refused = share_right([result.score for result in without])
        rows.append((system, str(len(without)), refused, str(len(rest)), _share(wrongly, len(rest))))
    header = ("Name", "Unanswerable", "Rightly refused", "Answerable", "Wrongly refused")
    return Table("Refusals", header, tuple(rows))


def lists(results: Sequence[Result]) -> Table:
    """The units of a list as a set: the share of those named that belong to it (precision), the share of those that
    belong to it that are named (recall), each as the mean over the questions. Without a chart to know other units by,
    a list that lacks nothing may yet hold too much, and is not counted among those that are decided."""
    rows = []
    for system, of in by_system(results).items():
        found = [(one.score.precision, one.score.recall) for one in of if one.score.recall is not None]
        if found:
            named = [precision for precision, _ in found if precision is not None]
            whole = sum(precision == recall == 1 for precision, recall in found)
            decided = sum(precision is not None or recall < 1 for precision, recall in found)
            precision, recall = f"{fmean(named):.3f}" if named else "-", f"{fmean(recall for _, recall in found):.3f}"
            exactly = _share(whole, decided, told=decided < len(found))
            rows.append((system, str(len(found)), precision, recall, exactly))
    note = "Precision is the mean over the answers that name a unit, recall over all."
    return Table("Lists", ("Name", "N", "Precision", "Recall", "Exactly the set"), tuple(rows), note)


def groups(results: Sequence[Result]) -> Table:
    """In how many groups of paraphrases every wording was answered rightly, of those that are decided: whose members
    all are, or one of which is wrong."""
    rows = []
    for system, of in by_system(results).items():
        members: dict[str, list[Result]] = defaultdict(list)
        for result in of:
            if result.case.group:
                members[result.case.group].append(result)
        if members:
            verdicts = [[result.score.verdict for result in group] for group in members.values()]
            decided = [group for group in verdicts if None not in group or "Incorrect" in group]
            right = sum("Incorrect" not in group for group in decided)
            rows.append((system, str(len(members)), _share(right, len(decided), told=len(decided) < len(members))))
    return Table("Groups of paraphrases", ("Name", "Groups", "All right"), tuple(rows))


def seconds(results: Sequence[Result]) -> Table:
    """From the question to the whole answer."""
    rows = []
    for system, of in by_system(results).items():
        if times := [result.record.seconds.total for result in of if not result.record.interrupted]:
            rows.append((system, str(len(times)), f"{median(times):.2f}", f"{slowest(times):.2f}"))
    return Table("Seconds an answer takes", ("Name", "N", "Median", "95th percentile"), tuple(rows))


def slowest(times: Sequence[float]) -> float:
    """The 95th percentile: the least time within which 95 in 100 came."""
    return sorted(times)[ceil(0.95 * len(times)) - 1]


def answers(results: Sequence[Result]) -> Table:
    """Every answer, a row each, for a spreadsheet."""
    header = tuple("system id kind question answer gold verdict reasons precision recall seconds".split())
    rows = []
    for result in results:
        case, record, score = result.case, result.record, result.score
        shares = ("" if share is None else f"{share:.3f}" for share in (score.precision, score.recall))
        told = (score.verdict or "", "; ".join(score.reasons), *shares, f"{record.seconds.total:.2f}")
        rows.append((result.system, case.id, case.kind, case.question, record.answer, case.answer, *told))
    return Table("Answers", header, tuple(rows))


def changes(comparison: Comparison) -> Table:
    """What became of the questions, those first that changed for the worse."""
    rows = sorted(
        (is_right(one.after), one.case.id, one.case.question, one.before.verdict or "", one.after.verdict or "")
        for one in comparison.changed
    )
    note = (
        f"{comparison.questions} questions on both sides, {comparison.better} better, {comparison.worse} worse: "
        f"p = {comparison.p:.3g} (exact McNemar test, two-sided)."
    )
    if comparison.unpaired:
        note += f" {comparison.unpaired} more have no verdict on both sides."
    return Table("Changed verdicts", ("Question", "Wording", "Before", "After"), tuple(row[1:] for row in rows), note)


def by_system(results: Iterable[Result]) -> dict[str, list[Result]]:
    """The answers of each system, in the paper's order, each followed by the same without the adapter."""
    found: dict[str, list[Result]] = defaultdict(list)
    for result in results:
        found[result.system].append(result)

    def place(system: str) -> tuple[int, str]:
        name = system.partition(":")[0]
        return (_ORDER.index(name) if name in _ORDER else len(_ORDER), system)

    return {system: found[system] for system in sorted(found, key=place)}


def markdown(table: Table) -> str:
    """The table as Markdown, under its title and above its note; nothing in a cell can be markup or end it."""
    lines = [f"### {plain(table.title)}", ""]
    for row in (table.header, ("---",) * len(table.header), *table.rows):
        lines.append(f"| {' | '.join(plain(cell) for cell in row)} |")
    if table.note:
        lines += ["", plain(table.note)]
    return "\n".join(lines) + "\n"


def as_csv(table: Table) -> str:
    """The table as CSV that spreadsheet programs run nothing of."""
    return csv_text((table.header, *table.rows))


def as_json(tables: Iterable[Table]) -> str:
    """The tables as a JSON list of objects with title, header, rows and note."""
    return json.dumps([asdict(table) for table in tables], ensure_ascii=False, indent=1) + "\n"


def _counts(results: Sequence[Result]) -> tuple[str, ...]:
    verdicts = [result.score.verdict for result in results]
    correct, verbose, wrong = (verdicts.count(verdict) for verdict in VERDICTS)
    decided, right = correct + verbose + wrong, correct + verbose
    return (*map(str, (decided, correct, verbose, wrong, right)), _percent(right, decided), str(verdicts.count(None)))


def _table_4(title: str, results: Sequence[Result], columns: Mapping[str, Sequence[str]], note: str) -> Table:
    asked = {
        column: len({(result.case.id, result.case.question) for result in results if result.case.kind in kinds})
        for column, kinds in columns.items()
    }
    rows = [
        (system, *(share_right([one.score for one in of if one.case.kind in kinds]) for kinds in columns.values()))
        for system, of in by_system(results).items()
    ]
    header = ("Name", *(f"{column} ({n} question{'' if n == 1 else 's'})" for column, n in asked.items()))
    return Table(title, header, tuple(rows), note)


def share_right(scores: Sequence[Score]) -> str:
    """How many answers are right and their share: "10 (58.8%)", "10 of 17 (58.8%)" where not all are decided."""
    decided = sum(score.verdict is not None for score in scores)
    return _share(sum(map(is_right, scores)), decided, told=decided < len(scores))


def _share(some: int, of: int, *, told: bool = False) -> str:
    """Gives "10 (58.8%)", or where it must be `told` of how many, "10 of 17 (58.8%)"."""
    return f"{some} of {of} ({_percent(some, of)})" if told else f"{some} ({_percent(some, of)})"


def _percent(some: int, of: int) -> str:
    return f"{some / of:.1%}" if of else "-"


def plain(text: str) -> str:
    """A text on one line of Markdown, in which nothing is markup."""
    text = " ".join(text.split()).replace("&", "&amp;").replace("<", "&lt;").replace("\\", "\\\\")
    return text.replace("|", "\\|")


def run_markdown(run: Run, results: Sequence[Result]) -> str:
    """What was run, and every table."""
    return run_tables_markdown(run, report(results))


def run_tables_markdown(run: Run, shown: Sequence[Table]) -> str:
    """What was run, and these tables of it."""
    return "\n".join([f"## {plain(heading(run))}\n", *map(markdown, shown)])


def run_csv(results: Sequence[Result]) -> str:
    """Every answer with its score, a row each."""
    return as_csv(answers(results))


def run_json(run: Run, results: Sequence[Result]) -> str:
    """An object with the run, its tables, and every answer record with its case and score."""
    values = {
        "run": asdict(run),
        "tables": [asdict(table) for table in report(results)],
        "results": [asdict(result) for result in results],
    }
    return json.dumps(values, ensure_ascii=False, indent=1, default=str) + "\n"


def heading(run: Run) -> str:
    """One line that tells this run from any other."""
    return (
        f"{run.cases_name} ({run.cases_sha256[:12]}), {run.started:%Y-%m-%d %H:%M} UTC, commit {run.commit}, "
        f"{model_of(run)}, chart {run.chart or 'none'}"
    )


def model_of(run: Run) -> str:
    """The model of a run and its adapter, each with the first digits of its hash."""
    model = f"{run.model.name} ({run.model.sha256[:12]})" if run.model.sha256 else run.model.name
    return f"{model} with {run.model.adapter} ({run.adapter_sha256[:12]})" if run.model.adapter else model
