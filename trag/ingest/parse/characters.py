"""Bytes to characters, characters to those that a reader sees, and numbers to how people list them."""

from __future__ import annotations

import codecs
import re
import unicodedata
from collections.abc import Sequence

from org.reading import encodings

_BYTE_ORDER_MARKS = ((codecs.BOM_UTF8, "utf-8-sig"), (codecs.BOM_UTF16_LE, "utf-16"), (codecs.BOM_UTF16_BE, "utf-16"))
_WIDER = {
    "ascii": "cp1252",
    "iso8859-1": "cp1252",
    "iso8859-9": "cp1254",
    "iso8859-11": "cp874",
    "tis-620": "cp874",
    "gb2312": "gb18030",
    "gbk": "gb18030",
    "big5": "big5hkscs",
    "shift_jis": "cp932",
    "euc_kr": "cp949",
}
"""What browsers read where a page declares one of these (the Encoding Standard of the WHATWG), by Python's names: the
page was seen in a browser, with the dashes and quotation marks that only the wider one has."""
_PLAIN = rb"charset +AGE- ~} \u0041"
"""What says just this in any encoding in which a declaration can be read as ASCII: not in UTF-16, UTF-7 or EBCDIC."""

_TO_KANJI = re.compile(rb"\x1b\$[@B]")
"""How a mail in ISO-2022-JP, which else is ASCII, begins its Japanese."""

# Bidirectional overrides, the invisible "tag" alphabet, and rows of variation selectors, in which any bytes can be
# written: text that shows otherwise than it reads, or not at all.
_DECEPTIVE = re.compile("[\u202a-\u202e\u2066-\u2069\U000e0000-\U000e007f]|[\ufe00-\ufe0f\U000e0100-\U000e01ef]{2,}")
# Other marks that are not text: controls, soft hyphens, spaces without width, fillers, lone surrogates. The joiners
# U+200C and U+200D stay, because Persian and the Indic scripts are misspelt without them; not within a Latin word.
_NOISE = re.compile(
    "[\x00-\x08\x0e-\x1f\x7f-\x84\x86-\x9f\u00ad\u034f\u061c\u115f\u1160\u180e\u200b\u200e\u200f\u2060-\u2065"
    "\u206a-\u206f\u3164\ufeff\uffa0\ufff9-\ufffb\ud800-\udfff]"
    "|(?<=[!-~\u00c0-\u024f])[\u200c\u200d\ufe00-\ufe0f]+(?=[!-~\u00c0-\u024f])"
)
_FORMS = (range(0xFB00, 0xFB07), range(0xFB1D, 0xFB50), range(0xFB50, 0xFE00), range(0xFE70, 0xFEFF))
_LIGATURES = {code: unicodedata.normalize("NFKC", chr(code)) for codes in _FORMS for code in codes}
"""Latin ligatures, and the forms that Hebrew and Arabic letters take beside others, as they are typed."""
_LETTER = re.compile(r"[^\W\d_]")
_RIGHT = "\u0590-\u065f\u066a-\u06ef\u06fa-\u08ff\ufb1d-\ufdff\ufe70-\ufefc"
_FROM_RIGHT = re.compile(f"[{_RIGHT}]")
_TURNED = re.compile(f"[{_RIGHT}](?:[^A-Za-z\u00c0-\u024f]*[{_RIGHT}])?")
_FROM_LEFT = re.compile(rf"([^\W\d_{_RIGHT}](?:[^{_RIGHT}]*[^\W{_RIGHT}])?|\d+(?:[.,:/]\d+)*)")
"""What is read from the left in a line that is read from the right: words, with what is between them, and figures."""
_MIRRORED = str.maketrans("()[]{}<>«»", ")(][}{><»«")
_BREAKS = re.compile("\r\n?|[\x0b\x0c\x85\u2028\u2029]")
_SPACES = re.compile("[^\\S\n]+")


def decode(content: bytes, declared: str = "") -> tuple[str, tuple[str, ...]]:
    """The text of `content` and notes on how it was found; `declared` is the encoding that the file itself names.

    UTF-8, UTF-16 with or without its mark, then what is declared, as browsers take it, then the encoding in which its
    letters make words, else Windows-1252, in which nearly any byte means something.
    """
    for mark, encoding in _BYTE_ORDER_MARKS:
        if content.startswith(mark):
            return content.decode(encoding, errors="replace"), ()
    sample = content[:4096]
    # ASCII in UTF-16 has a zero in every other byte; nothing else that is text has zeros at all.
    if sample.count(0) > len(sample) // 4:
        encoding = "utf-16-le" if sample[1::2].count(0) > sample[::2].count(0) else "utf-16-be"
        return content.decode(encoding, errors="replace"), (f"read as {encoding.upper()}, which it does not say",)
    try:
        return content.decode("iso2022_jp" if _TO_KANJI.search(content) else "utf-8"), ()
    except UnicodeDecodeError:
        pass
    try:
        encoding = codecs.lookup(declared).name
        encoding = _WIDER.get(encoding, encoding)
        if _PLAIN.decode(encoding) == _PLAIN.decode("ascii"):
            return content.decode(encoding), ()
    except (UnicodeError, LookupError):
        pass
    found = encodings.decode(content)
    if isinstance(found, encodings.Text) and found.is_alike:
        name = encodings.label(found.encoding).partition(" (")[0]
        return found.text, (f"not {'all ' if found.mixed else ''}UTF-8: read as {name}",)
    return content.decode("cp1252", errors="replace"), ("not UTF-8: read as Windows-1252",)


def count_deceptive(text: str) -> int:
    """How many characters of `text` hide or reorder others."""
    return sum(map(len, _DECEPTIVE.findall(text)))


def clean(text: str) -> str:
    """`text` as it shows: composed (NFC), without invisible characters, one space between words, line ends kept."""
    if text.isascii() and text.isprintable() and "  " not in text:
        return text.strip()  # most cells of most tables
    text = _NOISE.sub("", _DECEPTIVE.sub("", _BREAKS.sub("\n", text)))
    text = unicodedata.normalize("NFC", text.translate(_LIGATURES))
    return "\n".join(line for line in (_SPACES.sub(" ", line).strip() for line in text.split("\n")) if line)


def is_from_right(text: str) -> bool:
    """Whether more letters of a text are written from the right than from the left."""
    return 2 * len(_FROM_RIGHT.findall(text)) > len(_LETTER.findall(text))


def from_right(text: str) -> str:
    """Text as it is drawn from the left, in the order in which it is read: what is written from the right is turned
    round, but for the figures and the Latin words in it; in a Latin line, that alone is turned."""
    if not _FROM_RIGHT.search(text):
        return text
    if not is_from_right(text):
        return _TURNED.sub(lambda run: _turned(run[0]), text)
    return _turned(text)


def _turned(text: str) -> str:
    parts = _FROM_LEFT.split(text)[::-1]
    return "".join(part if at % 2 else part[::-1].translate(_MIRRORED) for at, part in enumerate(parts))


def counted(count: int, what: str) -> str:
    """Gives "1 page", "2 pages"."""
    return f"{count:,} {what}{'s' * (count != 1)}"


def listed(what: str, numbers: Sequence[int]) -> str:
    """Gives "page 3", "pages 3, 7-9"."""
    runs: list[list[int]] = []
    for number in numbers:
        if runs and number == runs[-1][-1] + 1:
            runs[-1].append(number)
        else:
            runs.append([number])
    spans = ", ".join(str(run[0]) if len(run) == 1 else f"{run[0]}-{run[-1]}" for run in runs)
    return f"{what}{'s' if len(numbers) > 1 else ''} {spans}"
