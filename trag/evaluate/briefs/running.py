"""Systems put to names, each text kept before the next is written; what was interrupted goes on.

<folder>/<sha256 of all that the texts depend on>.jsonl, a text a line
"""

from __future__ import annotations

import hashlib
import inspect
from collections.abc import Mapping, Sequence
from dataclasses import asdict
from pathlib import Path
from typing import Any

import prompts
from trag.ask import Assistant
from trag.brief import gathering, writer, writing
from trag.evaluate import runs
from trag.evaluate.briefs import systems
from trag.evaluate.briefs.names import Name
from trag.evaluate.briefs.systems import QUOTES, TRAG, WAYS, Written
from trag.progress import Progress


def run(
    folder: Path, assistant: Assistant, names: Sequence[Name], chosen: Sequence[str], times: int, progress: Progress
) -> Mapping[str, Sequence[Written]]:
    """By system its texts about all names; the paper's ways write `times` times each, the product is the same every
    time. `progress` is told the system, the texts there are, and those there will be.

    Raises TragError when a system cannot be run, and when what is kept is damaged; what was written stays.
    """
    folder.mkdir(parents=True, exist_ok=True)
    found: dict[str, list[Written]] = {system: [] for system in chosen}
    done, total = 0, len(names) * sum(times if system in WAYS else 1 for system in chosen)
    for system in chosen:
        file = folder / f"{_depends(assistant, system)}.jsonl"
        kept = {(one.set, one.name, one.run): one for one in runs.kept(file, Written)}
        for name in names:
            for number in range(times if system in WAYS else 1):
                progress(system, done, total)
                text = kept.get((name.set, name.name, number))
                if text is None:
                    text = systems.write(assistant, system, name.set, name.name, number)
                    runs.append(file, asdict(text))
                found[system].append(text)
                done += 1
    return found


def _depends(assistant: Assistant, system: str) -> str:
    """The sha256 of what a text depends on beside its name and run: the model, the documents and chart, the way."""
    passages = sorted(one.id for one in assistant.records.library.passages()) if assistant.records else ()
    if system in (TRAG, QUOTES):
        given: Any = [inspect.getsource(each) for each in (gathering, writer, writing)]
        given += [prompts.brief_line("", "", "", ""), prompts.brief_questions("", (), ())]
    else:
        given = [WAYS[system], inspect.getsource(systems)]
    identity = (assistant.model.identity, assistant.model.context, assistant.organization.version, passages, system)
    return hashlib.sha256(repr((*identity, given)).encode()).hexdigest()[:16]
