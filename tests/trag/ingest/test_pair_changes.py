"""Pairs in real stores: in a person's hands, while their document changes, and while a file of them is given."""

from __future__ import annotations

import json
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import Any
from unittest.mock import Mock

import pytest

from store import StoreError, disk_full
from store.library import Pair
from store.passage import Passage
from store.vectors import Vectors
from trag.errors import TragError
from trag.ingest.pair_changes import Wording, approved, deleted, edited, import_pair_file, keep_pair, new_pair
from trag.ingest.passages import Section, section_passages
from trag.progress import silent

pytestmark = pytest.mark.slow  # the embedder takes seconds to load

TITLE, PREFACE = ("Title", "Pool Rules"), ("BodyText", "These rules bind whoever enters the house.")
HOURS = [("Heading2", "4.1 Hours"), ("BodyText", "The pool opens at seven and is closed on Mondays.")]
SWIMMING = [("Heading2", "4.2 Swimming"), ("BodyText", "Members over ten may swim alone in the large pool.")]
QUESTION = "Who may swim alone?"


def found(shelf: Any) -> Passage:
    (vector,) = shelf.embedder.embed_questions([QUESTION])
    (first,) = shelf.vectors.search(vector, QUESTION, kinds=("qa",), k=1, readers=None)
    assert isinstance(first, Passage)
    return first


def line(pair: Pair, **changes: object) -> bytes:
    fields = ("question", "answer", "type", "document", "section", "page", "source", "state", "origin")
    return json.dumps({field: getattr(pair, field) for field in fields} | changes).encode()


def test_a_pair_is_cited_where_its_section_stands_now(shelf: Any, tmp_path: Path, pdf: Callable[..., bytes]) -> None:
    file = tmp_path / "pool.pdf"
    file.write_bytes(pdf([TITLE, PREFACE], [*HOURS, *SWIMMING]))
    shelf.ingest(file)
    there = tuple(shelf.records.library.passages("pool.pdf"))
    section = next(passage.section for passage in there if "Swimming" in passage.section)
    keep_pair(new_pair("pool.pdf", section, Wording(QUESTION, "Members over ten.", ""), "ada", there), shelf.context)
    assert (found(shelf).section, found(shelf).page) == (section, 2)
    renumbered = [("Heading2", "4.3 Swimming"), SWIMMING[1]]
    guests = [("Heading2", "4.2 Guests"), ("BodyText", "Guests pay at the desk before they go in.")]
    file.write_bytes(pdf([TITLE, PREFACE], HOURS, [*guests, *renumbered]))
    (result,) = shelf.ingest(file, replace=True)
    assert "looked at again" not in str(result)
    assert (found(shelf).section, found(shelf).page) == (section.replace("4.2", "4.3"), 3)
    (pair,) = shelf.records.library.pairs("pool.pdf")
    assert (pair.page, pair.source, pair.state) == (3, SWIMMING[1][1], "approved")
    assert shelf.in_line()


def test_a_pair_that_waits_comes_back_waiting_and_is_searched_when_somebody_approves_it(
    shelf: Any, tmp_path: Path
) -> None:
    (tmp_path / "pool.md").write_text("# Pool\n\n## Swimming\n\nMembers over ten may swim.\n")
    shelf.ingest(tmp_path / "pool.md")
    library = shelf.records.library
    section = next(iter(library.passages("pool.md"))).section
    waiting = Pair("x", "pool.md", section, None, QUESTION, "Dogs.", "short answer", "model", "review", False)

    def give(content: bytes) -> str:
        (told,) = import_pair_file(content, "pairs.jsonl", shelf.context, by="bob", progress=silent)
        assert shelf.in_line()
        return str(told)

    assert give(line(waiting)) == "indexed: pairs.jsonl (1 for review, as the file says)"
    (pair,) = library.pairs()
    assert (pair.state, pair.origin, pair.searched, pair.source) == ("review", "model", False, "")
    assert shelf.vectors.count("qa") == 0
    assert give(line(waiting)).startswith("unchanged: ")
    keep_pair(approved(pair, "ada", tuple(library.passages())), shelf.context)
    assert shelf.nearest(QUESTION) == "Dogs."
    assert "line 1 left as decided here" in give(line(waiting))
    assert library.pairs()[0].state == "approved"
    outdated = line(replace(waiting, question="And cats?"), state="approved", source="Cats may swim.")
    assert "line 1 for review: the section does not have the source" in give(outdated)
    assert [pair.state for pair in library.pairs()] == ["review", "approved"]


def qa(shelf: Any) -> list[str]:
    return [passage.text for passage in shelf.records.library.passages("rules.md") if passage.kind == "qa"]


def test_a_pair_is_written_changed_and_removed_and_the_index_follows(shelf: Any, tmp_path: Path) -> None:
    (tmp_path / "rules.md").write_text("# Rules\n\n## Fees\n\nThe fee is 40 EUR a year.\n")
    shelf.ingest(tmp_path / "rules.md")

    there = tuple(shelf.records.library.passages("rules.md"))

    def put(pair: Pair) -> Pair:
        keep_pair(pair, shelf.context)
        assert shelf.in_line()
        return pair

    said = Wording("Who may swim?", "Every member may swim.", "")
    first = put(new_pair("rules.md", "Rules > Fees", said, "ada", there))
    assert shelf.nearest("who may swim") == "Every member may swim."
    second = put(edited(first, Wording("Who may swim?", "Members over ten may swim.", ""), "bob", there))
    assert (second.id, second.by, second.state) == (first.id, "bob", "approved")
    assert qa(shelf) == ["Members over ten may swim."]
    put(deleted(second, "ada"))
    assert qa(shelf) == []
    assert "swim" not in shelf.nearest("who may swim")
    put(approved(second, "ada", there))
    assert shelf.nearest("who may swim") == "Members over ten may swim."


@pytest.mark.parametrize("given", [False, True], ids=["by a person", "by a file"])
def test_a_pair_of_a_document_that_did_not_reach_the_index_is_for_the_readers_of_the_document(
    shelf: Any, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, given: bool
) -> None:
    (tmp_path / "rules.md").write_text("# Rules\n\n## Fees\n\nThe fee is 40 EUR a year.\n")
    monkeypatch.setattr(Vectors, "put", Mock(side_effect=disk_full("the index")))
    with pytest.raises(StoreError, match=r"rules\.md is kept, but searches do not find it yet: No space is left"):
        shelf.ingest(tmp_path / "rules.md", audience=frozenset({"hr"}))
    there = tuple(shelf.records.library.passages("rules.md"))
    pair = new_pair("rules.md", "Rules > Fees", Wording(QUESTION, "Members.", ""), "ada", there)
    if given:
        import_pair_file(line(pair), "pairs.jsonl", shelf.context, by="bob", progress=silent)
    else:
        keep_pair(pair, shelf.context)
    assert shelf.vectors.audiences() == {"rules.md": {"hr"}}


@pytest.mark.parametrize(("question", "answer"), [("", "a"), ("q", " \u200b"), ("q", "x" * 5000)])
def test_a_pair_without_words_or_with_too_many_is_refused(question: str, answer: str) -> None:
    with pytest.raises(TragError) as refused:
        new_pair("rules.md", "Fees", Wording(question, answer, ""), "ada", ())
    assert refused.value.hint


HOUSE = section_passages(
    "a.pdf", [Section("1 Pool", 2, "The pool opens at 7."), Section("1 Pool", 3, "Members over ten may swim.")]
)


def test_a_pair_that_a_person_writes_or_approves_stands_on_the_passage_that_says_it() -> None:
    pair = new_pair("a.pdf", "1 Pool", Wording("Who may swim?", "Members over ten.", ""), "ada", HOUSE)
    assert (pair.page, pair.source, pair.type) == (3, "Members over ten may swim.", "short answer")
    other = edited(pair, Wording("When does it open?", "It opens at 7.", ""), "ada", HOUSE)
    assert (other.page, other.source) == (2, "The pool opens at 7.")
    waiting = replace(pair, section="9 Gone", page=9, source="Members over nine may swim.", state="review")
    assert approved(waiting, "bob", HOUSE) == replace(pair, by="bob")


def test_a_pair_is_searched_if_its_type_is() -> None:
    pair = new_pair("a.pdf", "1 Pool", Wording("Who may swim?", "Members over ten.", ""), "ada", HOUSE)
    talk = edited(pair, Wording(pair.question, pair.answer, "dialogue"), "ada", HOUSE)
    assert (talk.type, talk.state, talk.searched, talk.source) == ("dialogue", "approved", False, pair.source)
    assert not approved(replace(talk, state="review"), "ada", HOUSE).searched
    assert edited(talk, Wording(talk.question, talk.answer, "list"), "ada", HOUSE).searched
    with pytest.raises(TragError, match="riddle"):
        edited(pair, Wording(pair.question, pair.answer, "riddle"), "ada", HOUSE)
