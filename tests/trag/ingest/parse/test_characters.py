import pytest

from trag.ingest.parse.characters import clean, count_deceptive, counted, decode, listed


@pytest.mark.parametrize(
    ("content", "text", "noted"),
    [
        pytest.param("Größe 5 m²".encode(), "Größe 5 m²", False, id="utf-8"),
        pytest.param("Größe".encode("utf-8-sig"), "Größe", False, id="utf-8 with its mark"),
        pytest.param("Größe".encode("utf-16"), "Größe", False, id="utf-16 with its mark"),
        pytest.param("The size".encode("utf-16-be"), "The size", True, id="utf-16 without"),
        pytest.param("“Größe” – 5 €".encode("cp1252"), "“Größe” – 5 €", True, id="windows-1252"),
        pytest.param(
            b"\x81 undefined in windows-1252 \xff", "� undefined in windows-1252 ÿ", True, id="no encoding at all"
        ),
    ],
)
def test_any_usual_encoding_is_read_and_a_guess_is_noted(content: bytes, text: str, noted: bool) -> None:
    assert decode(content) == (text, decode(content)[1])
    assert bool(decode(content)[1]) == noted


@pytest.mark.parametrize(
    ("codec", "text", "name"),
    [
        ("cp1251", "Сотрудник имеет право на 28 дней отпуска.", "Windows-1251"),
        ("koi8_r", "Сотрудник имеет право на 28 дней отпуска.", "KOI8-R"),
        ("cp932", "勤務時間は午前九時から午後六時までとする。", "Shift-JIS"),
        ("euc_jp", "勤務時間は午前九時から午後六時までとする。", "EUC-JP"),
        ("gb18030", "员工每年享有十五天带薪年假。", "GB18030, GBK"),
        ("big5hkscs", "員工每年享有十五天特別休假。", "Big5"),
        ("cp949", "직원은 매년 15일의 연차 휴가를 받는다.", "EUC-KR"),
        ("cp1253", "Κάθε υπάλληλος δικαιούται είκοσι ημέρες άδειας.", "Windows-1253"),
        ("cp1256", "يحق لكل موظف ثلاثون يوما من الإجازة السنوية.", "Windows-1256"),
        ("cp1250", "Pracownikowi przysługuje 26 dni urlopu; wniosek składa się wcześniej.", "Windows-1250"),
        ("cp1254", "Her çalışan yılda yirmi gün izin hakkına sahiptir. Başvuru müdüre yapılır.", "Windows-1254"),
        ("mac_roman", "Die Beschäftigten haben Anspruch auf dreißig Tage; Anträge sind früh zu stellen.", "Mac Roman"),
    ],
)
def test_text_is_read_in_the_encoding_in_which_its_letters_make_words(codec: str, text: str, name: str) -> None:
    assert decode(text.encode(codec)) == (text, (f"not UTF-8: read as {name}",))


def test_lines_in_two_encodings_are_both_read_and_a_mail_in_japanese_is() -> None:
    mixed = "Größe\nBüro für Prüfung\n"
    assert decode(mixed[:6].encode() + mixed[6:].encode("cp1252")) == (mixed, ("not all UTF-8: read as Windows-1252",))
    assert decode("休暇は十日".encode("iso2022_jp")) == ("休暇は十日", ())


def test_an_encoding_that_the_file_names_is_used() -> None:
    assert decode("Устав".encode("cp1251"), "windows-1251") == ("Устав", ())
    assert decode("Größe".encode("cp1252"), "no-such-encoding")[0] == "Größe"


@pytest.mark.parametrize(
    ("text", "cleaned"),
    [
        ("one\u00a0 two\t three ", "one two three"),
        ("so\u00adft\u200b hy\x00phen\x07", "soft hyphen"),
        ("of\ufb01ce e\u0301tat", "office état"),
        ("a\r\nb\rc\u2028d\x0be", "a\nb\nc\nd\ne"),
        ("invoice \u202egpj.exe", "invoice gpj.exe"),
        ("plain\U000e0041\U000e0042 text", "plain text"),
        ("lone \ud800 surrogate", "lone surrogate"),
        ("نمی‌خواهم", "نمی‌خواهم"),
        ("un\u200dder \u115fthe\u034f Bo\ufe0fard\u2064", "under the Board"),
        ("sun ☀\ufe0f, 1\ufe0f\u20e3, ☀\ufe01\U000e0141\U000e0142!", "sun ☀\ufe0f, 1\ufe0f\u20e3, ☀!"),
    ],
    ids=[
        "spaces",
        "invisible",
        "ligature and accent",
        "line ends",
        "bidi override",
        "tag alphabet",
        "surrogate",
        "joiner stays",
        "joiners within Latin words",
        "rows of variation selectors",
    ],
)
def test_text_is_cleaned_to_what_shows(text: str, cleaned: str) -> None:
    assert clean(text) == cleaned


def test_what_hides_or_reorders_is_counted() -> None:
    assert count_deceptive("a\u202eb\U000e0041c\u00ad") == 2
    assert count_deceptive("a\ufe01\U000e0141\U000e0142b☀\ufe0f") == 3


def test_numbers_are_counted_and_listed_as_people_do() -> None:
    assert [counted(count, "page") for count in (0, 1, 2_000)] == ["0 pages", "1 page", "2,000 pages"]
    assert [listed("page", numbers) for numbers in ([3], [3, 7], [1, 2, 3, 9])] == [
        "page 3",
        "pages 3, 7",
        "pages 1-3, 9",
    ]
