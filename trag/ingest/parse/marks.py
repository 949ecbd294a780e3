"""What marks and formatting mean, whatever the format: marks of lists, ticks and boxes, symbol fonts, raised figures,
and what is left out because it is struck out or hidden.

A reader hands on raised text as `raised` wraps it; `settled` says how it stands on a line once the whole document is
read, since only then it is known which figures are marks of notes.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace

from trag.ingest.parse.characters import counted
from trag.ingest.reading import Block

BULLET = re.compile(r"\A[-*•‣◦▪–+·●○▫►▸➢➤❖◆◇⁃]\s+(?=\S)")
NUMBER = re.compile(r"(?:\d{1,3}[.)]|\d{1,3}(?:\.\d{1,3})+\.?|\(?[a-z]\)|\(?[ivx]{1,4}\)|\(\d{1,3}\))\s+(?=\S)")
"""The marks of unordered and of ordered items."""
CLAUSE = re.compile(rf"{NUMBER.pattern}|\(?(?:[A-Za-z]|[ivxlcIVXLC]{{2,6}})[.)]\s+(?=\S)")
"""The marks of ordered items, and the letters and Roman figures that are one only among others of their kind."""
_ROMAN = {"m": 1000, "cm": 900, "d": 500, "cd": 400, "c": 100, "xc": 90, "l": 50, "xl": 40, "x": 10, "ix": 9, "v": 5}
_ROMAN |= {"iv": 4, "i": 1}

TICKED, UNTICKED = "☑", "☐"
STATES = frozenset("✓✔✗✘☑☒✅❌")
"""Marks that say something where others only begin an item."""

_FROM_WINGDINGS = {
    **dict(zip(range(0x80, 0x96), "⓪①②③④⑤⑥⑦⑧⑨⑩⓿❶❷❸❹❺❻❼❽❾❿", strict=True)),
    **dict(zip(b"(*ABCDEFGHJKLNOQRTlmnuvw", "☎✉✌👌👍👎☜☞☝☟☺😐☹☠⚐✈☼❄●❍■◆❖◆", strict=True)),
    **dict.fromkeys(b"opqr\xa8", UNTICKED),
    **dict(zip(b"x\xfb\xfc\xfd\xfe", "☒✗✓☒☑", strict=True)),
    **dict(zip(b"\x9e\x9f\xa0\xa1\xa4\xa7\xab\xd8\xdc\xe8", "·•▪○◉▪★➢➲➔", strict=True)),
    **dict(zip(b"\xdf\xe0\xe1\xe2\xe7\xe9\xea\xef\xf0\xf1\xf2", "←→↑↓←↑↓⇦⇨⇧⇩", strict=True)),
}
_GREEK = "αβχδεφγηιϕκλμνοπθρστυϖωξψζ"
_FONTS: Mapping[str, Mapping[int, str]] = {
    "wingdings": _FROM_WINGDINGS,
    "wingdings 2": dict(zip(b"OPQRST\xa3", "✗✓☒☑☒☒☐", strict=True)),
    "webdings": dict(zip(b"acgnr", "✔☐■●✖", strict=True)),
    "marlett": dict(zip(b"abr", "✔✔✖", strict=True)),
    "symbol": {
        **{code: chr(code) for code in b"!#%&()+,./0123456789:;<=>?[]_{|}"},
        **dict(zip(range(0x41, 0x5B), "ΑΒΧΔΕΦΓΗΙϑΚΛΜΝΟΠΘΡΣΤΥςΩΞΨΖ", strict=True)),
        **dict(zip(range(0x61, 0x7B), _GREEK, strict=True)),
        **dict(zip(b"-\xa2\xa3\xa5\xac\xad\xae\xaf\xb0\xb1\xb2\xb3\xb4\xb6\xb7", "−′≤∞←↑→↓°±″≥×∂•", strict=True)),
        **dict(zip(b"\xb8\xb9\xba\xbb\xbc\xc6\xce\xd5\xd6\xd7\xde\xe5", "÷≠≡≈…∅∈∏√⋅⇒∑", strict=True)),
    },
    "zapf dingbats": {code: chr(0x26E0 + code) for code in range(0x21, 0x7F)}
    | dict(zip(b"%*+Hlnstu", "☎☛☞★●■▲▼◆", strict=True)),
}
"""What the symbol fonts draw for a code, as far as it is more than an ornament (Unicode 7.0 has characters for all)."""
_ELSEWHERE = {0xF00C: "✓", 0xF00D: "✗", 0xF0B7: "•"} | {0xF000 + code: sign for code, sign in _FROM_WINGDINGS.items()}
"""Private characters whose font is not known: those of icon fonts, and of Office, in which but for the bullet most are
Wingdings."""
_ELSEWHERE[0xF0B7] = "•"
_PRIVATE = re.compile("[\ue000-\uf8ff]")
_CROSSED = re.compile("(?:[^\\W_][\u0335-\u0338]+[\\s\u0335-\u0338.,-]*){2,}")

_UP, _DOWN = "\x0e", "\x0f"
"""Around raised text until the document is read; neither XML nor, cleaned, anything else holds them."""
_RAISED = re.compile(rf"(?P<before>\d[\d.,]*|/?[^\W\d_]+)?{_UP}(?P<raised>[^{_UP}{_DOWN}]*){_DOWN}(?P<after>\w?)")
_FIRST = re.compile(rf"\s*{_UP}\s*([^{_UP}{_DOWN}]{{1,6}}?)\s*{_DOWN}")
_FIGURES = re.compile(r"\d{1,3}(?:\s*[,–-]\s*\d{1,3})*")
_SIMPLE = re.compile(r"[+−–-]?[\w.]+")
_UNITS = frozenset(
    unit for length in "m km cm mm dm µm μm nm ft in yd mi".split() for unit in (length, f"/{length}")
) | {"/s"}
_UPPER = str.maketrans("0123456789", "⁰¹²³⁴⁵⁶⁷⁸⁹")


def raised(text: str) -> str:
    """Text above the line, until `settled` knows whether it is an exponent or the mark of a note."""
    return f"{_UP}{text}{_DOWN}" if text.strip() else text


def in_font(text: str, font: str) -> str:
    """Text set in a font by name: what a symbol font draws for it, or else the text. A symbol that is not known is a
    private character, which `plain` counts."""
    signs = _FONTS.get(font.lower().removeprefix("itc ").replace("zapfdingbats", "zapf dingbats"))
    if signs is None:
        return text
    return "".join(_sign(character, signs) for character in text)


def _sign(character: str, signs: Mapping[int, str]) -> str:
    code = ord(character)
    if 0xF000 <= code < 0xF100:
        code -= 0xF000
    elif code > 0xFF:
        code = character.encode("cp1252", "ignore")[0] if character.encode("cp1252", "ignore") else 0
    return character if character.isspace() or not code else signs.get(code, chr(0xF000 + code))


def plain(text: str) -> tuple[str, int, int]:
    """Text without the characters of symbol fonts and what combining strokes cross out; how many of those are not
    known, and how many passages are crossed out."""
    text, crossed = _CROSSED.subn(" ", text) if not text.isascii() else (text, 0)
    if not _PRIVATE.search(text):
        return text, 0, crossed
    text = text.translate(_ELSEWHERE)
    return *_PRIVATE.subn("", text), crossed


def left_out(counts: Mapping[str, int]) -> tuple[str, ...]:
    """Notes on what is left out, by what it is called: "2 struck-out passages left out"."""
    return tuple(f"{counted(count, what)} left out" for what, count in counts.items() if count)


def numbered(count: int, form: str) -> str:
    """A number as lists show it, by the names that Word has for the forms: "lowerLetter", "upperRoman"."""
    if form in ("lowerLetter", "upperLetter") and count > 0:
        # Word goes on with "aa", "bb" after "z".
        letters = chr(ord("a") + (count - 1) % 26) * ((count - 1) // 26 + 1)
        return letters.upper() if form == "upperLetter" else letters
    if form in ("lowerRoman", "upperRoman") and 0 < count < 4000:
        roman = ""
        for letters, worth in _ROMAN.items():
            roman += letters * (count // worth)
            count %= worth
        return roman.upper() if form == "upperRoman" else roman
    return f"{count:02}" if form == "decimalZero" else str(count)


def bulleted(text: str) -> str:
    """An item of a list without numbers; one that begins with a mark of its own keeps that."""
    return text if CLAUSE.match(text) else f"- {BULLET.sub('', text)}"


def items(block: Block) -> tuple[Block, ...]:
    """A paragraph as the items that it is where each of its lines begins with a bullet."""
    lines = block.text.split("\n")
    if block.kind != "paragraph" or not all(map(BULLET.match, lines)):
        return (block,)
    return tuple(replace(block, kind="item", level=1, text=BULLET.sub("- ", line)) for line in lines)


def settled(blocks: Sequence[Block]) -> tuple[Block, ...]:
    """The same blocks with raised text on the line: "EUR 500 ¹" for the mark of a note, "10^6", "m²" for exponents; and
    lines that begin with bullets as items."""
    texts = [text for block in blocks for text in (block.text, *(cell for row in block.rows for cell in row))]
    if any(_UP in text for text in texts):
        texts = [text.replace(_DOWN + _UP, "") for text in texts]
        notes = {match[1] for text in texts if (match := _FIRST.match(text))}
        every = [match for text in texts for match in _RAISED.finditer(text)]
        others = {match["raised"].strip() for match in every if match["before"] not in (None, "10", *_UNITS)}
        said = _on_the_line(notes, others)

        def lowered(text: str) -> str:
            return _RAISED.sub(said, text.replace(_DOWN + _UP, "")).replace(_UP, "").replace(_DOWN, "")

        blocks = [
            replace(block, text=lowered(block.text), rows=tuple(tuple(map(lowered, row)) for row in block.rows))
            for block in blocks
        ]
    return tuple(item for block in blocks for item in items(block))


def _on_the_line(notes: set[str], others: set[str]) -> Callable[[re.Match[str]], str]:
    """How raised text stands on the line: `notes` are the marks that notes begin with, `others` those raised beside
    anything but a ten, which a note and an exponent are equally likely to stand beside."""

    def said(match: re.Match[str]) -> str:
        before, text = match["before"] or "", match["raised"].strip()
        space = " " if match["raised"][-1:].isspace() or (match["after"] and text[-1:].isdigit()) else ""
        figure = before[:1].isdigit()
        if not before and match.start() == 0:  # a note
            return f"{text.translate(_UPPER)}{' ' if match['after'] else ''}{match['after']}"
        if not any(map(str.isalnum, text)) or text[0] in "[(":
            written = before + text
        elif not any(map(str.isdigit, text)):
            written = f"{before} ({text})" if text in notes and len(text) == 1 else before + text
        elif text in ("2", "3") and before in _UNITS:
            written = before + text.translate(_UPPER)
        elif not _FIGURES.fullmatch(text):
            written = f"{before}^{text if _SIMPLE.fullmatch(text) else f'({text})'}" if before else text
        elif figure and _is_power(before, text, text in notes and not (before == "10" and text in others)):
            written = f"{before}^{text}"
        else:
            written = f"{before} {text.translate(_UPPER)}" if before else text.translate(_UPPER)
        return f"{written}{space}{match['after']}"

    return said


def _is_power(base: str, exponent: str, noted: bool) -> bool:
    """Whether a figure is raised to a power, which only a short whole one is, and never to the first."""
    return not noted and base.isdigit() and len(base) <= 2 and exponent.isdigit() and exponent not in ("0", "1")
