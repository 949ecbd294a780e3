"""Files and folders -> the documents and the files of pairs among them, each with the name it goes by, and what became
of each."""

from __future__ import annotations

import os
import re
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Literal

from trag.ingest.parse.characters import clean, counted
from trag.ingest.parse.formats import FORMATS
from trag.sandbox import shown

PAIRS = ".jsonl"
"""The suffix of files of question-answer pairs."""

Outcome = Literal["indexed", "replaced", "unchanged", "skipped", "failed"]


@dataclass(frozen=True, slots=True)
class Ingested:
    """What became of one file: where it was skipped or failed why, else what was made of it and what to know of it."""

    name: str
    outcome: Outcome
    reason: str = ""
    hint: str = ""
    pages: int | None = None
    passages: int = 0
    pairs: int = 0
    notes: tuple[str, ...] = ()

    @property
    def failed(self) -> bool:
        """Whether it should have been indexed and was not."""
        return self.outcome == "failed"

    @property
    def summary(self) -> str:
        """What was made of it, or why nothing was, without its name."""
        if self.reason:
            return f"{self.reason} {self.hint}".rstrip()
        counts = ((self.pages, "page"), (self.passages, "passage"), (self.pairs, "pair"))
        return "; ".join(
            filter(None, [", ".join(counted(count, what) for count, what in counts if count), *self.notes])
        )

    def __str__(self) -> str:
        if self.reason:
            return f"{self.outcome}: {self.summary}"
        return f"{self.outcome}: {shown(self.name)}" + (f" ({self.summary})" if self.summary else "")


def find(paths: Sequence[Path]) -> tuple[list[tuple[Path, str]], list[tuple[Path, str]], list[Ingested]]:
    """The documents and the files of pairs under `paths`, each where it really is and with its name, and what is
    neither. A path may be a link, for whoever named it chose it. What a link in a folder leads to is read only where it
    is read anyway: who may write there may not read all that the program may."""
    chosen: dict[Path, tuple[Path, Path]] = {}  # by where it really is, so that none is read twice
    results: list[Ingested] = []
    for path in paths:
        inside = [path]
        if path.is_dir():  # all files below it but hidden ones
            below = sorted(file for file in path.rglob("*") if _shows(file, path))
            strays = [file for file in below if file.is_symlink() and not _shows(*map(_real, (file, path)))]
            results += (_stray(file.relative_to(path).as_posix()) for file in strays)
            inside = [file for file in below if file.is_file() and file not in strays]
        if not inside or not path.exists():
            what = "holds no file" if path.is_dir() else "is no file or folder"
            results.append(Ingested(str(path), "failed", f"{shown(str(path))} {what}.", "Check the path."))
            continue
        for file in inside:
            if file.suffix.lower() in (*FORMATS, PAIRS):
                chosen.setdefault(_real(file), (file, path if path.is_dir() else path.parent))
            else:
                reason = f"{shown(file.name)} is of no format that is read."
                outcome: Outcome = "skipped" if path.is_dir() else "failed"
                results.append(Ingested(file.name, outcome, reason, f"Formats: {', '.join((*FORMATS, PAIRS))}"))
    documents: list[tuple[Path, str]] = []
    pairs: list[tuple[Path, str]] = []
    names = _names(list(chosen.values()))
    uses = Counter(names)
    for (real, (file, _)), name in zip(chosen.items(), names, strict=True):
        if uses[name] > 1:
            reason = f"{shown(str(file))} has a name that reads the same as another file's."
            results.append(Ingested(name, "failed", reason, "Rename one of them."))
        else:
            (pairs if file.suffix.lower() == PAIRS else documents).append((real, name))
    return documents, pairs, results


def _real(path: Path) -> Path:
    return Path(os.path.realpath(path))  # Path.resolve raises for a link to itself


def _shows(file: Path, folder: Path) -> bool:
    """Whether a file is in a folder, and not hidden there."""
    return file.is_relative_to(folder) and not re.search(r"(?:^|/)\.", file.relative_to(folder).as_posix())


def _stray(name: str) -> Ingested:
    reason = f"{shown(name)} leads out of the folder, or to something hidden, and was not read."
    return Ingested(name, "skipped", reason, "Name the file that it leads to, or copy it into the folder.")


def document_name(spelling: str) -> str:
    """The name that a document goes by, however it is spelt: on one line, as it shows."""
    return clean(spelling).replace("\n", " ")


def _names(found: Sequence[tuple[Path, Path]]) -> list[str]:
    """A name for each (file, folder it was found in): as short as tells it from the others. Those that none tells apart
    get the same."""
    ways = [
        [file.name for file, _ in found],
        [file.relative_to(folder).as_posix() for file, folder in found],
        [file.absolute().relative_to(folder.absolute().parent).as_posix() for file, folder in found],
        [file.absolute().as_posix() for file, _ in found],
    ]
    names: dict[int, str] = {}
    taken: set[str] = set()
    for way in ([document_name(spelling) for spelling in spellings] for spellings in ways):
        uses = Counter(way)
        for at, name in enumerate(way):
            if at not in names and uses[name] == 1 and name not in taken:
                names[at] = name
                taken.add(name)
    return [names.get(at, document_name(longest)) for at, longest in enumerate(ways[-1])]
