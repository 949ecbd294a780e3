"""A home in one file, made while the program runs, and a home made from such a file.

home -> one tar: the records as lines of JSON, documents, charts, procedures, adapters, results, and a manifest with the
sha256 of each -> home.  What is made from these is left out (the search index, prepared models), and so are the
settings, which hold keys, and what lets people in for a while.
"""

from __future__ import annotations

import hashlib
import io
import logging
import os
import re
import tarfile
import tempfile
import zlib
from collections.abc import Iterator
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path, PurePosixPath
from shutil import rmtree
from typing import IO

from store import files
from store.dump import Dump, dump, load
from trag import json_lines
from trag.errors import TragError
from trag.settings import Settings

FOLDERS = ("documents", "charts", "procedures", "adapters", "results", "cases", "waiting")
_RECORDS = "records"
_MANIFEST = "manifest.json"
_MARK = ".restoring"
LEFT_ALONE = {"lock", "trag.toml", "models", _MARK}
"""What a home may hold and still be empty."""
_LARGEST_MANIFEST = 256 * 2**20

log = logging.getLogger(__name__)


@dataclass(frozen=True, slots=True)
class Manifest:
    """What is in a backup: when it was made, the version of its records, the rows of each table, the sha256 of each
    file by its name in the archive, and the files that the records speak of and the home no longer has."""

    made: str
    version: str
    rows: dict[str, int]
    files: dict[str, str]
    missing: tuple[str, ...]


def back_up(settings: Settings, file: Path) -> Manifest:
    """Write all that a home holds to `file`, which appears when it is whole. Other processes may go on using the home.

    Raises TragError when there is a file of that name, and StoreError when the records cannot be read, or the disk is
    full.
    """
    if file.exists():
        raise TragError(f"There is already a file {file}.", "Choose another name, such as one with the date.")
    if not file.parent.is_dir():
        raise TragError(f"There is no folder {file.parent}.", "Make it first.")
    with files.atomic(file) as out, tarfile.open(fileobj=out, mode="w", format=tarfile.PAX_FORMAT) as tar:
        kept: dict[str, str] = {}
        # The files on either side of the records: none is missing that was there before, or came in meanwhile.
        _add_files(tar, settings.home, kept)
        with dump(settings.database, settings.home) as records:
            rows = _add_records(tar, records, file.parent, kept)
            spoken_of, version = records.hashes(), records.version
        _add_files(tar, settings.home, kept)
        there = {PurePosixPath(name).name.partition(".")[0] for name in kept}
        missing = tuple(sorted(called for sha256, called in spoken_of.items() if sha256 not in there))
        manifest = Manifest(datetime.now(UTC).isoformat(timespec="seconds"), version, rows, kept, missing)
        content = json_lines.to_keep(manifest)
        _add(tar, _MANIFEST, io.BytesIO(content), len(content))
    return manifest


def restore(settings: Settings, file: Path) -> Manifest:
    """Fill an empty home from a backup. The whole of the file is checked first, and the records come last.

    A restore that was interrupted begins anew. Raises TragError for a file that is no backup or is damaged, and for a
    home that is not empty; StoreError for a database that is not empty, or a backup of a newer or much older version.
    """
    manifest = _checked(file)
    home = settings.home
    with files.lock(home):
        _empty(home)
        files.write_atomic(home / _MARK, b"")
        for name, content in _members(file):
            if PurePosixPath(name).parts[0] in FOLDERS:
                path = home / name
                path.parent.mkdir(parents=True, exist_ok=True)
                reader = _Hashing(content)
                with files.atomic(path) as out:
                    while piece := reader.read(2**20):
                        out.write(piece)
                    if reader.sha256.hexdigest() != manifest.files.get(name):
                        raise TragError(f"{name} changed while it was read.", "Restore again.")
        tables = (
            (PurePosixPath(name).stem, (line.decode() for line in content))
            for name, content in _members(file)
            if name.startswith(f"{_RECORDS}/")
        )
        counts = load(settings.database, manifest.version, tables)
        if counts != manifest.rows:
            raise RuntimeError(f"{counts} rows were restored of {manifest.rows}")
        (home / _MARK).unlink()
    return manifest


def check_whole(home: Path) -> None:
    """Raises TragError for a home that a restore was filling when it was interrupted."""
    if (home / _MARK).exists():
        raise TragError(
            f"The home {home} is only partly restored.", "Restore it again: python -m trag restore FILE begins anew."
        )


def _add_files(tar: tarfile.TarFile, home: Path, kept: dict[str, str]) -> None:
    """Add the files of a home that are not in the archive yet."""
    for folder in FOLDERS:
        for path in sorted((home / folder).rglob("*")):
            name = path.relative_to(home).as_posix()
            if name in kept or path.is_symlink() or not path.is_file() or path.name.endswith(files.UNFINISHED):
                continue
            try:
                content = path.open("rb")
            except FileNotFoundError:
                continue  # forgotten a moment ago
            with content:
                # Of a file that grows meanwhile, such as the results of an evaluation, what was there at this moment.
                kept[name] = _add(tar, name, content, os.fstat(content.fileno()).st_size)


def _add_records(tar: tarfile.TarFile, records: Dump, folder: Path, kept: dict[str, str]) -> dict[str, int]:
    rows = {}
    for table in records.tables:
        with tempfile.TemporaryFile(dir=folder) as lines:
            number = -1  # the first line names the columns
            for line in records.lines(table):
                lines.write(line.encode())
                number += 1
            size = lines.tell()
            lines.seek(0)
            rows[table] = number
            name = f"{_RECORDS}/{table}.jsonl"
            kept[name] = _add(tar, name, lines, size)
    return rows


def _add(tar: tarfile.TarFile, name: str, content: IO[bytes], size: int) -> str:
    """Add a member; the sha256 of what went in."""
    info = tarfile.TarInfo(name)
    info.size, info.mode = size, 0o600
    reader = _Hashing(content)
    tar.addfile(info, reader)  # type: ignore[arg-type]  # it only reads
    return reader.sha256.hexdigest()


class _Hashing:
    """A file that is hashed while it is read."""

    def __init__(self, content: IO[bytes]) -> None:
        self._content = content
        self.sha256 = hashlib.sha256()

    def read(self, size: int) -> bytes:
        """The next bytes, at most `size`."""
        read = self._content.read(size)
        self.sha256.update(read)
        return read


def _members(file: Path) -> Iterator[tuple[str, IO[bytes]]]:
    """What is in an archive, in its order; each content is to be read before the next.

    Raises TragError for what holds what no backup holds, and TarError, EOFError, zlib.error or OSError for what is no
    archive.
    """
    with tarfile.open(file, mode="r|*") as tar:
        seen = set()
        for member in tar:
            content = tar.extractfile(member) if member.isreg() else None
            if content is None or not _sound(member.name) or member.name in seen:
                raise _no_backup(file, f"it holds {member.name!r}")
            seen.add(member.name)
            yield member.name, content


def _sound(name: str) -> bool:
    """Whether a member may have this name: in one of the folders of a home, or one of our own."""
    if name == _MANIFEST or re.fullmatch(rf"{_RECORDS}/\w+\.jsonl", name):
        return True
    parts = name.split("/")
    return len(parts) > 1 and parts[0] in FOLDERS and not {"", ".", ".."} & set(parts) and "\0" not in name


def _checked(file: Path) -> Manifest:
    """The manifest of a backup whose every file is there and whole."""
    found: dict[str, str] = {}
    told = b""
    if not file.is_file():
        raise TragError(f"There is no file {file}.", "Check the path.")
    try:
        for name, content in _members(file):
            if name == _MANIFEST:
                told = content.read(_LARGEST_MANIFEST)
            else:
                reader = _Hashing(content)
                while reader.read(2**20):
                    pass
                found[name] = reader.sha256.hexdigest()
    except (tarfile.TarError, EOFError, zlib.error, OSError) as error:
        raise _no_backup(file, str(error)) from error
    if not told:
        raise _no_backup(file, "its end is missing")
    try:
        manifest = json_lines.kept(Manifest, told)
    except ValueError as error:
        raise _no_backup(file, "its manifest cannot be read") from error
    expected = manifest.files
    damaged = sorted(name for name in found.keys() | expected.keys() if found.get(name) != expected.get(name))
    if damaged:
        raise _no_backup(file, f"{len(damaged)} of its files are damaged or missing, among them {damaged[0]}")
    return manifest


def _empty(home: Path) -> None:
    """Raises TragError unless a home is empty; what an interrupted restore left there is removed."""
    if (home / _MARK).exists():
        log.warning("removing what an interrupted restore left in %s", home)
        for folder in FOLDERS:
            rmtree(home / folder, ignore_errors=True)
        for path in home.glob("trag.db*"):
            path.unlink()
    there = sorted(path.name for path in home.iterdir() if path.name not in LEFT_ALONE)
    held = [name for name in there if not (home / name).is_dir() or any((home / name).iterdir())]
    if held:
        raise TragError(
            f"The home {home} is not empty: it holds {', '.join(held)}.", "Set TRAG_HOME to a new folder, and restore."
        )


def _no_backup(file: Path, why: str) -> TragError:
    return TragError(f"{file} is no backup, or is damaged: {why}.", "Use another backup; nothing was restored.")
