"""What of a folder is looked at: all but what is hidden, or left out by a .gitignore as Git reads it."""

from __future__ import annotations

import shutil
import subprocess
from pathlib import Path

import pytest

from trag.folders.listing import LARGEST_RULES, Local

FILES = (
    "README.md",
    "docs/a.md",
    "docs/old/b.md",
    "docs/old/keep.md",
    "node_modules/x/README.md",
    "src/node_modules/y.md",
    "build/out.txt",
    "src/build/notes.md",
    "draft-1.md",
    "src/draft-2.md",
    "src/important-draft.md",
)
RULES = {
    ".gitignore": "# made\nnode_modules/\n/build\ndraft-*.md\n\n!src/draft-2.md\n",
    "docs/.gitignore": "old/*\n!old/keep.md\n",
    "src/.gitignore": "important-*\n",
}


def write(root: Path, texts: dict[str, str]) -> None:
    for name, text in texts.items():
        (root / name).parent.mkdir(parents=True, exist_ok=True)
        (root / name).write_text(text)


def listed(root: Path) -> set[str]:
    return {found.path for found in Local(root).listing().files}


def test_what_a_gitignore_leaves_out_is_passed_over_as_git_does(tmp_path: Path) -> None:
    write(tmp_path, dict.fromkeys(FILES, "x") | RULES)
    expected = {"README.md", "docs/a.md", "docs/old/keep.md", "src/build/notes.md", "src/draft-2.md"}
    assert listed(tmp_path) == expected
    assert Local(tmp_path).listing().passed_over == 6
    git = shutil.which("git")
    if git is None:
        pytest.skip("Git is not installed")
    subprocess.run([git, "init", "-q", tmp_path], check=True)
    command = [git, "-C", tmp_path, "ls-files", "--others", "--exclude-standard"]
    theirs = subprocess.run(command, capture_output=True, text=True, check=True).stdout.split()
    assert {name for name in theirs if not name.endswith(".gitignore")} == expected


@pytest.mark.parametrize("spoil", ["is a folder", "is too large", "leads elsewhere", "is nonsense"])
def test_a_gitignore_that_is_none_leaves_nothing_out(tmp_path: Path, spoil: str) -> None:
    write(tmp_path, {"shared/a.md": "x"})
    rules = tmp_path / "shared" / ".gitignore"
    if spoil == "is a folder":
        rules.mkdir()
    elif spoil == "is too large":
        rules.write_text("*\n" * (LARGEST_RULES // 2))
    elif spoil == "is nonsense":
        write(tmp_path, {"shared/b.md": "x"})
        rules.write_bytes(b"!\n/\n\xff\x00[\na\\\nb.md\n")
    else:
        (tmp_path / "rules").write_text("*\n")
        rules.symlink_to(tmp_path / "rules")
    assert listed(tmp_path / "shared") == {"a.md"}
