"""The paper's tables 3, 13 and 14 of what was written, its own figures to stand beside them, and what it lacks: how
reliable a system is, and which flow it takes.

plans as they were written, the data with its gold -> read, measured -> tables
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from math import comb
from statistics import fmean
from typing import TYPE_CHECKING

from trag.evaluate.flows import plans
from trag.evaluate.flows.data import Beyond, Data
from trag.evaluate.flows.measures import Measures, Nearest, Truth, measure, summed
from trag.evaluate.flows.writing import GREEDY_APIS, SETTINGS, Written
from trag.evaluate.tables import Table
from trag.flow.scoring import Encode

if TYPE_CHECKING:
    import numpy as np

_COLUMNS = {
    "thoughts": ("Thoughts", 1),
    "apis": ("APIs", 1),
    "parsable": ("Parsable %", 100),
    "finished": ("Finished %", 100),
    "repeated": ("Repeated %", 100),
    "hallucinated": ("Invented %", 100),
    "edits_steps": ("Edits of steps", 1),
    "edits_apis": ("Edits of APIs", 1),
    "inconsistent_steps": ("Incons. steps %", 100),
    "inconsistent_apis": ("Incons. APIs %", 100),
    "inconsistent_with_invented": ("with invented %", 100),
    "exact": ("Exact %", 100),
}
"""By measure its heading, and what it is multiplied by."""
_PUBLISHED = (
    *("parsable", "repeated", "hallucinated"),
    *("edits_steps", "edits_apis", "inconsistent_steps", "inconsistent_apis"),
)
"""The measures of which the paper's figures are here."""
_NOTE = (
    "Mean ± standard deviation over plans. Edits are additions and deletions to the gold's steps and APIs, whatever "
    "their order, InitSystem and Start left out; a thought's step is the most similar of its domain, without thoughts "
    "the gold's step that takes the API. Inconsistent: written before any of what it needs; an invented API counts in "
    "the column beside. Plans that cannot be parsed count with what could be read. Exact: parsable, the gold's APIs "
    "and no other, each behind what it needs, step by step. The queries and the words of the flows are our own, the "
    "models of 0.5B to 1.5B; the paper's figures are of its own data and of models of 7B."
)
PAPER = (
    # model, system, (parsable, repeated, hallucinated, edits steps, APIs, inconsistent steps, APIs): all; relevant
    ("mistral-7b", "greedy-apis", (100, 0.3, 2.4, 2.9, 3.0, 10.6, 37.2), (100, 0.6, 1.4, 3.1, 3.1, 8.0, 30.6)),
    ("mistral-7b", "greedy", (99.6, 2.9, 0, 2.8, 2.8, 3.1, 40.3), (100, 3.8, 1, 2.7, 2.6, 2.8, 34.4)),
    ("mistral-7b", "beam", (98.1, 0.2, 0, 2.9, 3.0, 2.4, 38.9), (100, 0, 0, 2.4, 2.5, 1.5, 36.7)),
    ("mistral-7b", "nucleus", (93.9, 5.8, 2, 3.0, 3.0, 7.5, 34.3), (98.1, 3.7, 1, 2.9, 3.0, 6.8, 30.2)),
    ("mistral-7b", "flap.1", (100, 0, 0, 2.5, 2.5, 6.3, 4.6), (100, 0.1, 1, 2.7, 2.8, 6.0, 4.1)),
    ("mistral-7b", "flap.2", (100, 0.1, 0, 2.3, 2.3, 5.1, 5.5), (100, 0.4, 1, 2.3, 2.3, 5.9, 7.0)),
    ("mistral-7b", "flap.3", (100, 0.4, 0, 2.0, 2.0, 6.5, 3.6), (100, 0.4, 0, 2.3, 2.3, 6.6, 4.3)),
    ("mistral-7b", "flap.4", (100, 0.5, 0, 2.5, 2.5, 5.6, 7.7), (100, 0.4, 1, 2.2, 2.2, 6.1, 8.7)),
    ("mpt-7b", "greedy", (97.7, 35.1, 4, 13.9, 12.4, 11.9, 29.6), (98.9, 23.0, 3, 9.9, 8.9, 9.1, 33.4)),
    ("mpt-7b", "flap.1", (100, 1.3, 0, 5.5, 5.5, 6.3, 1.3), (100, 1.1, 0, 4.7, 4.7, 6.6, 1.2)),
    ("mpt-7b", "flap.2", (100, 3.0, 0, 5.7, 5.6, 4.3, 1.6), (100, 0.9, 0, 3.5, 3.4, 5.1, 1.2)),
    ("mpt-7b", "flap.3", (100, 1.0, 0, 5.0, 5.0, 6.1, 1.3), (100, 1.2, 0, 4.2, 4.2, 6.3, 2.4)),
    ("mpt-7b", "flap.4", (100, 3.6, 0, 5.5, 5.4, 4.8, 2.1), (100, 3.0, 0, 3.7, 3.4, 5.6, 3.7)),
)
"""FLAP, table 3."""


Measured = tuple[Written, Measures]
Rows = Mapping[tuple[str, str], Sequence[Measured]]
"""By system and setting the plans, each with its measures."""
GROUP = 5
"""Wordings of a group at most."""


def report(written: Sequence[Written], data: Data, nearest: Nearest) -> tuple[Table, ...]:
    """What the plans come to, by the gold as published and as mended (one table where that is the same), how reliable
    the systems are, which flow they take, and the paper's own figures."""
    published = measured(written, data, {name: Truth(domain) for name, domain in data.domains.items()}, nearest)
    mended = {name: Truth(domain.mended or domain) for name, domain in data.domains.items()}
    by_mended = measured(written, data, mended, nearest)
    figures = (
        (model, system, setting, *(f"{figure:.1f}" for figure in of))
        for model, system, *settings in PAPER
        for setting, of in zip(SETTINGS, settings, strict=True)
    )
    note = "FLAP, table 3: means over the paper's own 260 queries, models of 7B."
    readings = {"Plans": by_mended}
    if published != by_mended:
        readings = {"Plans, by the gold as published": published, "Plans, by the gold as mended": by_mended}
    return (
        *(_table(title, of) for title, of in readings.items()),
        _reliable(by_mended, data),
        _flows(by_mended, data),
        Table("The paper's", ("Model", "System", "Flows", *_heads(_PUBLISHED)), tuple(figures), note),
    )


def measured(written: Sequence[Written], data: Data, truths: Mapping[str, Truth], nearest: Nearest) -> Rows:
    """Each plan read and held against the truth of its domain."""
    queries = {query.id: query for query in data.queries}
    of: dict[tuple[str, str], list[Measured]] = {}
    for one in written:
        query = queries[one.query]
        thoughts = one.system != GREEDY_APIS
        plan = plans.read(one.text, thoughts=thoughts, cut=one.cut)
        measures = measure(plan, truths[query.domain], query.flow, nearest if thoughts else None)
        of.setdefault((one.system, one.setting), []).append((one, measures))
    return of


def _table(title: str, of: Rows) -> Table:
    rows = []
    for (system, setting), plans_of in of.items():
        found = summed([measures for _, measures in plans_of])
        cells = (_cell(found[name], scale) for name, (_, scale) in _COLUMNS.items())
        seconds = fmean(one.seconds for one, _ in plans_of)
        rows.append((system, setting, str(len(plans_of)), *cells, f"{seconds:.1f}"))
    return Table(title, ("System", "Flows", "Plans", *_heads(_COLUMNS), "Seconds"), tuple(rows), _NOTE)


def _reliable(of: Rows, data: Data) -> Table:
    """The share of groups of k wordings of what one flow serves that are all planned exactly (pass^k, tau-bench), in
    the mean over the flows: of every group that can be made of the wordings there are."""
    flows = {query.id: (query.domain, query.flow) for query in data.queries}
    rows = []
    for (system, setting), plans_of in of.items():
        groups: dict[tuple[str, str], list[float]] = {}
        for one, measures in plans_of:
            groups.setdefault(flows[one.query], []).append(measures.exact)
        shares = []
        for k in range(1, GROUP + 1):
            passed = [comb(int(sum(group)), k) / comb(len(group), k) for group in groups.values() if len(group) >= k]
            shares.append(f"{100 * fmean(passed):.1f}" if passed else "-")
        rows.append((system, setting, *shares))
    note = (
        "The share in percent of groups of k wordings of one flow's request whose every plan is exact by the gold as "
        "mended, in the mean over flows. Queries of our own, models of 0.5B to 1.5B."
    )
    return Table("pass^k", ("System", "Flows", *map(str, range(1, GROUP + 1))), tuple(rows), note)


def _flows(of: Rows, data: Data) -> Table:
    """Which flow those systems take that say so."""
    rows = []
    wanted = {query.id: query.flow for query in data.queries}
    for (system, setting), plans_of in of.items():
        said = [(one.chosen, wanted[one.query]) for one, _ in plans_of if one.chosen is not None]
        if said and setting == "all":
            columns = (
                [chosen[:1] == (flow,) for chosen, flow in said],
                [flow in chosen for chosen, flow in said],
                [len(chosen) > 1 for chosen, _ in said],
                [not chosen for chosen, _ in said],
            )
            rows.append((system, str(len(said)), *map(_percent, columns)))
    header = ("System", "Queries", "Right flow %", "Right one offered %", "Asks which %", "Refuses %")
    note = "Where several are offered the first is planned and measured. Queries of our own."
    return Table("Which flow", header, tuple(rows), note)


def beyond(written: Sequence[Written], data: Data) -> Table:
    """What the systems do with requests that are not one flow's, each a row by kind. Right: what nothing serves is
    refused; of what fits two it is asked which, with one of them at least; of a second wish, one of its flows is
    offered."""
    requests = {query.id: query for query in data.queries if isinstance(query, Beyond)}
    of: dict[tuple[str, str], list[tuple[Sequence[str], bool, bool]]] = {}
    for one in written:
        request, chosen = requests[one.query], one.chosen or ()
        offered = not {*chosen}.isdisjoint(request.flows)
        right = {"none": not chosen, "two": offered and len(chosen) > 1, "second": offered}[request.kind]
        of.setdefault((one.system, request.kind), []).append((chosen, offered, right))
    rows = []
    for (system, kind), found in of.items():
        columns = (
            [not chosen for chosen, *_ in found],
            [len(chosen) > 1 for chosen, *_ in found],
            [offered for _, offered, _ in found],
            [right for *_, right in found],
        )
        rows.append((system, kind, str(len(found)), *map(_percent, columns)))
    header = ("System", "Kind", "Requests", "Refused %", "Asked which %", "One of its flows %", "Right %")
    note = (
        "none: no flow serves it; two: it fits two; second: a second wish stands beside. Right: refused; asked which, "
        "with one of the two; one of its flows. Requests of our own."
    )
    return Table("Requests that are not one flow's", header, tuple(rows), note)


def _percent(found: Sequence[bool]) -> str:
    return f"{100 * fmean(found):.1f}"


def _cell(found: tuple[float, float], scale: int) -> str:
    mean, deviation = (value * scale for value in found)
    return f"{mean:.1f} ± {deviation:.1f}"


def _heads(names: Iterable[str]) -> list[str]:
    return [_COLUMNS[name][0] for name in names]


def nearest_by(encode: Encode) -> Nearest:
    """The most similar by the cosine of vectors of unit length, which are kept."""
    vectors: dict[str, np.ndarray] = {}

    def vector(text: str) -> np.ndarray:
        if text not in vectors:
            vectors[text] = encode([text])[0]
        return vectors[text]

    def nearest(text: str, sentences: Sequence[str]) -> int:
        of = [float(vector(text).dot(vector(sentence))) for sentence in sentences]
        return of.index(max(of))

    return nearest
