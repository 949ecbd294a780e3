"""What the pipeline would send with a question: the statements and passages of `Asking`, found by Asking itself.

question, assistant -> Context.  Knows nothing about answers.
"""

from __future__ import annotations

import threading
from collections.abc import Sequence
from dataclasses import dataclass

from store.passage import Passage
from trag.ask import Assistant, cleaned
from trag.asking import Asking, as_read
from trag.finetune.dataset.examples import Asked, Example
from trag.systems import SYSTEMS


@dataclass(frozen=True, slots=True)
class Context:
    """The facts that would stand before a question, in the pipeline's order; `about_chart` is which of the two comes
    last."""

    statements: tuple[str, ...]
    passages: tuple[Passage, ...]
    about_chart: bool


def gather(question: str, assistant: Assistant, *, system: str = "trag") -> Context:
    """What `system` finds for a question. Raises TragError for one that cannot be asked."""
    asking = Asking(assistant, cleaned(question), SYSTEMS[system], None, threading.Event())
    asking.understand(())
    asking.gather()
    statements = tuple(statement.text for statement in asking.statements)
    return Context(statements, asking.passages, asking.stated is not None)


def example(source: str, organization: str, context: Context, asked: Sequence[Asked]) -> Example:
    """Questions over a context, to learn from."""
    passages = tuple(map(as_read, context.passages))
    return Example(source, organization, context.statements, passages, context.about_chart, tuple(asked))
