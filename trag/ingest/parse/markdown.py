"""Markdown, by way of the HTML that it stands for. Knows the front matter that site generators put on top."""

from __future__ import annotations

import re

from markdown_it import MarkdownIt

from trag.ingest.blocks import Block, Reading
from trag.ingest.parse import html
from trag.ingest.parse.characters import decode

_FRONT_MATTER = re.compile(r"\A\ufeff?(---|\+\+\+)[^\S\n]*\n(?P<matter>.*?)\n\1[^\S\n]*(?:\n|\Z)", re.DOTALL)
_TITLE = re.compile(r"^title\s*[:=]\s*[\"']?(?P<title>.*?)[\"']?\s*$", re.MULTILINE)


def parse(content: bytes) -> Reading:
    """A Markdown file (CommonMark with tables). The title of its front matter is the title of the document."""
    text, notes = decode(content)
    text = text.replace("\r\n", "\n")
    title = None
    if matter := _FRONT_MATTER.match(text):
        title = _TITLE.search(matter["matter"])
        text = text[matter.end() :]
    rendered = MarkdownIt("commonmark").enable(["table", "strikethrough"]).render(text)
    blocks, pictures = html.blocks(rendered)
    if (
        title
        and title["title"]
        and not any(block.kind == "heading" and block.text == title["title"] for block in blocks[:3])
    ):
        blocks = (Block("heading", title["title"], 0), *blocks)
    return Reading("Markdown", blocks, notes=(*notes, *pictures))
