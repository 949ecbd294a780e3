"""The words of a passage that bear out what an answer says, marked.

Knows nothing about sources, answers or pages.
"""

from __future__ import annotations

from collections.abc import Sequence

from markupsafe import Markup, escape

from trag.view.marks import supporting


def marked(text: str, borne_out: Sequence[str]) -> Markup:
    """`text` escaped, with <mark> around the words and figures that it shares with the sentences of `borne_out`."""
    html, at = Markup(), 0
    for start, end in supporting(text, borne_out):
        html += escape(text[at:start]) + Markup("<mark>{}</mark>").format(text[start:end])
        at = end
    return html + escape(text[at:])
