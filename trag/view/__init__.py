"""Sources that open: the place of a passage in its document, on a page as it is printed or in the text around it.

from trag.view import page, text
page(content, "manual.pdf", 12, passage.text, sentences)  # a PDF or a picture
text(passages, passage.id, sentences)  # everything else, and for who cannot see the picture

Who may read the document has been decided before.
"""

from trag.view.views import Box, NoSuchPage, PageView, Part, Piece, TextView, page, source, text

__all__ = ["Box", "NoSuchPage", "PageView", "Part", "Piece", "TextView", "page", "source", "text"]
