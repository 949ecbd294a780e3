"""A clause -> the questions about its times and amounts: when, how long, how often, how many, how much.

Knows nothing about the other questions.
"""

from __future__ import annotations

import re
from collections.abc import Iterator

from trag.pairs.asked import LEANING, OPEN_END, RELATIVE, Asked, turned
from trag.pairs.clauses import Clause
from trag.pairs.english import BE

NUMBER = (
    r"(?:\d[\d,.]*|an?(?= (?:half|single|day|week|month|year|hour|quarter))|one|two|three|four|five|six|seven|eight|"
    r"nine|ten|eleven|twelve|thirteen|fourteen|fifteen|sixteen|seventeen|eighteen|nineteen|"
    r"(?:twenty|thirty|forty|fifty|sixty|seventy|eighty|ninety)(?:-\w+)?)"
)
MODIFIER = (
    r"(?:at least|at most|up to|no more than|not more than|no longer than|less than|more than|exactly|about|only|"
    r"around)"
)
UNIT = (
    r"(?:(?:working|calendar|business|full|consecutive|school|clear) )?"
    r"(?:minute|hour|day|week|month|quarter|year|night|term)s?"
)
SPAN = rf"(?:{MODIFIER} )?(?:the (?:first|last|next) )?{NUMBER}(?: (?:to|or|and) {NUMBER})? {UNIT}"
MONTH = (
    r"(?:January|February|March|April|May|June|July|August|September|October|November|December|Monday|Tuesday|Wednesday|"
    r"Thursday|Friday|Saturday|Sunday)s?\b"
)
PERIOD = r"(?:day|week|weekday|night|month|quarter|half-year|year|term|spring|summer|autumn|winter|shift|meeting)"
_TIME = (
    rf"(?:{PERIOD}|minute|hour|morning|afternoon|evening|weekend|half|season|semester|session|sitting|lesson|course|"
    rf"visit|contract|employment|probation|project|period|ballot|round|pause|call|{MONTH})s?\b(?! rooms?\b)"
)
"""What begins and ends, or is counted: "the second meeting" is a time, "the second floor" is none."""
_ORDINAL = (
    r"(?:last|\d{1,2}(?:st|nd|rd|th)|(?:(?:twenty|thirty)-)?(?:first|second|third|(?:four|fif|six|seven|eigh|nin|ten|"
    r"eleven|twelf|(?:thir|four|fif|six|seven|eigh|nine)teen|twentie|thirtie)th))"
)
_OF_TIME = rf" of (?:(?:an?|the|each|every|that|this|its|their|his|her|my|your) )?(?:[\w-]+ ){{0,2}}?{_TIME}"
_AT_STOP = r"(?=$|,| and\b)"
DATE = (
    rf"(?:\d{{1,2}}(?:st|nd|rd|th)? {MONTH}|{MONTH}(?! (?!{MONTH})[A-Z])|"  # "May Brown" is no date
    rf"the {_ORDINAL}(?: (?:and|or) (?:the )?{_ORDINAL})?(?:{_OF_TIME}|"
    rf" (?:(?:{NUMBER}|working|calendar|business|consecutive|full|clear|school|teaching|half) )?{_TIME})|"
    rf"the \d{{1,2}}(?:st|nd|rd|th){_AT_STOP}|the (?:end|start|beginning)(?:{_OF_TIME}|{_AT_STOP})|"
    r"the (?:week|month|year) of\b|\d{1,2}:\d\d|week \d+)"
)
MONEY = (
    r"(?:[£$€¥]\s?\d[\d,.]*|(?!\d)[A-Z]{3} \d[\d,.]*|\d[\d,.]*\s?%|\w+ per cent|"
    r"\d[\d,.]* (?:[A-Z]{3}\b|euros?|dollars?|pounds?|pence|cents|per cent|percent))"
)
_THINGS = (
    r"(?!(?:of|per|times)\b)(?:(?!(?:of|for|in|with|to|by|and|or)\b)[\w'’-]+ ){0,2}?"
    r"(?:[\w-]+s|people|staff|KB|MB|GB|km|kg|cm)\b"
)
"""A noun after its number, with an adjective or two."""

# What a clause tells of time, and the words that ask for it: the first that is found counts.
_TIMES = (
    (
        "how often",
        rf" (?:at least |at most |only |not more than |no more than )?"
        rf"(?:(?:once|twice|{NUMBER} times|one) (?:a|an|every|per|each|in every|in each|in any|in) "
        rf"(?:{NUMBER} )?{PERIOD}"
        rf"|every (?:(?:{NUMBER}|second|other|third) )?{PERIOD}s?\b|each {PERIOD}\b"
        rf"|(?<=\w )(?:daily|weekly|monthly|quarterly|annually|yearly)(?=$|,| (?:by|at|in|on|to|for|and|with)\b))",
    ),
    ("when", rf" (?:every|each) (?:(?:second|other) )?{MONTH}"),
    (
        "when",
        rf" (?:{SPAN}|immediately|directly|shortly) (?:before|after|beforehand|in advance|from|prior to|ahead)\b"
        rf"| (?:before|after) (?:{SPAN}|the (?:end|start|first|last)\b)| (?:no|not) (?:later|earlier|sooner) than\b"
        r"| beforehand\b",
    ),
    (
        "how soon",
        rf" (?:with)?in (?:a maximum of |the )?(?:{MODIFIER} )?{NUMBER}(?: (?:to|or) {NUMBER})? {UNIT}\b"
        r"| within a (?:day|week|month|year)\b",
    ),
    ("by when", rf" by {DATE}"),
    (
        "how long",
        r" for (?:a (?:further |maximum |minimum )?(?:period|term|maximum|minimum) of )?(?:a maximum of |another )?"
        rf"{SPAN}\b(?!['’])",
    ),
    (
        "when",
        rf" (?:on|in|from|at) (?:each |every )?(?:{DATE}|the same day\b|weekdays\b|working days\b)"
        r"| (?:at once|immediately|straight away|without delay)\b| on the day (?:of|on|before|after)\b",
    ),
    ("until when", rf" until (?:{DATE}|the end\b)"),
    ("when", r" (?:when|as soon as|whenever|once the) "),
    ("in which case", r" if "),
)
_TOLD = tuple((words, re.compile(pattern)) for words, pattern in _TIMES)
_CONDITION = re.compile(r" ?(?:when|as soon as|whenever|once the|if) ")
_SPAN_BEFORE = re.compile(rf"{NUMBER} {UNIT} (?:before|after)")
_COMMA_WITHOUT_LIST = re.compile(r", (?!.*\b(?:and|or)\b)")


def about_time(clause: Clause) -> Iterator[Asked]:
    """The one question about when, how soon, how long or how often."""
    for words, pattern in _TOLD:
        match = pattern.search(f" {clause.rest}")
        if not match:
            continue
        before = re.sub(r"(?:,| and| or|, but| only| also| even| )+$", "", clause.rest[: max(0, match.start() - 1)])
        after = clause.rest[max(0, match.start() - 1) :]
        allowance = words == "how soon" and clause.auxiliary in ("may", "can")
        if allowance or _COMMA_WITHOUT_LIST.search(before) or re.search(r"\bno\b", before) or RELATIVE.search(before):
            continue
        condition = _CONDITION.match(match[0])
        if condition and (clause.setting or len(clause.subject.split()) > 5 or LEANING.search(after) or not before):
            continue
        if words == "how long" and _SPAN_BEFORE.search(after):
            words = "when"
        told_too_little = clause.auxiliary == "should" and len(before.split()) < 3
        if before and not told_too_little and before not in ("have", "be") and not OPEN_END.search(before):
            yield turned(words, clause, before)
        elif not before and clause.auxiliary in BE:
            yield turned(words, clause, "")
        return


def about_amounts(clause: Clause) -> Iterator[Asked]:
    """How much and how many, and up to what amount."""
    rest, verb = clause.rest, clause.verb
    if clause.auxiliary in BE and _AMOUNT.match(rest):
        yield turned("how much" if _CURRENCY.match(rest) else "what", clause, "")
    elif _LIMITED_TO.match(rest):
        yield Asked(f"what is the limit for {clause.subject} {clause.setting}")
    elif verb and _VERB_AND_MONEY.match(rest):
        yield turned("how much", clause, verb)
    elif verb and _TAKES.match(rest):
        yield turned("how long", clause, verb)
    else:
        yield from _counted(clause)
        if (limit := _UP_TO.match(rest)) and not RELATIVE.search(limit[1]):
            yield turned("up to what amount", clause, limit[1])


_AMOUNT = re.compile(rf"(?:{MODIFIER} )?(?:(?!one of\b){NUMBER}\b|{MONEY})")
_CURRENCY = re.compile(rf"(?:{MODIFIER} )?(?:[£$€¥]|[A-Z]{{3}} \d)")
_LIMITED_TO = re.compile(rf"(?:be )?limited to (?:{MODIFIER} )?(?:{MONEY}|{NUMBER})")
_VERB_AND_MONEY = re.compile(rf"\w+ (?:{MODIFIER} )?{MONEY}")
_TAKES = re.compile(rf"(?:take|last) (?:{MODIFIER} )?{NUMBER} {UNIT}")
_UP_TO = re.compile(rf"(.+?)(?: worth| of)? (?:up to|not more than|no more than|at most|not above) {MONEY}")
_COUNTED = re.compile(rf"(\w+(?: of)?) (?:{MODIFIER} )?(?!one\b|an?\b){NUMBER} (?!{UNIT}\b)({_THINGS})(.*)$")


def _counted(clause: Clause) -> Iterator[Asked]:
    counted = _COUNTED.match(clause.rest)
    if counted and clause.auxiliary not in BE and (clause.verb or counted[1] == "have"):
        tail = re.split(r",| and | or |;", counted[3])[0]
        yield turned(f"how many {counted[2]}", clause, counted[1] + ("" if RELATIVE.search(tail) else tail))
