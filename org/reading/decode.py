"""The bytes of a text file -> its text, whatever encoding it was saved in.

Knows nothing about what the text means.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from itertools import pairwise

from org.reading.problems import Problem, error

_MARKS = (
    (b"\xef\xbb\xbf", "utf-8"),
    (b"\xff\xfe\0\0", "utf-32-le"),
    (b"\0\0\xfe\xff", "utf-32-be"),
    (b"\xff\xfe", "utf-16-le"),
    (b"\xfe\xff", "utf-16-be"),
)
_BYTES = re.compile("[\udc80-\udcff]+")
_WORD = re.compile(rb"[A-Za-z\x80-\xff]*[\x80-\xff][A-Za-z\x80-\xff]*")
_SAMPLE = 20_000  # words

PAGES = {
    "cp1252": "Windows-1252 (Western European)",
    "cp1250": "Windows-1250 (Central European)",
    "cp1254": "Windows-1254 (Turkish)",
    "cp1255": "Windows-1255 (Hebrew)",
    "cp1251": "Windows-1251 (Cyrillic)",
    "cp1253": "Windows-1253 (Greek)",
    "cp1256": "Windows-1256 (Arabic)",
}
# The letters beyond ASCII that make up nearly all of what is written in each page. What is in Hebrew could be in
# Cyrillic without a capital, so of equals the earlier page is meant.
_COMMON = {
    page: re.compile(letters)
    for page, letters in {
        "cp1252": "[éèêàçùôîâûëïœäöüßÄÖÜåøæÅØÆñóíáúãÉÀÇ’–“”]|õ(?=e)",
        "cp1250": "[ąćęłńóśźżŚŁŻěščřžýáíéůúďťňőűăŠČŘŽŐŰ’–“”„]",
        "cp1254": "[ığşİçöüÇÖÜŞâî’–“”]",
        "cp1255": "[א-ת–]",
        "cp1251": "[а-яА-Яёіїєґ«»–№]",
        "cp1253": "[α-ωΑ-Ωάέήίόύώ«»–]",
        "cp1256": "[ءأإآؤئةىا-غف-ي،؛–]",
    }.items()
}


@dataclass(frozen=True, slots=True)
class Text:
    """A text. Bytes that are not in its encoding stand in it as surrogates, whole lines at a time.

    `page` is the Windows code page that those bytes make most sense in, "" when there are none; `mixed` says that other
    lines are in UTF-8.
    """

    text: str
    page: str = ""
    mixed: bool = False

    def mend(self, stretch: str) -> str:
        """A stretch of the text with its bytes read in the code page."""
        return _BYTES.sub(lambda run: run[0].encode("ascii", "surrogateescape").decode(self.page, "replace"), stretch)


def is_broken(stretch: str) -> bool:
    """Whether bytes that are not in the encoding stand in a stretch of a text."""
    return not stretch.isascii() and _BYTES.search(stretch) is not None


def decode(content: bytes) -> Text | Problem:
    """The text by its byte order mark, as UTF-16 without one, as UTF-8, or last by a Windows code page."""
    mark, encoding = next(((mark, encoding) for mark, encoding in _MARKS if content.startswith(mark)), (b"", "utf-8"))
    content = content[len(mark) :]
    if not mark and b"\0" in content[:4096]:
        even, odd = content[:4096:2].count(0), content[1:4096:2].count(0)
        encoding = "utf-16-le" if odd > 4 * even else "utf-16-be" if even > 4 * odd else "utf-8"
    try:
        text = Text(content.decode(encoding))
    except UnicodeDecodeError:
        if encoding != "utf-8":
            name = encoding[:6].upper()
            return error(0, f"The file begins as {name} but is damaged.", "Save it again as CSV UTF-8.")
        text = _by_lines(content)
    if "\0" in text.text:
        return error(0, "The file is not text.", "Export the chart as a CSV file.")
    return text


def _by_lines(content: bytes) -> Text:
    """Line by line: one that is no UTF-8 is all in the code page, for parts of it may pass for UTF-8 by accident."""
    lines: list[str] = []
    others: list[bytes] = []
    mixed = False
    for line in content.splitlines(keepends=True):
        try:
            lines.append(line.decode("utf-8"))
            mixed = mixed or not line.isascii()
        except UnicodeDecodeError:
            lines.append(line.decode("ascii", "surrogateescape"))
            others.append(line)
    return Text("".join(lines), _page(b"".join(others)), mixed)


def _page(content: bytes) -> str:
    """The code page in which the words with bytes above 127 look most like words; the first of equals."""
    words = [word.group() for word, _ in zip(_WORD.finditer(content), range(_SAMPLE), strict=False)]
    return max(PAGES, key=lambda page: _likeness(words, page))


def _likeness(words: list[bytes], page: str) -> float:
    """How much the words look like words of the page: its common letters, and no Latin letters among other ones."""
    score = 0.0
    for word in words:
        text = word.decode(page, "replace")
        high = [sign for sign in text if sign > "\x7f"]
        score += len(_COMMON[page].findall(text)) - sum(2 * (sign == "\ufffd") + (not sign.isalpha()) for sign in high)
        is_latin = page in ("cp1252", "cp1250", "cp1254")
        if is_latin and len(high) > 2 and len(high) > len(text) / 2:
            score -= len(high)  # accented letters stand alone; those of other scripts in runs
        if not is_latin and len(high) < len(text):
            score -= len(text)
        score -= sum(1 for before, after in pairwise(text) if before.islower() and after.isupper())
    return score
