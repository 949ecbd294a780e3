"""Which program is running, so that a result can be told from that of another.

The commit of a clone, else a hash of the sources, which are all files that it comes with: what was learned is one of
them.  Knows nothing about what the program did.
"""

from __future__ import annotations

import hashlib
import shutil
import subprocess
from functools import cache
from pathlib import Path

_ROOT = Path(__file__).parents[2]
_SOURCES = ("app.py", "org", "prompts", "requirements.txt", "store", "trag")


@cache
def commit() -> str:
    """That of this program, as it was when it was first asked for: what is edited later is not what is running."""
    return commit_of(_ROOT)


def commit_of(root: Path) -> str:
    """The first 12 digits of the commit in a clone, with "+" and a hash of the sources behind it where they differ from
    that commit; "sources " and the hash elsewhere."""
    git = shutil.which("git") if (root / ".git").exists() else None
    if git:
        head = _said(git, root, "rev-parse", "--short=12", "HEAD")
        changes = _said(git, root, "status", "--porcelain", "--", *_SOURCES)
        if head and changes is not None:
            return f"{head.strip()}+{_hash(root)}" if changes else head.strip()
    return f"sources {_hash(root)}"


def _said(git: str, root: Path, *words: str) -> str | None:
    """What git says, None when it fails: the folder may belong to somebody else."""
    # Without optional locks it leaves alone what it reads.
    said = subprocess.run(
        [git, "--no-optional-locks", "-C", str(root), *words], capture_output=True, text=True, timeout=60, check=False
    )
    return said.stdout if said.returncode == 0 else None


def _hash(root: Path) -> str:
    inside = (file for name in _SOURCES for file in (root / name, *(root / name).rglob("*")))
    digest = hashlib.sha256()
    for file in sorted(file for file in inside if file.is_file() and "__pycache__" not in file.parts):
        digest.update(
            f"{file.relative_to(root).as_posix()}\0{hashlib.sha256(file.read_bytes()).hexdigest()}\n".encode()
        )
    return digest.hexdigest()[:12]
