"""The words that count, and BM25 over them."""

from __future__ import annotations

import numpy as np
import pytest

from store.keywords import Keywords, words

TEXTS = {
    "lease": "3.3 Estates\n\nA lease of more than 10 years needs an opinion.",
    "limit": "4.2 Approval limits\n\nThe director may approve up to LMD 10,000.",
    "it": "The IT Department lends devices.",
    "pair": "Are gifts declared?\nYes, within 5 days.",
    "arabic": "يدير مركز لاركمور للتراث المخطوطات.",
    "turkish": "Akdeniz Saha Ofisi İstanbul'da, Müdürlük binasında.",
}


def index(*texts: str) -> Keywords:
    keywords = Keywords()
    keywords.add(texts)
    return keywords


def best(keywords: Keywords, question: str, k: int, *, living: str = "", readable: str = "") -> list[int]:
    """The rows found; `living` and `readable` have a 1 for each row that is, empty is all of them."""
    every = "1" * len(keywords)
    alive = np.array([each == "1" for each in living or every], dtype=bool)
    allowed = np.array([each == "1" for each in readable or every], dtype=bool) & alive
    return keywords.search(question, k, living=alive, readable=allowed).tolist()


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
    ids="endings,grammar,capitals,numbers,mixed,accents,arabic points,other scripts,empty,no word".split(","),
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
def test_a_text_is_found_by_its_words(question: str, first: str) -> None:
    assert best(index(*TEXTS.values()), question, 5)[:1] == [list(TEXTS).index(first)]


def test_only_texts_that_share_a_word_are_found_and_at_most_k() -> None:
    texts = ["budget " * (number + 1) + "year plan money rules" for number in range(5)]
    keywords = index(*texts, "nothing of the kind")
    assert best(keywords, "the budget", 9) == [4, 3, 2, 1, 0]
    assert best(keywords, "the budget", 2) == [4, 3]


@pytest.mark.parametrize(
    ("readable", "expected"), [("011", [1, 2]), ("001", [2]), ("100", [0]), ("000", []), ("", [0, 1])]
)
def test_what_may_not_be_read_is_left_out_before_the_best_are_counted(readable: str, expected: list[int]) -> None:
    keywords = index("budget budget budget", "budget rules and more", "long rules that name the budget once")
    assert best(keywords, "budget", 2, readable=readable) == expected


@pytest.mark.parametrize("question", ["zanzibarquartz", "", "what is it"], ids=["word", "empty", "grammar"])
def test_nothing_to_find_is_no_error_and_hides_nothing(question: str) -> None:
    for texts in ((), ("",), ("the of ?!",), TEXTS.values()):
        assert best(index(*texts), question, 3) == []
    assert best(index("", "the budget", "of the"), "budget", 3) == [1]


def test_inflected_words_are_found_in_each_language_that_is_there() -> None:
    keywords = Keywords()
    keywords.add(["Jeder hat 30 Urlaubstage.", "Die Gebühr beträgt 37,50 €."], ["de", "de"])
    keywords.add(["Les congés sont de 25 jours.", "Fees are due in May."], ["fr", "en"])
    assert best(keywords, "Wie viele Tage hat ein Urlaubstag?", 1) == [0]
    assert best(keywords, "Welche Gebühren gibt es?", 1) == [1]
    assert best(keywords, "le congé", 1) == [2]
    assert best(keywords, "which fee", 1) == [3]
    assert best(index("Die Gebühr beträgt 37,50 €."), "Gebühren", 1) == [], "as English, it is another word"


def test_rows_added_a_few_at_a_time_and_removed_again_count_like_the_rest_added_at_once() -> None:
    random = np.random.default_rng(0)
    texts = [" ".join(f"word{n}" for n in random.zipf(1.4, size=random.integers(0, 40)) % 300) for _ in range(400)]
    living = "".join(random.choice(["0", "1"], size=400))
    grown = Keywords()
    for start in range(0, 400, 7):
        grown.add(texts[start : start + 7])
    kept = [row for row in range(400) if living[row] == "1"]
    fresh = index(*(texts[row] for row in kept))
    for number in range(40):
        question = f"word{number} word{number + 50} word{number // 2}"
        found = best(grown, question, 15, living=living)
        assert found == [kept[row] for row in best(fresh, question, 15)], question


def test_the_order_is_that_of_bm25s() -> None:
    import logging

    import bm25s

    random = np.random.default_rng(1)
    texts = [" ".join(f"word{n}" for n in random.zipf(1.3, size=random.integers(1, 60)) % 400) for _ in range(600)]
    keywords, reference = index(*texts), bm25s.BM25(k1=1.5, b=0.75, method="lucene")
    logging.getLogger("bm25s").setLevel(logging.WARNING)  # it asks for DEBUG itself
    reference.index(words(texts), show_progress=False)
    for number in range(30):
        question = f"word{number} word{number * 3} word{number + 90} word{number}"
        scores = reference.get_scores(words([question])[0])
        found = best(keywords, question, 20)
        assert scores[found].tolist() == pytest.approx(sorted(scores, reverse=True)[: len(found)], rel=1e-4), question
        assert len(found) == min(20, (scores > 0).sum())
