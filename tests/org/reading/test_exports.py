"""Exports of other systems: columns told by what stands in them, parents told in other ways, the JSON of tools."""

from __future__ import annotations

import json
import time

import pytest

from org.reading.charts import Report, check


def read(content: object) -> Report:
    text, name = (content, "chart.csv") if isinstance(content, str) else (json.dumps(content), "chart.json")
    return check(text.encode(), name)


def above(report: Report) -> dict[str, str]:
    """Each unit with its parent, "" for none."""
    assert report.chart is not None, report.problems
    units = report.chart.units
    return {unit.name: units[unit.parent].name if unit.parent else "" for unit in units.values()}


PEOPLE = {"Mira Olsund": "", "Tobin Hale": "Mira Olsund", "Leo Quint": "Tobin Hale"}
UNITS = {"Olsund Trust": "", "Finance": "Olsund Trust", "Payroll": "Finance"}
TURNED = {"Olsund, Mira": "", "Hale, Tobin": "Olsund, Mira", "Quint, Leo": "Hale, Tobin"}

TABLES = {
    "supervisor id, the top its own": (
        "PersonID,SupervisorID,Name,Title,Department\n1001,1001,Mira Olsund,Director,Executive\n"
        "1002,1001,Tobin Hale,Head of Finance,Finance\n1003,1002,Leo Quint,Accountant,Finance\n",
        PEOPLE,
        "id=PersonID name=Name parent=SupervisorID",
    ),
    "superior organization, with heads": (
        "Organization,Organization ID,Organization Type,Superior Organization,Manager\n"
        "Olsund Trust,SUP_1,Supervisory,,Mira Olsund\nFinance,SUP_2,Supervisory,Olsund Trust,Tobin Hale\n"
        "Payroll,SUP_3,Supervisory,Finance,Nia Borg\n",
        UNITS,
        "id=Organization ID name=Organization parent=Superior Organization head=Manager",
    ),
    "codes": (
        "Department Code,Display Name,New Department Code,Parent Department Code\n"
        "org1,Olsund Trust,*,\norg2,Finance,*,org1\norg3,Payroll,*,org2\n",
        UNITS,
        "name=Display Name parent=Parent Department Code code=Department Code",
    ),
    "manager by name": (
        "Employee Name,Job Title,Department,Manager\nMira Olsund,Director,Executive,\n"
        "Tobin Hale,Head of Finance,Finance,Mira Olsund\nLeo Quint,Accountant,Finance,Tobin Hale\n",
        PEOPLE,
        "name=Employee Name parent=Manager",
    ),
    "manager by directory entry": (
        'Name,SamAccountName,Manager\nMira Olsund,molsund,\nTobin Hale,thale,"CN=Mira Olsund,OU=Staff,DC=x"\n'
        'Leo Quint,lquint,"CN=Tobin Hale,OU=Staff,DC=x"\n',
        PEOPLE,
        "name=Name parent=Manager",
    ),
    "manager by address": (
        "userPrincipalName,displayName,jobTitle,manager\nmira@x.org,Mira Olsund,Director,\n"
        "tobin@x.org,Tobin Hale,Head of Finance,MIRA@x.org\nleo@x.org,Leo Quint,Accountant,tobin@x.org\n",
        PEOPLE,
        "id=userPrincipalName name=displayName parent=manager email=userPrincipalName",
    ),
    "manager by login": (
        "Login,Display Name,Boss\nmolsund,Mira Olsund,\nthale,Tobin Hale,molsund\nlquint,Leo Quint,thale\n",
        PEOPLE,
        "id=Login name=Display Name parent=Boss",
    ),
    "manager with a number in brackets": (
        "Emp No,Full Name,Line Manager\n1,Mira Olsund,\n2,Tobin Hale,Mira Olsund (1)\n3,Leo Quint,Tobin Hale (2)\n",
        PEOPLE,
        "id=Emp No name=Full Name parent=Line Manager",
    ),
    "names turned round": (
        'Employee #,"Last name, First name",Job Title,Reporting to\n1,"Olsund, Mira",Director,\n'
        '2,"Hale, Tobin",Head,Mira Olsund\n3,"Quint, Leo",Accountant,Tobin Hale\n',
        TURNED,
        "name=Last name, First name parent=Reporting to",
    ),
    "first and last name, told by number": (
        "Employee ID,First Name,Last Name,Department,Supervisor ID\n1,Mira,Olsund,Exec,\n2,Tobin,Hale,Fin,1\n"
        "3,Leo,Quint,Fin,2\n",
        PEOPLE,
        "id=Employee ID name=First Name + Last Name parent=Supervisor ID",
    ),
    "two parts of a name in any language": (
        "Eesnimi,Perenimi,Amet,Juht\nMira,Olsund,Juhataja,\nTobin,Hale,Raamatupidaja,Mira Olsund\n"
        "Leo,Quint,Raamatupidaja,Tobin Hale\n",
        PEOPLE,
        "name=Eesnimi + Perenimi parent=Juht",
    ),
    "headings nobody knows": (
        "Kood,Üksus,Kuulub,Juht\nA1,Olsund Trust,,Mira\nA2,Finance,A1,Tobin\nA3,Payroll,A2,Nia\n",
        UNITS,
        "id=Kood name=Üksus parent=Kuulub",
    ),
    "several that are people": (
        "Name,Deputy,Dotted line,Manager\nMira Olsund,Tobin Hale,,\nTobin Hale,Mira Olsund,Leo Quint,Mira Olsund\n"
        "Leo Quint,Tobin Hale,Mira Olsund,Tobin Hale\n",
        PEOPLE,
        "name=Name parent=Manager",
    ),
    "keys and labels": (
        "externalCode,startDate,name.defaultValue,description.defaultValue,headOfUnit,parent.externalCode\n"
        "Code,Start Date,US English,Description,Head of Unit,Parent Department\n"
        "D100,01/01/2024,Olsund Trust,,molsund,\nD110,01/01/2024,Finance,Budget,thale,D100\n"
        "D111,01/01/2024,Payroll,Pay,nborg,D110\n",
        UNITS,
        "id=externalCode name=name.defaultValue parent=parent.externalCode description=description.defaultValue"
        " head=headOfUnit",
    ),
    "keys and labels nobody knows": (
        "ORGEH,STEXT,PUP\nNummer,Wortlaut,Oberste\n501,Olsund Trust,\n502,Finance,501\n503,Payroll,502\n",
        UNITS,
        "id=Nummer name=Wortlaut parent=Oberste",
    ),
    "no header": (
        "Olsund Trust,,foundation\nFinance,Olsund Trust,department\nPayroll,Finance,unit\n",
        UNITS,
        "name=Column 1 parent=Column 2",
    ),
    "a top that has no row": (
        "Department,Parent department\nFinance,Olsund Trust\nPayroll,Finance\nCare,Olsund Trust\n",
        UNITS | {"Care": "Olsund Trust"},
        "name=Department parent=Parent department",
    ),
    "nought for no parent": (
        "ID,Head_ID,Full_Name,Title\n1,0,Mira Olsund,CEO\n2,1,Tobin Hale,CFO\n3,2,Leo Quint,Clerk\n",
        PEOPLE,
        "id=ID name=Full_Name parent=Head_ID",
    ),
}


@pytest.mark.parametrize(("content", "parents", "columns"), TABLES.values(), ids=TABLES)
def test_an_export_is_read_whatever_its_headings(content: str, parents: dict[str, str], columns: str) -> None:
    report = read(content)
    assert above(report) == parents
    assert " ".join(f"{column}={header}" for column, header in report.columns) == columns
    told = " ".join(problem.message for problem in report.problems)
    guessed = [(column, header) for column, header in report.columns if header.lower() != column]
    assert all(f'"{header}" was read as {column}' in told for column, header in guessed), told


def test_a_name_turned_round_is_also_known_as_people_say_it() -> None:
    report = read(TABLES["names turned round"][0])
    assert report.chart is not None
    assert report.chart.root.aliases == ("Mira Olsund",)


def test_names_in_two_columns_can_be_chosen() -> None:
    text = "No,Eesnimi,Perenimi,Juht\n1,Mira,Olsund,\n2,Tobin,Hale,1\n3,Leo,Quint,2\n"
    report = check(text.encode(), "chart.csv", columns={"name": "Eesnimi + Perenimi", "parent": "Juht", "id": "No"})
    assert above(report) == PEOPLE


@pytest.mark.parametrize(
    ("content", "message"),
    [
        ("ID,Name,Manager ID\n1,Mira,\n2,Tobin,1\n3,Leo,99\n4,Asha,2\n", 'The parent "99" is not in the chart.'),
        (
            "Employee,Manager\nMira O,\nTobin H,Leo Q\nLeo Q,Tobin H\nAsha V,Mira O\nNia B,Mira O\n",
            "in a loop: Tobin H > Leo Q > Tobin H",
        ),
        ("Ref,Who,Over\n1,Mira O,\n2,Tobin H,1\n2,Leo Q,1\n3,Nia B,2\n", 'The id "2" is also that of row 3.'),
        ("Item,Amount,Limit\nPens,20,5\nPaper,5,40\nDesks,40,20\n", "No column is called name and parent."),
    ],
    ids=["a manager who left", "a loop", "a number twice", "figures that are no parents"],
)
def test_what_keeps_an_export_from_being_a_tree_is_said(content: str, message: str) -> None:
    report = read(content)
    assert report.chart is None
    assert any(message in problem.message for problem in report.problems), report.problems


OBJECTS: dict[str, tuple[object, dict[str, str]]] = {
    "pid": (
        [
            {"id": 1, "name": "Mira Olsund"},
            {"id": 2, "pid": 1, "name": "Tobin Hale", "tags": ["x"]},
            {"id": 3, "pid": 2, "name": "Leo Quint"},
        ],
        PEOPLE,
    ),
    "employees": (
        [{"id": 1, "name": "Mira Olsund", "employees": [
            {"id": 2, "parentId": 1, "name": "Tobin Hale", "employees": [{"id": 4, "parentId": 2, "name": "Leo Quint"}]}
        ]}],
        PEOPLE,
    ),
    "attributes": (
        {"name": "Mira Olsund", "attributes": {"role": "Director"}, "children": [
            {"name": "Tobin Hale", "attributes": {"role": "Head"}, "children": [
                {"name": "Leo Quint", "attributes": {"role": "Clerk"}}
            ]}
        ]},
        PEOPLE,
    ),
    "data beside a label": (
        {"label": "CEO", "data": {"name": "Mira Olsund"}, "children": [
            {"label": "CFO", "data": {"name": "Tobin Hale"}, "children": [
                {"label": "x", "data": {"name": "Leo Quint"}}
            ]}
        ]},
        PEOPLE,
    ),
    "a key of its own, again and again": (
        {"titre": "Olsund Trust", "gruppen": [{"titre": "Finance", "gruppen": [{"titre": "Payroll"}]}]},
        UNITS,
    ),
    "how it is drawn, and a text": (
        {"chart": {"container": "#x"}, "nodeStructure": {"text": {"name": "Mira Olsund"}, "children": [
            {"text": {"name": "Tobin Hale"}, "children": [{"text": {"name": "Leo Quint"}}]}
        ]}},
        PEOPLE,
    ),
    "rows without a header": (
        [["Mira Olsund", "", "CEO"], ["Tobin Hale", "Mira Olsund", "CFO"], [{"v": "Leo Quint"}, "Tobin Hale", ""]],
        PEOPLE,
    ),
    "nodes and edges": (
        {"nodes": [{"id": 1, "label": "Mira Olsund"}, {"id": 2, "label": "Tobin Hale"},
                   {"id": 3, "label": "Leo Quint"}],
         "edges": [{"from": 1, "to": 2}, {"from": 2, "to": 3}]},
        PEOPLE,
    ),
    "links that point up": (
        {"nodes": [{"id": "a", "name": "Mira Olsund"}, {"id": "b", "name": "Tobin Hale"},
                   {"id": "c", "name": "Leo Quint"},
                   {"id": "d", "name": "Asha Verrin"}],
         "links": [{"source": "b", "target": "a"}, {"source": "c", "target": "b"}, {"source": "d", "target": "b"}]},
        PEOPLE | {"Asha Verrin": "Tobin Hale"},
    ),
    "elements": (
        {"elements": {"nodes": [{"data": {"id": "a", "name": "Olsund Trust"}}, 
                                {"data": {"id": "b", "name": "Finance"}}],
                      "edges": [{"data": {"source": "a", "target": "b"}}]}},
        {"Olsund Trust": "", "Finance": "Olsund Trust"},
    ),
    "a manager who is an object": (
        {"@odata.context": "x", "value": [
            {"id": "a1", "displayName": "Mira Olsund", "manager": None},
            {"id": "a2", "displayName": "Tobin Hale", "manager": {"id": "a1", "displayName": "Mira Olsund"}},
            {"id": "a3", "displayName": "Leo Quint", "manager": {"id": "a2", "displayName": "Tobin Hale"}},
        ]},
        PEOPLE,
    ),
    "a sign for no parent": (
        [{"id": "r", "parent": "#", "text": "Olsund Trust"}, {"id": "f", "parent": "r", "text": "Finance"},
         {"id": "p", "parent": "f", "text": "Payroll"}],
        UNITS,
    ),
}  # fmt: skip


@pytest.mark.parametrize(("content", "parents"), OBJECTS.values(), ids=OBJECTS)
def test_the_json_of_a_tool_is_read(content: object, parents: dict[str, str]) -> None:
    assert above(read(content)) == parents


def test_what_stands_in_an_object_is_kept() -> None:
    report = read(OBJECTS["attributes"][0])
    assert report.chart is not None
    assert report.chart.root.attributes == (("role", "Director"),)


def test_what_is_left_out_of_many_is_told_once() -> None:
    content = {"name": "Top", "at": {"x": 1}, "children": [{"name": f"A{n}", "at": {"x": n}} for n in range(9)]}
    (told,) = [problem.message for problem in read(content).problems]
    assert told == '"at" of entry 1 and of 9 more is no text and was left out.'


@pytest.mark.slow
def test_100_000_rows_whose_headings_nobody_knows_take_a_moment() -> None:
    rows = "".join(f"u{n},Person {n} Name,u{n // 10},job {n % 50}\n" for n in range(1, 100_000))
    started = time.process_time()
    report = read(f"Kood,Nimi,Ülem,Amet\nu0,Unit zero,,x\n{rows}")
    assert report.chart is not None
    assert len(report.chart) == 100_000
    assert time.process_time() - started < 30
