"""python -m bench.conformance FOLDER...: whether files of the formats, as their own tests have them, end the reader or
lose text silently.

file -> `trag.ingest.reading.read` in its sandbox        -> read, refused, or the reader ended
     -> `bench.conformance.independent` in a sandbox too -> its words of four letters or more
     -> the share of those that stand in the blocks or the notes

Prints the table, and a line for each file that ended the reader, was refused though words are found in it, or has less
than 90% of its words; with the notes of its reading, since those may tell why. Each is to be looked at by hand.
"""

from __future__ import annotations

import argparse
import json
import re
import sys
import unicodedata
from collections import Counter
from pathlib import Path

from bench.conformance import independent
from trag.errors import TragError
from trag.ingest.parse.formats import FORMATS
from trag.ingest.reading import Reading, read
from trag.sandbox import Limits, run

ENOUGH = 0.9
_WORD = re.compile(r"[^\W\d_]{4,}")
_LETTER = re.compile(r"[^\W\d_]+")
_ENDED = re.compile(r"could not be read|MiB of memory|seconds of computing|MB of text|something that is no text")
_LIMITS, _OTHERS = Limits(), Limits(processor_seconds=20, seconds=120)
"""Those of the product, and those of what finds the words for the comparison."""
KINDS = ("read", "refused", "ended", "short, told", "short, silent")


def folded(text: str) -> str:
    return unicodedata.normalize("NFKC", text).casefold()


def said(reading: Reading) -> str:
    """The letters of a reading, its notes with it, without what parts its words."""
    cells = (cell for block in reading.blocks for row in block.rows for cell in row)
    return "".join(
        _LETTER.findall(folded(" ".join((*(block.text for block in reading.blocks), *cells, *reading.notes))))
    )


def held(content: bytes, name: str) -> set[str]:
    """The words that a file holds; none where they cannot be found either."""
    try:
        found = run(independent.__name__, [Path(name).suffix.lower()], content, name, _OTHERS)
    except TragError:
        return set()
    return set(_WORD.findall(folded(json.loads(found))))


def judged(path: Path) -> tuple[str, str]:
    """One of KINDS for a file, and what there is to say of it, "" for nothing."""
    content = path.read_bytes()
    try:
        reading = read(content, path.name, _LIMITS)
    except TragError as error:
        why = error.message.removeprefix(path.name).strip()
        if _ENDED.search(error.message):
            return "ended", why
        return "refused", f"{len(held(content, path.name))} words: {why} {error.hint}"
    words, letters = held(content, path.name), said(reading)
    missing = sorted(word for word in words if word not in letters)
    if len(missing) <= (1 - ENOUGH) * len(words):
        return "read", ""
    told = bool(reading.notes)
    what = f"{1 - len(missing) / len(words):.0%} of {len(words)}; missing {' '.join(missing[:12])}; {reading.notes}"
    return "short, told" if told else "short, silent", what


def main() -> None:
    """Read every file of the folders, and print what came of it."""
    parser = argparse.ArgumentParser(prog="python -m bench.conformance")
    parser.add_argument("folders", type=Path, nargs="+", metavar="FOLDER")
    files = [file for folder in parser.parse_args().folders for file in sorted(folder.rglob("*")) if file.is_file()]
    counts: dict[str, Counter[str]] = {}
    for file in files:
        if kind := FORMATS.get(file.suffix.lower()):
            result, what = judged(file)
            counts.setdefault(kind, Counter())[result] += 1
            if what:
                sys.stdout.write(f"{result}\t{file}\t{what}\n")
                sys.stdout.flush()
    sys.stdout.write(f"\n| format | files | {' | '.join(KINDS)} |\n|{'---|' * (len(KINDS) + 2)}\n")
    for kind, found in sorted(counts.items()):
        sys.stdout.write(f"| {kind} | {found.total()} | {' | '.join(str(found[each]) for each in KINDS)} |\n")


if __name__ == "__main__":
    main()
