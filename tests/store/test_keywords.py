"""The words that count, and BM25 over them."""

from __future__ import annotations

import threading

import pytest

from store.keywords import Keywords, words
from store.vectors import Passage


def passage(
    id: str, text: str, *, kind: str = "section", document: str = "d", section: str = "", question: str = ""
) -> Passage:
    return Passage(id, kind, document, section, None, text, question)


PASSAGES = (
    passage("lease", "A lease of more than 10 years needs an opinion.", section="3.3 Estates"),
    passage("limit", "The director may approve up to LMD 10,000.", section="4.2 Approval limits", document="money"),
    passage("it", "The IT Department lends devices.", document="money"),
    passage("pair", "Yes, within 5 days.", kind="qa", question="Are gifts declared?"),
    passage("arabic", "يدير مركز لاركمور للتراث المخطوطات.", document="other"),
    passage("turkish", "Akdeniz Saha Ofisi İstanbul'da, Müdürlük binasında."),
)
EVERYTHING = {"kinds": {"section", "qa"}, "documents": {"d", "money", "other"}}


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("Approving approvals, approved!", ["approv"] * 3),
        ("What is the limit of this?", ["limit"]),
        ("Who heads IT, and what is it?", ["head", "it"]),
        ("LMD 10,000 in section 4.2.", ["lmd", "10000", "section", "4.2"]),
        ("3rd of 1,2 and B-12", ["3rd", "12", "b", "12"]),
        ("Café, CAFE\u0301 and cafe", ["cafe"] * 3),
        ("مُدِير المركز", ["مدير", "المركز"]),
        ("東アジア連絡室 Straße", ["東アジア連絡室", "strass"]),
        ("", []),
        ("?! \ud800 …", []),
    ],
    ids=[
        "endings",
        "grammar",
        "capitals",
        "numbers",
        "mixed",
        "accents",
        "arabic points",
        "other scripts",
        "empty",
        "no word",
    ],
)
def test_words_are_counted_without_grammar_endings_case_or_accents(text: str, expected: list[str]) -> None:
    assert words([text]) == [expected]


@pytest.mark.parametrize(
    ("question", "first"),
    [
        ("who approves 10000", "limit"),
        ("section 4.2", "limit"),
        ("estates", "lease"),
        ("declaring a gift", "pair"),
        ("who runs IT", "it"),
        ("المخطوطات", "arabic"),
        ("istanbul mudurluk", "turkish"),
    ],
)
def test_a_passage_is_found_by_its_text_its_question_or_its_section(question: str, first: str) -> None:
    assert Keywords(PASSAGES).search(question, 5, **EVERYTHING)[:1] == (first,)


def test_only_passages_that_share_a_word_are_found_and_at_most_k() -> None:
    passages = [passage(f"p{number}", "budget " * (number + 1) + "year plan money rules") for number in range(5)]
    keywords = Keywords([*passages, passage("other", "nothing of the kind")])
    assert keywords.search("the budget", 9, kinds={"section"}, documents={"d"}) == ("p4", "p3", "p2", "p1", "p0")
    assert keywords.search("the budget", 2, kinds={"section"}, documents={"d"}) == ("p4", "p3")


@pytest.mark.parametrize(
    ("kinds", "documents", "expected"),
    [
        ({"qa"}, {"d", "money"}, {"b"}),
        ({"section"}, {"money"}, {"c"}),
        ({"section", "qa"}, {"d"}, {"a", "b"}),
        ({"letter"}, {"d"}, set()),
        ({"section"}, set(), set()),
        ({"section"}, {"unknown"}, set()),
    ],
    ids=["kind", "document", "both kinds", "unknown kind", "no documents", "unknown document"],
)
def test_filters_come_before_the_best_are_counted(kinds: set[str], documents: set[str], expected: set[str]) -> None:
    keywords = Keywords(
        [
            passage("a", "budget budget budget"),
            passage("b", "budget rules and more", kind="qa"),
            passage("c", "long rules that name the budget once", document="money"),
        ]
    )
    assert set(keywords.search("budget", 2, kinds=kinds, documents=documents)) == expected


@pytest.mark.parametrize(
    "passages", [(), (passage("a", ""),), (passage("a", "the of ?!"),)], ids=["none", "empty text", "grammar only"]
)
@pytest.mark.parametrize("question", ["budget", "", "what is it"], ids=["word", "empty", "grammar"])
def test_nothing_to_find_is_no_error(passages: tuple[Passage, ...], question: str) -> None:
    assert Keywords(passages).search(question, 3, **EVERYTHING) == ()
    assert Keywords(PASSAGES).search("zanzibarquartz", 3, **EVERYTHING) == ()


def test_a_passage_without_words_does_not_hide_the_others() -> None:
    keywords = Keywords([passage("empty", ""), passage("a", "the budget"), passage("grammar", "of the")])
    assert keywords.search("budget", 3, **EVERYTHING) == ("a",)


def test_many_threads_may_search_at_once() -> None:
    keywords = Keywords(PASSAGES)
    found: list[tuple[str, ...]] = []
    ask = lambda: found.extend(keywords.search("director approving 10,000", 3, **EVERYTHING) for _ in range(50))  # noqa: E731
    threads = [threading.Thread(target=ask) for _ in range(8)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert len(found) == 400
    assert set(found) == {("limit",)}


def test_no_progress_bar_is_printed(capfd: pytest.CaptureFixture[str]) -> None:
    Keywords(PASSAGES).search("budget", 3, **EVERYTHING)
    assert capfd.readouterr() == ("", "")
