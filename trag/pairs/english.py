"""The little of English that rules need: verbs and their forms, who is somebody, what is English at all.

No trained parser can be had offline; written rules of organizations get by with few verbs. Knows nothing about
questions.
"""

from __future__ import annotations

import re
from collections.abc import Sequence

MODALS = frozenset({"shall", "must", "may", "can", "will", "should", "could", "would", "might"})
BE = frozenset({"is", "are", "was", "were"})
HAVE = frozenset({"has", "have"})

# Bases. Those after the bar are nouns as well, and count as verbs only where nothing else can be the verb.
_REGULAR = """
    abstain accept acknowledge act adopt administer admit advise agree allow announce answer appeal appoint approve
    arrange ask assess assist attend audit authorise authorize cancel carry certify check circulate clean close
    collect communicate complete conduct confirm consider consist consult contact contain continue cooperate
    coordinate count cover create decide declare define delegate deliver depend describe destroy determine develop
    disclose discuss dismiss distribute elect employ enable end enforce ensure enter establish evaluate examine exceed
    execute exist expect expel expire explain extend fail file finance follow form govern grant happen hire identify
    implement include inform inspect instruct interview introduce investigate invite involve issue join judge last
    listen maintain manage mark mean meet monitor negotiate nominate note notify obtain occur offer open operate
    organise organize oversee own participate pass pay perform permit place possess prepare prescribe present preside
    prevent process produce propose protect provide publish qualify raise reach read receive recommend record refer
    refund refuse register regulate reimburse reject release remain remove renew repay replace represent require
    resign resolve respond retain return revise safeguard scan screen seal select send serve settle sign specify start
    state stay stop store submit supervise support suspend take tell terminate track train transfer treat use validate
    verify wait waive warn wash watch withdraw work write apply fill enclose bring hand borrow apologise
"""
_NOUNS_TOO = """
    address aim ask benefit book budget change charge claim concern contract control copy cost demand design document
    endorse escalate fund guide handle help hold host lease lead leave limit list need nominate order plan print
    prohibit purchase question range rank rate rent report request respect rest result review risk rule schedule share
    stand supply target test trade travel update visit vote lapse slip end sleep run look deal bind appear
    """
_IRREGULAR = {
    "become": "become", "begin": "begun", "bring": "brought", "buy": "bought", "choose": "chosen", "come": "come",
    "deal": "dealt", "draw": "drawn", "fall": "fallen", "find": "found", "get": "got", "give": "given", "go": "gone",
    "have": "had", "hear": "heard", "hold": "held", "keep": "kept", "lead": "led", "leave": "left", "lose": "lost",
    "make": "made", "mean": "meant", "meet": "met", "oversee": "overseen", "pay": "paid", "put": "put", "read": "read",
    "repay": "repaid", "run": "run", "see": "seen", "sell": "sold", "send": "sent", "set": "set", "sit": "sat",
    "speak": "spoken", "stand": "stood", "take": "taken", "tell": "told", "wear": "worn", "win": "won",
    "withdraw": "withdrawn", "write": "written", "know": "known", "let": "let", "lend": "lent", "bear": "borne",
    "bind": "bound", "sleep": "slept", "say": "said", "do": "done", "show": "shown", "ring": "rung", "eat": "eaten",
}  # fmt: skip
_DOUBLED = frozenset(
    {"submit", "admit", "permit", "plan", "refer", "expel", "stop", "slip", "cancel", "control", "scan"}
)


def third(base: str) -> str:
    """publish -> publishes."""
    if base in ("have", "do", "go"):
        return {"have": "has", "do": "does", "go": "goes"}[base]
    if base.endswith("y") and base[-2] not in "aeiou":
        return f"{base[:-1]}ies"
    return f"{base}es" if base.endswith(("s", "sh", "ch", "x", "z")) else f"{base}s"


def _participle(base: str) -> str:
    if base in _IRREGULAR:
        return _IRREGULAR[base]
    if base.endswith("e"):
        return f"{base}d"
    if base.endswith("y") and base[-2] not in "aeiou":
        return f"{base[:-1]}ied"
    return f"{base}{base[-1] * (base in _DOUBLED)}ed"


_BASES = frozenset(_REGULAR.split()) | frozenset(_NOUNS_TOO.split()) | frozenset(_IRREGULAR)
AMBIGUOUS = frozenset(_NOUNS_TOO.split()) | frozenset(
    "act answer appeal audit conduct count cover end finance form issue judge mark note offer pass permit place "
    "present process record release return sign start state store support track train transfer use work watch "
    "contact file visit stop stay screen seal own do set say".split()
)
BASE_OF_THIRD = {third(base): base for base in _BASES}
BASE_OF_PARTICIPLE = {_participle(base): base for base in _BASES}
BASES = _BASES

_PEOPLE = frozenset(
    """administrator agency anybody anyone applicant assembly assistant association auditor author authority board body
    bureau candidate captain carer caretaker chair chairman chairperson chairwoman chief child client clerk coach
    colleague commission commissioner committee company consultant contractor coordinator council councillor counsel
    counsellor custodian customer delegate department deputy desk directorate director division doctor donor editor
    electorate employee employer everybody everyone executive expert faculty finance friend grantee group guardian guest
    head holder host individual inspector institute investigator lead leader learner librarian lister maintainer manager
    matron member minister ministry moderator nurse observer office officer official ombudsman ombudsperson operator
    organiser organizer owner panel parent participant partner patient people person personnel pharmacist physician
    player police president principal professor proprietor pupil registrar registry relative reporter representative
    researcher resident reviewer secretariat secretary section senate service shareholder sister specialist spokesperson
    sponsor staff steward student subcommittee supervisor supplier surgeon teacher team tenant therapist treasurer
    tribunal trust trustee tutor undersecretary unit user vendor visitor volunteer voter warden witness worker workshop
    forum laboratory pharmacy bank librarian directors carers trustees crew shepherd committer newcomer listmaster
    microbiologist porter midwife adviser advisor mentor buddy speaker translator tester distributor key-holder
    """.split()
)
BODIES = frozenset(
    """agency assembly association authority board body bureau commission committee council department desk directorate
    division forum foundation group institute office panel registry secretariat section senate service subcommittee team
    tribunal trust unit workshop laboratory bank""".split()
)

_ENGLISH = frozenset(
    """the of and to in is are be by for with that this it as on or not may must shall will from at which who when if
    any each has have been was were an their its than within after before can they you your we our no""".split()
)
# Words that are frequent elsewhere and are no English ones: German, French, Spanish, Italian, Portuguese, Dutch,
# Polish, Swedish, Danish.
_FOREIGN = frozenset(
    """der die das und ist nicht von mit den dem ein eine einer zu im auf für werden wird sich oder bei le la les des et
    est une un du dans par pour sur qui que pas aux avec sont el los las y del en con por una para al se su es il lo gli
    di e che della dei non nel sono o os da do em um uma não com ao het een van niet voor zijn op te dat w i z na nie
    jest się do och att det som på av til og ikke er af""".split()
) - {"do", "i", "on", "as", "an", "in", "a", "die"}


def is_english(text: str) -> bool:
    """Whether `text` reads as English: enough of its little words, and more of them than of other languages' ones."""
    found = re.findall(r"[^\W\d_]+", text.lower())
    ours = sum(word in _ENGLISH for word in found)
    return ours > 0.08 * len(found) and ours > 2 * sum(word in _FOREIGN for word in found)


def is_foreign(text: str) -> bool:
    """Whether `text` shows another language: its little words, or letters that are not Latin."""
    found = re.findall(r"[^\W\d_]+", text.lower())
    letters = "".join(found)
    theirs = sum(word in _FOREIGN for word in found)
    return theirs > max(1, sum(word in _ENGLISH for word in found)) or (
        bool(letters) and sum(letter < "\u0250" for letter in letters) < 0.7 * len(letters)
    )


def head(words: Sequence[str]) -> str:
    """The word that a noun phrase is about, lower case: "The head of the Audit Office" -> head."""
    words = _JOINED.sub(r"\1 \2", " ".join(words)).split()
    end = next(
        (position for position, word in enumerate(words) if position and word.lower() in _AFTER_HEAD), len(words)
    )
    return re.sub(r"['’]s?$", "", words[end - 1].strip(",()\"'“”").lower()) if words else ""


_JOINED = re.compile(r"\b([A-Z][\w'’-]*),? and ([A-Z])")
"""Within a name: "the Quality and Safety Committee" is one, "the Chair and the Treasurer" are two."""
_AFTER_HEAD = frozenset(
    """of for in on at with about against into over outside inside who which that whose from to under concerned
    responsible and or by without between within elected appointed named alone needed required allowed""".split()
)


def singular(word: str) -> str:
    """committees -> committee, as far as people and bodies need it."""
    if word in _PEOPLE:
        return word
    if word.endswith("ies"):
        return f"{word[:-3]}y"
    return word[:-1] if word.endswith("s") and not word.endswith("ss") else word


def is_somebody(subject: str) -> bool:
    """Whether a subject can act: a person, a post, a body."""
    words = subject.split()
    last = head(words).rsplit("-", 1)[-1]
    return singular(last) in _PEOPLE or words[0].lower() in _ANYBODY


_ANYBODY = frozenset("whoever anyone anybody everyone everybody someone somebody nobody".split())


def is_plural(subject: str) -> bool:
    """Whether a verb after `subject` is a plural one, as far as its form tells."""
    words = subject.split()
    last = head(words)
    first = words[0].lower()
    if first in ("a", "an", "each", "every", "this", "another", "either", "neither", "whoever", "anyone", "nobody"):
        return False
    return (
        first in ("you", "we", "they", "i", "these", "those", "all", "both", "many", "few", "several", "most")
        or re.search(r"\band\b", _JOINED.sub(r"\1 \2", subject)) is not None
        or last in ("people", "staff", "children", "police", "personnel", "men", "women", "media", "data")
        or (last.endswith("s") and not last.endswith(("ss", "us", "is", "news", "ics")))
    )


def is_body(subject: str) -> bool:
    """Whether a subject is a body that has members."""
    return singular(head(subject.split()).rsplit("-", 1)[-1]) in BODIES
