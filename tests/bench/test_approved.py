"""No question of the bench is given another one's approved answer, and rewordings get theirs: one organization kept
aside."""

from __future__ import annotations

import pytest

from bench import approved
from trag.embed import open_embedder


@pytest.mark.slow
def test_rewordings_get_an_approved_answer_and_other_questions_never_do() -> None:
    groups = approved.read(approved.ROOT / "bench" / "askings" / "held-out.txt")
    right, wrong = approved.pairs([group for group in groups if group.organization == "kestrel"], open_embedder(""))
    assert [pair for pair in wrong if pair.given] == []
    assert sum(pair.given for pair in right) >= 0.1 * len(right)
    assert sum(pair.cosine >= approved.NEAR for pair in wrong) > 20  # which vectors alone would not tell from the same
