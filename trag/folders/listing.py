"""What lies in a folder of this machine, or of a share that is mounted there: every file with what tells whether it
changed, and what could not be looked at, which is another thing than what is not there.

What is hidden is left out, with it the .git of a checkout, and so is what a .gitignore there leaves out; links are not
followed, so that none leads out of the folder or in a circle.
"""

from __future__ import annotations

import os
import stat
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path

from pathspec import GitIgnoreSpec
from pathspec.patterns.gitignore.spec import GitIgnoreSpecPattern

from trag.errors import OperatorError, TragError
from trag.ingest.parse.formats import FORMATS
from trag.ingest.reading import read_file
from trag.sandbox import Limits, shown

DEEPEST = 100
"""Folders in each other at most."""
MOST = 500_000
"""Files of a folder at most."""
LARGEST_RULES = 1_000_000
"""Bytes of a .gitignore that is read."""
Rules = tuple[tuple[str, GitIgnoreSpec], ...]
"""The folders in which a .gitignore is, each with a slash at its end, from the outermost on, and what it says."""


@dataclass(frozen=True, slots=True)
class Found:
    """A file by its path in the folder, with slashes; `stamp` is another when it may have changed, `modified` is in
    seconds since 1970, `size` in bytes."""

    path: str
    stamp: str
    size: int
    modified: float = 0.0


@dataclass(frozen=True, slots=True)
class Listing:
    """The files of a folder that are of a format which is read; the paths that could not be looked at, each with why;
    and how many files, folders and links were passed over."""

    files: tuple[Found, ...]
    unreadable: tuple[tuple[str, str], ...] = ()
    passed_over: int = 0


class Local:
    """A folder of this machine, as it was when this was made: another one in its place is an error."""

    def __init__(self, root: Path) -> None:
        self._root = Path(os.path.realpath(root))
        self._identity = self._looked_up()

    def listing(self) -> Listing:
        """Raises TragError when the folder itself cannot be read, or is another than at first."""
        files: list[Found] = []
        unreadable: list[tuple[str, str]] = []
        passed_over = 0
        waiting: list[tuple[str, Rules]] = [("", ())]
        seen: set[tuple[int, int]] = set()  # a folder mounted in itself has no links, and is a circle all the same
        while waiting:
            place, rules = waiting.pop()
            try:
                with os.scandir(self._root / place) as entries:
                    found = sorted(entries, key=lambda entry: entry.name)
            except OSError as error:
                if not place:
                    raise self._missing(error) from error
                unreadable.append((place, error.strerror or "it cannot be read"))
                continue
            if any(entry.name == ".gitignore" for entry in found):
                rules = (*rules, (f"{place}/" if place else "", _rules(self._root / place / ".gitignore")))
            for entry in found:
                path = f"{place}/{entry.name}" if place else entry.name
                if hidden(entry.name):
                    continue
                if not _is_text(path):
                    unreadable.append((shown(path), "its name is no text"))
                    continue
                try:
                    status = entry.stat(follow_symlinks=False)
                except FileNotFoundError:
                    continue
                except OSError as error:
                    unreadable.append((path, error.strerror or "it cannot be looked at"))
                    continue
                if rules and _is_left_out(path + "/" * stat.S_ISDIR(status.st_mode), rules):
                    passed_over += 1
                elif stat.S_ISDIR(status.st_mode):
                    identity = (status.st_dev, status.st_ino)
                    if identity not in seen and path.count("/") < DEEPEST:
                        seen.add(identity)
                        waiting.append((path, rules))
                    else:
                        unreadable.append((path, "it is in itself, or too deep"))
                elif stat.S_ISREG(status.st_mode) and is_read(entry.name):
                    files.append(Found(path, _stamp(status), status.st_size, status.st_mtime))
                else:
                    passed_over += 1
            _check_number(files)
        self.check()
        return Listing(tuple(sorted(files, key=lambda file: file.path)), tuple(unreadable), passed_over)

    def read(self, found: Found, limits: Limits) -> bytes | None:
        """The content of a file, None where it is another than was found: somebody writes to it, or took it away.
        Raises TragError when it cannot be read or is too large."""
        path = self._root / found.path
        if not self._is_still(found):
            return None
        content = read_file(path, found.path, limits)  # refuses what a link has come in the way of
        return content if self._is_still(found) and len(content) == found.size else None

    def holds(self, path: str) -> bool:
        """Whether a file is there, or may be: only what is known to be gone is not."""
        try:
            (self._root / path).lstat()
        except (FileNotFoundError, NotADirectoryError):
            return False
        except OSError:
            return True
        return True

    def check(self) -> None:
        """Raises TragError when the folder is gone, or another is in its place."""
        if self._looked_up() != self._identity:
            raise TragError(
                f"The folder {self._root} is another than a moment ago.",
                "Check that the share is there, and run again.",
            )

    def close(self) -> None:
        """Nothing is held."""

    def _looked_up(self) -> tuple[int, int]:
        try:
            status = self._root.stat()
            if not stat.S_ISDIR(status.st_mode):
                raise NotADirectoryError(0, "it is no folder")
            return status.st_dev, status.st_ino
        except OSError as error:
            raise self._missing(error) from error

    def _missing(self, error: OSError) -> OperatorError:
        return OperatorError(
            f"The folder {self._root} cannot be read: {error.strerror}.",
            "Check that it is there, that the share is mounted, and that the program's account may read it.",
            "A folder cannot be read.",
        )

    def _is_still(self, found: Found) -> bool:
        try:
            return _stamp((self._root / found.path).lstat()) == found.stamp
        except OSError:
            return False


def _rules(file: Path) -> GitIgnoreSpec:
    """What a .gitignore says, but for lines that say nothing, such as a lone "!"; nothing where it cannot be read or is
    no file."""
    patterns: list[GitIgnoreSpecPattern] = []
    with suppress(OSError):
        status = file.lstat()
        is_read = stat.S_ISREG(status.st_mode) and status.st_size < LARGEST_RULES
        for line in file.read_text("utf-8", errors="replace").splitlines() if is_read else ():
            with suppress(ValueError):
                patterns.append(GitIgnoreSpecPattern(line))
    return GitIgnoreSpec(patterns)


def _is_left_out(path: str, rules: Rules) -> bool:
    """Whether a .gitignore leaves a path out, a folder's with a slash at its end; the deepest that names it counts."""
    told = (spec.check_file(path.removeprefix(place)).include for place, spec in reversed(rules))
    return next((left_out for left_out in told if left_out is not None), False)


def hidden(name: str) -> bool:
    """Whether a file or folder is left out by its name: hidden ones, and what Office keeps beside an open file."""
    return name.startswith((".", "~$"))


def is_read(name: str) -> bool:
    """Whether files of that name are of a format that is read."""
    return os.path.splitext(name)[1].lower() in FORMATS  # noqa: PTH122 - of a name, ten thousand times


def _check_number(files: list[Found]) -> None:
    if len(files) > MOST:
        raise TragError(f"The folder has more than {MOST:,} files.", "Mirror folders in it one by one.")


def _stamp(status: os.stat_result) -> str:
    return f"{status.st_size}:{status.st_mtime_ns}"


def _is_text(path: str) -> bool:
    try:
        path.encode()
    except UnicodeEncodeError:
        return False
    return True
