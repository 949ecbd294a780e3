"""In which language a text is written."""

from __future__ import annotations

import pytest

from store.language import language, stemmer


@pytest.mark.parametrize(
    ("text", "told"),
    [
        ("Wie viele Urlaubstage habe ich?", "de"),
        ("À qui est rattachée la Cellule juridique ?", "fr"),
        ("¿De quién depende la Asesoría Jurídica?", "es"),
        ("لمن تتبع الوحدة القانونية؟", "ar"),
        ("Does the Standesamt belong to the Bürgeramt?", "en"),
        ("who runs the Bauamt", "en"),
        ("Gdzie jest dział finansów?", "pl"),
        ("", ""),
        ("?! 42", ""),
        ("Wo ist \ud800\x00\x1b das\ufffe Bauamt?", "de"),
    ],
)
def test_the_language_of_a_question_whatever_the_names_in_it_are(text: str, told: str) -> None:
    assert language(text) == told


def test_a_few_words_are_in_the_language_that_is_expected_else_a_guess() -> None:
    assert language("Hallo", hint="de") == "de"
    assert language("which committees are there", hint="de") == "en", "what is plain needs no hint"
    assert language("Hallo", surely=True) == ""


def test_a_language_without_a_stemmer_gets_the_english_one() -> None:
    assert stemmer("de").stemWord("gebuhren") == "gebuhr"
    assert stemmer("ja").stemWord("fees") == stemmer("").stemWord("fees") == "fee"
