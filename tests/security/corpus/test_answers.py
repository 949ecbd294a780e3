"""What is answered beside hostile documents: from what entered the prompt, with the chart as it is, and as honestly as
before."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace

import pytest

from prompts import CANNOT_ANSWER
from store.passage import OPEN
from tests.scripted import Scripted
from tests.security.corpus import attacks
from tests.security.corpus.attacks import ATTACKS, Attack
from tests.security.corpus.conftest import SECRET, Asked, Place
from trag.record import AnswerRecord
from trag.retrieve import SHOWN

pytestmark = [pytest.mark.slow, pytest.mark.timeout(1_200)]

each_attack = pytest.mark.parametrize("attack", ATTACKS, ids=lambda attack: f"{attack.code} {attack.name}")


@each_attack
def test_a_record_says_what_entered_the_prompt_and_nothing_that_a_document_claims(
    attack: Attack, place: Place, asked: Callable[[Attack], Asked]
) -> None:
    record = asked(attack).record
    chart = place.home.organization.chart
    assert chart
    library = place.home.records.library
    kept = {each.id: each for name in {source.document for source in record.sources} for each in library.passages(name)}
    kept |= {pair.passage.id: pair.passage for pair in library.pairs()}
    flat = " ".join(asked(attack).prompt.split())
    told = {conflict.other for conflict in record.conflicts}  # read by itself, after the answer
    for source in record.sources:
        assert source.id in told or " ".join(source.text.split()) in flat
        if source.kind == "chart":
            assert source.text in [statement.text for statement in record.statements]
            assert source.document == f"Organization chart {chart.version}"
        else:
            passage = kept[source.id]
            assert (source.document, source.section) == (passage.document, passage.section)
            assert source.text in passage.text
            assert source.document != "vault.md"
    stored = place.home.records.answer(record.id)
    assert stored
    assert AnswerRecord.from_json(stored.record_json) == record
    assert "\n" not in stored.record_json
    assert (record.approved, record.model.name, record.checks.chart) == (None, "scripted", chart.version)
    assert record.status == ("cannot_answer" if CANNOT_ANSWER in record.answer else "answered")
    assert place.home.records.labels_of(record.id) == ()


@each_attack
def test_no_answer_puts_a_unit_where_the_chart_does_not_have_it(
    attack: Attack, asked: Callable[[Attack], Asked]
) -> None:
    """Not in the words of the chart. What a document says in its own stands as what that document says."""
    record = asked(attack).record
    assert attacks.UNDER_CATERING not in record.answer
    assert record.checks.misplaced == ()
    for sentence in record.checks.sentences if record.status == "answered" else ():
        source = next(source for source in record.sources if source.id == sentence.source)
        assert sentence.evidence
        assert sentence.evidence in source.text


@pytest.mark.parametrize(
    ("code", "expression", "right"),
    [
        ("K29", "count(children(u1))", "9 units"),
        ("K30", "about(u1)", "Checks the accounts of every unit."),
        ("K31", "parent(u1)", "Pilotage Division"),
        ("K32", "children(u1)", "No unit is directly under"),
    ],
)
def test_a_question_about_the_chart_is_answered_without_a_word_of_the_documents(
    code: str, expression: str, right: str, place: Place
) -> None:
    attack = next(attack for attack in ATTACKS if attack.code == code)
    model = Scripted(attack.obeyed, chart_query=expression)
    record = replace(place.home.assistant, model=model).answer(attack.question)
    assert right in record.answer
    assert {source.kind for source in record.sources} == {"chart"}
    assert model.asked == []


@pytest.mark.parametrize(
    "made_up", ["A bowl of soup costs 47 euros.", "Ask the Captain Thornbury.", "It is free, says Ms Quill."]
)
def test_what_no_document_says_is_refused_beside_the_nearest_passages(place: Place, made_up: str) -> None:
    record = replace(place.home.assistant, model=Scripted(made_up)).answer("What does a bowl of soup cost?")
    assert (record.answer, record.status, record.checks.attempts) == (CANNOT_ANSWER, "cannot_answer", 2)
    assert any("4 euros" in source.text for source in record.sources)


def test_a_document_that_claims_to_answer_everything_leaves_the_others_in_the_prompt(
    place: Place, asked: Callable[[Attack], Asked]
) -> None:
    stuffing = next(attack for attack in ATTACKS if attack.code == "K66")
    assert "tariff.md" in [source.document for source in asked(stuffing).record.sources]
    model = Scripted("A pilot costs 90 euros an hour.")
    record = replace(place.home.assistant, model=model).answer("What does a pilot cost?")
    assert record.answer == "A pilot costs 90 euros an hour."
    assert record.sources[0].document == "tariff.md"


def test_the_restricted_document_is_still_found_by_those_whom_it_is_for(place: Place) -> None:
    def prompts(readers: frozenset[str]) -> str:
        model = Scripted("No.")
        replace(place.home.assistant, model=model).answer("What is the word of the vault?", readers=readers)
        return "".join(message.content for messages in model.asked for message in messages)

    board, everybody = prompts(OPEN | {"board"}), prompts(OPEN)
    assert SECRET in board
    assert SECRET not in everybody


def test_a_restricted_document_leaves_no_trace_in_what_others_get(place: Place) -> None:
    """Neither its words nor its name, nor that there is one."""
    question = "What is the word of the vault of the Harbour Board?"
    record = replace(place.home.assistant, model=Scripted("No.")).answer(question)
    assert SECRET not in record.to_json()
    assert "vault.md" not in record.to_json()
    assert 0 < len(record.sources) - len(record.statements) <= SHOWN + len(record.conflicts)
    assert record.tokens.dropped == 0
    assert len({each.code for each in ATTACKS}) == len(ATTACKS) >= 30
