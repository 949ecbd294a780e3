"""A line of a document as a sentence that stands by itself, in the line's own words.

fact -> grammar of its words -> the reader's sentence -> checked against the line -> the sentence, or the line itself

The reader may use words that stand in the line, the one before it, its headings or its question, and no others: what a
document does not say cannot be written, in whatever language. What is left to go wrong is the order, so each sentence
is checked as answers are, and has to say what the line says.
"""

from __future__ import annotations

import re
import threading
from collections.abc import Iterable

import prompts
from org.linking.entities import EntityFinder, Organization
from trag import grounding
from trag.brief.gathering import Fact
from trag.brief.record import BriefSentence
from trag.grounding import Evidence
from trag.lexical import numbers
from trag.llm.model import LanguageModel, text_of
from trag.table_rows import read_row

_WORD = re.compile(r"[^\W_]+(?:[.,'’&/+-][^\W_]+)*")
_ITEM = re.compile(r"^(?:[-*•·–]|\(?\w{1,3}[.)])\s+")
_KEPT = 0.7
"""What share of the words of a line its sentence has at least, so that no condition is lost."""
_LONGEST = 60
"""Words of a line that is worded anew; a longer one stands as it is."""
_TOKENS = 160


def sentence(
    fact: Fact, subject: str, unit: str, model: LanguageModel, organization: Organization, stop: threading.Event
) -> tuple[BriefSentence, int]:
    """The sentence of a fact, and how often it had to be written again: 2 is as often as it is tried, and then the line
    stands for itself. Raises what the model raises."""
    line, known = bare(fact.line), {subject, fact.before, fact.question, fact.passage.section}
    if len(_words(line)) > _LONGEST or stands_alone(line, unit, organization.finder) or _says_enough(line, fact):
        return _sentence(line, fact), 0
    heading = " > ".join(fact.passage.section.split(" > ")[-2:])
    question = "" if _is_sentence(line) else fact.question  # it says what a row is about, and leads a sentence astray
    for attempt, before in enumerate((bare(fact.before)[-300:], "")):  # the line before may be taken for the line
        asked = prompts.brief_line(heading, before, question, line)
        form = grammar([line, before, heading, question, subject])
        stream = model.stream(asked, max_tokens=_TOKENS, stop=stop, task="brief_line", grammar=form)
        text = " ".join(text_of(stream)[0].split())
        if stop.is_set():
            break
        if says(text, line, f"{heading} {before}") and not finding(text, fact, known, organization):
            return _sentence(text, fact), attempt
    return _sentence(line, fact), 2


def _says_enough(line: str, fact: Fact) -> bool:
    """Whether a line is a row that no question asks for: the reader would only read it out."""
    return not fact.question and read_row(line) is not None


def bare(line: str) -> str:
    """A line without the mark or number of a list item."""
    return _ITEM.sub("", " ".join(line.split()))


def stands_alone(line: str, unit: str, finder: EntityFinder | None) -> bool:
    """Whether a line is a sentence that can be left as it is: no row of a table, no item that goes on from another, and
    where the subject is a unit one that names it."""
    named = not unit or (finder and any(unit in mention.units for mention in finder.find(line)))
    return bool(named and _is_sentence(line))


def _is_sentence(line: str) -> bool:
    return line[-1:] in ".!?。؟" and not line[:1].islower() and read_row(line) is None


def finding(text: str, fact: Fact, known: Iterable[str], organization: Organization) -> str:
    """What speaks against a sentence on its line, "" for nothing."""
    evidence = Evidence(fact.passage.id, f"{fact.before}\n{fact.line}", fact.passage.section)
    return grounding.check("\n".join(known), text, [evidence], organization).finding


def says(text: str, line: str, known: str) -> bool:
    """Whether a sentence has the numbers of a line and most of the words that the line has beyond what is `known`."""
    said, told = set(_words(text)), set(_words(line))
    new = told - set(_words(known)) or told
    return numbers(line) <= numbers(text) and len(new & said) >= _KEPT * len(new)


def grammar(texts: Iterable[str]) -> str:
    """GBNF for one sentence of the words of some texts, of which a small first letter may be large at its beginning."""
    found = dict.fromkeys(word for text in texts for word in _WORD.findall(text))
    found |= dict.fromkeys(word[0].lower() + word[1:] for word in found if not any(map(str.isupper, word[1:])))
    first = sorted({word[0].upper() + word[1:] for word in found} | set(found))
    return "\n".join(
        [
            'root ::= ["«(“]? first (between word){2,80} ["»)”]? "."',
            r'between ::= " " | ", " | "; " | ": " | " (" | ") " | "), " | " – " | " \"" | "\" " | "% " | "-"',
            f"first ::= {' | '.join(map(_literal, first))}",
            f"word ::= {' | '.join(map(_literal, sorted(found)))}",
        ]
    )


def _sentence(text: str, fact: Fact) -> BriefSentence:
    line = bare(fact.line)
    own = _words(text) == _words(line)
    return BriefSentence(line if own else text, fact.passage.id, fact.line, "quotation" if own else "model")


def _words(text: str) -> list[str]:
    return [word.casefold() for word in _WORD.findall(text)]


def _literal(word: str) -> str:
    return '"' + word.replace("\\", "\\\\").replace('"', '\\"') + '"'
