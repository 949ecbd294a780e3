"""Which encoding a chart is in, told by its letters: charts of a few units, as offices write them."""

from __future__ import annotations

import pytest

from org.reading.charts import check
from org.reading.encodings import ALIKE, ENCODINGS, called, likeness

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
