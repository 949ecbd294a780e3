"""Two systems' texts about the same names side by side, for a reader who is not told whose is whose (Plan-based
retrieval, appendix A.1.1): which is more informative, which is more fluent.

texts -> file, a pair a line, to be filled in -> table

Which text stands first is a matter of the name and the systems, so that no key has to be kept.
"""

from __future__ import annotations

import hashlib
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Literal

from trag import json_lines
from trag.evaluate.briefs.systems import CALLED, Written
from trag.evaluate.tables import Table
from trag.json_lines import Words

ASPECTS = ("informative", "fluent")
Said = Literal["a", "b", "none", ""]


@dataclass(frozen=True, slots=True)
class _Pair:
    name: Words
    a: Words
    b: Words
    informative: Said
    fluent: Said


def lay(file: Path, one: Sequence[Written], other: Sequence[Written], systems: tuple[str, str]) -> int:
    """Write the pairs of two systems into a file, and how many there are: those names about which both write."""
    texts = {text.name: " ".join(text.sentences) for text in other if text.sentences and not text.run}
    lines = []
    for text in one:
        if text.sentences and not text.run and text.name in texts:
            both = [" ".join(text.sentences), texts[text.name]]
            first, second = both[::-1] if _turned(text.name, systems) else both
            lines.append({"name": text.name, "a": first, "b": second} | dict.fromkeys(ASPECTS, ""))
    file.write_bytes(json_lines.write(lines))
    return len(lines)


def count(file: Path, systems: tuple[str, str]) -> Table:
    """What was filled in, by system. Raises TragError for what cannot be read, naming every bad line."""
    lines = json_lines.read(file, _Pair, "pairs", "Fill in a, b or none.")
    rows = []
    for aspect in ASPECTS:
        found = Counter(_whose(said, line.name, systems) for line in lines if (said := getattr(line, aspect)))
        shares = (f"{100 * found[each] / found.total():.0f}%" if found else "" for each in (*systems, "none"))
        rows.append((aspect, str(found.total()), *shares))
    header = ("more", "pairs", *(CALLED[each] for each in systems), "no preference")
    return Table("Blind pairs (tables 8 and 9)", header, tuple(rows))


def _whose(said: str, name: str, systems: tuple[str, str]) -> str:
    if said == "none":
        return said
    return systems[(said == "b") != _turned(name, systems)]


def _turned(name: str, systems: tuple[str, str]) -> bool:
    return hashlib.sha256("\n".join((name, *systems)).encode()).digest()[0] % 2 == 1
