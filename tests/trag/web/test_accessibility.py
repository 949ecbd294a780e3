"""Every page, for every role, held by axe-core to WCAG 2.0 to 2.2 A and AA and to best practice."""

import json
import re
import shutil
from collections.abc import Callable, Iterator
from contextlib import closing
from dataclasses import dataclass, field
from datetime import date, timedelta
from itertools import product
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit
from uuid import uuid4

import pytest
from playwright.sync_api import Browser, FilePayload, Page, expect

from store.conflict import Side
from store.folders import Folder
from store.person import Newcomer, Role
from store.records import Records
from store.standing import Validity
from tests import model_server
from tests import serving as served
from tests.serving import Visit, trag
from tests.trag.web.conftest import SAMPLE
from tests.trag.web.quality.conftest import all_wrong, answered, kept
from tests.trag.web.test_active_workflows_browser import ID, MADE, add_invoice, send
from tests.trag.web.test_plans_browser import BOOK, PROCEDURES
from tests.trag.web.test_workflows_browser import drafted
from trag.brief.record import BriefQuestion, BriefRecord, BriefSentence, Part
from trag.evaluate.cases import Case
from trag.evaluate.grammar import audit as audits
from trag.evaluate.grammar import questions
from trag.evaluate.grammar.audit import Audit
from trag.evaluate.grammar.questions import Dropped, Meaning
from trag.evaluate.runs import Results
from trag.evaluate.scoring import Score
from trag.flow.record import Chosen, PlannedStep, PlanRecord, WrittenIn
from trag.record import AnswerRecord, CheckedSentence, Checks, Conflict, ModelUsed, Source
from trag.web import access
from trag.web.documents.names import key

AXE = Path(__file__).parent / "axe" / "node_modules" / "axe-core" / "axe.min.js"
RUN = """axe.run({resultTypes: ["violations"], rules: {"target-size": {enabled: true}}, runOnly: {type: "tag",
    values: ["wcag2a", "wcag2aa", "wcag21a", "wcag21aa", "wcag22a", "wcag22aa", "best-practice"]}})"""
"""By WCAG 2.2 a target has 24 px, or as much room around it."""
MANUAL, PAPER, RULES = "part-1-foundations.md", "paper.pdf", "rules.md"
NO_PAGES = re.compile(
    r"\.(?:csv|jsonl?|md|png|xlsx|css|json)$|\{(?:brief_file|workflow_file|chart_file|ours|asset)\}|/original$|"
    r"/(?:healthz?|metrics|favicon\.ico|mcp)$|/v1/|/gradio_api/|/sign-in/(?:sso|back)$|"
    r"/(?:progress|queue|places|units|ready)$|"
    r"/units/\{number\}$|/review/next$|/documents/examples$"
)
"""Addresses that give files, parts of pages, or another address."""
PICTURES = {"/charts/picture", "/charts/{chart}/picture"}
DOORS = {"/sign-in", "/account/new", "/links/{code}"}
"""Those for who is not signed in yet."""
ACCOUNTS = {"/account", "/people/{address}", "/people/log"}
"""Those that are there once somebody has an account."""
SCREENS: dict[str, dict[str, Any]] = {
    "light": {"color_scheme": "light"},
    "dark": {"color_scheme": "dark"},
    "Arabic on a phone": {"locale": "ar", "viewport": {"width": 390, "height": 844}},
}

ROLES: tuple[Role, ...] = ("employee", "reviewer", "admin")
Places = dict[str, list[str]]
"""Of each address with a name in braces those that are opened."""

pytestmark = [pytest.mark.browser, pytest.mark.slow, pytest.mark.timeout(1800)]


@dataclass
class House:
    """The app, where there is what, for all and for each asker, and the cookie of each role."""

    address: str
    records: Records
    home: Path
    places: Places
    own: dict[str, Places]
    cookies: dict[str, str] = field(default_factory=dict)


@pytest.fixture(scope="module")
def house(
    sample_home: Path,
    model_address: str,
    browser: Browser,
    pdf: Callable[..., bytes],
    tmp_path_factory: pytest.TempPathFactory,
) -> Iterator[House]:
    """The app over a home in which everything is: answers, plans, briefings, workflows, runs, a folder, a conflict."""
    place = tmp_path_factory.mktemp("house")
    home, shared = Path(shutil.copytree(sample_home, place / "home", symlinks=True)), place / "shared"
    shared.mkdir()
    (place / PAPER).write_bytes(pdf(("Parking", ["A space costs 40 a month.", "It is paid in advance."])))
    (place / RULES).write_text("# Rules\n\n## 1 Paying\n\n| For | Fee |\n|---|---|\n| A space | 45 |\n", "utf-8")
    (place / "book.json").write_text(json.dumps(_book()))
    trag(home, "ingest", str(place / PAPER), str(place / RULES))
    trag(home, "procedures", "activate", str(place / "book.json"))
    with closing(Records(f"sqlite:///{home}/trag.db")) as records:
        environment = {"TRAG_MODEL_URL": model_address, "TRAG_MODEL_NAME": model_server.NAME, "TRAG_WORKFLOWS": "true"}
        environment |= {"TRAG_HOOKS": "post_invoice=http://127.0.0.1:1/"}
        places, own = _kept(home, records, shared), {"local": _asked(home, records, "local")}
        with served.app(home, **environment) as (address, _):
            with browser.new_context(base_url=address) as context:
                _give(context.new_page(), places)
            yield House(address, records, home, places, own)


def _book() -> dict[str, Any]:
    """The steps, tables and triggers of the sample, and the procedures of another book."""
    book = json.loads((SAMPLE / "procedures.json").read_bytes())
    actions = [*BOOK["actions"], *(each | {"source": {}} for each in book["actions"])]
    return book | {"actions": actions, "procedures": BOOK["procedures"]}


@pytest.fixture(scope="module")
def with_accounts(house: House, tmp_path_factory: pytest.TempPathFactory) -> House:
    """The same once people have accounts, each with what they asked for."""
    for role in ROLES:
        newcomer = Newcomer(role, shown=role.title(), role=role, state="active")
        person = house.records.people.add(newcomer, by="test")
        house.cookies[role] = house.records.sessions.begin(person.id)[0]
        house.own[role] = _asked(house.home, house.records, person.id)
    waiting = house.records.people.add(Newcomer("eve", shown="Eve"), by="test")
    house.places["/people/{address}"] = [f"/people/{waiting.id}"]
    code, _ = house.records.links.make("password", waiting.id, timedelta(days=1), by="test")
    house.places["/links/{code}"] = [f"/links/{code}"]
    return house


def _asked(home: Path, records: Records, asker: str) -> Places:
    """Keeps one of everything that somebody asks for; where each is."""
    conversation = records.start_conversation(asker, "Parking").id
    first, second = "A space costs 40 a month.", "It is for everybody."
    paper = Source(_passage(records, PAPER), "section", PAPER, "Parking", 1, f"{first} It is paid in advance.", 0.8)
    rules = Source(_passage(records, RULES), "section", RULES, "Rules > 1 Paying", None, "A space: 45.", 0.7)
    checks = Checks((CheckedSentence(first, True, paper.id, first), CheckedSentence(second, False)), chart="v1")
    said, used = Conflict(paper.id, first, rules.id, "A space: 45.", "45 a month"), ModelUsed("tiny", "0", "")
    answer = f"{first}\n\n| a | b |\n|---|---|\n| 1 | 2 |\n\n{second}"
    ids, sources = [uuid4().hex, uuid4().hex], (paper, rules)
    asked = "What does a space cost?"
    answers = [
        AnswerRecord(ids[0], asked, asked, answer, "answered", used, sources=sources, checks=checks, conflicts=(said,)),
        AnswerRecord(ids[1], asked, asked, "", "cannot_answer", used, sources=sources),
    ]
    for each in answers:
        records.save_answer(each.id, conversation, asked, each.answer, each.to_json(), asker=asker)

    step = PlannedStep(1, "Two members propose.", "Propose", "Propose the member", "Both sign.", "Board", "Ann", True)
    written, chosen = WrittenIn(MANUAL, "1.4"), [Chosen(each["id"], each["title"]) for each in PROCEDURES]
    plans = (
        PlanRecord(uuid4().hex, "Join", "planned", chosen[0], (step,), ("a pen",), source=written),
        PlanRecord(uuid4().hex, "membership", "ask_which", choices=tuple(chosen)),
    )
    sentence, question = BriefSentence("It is 45.", rules.id, "A space: 45.", "model"), BriefQuestion("Why?", "reader")
    parts = (Part("Paying", (sentence,), (question,)),)
    brief = BriefRecord(uuid4().hex, "Parking", "written", parts=parts, open=(question,), sources=(rules,))
    for plan in plans:
        records.save_answer(plan.id, None, plan.request, "", plan.to_json(), asker=asker, kind="plan")
    records.save_answer(brief.id, None, brief.subject, brief.text, brief.to_json(), asker=asker, kind="brief")
    return {
        "/": ["/", f"/?c={conversation}"],
        "/answers/{address}": [f"/answers/{id}" for id in ids],
        "/plans/{address}": [f"/plans/{plan.id}" for plan in plans],
        "/briefings/{address}": [f"/briefings/{brief.id}"],
        "/workflows/{address}": [f"/workflows/{drafted(home, asker)}"],
    }


def _passage(records: Records, document: str) -> str:
    """The id of the first passage of a document."""
    return next(iter(records.library.passages(document))).id


def _kept(home: Path, records: Records, shared: Path) -> Places:
    """Keeps one of everything else that has a page of its own; where each is."""
    send(home, MADE)
    records.conflicts.put("", [(Side(PAPER, "Parking", "A space costs 40."), Side(RULES, "1 Paying", "A space: 45."))])
    records.validity.put({RULES: Validity(review=date(2026, 1, 1), person="employee", by="admin")}, by="test")
    folder = records.folders.add(Folder("Shared", str(shared), frozenset({"everyone"}), watched=False), by="test")
    store, cases = Results(home / "results"), [Case("one", "Who runs the bar?", "simple", "The Board.")]
    runs = [
        kept(store, cases, [answered(cases[0], system, Score("Correct"))], system, day=day)
        for day, system in enumerate(("trag", "rag"))
    ]
    found = Meaning("01-01", "SELECT", ("Bar",), "The Bar is open.", (("nine",),), ("When?",), ("When is it open?",))
    audits.save(Audit("Hours", "Hours", 1, (found,), Dropped()), home / "results")
    asked = questions.cases((found,))
    audited = kept(store, asked, [answered(each, "trag", Score("Incorrect")) for each in asked], "trag", day=2)
    needle = all_wrong(Results(home / "results" / "needle"), cases, "trag-top-k2")
    chart, book = records.chart_versions.all()[0].version, records.procedure_versions.all()[0].version
    documents = [f"/documents/{key(name)}" for name in (MANUAL, PAPER, RULES)]
    return {
        "/charts/{chart}": [f"/charts/versions/{chart}"],
        "/procedures/{book}": [f"/procedures/versions/{book}"],
        "/workflows/active/{address}": [f"/workflows/active/{ID}"],
        "/documents/{address}": documents,
        "/documents/{address}/view": [f"{each}/view" for each in documents],
        "/documents/folders/{address}": [f"/documents/folders/{folder.id}"],
        "/quality/runs/{run}": [f"/quality/runs/{run.id}" for run in runs],
        "/quality/runs/{run}/answers/{number}": [f"/quality/runs/{runs[0].id}/answers/0"],
        "/quality/runs/{run}/audit": [f"/quality/runs/{audited.id}/audit"],
        "/quality/needles/{run}": [f"/quality/needles/{needle.id}"],
        "/quality/compare": [f"/quality/compare?a={runs[0].id}&b={runs[1].id}"],
    }


def _give(page: Page, places: Places) -> None:
    """Gives charts and procedures to be looked at before they are used, and has a workflow run."""
    page.goto(f"/workflows/active/{ID}")
    page.get_by_role("button", name="Activate").click()
    expect(page.locator(".notice.good")).to_be_visible()
    add_invoice(page, "17", "6200")
    page.goto("/workflows/active")
    page.locator(".runs a").first.click()
    page.wait_for_url("**/runs/*")
    places["/workflows/active/runs/{address}"] = [_path(page)]
    rows = (SAMPLE / "chart.csv").read_text("utf-8").splitlines()
    for address, of, name, content in (
        ("/charts", "/charts/{chart}", "chart.csv", "\n".join([*rows[:-3], rows[-1].replace(",", " 2,", 1)])),
        ("/charts", "/charts/{chart}", "broken.csv", "name,parent\nClub,\nBar,Clib\n"),
        ("/procedures", "/procedures/{book}", "book.json", json.dumps(BOOK)),
    ):
        page.goto(address)
        file = FilePayload(name=name, mimeType="text/plain", buffer=content.encode())
        page.set_input_files("input[type=file]", file)
        page.wait_for_url("**/uploads/*")
        expect(page.locator("h1")).to_be_visible()
        places[of].append(_path(page))


def _path(page: Page) -> str:
    return urlsplit(page.url).path


def _violations(page: Page, address: str) -> list[str]:
    """What axe-core has against a page, everything on it opened."""
    answer = page.goto(address)
    assert answer
    if answer.status != 200:
        return [f"{address}: {answer.status}"]
    if address.startswith("/?") or address == "/":
        page.wait_for_selector("#log :is(.welcome, .turn)")
    page.evaluate("document.querySelectorAll('details').forEach(each => each.open = true)")
    page.evaluate("document.fonts.ready.then(() => {})")
    page.evaluate(AXE.read_text("utf-8"))
    found = page.evaluate(RUN)["violations"]
    return [
        f"{address}: {each['id']} ({each['impact']}): {node['html'][:200]}"
        for each in found
        for node in each["nodes"][:3]
    ]


def _pages(house: House, who: str) -> list[str]:
    """The addresses of every page that somebody may open."""
    may: dict[str, tuple[str, ...]] = {"": ("anyone",), "local": ("anyone", *ROLES), "admin": ("anyone", *ROLES)}
    may |= {"reviewer": ("anyone", "employee", "reviewer"), "employee": ("anyone", "employee")}
    places = house.places | house.own.get(who, {})
    judged = [each.replace("/answers/", "/review/") for each in house.own["local"]["/answers/{address}"]]
    dated = [f"/documents/{key(RULES)}/validity"] if who != "reviewer" else []  # their own, and an admin's every one
    places |= {"/review/{address}": judged, "/documents/{address}/validity": dated}
    left_out = PICTURES | (DOORS if who else set()) | (ACCOUNTS if who == "local" else set())
    wanted = [path for needs, path in access.READ if needs in may[who] and not NO_PAGES.search(path)]
    wanted = [path for path in wanted if path not in left_out]
    return [address for path in wanted for address in places.get(path, [path])]


def test_every_page_has_no_violation_without_accounts(house: House, visit: Visit) -> None:
    page = visit(house.address, reduced_motion="reduce")
    found = [each for address in _pages(house, "local") for each in _violations(page, address)]
    assert not found, "\n".join(found)


@pytest.mark.parametrize(
    ("who", "screen"),
    [*product(("employee", "admin"), SCREENS), ("reviewer", "light"), ("", "light"), ("", "Arabic on a phone")],
)
def test_every_page_of_a_role_has_no_violation(with_accounts: House, visit: Visit, who: str, screen: str) -> None:
    house = with_accounts
    page = visit(house.address, house.cookies.get(who, ""), reduced_motion="reduce", **SCREENS[screen])
    found = [each for address in _pages(house, who) for each in _violations(page, address)]
    assert not found, "\n".join(found)
