"""The sample organization keeps its promises: its size, its references, and gold answers that the sources bear out.

The chart is read here with the csv module, so that what the gold should say is worked out apart from the product.
"""

import csv
import difflib
import json
import re
from collections import Counter
from collections.abc import Iterator
from functools import cache
from pathlib import Path
from typing import Any

from org.reading.charts import load

LARKMOOR = Path(__file__).parents[2] / "examples" / "larkmoor"
TYPES = {"short_answer", "yes_no", "fact_check", "true_false", "summary", "list", "dialog", "fill_in_the_blank"}


def lines(name: str) -> list[dict[str, Any]]:
    return [json.loads(line) for line in (LARKMOOR / name).read_text(encoding="utf-8").splitlines()]


PAIRS, QUESTIONS = lines("pairs.jsonl"), lines("development.jsonl")


def normalised(question: str) -> str:
    return " ".join(re.findall(r"\w+", question.casefold()))


@cache
def sections() -> dict[tuple[str, str], str]:
    """(document, heading path below the part) -> Markdown of the section, in order."""
    found: dict[tuple[str, str], str] = {}
    for path in sorted((LARKMOOR / "documents").glob("*.md")):
        chapters = re.split(r"^## ", path.read_text(encoding="utf-8"), flags=re.MULTILINE)[1:]
        for chapter, *parts in (re.split(r"^### ", text, flags=re.MULTILINE) for text in chapters):
            for title, body in (part.split("\n", 1) for part in parts):
                found[path.name, f"{chapter.strip()} > {title}"] = body.strip()
    return found


def path(name: str) -> tuple[str, ...]:
    """From the root down to the one of this name; where several bear it, it is written "Parent > Name"."""
    wanted = tuple(name.split(" > "))
    (found,) = (path for path in PATHS if path[-len(wanted) :] == wanted)
    return found


with (LARKMOOR / "chart.csv").open(encoding="utf-8", newline="") as file:
    ROWS = list(csv.DictReader(file))
PATHS: list[tuple[str, ...]] = []
for row in ROWS:
    PATHS.append((*(path(row["parent"]) if row["parent"] else ()), row["name"]))


def parent(name: str) -> str:
    return path(name)[-2]


def type_of(name: str) -> str:
    return ROWS[PATHS.index(path(name))]["type"]


def below(name: str, type: str = "", *, directly: bool = False) -> list[str]:
    top = path(name)
    return [
        row["name"]
        for path, row in zip(PATHS, ROWS, strict=True)
        if path[: len(top)] == top
        and (len(path) == len(top) + 1 if directly else len(path) > len(top))
        and type in ("", row["type"])
    ]


def common(one: str, other: str) -> str:
    return next(a for a in reversed(path(one)[:-1]) if a in path(other)[:-1])


def called(text: str) -> set[str]:
    """The names of the units that have this name or alias."""
    return {row["name"] for row in ROWS if text in (row["name"], *row["aliases"].split("|"))}


def test_the_manual_is_as_large_as_promised_and_refers_only_to_sections_that_exist() -> None:
    words = sum(len(path.read_text(encoding="utf-8").split()) for path in (LARKMOOR / "documents").glob("*.md"))
    assert words >= 12_000
    assert len(sections()) == 50
    assert sum(len(re.findall(r"^\|---", body, flags=re.MULTILINE)) for body in sections().values()) >= 5
    numbers = {path.split(" > ")[1].split()[0] for _, path in sections()}
    named = {number for body in sections().values() for number in re.findall(r"sections? (\d+\.\d+)", body)}
    assert len(named) > 20
    assert named <= numbers


def test_the_chart_is_as_large_and_as_messy_as_promised() -> None:
    chart = load((LARKMOOR / "chart.csv").read_bytes(), "chart.csv")
    assert [tuple(unit.name for unit in chart.path(id)) for id in chart.units] == PATHS, "it loads as it is read here"
    names = Counter(row["name"] for row in ROWS)
    assert len(ROWS) >= 150
    assert max(map(len, PATHS)) - 1 >= 5
    assert [row["name"] for row in ROWS if not row["parent"]] == ["Larkmoor Foundation"]
    assert any("&" in name for name in names)
    assert any("," in name for name in names)
    assert any(row["aliases"] for row in ROWS)
    assert max(names.values()) > 1, "one name under two parents"
    assert any(not name.isascii() for name in names), "another script"


def test_every_section_has_pairs_that_stand_on_it_and_no_question_is_asked_twice() -> None:
    assert len(PAIRS) >= 300
    assert {(pair["document"], pair["section"]) for pair in PAIRS} == {*sections()}
    assert {pair["type"] for pair in PAIRS} <= TYPES
    assert [pair for pair in PAIRS if not pair["answer"].strip() or len(pair["answer"].split()) > 40] == []
    assert [question for question, n in Counter(normalised(pair["question"]) for pair in PAIRS).items() if n > 1] == []


def test_the_development_set_holds_the_promised_kinds_and_none_of_the_pairs() -> None:
    kinds = Counter(question["kind"] for question in QUESTIONS)
    assert kinds.pop("document") >= 40
    assert kinds == {"simple": 20, "complex": 25, "unanswerable": 12, "paraphrase": 20}
    assert len({question["id"] for question in QUESTIONS}) == len(QUESTIONS)
    assert all(question["refuse"] for question in QUESTIONS if question["kind"] == "unanswerable")
    known = [normalised(pair["question"]) for pair in PAIRS]
    asked = [normalised(question["question"]) for question in QUESTIONS]
    assert [one for one in asked if difflib.get_close_matches(one, known, n=1, cutoff=0.9)] == []


def test_every_paraphrase_group_has_a_short_and_a_long_form_with_one_gold() -> None:
    groups: dict[str, list[dict[str, Any]]] = {}
    for question in QUESTIONS:
        groups.setdefault(question.get("group", ""), []).append(question)
    del groups[""]
    assert len(groups) == 10
    for group, (short, long) in groups.items():
        assert (short["id"], long["id"]) == (f"{group}-short", f"{group}-long")
        assert (short["gold"], short["forbidden"]) == (long["gold"], long["forbidden"]), group
        assert len(short["question"].split()) <= 10, group
        assert 25 <= len(long["question"].split()) <= 40, group


def test_the_answer_given_passes_its_own_gold_and_the_section_named_bears_it_out() -> None:
    for question in QUESTIONS:
        answer, id = question["answer"].casefold(), question["id"]
        assert [item for item in question["gold"] if not any(text.casefold() in answer for text in item)] == [], id
        assert [text for text in question["forbidden"] if text.casefold() in answer] == [], id
        assert [name for name in question.get("units", []) if name.casefold() not in answer] == [], id
        assert str(question.get("count", "")) in answer, id
        assert answer.startswith(question.get("polarity", "")), id
        if question["kind"] == "document":
            body = sections()[question["document"], question["section"]].casefold()
            absent = [item for item in question["gold"] if not any(text.casefold() in body for text in item)]
            assert [item for item in absent if "yes" not in item] == [], id  # a reader concludes that


def truths() -> Iterator[tuple[str, str, Any]]:
    """(question, what its gold must say, the truth): the one place that reads the questions as a person would."""
    asked_about = {
        "simple-01": "Boat Shed Team",
        "simple-02": "Ethics Office",
        "simple-03": "Internal Audit",
        "simple-04": "Sediment Laboratory",
        "simple-05": "Cyber-Security Operations Centre",
        "simple-07": "Mobile Clinic No. 4",
        "simple-08": "Kystlaboratoriet",
        "simple-09": "General Counsel",
        "simple-10": "Bureau régional de l'Afrique de l'Ouest",
        "simple-11": "Wattlabor",
        "simple-13": "Unit 7 (Special Inquiries)",
        "simple-14": "Contracts Committee (Local)",
        "simple-15": "Speak-Up Line",
        "simple-16": "مختبر المخطوطات",
        "simple-17": "Nutrition Laboratory",
        "simple-18": "Sub-Committee on Risk Appetite",
        "simple-19": "Larkmoor School > Library",
        "simple-20": "Occupational Health Clinic",
        "paraphrase-01": "Oyster Reef Team",
        "paraphrase-02": "Field Security Adviser",
        "paraphrase-03": "Volunteers' Bureau",
        "paraphrase-04": "Sanctions & Due Diligence Unit",
        "paraphrase-05": "Memory Team",
        "complex-18": "Internal Audit",
        "complex-19": "Grants Portal Team",
        "complex-20": "Boat Shed Team",
    }
    for id, name in asked_about.items():
        forms = ("-short", "-long") if id.startswith("paraphrase") else ("",)
        yield from ((id + form, "names", [parent(name)]) for form in forms)
    yield "simple-06", "type", type_of("Friends of Larkmoor Circle")
    yield "simple-12", "type", type_of("Crisis Response Group")
    yield "complex-01", "units", below("Ethics Office", directly=True)
    yield "complex-02", "units", below("Human Resources Department", directly=True)
    yield "complex-03", "units", below("Office of Legal Affairs & Integrity", directly=True)
    yield "complex-04", "units", below("Museum of the Peninsula", directly=True)
    yield "complex-05", "units", below("Board of Trustees", "committee", directly=True)
    yield "complex-06", "units", below("Institute for Health Research", "department")
    yield "complex-07", "units", below("Education Division", "school")
    yield "complex-08", "units", below("Finance, Investment and Endowment Committee", "sub-committee")
    yield "complex-09", "units", below("Regional Coordination Department", "office", directly=True)
    yield "complex-10", "count", len(below("Internal Audit", directly=True))
    yield "complex-11", "count", len(below("Information Technology Department"))
    yield "complex-12", "count", len(below("Institute of Tides, Estuaries and Deltas", "laboratory"))
    yield "complex-13", "count", len(below("Finance Division"))
    yield "complex-14", "names", [common("Speak-Up Line", "Data Protection Office")]
    yield "complex-15", "names", [common("Sound Archive Laboratory", "مختبر المخطوطات")]
    for id, name, top in (
        ("complex-16", "Cyber-Security Operations Centre", "Deputy Secretary General for Operations"),
        ("complex-17", "Larkmoor Press", "Deputy Secretary General for Programmes"),
        ("complex-18", "Internal Audit", "Secretary General"),
        ("complex-19", "Grants Portal Team", "Grants, Loans and Endowments Office"),
        ("complex-20", "Boat Shed Team", "Regional Coordination Department"),
    ):
        yield id, "polarity", "yes" if top in path(name)[:-1] else "no"
    yield "complex-21", "names", [parent(parent("Core Store Team"))]
    yield "complex-22", "names", [name for name in path("Biosafety Team") if type_of(name) == "division"]
    yield "complex-23", "some", [below("Rivers & Coasts Division"), below("Education Division")]
    yield (
        "complex-24",
        "some",
        [below("Information Technology Department", "team"), below("Human Resources Department")],
    )
    yield "complex-25", "names", [parent("Field Audit Team"), parent("Travel Claims Desk")]


def test_the_gold_of_every_chart_question_is_what_the_chart_says() -> None:
    questions = {question["id"]: question for question in QUESTIONS}
    checked = set()
    for id, what, truth in truths():
        question = questions[id]
        checked.add(id)
        match what:
            case "names":
                assert len(question["gold"]) == len(truth), id
                for accepted, name in zip(question["gold"], truth, strict=True):
                    assert name in accepted, id
                    assert [text for text in accepted if called(text) - {name}] == [], id
                assert {one for text in question["forbidden"] for one in called(text)} & set(truth) == set(), id
            case "type":
                assert truth in question["gold"][0], id
            case "units":
                assert sorted(question["units"]) == sorted(truth), id
            case "some":
                found = [sorted(some["units"]) for some in question["some"]]
                assert found == [sorted(set(names)) for names in truth], id
            case _:
                assert question[what] == truth, id
    assert {id for id, question in questions.items() if question["kind"] in ("simple", "complex")} <= checked
