"""What a set of flows holds, counted, and what in it does not add up."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from trag.evaluate.flows.data import OPENING, Data, Domain
from trag.evaluate.flows.measures import Truth
from trag.evaluate.tables import Table

PUBLISHED_MEAN = 6.84
"""APIs a gold plan, as FLAP says under its tables 3, 13 and 14."""


def facts(data: Data) -> tuple[Table, Table]:
    """The counts of each domain and of all, and the anomalies."""
    rows = [
        (
            name,
            len(domain.book.procedures),
            len(domain.book.actions),
            len(Truth(domain).edges),
            sum(query.domain == name for query in data.queries),
        )
        for name, domain in data.domains.items()
    ]
    every = ("All", *(sum(column) for column in list(zip(*rows, strict=True))[1:]))
    header = ("Domain", "Flows", "APIs", "Edges", "Queries")
    counts = Table("Facts", header, tuple(tuple(map(str, row)) for row in (*rows, every)), _mean_note(data))
    found = tuple((name, what) for name, domain in data.domains.items() for what in anomalies(domain))
    return counts, Table("What does not add up", ("Domain", "What"), found)


def anomalies(domain: Domain) -> Iterator[str]:
    """A gold that calls an action before what it needs, alternatives of a need, and an end that depends on nothing;
    with what was mended."""
    truth, mended = Truth(domain), Truth(domain.mended or domain)
    for flow, steps in domain.gold.items():
        for id, givers in _unmet(truth, steps):
            cured = "mended in gold_mended" if not list(_unmet(mended, mended.domain.gold[flow])) else "not mended"
            yield f"{flow}: the gold calls {id} without any of {_listed(givers)} before; {cured}"
    for action in domain.book.actions.values():
        for need in action.needs:
            if len(need) > 1:
                yield f"{action.id} needs any one of {', '.join(need)}"
        changed = mended.domain.book.actions[action.id]
        if changed != action:
            yield (
                f"{action.id} gives {', '.join(action.gives) or 'nothing'} and needs "
                f"{', '.join('|'.join(need) for need in action.needs) or 'nothing'}: {len(truth.edges)} edges; turned "
                f"round {len(mended.edges)}"
            )


def _unmet(truth: Truth, steps: Sequence[Sequence[str]]) -> Iterator[tuple[str, frozenset[str]]]:
    done: set[str] = set()
    for id in (id for step in steps for id in step):
        yield from ((id, need) for need in truth.parents[id] if need and need.isdisjoint(done))
        done.add(id)


def _mean_note(data: Data) -> str:
    """How many APIs the gold plan of a query has, on average, by what is counted."""
    plans = [[id for step in data.domains[query.domain].gold[query.flow] for id in step] for query in data.queries]
    if not plans:
        return ""
    whole = sum(map(len, plans)) / len(plans)
    free = sum(id not in OPENING for plan in plans for id in plan) / len(plans)
    return (
        f"APIs a gold plan: {whole:.2f} in all, {free:.2f} without {' and '.join(OPENING)}, {whole - 1:.2f} without "
        f"one of them; the paper says {PUBLISHED_MEAN}."
    )


def _listed(ids: frozenset[str]) -> str:
    return ", ".join(sorted(ids))
