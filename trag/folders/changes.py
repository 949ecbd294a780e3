"""What was seen of a folder last, and what is in it now -> what became of each file."""

from __future__ import annotations

import unicodedata
from collections.abc import Callable, Collection, Hashable, Iterable, Mapping
from dataclasses import dataclass
from pathlib import PurePosixPath
from typing import TypeVar

from store.folders import Folder, FolderFile
from trag.folders.listing import Found, Listing

Item = TypeVar("Item")

SETTLED = 3.0
"""Seconds for which nobody has written to a file that is read."""


@dataclass(frozen=True, slots=True)
class Changes:
    """Each file once: as it was seen last and as it was found. `moved` are those of the same content elsewhere;
    `changed` may have another content, and another path that differs in case or composition alone. `waiting` are being
    written to; `kept` cannot be looked at now, and count as there."""

    same: tuple[tuple[FolderFile, Found], ...]
    changed: tuple[tuple[FolderFile, Found], ...]
    moved: tuple[tuple[FolderFile, Found], ...]
    new: tuple[Found, ...]
    gone: tuple[FolderFile, ...]
    waiting: tuple[Found, ...]
    kept: tuple[FolderFile, ...]
    unreadable: tuple[tuple[str, str], ...]

    @property
    def vanishing(self) -> tuple[FolderFile, ...]:
        """Those of the files that are gone which are documents."""
        return tuple(file for file in self.gone if file.document)


def compare(
    files: Mapping[str, FolderFile],
    listing: Listing,
    content_hash: Callable[[Found], str],
    now: float,
    *,
    again: Collection[str] = (),
) -> Changes:
    """What became of each file; those at the paths `again` are looked at as if they had changed. `content_hash` gives
    the sha256 of a file ("" where it cannot be read): it is asked for those alone that may be one that is gone."""
    found = {each.path: each for each in listing.files}
    pairs = {path: (file, found[path]) for path, file in files.items() if path in found}
    missing = {path: file for path, file in files.items() if path not in found}
    fresh = {path: each for path, each in found.items() if path not in files}
    kept = [file for path, file in missing.items() if _is_under(path, listing.unreadable)]
    _drop(missing, kept)

    changed = [(file, each) for path, (file, each) in pairs.items() if file.stamp != each.stamp or path in again]
    renamed = _renamed(missing.values(), fresh.values())
    _drop(missing, (file for file, _ in renamed))
    _drop(fresh, (each for _, each in renamed))
    waiting = [each for each in (*fresh.values(), *(each for _, each in changed)) if 0 <= now - each.modified < SETTLED]
    _drop(fresh, waiting)

    sizes = {file.size for file in missing.values() if file.document}
    candidates = [(each, content_hash(each)) for each in fresh.values() if each.size in sizes]
    # A copy was no document while the first was there; now it is what the first was.
    copies = [(file, each) for file, each in pairs.values() if file.stamp == each.stamp and not file.document]
    candidates += [(each, file.sha256) for file, each in copies]
    moved = _moved(missing.values(), candidates)
    _drop(missing, (file for file, _ in moved))
    _drop(fresh, (each for _, each in moved))
    taken = {*waiting, *(each for _, each in moved)}
    changed = [pair for pair in (*changed, *renamed) if pair[1] not in taken]
    taken.update(each for _, each in changed)

    # What is being written may be what is gone, copied elsewhere.
    copied = {each.size for each in waiting}
    coming = [file for file in missing.values() if file.size in copied]
    _drop(missing, coming)
    return Changes(
        same=tuple(pair for pair in pairs.values() if pair[1] not in taken),
        changed=tuple(changed),
        moved=tuple(moved),
        new=tuple(fresh.values()),
        gone=tuple(missing.values()),
        waiting=tuple(waiting),
        kept=(*kept, *coming),
        unreadable=listing.unreadable,
    )


def too_many(changes: Changes, files: Mapping[str, FolderFile], folder: Folder) -> bool:
    """Whether more would go than may without being asked for: a number or a share of the documents, or all."""
    gone, there = len(changes.vanishing), sum(bool(file.document) for file in files.values())
    return gone > folder.most_gone or gone > max(1, folder.share_gone / 100 * there) or gone == there > 0


def _is_under(path: str, unreadable: Iterable[tuple[str, str]]) -> bool:
    return any(path == place or path.startswith(f"{place}/") for place, _ in unreadable)


def _renamed(missing: Iterable[FolderFile], fresh: Iterable[Found]) -> list[tuple[FolderFile, Found]]:
    """Those whose names differ in case or composition alone, where there is one of each."""
    lost = _grouped(missing, lambda file: _folded(file.path))
    come = _grouped(fresh, lambda each: _folded(each.path))
    return [(lost[key][0], come[key][0]) for key in lost if len(lost[key]) == len(come.get(key, ())) == 1]


def _moved(missing: Iterable[FolderFile], candidates: Iterable[tuple[Found, str]]) -> list[tuple[FolderFile, Found]]:
    """Each candidate that has the content and the suffix of a document that is gone; of several the one of its name."""
    lost = _grouped((file for file in missing if file.document), lambda file: (file.sha256, _suffix(file.path)))
    moved = []
    for each, sha256 in candidates:
        if sources := lost.get((sha256, _suffix(each.path)), []) if sha256 else []:
            name = PurePosixPath(each.path).name
            file = next((one for one in sources if PurePosixPath(one.path).name == name), sources[0])
            sources.remove(file)
            moved.append((file, each))
    return moved


def _folded(path: str) -> str:
    return unicodedata.normalize("NFC", path).casefold()


def _suffix(path: str) -> str:
    return PurePosixPath(path).suffix.lower()


def _grouped(items: Iterable[Item], key: Callable[[Item], Hashable]) -> dict[Hashable, list[Item]]:
    found: dict[Hashable, list[Item]] = {}
    for item in items:
        found.setdefault(key(item), []).append(item)
    return found


def _drop(files: dict[str, Item], left_out: Iterable[FolderFile | Found]) -> None:
    for each in left_out:
        files.pop(each.path, None)
