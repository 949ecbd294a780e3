"""The parts of Word's equations on one line: "(a+b)/2", "x^2", "√(y)". Word stores the letters and draws what stands
between them, without which 1/2 would be read as 12.

Knows nothing of the text around an equation.
"""

from __future__ import annotations

import re
from typing import Any

from docx.oxml.ns import qn

_BEFORE = {"num": "", "den": "/", "sup": "^", "sub": "_", "lim": "_"}
"""What stands before a part that is drawn above or below its line."""
_SIMPLE = re.compile(r"[\w.,%]*|\([^()]*\)")
PARTS = {qn(f"m:{name}"): name for name in (*_BEFORE, "deg", "rad", "d", "nary", "e", "mr")}
"""The names of parts by their tags."""
_APART = {qn(f"m:{name}") for name in ("e", "mr", "fName", "sup", "sub")}


def on_one_line(part: Any, text: str) -> str:
    """A part with the signs that are drawn with it; `text` is what is in it, with theirs."""
    match name := PARTS[part.tag]:
        case "deg":
            return text and f"[{text}]"
        case "rad":
            return f"√{text}"
        case "nary":
            return _sign(part, "m:naryPr/m:chr", "∫") + text
        case "d":
            return _sign(part, "m:dPr/m:begChr", "(") + text + _sign(part, "m:dPr/m:endChr", ")")
        case "e" if part.getparent().tag == qn("m:rad"):
            return f"({text})"
        case "e" | "mr":
            before = part.getprevious()
            return f" {text}" if before is not None and before.tag in _APART else text
    return text and _BEFORE[name] + (text if _SIMPLE.fullmatch(text) else f"({text})")


def _sign(part: Any, path: str, usual: str) -> str:
    """The sign that the element at `path` names, the usual one without it."""
    found = part.find("/".join(qn(step) for step in path.split("/")))
    return usual if found is None else str(found.get(qn("m:val"), ""))
