"""Files of procedures: the same book from each format, and everything that is wrong with one told at once."""

import csv
import io
import json
import time
from collections.abc import Mapping, Sequence
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from openpyxl import Workbook

from org.procedures import BookError, entries
from org.procedures.entries import Entries
from org.procedures.export import workbook as pack
from org.procedures.flows import Book, write
from org.procedures.reading import Report, judge, load
from org.reading.charts import load as load_chart

ACTIONS = """\
id,title,description,needs,gives,unit,for,document,section
ReportLoss,Report the loss,Tell the desk that a badge is lost,employee number,loss report,,,badges.md,2.1
BlockBadge,Block the badge,,loss report,blocked badge,Badge Office,,badges.md,2.2
TakePhoto,Take a photo,,,photo,Badge Office,"Staff; Travel, Trips",,
PrintBadge,Print a badge,,blocked badge;photo|old photo,new badge,BO,,,
"""
PROCEDURES = """\
id,title,when,for,document,section,step,actions
lost-badge,Replace a lost badge,A badge is lost,Staff,badges.md,2,Report the loss,ReportLoss
lost-badge,,,,,,Block the lost badge,
,,,,,,Photograph and print,"takephoto; PrintBadge"
first-badge,Get a first badge,On the first day,,,,Print the badge,
"""
BOOK: Mapping[str, Any] = {
    "actions": [
        {
            "id": "ReportLoss",
            "title": "Report the loss",
            "description": "Tell the desk that a badge is lost",
            "needs": ["employee number"],
            "gives": ["loss report"],
            "source": {"document": "badges.md", "section": "2.1"},
        },
        {
            "id": "BlockBadge",
            "title": "Block the badge",
            "needs": ["loss report"],
            "gives": ["blocked badge"],
            "unit": "Badge Office",
            "source": {"document": "badges.md", "section": "2.2"},
        },
        {
            "id": "TakePhoto",
            "title": "Take a photo",
            "gives": "photo",
            "unit": "Badge Office",
            "for": "Staff; Travel, Trips",
        },
        {
            "id": "PrintBadge",
            "title": "Print a badge",
            "needs": ["blocked badge", "photo|old photo"],
            "gives": ["new badge"],
            "unit": "BO",
        },
    ],
    "procedures": [
        {
            "id": "lost-badge",
            "title": "Replace a lost badge",
            "when": "A badge is lost",
            "for": ["Staff"],
            "source": {"document": "badges.md", "section": "2"},
            "steps": [
                {"text": "Report the loss", "actions": ["ReportLoss"]},
                "Block the lost badge",
                {"text": "Photograph and print", "actions": ["TakePhoto", "PrintBadge"]},
            ],
        },
        {
            "id": "first-badge",
            "title": "Get a first badge",
            "when": "On the first day",
            "steps": [{"text": "Print the badge"}],
        },
    ],
}
CHART = load_chart(
    b'name,parent,aliases\nTrust,,\nStaff,Trust,\nBadge Office,Staff,BO\n"Travel, Trips",Trust,\n'
    b"Desk,Staff,\nDesk,Badge Office,\n",
    "chart.csv",
)
DOCUMENTS = {"badges.md": ["Badges > 2 Loss > 2.1 Report", "Badges > 2 Loss > 2.2 Block", "Annex"]}


def workbook(*sheets: tuple[str, str]) -> bytes:
    book = Workbook()
    book.remove(book.active)
    for title, text in sheets:
        sheet = book.create_sheet(title)
        for row in csv.reader(io.StringIO(text)):
            sheet.append([cell or None for cell in row])
    packed = io.BytesIO()
    book.save(packed)
    return packed.getvalue()


def of_json(content: object) -> Report:
    return judge([entries.read(json.dumps(content).encode(), "procedures.json")], CHART, DOCUMENTS)


def of_tables(actions: str = ACTIONS, procedures: str = PROCEDURES) -> Report:
    files = ((actions, "a.csv"), (procedures, "p.csv"))
    return judge([entries.read(text.encode(), name) for text, name in files if text], CHART, DOCUMENTS)


def told(report: Report) -> list[str]:
    return [f"{problem.severity} {problem.place}: {problem.message}" for problem in report.problems]


def changed(**ways: Mapping[str, object]) -> dict[str, Any]:
    """The book with some keys of an entry changed: `a1` is the second action, `p0` the first procedure."""
    copy: dict[str, Any] = json.loads(json.dumps(BOOK))
    for place, keys in ways.items():
        copy["actions" if place[0] == "a" else "procedures"][int(place[1:])].update(keys)
    return copy


def test_each_format_gives_the_same_book() -> None:
    book = of_json(BOOK).book
    assert book is not None
    assert book.actions["PrintBadge"].needs == (("blocked badge",), ("photo", "old photo"))
    assert book.actions["TakePhoto"].audience == ("Staff", "Travel, Trips")
    assert [step.actions for step in book.procedures["lost-badge"].steps] == [
        ("ReportLoss",),
        (),
        ("TakePhoto", "PrintBadge"),
    ]
    packed = workbook(("Read me", "Made by,us"), ("Procedures", PROCEDURES), ("Actions", ACTIONS))
    sheets = judge([entries.read(packed, "book.xlsx")], CHART, DOCUMENTS)
    assert of_tables().book == sheets.book == load(write(book), "kept.json") == book
    assert of_tables().book.version == book.version  # type: ignore[union-attr]
    assert told(of_tables()) == told(of_json(BOOK)) == []
    assert [line[:31] for line in told(sheets)] == ['warning : The sheet "Read me" h']
    through = Entries.from_json(entries.read(packed, "book.xlsx").to_json())
    assert judge([through], CHART, DOCUMENTS) == sheets


def test_a_title_above_the_header_and_other_delimiters_do_no_harm() -> None:
    semicolons = ACTIONS.replace('"Staff; Travel, Trips"', "Staff").replace(
        "blocked badge;photo", "blocked badge, photo"
    )
    assert of_tables("Actions of 2026;;\n" + semicolons.replace(",", ";").replace("badge; photo", "badge, photo")).book


@pytest.mark.parametrize(
    ("content", "problems"),
    [
        (changed(a1={"id": "ReportLoss"}), ['error action 2: The id "ReportLoss" appears twice: action 1 has it too.']),
        (changed(p1={"id": "LOST-badge"}), ['error procedure 2: The id "LOST-badge" appears twice: procedure 1']),
        (
            changed(a1={"id": ""}, p1={"id": "no way"}),
            ["error action 2: The action has no id", "error procedure 2: The id"],
        ),
        (
            changed(a0={"needs": ["new badge"]}),
            [
                "error action 1: ReportLoss, BlockBadge, PrintBadge wait",
                "warning procedure 1, step 1: ReportLoss needs",
            ],
        ),
        (
            changed(a0={"needs": ["loss report"]}),
            ["error action 1: ReportLoss needs what only it", "error action 2: Nobody", "error action 4: Nobody"],
        ),
        (
            changed(a2={"needs": ["new badge"]}, a3={"needs": ["photo|blocked badge"]}),
            ["warning action 3: TakePhoto, PrintBadge can each come before"],
        ),
        (
            changed(p1={"steps": ["Zig zag"]}),
            ['warning procedure 2, step 1: No action seems to fit the step "Zig zag"'],
        ),
        (changed(a1={"unit": "Badge Ofice"}), ['error action 2: The chart has no unit "Badge Ofice"']),
        (
            changed(p0={"for": ["Desk", "Nobody"]}),
            ['error procedure 1: The chart has no unit "Nobody"', "warning procedure 1: The chart has 2 units"],
        ),
        (
            changed(
                a0={"source": {"document": "badge.md"}}, p0={"source": {"document": "badges.md", "section": "2.3"}}
            ),
            ['error action 1: There is no document "badge.md"', 'error procedure 1: "badges.md" has no section "2.3"'],
        ),
        (changed(a0={"source": {"section": "2"}}), ['error action 1: The section "2" is of no document']),
        (
            changed(p1={"steps": [{"text": "Print", "actions": ["Fly"]}]}),
            ['error procedure 2, step 1: There is no action "Fly"'],
        ),
        (changed(p1={"steps": []}), ["error procedure 2: The procedure has no steps."]),
        (changed(p1={"steps": [{"actions": ["PrintBadge"]}]}), ["error procedure 2, step 1: The step has no words."]),
        (
            changed(
                p0={
                    "steps": [
                        {"text": "Print", "actions": ["PrintBadge"]},
                        {"text": "Block", "actions": ["BlockBadge", "PrintBadge"]},
                    ]
                }
            ),
            [
                "warning procedure 1, step 1: PrintBadge needs what comes from BlockBadge only",
                "warning procedure 1, step 2: PrintBadge is an action of step 1 and of step 2",
            ],
        ),
        (
            changed(a0={"gives": ["a|b"], "title": "x" * 201}),
            ["error action 1: What it gives has", "error action 1: The title has 201"],
        ),
        (
            changed(a0={"need": ["x"], "title": ["x"]}),
            ['error action 1: "title" is not a text', 'warning action 1: The key "need"'],
        ),
        ({"actions": BOOK["actions"]}, ["error : There are no procedures."]),
        (
            {"actions": {}, "procedures": [3]},
            [
                'error : "actions" is not a list',
                'error : Entry 1 of "procedures" is not',
                "error procedure 1: The procedure has no id",
                "error procedure 1: The procedure has no steps",
            ],
        ),
        ([1], ["error : The JSON is not an object."]),
        (
            {"actions": [{"id": f"A{n}"} for n in range(5_001)], "procedures": BOOK["procedures"][1:]},
            ["error : There are 5,001 actions; 5,000 are the most.", "warning"],
        ),
        (
            {"actions": BOOK["actions"], "procedures": [{"id": f"p{n}", "steps": ["Print"]} for n in range(501)]},
            ["error : There are 501 procedures; 500 are the most."],
        ),
        (changed(p1={"steps": ["Print"] * 101}), ["error procedure 2: The procedure has 101 steps"]),
    ],
)
def test_what_is_wrong_with_a_file_is_told_with_its_place(content: object, problems: Sequence[str]) -> None:
    report = of_json(content)
    assert len(told(report)) == len(problems), told(report)
    for line, wanted in zip(told(report), problems, strict=True):
        assert line.startswith(wanted)
    assert (report.book is None) == any(problem.startswith("error") for problem in problems)
    assert all(problem.hint for problem in report.problems)


@pytest.mark.parametrize(
    ("actions", "procedures", "problems"),
    [
        (
            ACTIONS + "takephoto,,,,,,,,\n",
            PROCEDURES,
            ['error Actions, row 6: The id "takephoto" appears twice: Actions, row 4'],
        ),
        (ACTIONS, PROCEDURES + "first-badge,Another,,,,,Print,\n", ["error Procedures, row 6: The id"]),
        (ACTIONS, PROCEDURES.replace("lost-badge,Rep", ",Rep"), ["error Procedures, row 2: The procedure has no id"]),
        (ACTIONS, "id,step\n,Print\nx,Print\n", ["error Procedures, row 2: The step is of no procedure"]),
        (ACTIONS.replace("gives", "yields"), PROCEDURES, ['warning Actions, row 1: The column "yields" is not known']),
        (ACTIONS.replace("title", "id"), PROCEDURES, ['error Actions, row 1: Two columns are called "id".']),
        (ACTIONS, "", ["error : There are no procedures."]),
        ("", PROCEDURES, ["error : There are no actions."]),
        (
            PROCEDURES,
            PROCEDURES,
            [
                "error : There are no actions",
                "error : Both files hold procedures.",
                "error Procedures, row 2",
                "error Procedures, row 5",
            ],
        ),
        (
            "name,parent\nTrust,\n",
            PROCEDURES,
            ['error : The file has no header of actions or procedures, but "name", "parent".'],
        ),
        (ACTIONS + '"open', PROCEDURES, ["error Actions, row 6: The file cannot be read from here on"]),
    ],
)
def test_rows_of_tables_are_told_by_their_number(actions: str, procedures: str, problems: Sequence[str]) -> None:
    report = of_tables(actions, procedures)
    assert len(told(report)) == len(problems), told(report)
    for line, wanted in zip(told(report), problems, strict=True):
        assert line.startswith(wanted)


CATALOGUE: Mapping[str, Any] = {
    "actions": [
        {"id": "update_record", "title": "Update", "needs": ["record"], "gives": ["record"], "runs": "built-in"},
        {"id": "Post.to-Ledger", "title": "Post", "needs": ["record"], "gives": ["posting"], "runs": "hook"},
        {"id": "sign", "title": "Sign", "needs": ["record"], "gives": [], "unit": "", "for": ["Staff"]},
    ],
    "tables": [
        {"id": "invoice", "title": "Invoices", "description": "To be paid", "fields": ["amount", "due"]},
        {"id": "note", "title": "Notes", "for": "Staff; Travel, Trips"},
    ],
    "triggers": [{"id": "record_created", "title": "Created", "table": True}, {"id": "daily", "title": "Daily"}],
}


def test_a_catalogue_of_workflows_reads_the_same_from_each_format() -> None:
    report = of_json(CATALOGUE)
    book = report.book
    assert book is not None, told(report)
    assert book.tables["note"].audience == ("Staff", "Travel, Trips")
    assert (book.tables["invoice"].fields, book.triggers["record_created"].table) == (("amount", "due"), True)
    assert [action.runs for action in book.actions.values()] == ["built-in", "hook", "person"]
    sheets = judge([entries.read(pack(book), "book.xlsx")], CHART)
    texts = [
        "id,title,needs,gives,runs,for\nupdate_record,Update,record,record,Built-in,\n"
        "Post.to-Ledger,Post,record,posting,hook,\nsign,Sign,record,,,Staff\n",
        "id,title,description,fields,for\n"
        'invoice,Invoices,To be paid,"amount, due",\nnote,Notes,,,"Staff; Travel, Trips"\n',
        "id,title,table\nrecord_created,Created,TRUE\ndaily,Daily,no\n",
    ]
    tables = judge([entries.read(text.encode(), "one.csv") for text in texts], CHART)
    assert load(write(book), "kept.json") == sheets.book == tables.book == book
    read = entries.read(json.dumps(CATALOGUE).encode(), "kept.json")
    assert Entries.from_json(read.to_json()) == read


def test_what_no_procedure_names_and_no_person_does_is_in_no_plan() -> None:
    both = of_json({**BOOK, **CATALOGUE, "actions": [*BOOK["actions"], *CATALOGUE["actions"][:2]]}).book
    assert both is not None
    assert [*both.for_plans] == [action["id"] for action in BOOK["actions"]]
    before = of_json(BOOK).book  # keeps its version, which records name
    assert before is not None
    assert [*json.loads(write(before))] == ["actions", "procedures"]
    assert b'"runs"' not in write(before)
    alone = of_json(CATALOGUE).book
    assert alone is not None
    assert not alone.for_plans


@pytest.mark.parametrize(
    ("kind", "wrong", "problems"),
    [
        ("actions", {"runs": "robot"}, ['error action 1: The runs "robot" is not known.']),
        ("actions", {"id": "FOREACH"}, ["error action 1: The id FOREACH is that of a step of every workflow."]),
        ("tables", {"id": "NOTE"}, ['error table 2: The id "note" appears twice: table 1 has it too.']),
        ("tables", {"for": ["Nobody"], "id": "no way"}, ["error table 1: The id", "error table 1: The chart has no"]),
        ("tables", {"fields": {}}, ['error table 1: "fields" is not a text.']),
        (
            "triggers",
            {"table": "perhaps", "id": ""},
            ["error trigger 1: The trigger has no id.", "error trigger 1: The table"],
        ),
        (
            "triggers",
            {"table": "perhaps", "x": 1},
            ['error trigger 1: The table "perhaps"', "warning trigger 1: The key"],
        ),
    ],
)
def test_what_is_wrong_with_a_catalogue_is_told_with_its_place(
    kind: str, wrong: Mapping[str, object], problems: Sequence[str]
) -> None:
    copy: dict[str, Any] = json.loads(json.dumps(CATALOGUE))
    copy[kind][0].update(wrong)
    report = of_json(copy)
    assert len(told(report)) == len(problems), told(report)
    assert all(line.startswith(start) for line, start in zip(told(report), problems, strict=True)), told(report)


def test_a_bad_file_is_refused_with_all_that_is_wrong() -> None:
    with pytest.raises(
        BookError, match=r"kept\.json cannot be used: action 2: The action has no id, procedure 1: .* no id"
    ):
        load(json.dumps(changed(a1={"id": ""}, p0={"id": ""})).encode(), "kept.json")


@settings(max_examples=20, deadline=None)
@given(
    st.binary(max_size=60) | st.text(max_size=60).map(str.encode), st.sampled_from(["a.json", "a.csv", "a.xlsx", ""])
)
def test_no_file_makes_the_reading_fail(content: bytes, name: str) -> None:
    read = entries.read(content, name)
    assert Entries.from_json(read.to_json()) == read
    assert judge([read]).book is None


@pytest.mark.parametrize("name", ["a.json", "a.csv"])
def test_5_000_actions_are_read_in_two_seconds(name: str) -> None:
    rows = [["id", "title", "description", "needs", "gives"]]
    rows += [
        [f"A{n}", f"Do part {n}", "What is done here, in a sentence", f"t{n - 1}|u" if n else "", f"t{n}"]
        for n in range(5_000)
    ]
    steps = [["id", "step", "actions"], *([f"p{n // 10}", f"Do part {n} now", f"A{n}"] for n in range(5_000))]
    if name == "a.csv":
        texts = (io.StringIO(), io.StringIO())
        for text, table in zip(texts, (rows, steps), strict=True):
            csv.writer(text).writerows(table)
        files = [text.getvalue().encode() for text in texts]
    else:
        actions = [dict(zip(rows[0], row, strict=True)) for row in rows[1:]]
        made = [
            {"id": f"p{n}", "steps": [{"text": row[1], "actions": row[2]} for row in steps[1 + 10 * n : 11 + 10 * n]]}
            for n in range(500)
        ]
        files = [json.dumps({"actions": actions, "procedures": made}).encode()]
    begun = time.process_time()
    report = judge([entries.read(content, name) for content in files])
    assert time.process_time() - begun < 2
    assert isinstance(report.book, Book)
    assert (len(report.book.actions), len(report.book.procedures)) == (5_000, 500)
