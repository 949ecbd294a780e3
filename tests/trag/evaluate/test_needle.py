"""Where the right context stands in the prompt: by hand on a small home, and on the embedded model once."""

import json
import re
from collections.abc import Callable, Generator, Iterator, Sequence
from contextlib import nullcontext
from dataclasses import replace
from pathlib import Path
from typing import Any, cast

import pytest

from org.reading.charts import load
from prompts import NOT_FOUND, Message
from tests.scripted import Scripted
from trag.errors import TragError
from trag.evaluate.cases import Case, sha256_of, write
from trag.evaluate.needle import Position, measure, needles, placed, results_of, table
from trag.evaluate.runs import Result
from trag.evaluate.scoring import Score
from trag.home import Home, open_home
from trag.llm.model import LanguageModel, ModelDied, ModelIdentity, Usage
from trag.llm.remote import RequestRefused
from trag.progress import silent
from trag.record import AnswerRecord, ModelUsed, Verdict
from trag.settings import Settings
from trag.terminal.main import main

CHART = b"""name,parent,type,aliases,description
Harbour Board,,board,HB,
Pilots' Office,Harbour Board,office,,Guides ships in.
Tug Team,Pilots' Office,team,,
Crane Team,Harbour Board,team,,
"""
FEES = "# Fees\n\n## Mooring\n\nA berth costs forty crowns a night.\n\n## Water\n\nA barrel costs a crown.\n"
OTHERS = """\
The canteen opens when the bell has rung.
The Tug Team has its own mooring.
A lost rope is paid by whoever lost it.
Dogs stay on their leads near the quay.
Nobody swims between the piers.
Lamps are lit before the sun has set.
Fish is sold in the western hall.
The old fee was forty crowns as well.
Visitors sign the book at the gate.
Nets are dried behind the boat house.
The ferry leaves when it is full.
Fog signals are tested every spring.
Sails are mended in the loft.
The Crane Team answers to the Harbour Board.
The Crane Team stops at eight.
""".splitlines()
WHERE = Case("where", "Where is the Tug Team?", "simple", gold=(("Pilots' Office",),))
CRANE = Case("crane", "Where is the Crane Team?", "simple", gold=(("Harbour Board", "HB"),))
BERTH = Case(
    "berth", "What does a berth cost?", "document", gold=(("forty crowns",),), document="fees.md", section="Mooring"
)
CASES = (
    WHERE,
    BERTH,
    Case("pier", "What does a pier cost?", "document", gold=(("ten",),), document="fees.md", section="Piers"),
    Case("who", "Who is the king of the sea?", "simple", gold=(("nobody",),)),
    Case("why", "Why are gulls white?", "unanswerable", refuse=True),
)


DIED = ModelDied("The model's process ended.", "It starts again.")
REFUSED = RequestRefused("http://models/v1 answered 400: content filter", "Ask another question.")


class Reading(Scripted):
    """A model that says what its prompt says of the berth, and keeps its prompts; first it fails as it is told."""

    def __init__(self, *fails: Exception, context: int = 4096, sha256: str = "0" * 64) -> None:
        super().__init__()
        self.identity = ModelIdentity("scripted", sha256, "")
        self.context, self.fails, self.prompts, self.closed = context, [*fails], list[str](), False

    def stream(self, messages: Sequence[Message], **_: Any) -> Generator[str | Usage, None, None]:
        self.prompts.append(messages[-1].content)
        if self.fails:
            raise self.fails.pop(0)
        yield "A berth costs forty crowns." if "berth costs forty" in messages[-1].content else NOT_FOUND
        yield Usage(1, 1, 1)

    def close(self) -> None:
        self.closed = True


Given = Callable[[Home, Reading], Reading]


@pytest.fixture(scope="module")
def opened(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Home]:
    folder = tmp_path_factory.mktemp("harbour")
    (folder / "documents").mkdir()
    (folder / "documents" / "fees.md").write_text(FEES)
    rules = "".join(f"## Rule {number}\n\n{text}\n\n" for number, text in enumerate(OTHERS, 1))
    (folder / "documents" / "rules.md").write_text(f"# Rules\n\n{rules}")
    with open_home(Settings(home=folder / "home")) as home:
        home.charts.activate(load(CHART, "chart.csv"), [("chart.csv", CHART)], by="test")
        home.ingest([folder / "documents"], replace=False, progress=silent)
        yield home


@pytest.mark.parametrize(
    ("right", "unrelated", "position", "order"),
    [
        ("R", "ab", "top", "Rab"),
        ("R", "ab", "mid", "aRb"),
        ("R", "ab", "end", "abR"),
        ("R", "abcdefghij", "top", "Rabcdefghij"),
        ("R", "abcdefghij", "mid", "abcdeRfghij"),
        ("R", "abcdefghij", "end", "abcdefghijR"),
        ("RS", "abc", "mid", "aRSbc"),
        ("R", "", "mid", "R"),
    ],
)
def test_the_right_context_stands_at_its_position(right: str, unrelated: str, position: Position, order: str) -> None:
    assert "".join(placed(right, unrelated, position)) == order


def results(**verdicts: str) -> list[Result]:
    """Answers of each system, a letter each: right, verbose, wrong or undecided."""
    meant: dict[str, Verdict | None] = {"C": "Correct", "V": "Correct-Verbose", "I": "Incorrect", "U": None}
    record = AnswerRecord("", "", "", "", "answered", ModelUsed("small", "", ""))
    return [
        Result(system.replace("_", "-"), Case(f"{number}", f"{number}?", "simple"), record, Score(meant[one]))
        for system, of in verdicts.items()
        for number, one in enumerate(of)
    ]


def test_the_table_is_the_papers() -> None:
    answered = [
        *results(trag_top_k2="CVI", trag_mid_k2="III", trag_end_k2="CCC"),
        *results(trag_top_k10="CUI", trag_mid_k10="UUU", trag_end_k10="CCI"),
    ]
    found = table(answered)
    assert found.header == ("Position", "T-RAG, k = 2 (3 questions)", "T-RAG, k = 10 (3 questions)")
    assert found.rows == (
        ("Top", "2 (66.7%)", "1 of 2 (50.0%)"),
        ("Mid", "0 (0.0%)", "0 of 0 (-)"),
        ("End", "3 (100.0%)", "2 (66.7%)"),
    )
    both = table([*answered, *results(section_top_k2="C")])
    assert both.header[3:] == tuple(f"Documents, k = {k} (1 question)" for k in (2, 10))
    assert table([]).rows == ()


def test_rag_stands_beside_t_rag_on_the_questions_that_both_were_asked() -> None:
    found = table(results(trag_top_k2="CCI", rag_top_k2="IC"))
    assert found.header[1::2] == (
        "T-RAG, k = 2 (3 questions)",
        "T-RAG, those of RAG, k = 2 (2 questions)",
        "RAG, k = 2 (2 questions)",
    )
    assert found.rows[0][1::2] == ("2 (66.7%)", "2 (100.0%)", "1 (50.0%)")
    whole = table(results(trag_top_k2="CCI", rag_top_k2="ICC"))
    assert whole.header[1::2] == ("T-RAG, k = 2 (3 questions)", "RAG, k = 2 (3 questions)")


@pytest.mark.slow
def test_a_needle_is_what_answers_and_its_hay_has_nothing_to_do_with_it(opened: Home, with_model: Given) -> None:
    with_model(opened, Reading())
    found, left_out = needles(opened, CASES)
    assert [(one.side, one.case.id) for one in found] == [("trag", "where"), ("section", "berth")]
    assert left_out == ("pier: this home has no section Piers of fees.md",)
    tree, berth = found
    assert "Tug Team is under the Pilots' Office" in tree.right[0].text
    assert [one.text for one in berth.right] == ["A berth costs forty crowns a night."]
    for one in found:
        texts = [passage.text for passage in one.unrelated]
        assert len(set(texts)) == 10
        assert all("Tug Team" not in text for text in texts if one is tree), texts
        assert all("forty crowns" not in text for text in texts if one is berth), texts
    assert {one.document for one in berth.unrelated} == {"rules.md"}, "other documents are enough"
    assert needles(opened, CASES)[0] == found, "the same is drawn each time"


@pytest.mark.slow
def test_of_a_question_about_units_rag_gets_the_sections_that_say_what_the_chart_says(
    opened: Home, with_model: Given
) -> None:
    with_model(opened, Reading())
    tree, text = needles(opened, [CRANE])[0]
    assert (tree.side, text.side) == ("trag", "rag")
    assert "Crane Team is under the Harbour Board" in tree.right[0].text
    assert [one.text for one in text.right] == ["The Crane Team answers to the Harbour Board."]
    for one in (tree, text):
        assert all("Crane Team" not in passage.text for passage in one.unrelated)
    assert [one.side for one in needles(opened, [replace(CRANE, gold=())])[0]] == ["trag"], "no gold, nothing to hold"


@pytest.mark.slow
def test_a_home_with_too_little_hay_or_room_says_so(opened: Home, with_model: Given) -> None:
    room = opened.settings.answer_tokens
    with_model(opened, Reading(context=room + 130))
    found, left_out = needles(opened, [BERTH])
    assert found == ()
    assert "sections fit beside its context" in left_out[0]
    with pytest.raises(TragError, match="has a needle"):
        measure(opened, found, "none", progress=silent)


@pytest.mark.slow
def test_every_prompt_has_the_right_context_in_its_place_and_every_answer_is_kept(
    opened: Home, with_model: Given, monkeypatch: pytest.MonkeyPatch
) -> None:
    model = with_model(opened, Reading(DIED))
    found, _ = needles(opened, [WHERE, BERTH])
    told: list[tuple[str, int, int]] = []
    run = measure(opened, found, "harbour", progress=lambda *step: told.append(step))
    kept = results_of(opened).results(run.id)
    assert (run.total, len(kept), told[-1]) == (12, 12, ("section-end-k10", 12, 12))
    prompts = dict(zip([one.system for one in kept], model.prompts[1:], strict=True))
    for system, prompt in prompts.items():
        side, position, around = system.split("-")
        lines = [line.partition(" ")[2] for line in prompt.splitlines() if line.startswith("[")]
        right = "Organization chart: " if side == "trag" else "Fees > Mooring: "
        size = int(around[1:])
        assert len(lines) == size + 1
        place = {"top": 0, "mid": size // 2, "end": size}[position]
        assert [line.startswith(right) for line in lines].index(True) == place
    hay = {system: re.findall(r"Rules > .*", prompt) for system, prompt in prompts.items()}
    assert hay["section-top-k10"] == hay["section-mid-k10"] == hay["section-end-k10"]
    assert hay["section-top-k2"] == hay["section-top-k10"][:2]
    assert {one.score.verdict for one in kept if one.system.startswith("section")} == {"Correct"}
    assert {one.score.verdict for one in kept if one.system.startswith("trag")} == {"Incorrect"}
    first, last = kept[0].record, kept[-1].record
    assert [one.kind for one in first.sources] == ["chart", "section", "section"]
    assert [one.section for one in last.sources][-1].endswith("Mooring")
    assert opened.records.answer(first.id) is None
    assert run.cases_sha256 == sha256_of([WHERE, BERTH])
    again = with_model(opened, Reading())
    assert measure(opened, found, "harbour", progress=silent) == run
    assert again.prompts == [], "what is whole is not asked again"
    settings = replace(opened.settings, answer_tokens=opened.settings.answer_tokens // 2)
    monkeypatch.setitem(opened.parts, "assistant", replace(opened.assistant, settings=settings))
    assert measure(opened, found, "harbour", progress=silent).id != run.id, "another room is another measurement"


@pytest.mark.slow
@pytest.mark.parametrize(
    ("fails", "reason"),
    [
        ([REFUSED], "http://models/v1 answered 400: content filter Ask another question."),
        ([DIED, DIED], "The model's process ended. It starts again."),
    ],
    ids=["refused", "ends the model twice"],
)
def test_a_question_that_cannot_be_answered_is_wrong_and_the_others_are_asked(
    opened: Home, with_model: Given, fails: list[Exception], reason: str
) -> None:
    model = with_model(opened, Reading(*fails, sha256=str(len(fails)) * 64))
    found, _ = needles(opened, [BERTH])

    def stop(system: str, done: int, total: int) -> None:
        if done == 3:
            raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        measure(opened, found, "refused", progress=stop)
    asked = len(model.prompts)
    run = measure(opened, found, "refused", progress=silent)
    assert (len(model.prompts) - asked, bool(run.finished)) == (3, True), "what broke off goes on"
    first, *others = results_of(opened).results(run.id)
    assert (first.score.verdict, first.record.status) == ("Incorrect", "cannot_answer")
    assert first.score.reasons == (reason,)
    assert [one.score.verdict for one in others] == ["Correct"] * 5


@pytest.mark.slow
def test_a_model_that_is_given_up_meanwhile_is_asked_to_the_end_and_then_closed(
    opened: Home, with_model: Given
) -> None:
    closed: list[bool] = []
    before = with_model(opened, Reading(sha256="3" * 64))

    def promoted(step: str, done: int, total: int) -> None:
        if not done:
            with_model(opened, Reading(sha256="4" * 64))
            opened.leases.give_up(cast(LanguageModel, before))
        closed.append(before.closed)

    found, _ = needles(opened, [WHERE, BERTH], progress=promoted)
    assert (closed, before.closed) == ([False] * 2, True)

    closed.clear()
    before = with_model(opened, Reading(sha256="5" * 64))
    run = measure(opened, found, "given up", progress=promoted)
    assert (closed, before.closed) == ([False] * 13, True)
    assert {one.record.model.sha256 for one in results_of(opened).results(run.id)} == {run.model.sha256} == {"5" * 64}


@pytest.mark.slow
def test_the_embedded_model_looks_for_needles_from_the_terminal(
    opened: Home, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    (tmp_path / "cases.jsonl").write_bytes(write(CASES[1:3]))
    monkeypatch.setattr("trag.home.open_home", lambda settings: nullcontext(opened))
    assert main(["evaluate", "needle", str(tmp_path / "cases.jsonl"), "--json"]) == 0
    told = capsys.readouterr()
    assert "left out: pier" in told.err
    (found,) = json.loads(told.out)
    assert [row[0] for row in found["rows"]] == ["Top", "Mid", "End"]
    assert len(found["header"]) == 3
