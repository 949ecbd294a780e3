"""The bytes of a text file -> its text, whatever encoding it was saved in.

Knows nothing about what the text means, nor of the letters by which encodings are told apart.
"""

from __future__ import annotations

from codecs import getincrementaldecoder
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from itertools import islice

from org.reading.letters import ALIKE, ENCODINGS, likeness
from org.reading.problems import Problem, error, warning

_MARKS = (
    (b"\xef\xbb\xbf", "utf-8"),
    (b"\xff\xfe\0\0", "utf-32-le"),
    (b"\0\0\xfe\xff", "utf-32-be"),
    (b"\xff\xfe", "utf-16-le"),
    (b"\xfe\xff", "utf-16-be"),
)
_SAMPLE = 20_000
"""Bytes that tell the encoding, of as many lines at most."""
_HARDLY = 0.02
"""Likeness that tells nothing: of one letter alone, how often it is in this language or that."""


@dataclass(frozen=True, slots=True)
class Text:
    """A text, and the codec that it was read with.

    `others` are the numbers, from 1, of the lines that are no UTF-8, and `mixed` says that there are lines in UTF-8
    beside them. `damaged` are those of them with bytes that their encoding does not have either. `is_sure` says that a
    person chose the encoding, `is_alike` that its letters make words.
    """

    text: str
    encoding: str = "utf-8"
    others: frozenset[int] = frozenset()
    damaged: frozenset[int] = frozenset()
    mixed: bool = False
    is_sure: bool = True
    is_alike: bool = True


def misread(text: Text, row: int, lines: Iterable[int], *, again: bool = False) -> Problem | None:
    """What a person should know about how the row in these lines was read; of the whole file, not `again`."""
    name = label(text.encoding)
    if text.others.isdisjoint(lines) or (again and not text.is_alike):
        return None
    if not text.is_alike:
        message = f"The encoding of the file cannot be told: even in the likeliest, {name}, its letters make no words."
        hint = "Choose the encoding (in the terminal: --encoding), or save the file as CSV UTF-8."
        return error(row, message, hint)
    if not text.damaged.isdisjoint(lines):
        hint = "Correct its letters in the program that the file comes from, or choose another encoding."
        return error(row, f"Some of its bytes do not belong to {name}.", hint)
    if text.is_sure or (again and not text.mixed):
        return None
    if text.mixed:
        message = f"Some letters are not in UTF-8, as others are; they were read as {name}."
        return warning(row, message, "Check its letters; better save the whole file as CSV UTF-8.")
    hint = "Check the letters beyond A to Z. If they are wrong, choose the encoding (in the terminal: --encoding)."
    return warning(row, f"The file is not in UTF-8; it was read as {name}.", hint)


def label(codec: str) -> str:
    """What people call an encoding."""
    return ENCODINGS[codec].label if codec in ENCODINGS else codec.upper()


def decode(content: bytes, encoding: str = "") -> Text | Problem:
    """The text in a chosen encoding; without a choice by its byte order mark, as UTF-16 without one, as UTF-8, or last
    in the encoding in which its letters look most like words."""
    if encoding:
        if encoding not in ENCODINGS:
            return error(0, f"There is no encoding {encoding[:40]!r}.", f"Choose among {', '.join(ENCODINGS)}.")
        return _whole(_by_lines(content.splitlines(keepends=True), encoding))
    mark, codec = next(((mark, codec) for mark, codec in _MARKS if content.startswith(mark)), (b"", "utf-8"))
    content = content[len(mark) :]
    if not mark and b"\0" in content[:4096]:
        even, odd = content[:4096:2].count(0), content[1:4096:2].count(0)
        codec = "utf-16-le" if odd > 4 * even else "utf-16-be" if even > 4 * odd else "utf-8"
    try:
        return _whole(Text(content.decode(codec), codec))
    except UnicodeDecodeError:
        if codec != "utf-8":
            return error(0, f"The file begins as {codec[:6].upper()} but is damaged.", "Save it again as CSV UTF-8.")
    return _whole(_by_lines(content.splitlines(keepends=True)))


def _whole(text: Text) -> Text | Problem:
    return error(0, "The file is not text.", "Export the chart as a CSV file.") if "\0" in text.text else text


def _by_lines(lines: Sequence[bytes], chosen: str = "") -> Text:
    """Line by line: one that is no UTF-8 is all in the encoding, and so is one that passes for UTF-8 by accident."""
    unicode = [None if chosen and not line.isascii() else _strict(line, "utf-8") for line in lines]
    rest = (line for line, text in zip(lines, unicode, strict=True) if text is None)
    codec, is_alike = (chosen, True) if chosen else _likeliest(b"".join(islice(rest, _SAMPLE)))
    may_pass = ENCODINGS[codec].kind in ("syllables", "thai")
    read: list[str] = []
    others, damaged, mixed = set(), set(), False
    for number, (line, text) in enumerate(zip(lines, unicode, strict=True), start=1):
        if text is None or (may_pass and not line.isascii() and _likeness(line, codec) >= ALIKE):
            others.add(number)
            text = _strict(line, codec)
            if text is None:
                damaged.add(number)
                text = line.decode(codec, "replace")
        else:
            mixed = mixed or not line.isascii()
        read.append(text)
    return Text("".join(read), codec, frozenset(others), frozenset(damaged), mixed, bool(chosen), is_alike)


def _likeliest(content: bytes) -> tuple[str, bool]:
    """The encoding in which the bytes look most like words, the first of such as hardly differ; whether they do."""
    found = {codec: _likeness(content, codec) for codec in ENCODINGS}
    best = max(found.values())
    return next(codec for codec, value in found.items() if value >= best - _HARDLY), best >= ALIKE


def _likeness(content: bytes, codec: str) -> float:
    """How much the beginning of the bytes looks like words in an encoding; what is not in it speaks against it."""
    # What the sample breaks off in the middle of does not count with this decoder.
    return likeness(getincrementaldecoder(codec)("replace").decode(content[:_SAMPLE]), codec)


def _strict(line: bytes, codec: str) -> str | None:
    try:
        return line.decode(codec)
    except UnicodeDecodeError:
        return None
