"""Names that look like units and are none, by the kinds of units that a chart has in its own language."""

import pytest

from org.chart import Chart, load
from org.entities import EntityFinder
from trag.verify import Evidence, examine

UNIVERSITY = load(
    b"""name,parent,type
Corvessa,,university
Faculty of Law,Corvessa,faculty
Faculty of Arts,Corvessa,faculty
Sports School,Corvessa,school
Director of Studies,Faculty of Law,director
Moot Chapter,Faculty of Law,student chapter
""",
    "chart.csv",
)
STADT = load(
    """name,parent,type
Stadt Auen,,Stadt
Dezernat für Umwelt,Stadt Auen,Dezernat
Abteilung Einkauf,Dezernat für Umwelt,Abteilung
Ämterkonferenz,Stadt Auen,Ämterkonferenz
""".encode(),
    "chart.csv",
)
VILLE = load(
    """name,parent,type
Ville de Corvesse,,ville
Direction de l'Eau,Ville de Corvesse,direction
Équipe des Parcs,Direction de l'Eau,équipe
""".encode(),
    "chart.csv",
)
HOSPITAL = load(
    b"""name,parent,type
St. Luke's,,hospital
Medical Directorate,St. Luke's,directorate
Surgery,Medical Directorate,department
Ward 5,Surgery,ward
Children's Ward,Surgery,ward
Section 4,Surgery,section
""",
    "chart.csv",
)
FINDERS = {id(chart): EntityFinder(chart) for chart in (UNIVERSITY, STADT, VILLE, HOSPITAL)}


def unknown(answer: str, chart: Chart, source: str = "") -> tuple[str, ...]:
    evidence = (Evidence("s1", source),) if source else ()
    return examine("Who decides?", answer, evidence, chart, FINDERS[id(chart)]).checks.unknown_units


@pytest.mark.parametrize(
    ("answer", "chart", "name"),
    [
        ("Ask the Faculty of Astrology.", UNIVERSITY, "Faculty of Astrology"),
        ("It is decided by the Astrology Faculty, as ever.", UNIVERSITY, "Astrology Faculty"),
        ("The Night Sky Student Chapter decides.", UNIVERSITY, "Night Sky Student Chapter"),
        ("Das Dezernat für Sternkunde entscheidet.", STADT, "Dezernat für Sternkunde"),
        ("Zuständig ist die Abteilung Sternkunde.", STADT, "Abteilung Sternkunde"),
        ("La Direction des Étoiles décide.", VILLE, "Direction des Étoiles"),
        ("C'est l'affaire de la Direction de l'Astrologie.", VILLE, "Direction de l'Astrologie"),
        ("Demandez à l'Équipe des Étoiles.", VILLE, "Équipe des Étoiles"),
        ("Ward 9 is under Surgery.", HOSPITAL, "Ward 9"),
        ("Each Radiology Department nurse is told.", HOSPITAL, "Radiology Department"),
    ],
)
def test_an_invented_unit_of_one_of_the_charts_own_kinds_is_seen(answer: str, chart: Chart, name: str) -> None:
    assert unknown(answer, chart) == (name,)
    assert unknown(answer, chart, source=f"Beside others there is the {name}.") == ()


@pytest.mark.parametrize(
    ("answer", "chart"),
    [
        ("The Faculty of Law decides, and the Sports School is told.", UNIVERSITY),
        ("Every faculty decides. Our School does too. Each Faculty has a Director of Studies.", UNIVERSITY),
        ("The Director of Astrology decides.", UNIVERSITY),  # a post
        ("Ask the University of Astrology.", UNIVERSITY),  # of the kind of the whole organization: another one
        ("School starts on Monday.", UNIVERSITY),
        ("Das Dezernat für Umwelt und die Abteilung Einkauf entscheiden.", STADT),
        ("Jede Abteilung entscheidet. Unsere Abteilung auch. Die Abteilung ist frei.", STADT),
        ("Surgery is a Medical Directorate department.", HOSPITAL),
        ("Each Surgery Department nurse is told.", HOSPITAL),
        ("Ward 5 and the Children's Ward are told, as Section 12 of the manual has it.", HOSPITAL),
        ("Toute Direction décide. La Direction de l'Eau, et son Équipe des Parcs.", VILLE),
    ],
)
def test_a_kind_alone_or_in_the_name_of_a_unit_is_no_invented_unit(answer: str, chart: Chart) -> None:
    assert unknown(answer, chart) == ()
