"""Sets of questions that people keep: TRAG_HOME/cases/<content hash>.jsonl, and beside it what a set is called.

Knows nothing about requests, or how questions are made.
"""

from __future__ import annotations

import json
import logging
import re
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import asdict, dataclass
from datetime import UTC, datetime
from pathlib import Path

from store import StoreError, files
from trag.evaluate.cases import Case, read, write
from trag.evaluate.runs import sha256_of

LONGEST_NAME = 120

_CASES, _DESCRIBED = ".jsonl", ".about"

log = logging.getLogger(__name__)


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
        return tuple(sorted(self._all(), key=lambda each: each.at, reverse=True))

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

    def _all(self) -> Iterator[CaseSet]:
        for about in self.folder.glob(f"*{_DESCRIBED}"):
            kept = self.find(about.stem)
            if kept is not None:
                yield kept

    def _cases(self, id: str) -> Path:
        return self.folder / f"{id}{_CASES}"

    def _about(self, id: str) -> Path:
        return self.folder / f"{id}{_DESCRIBED}"


def shown_name(name: str) -> str:
    """A name as it may be kept and shown: the last part of a path, without its suffix and without controls."""
    last = re.split(r"[/\\]", name)[-1].removesuffix(_CASES)
    kept = " ".join("".join(character if character.isprintable() else " " for character in last).split())
    return kept[:LONGEST_NAME] or "Questions"
