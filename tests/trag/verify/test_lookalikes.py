"""What looks like a Latin word is read as one, and what is none is left alone."""

import pytest

from org.chart import load
from org.entities import EntityFinder
from trag.verify import examine
from trag.verify.lookalikes import as_seen

SEEN = "The Ethics Office is under the Finance Division."


@pytest.mark.parametrize(
    "text",
    [
        "The Ethi\u0441s \u041effice is under the Fin\u0430nce Divi\u0455ion.",  # Cyrillic
        "The Εthics Οffice is υnder the Finαnce Divisioո.",  # Greek, and an Armenian letter
        "The Ｅｔｈｉｃｓ Office is ｕｎｄｅｒ the Finance Division.",
        "The 𝐄thics 𝒪ffice is 𝓾nder the 𝔽inance Division.",
        "The Eth\u200dics Of\u200cfice is un\u200bder the Fi\u00adnance Div\u034fision.",
        "The E\ufe0fthics Office is u\u2060nder the Finance\ufeff Division.",
    ],
)
def test_a_unit_in_letters_that_look_alike_is_that_unit(text: str) -> None:
    chart = load(
        b"name,parent\nClub,\nLegal Division,Club\nFinance Division,Club\nEthics Office,Legal Division\n", "chart.csv"
    )
    assert as_seen(text) == SEEN
    (found,) = examine("", text, (), chart, EntityFinder(chart)).checks.misplaced
    assert (found.unit, found.claimed, found.actual) == ("Ethics Office", "Finance Division", "Legal Division")


@pytest.mark.parametrize(
    "text",
    [
        SEEN,
        "The café of Kıbrıs has 5 m² and ½ of N\u00ba 2.",
        "Der Prüfungsausschuß untersteht der Universität.",
        "The Отдел and АО stand beside α and β, 5 μm.",
        "Отдел АО подчиняется Совету, said IT.",
        "Το γραφείο είναι κάτω από το IT.",
        "نمی‌خواهم IT",
        "倫理室は OK です",
    ],
)
def test_words_of_other_scripts_stay(text: str) -> None:
    assert as_seen(text) == text
