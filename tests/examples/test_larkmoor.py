"""The sample organization keeps its promises: its size, its references, and gold answers that the sources bear out.

The chart is read here with the csv module, so that what the gold should say is worked out apart from the product.
"""

from __future__ import annotations

import csv
import difflib
import json
import re
from collections import Counter
from collections.abc import Iterator
from functools import cache
from pathlib import Path
from typing import Any

import pytest

from org.reading.charts import load

LARKMOOR = Path(__file__).parents[2] / "examples" / "larkmoor"
DIRECT = {"short_answer", "yes_no", "fact_check", "true_false", "summary", "list"}
INDIRECT = {"dialog", "fill_in_the_blank"}


def lines(name: str) -> list[dict[str, Any]]:
    return [json.loads(line) for line in (LARKMOOR / name).read_text(encoding="utf-8").splitlines()]


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


class Tree:
    """The chart as the csv module reads it. A name that several units bear is written "Parent > Name"."""

    def __init__(self) -> None:
        with (LARKMOOR / "chart.csv").open(encoding="utf-8", newline="") as file:
            self.rows = list(csv.DictReader(file))
        self.paths: list[tuple[str, ...]] = []
        for row in self.rows:
            wanted = tuple(row["parent"].split(" > "))
            above = [path for path in self.paths if path[-len(wanted) :] == wanted]
            assert len(above) == (1 if row["parent"] else 0), (
                f"{row['name']}: {len(above)} units {row['parent']!r} above"
            )
            self.paths.append((*(above[0] if above else ()), row["name"]))

    def path(self, name: str) -> tuple[str, ...]:
        wanted = tuple(name.split(" > "))
        (path,) = (path for path in self.paths if path[-len(wanted) :] == wanted)
        return path

    def parent(self, name: str) -> str:
        return self.path(name)[-2]

    def type(self, name: str) -> str:
        return self.rows[self.paths.index(self.path(name))]["type"]

    def below(self, name: str, type: str = "", *, directly: bool = False) -> list[str]:
        top = self.path(name)
        return [
            row["name"]
            for path, row in zip(self.paths, self.rows, strict=True)
            if len(path) > len(top)
            and path[: len(top)] == top
            and (len(path) == len(top) + 1 or not directly)
            and type in ("", row["type"])
        ]

    def common(self, one: str, other: str) -> str:
        return next(a for a in reversed(self.path(one)[:-1]) if a in self.path(other)[:-1])

    def called(self, text: str) -> set[str]:
        """The names of the units that have this name or alias."""
        return {row["name"] for row in self.rows if text in (row["name"], *row["aliases"].split("|"))}


@pytest.fixture(scope="module")
def tree() -> Tree:
    return Tree()


# ---- the manual and the chart ----------------------------------------------------------------------------------------


def test_the_manual_is_as_large_as_promised() -> None:
    words = sum(len(path.read_text(encoding="utf-8").split()) for path in (LARKMOOR / "documents").glob("*.md"))
    tables = sum(len(re.findall(r"^\|---", body, flags=re.MULTILINE)) for body in sections().values())
    assert words >= 12_000
    assert len(sections()) == 50
    assert tables >= 5


def test_every_section_that_the_manual_refers_to_exists() -> None:
    numbers = {path.split(" > ")[1].split()[0] for _, path in sections()}
    named = {number for body in sections().values() for number in re.findall(r"sections? (\d+\.\d+)", body)}
    assert len(named) > 20
    assert named <= numbers


def test_the_chart_is_as_large_and_as_messy_as_promised(tree: Tree) -> None:
    names = Counter(row["name"] for row in tree.rows)
    assert len(tree.rows) >= 150
    assert max(len(path) for path in tree.paths) - 1 >= 5
    assert [row["name"] for row in tree.rows if not row["parent"]] == ["Larkmoor Foundation"]
    for trait, there in {
        "ampersand": any("&" in name for name in names),
        "comma": any("," in name for name in names),
        "alias": any(row["aliases"] for row in tree.rows),
        "one name under two parents": max(names.values()) > 1,
        "another script": any(not name.isascii() for name in names),
    }.items():
        assert there, trait


def test_the_chart_loads_as_it_is_read_here(tree: Tree) -> None:
    chart = load((LARKMOOR / "chart.csv").read_bytes(), "chart.csv")
    assert [tuple(unit.name for unit in chart.path(id)) for id in chart.units] == tree.paths


# ---- question-answer pairs -------------------------------------------------------------------------------------------


def test_every_pair_stands_on_a_section_that_exists() -> None:
    pairs = lines("pairs.jsonl")
    assert len(pairs) >= 300
    assert [pair for pair in pairs if (pair["document"], pair["section"]) not in sections()] == []
    assert {pair["type"] for pair in pairs} <= DIRECT | INDIRECT
    assert [pair for pair in pairs if not pair["answer"].strip() or len(pair["answer"].split()) > 40] == []


def test_every_section_has_pairs_and_no_question_is_asked_twice() -> None:
    pairs = lines("pairs.jsonl")
    assert set(sections()) - {(pair["document"], pair["section"]) for pair in pairs} == set()
    assert [question for question, n in Counter(normalised(pair["question"]) for pair in pairs).items() if n > 1] == []


# ---- development questions -------------------------------------------------------------------------------------------


def test_the_development_set_holds_the_promised_kinds() -> None:
    questions = lines("development.jsonl")
    kinds = Counter(question["kind"] for question in questions)
    assert kinds.pop("document") >= 40
    assert kinds == {"simple": 20, "complex": 25, "unanswerable": 12, "paraphrase": 20}
    assert len({question["id"] for question in questions}) == len(questions)
    assert [
        question["id"] for question in questions if question["kind"] == "unanswerable" and not question["refuse"]
    ] == []


def test_every_paraphrase_group_has_a_short_and_a_long_form_with_one_gold() -> None:
    groups: dict[str, list[dict[str, Any]]] = {}
    for question in lines("development.jsonl"):
        groups.setdefault(question.get("group", ""), []).append(question)
    del groups[""]
    assert len(groups) == 10
    for group, (short, long) in groups.items():
        assert (short["id"], long["id"]) == (f"{group}-short", f"{group}-long")
        assert (short["gold"], short["forbidden"]) == (long["gold"], long["forbidden"]), group
        assert len(short["question"].split()) <= 10, group
        assert 25 <= len(long["question"].split()) <= 40, group


def test_no_development_question_is_among_the_pairs_or_nearly_so() -> None:
    known = [normalised(pair["question"]) for pair in lines("pairs.jsonl")]
    asked = {question["id"]: normalised(question["question"]) for question in lines("development.jsonl")}
    close = {id: difflib.get_close_matches(question, known, n=1, cutoff=0.9) for id, question in asked.items()}
    assert {id: found for id, found in close.items() if found} == {}


@pytest.mark.parametrize("question", lines("development.jsonl"), ids=lambda question: question["id"])
def test_the_answer_given_passes_its_own_gold(question: dict[str, Any]) -> None:
    answer = question["answer"].casefold()
    assert [item for item in question["gold"] if not any(text.casefold() in answer for text in item)] == []
    assert [text for text in question["forbidden"] if text.casefold() in answer] == []
    assert [name for name in question.get("units", []) if name.casefold() not in answer] == []
    assert str(question.get("count", "")) in answer
    assert answer.startswith(question.get("polarity", ""))


@pytest.mark.parametrize(
    "question",
    [question for question in lines("development.jsonl") if question["kind"] == "document"],
    ids=lambda question: question["id"],
)
def test_the_section_named_bears_out_the_gold(question: dict[str, Any]) -> None:
    body = sections()[question["document"], question["section"]].casefold()
    allowed = {"yes"}  # what a reader concludes rather than reads
    absent = [item for item in question["gold"] if not any(text.casefold() in body for text in item)]
    assert [item for item in absent if not allowed & set(item)] == []


# ---- gold of the chart questions, worked out from the chart ----------------------------------------------------------


def truths(tree: Tree) -> Iterator[tuple[str, str, Any]]:
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
        yield from ((id + form, "names", [tree.parent(name)]) for form in forms)
    yield "simple-06", "type", tree.type("Friends of Larkmoor Circle")
    yield "simple-12", "type", tree.type("Crisis Response Group")
    yield "complex-01", "units", tree.below("Ethics Office", directly=True)
    yield "complex-02", "units", tree.below("Human Resources Department", directly=True)
    yield "complex-03", "units", tree.below("Office of Legal Affairs & Integrity", directly=True)
    yield "complex-04", "units", tree.below("Museum of the Peninsula", directly=True)
    yield "complex-05", "units", tree.below("Board of Trustees", "committee", directly=True)
    yield "complex-06", "units", tree.below("Institute for Health Research", "department")
    yield "complex-07", "units", tree.below("Education Division", "school")
    yield "complex-08", "units", tree.below("Finance, Investment and Endowment Committee", "sub-committee")
    yield "complex-09", "units", tree.below("Regional Coordination Department", "office", directly=True)
    yield "complex-10", "count", len(tree.below("Internal Audit", directly=True))
    yield "complex-11", "count", len(tree.below("Information Technology Department"))
    yield "complex-12", "count", len(tree.below("Institute of Tides, Estuaries and Deltas", "laboratory"))
    yield "complex-13", "count", len(tree.below("Finance Division"))
    yield "complex-14", "names", [tree.common("Speak-Up Line", "Data Protection Office")]
    yield "complex-15", "names", [tree.common("Sound Archive Laboratory", "مختبر المخطوطات")]
    for id, name, top in (
        ("complex-16", "Cyber-Security Operations Centre", "Deputy Secretary General for Operations"),
        ("complex-17", "Larkmoor Press", "Deputy Secretary General for Programmes"),
        ("complex-18", "Internal Audit", "Secretary General"),
        ("complex-19", "Grants Portal Team", "Grants, Loans and Endowments Office"),
        ("complex-20", "Boat Shed Team", "Regional Coordination Department"),
    ):
        yield id, "polarity", "yes" if top in tree.path(name)[:-1] else "no"
    yield "complex-21", "names", [tree.parent(tree.parent("Core Store Team"))]
    yield "complex-22", "names", [name for name in tree.path("Biosafety Team") if tree.type(name) == "division"]
    yield "complex-23", "some", [tree.below("Rivers & Coasts Division"), tree.below("Education Division")]
    yield (
        "complex-24",
        "some",
        [tree.below("Information Technology Department", "team"), tree.below("Human Resources Department")],
    )
    yield "complex-25", "names", [tree.parent("Field Audit Team"), tree.parent("Travel Claims Desk")]


def test_the_gold_of_every_chart_question_is_what_the_chart_says(tree: Tree) -> None:
    questions = {question["id"]: question for question in lines("development.jsonl")}
    checked = set()
    for id, what, truth in truths(tree):
        question = questions[id]
        checked.add(id)
        match what:
            case "names":
                assert len(question["gold"]) == len(truth), id
                for accepted, name in zip(question["gold"], truth, strict=True):
                    assert name in accepted, id
                    assert {
                        text: tree.called(text) - {name} for text in accepted if tree.called(text) - {name}
                    } == {}, id
                assert {unit for text in question["forbidden"] for unit in tree.called(text)} & set(truth) == set(), id
            case "type":
                assert truth in question["gold"][0], id
            case "units":
                assert sorted(question["units"]) == sorted(truth), id
            case "some":
                assert [sorted(some["units"]) for some in question["some"]] == [
                    sorted(set(names)) for names in truth
                ], id
            case _:
                assert question[what] == truth, id
    chart_questions = {id for id, question in questions.items() if question["kind"] in ("simple", "complex")}
    assert chart_questions - checked == set()
