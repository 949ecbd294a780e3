"""All pairs of a document: by rules, and by a configured model that is able to write, section by section.

What a model has written of a section is kept, so that a job that was stopped goes on where it was, and a section that
did not change is not written about again, on whatever page it stands now. Knows nothing about documents or the index.
"""

from __future__ import annotations

import hashlib
import json
import logging
from collections.abc import Sequence
from dataclasses import asdict, replace
from pathlib import Path
from typing import TYPE_CHECKING

from store.files import write_atomic
from trag.errors import in_one_line
from trag.ingest.alike import distinct
from trag.ingest.places import unnumbered
from trag.llm.remote import RequestRefused
from trag.pairs.made import Made
from trag.pairs.rules import by_rules
from trag.pairs.written import written

if TYPE_CHECKING:
    from trag.ingest.sections import Section
    from trag.llm import LanguageModel
    from trag.progress import Progress

log = logging.getLogger(__name__)


def pairs_of(
    sections: Sequence[Section],
    progress: Progress,
    *,
    model: LanguageModel | None,
    folder: Path,
    examples: Sequence[str] = (),
) -> tuple[Made, ...]:
    """The pairs of a document's sections, near-duplicates left out. `model` is None where none is able; `folder` keeps
    what it wrote. `examples` are questions in whose manner it writes too; rules have no use for them. What `progress`
    raises ends the work between two sections.

    A section that the model cannot be asked about, such as one that is too long for it, has those by rules alone; it
    is asked about again another time. Raises TragError when that is so of every section, and when the model cannot be
    reached.
    """
    made = list(by_rules(sections))
    if model is not None:
        refused: list[RequestRefused] = []
        for number, section in enumerate(sections):
            progress("writing pairs", number, len(sections))
            try:
                made += _written(section, model, folder, examples)
            except RequestRefused as error:
                log.warning("no pairs are written about %r: %s", section.path, in_one_line(error))
                refused.append(error)
        if refused and len(refused) == len(sections):  # it is not the sections that are at fault
            raise refused[0]
    return distinct(made)


def _written(section: Section, model: LanguageModel, folder: Path, examples: Sequence[str]) -> Sequence[Made]:
    """What the model writes of a section, or wrote when it stood under another number or on another page."""
    told = "\0".join([str(model.identity), unnumbered(section.path), section.text, *examples])
    path = folder / f"{hashlib.sha256(told.encode()).hexdigest()}.json"
    if path.exists():
        kept = [Made(**row) for row in json.loads(path.read_text(encoding="utf-8"))]
        return [replace(pair, section=section.path, page=section.page) for pair in kept]
    pairs = written(section, model, examples=examples)
    folder.mkdir(parents=True, exist_ok=True)
    write_atomic(path, json.dumps([asdict(pair) for pair in pairs]).encode())
    return pairs
