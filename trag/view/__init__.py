"""Sources that open: the place of a passage in its document, on a page as it is printed or in the text around it.

from trag.view import document, page, text
page(content, "manual.pdf", 12, passage.text, sentences)  # a PDF or a picture
document(blocks, passage, sentences)  # everything else
text(passages, passage.id, sentences)  # what is not there any more as it was, and for who cannot see the picture

Who may read the document has been decided before.
"""

from trag.view.blocks import DocumentView, document
from trag.view.views import Box, NoSuchPage, PageView, Part, Piece, TextView, page, source, text

__all__ = [
    "Box",
    "DocumentView",
    "NoSuchPage",
    "PageView",
    "Part",
    "Piece",
    "TextView",
    "document",
    "page",
    "source",
    "text",
]
