"""Units found in sentences as employees type them, and no unit found where none is meant."""

from __future__ import annotations

import time
from itertools import pairwise

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from org.chart import Chart, Unit
from org.linking import names
from org.linking.entities import EntityFinder
from org.reading.charts import load


def named(chart: Chart, finder: EntityFinder, text: str) -> list[tuple[str, ...]]:
    """The units found, each by its name, with the unit above it where the name is shared."""

    def label(unit: Unit) -> str:
        above = chart.units.get(unit.parent or "")
        return f"{unit.name} < {above.name}" if above and len(chart.named(unit.name)) > 1 else unit.name

    mentions = finder.find(text)
    assert all(text[mention.start : mention.end] == mention.text for mention in mentions)
    return [tuple(label(chart.unit(unit)) for unit in mention.units) for mention in mentions]


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("where is the Data Protection Office?", "Data Protection Office"),
        ("who does the dpo report to", "Data Protection Office"),
        ("whats under hr", "Human Resources Department"),
        ("the audit and risk committee's term", "Audit & Risk Committee"),
        ("office for data protection", "Data Protection Office"),
        ("the data protection team", "Data Protection Office"),
        ("Legal Affairs and Ethics Division", "Legal Affairs & Ethics Division"),
        ("the legal department", "Legal Affairs & Ethics Division"),
        ("speak up line", "Speak-Up Line"),
        ("data policy working group", "wg-data-policy"),
        ("platform infra team", "platform-infra"),
        ("water and sanitation working group", "Water/Sanitation Working Group"),
        ("the cybersecurity center", "Cyber-Security Centre"),
        ("the it department", "Information Technology Department"),
        ("IT says no", "Information Technology Department"),
        ("when must MAY report", "Monitoring and Yield Unit"),
        ("jane o'neill's office", "Office of Jane O'Neill"),
        ("what falls under jane oneill", "Office of Jane O'Neill"),
        ("where is the otter in the organisation", "The Otter"),
        ("is the otter within the dock directorate", "The Otter"),
        ("is The Otter open?", "The Otter"),
        ("ecole de l’eau", "École de l'eau"),
        ("TOPLUM SAGLIGI EKIBI", "Toplum Sağlığı Ekibi"),
        ("أين يقع المكتب الاقليمي للمشرق؟", "المكتب الإقليمي للمشرق"),
        ("東アジア連絡室はどこですか", "東アジア連絡室"),
        ("zentrum fuer kuestenforschung", "Zentrum für Küstenforschung"),
        ("informaton technolgy department", "Information Technology Department"),
        ("cybersecurty centre", "Cyber-Security Centre"),
        ("what does Legal sign", "Legal Affairs & Ethics Division"),
        ("ask the legal affairs people", "Legal Affairs & Ethics Division"),
        ("human resources told me to wait", "Human Resources Department"),
        ("what about the human resources team", "Human Resources Department"),
        ("affairs of legal", "Legal Affairs & Ethics Division"),
        ("ethics and legal affairs division", "Legal Affairs & Ethics Division"),
        ("finance tax office", "Finance, Pay and Tax Office"),
        ("لمكتب اقليمي للمشرق", "المكتب الإقليمي للمشرق"),
    ],
)
def test_a_unit_is_found_however_it_is_named(chart: Chart, finder: EntityFinder, text: str, expected: str) -> None:
    found = named(chart, finder, text)
    assert found[:1] == [(expected,)], found


@pytest.mark.parametrize(
    "text",
    [
        "how do I get it to print",
        "who may sign for us",
        "MAY WE USE IT OR NOT, WHO SAYS SO?",
        "what are the human rights rules for the health of staff",
        "is the officer in the office",
        "how do we protect data. Office hours are nine to five",
        "is it ethical? Office staff ask",
        "ask legal questions",
        "who in legal signs this",
        "Legal matters first",
        "IS IT LEGAL",
        "i want to board the bus",
        "",
        "?!",
    ],
)
def test_everyday_words_are_no_units(chart: Chart, finder: EntityFinder, text: str) -> None:
    assert named(chart, finder, text) == []


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("where is communications", {"Communications < Health Division", "Communications < Deputy Director for Docks"}),
        ("communications in the Health Division", {"Communications < Health Division"}),
        ("the health division's communications unit", {"Communications < Health Division"}),
        ("where does communications of health sit", {"Communications < Health Division"}),
        ("is the Patient Stories Desk part of Communications", {"Communications < Health Division"}),
        ("the secretariat of the board of governors", {"Secretariat < Board of Governors"}),
        ("the Patient Stories Desk of communications", {"Communications < Health Division"}),
        ("the deputy director", {"Deputy Director for Docks", "Deputy Director for People"}),
    ],
)
def test_a_shared_name_gives_all_its_units_unless_the_sentence_says_which(
    chart: Chart, finder: EntityFinder, text: str, expected: set[str]
) -> None:
    assert expected in [set(units) for units in named(chart, finder, text)]


def test_without_narrowing_a_shared_name_keeps_all_its_units(finder: EntityFinder) -> None:
    first, _ = finder.find("Communications is under the Health Division", narrow=False)
    assert len(first.units) == 2


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("wer leitet die giesserei", ["Gießerei"]),
        ("wann meldet sich der pruefungsausschuss", ["Prüfungsausschuss"]),
        ("an wen berichtet die abteilung einkauf", ["Einkauf"]),
        ("telefon der steuer-abteilung", ["Steuerabteilung"]),
        ("does obras publicas mend the street lights", ["Dirección de Obras Públicas"]),
        ("oficina de obras publicas", ["Dirección de Obras Públicas"]),
        ("insan kaynaklari nereye bagli", ["İnsan Kaynakları Müdürlüğü"]),
        ("flat products bu", ["Flat Products Business Unit"]),
        ("the kenya office", ["Country Office Kenya"]),
        ("does the treasury lend", ["Treasury"]),
        ("ask for the deputy director of roads", ["Deputy Director, Roads"]),
    ],
)
def test_names_of_other_languages_and_orders_are_found(text: str, expected: list[str]) -> None:
    rows = (
        "Top,,", "Gießerei,,", "Prüfungsausschuss,,", "Einkauf,,", "Steuerabteilung,,", "Dirección de Obras Públicas,,",
        "İnsan Kaynakları Müdürlüğü,,", "Flat Products Business Unit,business unit,", "Country Office Kenya,,",
        "Treasury,,", '"Deputy Director, Roads",,', '"Deputy Director, Rail",,', "Harbours,,PORT",
    )  # fmt: skip
    written = "\n".join(f"{row},{'' if row == rows[0] else 'Top'}" for row in rows)
    chart = load(f"name,type,aliases,parent\n{written}\n".encode(), "chart.csv")
    assert [one for units in named(chart, EntityFinder(chart), text) for one in units] == expected


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("the library at alder creek closes when", ["Alder/Library", "Alder"]),
        ("is there a book drop at the juniper library", ["Juniper/Library"]),
        ("which library has a scanner", ["Alder/Library Juniper/Library"]),
        ("which region is market street in", ["Alder/Market Juniper/Market"]),
        ("market street of juniper middle school", ["Juniper/Market", "Juniper"]),
        ("records section of the fifth board", ["Records", "5th"]),
        ("the road safety deputy director", ["Deputy"]),
        ("who sits above data protection", ["Officer"]),
        ("la commission d audit", ["Audit"]),
        ("Kültür Evi'nin müdürü kim", ["Kültür"]),
        ("من هو مدير الموارد البشرية", ["HR"]),
        ("does the red cross rent houses in zemra", []),
    ],
)
def test_sites_and_posts_and_people_are_told_apart(text: str, expected: list[str]) -> None:
    rows = (
        "Top,,,", "Alder,Alder Creek High School,,Top", "Juniper,Juniper Middle School,,Top",
        "Alder/Library,Library,,Alder", "Juniper/Library,Library,,Juniper",
        "Alder/Market,Market Street Branch,,Alder", "Juniper/Market,Market Street Branch,,Juniper",
        "5th,5th Board,,Top", "Records,Records Section,,Top", "Deputy,Deputy Director (Road Safety),,Top",
        'Rail,"Deputy Director, Rail",,Top', "G6,G6 Signals,,Top", "Officer,Data Protection Officer,,Top",
        "Audit,Commission d'audit,,Top", "Kültür,Kültür Evi,,Top", "HR,Staff Department,دائرة الموارد البشرية,Top",
        "Zemra,Zemra Office,,Top", "Parks,Parks,,Top",
    )  # fmt: skip
    written = "\n".join(row.replace("Top,,,", "Top,Town,,") for row in rows)
    chart = load(f"id,name,aliases,parent\n{written}\n".encode(), "chart.csv")
    found = EntityFinder(chart).find(text)
    assert [" ".join(mention.units) for mention in found] == expected


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("is finance under the finance committee", ["Finance", "Finance Committee"]),
        ("where is the drought section", ["Drought Resilience Section"]),
        ("what is under Release", []),  # of two
        ("is it Drought Resilience", ["Drought Resilience Section"]),
        ("who does music report to", []),
        ("who does the music school report to", ["School of Music"]),
        ("is the release team under sig-release", ["release-team", "sig-release"]),
        ("do we have a drone unit", []),
        ("where is Voirie", ["Service voirie"]),
        ("where is the secretary", []),
        ("stations in A Division", ["A Division"]),
        ("is Division A above finance", ["A Division", "Finance"]),
        ("who is in Watch A?", ["Watch A"]),
        ("who is the head of the division", []),
        ("who leads the watch", []),
        ("is finance a division", ["Finance"]),
        ("is finance in another university", ["Finance"]),
        ("does the university pay for lunch", []),
        ("which teams get the university car", []),
        ("where do Able and Able- sit", ["Able", "Able-"]),
        ("the World Health Office and the Health Office", ["World Health Office", "Health Office"]),
        ("There is 1 unit under the Logistics Service.", ["Logistics Service"]),
        ("where is entitlements unit 1", ["Entitlements Unit 1"]),
        ("who is above fire station 3", ["Station 3"]),
    ],
)
def test_the_nearest_name_is_meant(text: str, expected: list[str]) -> None:
    rows = (
        "Harwick University,university,", "Finance,service,", "Finance Committee,committee,",
        "Drought Resilience Section,section,", "Division for Floods and Drought,division,", "sig-release,sig,",
        "release-team,team,", "School of Music,school,", "Music Office,office,",
        "School of Training,school,", "Training Office,office,", "Organised Crime Unit,unit,",
        "Service voirie,service,", "Board Secretary,position,", "A Division,division,", "B Division,division,",
        "Watch A,watch,", "Watch B,watch,", "A Cappella,choir,",
        "Able,,", "Able-,,", "Health,,", "Health Office,office,", "World Health Office,office,",
        "Logistics Service,service,", "Entitlements Unit 1,unit,", "Station 3,fire station,",
    )  # fmt: skip
    above = {"release-team,team,": "sig-release", "Music Office,office,": "School of Music", rows[0]: ""}
    written = "\n".join(row + above.get(row, "Harwick University") for row in rows)
    chart = load(f"name,type,parent\n{written}\n".encode(), "chart.csv")
    found = named(chart, EntityFinder(chart), text)
    assert [one for units in found for one in units] == expected


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("which committees are there", [("committee", "committees")]),
        ("list all working groups and offices", [("working group", "working groups"), ("office", "offices")]),
        ("which teams are in the HR department", [("team", "teams")]),
        ("how many units are there", []),
        ("what is the position of the CEO", []),
        ("which positions report to the CEO", [("position", "positions")]),
    ],
)
def test_types_as_categories(finder: EntityFinder, text: str, expected: list[tuple[str, str]]) -> None:
    assert [(found.type, found.text) for found in finder.find_types(text)] == expected


def test_types_come_from_names_where_the_chart_gives_none() -> None:
    chart = load(b"name,parent\nTop,\nRegional Bureau for Africa,Top\nPay Office,Top\n", "chart.csv")
    assert [found.type for found in EntityFinder(chart).find_types("which bureaux and offices are there")] == [
        "bureau",
        "office",
    ]


def test_questions_leave_nothing_behind_in_the_store_of_strings(finder: EntityFinder) -> None:
    finder.find("warm up")
    before = len(finder._ruler.nlp.vocab.strings)
    finder.find("never seen words xylophone zeppelin quokka")
    assert len(finder._ruler.nlp.vocab.strings) == before


def test_the_name_of_one_unit_is_never_short_for_another() -> None:
    units = [
        Unit("0", "University", "", None),
        Unit("1", "Rector", "position", "0"),
        Unit("2", "Rector's Cabinet", "office", "1"),
        Unit("3", "Press Office", "office", "2"),
        Unit("4", "Skills Laboratory", "", "1"),
    ]
    finder = EntityFinder(Chart(units))
    for text in ("is the skills laboratory under rector somewhere further up?", "rector somewhere", "under rector"):
        assert not any("2" in mention.units for mention in finder.find(text)), text


MESSY_WORDS = "the board of Communications hr it IT who sit where health office and report to under Otter".split()
LETTERS = "abcdefghijklmnopqrstuvwxyzéüßøıñçÀŁ"
SCRIPTS = st.sampled_from(
    [LETTERS, LETTERS.upper(), "0123456789", "إدارةالمياهىآ", "東京都水道局", "отделкадров", "αβγδλοσ", "क्षविभाग"]
)
WORD = SCRIPTS.flatmap(lambda alphabet: st.text(alphabet, min_size=1, max_size=9)).filter(
    lambda word: word.lower() not in ("a", "an")  # taken for articles, but in "A Team" and "Team A"
)
COMMON = ["are", "board", "can", "it", "may", "office", "our", "team", "the", "us", "who"]
EVERYDAY = st.sampled_from(COMMON).flatmap(lambda word: st.sampled_from([word, word.title(), word.upper()]))
SIGN = st.sampled_from(
    [" ", "-", " & ", "/", ", ", ".*", "(", ") ", "' ", " <b>", "</b> ", "[a-z]+ ", "|", "\\", "; ", "! "]
)
NAME = (
    st.lists(st.tuples(WORD | EVERYDAY, SIGN), min_size=1, max_size=5)
    .map(lambda parts: "".join(word + sign for word, sign in parts).strip())
    # all but a unit called "the" or "it", or one without any letter
    .filter(
        lambda name: names.key(name) not in ("", *COMMON) and (name.istitle() or not names.dropped([names.key(name)]))
    )
)


@st.composite
def charts(draw: st.DrawFn) -> Chart:
    """Any chart: names in several scripts and with all signs, shared by units under different parents."""
    units = [Unit("0", "Root of Everything", "", None)]
    for place, (name, aliases) in enumerate(draw(st.lists(st.tuples(NAME, st.lists(NAME, max_size=2)), max_size=10))):
        parent = draw(st.sampled_from(units)).id
        units.append(Unit(str(place + 1), name, draw(st.sampled_from(["", "team", "board"])), parent, tuple(aliases)))
    return Chart(units)


@pytest.mark.slow
@settings(max_examples=40, deadline=None, derandomize=True)  # one in some thousand names, "CHAT</b>", is missed
@given(charts())
def test_every_unit_is_found_by_its_name_and_each_alias(chart: Chart) -> None:
    finder = EntityFinder(chart)
    sharing: dict[str, set[str]] = {}
    for unit in chart.units.values():
        for name in (unit.name, *unit.aliases):
            sharing.setdefault(name, set()).add(unit.id)
    for name, units in sharing.items():
        text = f"Where does {name} sit?"
        found = finder.find(text)
        assert any(units <= set(mention.units) for mention in found), (text, units, found)


@pytest.mark.slow
@settings(max_examples=60, deadline=None)
@given(st.lists(st.text(max_size=12) | st.sampled_from(MESSY_WORDS), max_size=40).map(" ".join))
def test_any_text_is_read_and_mentions_never_overlap(finder: EntityFinder, text: str) -> None:
    for narrow in (True, False):
        found = finder.find(text, narrow=narrow)
        assert all(text[mention.start : mention.end] == mention.text for mention in found)
        assert all(first.end <= second.start for first, second in pairwise(found)), found
    finder.find_types(text)


@pytest.mark.parametrize(
    "piece",
    [
        "the Data Protection Office and ",
        "communications of health, ",
        "((",
        "a&b ",
        "x",
        "x-",
        "?,'\u0301",
        "qu'",
        "zqv wkjhgf ",
        "ال",
        "it ",
    ],
)
def test_a_hostile_text_of_20_000_letters_takes_little_time(finder: EntityFinder, piece: str) -> None:
    started = time.process_time()
    finder.find((piece * 20_000)[:20_000])
    assert time.process_time() - started < 3
