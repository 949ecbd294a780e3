"""What a path of headings says: the topic of a section, the body it is about, and the question a heading asks.

Knows nothing about sentences.
"""

from __future__ import annotations

import re
from collections.abc import Collection, Iterator
from dataclasses import dataclass

from trag.pairs.amounts import DATE, MONTH, NUMBER, PERIOD
from trag.pairs.asked import Asked
from trag.pairs.clauses import clauses
from trag.pairs.english import BASES, BODIES, head
from trag.pairs.people import somebody_first
from trag.words import sentences, stems

_NUMBER = re.compile(
    r"^(?:(?:article|section|part|chapter|annex|appendix|schedule|title|rule|clause)\s+(?:\d+(?:\.\d+)*|[ivxl]+|[a-z])\b[.:)]?"
    r"|§+\s*\d+(?:\.\d+)*[.:)]?|\(?(?:\d+(?:\.\d+)*|[ivxl]+|[a-z])[.):](?=\s|$)|\d+(?:\.\d+)*(?=\s|$))[\s–-]*",
    re.I,
)
# Headings that name no matter of their own.
_EMPTY = frozenset(
    """introduction general overview scope background annex appendix contents definition miscellaneous version preamble
    foreword note conclusion summary document table figure list other detail information provision rule example
    reference history status use application about us page part section who what how""".split()
)
_DEFINES = re.compile(r"\b(?:definitions?|terms|glossary|abbreviations|acronyms)\b", re.I)
_IT = rf"\b(?:it|{'|'.join(sorted(BODIES))})(?: also)?"
_WHEN = (
    rf"(?:once|twice|{NUMBER} times|(?:every|each) (?:\w+ )?(?:{PERIOD}s?\b|(?-i:{MONTH}))|daily|weekly|monthly|"
    rf"quarterly|annually|yearly|(?:on|in|at) (?-i:{DATE}))"
)
_NAMED = r"(?:elected|appointed|chosen|named|drawn) (?:\w+ )?(?:by|from|among)\b"
# What the section under a body's name asks ("2 Audit Committee > 2.1 Members"), where its text holds the answer.
_OF_BODY = tuple(
    (re.compile(heading, re.I), re.compile(told, re.I), form, type_)
    for heading, told, form, type_ in (
        (
            r"members(?:hip)?|composition",
            rf"\b(?:consists? of|comprises?|composed of|made up of|ha(?:s|ve) (?:\w+ ){{0,2}}{NUMBER} (?:\w+ )?members|"
            rf"members(?: of [\w' ]+)? (?:are|shall be):? (?:the|an?|{NUMBER}|{_NAMED}|(?-i:[A-Z])))",
            "Who are the members of {body}?",
            "list",
        ),
        (
            r"meetings?",
            rf"(?:^(?:at least )?|\b(?:meets?|sits?|held|convened)\b[\w ,]*\b){_WHEN}",
            "When does {body} meet?",
            "short answer",
        ),
        (r"quorum", rf"\b(?:{NUMBER}|half|third|majority|all)\b", "What is the quorum of {body}?", "short answer"),
        (r"tasks|duties|functions|responsibilities|powers", "", "What are the {heading} of {body}?", "list"),
        (r"mandate|role|remit", "", "What is the {heading} of {body}?", "list"),
        (r"rights", rf"{_IT} (?:may|can|has|is entitled)\b(?! not?\b)", "What rights does {body} have?", "list"),
        (
            r"chair|leadership",
            rf"\b(?:chaired by|chairs (?:it|the)|chair(?:man|woman|person)? (?:is|shall be) "
            rf"(?:{_NAMED}|(?-i:(?:the )?[A-Z])))",
            "Who chairs {body}?",
            "short answer",
        ),
        (
            r"reporting",
            rf"(?:^|{_IT} (?:(?:shall|must|also) )?reports? (?:(?:directly|{_WHEN}) (?:\w+ )?)?)to\b",
            "Who does {body} report to?",
            "short answer",
        ),
    )
)


@dataclass(frozen=True, slots=True)
class Topic:
    """What a section is about: its heading without number, in the words of a sentence; "" where there is none.

    `above` is the same of the heading above it. `body` is the committee, office or team whose section it is ("the Audit
    Committee"), "" where it is of none. `heading` is empty where the section has only a number.
    """

    words: str
    above: str
    body: str
    heading: str
    defines: bool

    @property
    def of_body(self) -> bool:
        """Whether the heading says which of a body's matters it is: its members, its tasks."""
        return bool(self.body) and any(pattern.fullmatch(self.heading) for pattern, *_ in _OF_BODY)

    def named(self, subject: str) -> str:
        """`subject`, by its full name where it only says "the committee" in a section about one."""
        bare = re.fullmatch(r"(?:the|each|this) (\w+)", subject)
        return self.body if bare and self.body and self.body.lower().endswith(f" {bare[1].lower()}") else subject


def topic(path: str, names: Collection[str]) -> Topic:
    """The topic of the section under `path`."""
    parts = [said for part in path.split(" > ") if (said := plain(part, names))]
    body = next((part for part in reversed(parts) if _names_body(part)), "")
    heading = parts[-1] if parts else ""
    telling = [part for part in parts if not (stems(part) <= _EMPTY_STEMS or part.endswith("?") or _WH.match(part))]
    article = "" if body.lower().startswith(("the ", "a ")) else "the "
    own = bool(plain(path.rsplit(" > ", 1)[-1], names))
    return Topic(
        words=_mine(_title(telling[-1].rsplit(": ", 1)[-1])) if telling else "",
        above=_title(telling[-2].rsplit(": ", 1)[-1]) if len(telling) > 1 else "",
        body=article + body if body else "",
        heading=heading if own else "",
        defines=bool(_DEFINES.search(heading)),
    )


def of_heading(about: Topic, text: str, longest: int) -> Iterator[tuple[Asked, str]]:
    """The question that the heading asks, if one, and what stands under it, where that makes an answer."""
    question = _question(about, text)
    if question and 25 <= len(text) <= longest and re.search(r"\w\s+\w", text):
        yield question, re.sub(r"(?m)^\d+(?:\.\d+)+\.?\s+", "", text.replace("\n\n", "\n"))


def _question(about: Topic, text: str) -> Asked | None:
    heading = about.heading
    if not heading:
        return None
    if heading.endswith("?"):
        return Asked(heading)
    if about.body and heading != about.body.removeprefix("the "):
        for pattern, told, form, type_ in _OF_BODY:
            if pattern.fullmatch(heading) and (told.search(text) or (form.startswith("Who") and _is_a_name(text))):
                return Asked(form.format(body=about.body, heading=heading.lower()), type_)
    if stems(heading) <= _EMPTY_STEMS or len(heading.split()) > 9:
        return None
    if asked := _asking(heading):
        return Asked(asked, "summary")
    if _WH.match(heading) or _NO_MATTER.match(heading) or _LEANING.search(heading):
        return None
    needs_more = len(heading.split()) == 1 and about.above not in ("", heading)
    place = f"{about.above}, {_in_sentence(heading)}" if needs_more else heading
    return Asked(f"{place}: what are the rules?", "summary")


def _is_a_name(text: str) -> bool:
    """Whether a text says only who: "Three members of the board and an accountant."."""
    first = sentences(text)[0].rstrip(" .;:")
    return not clauses(first, ()) and somebody_first(first)


_WH = re.compile(r"(?:what|how|when|where|who|which|why|if|whether)\b", re.I)
_NO_MATTER = re.compile(
    r"(?:do|don't|is|are|that|we|our|some|no|not|before|after|afterwards|outside|inside|during|for|in|on|at|by|with|to|"
    r"from|under|as|until|once|other|more|see|being|looking|ask)\b",
    re.I,
)
_LEANING = re.compile(r"\b(?:we|us|our|it|they|them|one)\b|[,:;]", re.I)
_HOW_TO = re.compile(r"(how|when|where|who|what) to (.+)$", re.I)
_WHO_DOES = re.compile(r"(?:who|what) (?:may|can|must|is|are|needs?|pays?|decides?|counts?|reports?|blocks?)\b", re.I)
_HOW_IT_IS = re.compile(r"((?:how|what|which)(?: (?:long|often|much|many|soon|quickly|\w+s))?|when|where) (.+)$", re.I)
_OBJECT = re.compile(r"(?:an?|the|your|my|somebody|someone|up|off|out|back|for|with|to)\b", re.I)
_NEVER_OF_A_NAME = frozenset("get become choose ask apply request submit obtain make buy".split())
"""Verbs of headings such as "Getting commit rights"; "Working groups" are none."""


def _asking(heading: str) -> str:
    """The question of "How to report", "Who may order", "Getting commit rights"; "" where it is none."""
    first, _, rest = heading.partition(" ")
    base = _base_of_gerund(first.lower())
    if told := _HOW_TO.match(heading):
        word = told[1].capitalize()
        return f"{word} {'do' if word == 'How' else 'should'} I {_mine(told[2])}?"
    if _WHO_DOES.match(heading):
        return f"{_title(heading)}?"
    if _LEANING.search(heading):
        return ""
    if (asked := _HOW_IT_IS.match(heading)) and (found := clauses(f"{asked[2]} indeed", ())) and not found[0].negative:
        said = f"{found[0].auxiliary} {found[0].subject} {found[0].rest.removesuffix('indeed')}".strip()
        return f"{asked[1].capitalize()} {said}?"
    if base and rest and (_OBJECT.match(rest) or base in _NEVER_OF_A_NAME):
        return f"How do I {base} {_mine(rest)}?"
    return ""


def _base_of_gerund(word: str) -> str:
    """reporting -> report, closing -> close, getting -> get; "" for what is no verb."""
    if not word.endswith("ing"):
        return ""
    stem = word[:-3]
    doubled = stem[:-1] if stem[-1:] == stem[-2:-1] else ""
    return next((base for base in (stem, f"{stem}e", doubled) if base in BASES), "")


def _mine(text: str) -> str:
    return re.sub(r"\byour\b", "my", text)


def plain(part: str, names: Collection[str] = ()) -> str:
    """A heading without its number, capitals only where a sentence has them."""
    said = _NUMBER.sub("", part).strip(" .:–-")
    if said.isupper() and len(said) > 4:
        said = " ".join(word.capitalize() if word.capitalize() in names else word.lower() for word in said.split())
        said = said[:1].upper() + said[1:]
    return said


def _names_body(heading: str) -> bool:
    """Whether a heading is the name of one body: "Audit and Assurance Committee", not "Committees of the board"."""
    words = heading.split()
    return (
        2 <= len(words) <= 8
        and (words[-1].lower() in BODIES or (head(words) in BODIES and bool(re.search(r" (?:of|for|on) ", heading))))
        and not re.match(r"(?:rules|committees|members|meetings|duties|reports?|role|work)\b", heading, re.I)
        and sum(word[0].isupper() for word in words) > 1
    )


def _title(words: str) -> str:
    return words[:1].upper() + words[1:]


def _in_sentence(heading: str) -> str:
    """A heading as it stands within a sentence: the first letter small, unless more words are written large."""
    words = heading.split()
    large = sum(word[0].isupper() for word in words[1:]) or any(letter.isupper() for letter in words[0][1:])
    return heading if large else heading[0].lower() + heading[1:]


_EMPTY_STEMS = stems(" ".join(_EMPTY))
