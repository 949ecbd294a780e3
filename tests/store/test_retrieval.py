"""How often the search finds the answer: the real MiniLM, a small handbook, questions as its readers type them."""

from __future__ import annotations

import itertools
import re
from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from store.index import DIVERSITY
from store.passage import OPEN, Passage
from store.vectors import Vectors

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

HANDBOOK = Path(__file__).with_name("handbook.md")
# Each question with words that only its answer has.
QUESTIONS = (
    ("when was the trust set up?", "1974"),
    ("where's our registered office", "Toll House at Lock 12"),
    ("who owns the moorings at Pell Basin", "belong to the town council"),
    ("what does a student pay to be a member", "14 pounds for students"),
    ("how much is it to join for life?", "400 pounds"),
    ("what happens if I don't pay my subscription on time", "removed from the register"),
    ("how many people must turn up for the AGM to be valid", "forty members"),
    ("do proxies count towards quorum", "do not make a quorum"),
    ("majority needed to amend the rules", "two thirds"),
    ("how long is the term of an elected trustee?", "three years"),
    ("what if the board vote is a tie", "casting vote"),
    ("can a trustee be removed for not attending", "misses three meetings"),
    ("can I keep a present from a supplier", "50 pounds are refused"),
    ("who has to sign off emergency repairs", "signature of the chief engineer"),
    ("how often are lock gates inspected", "once in two years"),
    ("how many members of the engineering committee have to be chartered", "three must be chartered"),
    ("when does the budget go to the board", "in October"),
    ("minimum reserves we must hold", "six months of running costs"),
    ("up to what amount can the director approve", "20,000 pounds"),
    ("who approves a purchase of 60,000 pounds", "Finance Committee approves up to 75,000"),
    ("from what amount do I need three quotes", "above 5,000 pounds"),
    ("mileage rate for my own car", "45 pence"),
    ("deadline for handing in expense claims", "sixty days"),
    ("do I have to wear a life jacket on the gates?", "Life jackets are worn"),
    ("is there an age limit on volunteer insurance", "eighty-five"),
    ("cost of a licence for a small boat", "310 pounds"),
    ("how long until my unlicensed boat gets towed", "fourteen days' notice"),
    ("how long can visitors stay at the blue rings", "forty-eight hours"),
    ("may I sublet my mooring", "may not be sublet"),
    ("until what time must it be quiet at the moorings", "ten in the evening"),
    ("when can the Stanning flight be closed", "dry summer"),
    ("what reservoir level do we keep", "70 percent"),
    ("price of a season ticket for anglers", "42 pounds"),
    ("where may people fish at night", "between Locks 3 and 7"),
    ("who gives permission to dredge by the reed bed", "county ecologist"),
    ("how are vole burrows marked", "yellow stakes"),
    ("can horses use the towpath", "between Locks 9 and 12"),
    ("how early must I apply for a towpath event permit", "six weeks ahead"),
    ("hire of the hall, price for members", "Members pay half"),
    ("how many guests fit in the hall", "eighty people"),
    ("how quickly is a complaint answered", "answered in twenty"),
    ("who do I complain to about a trustee", "straight to the Panel"),
    ("how long is probation", "probation of six months"),
    ("can I carry leave over to next year", "five days of leave"),
    ("notice period after three years of service", "three months after that"),
    ("when do I need a doctor's note", "eighth day"),
    ("how long do we get full sick pay", "Full pay goes on for three months"),
    ("how long are CCTV recordings kept", "erased after twenty-one days"),
    ("I lost a laptop, how fast must I tell the data officer", "within twelve hours"),
    ("above what wind speed do we stop work", "45 kilometres"),
    ("how deep should the channel be", "1.4 metres"),
    ("what happens to contaminated spoil", "licensed tip at Merrow"),
    ("how often is each reach dredged", "every nine years"),
    ("which mortar may be used on listed buildings", "lime mortar"),
    ("when can the public visit the archive", "first Friday"),
    ("price for a copy of a plan", "4 pounds a sheet"),
)


def chunks() -> list[Passage]:
    """The handbook as passages of two sentences, each sharing one with the next."""
    passages: list[Passage] = []
    for block in re.split(r"^# ", HANDBOOK.read_text(encoding="utf-8"), flags=re.MULTILINE)[1:]:
        section, text = block.strip().split("\n", 1)
        for pair in itertools.pairwise(re.split(r"(?<=[.])\s+(?=[A-Z])", text.strip())):
            passages.append(Passage(f"h{len(passages)}", "section", "handbook.md", section, None, " ".join(pair)))
    return passages


@pytest.mark.slow
def test_on_overlapping_chunks_the_default_search_loses_no_evidence(
    tmp_path: Path, minilm: Callable[[list[str]], NDArray[np.float32]]
) -> None:
    passages = chunks()
    index = Vectors(tmp_path / "chroma", embedder="minilm", dimension=384)
    index.add(passages, minilm([f"{each.section}\n{each.text}" for each in passages]), audience=OPEN)
    questions = minilm([question for question, _ in QUESTIONS])

    def missed(diversity: float) -> list[str]:
        found = [
            index.search(vector, question, kinds=["section"], k=3, diversity=diversity, readers=None)
            for (question, _), vector in zip(QUESTIONS, questions, strict=True)
        ]
        return [
            question
            for (question, answer), passages in zip(QUESTIONS, found, strict=True)
            if not any(answer in each.text for each in passages)
        ]

    default, plain, usual = missed(DIVERSITY), missed(0.0), missed(0.5)
    index.close()
    assert len(default) <= 4, default
    assert len(default) <= len(plain), (default, plain)
    assert len(default) < len(usual), (default, usual)
