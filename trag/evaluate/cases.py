"""The questions of an evaluation with what makes an answer right, as JSON lines; the sets of them that people keep."""

from __future__ import annotations

import hashlib
import json
import logging
import re
from collections import Counter
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import asdict, dataclass
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

from store import StoreError, files
from trag import json_lines
from trag.errors import TragError
from trag.json_lines import FLAG, TEXTS, WORDS, BadLineError, Shape, is_list_of, is_words

POLARITIES = ("yes", "no")
SIMPLE = ("simple",)
COMPLEX = ("complex", "list", "count", "common parent", "siblings", "compound")
"""The kinds of case that ask about units (T-RAG, section 6.2)."""
LONGEST_NAME = 120

_SET, _ABOUT = ".jsonl", ".about"

log = logging.getLogger(__name__)


@dataclass(frozen=True, slots=True)
class Some:
    """Units of which an answer must name `at_least` so many: "name two teams of ..."."""

    units: tuple[str, ...]
    at_least: int


@dataclass(frozen=True, slots=True)
class Case:
    """One question and its gold: all that is given must hold of an answer for it to be right.

    A unit is given by its name in the chart, as "Parent > Name" where several share the name.
    """

    id: str
    question: str
    kind: str
    """One of SIMPLE or COMPLEX, document, unanswerable, paraphrase, or any other word that tables are to be broken down
    by."""
    answer: str = ""
    """An answer in full, in the words of who made the case: how a person would put it, and no more than was asked."""
    gold: tuple[tuple[str, ...], ...] = ()
    """Items that an answer must hold, each in one of its alternatives."""
    forbidden: tuple[str, ...] = ()
    """What an answer must not say."""
    units: tuple[str, ...] = ()
    """The right set of a list, whole."""
    some: tuple[Some, ...] = ()
    count: int | None = None
    polarity: str = ""
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
    ids: set[str] = set()

    def made(values: Mapping[str, Any]) -> Case:
        if wrong := json_lines.wrong(values, _SHAPES, ("id", "question", "kind")):
            raise BadLineError(wrong)
        case = Case(**{key: _READ[key](value) if key in _READ else value for key, value in values.items()})
        wrong = [
            f'of {len(one.units)} units in "some" none can name {one.at_least}'
            for one in case.some
            if one.at_least > len(one.units)
        ]
        if case.refuse and (case.gold or case.units or case.some or case.count is not None or case.polarity):
            wrong.append('a question to "refuse" has no other gold')
        if wrong or case.id in ids:
            raise BadLineError(wrong or [f'the id "{case.id}" occurs twice'])
        ids.add(case.id)
        return case

    hint = 'Each line is {"id": "...", "question": "...", "kind": "...", "gold": [["one form", "another"]], ...}.'
    cases = json_lines.read(content, made, f"{name} cannot be used", hint)
    if not cases:
        raise TragError(f"{name} holds no case.", hint)
    return cases


def write(cases: Iterable[Case]) -> bytes:
    """The JSON lines that `read` reads; what is empty is left out."""
    return json_lines.write(
        {
            key: value
            for key, value in asdict(case).items()
            if value is not None and value is not False and value not in ("", ())
        }
        for case in cases
    )


def sha256_of(cases: Sequence[Case]) -> str:
    """The hash of a case set, whatever file it came in."""
    return hashlib.sha256(write(cases)).hexdigest()


def _is_number(value: object) -> bool:
    return isinstance(value, int) and not isinstance(value, bool) and value >= 0


_TEXT: Shape = ("text", lambda value: isinstance(value, str))
_SHAPES: Mapping[str, Shape] = {
    "id": WORDS,
    "question": WORDS,
    "kind": WORDS,
    "answer": _TEXT,
    "gold": (
        "a list of items, each a list of alternatives, none empty",
        is_list_of(lambda item: is_list_of(is_words)(item) and item != []),
    ),
    "forbidden": TEXTS,
    "units": TEXTS,
    "some": (
        'a list of {"units": [...], "at_least": 1 or more}',
        is_list_of(
            lambda one: (
                isinstance(one, dict)
                and one.keys() == {"units", "at_least"}
                and is_list_of(is_words)(one["units"])
                and _is_number(one["at_least"])
                and one["at_least"] > 0
            )
        ),
    ),
    "count": ("a whole number", lambda value: value is None or _is_number(value)),
    "polarity": ('"yes", "no" or ""', lambda value: value in ("", *POLARITIES)),
    "refuse": FLAG,
    "group": _TEXT,
    "document": _TEXT,
    "section": _TEXT,
}
_READ: Mapping[str, Callable[[Any], Any]] = {
    "gold": lambda items: tuple(tuple(item) for item in items),
    "forbidden": tuple,
    "units": tuple,
    "some": lambda groups: tuple(Some(tuple(one["units"]), one["at_least"]) for one in groups),
}


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
            about = json.loads(self._about(id).read_bytes())
            kinds = tuple((kind, number) for kind, number in about["kinds"])
            at = datetime.fromisoformat(about["at"])
            return CaseSet(id, about["name"], about["by"], at, about["questions"], kinds, about.get("chart", ""))
        except FileNotFoundError:
            return None
        except (ValueError, KeyError, TypeError) as error:
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
        about = asdict(kept) | {"at": kept.at.isoformat()}
        self.folder.mkdir(parents=True, exist_ok=True)
        # What it is comes first: a kill between the two leaves a note that nobody looks at.
        files.write_atomic(self._about(kept.id), json.dumps(about, ensure_ascii=False).encode())
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
