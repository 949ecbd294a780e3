"""Files and folders -> documents that are searched: read, cut into passages, embedded, recorded, indexed.

file -> Reading -> sections -> passages -> vectors -> records -> index

Knows the order of the steps, and no format. One bad file does not stop the others.
"""

from __future__ import annotations

import hashlib
from collections import Counter, defaultdict
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Literal

from store import files
from trag.errors import TragError
from trag.ingest.pairs import Pair, pairs
from trag.ingest.parse.characters import clean, counted, listed
from trag.ingest.parse.recognise import FORMATS
from trag.ingest.passages import pair_passages, section_passages
from trag.ingest.reader import Limits, read, read_file, shown
from trag.ingest.sections import sections
from trag.ingest.upkeep import Progress, changing, embed, show, silent, sweep

if TYPE_CHECKING:
    from store.records import Records
    from store.vectors import Passage, Vectors
    from trag.embed import Embedder

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

    def __str__(self) -> str:
        if self.reason:
            return f"{self.outcome}: {self.reason} {self.hint}".rstrip()
        made = ((self.pages, "page"), (self.passages, "passage"), (self.pairs, "pair"))
        told = [", ".join(counted(count, what) for count, what in made if count), *self.notes]
        return f"{self.outcome}: {shown(self.name)}" + (f" ({'; '.join(filter(None, told))})" if any(told) else "")


def ingest(
    paths: Sequence[Path],
    *,
    records: Records,
    vectors: Vectors,
    embedder: Embedder,
    files_folder: Path,
    replace: bool = False,
    limits: Limits | None = None,
    progress: Progress = silent,
) -> tuple[Ingested, ...]:
    """Adds documents, then the question-answer pairs (.jsonl) made for them; what became of each file, in that order.

    A document is named like its file, or by its path below the folder where two files are named alike. One that is
    there with the same content is left alone; with other content it fails unless `replace`, which keeps the pairs of
    sections that did not change. The pairs given for a document in one call are all that it has afterwards. Raises
    StoreError when nothing can be kept any more.
    """
    documents, pair_files, results = _found(paths)
    with changing:
        contents = {document.sha256: document.name for document in records.documents()}
        run = _Run(records, vectors, embedder, files_folder, replace, limits or Limits(), progress, contents)
        for number, (path, name) in enumerate(documents):
            progress(f"reading {shown(name)}", number, len(documents))
            try:
                results.append(run.document(path, name))
            except TragError as error:
                results.append(Ingested(name, "failed", error.message, error.hint))
        results += run.pairs(pair_files)
        sweep(records, files_folder)
    return tuple(results)


@dataclass(frozen=True, slots=True)
class _Run:
    """One call of `ingest`: what it writes to, and what it was asked."""

    records: Records
    vectors: Vectors
    embedder: Embedder
    files_folder: Path
    replace: bool
    limits: Limits
    progress: Progress
    contents: dict[str, str]
    """Which document has which content: sha256 -> name."""

    def document(self, path: Path, name: str) -> Ingested:
        """One document. Raises TragError when it cannot be read, or must not be replaced."""
        content = read_file(path, self.limits)
        sha256 = hashlib.sha256(content).hexdigest()
        before = self.records.document(name)
        if before and before.sha256 == sha256:
            return Ingested(name, "unchanged", pages=before.pages, passages=before.passages)
        if twin := self.contents.get(sha256):
            return Ingested(name, "skipped", f"{shown(name)} has the same content as {shown(twin)}.")
        if before and not self.replace:
            raise TragError(
                f"{shown(name)} is there already, with other content.", "Use --replace to put this in its place."
            )
        reading = read(content, name, self.limits)
        title = Path(name).stem.replace("_", " ").replace("-", " ")
        made = section_passages(name, sections(reading.blocks, title))
        if not made:
            raise TragError(f"{shown(name)} holds no text.", "Check that it is the right file.")
        old = tuple(self.records.passages(name)) if before else ()
        kept = _pairs_of_unchanged_sections(old, made)
        lost = sum(passage.kind == "qa" for passage in old) - len(kept)
        notes = (*reading.notes, f"{counted(lost, 'pair')} of changed sections left out") if lost else reading.notes
        passages = (*made, *kept)
        embedded = embed(passages, self.embedder, self.progress, f"embedding {shown(name)}")
        # In this order, so that a process killed at any moment leaves the old document or the new (`upkeep.reconcile`).
        files.keep(self.files_folder, content, path.suffix.lower())
        self.records.put_document(name, sha256, reading.pages, passages)
        show(name, passages, embedded, self.vectors)
        if before:
            self.contents.pop(before.sha256, None)
        self.contents[sha256] = name
        outcome: Outcome = "replaced" if before else "indexed"
        return Ingested(name, outcome, pages=reading.pages, passages=len(made), pairs=len(kept), notes=notes)

    def pairs(self, found: Sequence[tuple[Path, str]]) -> Iterator[Ingested]:
        """The pairs of all files, document by document, and what became of each file."""
        read_pairs: dict[str, tuple[Pair, ...]] = {}
        given: dict[str, list[Pair]] = defaultdict(list)
        for path, name in found:
            try:
                read_pairs[name] = pairs(read_file(path, self.limits), name)
            except TragError as error:
                yield Ingested(name, "failed", error.message, error.hint)
                continue
            for pair in read_pairs[name]:
                given[pair.document].append(pair)
        outcomes: dict[str, Outcome] = {}
        errors: dict[str, TragError] = {}
        lost: set[Pair] = set()
        for document, of_document in given.items():
            try:
                outcomes[document], homeless = self.pairs_of(document, of_document)
                lost.update(homeless)
            except TragError as error:
                errors[document] = error
        for name, in_file in read_pairs.items():
            yield _pair_file(name, in_file, outcomes, errors, lost)

    def pairs_of(self, document: str, given: Sequence[Pair]) -> tuple[Outcome, tuple[Pair, ...]]:
        """Makes `given` the pairs of a document; what that changed, and the pairs whose section it does not have."""
        found = self.records.document(document)
        if found is None:
            raise TragError(
                f"There is no document {shown(document)}.", "Ingest it first, or correct its name among the pairs."
            )
        old = tuple(self.records.passages(document))
        of_sections = tuple(passage for passage in old if passage.kind != "qa")
        made, lost = pair_passages(document, given, of_sections)
        before = {passage.id for passage in old if passage.kind == "qa"}
        if before == {passage.id for passage in made}:
            return "unchanged", lost
        if before and not self.replace:
            raise TragError(
                f"{shown(document)} has other pairs already.", "Ingest them with --replace to put these in their place."
            )
        passages = (*of_sections, *made)
        fresh = passages if before else made
        embedded = embed(fresh, self.embedder, self.progress, f"embedding {shown(document)}")
        self.records.put_document(document, found.sha256, found.pages, passages)
        if before:
            show(document, passages, embedded, self.vectors)
        else:
            self.vectors.add(made, embedded)
        return "replaced" if before else "indexed", lost


def _pair_file(
    name: str, found: Sequence[Pair], outcomes: dict[str, Outcome], errors: dict[str, TragError], lost: set[Pair]
) -> Ingested:
    """What became of one file of pairs, from what became of the documents that it names."""
    documents = dict.fromkeys(pair.document for pair in found)
    if wrong := [errors[document] for document in documents if document in errors]:
        return Ingested(name, "failed", " ".join(error.message for error in wrong), wrong[0].hint)
    changed = {outcomes[document] for document in documents}
    outcome: Outcome = "replaced" if "replaced" in changed else "indexed" if "indexed" in changed else "unchanged"
    others = [pair for pair in found if not pair.direct]
    homeless = [pair.line for pair in found if pair in lost]
    notes = []
    if others:
        notes.append(f"{len(others)} of types that are not searched left out")
    if homeless:
        verb = "names" if len(homeless) == 1 else "name"
        notes.append(f"{listed('line', homeless)} {verb} a section that the document does not have")
    return Ingested(name, outcome, pairs=len(found) - len(others), notes=tuple(notes))


def _pairs_of_unchanged_sections(old: Sequence[Passage], new: Sequence[Passage]) -> tuple[Passage, ...]:
    """The pairs among `old` whose section has the same passages in `new`, and has some: those are still borne out."""
    before: dict[str, set[str]] = defaultdict(set)
    after: dict[str, set[str]] = defaultdict(set)
    for passages, ids in ((old, before), (new, after)):
        for passage in passages:
            if passage.kind != "qa":
                ids[passage.section].add(passage.id)
    return tuple(
        pair
        for pair in old
        if pair.kind == "qa" and before[pair.section] and before[pair.section] == after[pair.section]
    )


def _found(paths: Sequence[Path]) -> tuple[list[tuple[Path, str]], list[tuple[Path, str]], list[Ingested]]:
    """The documents and the files of pairs under `paths`, each with its name, and what is neither."""
    chosen: dict[Path, tuple[Path, Path]] = {}  # by where it really is, so that none is read twice
    results: list[Ingested] = []
    for path in paths:
        inside = _walk(path) if path.is_dir() else [path]
        if not inside or not path.exists():
            what = "holds no file" if path.is_dir() else "is no file or folder"
            results.append(Ingested(str(path), "failed", f"{shown(str(path))} {what}.", "Check the path."))
            continue
        for file in inside:
            if file.suffix.lower() in (*FORMATS, PAIRS):
                chosen.setdefault(file.resolve(), (file, path if path.is_dir() else path.parent))
            else:
                reason = f"{shown(file.name)} is of no format that is read."
                outcome: Outcome = "skipped" if path.is_dir() else "failed"
                results.append(Ingested(file.name, outcome, reason, f"Formats: {', '.join((*FORMATS, PAIRS))}"))
    named = list(zip([file for file, _ in chosen.values()], _names(list(chosen.values())), strict=True))
    documents = [(file, name) for file, name in named if file.suffix.lower() != PAIRS]
    return documents, [(file, name) for file, name in named if file.suffix.lower() == PAIRS], results


def _walk(folder: Path) -> list[Path]:
    """The files below a folder, sorted, without hidden ones."""
    found = (
        path for path in folder.rglob("*") if not any(part.startswith(".") for part in path.relative_to(folder).parts)
    )
    return sorted(path for path in found if path.is_file())


def _names(found: Sequence[tuple[Path, Path]]) -> list[str]:
    """A name for each (file, folder it was found in): as short as tells it from the others."""
    ways = [
        [file.name for file, _ in found],
        [file.relative_to(folder).as_posix() for file, folder in found],
        [file.absolute().relative_to(folder.absolute().parent).as_posix() for file, folder in found],
        [file.absolute().as_posix() for file, _ in found],
    ]
    counts = [Counter(names) for names in ways]
    unique = (
        next((name for name, count in zip(names, counts, strict=True) if count[name] == 1), names[-1])
        for names in zip(*ways, strict=True)
    )
    return [clean(name).replace("\n", " ") for name in unique]
