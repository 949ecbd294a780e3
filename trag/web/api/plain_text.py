"""The words of an answer for the window of another program, which may read them as Markdown or HTML.

There a picture is fetched as soon as it is shown, and its address may carry away what was answered. Knows nothing about
answers.
"""

from __future__ import annotations

import re

# What goes on after "]" is a picture, a link or where one leads; after "<" it is a tag or an address.
_OPENS = re.compile(r"(?<=\])(?=[(\[:])|(?<=<)(?=[a-z/!?])", re.IGNORECASE)


def unmarked(text: str) -> str:
    """`text` with a space wherever it would become a picture, a tag or a link under other words: "![a](b)" is
    "![a] (b)". An address that stands open stays whole."""
    return _OPENS.sub(" ", text)
