"""docs/SECURITY.md keeps its word: each row is whole, and each test that it names exists."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator
from functools import cache
from pathlib import Path

ROOT = Path(__file__).parents[2]
NAMED = re.compile(r"`([\w/]+\.py)(?:::(\w+))?`")


def rows() -> Iterator[list[str]]:
    """The cells of each row of each table but the heads."""
    lines = (ROOT / "docs" / "SECURITY.md").read_text(encoding="utf-8").splitlines()
    for before, line in zip(["", *lines], lines, strict=False):
        if line.startswith("|") and before.startswith("|") and not line.startswith("|---"):
            yield [cell.strip() for cell in line.strip("|").split("|")]


@cache
def in_file(file: str) -> frozenset[str]:
    """The tests in a file, "" for the file itself."""
    path = ROOT / "tests" / file
    if not path.exists():
        return frozenset()
    nodes = ast.walk(ast.parse(path.read_text(encoding="utf-8")))
    return frozenset({""} | {node.name for node in nodes if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef)})


def test_every_row_is_whole_and_has_a_test_or_a_reason() -> None:
    found = list(rows())
    assert len(found) >= 110
    assert [row for row in found if not all(row)] == []
    assert [row for row in found if not NAMED.search(row[-1]) and not row[-1].startswith("reason: ")] == []


def test_every_test_that_is_named_exists() -> None:
    named = [(file, test) for row in rows() for file, test in NAMED.findall(row[-1])]
    assert len(named) >= 150
    assert [f"{file}::{test}" for file, test in named if test not in in_file(file)] == []
    assert [test for _, test in named if test and not test.startswith("test_")] == []
