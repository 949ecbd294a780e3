"""Pairs in a person's hands: searched at once in their words, or not at all."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from store.library import Pair
from trag.errors import TragError
from trag.ingest.editing import approved, deleted, edited, keep, new_pair

pytestmark = pytest.mark.slow  # the embedder takes seconds to load


def qa(shelf: Any) -> list[str]:
    return [passage.text for passage in shelf.records.library.passages("rules.md") if passage.kind == "qa"]


def test_a_pair_is_written_changed_and_removed_and_the_index_follows(shelf: Any, tmp_path: Path) -> None:
    (tmp_path / "rules.md").write_text("# Rules\n\n## Fees\n\nThe fee is 40 EUR a year.\n")
    shelf.ingest(tmp_path / "rules.md")

    def put(pair: Pair) -> Pair:
        keep(pair, shelf.stock)
        assert shelf.in_line()
        return pair

    first = put(new_pair("rules.md", "Rules > Fees", "Who may swim?", "Every member may swim.", "ada"))
    assert shelf.nearest("who may swim") == "Every member may swim."
    second = put(edited(first, "Who may swim?", "Members over ten may swim.", "bob"))
    assert (second.id, second.by, second.state) == (first.id, "bob", "approved")
    assert qa(shelf) == ["Members over ten may swim."]
    put(deleted(second, "ada"))
    assert qa(shelf) == []
    assert "swim" not in shelf.nearest("who may swim")
    put(approved(second, "ada"))
    assert shelf.nearest("who may swim") == "Members over ten may swim."


@pytest.mark.parametrize(("question", "answer"), [("", "a"), ("q", " \u200b"), ("q", "x" * 5000)])
def test_a_pair_without_words_or_with_too_many_is_refused(question: str, answer: str) -> None:
    with pytest.raises(TragError) as refused:
        new_pair("rules.md", "Fees", question, answer, "ada")
    assert refused.value.hint
