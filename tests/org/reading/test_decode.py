"""Which encoding a text file is in: by its mark, by its zeros, as UTF-8, and last by which letters make words."""

from __future__ import annotations

import pytest

from org.reading.encodings import Text, decode, misread
from org.reading.problems import Problem


def decoded(content: bytes, encoding: str = "") -> Text:
    text = decode(content, encoding)
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
    assert decoded(mark + text.encode(encoding)) == Text(text, encoding)


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
    assert (found.encoding, found.mixed, found.is_alike, found.is_sure) == (page, False, True, False)
    assert found.text == f"name,parent\n{text}"


def test_only_the_lines_that_are_no_utf_8_are_read_in_the_page() -> None:
    found = decoded("name\nÉcole\n".encode() + "Bürö für Prüfung\nStraße\n".encode("cp1252") + "Ünit\n".encode())
    assert found.text == "name\nÉcole\nBürö für Prüfung\nStraße\nÜnit\n"
    assert (found.encoding, found.mixed, found.others) == ("cp1252", True, {3, 4})


def test_a_line_that_passes_for_utf_8_by_accident_is_read_as_the_others() -> None:
    assert "医院,学院".encode("gb18030").decode("utf-8") == "ҽԺ,ѧԺ"
    text = "name,parent\n医院,\n学院,医院\n财务部,医院\n护理部,医院\n"
    found = decoded(text.encode("gb18030"))
    assert (found.text, found.mixed) == (text, False)


def test_lines_in_utf_8_stay_so_beside_lines_in_another_encoding() -> None:
    found = decoded("名称\n总经理办公室\n".encode("gb18030") + "人力资源部\n法务部\nÉcole\n".encode())
    assert found.text == "名称\n总经理办公室\n人力资源部\n法务部\nÉcole\n"
    assert (found.mixed, found.others) == (True, {1, 2})


def test_a_letter_of_two_bytes_may_end_in_a_delimiter() -> None:
    text = "name|parent\nソフト開発|ポンプ表示\n"
    assert b"|" in "ポ".encode("cp932"), "the second byte of it"
    assert decoded(text.encode("cp932")).text == text


def test_a_chosen_encoding_is_taken_and_nothing_is_said_of_it() -> None:
    content = "name,parent\nДИРЕКЦИЯ,\n".encode("koi8_r")
    found = decoded(content, "koi8_r")
    assert found == Text("name,parent\nДИРЕКЦИЯ,\n", "koi8_r", frozenset({2}))
    assert misread(found, 2, (2,)) is None
    assert decoded("École\n".encode(), "cp1252").text == "Ã‰cole\n", "also where the bytes could be UTF-8"
    unknown = decode(content, "rot13")
    assert isinstance(unknown, Problem)
    assert unknown.message == "There is no encoding 'rot13'."


@pytest.mark.parametrize("encoding", ["", "gb18030"], ids=["told", "chosen"])
def test_bytes_that_the_encoding_does_not_have_are_an_error_of_their_line(encoding: str) -> None:
    names = ["名称", "总经理办公室", "财务部", "人力资源部", "研发中心", "市场营销部", "质量管理科"]
    lines = [name.encode("gb18030") for name in names]
    lines[2] = lines[2][:-1]
    content = b"\n".join(lines)
    found = decoded(content, encoding)
    assert (found.encoding, found.damaged) == ("gb18030", {3})
    problem = misread(found, 3, (3,), again=True)
    assert problem is not None
    assert (problem.row, problem.severity) == (3, "error")
    assert "GB18030" in problem.message


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
