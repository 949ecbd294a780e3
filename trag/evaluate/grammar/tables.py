"""An audit in tables: the modules, the groups, the paper's Tables 2 and 3, and what was answered wrongly."""

from __future__ import annotations

from collections import Counter

from trag.evaluate.grammar.audit import Audit, Examined
from trag.evaluate.grammar.diagnosis import at_fault, balanced, baseline, database_accuracy, gaps_removed
from trag.evaluate.grammar.questions import FORMS
from trag.evaluate.tables import Table

_MOST = 50
"""Meanings that are listed."""


def report(audit: Audit, examined: Examined) -> tuple[Table, ...]:
    """Every table of an audit, the diagnosis first."""
    listed = wrong(audit, examined)
    return (*figures(audit, examined), *([listed] if listed.rows else []))


def figures(audit: Audit, examined: Examined) -> tuple[Table, ...]:
    """Those of them that hold no words of the database: no question, and no truth."""
    tables = (modules(examined), groups(examined), isolated(examined), benchmark(audit))
    return tuple(table for table in tables if table.rows)


def modules(examined: Examined) -> Table:
    """The wrong answers that each module owes, and the diagnosis in words."""
    diagnosis = examined.diagnosis
    total = diagnosis.asked - diagnosis.right
    share = {fault: _percent(fault.wrong / total if total else None) for fault in diagnosis.faults}
    rows = tuple((fault.module, str(fault.wrong), share[fault]) for fault in diagnosis.faults)
    left_out = f" {examined.undecided} answers wait for people and are left out." if examined.undecided else ""
    return Table("Weak module", ("Module", "Wrong answers", "Share"), rows, diagnosis.words + left_out)


def groups(examined: Examined) -> Table:
    """How many meanings were never, sometimes or always answered rightly (GRAMMAR, 4.3)."""
    texts = Counter(group.tag for group in examined.groups for _ in group.outcomes)
    rows = tuple((tag, str(number), str(texts[tag])) for tag, number in examined.diagnosis.tags)
    note = f"Accuracy of the retrieval database: {_percent(database_accuracy(examined.groups))} (equation 1)."
    return Table("Semantic groups", ("Group", "Meanings", "Texts"), rows, note)


def isolated(examined: Examined) -> Table:
    """Accuracy by textual form with errors of the other modules taken out (GRAMMAR, table 3)."""
    ways = (("Baseline: No Action", baseline), ("Remove Gap Groups", gaps_removed), ("Balance Gap Examples", balanced))
    rows = tuple(
        (
            name,
            "Context Comparison" if compared else "No Action",
            *(_percent(way(examined.groups, form, compared=compared)) for form in ("", *FORMS)),
        )
        for name, way in ways
        for compared in (False, True)
    )
    header = ("Isolating Errors from Retrieval Database", "from LLM", "All", *(form.capitalize() for form in FORMS))
    note = (
        "With the context comparison an answer that was wrong from a sufficient context is not held against retrieval."
    )
    return Table("Accuracy with errors isolated", header, rows, note)


def benchmark(audit: Audit) -> Table:
    """What was asked, and what could not be (GRAMMAR, table 2)."""
    meanings, dropped = audit.meanings, audit.dropped
    asked = (len({one.sql for one in meanings}), len(meanings))
    texts = (sum(len(one.short) for one in meanings), sum(len(one.long) for one in meanings))
    left_out = (dropped.no_answer, dropped.several, dropped.unsayable, dropped.given_away, len(audit.problems))
    row = tuple(map(str, (*asked, *texts, *left_out)))
    header = (
        "SQL Templates", "SQL Queries", "Short Texts", "Long Texts", "No answer", "Several answers", "Nobody says it",
        "Given away", "Templates left out",
    )  # fmt: skip
    note = (
        f"Of {audit.database}; templates: {audit.templates}; seed {audit.seed}. The last five columns were not asked."
    )
    return Table("Questions of the audit", header, (row,), note)


def wrong(audit: Audit, examined: Examined) -> Table:
    """The meanings that were not always answered rightly, never first."""
    meanings = {meaning.id: meaning for meaning in audit.meanings}
    some = sorted((group for group in examined.groups if group.tag != "robust"), key=lambda group: group.tag != "gap")
    rows = tuple(
        (
            meanings[group.id].short[0] if meanings[group.id].short else meanings[group.id].long[0],
            meanings[group.id].answer,
            group.tag,
            f"{sum(one.right for one in group.outcomes)}/{len(group.outcomes)}",
            ", ".join(dict.fromkeys(at_fault(one, group, examined.covered) for one in group.outcomes if not one.right)),
        )
        for group in some[:_MOST]
    )
    note = f"{len(some) - _MOST} more are not listed." if len(some) > _MOST else ""
    return Table("Answered wrongly", ("Question", "Truth", "Group", "Right", "Owed to"), rows, note)


def _percent(share: float | None) -> str:
    return "-" if share is None else f"{share:.0%}"
