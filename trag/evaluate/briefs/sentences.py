"""A text cut into sentences, each to be judged by itself: prose, lists, Markdown; several languages.

What ends one: a mark that ends sentences before a space and something that may begin one, any such mark of scripts
without spaces, a line break. A full stop ends none behind an abbreviation or an initial, behind a number that counts
("3. Mai"), or before a small letter.

No library: sentencex 1.0.32, which knows the abbreviations of many languages, wants to be told which; with English it
cuts 45 of the 65 hard cases of the tests as a reader does.
"""

from __future__ import annotations

import re

_NEVER = frozenset(
    """
    adm adv approx apr art arts aug bd bijv bl bspw bzgl bzw ca cap capt cf chap cl col d.h dec dept dipl dott dr e.g ed
    eds evtl ext feb fig figs fn fr fri gem gen ggf gov hon hr hrn i.d.r i.e incl inkl insb jan jr jul jun lt mar max
    messrs min mio mme mlle mon mr mrs ms mt nos nov nr num núm o.ä oct op par para paras pos prof pts rd resp ref rev
    rs sat sec secs sen sep sept sgt sig sog sr sra srta st sta ste sun supt tab tel thu tue u.a usw.u v vgl viz vol
    vols vs wed z.b z.t zzgl
    """.split()
)
"""Abbreviations that hardly ever end a sentence, without their last full stop."""
_BEFORE_FIGURE = frozenset("abs anm kap lid n nn no p pp rn s stat u ziff §".split())
"""Those that end none before a figure only: "No. 7", but "He said no.\""""
_LETTER = frozenset(
    "a an and or the annex appendix category class form grade group level option part schedule type".split()
)
"""Words behind which a single capital is no initial: "He got a B.\""""
_COUNTED = re.compile(
    r"(?:Jan|Feb|Mär|Mar|Apr|Mai|Maj|Jun|Jul|Aug|Sep|Okt|Oct|Nov|Dez|Dec|Quartal|Abschnitt|Kapitel|Sitzung|Tag|Stock|Absatz)"
)
"""What a number with a full stop counts: "3. Mai", "2. Sitzung"."""
_OPENING, _CLOSING = "\"'“”„‚‘’«»‹›([*_¿¡`#§", "\"'”’“»›)\\]*_"
_CITED = r"(?:[ \t]?\[\d+(?:, ?\d+)*\])*"
_END = re.compile(
    rf"(?P<mark>[.!?؟۔।…]+[{_CLOSING}]*{_CITED}\.?)[ \t\u00a0\u202f]+(?=\S)|(?P<dense>[。！？．]+[」』”’）]*)\s*(?=\S)"
)
_ITEM = re.compile(r"\s*(?:[-*•·–—▪◦]|\(?(?:\d{1,3}|[a-z]|[ivx]{1,5})[.)])\s+(?=\S)")
_WORD = re.compile(r"(?:^|(?P<before>[^\s(\[]*)[\s(\[\"'“„«/])(?P<word>(?:[^\W\d_]\.)*[^\W\d_]+|§)$")
_NUMBER = re.compile(r"(?:^|[\s(§])\d{1,3}$")


def sentences(text: str) -> tuple[str, ...]:
    """The sentences of `text` in order, without the marks of lists and headings, none empty.

    An item of a list and a heading are sentences of their own, a line that leads in a list too.
    """
    found: list[str] = []
    for line in text.splitlines():
        line = re.sub(r"^\s*(?:#{1,6}|>)\s+", "", line)
        while item := _ITEM.match(line):
            line = line[item.end() :]
        start = 0
        for end in _END.finditer(line):
            if end["dense"] or _ends(line[start : end.start()], end["mark"], line[end.end() :]):
                found.append(line[start : end.end()].strip())
                start = end.end()
        found.append(line[start:].strip())
    return tuple(one for one in found if re.search(r"\w", one))


def _ends(before: str, mark: str, after: str) -> bool:
    """Whether `mark`, between what stands before it in its sentence and what follows, ends the sentence."""
    following = after.lstrip(_OPENING)
    if not following or (following[0].islower() and not following[1:2].isupper()):
        return False
    if mark != ".":
        return True
    if _NUMBER.search(before):
        return not (_COUNTED.match(following) or before.strip().isdigit())
    found = _WORD.search(before)
    if found is None:
        return True
    word = found["word"]
    last = word.rsplit(".", 1)[-1]
    if not {word.casefold(), last.casefold()}.isdisjoint(_NEVER):
        return False
    if len(word) == 1 and word.isalpha():  # an initial, a part of an abbreviation, or "3.5 m"
        beside = (found["before"] or "").casefold()
        return beside in _LETTER if word.isupper() else beside[-1:].isdigit()
    return not (following[0].isdigit() and last.casefold() in _BEFORE_FIGURE)
