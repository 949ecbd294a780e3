"""python -m bench.house [CHECKOUT]: how large the house is, one line a figure.

Counts app.py, trag, org, store and prompts of a checkout (this one, when none is named) as git has them: lines, files,
private functions with one use, import circles, and what is imported to answer a question (TYPE_CHECKING aside).
"""

from __future__ import annotations

import ast
import re
import subprocess
import sys
from collections.abc import Iterator, Mapping
from pathlib import Path
from statistics import median

HOUSE = ("app.py", "trag/", "org/", "store/", "prompts/")
OUTSIDE = ("trag/llm/", "store/", "trag/web/")
"""Rooms that the lines of a question's path leave out: engines and pages."""


def main() -> None:
    """Print the figures."""
    root = Path(sys.argv[1] if len(sys.argv) > 1 else ".").resolve()
    listed = subprocess.run(["git", "-C", str(root), "ls-files", "*.py"], capture_output=True, text=True, check=True)
    texts = {name: (root / name).read_text(encoding="utf-8") for name in listed.stdout.split()}
    lines = {name: text.count("\n") for name, text in texts.items()}
    product = {name: text for name, text in texts.items() if name.startswith(HOUSE)}
    arrows = imported(product)
    asked = reached("trag/ask.py", arrows)
    path = [name for name in asked if not name.startswith(OUTSIDE)]
    tests = [name for name in texts if name.startswith("tests/")]
    uses = [count for text in product.values() for count in private_uses(text)]
    for what, figure in (
        ("product, lines", sum(lines[name] for name in product)),
        (
            "files; median lines; largest",
            f"{len(product)}; {median(map(lines.get, product)):g}; {max(lines[name] for name in product):,}",
        ),
        ("imported to answer a question: files, lines", f"{len(asked)}, {sum(lines[name] for name in asked):,}"),
        ("the same without trag/llm, store, trag/web", f"{len(path)}, {sum(lines[name] for name in path):,}"),
        ("private functions; used once", f"{len(uses):,}; {uses.count(1):,}"),
        ("files in import circles, or on the way to one", len(circular(arrows))),
        ("tests, lines", sum(lines[name] for name in tests)),
    ):
        print(f"{what}: {figure:,}" if isinstance(figure, int) else f"{what}: {figure}")


def imported(texts: Mapping[str, str]) -> dict[str, set[str]]:
    """For each file those of `texts` that it imports when it runs, wherever in it."""
    modules = {name.removesuffix(".py").removesuffix("/__init__").replace("/", "."): name for name in texts}
    return {
        name: {modules[each] for each in _imports(ast.parse(text), modules)} - {name} for name, text in texts.items()
    }


def _imports(tree: ast.Module, modules: Mapping[str, str]) -> Iterator[str]:
    for_types = {
        child
        for node in ast.walk(tree)
        if isinstance(node, ast.If) and "TYPE_CHECKING" in ast.dump(node.test)
        for child in ast.walk(node)
    }
    for node in ast.walk(tree):
        if node in for_types:
            continue
        if isinstance(node, ast.Import):
            yield from (alias.name for alias in node.names if alias.name in modules)
        elif isinstance(node, ast.ImportFrom) and node.module:
            for alias in node.names:
                inner = f"{node.module}.{alias.name}"
                if inner in modules or node.module in modules:
                    yield inner if inner in modules else node.module


def reached(start: str, arrows: Mapping[str, set[str]]) -> set[str]:
    """All that a file imports, directly or not, and itself."""
    found: set[str] = set()
    left = [start]
    while left:
        if (name := left.pop()) not in found:
            found.add(name)
            left += arrows[name]
    return found


def circular(arrows: Mapping[str, set[str]]) -> set[str]:
    """What is left when all that imports nothing that is left is taken away, again and again."""
    left = dict(arrows)
    while ends := {name for name, targets in left.items() if not targets & left.keys()}:
        left = {name: targets for name, targets in left.items() if name not in ends}
    return set(left)


def private_uses(text: str) -> Iterator[int]:
    """For each private function of a file how often the file names it beside its definition."""
    for node in ast.walk(ast.parse(text)):
        if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef) and re.match("_(?!_)", node.name):
            yield len(re.findall(rf"\b{node.name}\b", text)) - 1


if __name__ == "__main__":
    main()
