"""Conversations as HTML: what a reader sees of a record, and of a question on its way."""

from collections.abc import Mapping
from dataclasses import replace
from datetime import UTC, datetime, timedelta

import pytest
from bs4 import BeautifulSoup

from org.chart import Chart
from org.reading.charts import load
from prompts import CANNOT_ANSWER
from store.records import Conversation
from store.reviews import Label
from store.versions import Activation, Version
from tests.pages import texts, words
from trag.record import AnswerRecord, Approval, CheckedSentence, Checks, Entity, ModelUsed, Source, StatementUsed
from trag.web import render, visitors
from trag.web.active_runs import Draft
from trag.web.documents.names import key
from trag.web.evidence import evidence

NOW = datetime(2026, 1, 2, tzinfo=UTC)
CHART = load(
    b"""name,parent,type,aliases,description
Larkmoor Foundation,,foundation,,
Legal Division,Larkmoor Foundation,division,,
Finance Division,Larkmoor Foundation,division,,
Ethics Office,Legal Division,office,,
Registry,Legal Division,unit,,
Registry,Finance Division,unit,,
Hotline,Ethics Office,desk,,
Panel & <Jury>,Ethics Office,panel,,
""",
    "chart.csv",
)
ETHICS = next(unit.id for unit in CHART.units.values() if unit.name == "Ethics Office")
PLACED = "Ethics Office is under Legal Division."
APPROVED = "Grants are approved by the Board."
MANUAL = Source("s1", "section", "manual.pdf", "7 Money > 7.3 Limits", 23, f"Money is tight. {APPROVED}", 0.714)
SPARE = Source("s2", "qa", "manual.pdf", "1 General", None, "In May.", 0.3, question="When does it meet?")
TREE = Source("chart-1", "chart", "Organization chart", "Larkmoor Foundation > Legal Division", None, PLACED, 1.0)
ANOTHER = "; another one is in use now"


def record(answer: str = APPROVED, **changes: object) -> AnswerRecord:
    plain = AnswerRecord(
        id="a1",
        question="Who approves grants?",
        standalone="Who approves grants?",
        answer=answer,
        status="answered",
        model=ModelUsed("small", "0", ""),
        statements=(StatementUsed(ETHICS, PLACED),),
        sources=(TREE, SPARE, MANUAL),
        checks=Checks((CheckedSentence(APPROVED, True, "s1"),), chart=CHART.version),
    )
    return replace(plain, **changes)  # type: ignore[arg-type]


UNSUPPORTED = Checks((CheckedSentence(APPROVED, False),), chart=CHART.version)
THERE = {"manual.pdf": "The Manual"}
"""The documents that are there, and whether the reader may open each."""


def shown(
    answer: AnswerRecord, label: Label | None = None, chart: Chart | None = CHART, documents: Mapping[str, str] = THERE
) -> BeautifulSoup:
    html = render.conversation([render.Turn(answer, label)], chart, documents=documents, id="c1")
    return BeautifulSoup(html, "html.parser")


@pytest.mark.parametrize(
    ("changes", "kind", "title"),
    [
        ({}, "checked", "Checked against the chart"),
        ({"checks": Checks(chart=CHART.version, replaced="chart")}, "chart", "From the organization chart"),
        ({"status": "cannot_answer"}, "none", "No answer found"),
        ({"approved": Approval("Rita", "2026-11-03", "Why?")}, "checked", "Approved by Rita on 3 Nov 2026"),
        ({"approved": Approval("local", "2026-11-03", "Why?")}, "checked", "Approved on 3 Nov 2026"),
        ({"checks": UNSUPPORTED}, "unchecked", "Checked against the chart, parts without a source"),
        ({"checks": Checks()}, "unchecked", "No chart to check against"),
        ({"interrupted": "stopped by the reader"}, "unchecked", "Not finished"),
    ],
    ids=lambda value: value if isinstance(value, str) else None,
)
def test_the_badge_says_how_far_to_rely_on_the_answer(changes: dict[str, object], kind: str, title: str) -> None:
    badge = render.badge(record(**changes))
    assert (badge.kind, badge.title) == (kind, title)


def test_an_approved_answer_names_the_question_that_it_was_approved_for_where_it_is_another() -> None:
    for question, reason in (
        ("who approves  grants", ""),
        ("Who may approve grants?", "For the question: Who may approve grants?"),
    ):
        assert render.badge(record(approved=Approval("Rita", "2026-11-03", question))).reason == reason


def test_all_that_an_approved_answer_stands_on_is_a_source_of_it() -> None:
    whole = Source("approved-1", "approved", "rules.md", "", None, "", 1.0)
    approval = Approval("Rita", "2026-11-03", "Why?")
    answer = record("A grant goes to the Board.", sources=(MANUAL, whole), checks=Checks(), approved=approval)
    soup = shown(answer, documents={"manual.pdf": "The Manual", "rules.md": "Rules"})
    assert not soup.select("details.read")
    links = [str(link["href"]) for link in soup.select(".evidence a.open")]
    assert links == [
        f"/documents/{key('manual.pdf')}/view?passage=s1&answer=a1#here",
        f"/documents/{key('rules.md')}/view",
    ]
    assert len(soup.select(".label button[data-verdict]")) == 3
    withdrawn = shown(answer, documents={"manual.pdf": "", "rules.md": ""})
    assert (withdrawn.select("a.open"), words(withdrawn, "blockquote")) == ([], "")


@pytest.mark.parametrize(
    ("version", "given", "told"),
    [
        (CHART.version, NOW, "The chart of 2 Jan 2026"),
        ("0123456789ab", NOW, f"The chart of 1 Jul 2025{ANOTHER}"),
        ("0123456789ab", datetime(2025, 2, 1, tzinfo=UTC), f"The chart of 1 Feb 2025{ANOTHER}"),
        ("0123456789ab", datetime(2025, 6, 30, tzinfo=UTC), f"The chart of 1 Feb 2025{ANOTHER}"),
        ("0123456789ab", datetime(2025, 7, 1, tzinfo=UTC), f"The chart of 1 Jul 2025{ANOTHER}"),
        ("0123456789ab", datetime(2025, 1, 1, tzinfo=UTC), f"The chart 01234567{ANOTHER}"),
        ("ba9876543210", NOW, f"The chart ba987654{ANOTHER}"),
        ("", NOW, ""),
    ],
)
def test_an_answer_names_the_chart_it_was_checked_against_as_it_was_last_activated_before(
    version: str, given: datetime, told: str
) -> None:
    former = tuple(Activation(datetime(2025, month, 1, tzinfo=UTC), "ada") for month in (2, 7))
    charts = (
        Version(CHART.version, "chart.csv", "0", NOW, active=True, activations=(Activation(NOW),)),
        Version("0123456789ab", "old.csv", "1", former[-1].at, active=False, activations=former),
    )
    assert render.against(record(checks=Checks(chart=version)), given, CHART, charts) == told


def test_sentences_without_support_are_marked_in_words_too() -> None:
    checks = Checks((CheckedSentence(APPROVED, True, "s1"), CheckedSentence("It is quick.", False)), chart="x")
    soup = shown(record(f"{APPROVED} It is quick.", checks=checks))
    assert words(soup, ".words .unsupported") == "It is quick. (no source found)"
    assert "no source was found" in words(soup, ".caution")
    assert not shown(record()).select(".caution")


@pytest.mark.parametrize(
    ("answer", "sentences", "cut"),
    [
        ("A. B.", [("A.", True), ("B.", False)], [("A.", True), (" ", None), ("B.", False)]),
        ("- A\n- B", [("A", True), ("B", True)], [("- ", None), ("A", True), ("\n- ", None), ("B", True)]),
        ("A. B.", [("Not there.", True), ("B.", True)], [("A. ", None), ("B.", True)]),
        ("A. A.", [("A.", True), ("A.", False)], [("A.", True), (" ", None), ("A.", False)]),
        ("A.", [("", True)], [("A.", None)]),
        ("A.", [], [("A.", None)]),
        ("", [("A.", True)], []),
    ],
)
def test_the_answer_is_cut_without_losing_a_letter(
    answer: str, sentences: list[tuple[str, bool]], cut: list[tuple[str, bool | None]]
) -> None:
    checks = Checks(tuple(CheckedSentence(words, supported, "s1") for words, supported in sentences))
    pieces = render.pieces(record(answer, checks=checks), ())
    assert [(piece.text, piece.supported) for piece in pieces] == cut
    assert "".join(piece.text for piece in pieces) == answer


def test_the_row_of_a_table_is_shown_cell_by_cell() -> None:
    said = "Limits <b> – Post: Head; Limit: 10 LMD."
    soup = shown(record(said, checks=Checks((CheckedSentence(said, True, "s1"),), chart="x")))
    assert words(soup, ".words .row .caption") == "Limits <b>"
    assert [" ".join(cell.get_text().split()) for cell in soup.select(".cell")] == ["Post: Head", "Limit: 10 LMD"]
    assert words(soup, ".words .cite") == "1"


def test_sentences_in_a_row_on_one_source_carry_its_number_once() -> None:
    on = {"A.": "s1", "B.": "s1", "C.": "s2", "D.": "", "E.": "s1"}
    checks = Checks(tuple(CheckedSentence(words, bool(source), source) for words, source in on.items()))
    answer = record(" ".join(on), checks=checks)
    cut = render.pieces(answer, evidence(answer, None, THERE))
    assert [piece.number for piece in cut if piece.supported is not None] == [0, 1, 2, 0, 1]


def test_sources_that_support_come_first_and_are_numbered_as_cited() -> None:
    checks = Checks(
        (CheckedSentence(APPROVED, True, "s1"), CheckedSentence(PLACED, True, "chart-1")), chart=CHART.version
    )
    soup = shown(record(f"{APPROVED} {PLACED}", checks=checks))
    assert words(soup, ".words .cite") == "1 2"
    assert [cite["href"] for cite in soup.select(".cite")] == ["#source-a1-1", "#source-a1-2"]
    assert [details["id"] for details in soup.select(".sources details")] == [f"source-a1-{n}" for n in (1, 2, 3)]
    assert words(soup, "#source-a1-1 .title") == "The Manual 7 Money > 7.3 Limits"
    assert words(soup, "#source-a1-1 .page") == "page 23"
    assert words(soup, "#source-a1-1 mark") == APPROVED
    assert words(soup, "#source-a1-2 .title") == "Organization chart Ethics Office under Legal Division"
    assert not soup.select(".score")
    assert words(soup, ".read > summary") == "1 other place looked at"
    assert words(soup, "#source-a1-3 .asked") == "When does it meet?"


def test_who_gets_no_answer_is_shown_where_it_may_stand() -> None:
    again = replace(SPARE, id="s3", kind="section")
    nothing = record(CANNOT_ANSWER, status="cannot_answer", sources=(TREE, SPARE, again, MANUAL), checks=Checks())
    soup = shown(nothing)
    assert words(soup, ".evidence > h3") == "Closest to your question, and where else to look"
    assert words(soup, ".evidence > .sources .title") == "The Manual 1 General The Manual 7 Money > 7.3 Limits"
    assert words(soup, ".evidence > .sources .number") == "1 2"
    assert [details.has_attr("open") for details in soup.select(".evidence details")] == [True, False]
    assert words(soup, ".read > summary") == "2 other places looked at"
    assert words(soup, ".read .document") == "The Manual Organization chart"
    hidden = shown(nothing, documents={"manual.pdf": ""})
    assert words(hidden, ".evidence > h3") == ""
    assert words(hidden, ".read > summary") == "4 other places looked at"


@pytest.mark.parametrize(
    ("documents", "links", "withdrawn", "words"),
    [
        ({"manual.pdf": "The Manual"}, 2, 0, True),
        ({"manual.pdf": ""}, 0, 2, False),
        ({}, 0, 2, True),
        ({"other.pdf": "Other"}, 0, 2, True),
    ],
    ids=["there", "not for this reader", "deleted", "another is there"],
)
def test_a_source_opens_unless_its_document_is_gone_or_for_others(
    documents: dict[str, str], links: int, withdrawn: int, words: bool
) -> None:
    soup = shown(record(), documents=documents)
    assert [link["href"] for link in soup.select(".sources a.open")] == [
        f"/documents/{key('manual.pdf')}/view?passage={id}&answer=a1#here" for id in ("s1", "s2")
    ][:links]
    assert len(soup.select(".sources .withdrawn")) == withdrawn
    assert [quoted.get_text() for quoted in soup.select("#source-a1-1 blockquote")] == [MANUAL.text] * words
    assert (MANUAL.section in soup.get_text()) is words
    assert not soup.select(".sources details a.open"), "a link in what unfolds"


ON_CHART = Checks((CheckedSentence(PLACED, True, "chart-1"),), chart=CHART.version)


def test_a_chart_source_shows_its_path_and_its_neighbours() -> None:
    soup = shown(record(PLACED, checks=ON_CHART))
    assert texts(soup, "#source-a1-1 .path li") == ["Larkmoor Foundation", "Legal Division", "Ethics Office"]
    assert words(soup, "#source-a1-1 .path [aria-current]") == "Ethics Office"
    neighbours = [words(each, "h4, li") for each in soup.select("#source-a1-1 .neighbours")]
    assert neighbours == ["Directly under it Hotline Panel & <Jury>", "Beside it Registry"]


@pytest.mark.parametrize("chart", [None, load(b"name,parent,type\nOther,,x\n", "o.csv")], ids=["none", "another"])
def test_a_chart_that_is_no_longer_there_leaves_the_words_that_were_used(chart: Chart | None) -> None:
    soup = shown(record(PLACED, checks=ON_CHART), chart=chart)
    assert not soup.select(".path")
    assert texts(soup, "#source-a1-1 blockquote") == [PLACED]
    assert words(soup, "#source-a1-1 .place") == "Larkmoor Foundation > Legal Division"


def test_a_shared_name_offers_the_units_it_may_mean() -> None:
    asked = "Who runs the registry today?"
    registries = [unit for unit in CHART.units.values() if unit.name == "Registry"]
    entities = tuple(Entity(unit.id, unit.name, "registry", 13, 21) for unit in registries)
    other = Entity(ETHICS, "Ethics Office", "Who", 0, 3)
    soup = shown(record(standalone=asked, entities=(other, *entities)))
    assert [button["data-question"] for button in soup.select(".choices button")] == [
        "Who runs the Registry (Legal Division) today?",
        "Who runs the Registry (Finance Division) today?",
    ]
    assert not shown(record(standalone=asked, entities=(other,))).select(".choices")
    assert not shown(record(standalone=asked, entities=entities), chart=None).select(".choices")


def test_the_label_is_shown_again() -> None:
    for verdict in ("Correct", "Correct-Verbose", "Incorrect"):
        soup = shown(record(), Label("a1", "local", verdict, "too <long>", "The Board.", NOW))
        assert [button["data-verdict"] for button in soup.select(".verdicts [aria-pressed=true]")] == [verdict]
        assert len(soup.select(".verdicts [aria-pressed=false]")) == 2
        assert words(soup, ".remark [name=comment]") == "too <long>"
        assert words(soup, ".remark [name=corrected]") == "The Board."
    assert not shown(record()).select(".remark, [aria-pressed=true]")


def test_used_sources_are_those_of_supported_sentences_only() -> None:
    said = (("X.", False, "s2"), (APPROVED, True, "gone"), (APPROVED, True, "s1"))
    found = evidence(record(checks=Checks(tuple(CheckedSentence(*each) for each in said))), None, THERE)
    assert [(each.number, each.source.id, each.used) for each in found] == [
        (1, "s1", True),
        (2, "chart-1", False),
        (3, "s2", False),
    ]


@pytest.mark.parametrize(("in_charge", "led"), [(True, ["/documents", "/charts"]), (False, [])])
def test_an_empty_home_leads_to_what_fills_it_whoever_may_do_that(in_charge: bool, led: list[str]) -> None:
    soup = BeautifulSoup(render.welcome("", [], empty=True, in_charge=in_charge), "html.parser")
    assert words(soup, "h1") == "Nothing to answer from yet"
    assert [link["href"] for link in soup.select("a")] == led


def test_the_sidebar_marks_the_conversation_that_is_shown() -> None:
    kept = [Conversation(id, "local", f"Title {id}", NOW, NOW) for id in ("x", "y")]
    around = visitors.Shell("Larkmoor", leads=visitors.LEADS, conversations=tuple(kept))
    soup = BeautifulSoup(render.sidebar(around, "y"), "html.parser")
    assert words(soup, "[aria-current=page]") == "Title y"
    assert {each["maxlength"] for each in soup.select("[name=title]")} == {str(render.LONGEST_TITLE)}
    assert [link["href"] for link in soup.select("section a")] == ["/?c=x", "/?c=y"]
    assert {link["href"] for link in soup.select(".leads a")} == {lead.path for lead in visitors.LEADS}
    assert {link["href"] for link in soup.select(".managing a")} == {each.path for each in around.leads if each.manages}
    assert all(button.get("aria-label") or button.get_text(strip=True) for button in soup.select("button"))


def test_conversations_stand_under_the_days_that_people_look_for_them_by() -> None:
    now = datetime.now(UTC)
    ago = {"a": 0, "b": 0, "c": 1, "d": 4, "e": 40}
    kept = [Conversation(id, "local", id, NOW, now - timedelta(days=days)) for id, days in ago.items()]
    found = [(day, [each.id for each in group]) for day, group in render.by_day(kept)]
    assert found == [("Today", ["a", "b"]), ("Yesterday", ["c"]), ("The last 7 days", ["d"]), ("Earlier", ["e"])]


@pytest.mark.parametrize(
    ("state", "said"),
    [
        (Draft("Q?", waiting=2), "Number 2 in line"),
        (Draft("Q?"), "Looking it up"),
        (Draft("Q?", sources=1), "Reading 1 source"),
        (Draft("Q?", sources=3), "Reading 3 sources"),
        (Draft("Q?", sources=3, text="The"), "Being written, not yet checked"),
    ],
    ids=lambda value: value if isinstance(value, str) else "",
)
def test_a_draft_says_how_far_it_is(state: Draft, said: str) -> None:
    assert words(BeautifulSoup(render.draft(state), "html.parser"), "[role=status]") == said


def test_a_withdrawn_draft_says_why() -> None:
    soup = BeautifulSoup(render.draft(Draft("Q?", sources=1, text="Now", retry="It is not under X.")), "html.parser")
    assert words(soup, ".reason") == "The first draft contradicted the chart and is being rewritten. It is not under X."
    assert words(soup, ".words") == "Now"


def test_a_failed_question_keeps_what_was_written_and_can_be_asked_again() -> None:
    state = Draft("Q?", sources=1, text="Half an", problem="The model died.", hint="Ask again.", over=True)
    soup = BeautifulSoup(render.draft(state), "html.parser")
    assert words(soup, ".words") == "Half an"
    assert words(soup, "[role=alert] p") == "The model died. Ask again."
    assert soup.select("button[data-question='Q?']")
