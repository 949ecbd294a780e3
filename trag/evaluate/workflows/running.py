"""Systems put to cases, each workflow kept before the next is written; what was interrupted goes on.

<folder>/<sha256 of all that the workflows depend on>.jsonl, a workflow a line; what the product drafts depends on its
code too.
"""

from __future__ import annotations

import hashlib
import inspect
from collections.abc import Callable, Mapping, Sequence
from contextlib import closing
from dataclasses import asdict
from functools import cache, partial
from pathlib import Path
from typing import TYPE_CHECKING, Any, get_args

import prompts
from org.procedures.flows import Book
from trag.embed import open_embedder
from trag.evaluate import runs
from trag.evaluate.workflows import systems
from trag.evaluate.workflows.cases import Case, Cases
from trag.evaluate.workflows.scores import Form
from trag.evaluate.workflows.systems import MAX_TOKENS, TRAG, Examples, Written
from trag.llm.model import LanguageModel
from trag.progress import Progress
from trag.reranking.reranker import Reranker
from trag.retrieve import Weigh
from trag.workflow import choosing, drafting, structure, suggesting
from trag.workflow.choosing import Decided, fitted
from trag.workflow.drafting import Drafter
from trag.workflow.suggesting import LEARNED, Suggester

if TYPE_CHECKING:
    from trag.home import Home

_DRAFTING = (choosing, drafting, structure, suggesting)


def measure(
    home: Home,
    sets: Sequence[Cases],
    shown: Cases,
    chosen: Sequence[str],
    form: Form,
    k: int,
    progress: Progress,
) -> Mapping[str, Sequence[Written]]:
    """What `run` writes with a home's model, plain prompting without its adapter, kept among the results of the home.
    Plain prompting shows requests of `shown`, and `k` suggested steps."""
    examples, weigh = Examples(shown, open_embedder("", LEARNED).embed_passages, k), Reranker().weigh
    own = [system for system in chosen if system.startswith(TRAG)]
    others = [system for system in chosen if system not in own]
    folder = home.folder / "results" / "workflows"
    found = []
    if own:
        found.append(run(folder, home.model, sets, own, examples, weigh, form, progress))
    if others:
        with closing(home.model_with("base")) as base:
            found.append(run(folder, base, sets, others, examples, weigh, form, progress))
    return {each.name: [one for written in found for one in written[each.name]] for each in sets}


def run(
    folder: Path,
    model: LanguageModel,
    sets: Sequence[Cases],
    chosen: Sequence[str],
    examples: Examples,
    weigh: Weigh,
    form: Form,
    progress: Progress,
) -> Mapping[str, Sequence[Written]]:
    """By the name of each set the workflows of each system, one system of one set after the other; those that `folder`
    keeps of the same model, catalogue, examples and prompt are not written again. Free prompting alone writes another
    `form` than lines. `progress` is told the system and set, the workflows there are, and those there will be.

    Raises TragError when a system cannot be run, and when what is kept is damaged; what was written stays.
    """
    folder.mkdir(parents=True, exist_ok=True)
    found: dict[str, list[Written]] = {each.name: [] for each in sets}
    done, total = 0, len(chosen) * sum(len(each.cases) for each in sets)
    for each in sets:
        suggester = cache(partial(Suggester, each.book, examples.encode))
        for system in chosen:
            as_ = form if system.startswith(systems.FREE) else "lines"
            file = folder / f"{_depends(model, each, system, as_, examples)}.jsonl"
            kept = {(one.case, one.request): one for one in runs.kept(file, Written)}
            write: Callable[[Case], Written] | None = None
            for case in each.cases:
                progress(f"{system}, {each.name}", done, total)
                written = kept.get((case.id, case.request))
                if written is None:
                    write = write or _writer(model, each.book, system, as_, examples, suggester, weigh)
                    written = write(case)
                    runs.append(file, asdict(written))
                found[each.name].append(written)
                done += 1
    return found


def _writer(
    model: LanguageModel,
    book: Book,
    system: str,
    form: Form,
    examples: Examples,
    suggester: Callable[[], Suggester],
    weigh: Weigh,
) -> Callable[[Case], Written]:
    """What writes as a system does, by a catalogue."""
    if system == TRAG:
        return partial(systems.by_drafter, model, Drafter(book, examples.encode, weigh))
    if system == systems.NO_SUGGESTIONS:
        return partial(systems.by_reader, model, book)
    suggests = None if system.endswith(systems.WITHOUT) else suggester()
    return partial(systems.by_prompt, model, book, suggests, examples, system, form)


def _depends(model: LanguageModel, cases: Cases, system: str, form: Form, examples: Examples) -> str:
    """The sha256 of what a workflow depends on beside its request and the program, which each names. The encoder is
    told by what it makes of a text."""
    identity = (model.identity, model.context, cases.book.version, system, form, MAX_TOKENS)
    encoder = examples.encode(["When a request arrives, do this."])[0].round(2).tolist()
    if system == TRAG:
        given: Any = [inspect.getsource(each) for each in _DRAFTING] + [*map(fitted, get_args(Decided))]
    elif system == systems.NO_SUGGESTIONS:
        given = prompts.workflow("")
    else:
        given = (examples.k, examples.cases, prompts.workflow_by_examples("", {}, (), form=form))
    return hashlib.sha256(repr((*identity, encoder, given)).encode()).hexdigest()[:16]
