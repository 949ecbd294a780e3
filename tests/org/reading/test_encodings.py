"""Which encoding a text file is in: by its mark, by its zeros, as UTF-8, and last by which letters make words."""

from __future__ import annotations

import pytest

from org.reading.charts import check
from org.reading.encodings import ALIKE, ENCODINGS, Text, called, decode, likeness, misread
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


CHARTS = {
    "chinese": ("gb18030", "集团总部", "研发中心", "人力资源部", "财务部"),
    "chinese headers": ("gb18030", "名称,上级部门", "校长办公室", "教务处", "计算机学院"),
    "chinese, all like korean": ("gb18030", "科技部", "技术科", "基建科"),
    "taiwanese": ("big5hkscs", "總經理室", "人力資源部", "法務處", "資訊科"),
    "taiwanese headers": ("big5hkscs", "名稱,上級單位", "行政院", "內政部", "衛生福利處"),
    "hong kong": ("big5hkscs", "總部", "房屋署辦事處", "屋邨管理組"),
    "japanese": ("cp932", "社長室", "総務グループ", "デジタル推進室", "IT部"),
    "japanese headers": ("cp932", "組織名,親組織", "本社", "東日本営業部", "システム開発課"),
    "japanese, kanji alone": ("cp932", "本社", "人事部", "経理部", "法務部"),
    "japanese, unix": ("euc_jp", "本社", "まちづくり推進部", "子ども未来課"),
    "korean": ("cp949", "본사", "경영지원본부", "연구개발센터", "IT팀"),
    "korean headers": ("cp949", "부서명,상위부서", "총장실", "학생지원과", "도서관"),
    "thai": ("cp874", "สำนักงานใหญ่", "ฝ่ายบุคคล", "กองบริหารการสาธารณสุข", "ทีม IT"),
    "french, mac": ("mac_roman", "Direction générale", "Service des études", "Hôpital de jour"),
    "german, mac": ("mac_roman", "Geschäftsführung", "Büro für Prüfung", "Straßenbau"),
    "spanish, mac": ("mac_roman", "Rectoría", "Dirección de Planificación", "Niñez y Diseño"),
    "portuguese, dos": ("cp850", "Reitoria", "Coordenação de Extensão", "Câmara de Relações Públicas"),
    "swedish, dos": ("cp850", "Sjöfartsverket", "Miljö och Återbruk", "Räddningstjänsten"),
    "french, dos": ("cp850", "Direction générale", "École d'été", "Bureau de la sécurité"),
    "russian, koi8": ("koi8_r", "Генеральная дирекция", "Отдел кадров", "Юридический отдел"),
    "russian, dos": ("cp866", "Генеральная дирекция", "Отдел кадров", "Юридический отдел"),
    "russian, windows": ("cp1251", "Генеральная дирекция", "Отдел кадров", "Юридический отдел"),
    "russian capitals": ("cp1251", "ДИРЕКЦИЯ", "ОТДЕЛ КАДРОВ", "СЛУЖБА БЕЗОПАСНОСТИ"),
    "arabic, iso": ("iso8859_6", "الوزارة", "إدارة الموارد البشرية", "قسم المحاسبة"),
    "arabic, windows": ("cp1256", "الوزارة", "إدارة الموارد البشرية", "قسم المحاسبة"),
    "polish, iso": ("iso8859_2", "Dyrekcja Główna", "Dział Księgowości", "Zespół Jakości"),
    "czech, dos": ("cp852", "Ředitelství", "Oddělení řízení", "Životní prostředí"),
    "lithuanian": ("cp1257", "Įmonė", "Žmogiškųjų išteklių skyrius", "Teisės skyrius"),
    "icelandic": ("cp1252", "Fjármálasvið", "Lögfræðideild", "Þjónustusvið"),
    "hungarian": ("cp1250", "Főigazgatóság", "Pénzügyi Főosztály", "Műszaki Osztály"),
    "romanian": ("cp1250", "Direcţia Generală", "Serviciul Juridic şi Contencios", "Secţia Producţie"),
    "polish": ("cp1250", "Dyrekcja Główna", "Biuro Współpracy z Zagranicą", "Urząd Łódź"),
    "turkish": ("cp1254", "Genel Müdürlük", "İnsan Kaynakları Müdürlüğü", "Bilgi İşlem"),
    "german": ("cp1252", "Büro für Öffentlichkeitsarbeit", "Grundsatzangelegenheiten und Prüfung"),
    "french": ("cp1252", "Direction générale de l’éducation", "Service des élèves à l'étranger"),
    "spanish, portuguese": ("cp1252", "Dirección de Planificación", "Divisão de Inovação e Gestão"),
    "norwegian, swedish": ("cp1252", "Miljøavdelingen på Østlandet", "Sjöfartsverket för ägare"),
    "czech": ("cp1250", "Oddělení řízení lidských zdrojů", "Útvar vnitřních věcí"),
    "greek": ("cp1253", "Διεύθυνση Προσωπικού", "Τμήμα Εκπαίδευσης"),
    "hebrew": ("cp1255", "אגף משאבי אנוש", "מחלקת חינוך"),
    "russian, signs": ("cp1251", "Управление по работе с «регионами» – СЕВЕР", "ОТДЕЛ «В»"),
    "english": ("cp1252", "Trust", "Children’s Services – East", "Café"),
}


def chart(names: tuple[str, ...]) -> str:
    header, *units = names if "," in names[0] else ("name,parent", *names)
    return "\n".join([header, f"{units[0]},", *(f"{name},{units[0]}" for name in units[1:])]) + "\n"


@pytest.mark.parametrize(("codec", "names"), [(one[0], one[1:]) for one in CHARTS.values()], ids=CHARTS)
def test_a_chart_of_a_few_units_is_read_in_its_encoding_and_says_which(codec: str, names: tuple[str, ...]) -> None:
    text = chart(names)
    header = text.splitlines()[0].split(",")
    report = check(text.encode(codec), "chart.csv", columns=dict(zip(("name", "parent"), header, strict=True)))
    assert report.chart is not None, report.problems
    units = names[1:] if "," in names[0] else names
    assert tuple(unit.name for unit in report.chart.units.values()) == units
    assert report.encoding == codec
    assert any(ENCODINGS[codec].label in problem.message for problem in report.problems)


@pytest.mark.parametrize("codec", ["iso8859_5", "johab", "mac_turkish"])
def test_what_is_in_an_encoding_that_is_not_known_is_no_chart(codec: str) -> None:
    names = {
        "iso8859_5": ("Генеральная дирекция", "Отдел кадров", "Юридический отдел"),
        "johab": ("본사", "경영지원본부", "연구개발센터"),
        "mac_turkish": ("Genel Müdürlük", "İnsan Kaynakları Müdürlüğü", "Bilgi İşlem Dairesi Başkanlığı"),
    }[codec]
    report = check(chart(names).encode(codec), "chart.csv")
    assert report.chart is None
    (error,) = [problem for problem in report.problems if problem.severity == "error"]
    assert "cannot be told" in error.message
    assert "--encoding" in error.hint
    assert report.header == ("name", "parent"), "the columns are shown all the same"


def test_the_letters_of_another_language_speak_against_an_encoding() -> None:
    assert likeness("Отдел кадров", "cp1251") >= ALIKE
    assert likeness("Отдел кадров".encode("koi8_r").decode("cp1251"), "cp1251") < ALIKE
    assert likeness("École".encode().decode("cp1252"), "cp1252") < ALIKE
    assert likeness("name,parent", "cp1252") == 0


@pytest.mark.parametrize(
    ("name", "codec"),
    [
        ("cp932", "cp932"),
        ("Shift_JIS", "cp932"),
        ("gbk", "gb18030"),
        ("windows-1251", "cp1251"),
        ("EUC-KR", "cp949"),
        ("big5", "big5hkscs"),
        ("mac roman", "mac_roman"),
        ("iso-8859-6", "iso8859_6"),
        ("Thai", "cp874"),
        ("japanese", ""),
        ("utf-8", ""),
        ("", ""),
    ],
)
def test_an_encoding_is_known_by_what_people_call_it(name: str, codec: str) -> None:
    assert called(name) == codec
