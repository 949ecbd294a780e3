"""Lists in Markdown whose items have letters, Roman figures, "#." or "(a)": CommonMark has only numbers and bullets."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass

from trag.ingest.parse.marks import numbered

_ITEM = re.compile(
    r"(?P<indent>[ \t]*(?:>[ \t]?)*)(?P<open>\(?)"
    r"(?P<mark>#|@[\w-]*|[A-Za-z]|[ivxlc]{1,6}|[IVXLC]{1,6}|(?:\d{1,3}\.)*\d{1,3})"
    r"(?P<close>[.)]?)(?P<gap>[ \t]+)(?=\S)"
)
_FORMS = ("lowerLetter", "upperLetter", "lowerRoman", "upperRoman")
_COUNTS = {form: {numbered(count, form): count for count in range(1, 60)} for form in _FORMS}
_AHEAD = 80
"""Lines in which the second item of a list is looked for."""


@dataclass(frozen=True, slots=True)
class _Mark:
    """A mark in one reading of it: "i" may be a letter or a Roman figure. `above` are the figures before the last of
    "2.1.3"."""

    form: str
    count: int
    around: tuple[str, str]
    above: str = ""

    def next(self) -> _Mark:
        return _Mark(self.form, self.count + 1, self.around, self.above)

    def __str__(self) -> str:
        return f"{self.around[0]}{self.above}{numbered(self.count, self.form)}{self.around[1]}"


def with_lists(lines: Sequence[str]) -> list[str]:
    """The lines, items of such lists as items of bulleted ones that begin with their marks."""
    found: list[str] = []
    last: dict[int, _Mark] = {}  # by indent
    for at, line in enumerate(lines):
        match = _ITEM.match(line)
        indent = len(line) - len(line.lstrip())
        if line.strip():
            last = {depth: mark for depth, mark in last.items() if depth <= indent}
        if line.lstrip().startswith("#") and (match is None or match["mark"] != "#"):
            last = {}  # a heading
        mark = _chosen(match, last.get(indent), lines[at + 1 : at + _AHEAD]) if match else None
        if match is None or mark is None:
            found.append(line)
            continue
        last[indent] = mark
        rest = line[match.end() :]
        if mark.form == "decimal" and not mark.above and not mark.around[0]:
            found.append(f"{match['indent']}{mark}{match['gap']}{rest}")  # CommonMark has it
        else:
            width = min(match.end() - match.end("indent") - 1, 4)
            found.append(f"{match['indent']}-{' ' * width}{mark} {rest}")
    return found


def _chosen(match: re.Match[str], before: _Mark | None, below: Sequence[str]) -> _Mark | None:
    """The mark that an item has: the one that goes on from that before it, else the first of a list that goes on."""
    around = match["open"], match["close"]
    if match["mark"][0] in "#@":
        if not match["close"]:
            return None
        return before.next() if before is not None else _Mark("decimal", 1, around)
    readings = _readings(match)
    if before is not None and before.next() in readings:
        return before.next()
    for mark in readings:
        if mark.form == "decimal" and not mark.above and not mark.around[0]:
            return mark
        begins = mark.count == 1
        if begins and ((len(match["gap"]) > 1 and match["close"]) or _goes_on(mark, match["indent"], below)):
            return mark
    return None


def _readings(match: re.Match[str]) -> list[_Mark]:
    around, text = (match["open"], match["close"]), match["mark"]
    if text[-1].isdecimal():
        above, _, count = text.rpartition(".")
        if not above and not match["close"]:
            return []
        return [_Mark("decimal", int(count), around, f"{above}." if above else "")]
    if not match["close"]:
        return []
    found = [_Mark(form, counts[text], around) for form, counts in _COUNTS.items() if text in counts]
    return sorted(found, key=lambda mark: mark.count)  # "i" is rather the first Roman figure than the ninth letter


def _goes_on(mark: _Mark, indent: str, below: Sequence[str]) -> bool:
    """Whether the next item of a list stands below before the next heading; items of clauses only in the next line."""
    for line in below[:1] if mark.above else below:
        match = _ITEM.match(line)
        if match and match["indent"] == indent:
            if match["mark"] == "#" and match["close"]:
                return True
            if mark.next() in _readings(match):
                return True
        elif line.startswith("#"):
            return False
    return False
