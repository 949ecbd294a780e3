"""Questions about any chart with their right answers, made by rules: an organization is measured as soon as it has one.

from trag.evaluate.chart_cases import make
cases = make(chart, seed=7, number=120)

The gold is read off the chart here, and nothing is shared with what it measures: not how units are found in a question,
nor how the chart answers.
"""

from trag.evaluate.chart_cases.generation import KINDS, make

__all__ = ["KINDS", "make"]
