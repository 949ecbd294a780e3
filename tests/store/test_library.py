"""The library, on SQLite and on PostgreSQL."""

from __future__ import annotations

from dataclasses import replace
from datetime import UTC, datetime, timedelta

import pytest

from store import StoreError
from store.library import Leaving, Library, Pair
from store.passage import OPEN, Passage
from store.records import Records

QUESTIONS = ("Who signs above 50,000 LMD?", "Wer leitet das Büro \U0001f600?", "'); DROP TABLE examples;--")


@pytest.fixture
def library(records: Records) -> Library:
    return records.library


def passage(id: str, document: str = "rules.md", page: int | None = None) -> Passage:
    return Passage(id, "section", document, "4 Finance > 4.2 Limits", page, f"text {id}")


def pair(id: str, document: str = "rules.md", **more: object) -> Pair:
    made = Pair(id, document, "4 Finance", 3, f"question {id}?", f"answer {id}", "short answer", "rule")
    return replace(made, **more)  # type: ignore[arg-type]


def test_a_document_comes_back_with_its_passages_in_order_then_its_pairs(library: Library) -> None:
    passages = [passage("c"), passage("a", page=3), passage("b")]
    pairs = [pair("p"), pair("q", searched=False, state="review")]
    library.put("rules.md", "f" * 64, 12, passages, pairs, notes=["page 3 is a picture"], by="ada")
    found = library.document("rules.md")
    assert found is not None
    assert (found.pages, found.passages, found.pairs, found.reviews) == (12, 3, 1, 1)
    assert (found.notes, found.by, found.audience) == (("page 3 is a picture",), "ada", OPEN)
    assert found.added.tzinfo == UTC
    assert abs(found.added - datetime.now(UTC)) < timedelta(minutes=1)
    assert list(library.passages("rules.md")) == [*passages, pairs[0].passage]
    assert library.pairs("rules.md") == tuple(pairs)


def test_a_document_replaces_the_one_of_its_name_and_no_other_and_keeps_its_audience(library: Library) -> None:
    library.put("other.md", "1" * 64, None, [passage("o", "other.md")])
    library.put("rules.md", "2" * 64, None, [passage("a"), passage("b")], [pair("p")])
    library.set_audience("rules.md", frozenset({"finance", "legal"}))
    library.put("rules.md", "3" * 64, None, [passage("b"), passage("c")])
    actual = [(each.name, each.sha256[0], each.passages, each.pairs) for each in library.documents()]
    assert actual == [("other.md", "1", 1, 0), ("rules.md", "3", 2, 0)]
    assert [each.id for each in library.passages()] == ["o", "b", "c"]
    assert [each.audience for each in library.documents()] == [OPEN, {"finance", "legal"}]


def test_a_document_is_called_by_its_title_else_by_the_words_of_its_name(library: Library) -> None:
    library.put("part-4_people.information.md", "1" * 64, None, [])
    library.put("r.md", "2" * 64, None, [], title="The Rules")
    library.put("..md", "3" * 64, None, [])
    assert [each.called for each in library.documents()] == ["..md", "Part 4 people.information", "The Rules"]
    library.put("r.md", "4" * 64, None, [])
    assert [each.called for each in library.documents()][-1] == "R"


def test_a_document_that_fails_half_way_changes_nothing(library: Library) -> None:
    library.put("other.md", "1" * 64, None, [passage("taken", "other.md")], [pair("mine", "other.md")])
    library.put("rules.md", "2" * 64, None, [passage("a")])
    before = library.document("rules.md")
    for passages, pairs in (([passage("b"), passage("taken")], []), ([passage("b")], [pair("mine")])):
        with pytest.raises(Exception, match=r"(?i)unique"):
            library.put("rules.md", "3" * 64, None, passages, pairs)
    assert library.document("rules.md") == before
    assert [each.id for each in library.passages("rules.md")] == ["a"]
    with pytest.raises(ValueError, match="another document"):
        library.put("rules.md", "3" * 64, None, [passage("x", "other.md")])


def test_a_deleted_document_leaves_nothing(library: Library) -> None:
    library.put("rules.md", "2" * 64, None, [passage("a")], [pair("p")])
    assert library.delete("rules.md")
    assert not library.delete("rules.md")
    assert (library.documents(), list(library.passages()), library.document("rules.md")) == ((), [], None)
    assert library.count_pairs() == 0
    for change in (lambda: library.set_audience("rules.md", OPEN), lambda: library.put_pair(pair("p"))):
        with pytest.raises(StoreError, match="no such document"):
            change()


def test_a_deleted_document_is_leaving_until_it_has_left(records: Records) -> None:
    library = records.library
    library.put("rules.md", "2" * 64, None, [passage("a"), passage("b")], [pair("p")])
    library.put("other.md", "1" * 64, None, [passage("o", "other.md")])
    assert library.leaving() == ()
    library.delete("rules.md", by="ada")
    assert library.leaving() == (Leaving("rules.md", "2" * 64, 2, 1, "ada"),)
    assert not library.delete("rules.md")
    library.put("rules.md", "3" * 64, None, [passage("a")])
    library.delete("rules.md", by="bob")
    assert library.leaving() == (Leaving("rules.md", "3" * 64, 1, 0, "bob"),)
    library.has_left("rules.md", by="bob", receipt="nothing is left")
    assert library.leaving() == ()
    (event,) = records.audit.page(most=1)
    told = (event.who, event.what, event.about, event.result)
    assert told == ("bob", "document forgotten", "rules.md", "nothing is left")


def test_passages_may_be_read_slowly_while_others_write(library: Library) -> None:
    for name in ("a.md", "b.md"):
        library.put(name, "2" * 64, None, [passage(f"{name}-{number}", name) for number in range(3)])
    slowly = library.passages()
    first = next(slowly)
    library.put("c.md", "2" * 64, None, [])
    assert len([first, *slowly]) == 6


def test_pairs_are_found_by_words_state_and_document_page_by_page(library: Library) -> None:
    library.put("a.md", "1" * 64, None, [], [pair(f"a{n}", "a.md", answer=f"100% of {n}") for n in range(5)])
    library.put("b.md", "2" * 64, None, [], [pair("b0", "b.md", state="review", searched=False)])
    assert [each.id for each in library.pairs(first=1, most=2)] == ["a1", "a2"]
    assert [each.id for each in library.pairs(states=["review"])] == ["b0"]
    assert [each.id for each in library.pairs(words="QUESTION a3")] == ["a3"]
    assert (library.count_pairs(words="100%"), library.count_pairs(words="1_0")) == (5, 0)
    assert (library.count_pairs("a.md"), library.count_pairs("a.md", states=["deleted"])) == (5, 0)


def test_a_pair_in_other_words_is_the_same_pair_and_another_passage(library: Library) -> None:
    library.put("rules.md", "2" * 64, None, [], [pair("p"), pair("q")])
    changed = pair("p", answer="Another.", state="approved", by="ada")
    library.put_pair(changed)
    library.put_pair(pair("r", origin="person"))
    assert library.pair("p") == changed
    assert library.pair("nothing") is None
    assert [each.id for each in library.pairs()] == ["p", "q", "r"]
    assert changed.passage.id != pair("p").passage.id
    library.put_pairs("rules.md", [pair("q")])
    assert [each.id for each in library.pairs()] == ["q"]


def test_who_changed_a_pair_stands_in_the_audit_log(records: Records) -> None:
    records.library.put("rules.md", "2" * 64, None, [], [pair("p")], by="ada")
    records.library.put_pair(pair("p", state="deleted", searched=False, by="bob"))
    records.library.put_pair(pair("r", origin="person", state="approved", by="cy"))
    told = [(event.who, event.what, event.about, event.result) for event in records.audit.page(most=2)]
    assert told == [("cy", "pair added", "rules.md", "r: approved"), ("bob", "pair changed", "rules.md", "p: deleted")]


def test_example_questions_stay_in_their_order_until_others_take_their_place(records: Records) -> None:
    assert records.examples.all() == ()
    records.examples.put(QUESTIONS)
    assert records.examples.all() == QUESTIONS
    records.examples.put(QUESTIONS[:0:-1], instead_of=QUESTIONS)
    assert records.examples.all() == (QUESTIONS[2], QUESTIONS[1])
    records.examples.put((), by="ada")
    assert records.examples.all() == ()
    (last, *_) = records.audit.page()
    assert (last.who, last.what, last.result) == ("ada", "example questions set", "0")


def test_example_questions_take_the_place_only_of_those_that_were_seen(records: Records) -> None:
    records.examples.put(QUESTIONS[:1])
    with pytest.raises(StoreError, match="changed meanwhile"):
        records.examples.put(QUESTIONS, instead_of=())
    assert records.examples.all() == QUESTIONS[:1]
