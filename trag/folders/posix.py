"""The rights that a share has already, as a table of readers: its modes, or its access control lists as `getfacl -R`
writes them, and which units of the chart its groups are.

Rights are of groups alone: what a list gives to a single person is counted and left out. A file is open to a group that
may read it and may enter every folder above it (POSIX.1e draft 17, section 23.1.5: a named entry counts before that of
all others, and the mask bounds it).
"""

from __future__ import annotations

import csv
import grp
import io
import os
import re
import stat
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from pathlib import Path

from org.chart import Chart
from store.passage import EVERYONE, OPEN, Audience
from trag.errors import TragError
from trag.folders.rights import Rights, read_readers
from trag.sandbox import shown

OTHER = "other"
"""What the table of groups calls whoever is in none that a list names."""
_OCTAL = re.compile(r"(?:\\[0-7]{3})+")
_EXPORT = "Export it in the folder: getfacl -R . > rights"
_SPECIAL = str.maketrans("sStT", "x-x-")
"""Set-group and sticky bits as the permission to enter that they stand over."""


@dataclass(frozen=True, slots=True)
class Entry:
    """The permissions ("r-x") of groups on a file or a folder, with OTHER among them; `persons` counts entries of
    single persons."""

    groups: Mapping[str, str]
    persons: int = 0


@dataclass(frozen=True, slots=True)
class Found:
    """The readers of a folder, and of each folder or file in it that has others than what it is in; how many entries of
    single persons were left out."""

    readers: Audience
    rights: Rights
    persons: int = 0


@dataclass(slots=True)
class _Lines:
    """The entries of one file in an export, as they come."""

    own: str = ""
    groups: dict[str, str] = field(default_factory=dict)
    mask: str = "rwx"
    persons: int = 0

    def entry(self) -> Entry:
        masked = {
            name: "".join(
                bit if name == OTHER or bit == most else "-" for bit, most in zip(bits, self.mask, strict=True)
            )
            for name, bits in self.groups.items()
        }
        return Entry(masked, self.persons)


def of_folder(root: Path) -> dict[str, Entry]:
    """The modes of everything in a folder, "" for itself; hidden files and links are left out. Raises TragError where a
    folder cannot be looked at."""
    at, waiting = "", [""]
    try:
        found = {"": _mode(root)}
        while waiting:
            at = waiting.pop()
            for each in os.scandir(root / at):
                path = f"{at}/{each.name}".lstrip("/")
                if each.name.startswith(".") or each.is_symlink():
                    continue
                found[path] = _mode(Path(each.path))
                if each.is_dir(follow_symlinks=False):
                    waiting.append(path)
    except OSError as error:
        raise TragError(
            f"{shown(at) or 'The folder'} cannot be looked at: {error.strerror}.",
            "Run this as somebody who may, or hand over what getfacl -R wrote.",
        ) from error
    return found


def of_export(text: str) -> dict[str, Entry]:
    """What `getfacl -R .` wrote in the folder. Raises TragError for a line that is none of its kinds, and where the
    folder itself is missing."""
    found: dict[str, Entry] = {}
    path, lines = "", _Lines()
    for number, line in enumerate([*text.splitlines(), ""], 1):
        said = line.partition("\t")[0].strip()
        kind, _, rest = said.partition(":")
        name, _, bits = rest.rpartition(":")
        if lines.groups and (not said or said.startswith("# file:")):
            found[path] = lines.entry()
            lines = _Lines()
        if said.startswith("# file:"):
            path = _OCTAL.sub(_plain, said.removeprefix("# file:").strip()).strip("/")
            path, lines = "" if path == "." else path.removeprefix("./"), _Lines()
        elif said.startswith("# group:"):
            lines.own = said.removeprefix("# group:").strip()
        elif kind == "default" or said.startswith("#"):
            continue
        elif kind in ("user", "group", "mask", "other") and re.fullmatch("[r-][w-][xsStT-]", bits):
            if kind == "group":
                lines.groups[name or lines.own] = bits.translate(_SPECIAL)
            elif kind == "mask":
                lines.mask = bits
            elif kind == "other":
                lines.groups[OTHER] = bits.translate(_SPECIAL)
            else:
                lines.persons += bool(name)
        elif said:
            raise TragError(f"Line {number} is none of an export of getfacl: {shown(said)}", _EXPORT)
    if "" not in found:
        raise TragError("The export does not begin with the folder itself (# file: .).", _EXPORT)
    return found


def rights(entries: Mapping[str, Entry], groups: str, chart: Chart | None) -> Found:
    """Who may read what, of entries with "" among them: `groups` is a CSV of two columns, a group and its units with |
    between them ("everyone" and "nobody" as in the table of readers). Raises TragError for a group that it lacks, and
    for what is wrong in it."""
    units = _units(groups, chart)
    names = sorted({name for entry in entries.values() for name in entry.groups})
    if missing := [name for name in names if name not in units]:
        raise TragError(
            f"The table of groups has no row for: {', '.join(map(shown, missing))}.",
            f'Add each with its units, such as "{shown(missing[0])},unit1|unit2", or with "nobody".',
        )
    folders = {parent for path in entries for parent in _parents(path)}
    open_to: dict[str, frozenset[str]] = {}
    readers: dict[str, Audience] = {}
    for path in sorted(entries, key=lambda path: (path.count("/") + bool(path), path)):
        entry, is_folder = entries[path], path in folders or not path
        above = next((parent for parent in _parents(path) if parent in open_to), None)
        needed = "rx" if is_folder else "r"
        allowed = {
            name
            for name in (names if above is None else open_to[above])
            if all(bit in entry.groups.get(name, entry.groups.get(OTHER, "---")) for bit in needed)
        }
        open_to[path] = frozenset(allowed)
        union = frozenset[str]().union(*(units[name] for name in allowed))
        readers[path] = OPEN if EVERYONE in union else union
    own = tuple(
        (path, audience)
        for path, audience in sorted(readers.items())
        if path and audience != readers[next(parent for parent in _parents(path) if parent in readers)]
    )
    return Found(readers[""], own, sum(entry.persons for entry in entries.values()))


def _units(groups: str, chart: Chart | None) -> dict[str, Audience]:
    found: dict[str, Audience] = {}
    for number, row in enumerate(csv.reader(io.StringIO(groups)), 1):
        cells = [cell.strip() for cell in row]
        if not any(cells) or cells == ["group", "units"]:
            continue
        if len(cells) != 2 or not cells[0] or cells[0] in found:
            raise TragError(f"Row {number} of the table of groups is no group with its units.", "group,unit1|unit2")
        found[cells[0]] = read_readers(cells[1].split("|"), chart)
    return found


def _parents(path: str) -> Iterator[str]:
    """The folders above a path, the nearest first, "" last."""
    while path:
        path = path.rpartition("/")[0]
        yield path


def _plain(codes: re.Match[str]) -> str:
    """The characters that an export has as the octal codes of their bytes."""
    return bytes(int(code, 8) for code in codes[0].split("\\")[1:]).decode("utf-8", "replace")


def _mode(path: Path) -> Entry:
    status = path.lstat()
    try:
        group = grp.getgrgid(status.st_gid).gr_name
    except KeyError:
        group = str(status.st_gid)
    bits = stat.filemode(status.st_mode).translate(_SPECIAL)
    return Entry({group: bits[4:7], OTHER: bits[7:10]})
