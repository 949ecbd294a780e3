"""The paper's tables 3, 13 and 14 of what was written, and its own figures to stand beside them.

plans as they were written, the data with its gold -> read, measured -> tables
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from statistics import fmean
from typing import TYPE_CHECKING

from trag.evaluate.flows import plans
from trag.evaluate.flows.data import Data
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
    "and no other, each behind what it needs, step by step. The paper's figures are of its own queries and of models "
    "of 7B."
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


def report(written: Sequence[Written], data: Data, nearest: Nearest) -> tuple[Table, ...]:
    """What the plans come to, by the gold as published and as mended, and the paper's own figures."""
    published = {name: Truth(domain) for name, domain in data.domains.items()}
    mended = {name: Truth(domain.mended or domain) for name, domain in data.domains.items()}
    figures = (
        (model, system, setting, *(f"{figure:.1f}" for figure in of))
        for model, system, *settings in PAPER
        for setting, of in zip(SETTINGS, settings, strict=True)
    )
    return (
        _table("Plans, by the gold as published", written, data, published, nearest),
        _table("Plans, by the gold as mended", written, data, mended, nearest),
        Table("The paper's", ("Model", "System", "Flows", *_heads(_PUBLISHED)), tuple(figures)),
    )


def _table(title: str, written: Sequence[Written], data: Data, truths: Mapping[str, Truth], nearest: Nearest) -> Table:
    queries = {query.id: query for query in data.queries}
    of: dict[tuple[str, str], list[tuple[Measures, float]]] = {}
    for one in written:
        query = queries[one.query]
        thoughts = one.system != GREEDY_APIS
        plan = plans.read(one.text, thoughts=thoughts, cut=one.cut)
        measures = measure(plan, truths[query.domain], query.flow, nearest if thoughts else None)
        of.setdefault((one.system, one.setting), []).append((measures, one.seconds))
    rows = []
    for (system, setting), measured in of.items():
        found = summed([measures for measures, _ in measured])
        cells = (_cell(found[name], scale) for name, (_, scale) in _COLUMNS.items())
        seconds = fmean(seconds for _, seconds in measured)
        rows.append((system, setting, str(len(measured)), *cells, f"{seconds:.1f}"))
    return Table(title, ("System", "Flows", "Plans", *_heads(_COLUMNS), "Seconds"), tuple(rows), _NOTE)


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
