"""What a home's reviewers say of its workflows, to learn from: of each request the workflow that is right."""

from __future__ import annotations

from typing import TYPE_CHECKING

from store.passage import EVERYONE
from trag.flow.rights import documents_of
from trag.review.verdicts import held
from trag.review.workflows import right
from trag.workflow.rights import usable

if TYPE_CHECKING:
    from trag.home import Home
    from trag.workflow.record import Workflow


def judged(home: Home) -> tuple[Workflow, ...]:
    """The workflows that were found right or corrected, each with its request, the one judged first first. What is
    learned is for everybody: only those that name nothing but what everybody may use of the catalogue in use."""
    book = home.procedures.in_use
    if book is None:
        return ()
    names = usable(book, home.organization.chart, frozenset({EVERYONE}), documents_of(home.records.library))
    found = (right(label.corrected) for _, stored, label in held(home.records) if stored.kind == "workflow")
    return tuple(workflow for workflow in found if workflow and workflow.named <= names)
