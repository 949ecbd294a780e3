"""The figures of the systems side by side: answers, seconds, memory, indexing."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from statistics import median

from bench.peers.comparing import Compared
from trag.evaluate import tables
from trag.evaluate.runs import Result
from trag.evaluate.tables import Table

_NOTE = (
    "C, CV, I, T and N as above. First token: of what is shown while it is written; the product's draft may be mended "
    "after it. Memory: the most that a system's processes took alone, shared pages counted once (PSS). Indexing: from "
    "the files to an index that answers, models loaded, the quicker of two."
)
_HEADER = (
    "Name",
    "N",
    "C",
    "CV",
    "I",
    "T",
    "Perc.",
    "Undecided",
    "First token, s, median",
    "Whole answer, s, median",
    "95th percentile",
    "Memory, MiB",
    "Indexing, s",
    "Passages",
)


def side_by_side(compared: Compared, name: str) -> tuple[Table, ...]:
    """All figures of a system in a row, then right answers by kind of question."""
    of = {system: [one for one in compared.results if one.system == system] for system in compared.run.systems}
    counts = {row[0]: row for row in tables.overall(compared.results).rows}
    rows = tuple(
        (*counts[system], *_seconds(of[system]), *_alone(compared, system)) for system in of if system in counts
    )
    kinds = tables.by_kind(compared.results)
    return Table(f"Side by side, {name}", _HEADER, rows, _NOTE), replace(kinds, title=f"{kinds.title}, {name}")


def _seconds(results: Sequence[Result]) -> tuple[str, ...]:
    times = [one.record.seconds for one in results if not one.record.interrupted]
    if not times:
        return ("-", "-", "-")
    total = [one.total for one in times]
    return f"{median(one.first_token for one in times):.2f}", f"{median(total):.2f}", f"{tables.slowest(total):.2f}"


def _alone(compared: Compared, system: str) -> tuple[str, ...]:
    alone = compared.alone[system]
    return f"{alone.memory / 2**20:,.0f}", f"{alone.indexing:.1f}", f"{alone.passages:,}"
