"""The questions of an evaluation with what makes an answer right, as JSON lines; the sets of them that people keep."""

from __future__ import annotations

import hashlib
import logging
import re
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path
from typing import Annotated, Literal

from annotated_types import Ge, MinLen

from store import StoreError, files
from trag import json_lines
from trag.json_lines import Words

Polarity = Literal["yes", "no", ""]
SIMPLE = ("simple",)
COMPLEX = ("complex", "list", "count", "common parent", "siblings", "compound")
"""The kinds of case that ask about units (T-RAG, section 6.2)."""
LONGEST_NAME = 120

_SET, _ABOUT = ".jsonl", ".about"

log = logging.getLogger(__name__)


@dataclass(frozen=True, slots=True)
class Some:
    """Units of which an answer must name `at_least` so many: "name two teams of ..."."""

    units: tuple[Words, ...]
    at_least: Annotated[int, Ge(1)]


@dataclass(frozen=True, slots=True)
class Case:
    """One question and its gold: all that is given must hold of an answer for it to be right.

    A unit is given by its name in the chart, as "Parent > Name" where several share the name.
    """

    id: Words
    question: Words
    kind: Words
    """One of SIMPLE or COMPLEX, document, unanswerable, paraphrase, or any other word that tables are to be broken down
    by."""
    answer: str = ""
    """An answer in full, in the words of who made the case: how a person would put it, and no more than was asked."""
    gold: tuple[Annotated[tuple[Words, ...], MinLen(1)], ...] = ()
    """Items that an answer must hold, each in one of its alternatives."""
    forbidden: tuple[Words, ...] = ()
    """What an answer must not say."""
    units: tuple[Words, ...] = ()
    """The right set of a list, whole."""
    some: tuple[Some, ...] = ()
    count: Annotated[int, Ge(0)] | None = None
    polarity: Polarity = ""
    """"yes", "no", or "" where it is no question of that sort."""
    refuse: bool = False
    """Whether nothing in the documents or the chart answers it, so that only a refusal is right."""
    group: str = ""
    """What the paraphrases of one question share."""
    document: str = ""
    section: str = ""
    """Where the answer stands, headings from the outside in: "Leave > Annual leave"."""

    @property
    def listed(self) -> tuple[str, ...]:
        """Every unit that it lists, in a whole set or in one to name some of."""
        return (*self.units, *(name for some in self.some for name in some.units))


def names_section(case: Case, document: str, section: str) -> bool:
    """Whether the section of a document, the path of its headings, is the one that a case names, by its path or the
    end of it."""
    return document == case.document and f" > {section}".endswith(f" > {case.section}")


def read(content: bytes, name: str) -> tuple[Case, ...]:
    """The cases in a file called `name`, UTF-8 JSON lines with the fields of Case as keys; empty lines are skipped.

    Raises TragError with the number of every bad line and what is wrong with it, or when there is no case at all.
    """

    def wrong(case: Case) -> Iterator[str]:
        for one in case.some:
            if one.at_least > len(one.units):
                yield f'of {len(one.units)} units in "some" none can name {one.at_least}'
        if case.refuse and (case.gold or case.units or case.some or case.count is not None or case.polarity):
            yield 'a question to "refuse" has no other gold'

    hint = 'Each line is {"id": "...", "question": "...", "kind": "...", "gold": [["one form", "another"]], ...}.'
    return json_lines.read(content, Case, "case", hint, wrong, name=name)


def write(cases: Iterable[Case]) -> bytes:
    """The JSON lines that `read` reads; what is empty is left out."""
    return json_lines.write(json_lines.of(Case).dump_python(one, mode="json", exclude_defaults=True) for one in cases)


def sha256_of(cases: Sequence[Case]) -> str:
    """The hash of a case set, whatever file it came in."""
    return hashlib.sha256(write(cases)).hexdigest()


@dataclass(frozen=True, slots=True)
class CaseSet:
    """Questions that wait to be asked. `id` is what a run of them has as its cases_sha256; `kinds` are the kinds of
    question, each with how many there are; `chart` is the version of the chart that they were made from, "" where
    people wrote them, or nobody knows."""

    id: str
    name: str
    by: str
    at: datetime
    questions: int
    kinds: tuple[tuple[str, int], ...]
    chart: str = ""


@dataclass(frozen=True, slots=True)
class CaseSets:
    """The sets in one folder. Any method may raise StoreError for a failing disk."""

    folder: Path

    def all(self) -> tuple[CaseSet, ...]:
        """Every set, the newest first."""
        found = filter(None, (self.find(about.stem) for about in self.folder.glob(f"*{_ABOUT}")))
        return tuple(sorted(found, key=lambda each: each.at, reverse=True))

    def find(self, id: str) -> CaseSet | None:
        """The set with that content, None when it is not or no longer there, or what it is cannot be read: the log says
        so then, and keeping the same questions again mends it."""
        if not re.fullmatch(r"[0-9a-f]{64}", id) or not self._cases(id).is_file():
            return None
        try:
            return json_lines.kept(CaseSet, self._about(id).read_bytes())
        except FileNotFoundError:
            return None
        except ValueError as error:
            log.warning("%s cannot be read, so its set is left out: %r", self._about(id), error)
            return None

    def content(self, kept: CaseSet) -> bytes:
        """The questions as JSON lines. Raises StoreError when they have gone meanwhile."""
        try:
            return self._cases(kept.id).read_bytes()
        except FileNotFoundError as error:
            raise StoreError(f"{kept.name} is no longer here.", "It was removed in another window.") from error

    def cases(self, kept: CaseSet) -> tuple[Case, ...]:
        """The questions. Raises StoreError when they have gone meanwhile."""
        return read(self.content(kept), kept.name)

    def keep(self, cases: Sequence[Case], name: str, *, by: str, chart: str = "") -> CaseSet:
        """A set from now on. The same questions again are the same set, under the newer name; made from a chart, it
        stays so."""
        id, kinds = sha256_of(cases), tuple(Counter(case.kind for case in cases).items())
        earlier = self.find(id)
        chart = chart or (earlier.chart if earlier else "")
        kept = CaseSet(id, shown_name(name), by, datetime.now(UTC), len(cases), kinds, chart)
        self.folder.mkdir(parents=True, exist_ok=True)
        # What it is comes first: a kill between the two leaves a note that nobody looks at.
        files.write_atomic(self._about(kept.id), json_lines.to_keep(kept))
        files.write_atomic(self._cases(kept.id), write(cases))
        return kept

    def remove(self, id: str) -> None:
        """Forget a set; the runs of it keep their questions. One that is not there is forgotten already."""
        if re.fullmatch(r"[0-9a-f]{64}", id):
            self._cases(id).unlink(missing_ok=True)
            self._about(id).unlink(missing_ok=True)

    def _cases(self, id: str) -> Path:
        return self.folder / f"{id}{_SET}"

    def _about(self, id: str) -> Path:
        return self.folder / f"{id}{_ABOUT}"


def shown_name(name: str) -> str:
    """A name as it may be kept and shown: the last part of a path, without its suffix and without controls."""
    last = re.split(r"[/\\]", name)[-1].removesuffix(_SET)
    kept = " ".join("".join(character if character.isprintable() else " " for character in last).split())
    return kept[:LONGEST_NAME] or "Questions"
