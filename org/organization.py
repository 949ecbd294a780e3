"""The chart that people are answered from, with what finds its units in a text.

Knows nothing about questions or models.
"""

from __future__ import annotations

from dataclasses import dataclass

from org.chart import Chart
from org.entities import EntityFinder


@dataclass(frozen=True, slots=True)
class Organization:
    """The name of the organization, its chart and the finder made from it; replaced as a whole by another chart."""

    name: str
    chart: Chart | None = None
    finder: EntityFinder | None = None

    @property
    def version(self) -> str:
        """The chart's version, "" without one."""
        return self.chart.version if self.chart else ""
