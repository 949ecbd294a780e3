"""Markdown by way of the HTML that it stands for: CommonMark with tables, footnotes and definitions, and what site
generators and other dialects add to it, put into CommonMark or left out."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Sequence
from itertools import groupby

from markdown_it import MarkdownIt
from mdit_py_plugins.deflist import deflist_plugin
from mdit_py_plugins.footnote import footnote_plugin
from mdit_py_plugins.subscript import sub_plugin
from mdit_py_plugins.superscript import superscript_plugin

from trag.ingest.parse.characters import decode
from trag.ingest.parse.html import read_html
from trag.ingest.parse.markdown_lists import with_lists
from trag.ingest.parse.marks import TICKED, UNTICKED, left_out
from trag.ingest.parse.picture_words import Pictures
from trag.ingest.reading import Block, Reading

_FRONT_MATTER = re.compile(
    r"\A\ufeff?(?:---[^\S\n]*\n(?P<yaml>.*?)\n(?:---|\.\.\.)|\+\+\+[^\S\n]*\n(?P<toml>.*?)\n\+\+\+)[^\S\n]*(?:\n|\Z)",
    re.DOTALL,
)
_TITLE = re.compile(r"^title\s*[:=]\s*[\"']?(?P<title>.*?)[\"']?\s*$", re.MULTILINE)
_TITLE_BLOCK = re.compile(r"\A%[^\S\n]+(?P<title>\S.*)\n(?:%.*\n)*")
"""Pandoc's own front matter: the title, authors and date."""
_FENCE = re.compile(r"\s*(`{3,}|~{3,})(?!.*`)")

_COMMENTS = re.compile(r"\{% *-?comment.*?endcomment *-?%\}|\{#(?!\w).*?#\}|(?<!%)%%(?!%).*?%%(?!%)", re.DOTALL)
_TAG = re.compile(
    r"\{\{[%<](?P<short>.{0,800}?)[%>]\}\}|\{%(?P<tag>.{0,800}?)%\}|\{\{(?P<value>.{0,400}?)\}\}", re.DOTALL
)
"""Tags of Hugo, and of Liquid, Jinja and their kin."""
_PHRASE = re.compile(r"\"([^\"\n]*\S\s\S[^\"\n]*)\"|'([^'\n]*\S\s\S[^'\n]*)'")
_DELETED = re.compile(r"\[([^\[\]]*)\]\{[^{}]*\.(?:del|strike|line-through|underline-through)[^{}]*\}|\{--(.+?)--\}")
_CHANGED = re.compile(r"\{~~(.*?)~>(.*?)~~\}|\{\+\+(.*?)\+\+\}|\{==(.*?)==\}|\{>>.*?<<\}")
"""Changes and remarks, as CriticMarkup writes them."""
_SPAN = re.compile(r"\[([^\[\]]+)\]\{[^{}\n]*\}")
_ATTRIBUTES = re.compile(
    r"(?:(?<=[\])`*_])|(?<=\s)|^)\{(?:[#.:][^{}\n]*|[\w-]+=[^{}\n]*)\}[^\S\n]*(?=#*$|[^\S\n]|[.,;:!?)])", re.MULTILINE
)
_STRUCK = re.compile(r"(?<![\w~\\`])~(?=[^\s~])([^~\n`]*[^\s~`])~(?![\w~])")
_CONTENTS = re.compile(
    r"^\s*(?:\[\[?_?toc_?\]\]?|\{:toc\}|\(.*\)=|(?:import|export)\s.*\s(?:from\s)?['\"].*['\"];?)\s*$",
    re.IGNORECASE | re.MULTILINE,
)
_WIKI_LINK = re.compile(r"\[\[(?:[^\[\]|\n]*\|)?([^\[\]|\n]+)\]\]")
_TASK = re.compile(
    r"^(\s*(?:>\s*)*(?:[-*+]|\d+[.)])\s+)\[([ xX])\](?=\s)|(?<=\|)([^\S\n]*)\[([ xX])\](?=[^\S\n]*\|)", re.MULTILINE
)
_SIGNS = {
    ":white_check_mark:": "✅",
    ":heavy_check_mark:": "✔",
    ":ballot_box_with_check:": "☑",
    ":x:": "❌",
    ":heavy_multiplication_x:": "✖",
    ":negative_squared_cross_mark:": "❎",
    ":no_entry:": "⛔",
}
_SIGN = re.compile("|".join(map(re.escape, _SIGNS)))
_INDENTED = re.compile(
    r"(?P<indent>\s*)(?P<kind>!!!|\?\?\?\+?|===\+?)\s*(?P<type>[\w -]*?)\s*(?:\"(?P<title>[^\"]*)\")?\s*"
)
"""What MkDocs begins a box, one that unfolds, and a tab with; their text is indented."""
_COLONS = re.compile(
    r"\s*(?P<kind>:{3,})\s*(?P<type>\{[^}]*\}|[\w-]*)\s*(?:\[(?P<title>[^\]]*)\])?(?:\{[^}]*\})?\s*(?P<words>.*?)\s*:*\s*"
)
"""The fence of a box in Pandoc, Docusaurus and VuePress."""
_ALERT = re.compile(r"(?P<quote>(?:\s*>)+\s*)\[!(?P<type>\w+)\][+-]?\s*(?P<title>.*)")
_DIRECTIVE = re.compile(r"\s*(`{3,}|:{3,})\{(?P<type>[a-z-]+)\}\s*(?P<title>.*?)\s*")
_BOXES = frozenset("admonition attention caution danger dropdown error hint important note seealso tip warning".split())
"""The directives of MyST whose content is text."""
_UNFOLDS = ("???", "===", "details", "dropdown", "faq", "question")


def parse(content: bytes) -> Reading:
    """A Markdown file. The title of its front matter, which site generators put on top, is the title of the
    document."""
    text, notes = decode(content)
    text = text.replace("\r\n", "\n")
    title, left = "", 0
    if matter := _FRONT_MATTER.match(text):
        found = _TITLE.search(matter["yaml"] or matter["toml"] or "")
        title = found["title"] if found else ""
        entries = (matter["yaml"] or matter["toml"] or "").split("\n")
        left = sum(any(map(str.isalpha, entry)) and not _TITLE.match(entry) for entry in entries)
        text = text[matter.end() :]
    elif block := _TITLE_BLOCK.match(text):
        title, text = block["title"].strip(), text[block.end() :]
    common, values = to_commonmark(text)
    markdown = MarkdownIt("commonmark").enable(["table", "strikethrough"])
    for plugin in (footnote_plugin, deflist_plugin, superscript_plugin, sub_plugin):
        markdown.use(plugin)
    blocks, others = read_html(markdown.render(common), Pictures(b"", "html", ()))
    if title and not any(block.kind == "heading" and block.text == title for block in blocks[:3]):
        blocks = (Block("heading", title, 0), *blocks)
    return Reading(
        "Markdown", blocks, notes=(*notes, *others, *left_out({"template value": values, "front-matter line": left}))
    )


def to_commonmark(text: str) -> tuple[str, int]:
    """Markdown of other dialects as CommonMark, and how many values that a site generator fills in it lacks. Code is
    left as it is."""
    values = 0

    def tag(match: re.Match[str]) -> str:
        nonlocal values
        values += match["value"] is not None
        phrase = _PHRASE.search(match["short"] or match["tag"] or "")
        alone = match.string[: match.start()].rpartition("\n")[2].strip() == ""
        return f"**{(phrase[1] or phrase[2]).strip()}**\n" if phrase and alone else ""

    changes: tuple[tuple[re.Pattern[str], str | Callable[[re.Match[str]], str]], ...] = (
        (_COMMENTS, ""),
        (_TAG, tag),
        (_CHANGED, lambda match: (f"~~{match[1]}~~ " if match[1] else "") + (match[2] or match[3] or match[4] or "")),
        (_DELETED, lambda match: f"~~{match[1] or match[2]}~~"),
        (_SPAN, r"\1"),
        (_ATTRIBUTES, ""),
        (_CONTENTS, ""),
        (_WIKI_LINK, r"\1"),
        (_STRUCK, r"~~\1~~"),
        (_TASK, _box),
        (_SIGN, lambda match: _SIGNS[match[0]]),
    )
    parts: list[str] = []
    for is_code, lines in groupby(_told(_without_boxes(text.split("\n"))), key=lambda each: each[0]):
        part = "\n".join(line for _, line in lines)
        for pattern, change in () if is_code else changes:
            part = pattern.sub(change, part)
        parts.append(part if is_code else "\n".join(with_lists(part.split("\n"))))
    return "\n".join(parts), values


def _box(match: re.Match[str]) -> str:
    before, state = (match[1], match[2]) if match[1] else (match[3], match[4])
    return f"{before}{UNTICKED if state == ' ' else TICKED}"


def _told(lines: Sequence[str]) -> Iterator[tuple[bool, str]]:
    """Each line, and whether it is code."""
    fence = ""
    for line in lines:
        match = _FENCE.match(line)
        if fence:
            yield True, line
            fence = "" if match and match[1].startswith(fence) and not line.strip(" `~") else fence
        else:
            fence = match[1] if match else ""
            yield bool(match), line


def _without_boxes(lines: Sequence[str]) -> list[str]:
    """The lines without the marks around boxes and parts that unfold: a title leads in the text of a box, and is the
    heading of what unfolds."""
    found: list[str] = []
    indents: list[int] = []  # of the boxes that a line is in
    fences: list[str] = []  # of the directives
    code = ""
    for line in lines:
        while indents and line.strip() and len(line) - len(line.lstrip()) <= indents[-1]:
            indents.pop()
        text = line[4 * len(indents) :] if indents and not line[: 4 * len(indents)].strip() else line
        directive, fence = _DIRECTIVE.fullmatch(text), _FENCE.match(text)
        if code:
            code = "" if fence and fence[1].startswith(code) and not text.strip(" `~") else code
            found.append(text)
        elif directive and directive["type"] in _BOXES:
            fences.append(directive[1])
            found += _titled(directive["type"], directive["title"])
        elif fences and text.strip() == fences[-1]:
            fences.pop()
            found.append("")
        elif fence:
            code = fence[1]
            found.append(text)
        elif (box := _INDENTED.fullmatch(text)) and (box["type"] or box["title"]):
            indents.append(len(line) - len(line.lstrip()))
            found += _titled(box["kind"] if box["kind"] != "!!!" else box["type"], box["title"] or "")
        elif colons := _COLONS.fullmatch(text):
            found += _titled(colons["type"], colons["title"] or colons["words"])
        elif alert := _ALERT.fullmatch(text):
            words = _titled(alert["type"].lower(), alert["title"])
            found += [f"{alert['quote']}{word}" for word in words]
        else:
            found.append(text)
    return found


def _titled(kind: str, title: str) -> list[str]:
    title = title.strip().strip('"')
    if not title:
        return [""]
    unfolds = kind.startswith(_UNFOLDS) or title.endswith("?")
    return ["", f"**{title}**" if unfolds else f"{title.rstrip(':')}:", ""]
