"""What the validation found, in tables; those of the paper in its layout."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Sequence

from bench.grammar.benchmark import DESIGNS, Benchmark, form_sizes
from bench.grammar.validation import NAMED, Planting, Validated
from trag.evaluate.grammar import diagnosis
from trag.evaluate.grammar.diagnosis import MODULES
from trag.evaluate.grammar.questions import FORMS
from trag.evaluate.tables import Table


def report(validated: Sequence[Validated]) -> tuple[Table, ...]:
    """Every table, the paper's third once for each planting."""
    by_planting = {planting: [one for one in validated if one.planting == planting] for planting in NAMED}
    return (
        sizes(list({one.benchmark.name: one.benchmark for one in validated}.values())),
        named([one for some in by_planting.values() for one in some]),
        *(isolated(planting, some) for planting, some in by_planting.items() if some),
    )


def sizes(benchmarks: Sequence[Benchmark]) -> Table:
    """What the benchmarks ask (GRAMMAR, table 2)."""
    rows = tuple(
        (
            benchmark.name,
            str(len({meaning.sql for meaning in benchmark.audit.meanings})),
            str(len(benchmark.audit.meanings)),
            *[str(DESIGNS[benchmark.name].texts)] * len(FORMS),
            *map(str, DESIGNS[benchmark.name].uneven),
            *map(str, form_sizes(benchmark.audit)),
            str(len(benchmark.gaps)),
            str(len(benchmark.documents)),
        )
        for benchmark in benchmarks
    )
    header = (
        "", "SQL Templates", "SQL Queries", "Text Templates of each, Short", "Long", "Text Queries, Short", "Long",
        "Text Queries (Balanced), Short", "Long", "Facts left out", "Documents",
    )  # fmt: skip
    return Table("The benchmarks (GRAMMAR, table 2)", header, rows)


def isolated(planting: Planting, validated: Sequence[Validated]) -> Table:
    """Accuracy by textual form with errors of the other modules taken out (GRAMMAR, table 3)."""
    rows = []
    for name in ("Baseline: No Action", "Remove Gap Groups", "Balance Gap Examples"):
        for compared in (False, True):
            cells = []
            for one in validated:
                examined = one.balanced if name.startswith("Balance") else one.uneven
                way = diagnosis.gaps_removed if name.startswith("Remove") else diagnosis.baseline
                cells += [_share(way(examined.groups, form, compared=compared)) for form in FORMS]
            rows.append((name, "Context Comparison" if compared else "No Action", *cells))
    header = (
        "Isolating Errors from Retrieval Database",
        "from LLM",
        *(f"{one.benchmark.name}, {form.capitalize()}" for one in validated for form in FORMS),
    )
    note = (
        "To a search by exact words Short is the robust form and Long, full of words that do not matter, the other one."
    )
    return Table(f"Accuracy with errors isolated, planted: {planting} (GRAMMAR, table 3)", header, tuple(rows), note)


def named(validated: Sequence[Validated]) -> Table:
    """What was planted, what the audit named, and to what it owes the wrong answers beside what caused them."""
    rows = []
    for one in validated:
        diagnosis, wrong = one.balanced.diagnosis, one.wrong
        owed = Counter(answer.owed for answer in wrong)
        caused = Counter(answer.cause for answer in wrong)
        rows.append(
            (
                one.planting,
                one.benchmark.name,
                NAMED[one.planting],
                f"{diagnosis.weak}{', as a hint' if 'as a hint' in diagnosis.words else ''}",
                f"{len(wrong)} of {diagnosis.asked}{_undecided(one.balanced.undecided)}",
                *(f"{owed[module]} ({caused[module]})" for module in MODULES),
                _share(_part(answer.owed == answer.cause for answer in wrong)),
                _share(_part(answer.by_paper == answer.cause for answer in wrong)),
                Counter(answer.by_paper for answer in wrong).most_common(1)[0][0] if wrong else "",
            )
        )
    header = (
        "Planted", "Benchmark", "Must name", "Names", "Wrong", *MODULES, "Rightly owed", "By the paper's rule",
        "Which names",
    )  # fmt: skip
    note = (
        "Wrong answers to all texts that the audit owes to each module, in brackets those that it caused, known from "
        "the sentences that state the facts. Rightly owed is the share on which both agree; the last two columns "
        "say how far the paper's own rule gets, which compares contexts by whether they share any passage."
    )
    return Table("What the audit names", header, tuple(rows), note)


def _undecided(number: int) -> str:
    return f", {number} more undecided" if number else ""


def _part(agree: Iterable[bool]) -> float | None:
    found = list(agree)
    return sum(found) / len(found) if found else None


def _share(value: float | None) -> str:
    return "-" if value is None else f"{value:.2f}"
