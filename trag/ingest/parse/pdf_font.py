"""One font of a PDF: what the bytes of a text mean and how wide they are. Knows nothing of pages.

Built on pypdf's own Font, which is not among its public names: pypdf is pinned, and the tests hold what is used of it.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass

from pypdf.generic import DictionaryObject
from pypdf.generic._font import Font as _PdfFont

_BOLD = re.compile(r"bold|black|heavy|demi|cmbx|-bd\b", re.IGNORECASE)
_FORCE_BOLD = 1 << 18
_UNREADABLE = re.compile("[\ufffd\ue000-\uefff\uf100-\uf8ff]|^/\\w")  # Word's symbols, at U+F000, are pictures
_SYMBOLS = {"\x7f": "•", "\uf0b7": "•", "\uf0a7": "•"}  # as reportlab and Word encode bullets


@dataclass(frozen=True, slots=True)
class Glyph:
    """A character as drawn: its text, "" where the font does not say which it is, and its width in thousandths."""

    text: str
    width: float
    is_space: bool


class Font:
    """A font; it keeps the glyphs that it has met."""

    def __init__(self, resource: DictionaryObject) -> None:
        """`resource` is the font's dictionary in the PDF."""
        self._font = _PdfFont.from_font_resource(resource)
        descriptor = self._font.font_descriptor
        self.bold = bool(_BOLD.search(self._font.name)) or bool(int(descriptor.flags or 0) & _FORCE_BOLD)
        # The glyphs of a font such as this have numbers of their own, which mean nothing without a map.
        blind = resource.get("/Encoding") in ("/Identity-H", "/Identity-V") and "/ToUnicode" not in resource
        self._readable = self._font.interpretable and not blind
        self.space = self._font.space_width or 250
        matrix = resource.get("/FontMatrix")
        self._scale = 1000 * abs(float(matrix[0])) if matrix and resource.get("/Subtype") == "/Type3" else 1.0
        self._known: dict[str, Glyph] = {}

    def glyphs(self, data: bytes) -> Iterator[Glyph]:
        """The glyphs that `data` shows."""
        encoding = self._font.encoding
        if isinstance(encoding, str):
            codes = data.decode(
                encoding, "surrogatepass" if encoding.startswith("utf-16") and not len(data) % 2 else "replace"
            )
            for code in codes:
                yield self._known.get(code) or self._glyph(code, code)
        else:
            for byte in data:
                code = chr(byte)
                yield self._known.get(code) or self._glyph(code, encoding.get(byte, code))

    def _glyph(self, code: str, character: str) -> Glyph:
        text = str(self._font.character_map.get(character, character))
        text = _SYMBOLS.get(text, text)
        readable = self._readable and not _UNREADABLE.search(text)
        width = self._font.space_width if code == self._font.space_char else self._font.get_text_width(code)
        glyph = Glyph(text if readable else "", float(width) * self._scale, text == " ")
        self._known[code] = glyph
        return glyph
