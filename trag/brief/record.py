"""The record of a briefing: everything that explains it, in one stable shape for the terminal, the API and the
store."""

from __future__ import annotations

from dataclasses import asdict, dataclass
from typing import Literal

from trag.json_lines import as_line, kept
from trag.record import ModelUsed, Source

NO_MODEL = ModelUsed("", "", "")
Length = Literal["short", "standard", "full"]
BriefStatus = Literal["written", "too_little", "cannot_answer", "ask_which"]
How = Literal["model", "quotation", "chart"]


@dataclass(frozen=True, slots=True)
class BriefQuestion:
    """A question that a part of the briefing answers, or the documents leave `open`. `by` says who asked it: a pair
    that was made of the documents, or the reader."""

    text: str
    by: Literal["documents", "reader"]


@dataclass(frozen=True, slots=True)
class BriefSentence:
    """One sentence, the id of the source that bears it out, and the words there, exactly as they stand. `how` says who
    worded it; a quotation has the words of the source."""

    text: str
    source: str
    evidence: str
    how: How


@dataclass(frozen=True, slots=True)
class Part:
    """One paragraph, under the heading of the documents that it comes from, with the questions that it answers."""

    title: str
    sentences: tuple[BriefSentence, ...]
    questions: tuple[BriefQuestion, ...] = ()

    @property
    def text(self) -> str:
        """The paragraph."""
        return " ".join(one.text for one in self.sentences)


@dataclass(frozen=True, slots=True)
class BriefRecord:
    """One briefing on `subject`, as it was typed; `unit` is the id of the unit that it names, "" for none.

    `open` are the questions that no document answers. `choices` are, with `ask_which`, the units that the subject may
    mean, else, where nothing is said, the headings that are nearest. `rewritten` and `quoted` count the sentences that
    did not stand on their source at first, and those that did not after that either and are its own words. `chart` is
    the version in use. `interrupted` says why it stops early, "" where it is whole; `previous` is the id of the
    briefing that it was made of when a source had changed, and `changed` the places of the parts that are new in it.
    """

    id: str
    subject: str
    status: BriefStatus
    length: Length = "standard"
    unit: str = ""
    parts: tuple[Part, ...] = ()
    open: tuple[BriefQuestion, ...] = ()
    choices: tuple[str, ...] = ()
    sources: tuple[Source, ...] = ()
    rewritten: int = 0
    quoted: int = 0
    chart: str = ""
    seconds: float = 0.0
    first: float = 0.0
    """Seconds to the first evidence."""
    model: ModelUsed = NO_MODEL
    interrupted: str = ""
    previous: str = ""
    changed: tuple[int, ...] = ()
    kind: str = "brief"

    @property
    def text(self) -> str:
        """The paragraphs, with an empty line between them."""
        return "\n\n".join(part.text for part in self.parts)

    @property
    def documents(self) -> frozenset[str]:
        """The names of the documents that it stands on."""
        return frozenset(one.document for one in self.sources if one.kind != "chart")

    def to_json(self) -> str:
        """The record as one line of JSON."""
        return as_line(asdict(self))

    @classmethod
    def from_json(cls, text: str) -> BriefRecord:
        """The record that `to_json` wrote. Raises ValueError for anything else."""
        return kept(cls, text)
