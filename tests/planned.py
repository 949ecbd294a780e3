"""A club with written procedures, some of them for one unit each, planned by with a scripted reader and an encoder that
counts words: for tests that are about something else than which procedure is found."""

from __future__ import annotations

import zlib
from collections.abc import Sequence
from types import SimpleNamespace
from typing import TYPE_CHECKING, Any

import numpy as np

from org.linking.entities import Organization
from org.procedures.actions import Action, Source
from org.procedures.flows import Book, Procedure, Step
from org.reading.charts import load
from store.passage import OPEN, Passage
from trag.flow.planner import Planner
from trag.flow.rights import documents_of
from trag.lexical import stems
from trag.llm.model import ModelIdentity
from trag.llm.queue import Leases, RequestQueue

if TYPE_CHECKING:
    from store.library import Library
    from trag.home import Home

UNITS = ("board", "bar", "band", "bees", "boats", "books", "bikes", "baths")
CHART = load(
    "\n".join(
        ["id,name,parent,type,head", "c,Club,,club,Ann Owl", *(f"{u},{u.title()},Club,team,Head {u}" for u in UNITS)]
    ).encode(),
    "chart.csv",
)
BADGE = Source("all.md", "1 Lost badge")


def canaries(unit: str) -> tuple[str, ...]:
    """Words that only the procedures of a unit hold: those in its own document, and those that are for its people."""
    return tuple(
        f"{where}-{unit}" for where in ("ZDOCUMENT", "ZTITLE", "ZWHEN", "ZSTEP", "ZACTION", "ZABOUT", "ZTHING", "ZFOR")
    )


def book() -> Book:
    """One procedure that is open to everyone, and two of each unit."""
    lost, blocked = ("lost report",), ("block",)
    actions = [
        Action(
            "Report", "Report the lost badge", "Say that the badge is lost.", (("staff number",),), lost, source=BADGE
        ),
        Action("Block", "Block the badge", "The badge opens no door.", (lost,), blocked, "Board", ("Board",), BADGE),
        Action("Print", "Print a new badge", "A new badge is made.", (blocked,), ("badge",), "Bar", ("Bar",), BADGE),
    ]
    steps = (Step("Say that it is lost", ("Report",)), Step("It is blocked and printed", ("Block", "Print")))
    procedures = [Procedure("badge", "Replace a lost badge", "when a badge is lost", steps=steps, source=BADGE)]
    for unit in UNITS:
        document, title, when, step, action, about, thing, own = canaries(unit)
        for id, audience, source, word in (
            (f"vault-{unit}", (), Source(f"{document}.md", f"1 {title}"), title),
            (f"key-{unit}", (unit.title(),), Source("all.md", f"2 {own}"), own),
        ):
            act = Action(
                f"{action}-{id}",
                f"Open the vault {word}",
                about,
                ((thing,),),
                (f"{thing} opened",),
                unit.title(),
                (),
                source,
            )
            actions.append(act)
            procedures.append(
                Procedure(
                    id, f"Open the vault {word}", when, audience, (Step(f"Open it {step} {word}", (act.id,)),), source
                )
            )
    return Book.of(actions, procedures)


def stock(library: Library) -> None:
    """The documents that the procedures stand in, those of units for their people alone."""
    audiences = {"all.md": OPEN} | {f"{canaries(unit)[0]}.md": frozenset({unit}) for unit in UNITS}
    for name, audience in audiences.items():
        library.put(name, "1" * 64, None, [Passage(f"p-{name}", "section", name, "1 Lost badge", None, "Words.")])
        library.set_audience(name, audience)


def fill(home: Home) -> None:
    """A home in which all this is in use."""
    stock(home.records.library)
    home.parts["organization"] = Organization.of(CHART)
    home.procedures._in_use = book()
    plan_by_words(home)


def plan_by_words(home: Any) -> None:
    """The planner of a home, for the book and the chart that it has now."""

    made = Planner(home.procedures.in_use, home.organization.chart, encoded, weigh, documents_of(home.records.library))
    home.parts["planner"] = made


def weigh(question: str, texts: Sequence[str]) -> np.ndarray:
    """The words that a text has in common with a question, counted little."""
    return np.array([len(stems(question) & stems(text)) for text in texts], float) / 1_000


def encoded(texts: Sequence[str]) -> np.ndarray:
    """The words of each text, counted in 64 places; short vectors, so that the reader alone decides."""
    vectors = np.zeros((len(texts), 64))
    for row, text in zip(vectors, texts, strict=True):
        for word in stems(text):
            row[zlib.crc32(word.encode()) % 64] += 1
    return vectors / np.maximum(np.linalg.norm(vectors, axis=1, keepdims=True), 1e-9) / 30


class Choosing:
    """A reader that would be asked a request so likely of nothing, and of the procedures in the order in which it sees
    them, or raises; and all that it was shown."""

    identity = ModelIdentity("scripted")
    slots = 1

    def __init__(self, *weights: float) -> None:
        self.weights, self.shown, self.error = weights, "", None
        self._seen = 0

    error: Exception | None

    def log_probabilities(
        self, messages: Sequence[Any], beginnings: Sequence[str], *, task: str = "other"
    ) -> tuple[float, ...]:
        line = messages[-1].content
        self.shown = f"{self.shown}\n{line}" if self._seen else line
        if self.error:
            raise self.error
        self._seen = 0 if line == "..." else self._seen + 1
        return (self.weights[self._seen] if self._seen < len(self.weights) else -99.0,)


def assistant(model: Any, waiting: int = 5) -> Any:
    """As much of an assistant as plans need."""
    return SimpleNamespace(model=model, line=RequestQueue(1, waiting), leases=Leases())
