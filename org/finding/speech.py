"""How people speak of units: whom they ask, who decides, what they name side by side.

A text and a place in it -> whether the words there are someone, or only something. Knows nothing about names.
"""

from __future__ import annotations

import re
from functools import lru_cache

from org.finding.sentence import TOPICS

_BEFORE = re.compile(r"([^\W_]+)(?:['’]s)?[\s_\"'“‘(]*$")
_AFTER = re.compile(r"(?:['’]s?\b)?[^\S\n]*([^\w\s]?)\s*([^\W_]*)")
# What may stand beside a bare word that is a unit. Any other neighbour makes it part of something longer.
_NEIGHBOURS = frozenset((
    "a", "about", "above", "all", "also", "an", "and", "answer", "answers", "any", "are", "as", "at", "be",
    "belong", "belongs", "below", "beneath", "besides", "between", "bigger", "both", "but", "by", "can", "chart",
    "come", "comes", "consist", "consists", "contain", "contains", "did", "directly", "do", "does", "else",
    "exactly", "fall", "falls", "fit", "fits", "for", "from", "had", "has", "have", "head", "heads", "hierarchy",
    "how", "if", "in", "inside", "into", "is", "it", "larger", "lead", "leads", "like", "list", "located",
    "manages", "me", "must", "name", "no", "of", "on", "or", "org", "organisation", "organization", "our", "over",
    "oversee", "oversees", "owns", "parent", "part", "peers", "please", "pls", "plz", "report", "reporting",
    "reports", "run", "runs", "same", "shall", "should", "siblings", "sit", "sits", "smaller", "some", "structure",
    "than", "thanks", "that", "the", "their", "them", "then", "there", "thx", "to", "under", "underneath", "units",
    "up", "vs", "was", "were", "what", "where", "which", "who", "whom", "will", "with", "within", "would",
))  # fmt: skip
# Of them, those that after a unit are verbs only in "does the unit report": else it is a report of the unit.
_VERBS_OR_NOUNS = frozenset(("answer", "head", "lead", "list", "name", "report", "run"))
# What may follow a unit that is asked: "ask legal before signing".
_THEN = frozenset((
    "able", "about", "after", "again", "ago", "allowed", "already", "approve", "approves", "available", "because",
    "before", "closed", "decide", "decides", "directly", "during", "either", "every", "first", "for", "friday",
    "get", "got", "handle", "handles", "he", "her", "here", "his", "i", "instead", "involved", "knows", "last",
    "later", "meet", "monday", "my", "need", "needs", "next", "now", "ok", "okay", "once", "one", "only", "open",
    "per", "responsible", "right", "said", "say", "says", "she", "sign", "signs", "since", "so", "these", "they",
    "this", "those", "three", "today", "tomorrow", "tonight", "too", "two", "until", "via", "vote", "votes", "want",
    "wants", "we", "when", "whether", "while", "yesterday", "yet", "you", "your",
))  # fmt: skip
# Words that are no slips of others.
COMMON = _NEIGHBOURS | _THEN
# Before a word that means any of its kind: "a patient", "my supervisor".
_ONE = frozenset((
    "a", "an", "another", "any", "each", "every", "few", "her", "his", "many", "most", "my", "no", "other",
    "several", "some", "their", "these", "this", "those", "what", "which", "whose", "your",
    "ein", "eine", "einen", "einem", "einer", "kein", "keine", "mein", "meine", "welche", "welcher", "welches",
    "un", "una", "une", "mon", "ma", "mes", "quel", "quelle", "mi", "mis", "bir",
))  # fmt: skip
_ASKING = re.compile(
    r"""
    (?: \b(?:ask|asks|asked|asking|e-?mail|e-?mailed|call|called|phone|phoned|ping|pinged|contact|contacted|contacting
          |tell|notify|inform|consult|message|messaged|chase|cc|reach)
      | \b(?:write|wrote|speak|spoke|talk|talked|report|escalate|complain|turn|apply|listen|appeal)\ (?:\w+\ ){0,3}to
      | \b(?:do|should|must|can|need\ to)\ (?:i\ |we\ )?go\ to
      | \b(?:send|sent|forward|submit|submitted|transferred|transfer|refer|hand|give|take|bring|return|move|moving
          |moved|route|pass)\ (?:[\w-]+\ ){1,6}to
      | \b(?:who|whom|someone|somebody|anyone|anybody|nobody|people|person|colleagues?|friend|works?|working|worked|job
          |jobs|new|vacancy|internship|manager|boss|staff|transfer|head\ count|headcount)\ (?:in|at|from|inside|within)
      | \b(?:approval|permission|clearance|consent|reply|answer|letter|e-?mail|mail|message|call|note|sign-?off|quote
          |invoice|someone|people|colleagues?|guys|folks|ticket|feedback|okay|ok|go-ahead|heard)\ (?:from|by|of)
      | \b(?:address|contact|e-?mail|extension|hotline|inbox|mailbox|number|phone|phone\ number)\ (?:for|of)
      | \b(?:approved|signed|signed\ off|checked|handled|issued|managed|owned|reviewed|rejected|refused|decided|run)\ by
      | \b(?:check|checked|agree|agreed|clear|cleared|register|registered|liaise|align|interview|meeting)
        \ (?:\w+\ ){0,2}with
      | \b(?:work|works|working|worked)\ for | \b(?:join|joined|joining)
      | \b(?:signs?|signed|speaks?|stands?\ in|cover|covers)\ for
      | \b(?:it|this|that|case|file|form|request)\ (?:go|goes|went)\ to
      | \b(?:go|goes|going|went)\ (?:through|via) | \btold\ by
    )\s+(?:the\ |our\ )?$
    """,
    re.IGNORECASE | re.VERBOSE,
)
# Where someone can be: "starting in radiology", "a letter from procurement". Not what someone can be good in.
_AT = re.compile(r"\b(?:at|in|inside|into|within|from)\s+(?:the\s+|our\s+)?$", re.IGNORECASE)
_STUDIED = re.compile(
    r"\b(?:background|career|certificate|change|changes|course|courses|degree|diploma|errors?|exam|exams|exempt|expert"
    r"|experience|fraud|good|interest|interested|latest|mistakes?|qualification|skills|trends|trained)\s+\w+\s+(?:the\s+)?$",
    re.IGNORECASE,
)
_TOPIC = re.compile(r"\b(?:about|against|during|for|on|regarding|with|without)\s+(?:the\s+|our\s+)?$", re.IGNORECASE)
_TOPIC_AFTER = frozenset(("as", "at", "for", "in", "of", "on", "to", "with"))
# What cannot be done but only had ("does procurement policy allow"), and what things do as well as people.
_NOUN = (
    r"(?:\w+(?:tion|ment|ing|ity|[ae]nce|cy|[^s]s|er|or)|advice|age|be|budget|contract|cost|data|degree|fee|form|fraud|get"
    r"|law|leave|pay|people|plan|policy|rate|risk|rule|staff|tax|team|time|value|work)\b"
)
_IDLE = r"(?:apply|change|cost|count|cover|end|exist|happen|help|include|last|matter|mean|start|take)\b"
_OBJECT = r"\ (?:me|my|us|our|him|her|them|his|their|you|your|the|a|an|it|this|that|every|all|off)\b"
_SAYING = re.compile(
    rf"""
    ,?\s+(?:(?:has|have|had|just|already|also|never|always|still|now|only)\ )?
    (?: (?:told|says?|said|asked|asks|wants?|wanted|insists?|insisted|replied|promised|thinks|refuses|rejected)\b
      | (?:needs?|approves?|approved|refused|blocked|requires?|decides?|decided|sent|sends|signs?|signed|keeps?|closes?
          |closed|handles?|checks?|checked|lost|cut|pays?|paid|owns?|claims?|denied|allows?|allowed|offered|called
          |phoned|emailed|issued?|gave|gives|stopped|changed|returned|opened|runs?|deals?){_OBJECT}
      | needs?\ to\ (?:agree|approve|be|check|decide|know|look|review|say|see|sign)\b
      | (?:refused|forgot|agreed|wants?)\ to\b | (?:has|have|had)\ (?:my|our|your|not|no|his|her)\b
    )
    """,
    re.IGNORECASE | re.VERBOSE,
)
# Someone does something to somebody: "procurement took my form", "can procurement skip the quotes".
_NO_VERB = "|".join(sorted(_NEIGHBOURS | _THEN | _ONE))
_DOING = re.compile(
    rf"""
    \s+(?:(?:just|already|also|never|always|still|now|only)\ )?
    (?: (?!(?:{_NO_VERB})\b)[a-z]{{3,}}\s+(?:me|my|us|our)\b | [a-z]{{3,}}ed{_OBJECT}
      | (?:bought|built|chose|forgot|gave|kept|lost|made|paid|ran|sent|sold|spoke|taught|threw|told|took|wrote)\b
    )
    """,
    re.IGNORECASE | re.VERBOSE,
)
_LEARNT = re.compile(r"\b(?:history|research|science|studies)$", re.IGNORECASE)
_OWNING = ("'s", "’s")
_BEING_BUSY = re.compile(rf"\s+[a-z]{{3,}}ing{_OBJECT}", re.IGNORECASE)
_BEING = re.compile(r"\b(?:is|are|was|were)\s+(?:the\ |our\ )?$", re.IGNORECASE)
_WOULD_DO = re.compile(
    rf"""
    \s+(?:(?:also|ever|even|really|still)\ )?
    (?: [a-z]{{2,}}{_OBJECT}
      | (?!{_NOUN}|{_IDLE}|(?:and|as|at|by|for|from|in|is|of|on|or|to|with)\b)[a-z]{{2,}}(?:
          \ (?:about|after|all|any|at|before|for|from|if|in|more|new|only|on|to|until|with|one|two|three|four|\d+)\b
        | \ \w+s\b | \W*$)
    )
    """,
    re.IGNORECASE | re.VERBOSE,
)
_WHAT_DOES = re.compile(r"\s+does(?:\s+(?:all\ day|exactly))?\W*$", re.IGNORECASE)
_WHO_IN = re.compile(
    r"\b(?:who|whom|someone|somebody|anyone|anybody|nobody|colleagues?|friend)\ (?:(?:is|are|works?)\ )?"
    r"(?:in|at|from|inside|within)\s+(?:the\ |our\ )?$",
    re.IGNORECASE,
)
_WHETHER = re.compile(
    r"\b(?:does|do|did|can|could|must|should|will|would|may|might|have|has)(?:n[o']?t)?\s+(?:the\ |our\ )?$",
    re.IGNORECASE,
)
_DECIDING = re.compile(
    r"""
    \s+(?:also\ |really\ |ever\ |even\ |still\ |already\ )?
    (?:accept|allow|answer|approve|approved|ask|book|call|cancel|change|check|decide|deduct|delete|deny|fix
      |force|fund|get\ involved|give|handle|hire|insist|issue|keep|know|look|manage|oversee|own|process
      |provide|refuse|reject|reply|review|run|say|see|send|share|sign|signed|speed|stop|store|tell
      |veto|vote|want|wants)\b
    """,
    re.IGNORECASE | re.VERBOSE,
)
_REACHED = re.compile(
    r"(?:['’]s?)?\s+(?:phone|hotline|extension|mailbox|inbox|e-?mail(?: address)?"
    r"|(?:opening|office) (?:hours|times)|folks|contacts?|helpline|telefon|telephone|team lead|members|minutes"
    r"|people|guys|colleagues|(?:(?:is|are) )?(?:in charge|responsible))\b",
    re.IGNORECASE,
)
_PLACE_LINK = re.compile(
    r"\s+(?:(?:\w+ly|is|are|a|both|all|somewhere|anywhere|part|now|right|also|sit|sits|fall|falls|comes?|belongs?"
    r"|reports?|answers?|still|run|managed|owned|led|bigger|larger|smaller)\s+){0,3}"
    r"(?:in|under|of|within|inside|below|above|over|beneath|underneath|to|by|than)\s+(?:the\s+|our\s+)?",
    re.IGNORECASE,
)
_PAIR_LINK = re.compile(
    r"(?:\s*[,/&+]\s*|,?\s+(?:and|or|vs\.?|versus)\s+)(?:(?:is\s+it|in|to|with|from|the|our)\s+){0,2}", re.IGNORECASE
)


@lru_cache(maxsize=64)  # each place is asked about several times in a row
def neighbours(text: str, start: int, end: int) -> tuple[str, str]:
    """The words just before and just after, in lower case; "" where the sentence or its clause ends."""
    before = _BEFORE.search(text, max(0, start - 40), start)
    after = _AFTER.match(text, end, end + 40)
    return (before[1].lower() if before else "", after[2].lower() if after and not after[1] else "")


@lru_cache(maxsize=64)
def ends(text: str, start: int, end: int) -> tuple[bool, bool]:
    """Whether the words are no part of something longer: with what stands before them, with what stands after."""
    before, after = neighbours(text, start, end)
    if before == "what" and _WHAT_DOES.match(text, end):
        return True, True
    if after in _VERBS_OR_NOUNS and not _WHETHER.search(text, max(0, start - 20), start):
        return not before or before in _NEIGHBOURS, False
    return not before or (before in _NEIGHBOURS and before not in _ONE), not after or after in COMMON


def is_someone(text: str, start: int, end: int) -> bool:
    """Whether the words are someone who can be asked, or who says, wants or decides something."""
    before, after = text[max(0, start - 60) : start], text[end : end + 40]
    preceding, _ = neighbours(text, start, end)
    if preceding in _ONE:
        return False
    if _LEARNT.search(before + text[start:end]) and after.startswith((" says", " shows", " suggests")):
        return False  # "research says that"
    is_owning = text[start:end].endswith(_OWNING) or after.startswith(_OWNING)
    if _WHO_IN.search(before) or (is_owning and (not preceding or preceding in COMMON)):
        return True
    acting = _DECIDING if _WHETHER.search(before) else _SAYING
    if (not preceding or (preceding in COMMON and not _TOPIC.search(before))) and (
        acting.match(after) or _REACHED.match(after)
    ):
        return True
    typed = text[start:end]
    is_plural = typed.endswith("s") and " " not in typed
    is_one_of_them = is_plural and preceding in ("does", "has")  # "does exams need my card", not "do exams"
    is_any = is_plural and not is_one_of_them and preceding != "the"
    is_doing = (
        (acting is _DECIDING and not is_any and _WOULD_DO.match(after))
        or (preceding in ("", "the") and _DOING.match(after))
        or (_BEING.search(before) and _BEING_BUSY.match(after))
    )
    if is_doing:
        return is_one_of_them or not _is_topic(typed)
    return bool(_ASKING.search(before)) and (ends(text, start, end)[1] or bool(_DECIDING.match(after)))


def _is_topic(typed: str) -> bool:
    return typed.lower() in TOPICS


def is_somewhere(text: str, start: int, end: int) -> bool:
    """Whether the words are where someone is, or something comes from."""
    before = text[max(0, start - 60) : start]
    is_there = bool(_AT.search(before)) and not _STUDIED.search(before) and not _is_topic(text[start:end])
    return is_there and ends(text, start, end)[1]


def is_matter(text: str, start: int, end: int) -> bool:
    """Whether the words are what something is about, or about something: "a rule on public health"."""
    _, after = neighbours(text, start, end)
    return after in _TOPIC_AFTER or bool(_TOPIC.search(text, max(0, start - 20), start))


def is_one(word: str) -> bool:
    """Whether the word before another makes that any of its kind: "a", "my"."""
    return word in _ONE


def link(text: str) -> str:
    """What the text between two units tells of the second: "place" ("under the"), "pair" ("or"), "" for nothing."""
    if _PLACE_LINK.fullmatch(text):
        return "place"
    return "pair" if _PAIR_LINK.fullmatch(text) else ""
