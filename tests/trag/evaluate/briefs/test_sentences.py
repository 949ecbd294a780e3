"""Hard cases, each with the sentences that a reader sees: " | " between those of a line, " // " between lines."""

import re
from pathlib import Path

import pytest

from trag.evaluate.briefs.sentences import sentences

HARD = Path(__file__).with_name("hard_sentences.txt").read_text(encoding="utf-8").splitlines()
MARK = re.compile(r"(?:[-*#]|[0-9a-z]{1,2}[.)]) ")
"""What begins an item or a heading and is none of its words."""


@pytest.mark.parametrize("case", HARD)
def test_hard_cases(case: str) -> None:
    right = [MARK.sub("", one, count=1) if MARK.match(one) else one for one in re.split(r" \| | // ", case)]
    text = re.sub(r"(?<=[。！？]) \| ", "", case).replace(" | ", " ").replace(" // ", "\n")
    assert sentences(text) == tuple(right)


def test_nothing_is_no_sentence() -> None:
    assert sentences("") == sentences("\n - \n***\n") == ()
