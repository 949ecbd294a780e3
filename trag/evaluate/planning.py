"""The run that would begin now: what its answers will depend on, written down before the first is given.

model, what is asked of whom -> a Run without an id.  Knows nothing about how runs are kept.
"""

from __future__ import annotations

import hashlib
from collections.abc import Sequence
from datetime import UTC, datetime
from typing import TYPE_CHECKING

from trag.evaluate import program
from trag.evaluate.runs import Run
from trag.record import ModelUsed

if TYPE_CHECKING:
    from trag.llm.model import LanguageModel


def plan(
    model: LanguageModel,
    cases_name: str,
    cases_sha256: str,
    systems: Sequence[str],
    *,
    chart: str,
    total: int,
    evidence: tuple[object, ...],
) -> Run:
    """`total` answers by these systems with this model. `chart` is the version of the chart that they depend on, "" for
    none; `evidence` is all that they depend on beside, each with a `repr` that tells it whole."""
    identity = model.identity
    return Run(
        id="",
        cases_name=cases_name,
        cases_sha256=cases_sha256,
        systems=tuple(dict.fromkeys(systems)),
        started=datetime.now(UTC),
        finished=None,
        commit=program.commit(),
        model=ModelUsed(identity.name, identity.sha256, identity.adapter),
        chart=chart,
        total=total,
        adapter_sha256=identity.adapter_sha256,
        evidence=fingerprint(evidence),
    )


def fingerprint(evidence: tuple[object, ...]) -> str:
    """The sha256 of all that answers depend on beside model and chart, each with a `repr` that tells it whole."""
    return hashlib.sha256(repr(evidence).encode()).hexdigest()
