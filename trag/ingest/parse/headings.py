"""Headings that only their wording gives away: "ARTICLE IV", "Section 3. Quorum.", "1.2.3 Title", "MEMBERSHIP", "Q:
How ...?". For text files, and for documents whose headings carry no style."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from itertools import takewhile
from statistics import median

from trag.ingest.parse.tables import belongs_to_table
from trag.ingest.reading import Block

LONGEST = 110
"""Characters of the longest line that is taken for a heading."""

_KEYWORDS = {
    "part": 1,
    **dict.fromkeys(("title", "chapter"), 2),
    **dict.fromkeys(("article", "appendix", "annex", "schedule"), 3),
    **dict.fromkeys(("section", "sec.", "rule"), 4),
    **dict.fromkeys(("clause", "§"), 5),
}
_ROMAN = r"(?=[IVXL])(?:XL|L?X{0,3})(?:I[XV]|V?I{0,3})"
_WORDS = "one|two|three|four|five|six|seven|eight|nine|ten|eleven|twelve"
_KEYWORD = re.compile(
    rf"(?P<keyword>{'|'.join(map(re.escape, _KEYWORDS))})"
    r"(?:\s+|(?<=[.§])|(?=\d))"  # the "s" of "Sections 3 and 4" is no number
    rf"(?:(?:\d+(?:\.\d+)*[a-z]?|{_ROMAN}|[A-Z]|{_WORDS})(?!\w))[.:)]?(?:\s*[–—-]+(?=\s))?",
    re.IGNORECASE,
)
_NUMBER = re.compile(r"(?P<number>\d{1,3}(?:\.\d{1,3})*)(?P<mark>[.):]?)\s+(?=\S)")
_CURRENCIES = (
    "AUD|BRL|CAD|CHF|CNY|CZK|DKK|EUR|GBP|HUF|INR|JPY|KES|KRW|MXN|NGN|NOK|NZD|PKR|PLN|RON|RUB|SEK|SGD|TRY|UAH|USD|ZAR"
)
_QUANTITY = re.compile(rf"0\.\d|\d+\.\d+\s+(?:[%‰°$€£¥]|(?:{_CURRENCIES}|FTEs?)\b)")
_ROMAN_NUMBER = re.compile(rf"{_ROMAN}[.)]\s+(?=\S)")
_LETTER = re.compile(r"[A-Z](?:\.\d{1,3})*[.)]\s+(?=\S)")
_QUESTION = re.compile(r"(?:Q\s*(?P<number>\d*)|Question(?:\s+\d+)?)\s*[:.)]\s*(?=\S)", re.IGNORECASE)
_ANSWER = re.compile(r"\A(?:A\s*\d*|Answer(?:\s+\d+)?)\s*:\s*(?=\S)", re.IGNORECASE)
_SENTENCES = re.compile(r"[.!]\s+[A-Z]")
_RUN_IN = re.compile(r"(?P<title>\S.{1,70}?)(?:(?P<end>\.)\s*[–—-]*\s+|:\s+|\s+[–—]\s+)(?P<body>\S.*)")
_MONTH = re.compile(r"(?:jan|feb|mar|apr|may|jun|jul|aug|sep|oct|nov|dec)[a-z]*\b", re.IGNORECASE)
_ADDRESS = re.compile(r"@|://|www\.")
_SIGNED = re.compile(r"Sd/-|/s/|\(?signed\)", re.IGNORECASE)
_NARROWEST = 50
"""Characters of the shortest line that is taken for one as long as the lines are wrapped at."""
_SMALL = frozenset("a an the and or of in on at to for by with from as per".split())


@dataclass(frozen=True, slots=True)
class _Found:
    """A heading in the making. `style` made it one: styles are ranked once all are known. `body` is what follows on the
    last of its `lines`.
    """

    style: str
    text: str
    depth: int = 0
    number: str = ""
    body: str = ""
    lines: int = 1
    bare: bool = False
    page: int | None = None


def promote(blocks: Sequence[Block]) -> tuple[Block, ...]:
    """The same blocks, with the paragraphs and items that read like headings made headings.

    The lines of a paragraph are told apart by line ends: its first may be the heading of the rest. Headings that are
    there already stay, above those found here.
    """
    longest = [max(map(len, lines)) for block in blocks if len(lines := block.text.split("\n")) > 2]
    wrapped_at = median(longest) if longest else 0
    found = _joined(_split(blocks, wrapped_at if wrapped_at >= _NARROWEST else float("inf")))
    levels = _levels([each for each in found if isinstance(each, _Found)])
    above = max((block.level for block in blocks if block.kind == "heading"), default=0)
    promoted: list[Block] = []
    for each in found:
        if isinstance(each, Block):
            promoted.append(each)
            continue
        title = not promoted and each.style in ("capitals", "alone")
        promoted.append(Block("heading", each.text, 0 if title else above + levels[each.style] + each.depth, each.page))
    for at in range(1, len(promoted) if "question" in levels else 0):
        if promoted[at].kind == "paragraph" and promoted[at - 1].kind == "heading":
            promoted[at] = replace(promoted[at], text=_ANSWER.sub("", promoted[at].text, count=1))
    return tuple(promoted)


def is_title(text: str) -> bool:
    """Whether `text` is worded as a title and not as a sentence: few words, the weighty ones with a capital."""
    words = text.split()
    if not words or len(words) > 10 or words[0][0].islower():
        return False
    weighty = [word for word in words if word.strip("\"'(").lower() not in _SMALL]
    capitals = sum(not word.lstrip("\"'(")[:1].islower() for word in weighty)
    return len(words) <= 3 or capitals >= 0.7 * len(weighty)


def _split(blocks: Sequence[Block], width: float) -> Iterator[Block | _Found]:
    """The blocks, each heading told apart from the lines that follow it in the same paragraph."""
    for index, block in enumerate(blocks):
        if block.kind in ("heading", "table") or block.ocr:
            yield block
            continue
        before = blocks[index - 1] if index else None
        after = blocks[index + 1] if index + 1 < len(blocks) else None
        lines = block.text.split("\n")
        first = True
        while lines:
            found = _heading(lines, before if first else None, after, first, block.kind == "item", width)
            if found is None:
                yield replace(block, text="\n".join(lines))
                break
            yield replace(found, page=block.page)
            lines = ([found.body] if found.body else []) + lines[found.lines :]
            first = found.bare


def _heading(
    lines: Sequence[str], before: Block | None, after: Block | None, first: bool, item: bool, width: float
) -> _Found | None:
    """The heading that the first of `lines` is, if it is one. `width` is the characters that lines are wrapped at."""
    line = lines[0].strip()
    alone = len(lines) == 1
    if (alone and belongs_to_table(line)) or _SIGNED.match(line):
        return None
    below = "" if alone else lines[1].strip()
    runs_on = bool(below) and (below[0].islower() or len(f"{line} {below.split()[0]}") > width)
    found = _question(lines) or _keyword(line, runs_on) or _numbered(line, alone, runs_on)
    opens = found and after and after.text.startswith(f"{found.number}.")  # "3. Members" above "3.1 Powers"
    if found and (found.style != "number" or found.depth > 1 or opens or not (alone and _among_numbers(before, after))):
        return found
    if not first or item:
        return None
    count = len(list(takewhile(_is_in_capitals, lines)))
    opens_all = before is None and count == 1  # the title of the document, over its second line
    if count and (count < 4) and (opens_all or not runs_on) and len(text := " ".join(lines[:count])) <= LONGEST:
        return _Found("capitals", text.rstrip(":"), lines=count)
    if runs_on:
        return None
    if len(line) > LONGEST or _ADDRESS.search(line) or line[:1].islower() or not any(map(str.isalpha, line)):
        return None
    if line.endswith("?"):
        return _Found("question", line) if not alone or (after and after.kind != "heading") else None
    before_list = after is not None and (after.kind not in ("paragraph", "heading") or _among_numbers(after))
    lead_in = before_list and (line.endswith(":") or not is_title(line))
    if line[-1] in ".,;!" or line[0].isdigit() or lead_in or len(line.split()) > 8 or len(line) > 60:
        return None
    # Above other lines of its paragraph a title must look like one: short over long, and capitals.
    over_text = not alone and is_title(line) and len(lines[1]) > 1.4 * len(line) and len(lines[1]) >= 40
    return _Found("alone", line.rstrip(":")) if alone or over_text else None


def _question(lines: Sequence[str]) -> _Found | None:
    """As "Q: How ...?", wrapped or not. "Q1" may be a quarter: without a "?" nothing that it stands before is asked."""
    opening = _QUESTION.match(lines[0].strip())
    if opening is None:
        return None
    first, text = lines[0].strip()[opening.end() :], ""
    for count, line in enumerate((first, *map(str.strip, lines[1:3])), start=1):
        asked, mark, body = line.partition("?")
        text = f"{text} {asked}".strip()
        if count > 1 and (_QUESTION.match(line) or _ANSWER.match(line) or _SENTENCES.search(text)):
            break
        if mark:
            return _Found("question", text + mark, body=body.strip(), lines=count)
    return None if opening["number"] else _Found("question", first)


def _keyword(line: str, runs_on: bool) -> _Found | None:
    """Reads "ARTICLE IV", "Section 3. Quorum.", "Section 3. Quorum. A majority of ..."."""
    match = _KEYWORD.match(line)
    if match is None:
        return None
    rest = line[match.end() :].strip()
    if rest[:1].islower() or rest[:1] in (",", ")", "("):
        return None  # a sentence about a section: "Section 3 applies to ..."
    title, body = _title_and_body(rest, runs_on)
    style = f"keyword {_KEYWORDS[match['keyword'].lower()]}"
    return _Found(style, f"{match[0].strip()} {title}".strip(), match[0].count(".", 0, -1), body=body, bare=not rest)


def _numbered(line: str, alone: bool, runs_on: bool) -> _Found | None:
    """Reads "4 Finance", "4.2 Limits", "4.2 The limits are ...", "IV. Finance", "A. Finance"."""
    if roman := _ROMAN_NUMBER.match(line):
        style, depth, number, title = "roman", 1, "", line[roman.end() :]
    elif (letter := _LETTER.match(line)) and alone:
        style, depth, number, title = "letter", max(letter[0].count("."), 1), "", line[letter.end() :]
    elif match := _NUMBER.match(line):
        style, number, title = "number", match["number"], line[match.end() :]
        depth = number.count(".") + 1
        if depth == 1 and not match["mark"] and (len(title.split()) > 8 or _MONTH.match(title)):
            return None
    else:
        return None
    if title[0].islower() or not any(map(str.isalpha, title)):
        return None
    run_in = _RUN_IN.match(title)
    clause = (
        depth > 1 and run_in and run_in["end"] == "." and is_title(run_in["title"]) and not is_title(run_in["body"])
    )
    if not runs_on and not clause and len(line) <= LONGEST and title[-1] not in ".,;:!":
        return _Found(style, line, depth, number)
    if depth == 1:
        return None
    # A clause: "3.2 Quorum. Five members ...", or without any title, whose number alone is then what people cite.
    title, body = _title_and_body(title, runs_on)
    if not title and _QUANTITY.match(line):
        return None
    return _Found(style, f"{number} {title}".strip(), depth, number, body)


def _title_and_body(rest: str, runs_on: bool) -> tuple[str, str]:
    """What follows "Section 3.": its title and the text behind it; either may be empty. A sentence may run on below."""
    run_in = _RUN_IN.match(rest)
    if run_in and is_title(run_in["title"]):
        return run_in["title"], run_in["body"]
    if not runs_on and len(rest) <= LONGEST and (rest[-1:] not in (".", ";", ",", ":") or is_title(rest)):
        return rest.rstrip(".;,:"), ""
    return "", rest


def _among_numbers(*around: Block | None) -> bool:
    """Whether the block before or after begins with a number too, as in a list."""
    texts = [block.text for block in around if block and block.kind in ("paragraph", "item")]
    return any((match := _NUMBER.match(text)) and "." not in match["number"] for text in texts)


def _is_in_capitals(line: str) -> bool:
    """Whether a line is in capitals, and ends like a title."""
    return sum(map(str.isalpha, line)) >= 4 and line.upper() == line != line.lower() and line[-1] not in ",;!"


def _joined(found: Iterable[Block | _Found]) -> list[Block | _Found]:
    """A bare "ARTICLE IV" and the title on the line below it made one heading."""
    joined: list[Block | _Found] = []
    for each in found:
        last = joined[-1] if joined else None
        if isinstance(last, _Found) and last.bare:
            if isinstance(each, Block):
                is_name = each.kind == "paragraph" and each.text[-1] not in ".,;" and is_title(each.text)
            else:
                is_name = each.style in ("capitals", "alone")
            if is_name and len(each.text) <= LONGEST and "\n" not in each.text:
                joined[-1] = replace(last, text=f"{last.text} {each.text.rstrip('.:')}", bare=False)
                continue
        joined.append(each)
    return joined


def _levels(found: Sequence[_Found]) -> dict[str, int]:
    """The level of each style. Keywords have a fixed order, numbers come below them in the order in which they appear.

    Unnumbered headings stand above numbers that begin anew under them ("FINANCE: 1, 2; STAFF: 1, 2"), else beside or
    below.
    """
    levels = {each.style: 100 * int(each.style.split()[1]) for each in found if each.style.startswith("keyword")}
    keywords = min(levels.values(), default=0)
    for style in dict.fromkeys(each.style for each in found if each.style in ("number", "roman", "letter")):
        levels[style] = 600 + 50 * len(levels)
    styles = [each.style for each in found if each.depth == 1]
    if "number" in styles and "letter" in styles[len(styles) - styles[::-1].index("number") :]:
        levels["letter"] = levels["number"]  # after all the numbers: "A. Appendix"
    numbers = [each.number for each in found if each.style == "number" and each.depth == 1]
    restart = len(numbers) != len(set(numbers))
    first = min((level + 1 for style, level in levels.items() if not style.startswith("keyword")), default=550)
    levels["capitals"] = keywords or (550 if restart else first)
    levels["alone"] = 560 if restart and not keywords else 1500
    levels["question"] = 2000
    return {style: levels[style] for style in dict.fromkeys(each.style for each in found)}
