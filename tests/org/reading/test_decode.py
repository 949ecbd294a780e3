"""Which encoding a text file is in: by its mark, by its zeros, as UTF-8, and last by which letters make words."""

from __future__ import annotations

import pytest

from org.reading.decode import Text, decode, is_broken
from org.reading.problems import Problem


def decoded(content: bytes) -> Text:
    text = decode(content)
    assert isinstance(text, Text), text
    return text


@pytest.mark.parametrize("text", ["École,الصحة\n", "name,parent\nA,\n"], ids=["mixed scripts", "ascii"])
@pytest.mark.parametrize(
    ("encoding", "mark"),
    [
        ("utf-8", b""),
        ("utf-8", b"\xef\xbb\xbf"),
        ("utf-16-le", b"\xff\xfe"),
        ("utf-16-be", b"\xfe\xff"),
        ("utf-16-le", b""),
        ("utf-16-be", b""),
        ("utf-32-le", b"\xff\xfe\0\0"),
        ("utf-32-be", b"\0\0\xfe\xff"),
    ],
)
def test_unicode_is_told_by_its_mark_or_its_zeros(text: str, encoding: str, mark: bytes) -> None:
    assert decoded(mark + text.encode(encoding)) == Text(text)


@pytest.mark.parametrize(
    ("page", "text"),
    [
        ("cp1252", "Büro für Öffentlichkeitsarbeit,\nGrundsatzangelegenheiten und Prüfung,Büro\n"),
        ("cp1252", "Direction générale de l’éducation,\nService des élèves à l'étranger,\n"),
        ("cp1252", "Dirección de Planificación,\nDivisão de Inovação e Gestão,\n"),
        ("cp1252", "Miljøavdelingen på Østlandet,\nSjöfartsverket för ägare,\n"),
        ("cp1250", "Dział Księgowości i Płac,\nBiuro Współpracy z Zagranicą,\n"),
        ("cp1250", "Oddělení řízení lidských zdrojů,\nÚtvar vnitřních věcí,\n"),
        ("cp1250", "Pénzügyi Főosztály,\nJogi és Szervezési Főosztály,\n"),
        ("cp1251", "Отдел кадров,\nУправление по работе с «регионами» – СЕВЕР,Отдел кадров\n"),
        ("cp1251", "ОТДЕЛ «В»,\nОтдел «В»\n"),
        ("cp1253", "Διεύθυνση Προσωπικού,\nΤμήμα Εκπαίδευσης,\n"),
        ("cp1254", "İnsan Kaynakları Müdürlüğü,\nBilgi İşlem Dairesi Başkanlığı,\n"),
        ("cp1255", "אגף משאבי אנוש,\nמחלקת חינוך,\n"),
        ("cp1256", "إدارة الموارد البشرية,\nالمكتب الإقليمي,\n"),
    ],
    ids=lambda value: value.split(",")[0],
)
def test_a_windows_code_page_is_told_by_its_words(page: str, text: str) -> None:
    found = decoded(f"name,parent\n{text}".encode(page))
    assert (found.page, found.mixed) == (page, False)
    assert found.mend(found.text) == f"name,parent\n{text}"


def test_only_the_lines_that_are_no_utf_8_are_read_in_the_page() -> None:
    found = decoded("name\nÉcole\n".encode() + "Bürö für Prüfung\nStraße\n".encode("cp1252") + "Ünit\n".encode())
    assert (found.page, found.mixed) == ("cp1252", True)
    assert [is_broken(line) for line in found.text.splitlines()] == [False, False, True, True, False]
    assert found.mend(found.text) == "name\nÉcole\nBürö für Prüfung\nStraße\nÜnit\n"


@pytest.mark.parametrize(
    ("content", "message"),
    [
        (b"\xff\xfen\x00a", "UTF-16 but is damaged"),
        (b"\0\0\xfe\xff\1\2\3", "UTF-32 but is damaged"),
        (b"\x00\x01\x02\x00\xff" * 50, "not text"),
    ],
)
def test_what_is_no_text_is_said(content: bytes, message: str) -> None:
    found = decode(content)
    assert isinstance(found, Problem)
    assert message in found.message
    assert found.hint
