"""The validity of documents as it is typed, imported and read again, and who may say so."""

from dataclasses import replace
from datetime import date
from pathlib import Path

import pytest

from org.chart import Chart
from org.reading.charts import load
from store.records import Records
from store.standing import Found, Validity
from trag.people import CurrentUser
from trag.people.permissions import may_set
from trag.validity import to_review
from trag.validity_fields import changed_fields, merged, open_questions, read_fields, read_import, typed

DOCUMENTS = ("old.md", "new.md", "leave; part 2.md")


@pytest.fixture
def chart() -> Chart:
    return load(b"id,name,parent\no,Org,\nhr,HR,Org\na,Desk,HR\nb,Desk,Org\n", "chart.csv")


@pytest.fixture
def records(tmp_path: Path) -> Records:
    records = Records(f"sqlite:///{tmp_path}/trag.db")
    for name in DOCUMENTS:
        records.library.put(name, "0" * 64, None, [])
    return records


def test_every_field_is_read_and_typed_again(records: Records, chart: Chart) -> None:
    cells = {
        "status": "Draft",
        "owner": "HR",
        "valid_from": "1. März 2025",
        "valid_to": "2026",
        "review": "December 2025",
        "language": "de-AT",
        "supersedes": "old.md\r\n leave; part 2.md \r\n",
    }
    made, wrong = read_fields(cells, Validity(), chart, records.people)
    days = (date(2025, 3, 1), date(2026, 12, 31), date(2025, 12, 1))
    assert made == Validity("draft", *days, "hr", "", "de-AT", ("leave; part 2.md", "old.md"))
    assert wrong == ()
    assert read_fields(typed(made), Validity(), chart, records.people) == (made, ())
    assert read_fields({}, made, chart, records.people) == (made, ())
    assert read_fields(dict.fromkeys(cells, ""), made, chart, records.people) == (Validity(), ())


def test_all_that_is_wrong_is_told_and_nothing_is_guessed(records: Records, chart: Chart) -> None:
    cells = {
        "status": "valid",
        "owner": "Desk",
        "valid_from": "03/04/2025",
        "valid_to": "1446-09-01",
        "language": "German, mostly",
    }
    made, wrong = read_fields(cells, Validity("draft"), chart, records.people)
    assert {each.split(":")[0] for each in wrong} == {"status", "owner", "valid_from", "valid_to", "language"}
    assert any("03/04/2025 may be 2025-03-04 or 2025-04-03" in each for each in wrong)
    assert (made.status, made.valid_from, made.unit) == ("draft", None, "")


def test_an_import_is_whole_or_nothing(records: Records, chart: Chart) -> None:
    content = b"document,status,supersedes,colour\nnew.md,in force,old.md,red\nold.md,superseded,,\n"
    found = read_import(content, records, chart, by="ada")
    assert found.problems == ()
    records.validity.put(found.changes, by="ada", instead_of={name: found.before[name] for name in found.changes})
    assert records.validity.of("new.md") == Validity(supersedes=("old.md",), by="ada")
    assert changed_fields(found.changes["old.md"], found.before["old.md"]) == (("status", "in force", "superseded"),)
    assert read_import(content, records, chart, by="bob").changes == {}


def test_every_problem_of_a_table_is_told_with_its_row(records: Records, chart: Chart) -> None:
    rows = (
        "document,valid_from,valid_to,supersedes,status",
        "new.md,2025-01-02,2025-01-01,new.md,in force",
        "old.md,03/04/2025,,nowhere.md,lost",
        "gone.md,,,,",
        ",,,,",
        "old.md,,,,draft",
        ",2025-01-01,,,",
    )
    found = read_import("\n".join(rows).encode(), records, chart, by="ada")
    told = "\n".join(found.problems)
    for wanted in (
        "row 2: new.md: It is valid to 2025-01-01, which is before",
        "row 2: new.md: It supersedes itself.",
        "row 3: old.md: valid_from: 03/04/2025 may be",
        "row 3: old.md: status: lost is none of",
        "row 3: old.md: It supersedes nowhere.md, and there is no such document.",
        "row 4: gone.md: There is no such document.",
        "row 6: old.md stands in row 3 already.",
        "row 7: no document is named.",
    ):
        assert wanted in told
    assert len(found.problems) == 8
    assert not found.changes
    for content, problem in ((b"name\nx\n", 'no column "document"'), (b"document\nnew.md\n", "No column is one of")):
        assert problem in read_import(content, records, chart, by="ada").problems[0]


def test_a_newer_reading_keeps_what_somebody_has_set() -> None:
    first = (Found("valid_from", "1 May 2025", "front matter", "2025-05-01"), Found("status", "Draft", "x", "draft"))
    read = merged(Validity(), first)
    assert (read.valid_from, read.status, read.by) == (date(2025, 5, 1), "draft", "")
    second = (Found("valid_from", "1 June 2025", "front matter", "2025-06-01"), first[1])
    assert merged(read, second).valid_from == date(2025, 6, 1)
    assert merged(read, ()) == Validity()
    confirmed = replace(read, status="in force", by="ada")
    again = merged(confirmed, second)
    assert (again.status, again.valid_from, again.by) == ("in force", date(2025, 6, 1), "ada")
    assert [each.field for each in open_questions(again)] == ["status"]


def test_what_is_not_plain_is_asked() -> None:
    asked = Found("review", "03/04/2025", "Document control")
    replaces = Found("supersedes", "old.md", "Document control", "old.md")
    held = merged(Validity(), (asked, replaces))
    assert (held.review, held.supersedes) == (None, ())
    assert open_questions(held) == (asked, replaces)
    assert open_questions(replace(held, supersedes=("old.md",))) == (asked,)
    owner = Found("person", "Human Resources", "x", "Human Resources")
    assert open_questions(Validity(found=(owner,))) == (owner,)
    assert open_questions(Validity(unit="hr", found=(owner,), by="ada")) == ()
    backwards = (Found("valid_from", "2025", "x", "2025-01-01"), Found("valid_to", "2024", "x", "2024-12-31"))
    assert merged(Validity(), backwards).valid_from is None
    assert len(open_questions(merged(Validity(), backwards))) == 2


def test_an_owner_has_rights_once_somebody_has_set_it() -> None:
    ann = CurrentUser("1", "ann", "Ann", "employee", "hr")
    for validity, may in (
        (Validity(), False),
        (Validity(person="ann"), False),
        (Validity(person="ann", by="ada"), True),
        (Validity(unit="hr", by="ada"), True),
        (Validity(unit="o", by="ada"), False),
    ):
        assert may_set(ann, validity) == may
        assert may_set(replace(ann, role="admin"), validity)
    assert not may_set(CurrentUser("2", "bob", "Bob", "reviewer"), Validity(by="ada"))


def test_what_is_past_its_review_comes_the_longest_first() -> None:
    day = date(2026, 6, 1)
    known = {
        "a": Validity(review=date(2026, 5, 31)),
        "b": Validity(review=date(2025, 1, 1)),
        "c": Validity(review=day),
        "d": Validity("withdrawn", review=date(2025, 1, 1)),
        "e": Validity(),
    }
    assert to_review(known, day) == ("b", "a")
    assert to_review(known, day, ["a", "c", "x"]) == ("a",)
