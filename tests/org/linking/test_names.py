"""One canonical form for the spellings of a name, and the other names it goes by."""

from __future__ import annotations

import pytest

from org.linking import names


@pytest.mark.parametrize(
    ("first", "second"),
    [
        ("Ethics & Conduct Committee", "the ethics and conduct committee"),
        ("Members' Council", "members council"),
        ("Ombudsperson's Office", "Ombudspersons Office"),
        ("Office of the Chair", "office for chair"),
        ("wg-data-policy", "Working Group on Data Policy"),
        ("Sub-Committee", "subcommittees"),
        ("Centre for Programmes", "center for programs"),
        ("École de l'eau", "ecole de eau"),
        ("Toplum Sağlığı", "TOPLUM SAGLIGI"),
        ("Straße", "strasse"),
        ("المكتب الإقليمي", "مكتب اقليمى"),
        ("U.N. Office", "UN office"),
        ("e\u0301cole", "\u00e9cole"),
        ("HR dept.", "HR Department"),
        ("Direction de la recherche", "direction recherche"),
        ("Amt für Umwelt", "amt umwelt"),
        ("Public Enquiries", "public inquiries"),
        ("Northern Region", "the north region"),
        ("1st Battalion", "first battalion"),
        ("Commission d'audit", "commission d audit"),
        ("Kültür Evi", "kultur evi'nin"),
    ],
)
def test_spellings_of_one_name_have_one_key(first: str, second: str) -> None:
    assert names.key(first) == names.key(second)


@pytest.mark.parametrize(
    ("first", "second"), [("Health Office", "Heath Office"), ("Unit 7", "Unit 8"), ("US", "U"), ("The And", "The Of")]
)
def test_different_names_keep_different_keys(first: str, second: str) -> None:
    assert names.key(first) != names.key(second)


@pytest.mark.parametrize(
    ("name", "key"),
    [
        ("A Division", "a division"),
        ("Watch A", "watch a"),
        ("Centre for a Better City", "center better city"),
        ("a team", "team"),
    ],
)
def test_the_letter_of_a_name_is_no_article(name: str, key: str) -> None:
    assert names.key(name) == key


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("who is in Watch A?", "who is watch a"),
        ("is A Division a team", "is a division team"),
        ("in watch a report is due", "watch report is due"),
    ],
)
def test_in_a_chart_with_lettered_names_an_a_is_kept_where_it_is_a_capital(text: str, expected: str) -> None:
    kept = names.dropped(["watch a", "finance"])
    assert " ".join(word.text for word in names.words(text, kept)) == expected
    assert "a" not in [word.text for word in names.words(text, names.dropped(["finance"]))]


def test_words_know_their_place_in_the_text() -> None:
    text = "Où est l'École’s Straße, 東ア?"
    found = [(word.text, text[word.start : word.end]) for word in names.words(text)]
    assert found == [
        ("ou", "Où"),
        ("est", "est"),
        ("ecole", "l'École’s"),
        ("strasse", "Straße"),
        ("東", "東"),
        ("ア", "ア"),
    ]


@pytest.mark.parametrize(
    ("name", "others"),
    [
        ("Service Desk (1st Line)", {"Service Desk"}),
        ("International Labour Office (ILO)", {"International Labour Office", "ILO"}),
        ("Data Protection Office", {"DPO"}),
        ("Department of Mental Health & Ageing", {"DMHA"}),
        ("Halden Polska Sp. z o.o.", {"Halden Polska"}),
        ("wg-data", {"wgdata"}),
    ],
)
def test_other_names(name: str, others: set[str]) -> None:
    assert others <= set(names.other_names(name))


def test_umlauts_are_spelled_out_as_people_type_them() -> None:
    assert names.spelled_out("Küstenamt") == "kuestenamt"
