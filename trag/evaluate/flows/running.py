"""Systems put to queries, each plan kept before the next is written; what was interrupted goes on.

<folder>/<sha256 of all that the plans depend on>.jsonl, a plan a line: whatever the system, they are in one file, but
for those of the product's planner, which depend on its code too.
"""

from __future__ import annotations

import hashlib
import inspect
from collections.abc import Sequence
from dataclasses import asdict
from pathlib import Path

import prompts
from trag.evaluate import runs
from trag.evaluate.flows.data import Data, Query
from trag.evaluate.flows.writing import MAX_TOKENS, TRAG, Setting, Written, write
from trag.flow import binding, choosing, planner, planning, prompting
from trag.flow.lookahead import LENGTH, WIDTH
from trag.flow.planner import Planner
from trag.flow.scoring import FLAP, Encode
from trag.llm.model import LanguageModel
from trag.progress import Progress
from trag.retrieve import Weigh

_PLANNING = (binding, choosing, planner, planning)


def chosen(data: Data, half: str = "", number: int = 0) -> tuple[Query, ...]:
    """The queries of one half, "" for both; of each flow the first `number` of them, 0 for all."""
    taken: dict[tuple[str, str], list[Query]] = {}
    for query in data.queries:
        if half in ("", query.half):
            taken.setdefault((query.domain, query.flow), []).append(query)
    return tuple(query for of in taken.values() for query in of[: number or None])


def run(
    folder: Path,
    model: LanguageModel,
    data: Data,
    queries: Sequence[Query],
    tasks: Sequence[tuple[str, Setting]],
    encode: Encode,
    weigh: Weigh,
    progress: Progress,
) -> tuple[Written, ...]:
    """The plan of each system in its setting for each query, all of the first task first; those that `folder` keeps of
    the same model, domains and prompt are not written again. `progress` is told the system, the plans there are, and
    those there will be.

    Raises TragError when a system cannot be run, and when what is kept is damaged; what was written stays.
    """
    folder.mkdir(parents=True, exist_ok=True)
    planners = {name: Planner(one.book, None, encode, weigh, lambda *_: True) for name, one in data.domains.items()}
    files = {system: folder / f"{_depends(model, data, system)}.jsonl" for system, _ in tasks}
    kept = {(one.system, one.setting, one.query): one for file in {*files.values()} for one in runs.kept(file, Written)}
    found: list[Written] = []
    for system, setting in tasks:
        for query in queries:
            progress(f"{system}, {setting}", len(found), len(tasks) * len(queries))
            plan = kept.get((system, setting, query.id))
            if plan is None:
                plan = write(model, planners[query.domain], query, system, setting, encode)
                runs.append(files[system], asdict(plan))
            found.append(plan)
    return tuple(found)


def _depends(model: LanguageModel, data: Data, system: str) -> str:
    """The sha256 of what a plan depends on beside system, setting and the program, which each plan names."""
    own = tuple(map(inspect.getsource, _PLANNING)) + prompts.question("") if system == TRAG else ()
    books = [domain.book for domain in data.domains.values()]
    messages = [prompting.messages("", book.actions.values(), book.procedures.values()) for book in books]
    given = (model.identity, model.context, messages, data.queries, FLAP, (WIDTH, LENGTH, MAX_TOKENS), *own)
    return hashlib.sha256(repr(given).encode()).hexdigest()[:16]
