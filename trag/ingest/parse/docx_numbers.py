"""The numbers that Word shows before headings and items: it stores only the rule by which they are counted."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from docx.oxml.ns import qn

from trag.ingest.parse.marks import STATES, in_font, numbered


@dataclass(frozen=True, slots=True)
class _Level:
    format: str
    text: str
    start: int
    legal: bool
    """Whether its text has every number as a decimal: "Article I" above "Section 1.1"."""
    font: str


class Numbers:
    """Counts on from paragraph to paragraph, in document order."""

    def __init__(self, numbering: Any | None, styles: Mapping[str, Any]) -> None:
        """`numbering` is the <w:numbering> element, None where there are no lists; `styles` are elements by id."""
        self._styles = styles
        self._levels: dict[str, dict[int, _Level]] = {}  # by list
        self._style_levels: dict[tuple[str, str], int] = {}
        self._lists: dict[str, str] = {}
        self._restarts: dict[str, dict[int, int]] = {}
        self._counts: dict[str, dict[int, int]] = {}
        abstracts = [] if numbering is None else numbering.findall(qn("w:abstractNum"))
        styled = {style: abstract for abstract in abstracts if (style := value(abstract, "w:styleLink"))}
        levels: dict[str, dict[int, _Level]] = {}
        for abstract in abstracts:
            id_ = abstract.get(qn("w:abstractNumId"))
            own = styled.get(value(abstract, "w:numStyleLink"), abstract).findall(qn("w:lvl"))
            levels[id_] = {int(level.get(qn("w:ilvl"))): _level(level) for level in own}
            for level in own:
                if style := value(level, "w:pStyle"):
                    self._style_levels[id_, style] = int(level.get(qn("w:ilvl")))
        for number in [] if numbering is None else numbering.findall(qn("w:num")):
            id_ = number.get(qn("w:numId"))
            overrides = {int(each.get(qn("w:ilvl"))): each for each in number.findall(qn("w:lvlOverride"))}
            self._lists[id_] = value(number, "w:abstractNumId")
            self._levels[id_] = levels.get(self._lists[id_], {}) | {
                depth: _level(level)
                for depth, override in overrides.items()
                if (level := override.find(qn("w:lvl"))) is not None
            }
            self._restarts[id_] = {
                depth: int(start)
                for depth, override in overrides.items()
                if (start := value(override, "w:startOverride"))
            }

    def mark(self, paragraph: Any) -> tuple[str, int]:
        """What Word shows before a <w:p> ("4.2", "a)", "-" for a bullet, "- ✓" for a tick, else ""), and the depth of
        its list, from 1."""
        list_, depth = self._rule(paragraph)
        levels = self._levels.get(list_, {})
        level = levels.get(depth)
        if level is None:
            return "", 0
        counts = self._counts.setdefault(self._lists[list_], {})
        restarts = self._restarts[list_]
        counts[depth] = restarts.pop(depth) if depth in restarts else counts.get(depth, level.start - 1) + 1
        for deeper in [each for each in counts if each > depth]:
            del counts[deeper]
        if level.format in ("bullet", "none"):
            sign = in_font(level.text, level.font)
            return "" if level.format == "none" else f"- {sign}" if sign in STATES else "-", depth + 1

        def number(match: re.Match[str]) -> str:
            at = int(match[1]) - 1
            if at not in levels:
                return ""
            form = levels[at].format
            if level.legal and form != "decimalZero":
                form = "decimal"
            return numbered(counts.get(at, levels[at].start), form)

        return re.sub(r"%(\d)", number, level.text).strip(), depth + 1

    def _rule(self, paragraph: Any) -> tuple[str, int]:
        """The list that a paragraph belongs to, by itself or by its style, and its depth in it from 0."""
        style = value(paragraph, "w:pPr/w:pStyle")
        depth = value(paragraph, "w:pPr/w:numPr/w:ilvl")
        list_ = value(paragraph, "w:pPr/w:numPr/w:numId")
        own = style
        for own in [] if list_ else ancestry(style, self._styles):
            list_ = value(self._styles[own], "w:pPr/w:numPr/w:numId")
            depth = depth or value(self._styles[own], "w:pPr/w:numPr/w:ilvl")
            if list_:
                break
        at = self._style_levels.get((self._lists.get(list_, ""), own))
        return list_, int(depth) if depth.isdecimal() else at or 0


def _level(level: Any) -> _Level:
    start = value(level, "w:start")
    return _Level(
        format=value(level, "w:numFmt") or "decimal",
        text=value(level, "w:lvlText"),
        start=int(start) if start.isdecimal() else 1,
        font="" if (fonts := level.find(f"{qn('w:rPr')}/{qn('w:rFonts')}")) is None else fonts.get(qn("w:ascii"), ""),
        legal=level.find(qn("w:isLgl")) is not None and value(level, "w:isLgl") not in ("0", "false", "off"),
    )


def ancestry(style: str, styles: Mapping[str, Any]) -> list[str]:
    """A style and those it is based on, nearest first, by their ids among `styles`."""
    found: list[str] = []
    while style in styles and style not in found:
        found.append(style)
        style = value(styles[style], "w:basedOn")
    return found


def value(element: Any, path: str) -> str:
    """The w:val of the element at `path`, "" without one."""
    found = element.find("/".join(qn(step) for step in path.split("/")))
    return "" if found is None else str(found.get(qn("w:val"), ""))
