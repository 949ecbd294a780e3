"""Who else of this machine may get at a home: nobody, by the modes of its files.

What the program writes is its account's alone by the umask that `trag.terminal.main` sets. What was written before, or
by hand, is closed here.
"""

from __future__ import annotations

import logging
import os
import stat
from collections.abc import Iterator
from contextlib import suppress
from pathlib import Path

from store.files import UNFINISHED
from trag.backup import FOLDERS, LEFT_ALONE
from trag.errors import TragError

_OTHERS = stat.S_IRWXG | stat.S_IRWXO
_OWN = {*FOLDERS, *LEFT_ALONE, "cache", "chroma", "finetune", "keys", "uploads"}
"""What the program puts into a home, beside its database and what is unfinished."""

log = logging.getLogger(__name__)


def open_to_others(home: Path) -> list[Path]:
    """What other accounts may get at of all that the program keeps in a home, each folder after what is in it and the
    home last; nothing that lies in a folder which is closed to them. A link at the top counts by what it leads to."""
    top = [path for path in sorted(home.glob("*")) if _own(path.name)]
    found = [path for path in top if path.is_symlink() and path.name != "models" and _is_open(path)]  # weights: public
    if _is_open(home):
        found += [each for path in top if not path.is_symlink() and _is_open(path) for each in (*_below(path), path)]
        found.append(home)
    return found


def check_closed(home: Path) -> None:
    """Raises TragError that names what other accounts may get at, if there is anything."""
    if not (found := open_to_others(home)):
        return
    more = f" and {len(found) - 1} more files and folders are" if found[1:] else " is"
    hint = f"As the account that it belongs to: chmod -R go= {found[-1]}"
    if found[-1] == home and (foreign := _foreign(home)):
        hint = (
            f"It holds {foreign[0]}, which is not the program's: give the home a folder of its own, or chmod go= {home}"
        )
    raise TragError(f"{found[-1]}{more} open to other accounts of this machine.", hint)


def close_to_others(home: Path) -> None:
    """Takes from other accounts what they may do with what the program keeps in a home, and with the home itself unless
    it holds something else too. What belongs to another account, or lies where a link leads, stays as it is; what is
    open then is said in the log."""
    found, foreign = open_to_others(home), _foreign(home)
    for path in found:
        with suppress(OSError):  # gone meanwhile, or on a disk that has no modes
            status = path.lstat()
            if status.st_uid == os.geteuid() and not stat.S_ISLNK(status.st_mode) and not (path == home and foreign):
                path.chmod(stat.S_IMODE(status.st_mode) & ~_OTHERS)
    try:
        check_closed(home)
    except TragError as error:
        log.warning("%s %s", error.message, error.hint)
    else:
        if found:
            log.warning("%s was open to other accounts of this machine, and is closed to them now", home)


def _foreign(home: Path) -> list[str]:
    return sorted(path.name for path in home.glob("*") if not _own(path.name))


def _own(name: str) -> bool:
    return name in _OWN or name.startswith("trag.db") or name.endswith(UNFINISHED)


def _is_open(path: Path) -> bool:
    with suppress(OSError):  # gone meanwhile, or a link to nothing
        return bool(path.stat().st_mode & _OTHERS)
    return False


def _below(folder: Path) -> Iterator[Path]:
    for place, folders, files in os.walk(folder, topdown=False):
        paths = (Path(place, name) for name in (*folders, *files))
        yield from (path for path in paths if not path.is_symlink() and _is_open(path))
