"""A whole run as a file to keep or to pass on: its tables as Markdown, its answers as CSV, all of it as JSON.

run, results -> text.  Knows nothing about where the text goes.
"""

from __future__ import annotations

import json
from collections.abc import Sequence
from dataclasses import asdict

from trag.evaluate import tables
from trag.evaluate.runs import Result, Run


def as_markdown(run: Run, results: Sequence[Result]) -> str:
    """What was run, and every table."""
    return in_markdown(run, tables.report(results))


def in_markdown(run: Run, shown: Sequence[tables.Table]) -> str:
    """What was run, and these tables of it."""
    return "\n".join([f"## {tables.plain(heading(run))}\n", *(tables.markdown(table) for table in shown)])


def as_csv(results: Sequence[Result]) -> str:
    """Every answer with its score, a row each."""
    return tables.as_csv(tables.answers(results))


def as_json(run: Run, results: Sequence[Result]) -> str:
    """An object with the run, its tables, and every answer record with its case and score."""
    values = {
        "run": asdict(run),
        "tables": [asdict(table) for table in tables.report(results)],
        "results": [asdict(result) for result in results],
    }
    return json.dumps(values, ensure_ascii=False, indent=1, default=str) + "\n"


def heading(run: Run) -> str:
    """One line that tells this run from any other."""
    return (
        f"{run.cases_name} ({run.cases_sha256[:12]}), {run.started:%Y-%m-%d %H:%M} UTC, commit {run.commit}, "
        f"{model_of(run)}, chart {run.chart or 'none'}"
    )


def model_of(run: Run) -> str:
    """The model of a run and its adapter, each with the first digits of its hash."""
    model = f"{run.model.name} ({run.model.sha256[:12]})" if run.model.sha256 else run.model.name
    return f"{model} with {run.model.adapter} ({run.adapter_sha256[:12]})" if run.model.adapter else model
