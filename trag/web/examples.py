"""Example questions for an empty page, taken from what there is to ask about.

Knows nothing about pages.
"""

from __future__ import annotations

from collections.abc import Iterable
from itertools import islice

from org.chart import Chart
from store.passage import Passage

EXAMPLES = 4
LOOKED_AT = 400
"""Passages looked through for a question: the first page should not wait for a whole library."""


def examples(chart: Chart | None, passages: Iterable[Passage]) -> tuple[str, ...]:
    """At most four questions: where a unit sits, what another holds, then pairs, each from another section."""
    found = [*_about(chart)] if chart else []
    pairs = [passage for passage in islice(passages, LOOKED_AT) if passage.kind == "qa" and len(passage.question) <= 80]
    sections = {(pair.document, pair.section): pair.question for pair in pairs}
    wanted = EXAMPLES - len(found)
    found += list(sections.values())[:: max(1, len(sections) // wanted)][:wanted]
    return tuple(found)


def _about(chart: Chart) -> Iterable[str]:
    deepest = max(chart.units, key=chart.depth)
    if chart.depth(deepest):
        yield f"Where does {chart.unit(deepest).name} sit?"
    for unit in chart.units:
        if unit != chart.root.id and 3 <= len(chart.children(unit)) <= 8:
            yield f"What is directly under {chart.unit(unit).name}?"
            return
