"""The answer record keeps one shape: what it says in JSON is what it reads back."""

import json
from dataclasses import replace

import pytest

from trag.record import (
    AnswerRecord,
    Approval,
    CheckedSentence,
    Checks,
    Entity,
    Misplaced,
    ModelUsed,
    Seconds,
    Source,
    SourceValidity,
    StatementUsed,
    Tokens,
    first_of_sections,
    standing_words,
)

RECORD = AnswerRecord(
    id="1",
    question="Où ?",
    standalone="Où est le bureau ?",
    answer="Là.",
    status="answered",
    model=ModelUsed("m", "ab", "lora.gguf"),
    entities=(Entity("u", "Bureau", "bureau", 10, 16),),
    statements=(StatementUsed("u", "The bureau is there."),),
    sources=(Source("a", "qa", "d.md", "1 One", 3, "There.", 0.71, "Where?"),),
    checks=Checks((CheckedSentence("Là.", True, "a"),), (Misplaced("A", "B", "C"),), ("X",), "chart", 2, "v1"),
    tokens=Tokens(412, 30, 38, 1),
    seconds=Seconds(total=1.5),
    approved=Approval("Rita", "2026-11-30", "Où est-il ?"),
)


def test_a_record_reads_back_what_it_wrote() -> None:
    assert AnswerRecord.from_json(RECORD.to_json()) == RECORD


def test_the_keys_that_other_programs_rely_on_are_there() -> None:
    values = json.loads(RECORD.to_json())
    assert list(values["sources"][0]) == [
        "id",
        "kind",
        "document",
        "section",
        "page",
        "text",
        "score",
        "question",
        "validity",
    ]
    assert {"sentences", "misplaced", "unknown_units", "replaced"} <= set(values["checks"])
    assert {"prompt", "completion"} <= set(values["tokens"])
    steps = {"link", "chart_query", "retrieve", "first_token", "generate", "verify", "total"}
    assert steps <= set(values["seconds"])
    assert "Où" in RECORD.to_json()


def test_a_record_of_an_older_version_is_read_with_the_defaults() -> None:
    values = json.loads(RECORD.to_json())
    for key in ("interrupted", "tokens", "seconds", "checks", "approved"):
        del values[key]
    old = AnswerRecord.from_json(json.dumps(values))
    assert (old.answer, old.checks, old.interrupted) == ("Là.", Checks(), "")


def source(id: str, document: str, section: str, kind: str = "section") -> Source:
    return Source(id, kind, document, section, None, f"Words of {id}.", 0.5)


def test_each_section_is_led_to_once_and_the_chart_never() -> None:
    sources = (
        source("chart-1", "Organization chart 1", "Board", "chart"),
        source("a", "fees.md", "Mooring"),
        source("b", "fees.md", "Mooring", "qa"),
        source("c", "rules.md", "Mooring"),
        source("d", "fees.md", "Water"),
    )
    assert [one.id for one in first_of_sections(sources)] == ["a", "c", "d"]
    assert first_of_sections(sources[:1]) == ()


@pytest.mark.parametrize(
    ("kind", "validity", "words"),
    [
        ("section", None, ""),
        ("section", SourceValidity("in force", "2024-03-01"), "in force from 1 Mar 2024"),
        (
            "section",
            SourceValidity("in force", "", "2024-02-29", asked="2023-01-01/2023-12-31"),
            "in force then to 29 Feb 2024",
        ),
        (
            "qa",
            SourceValidity("superseded", "", "2024-02-29", ("a.md", "b.md")),
            "superseded after 29 Feb 2024 by a.md, b.md",
        ),
        ("section", SourceValidity("withdrawn"), "withdrawn"),
        ("section", SourceValidity("no longer valid", "", "2024-02-29"), "no longer valid after 29 Feb 2024"),
        ("section", SourceValidity("not yet valid", "2030-01-01"), "not yet valid: from 1 Jan 2030 on"),
        ("section", SourceValidity("draft", "2030-01-01"), "draft"),
        ("chart", SourceValidity("in force", "2026-05-03"), "chart of 3 May 2026"),
    ],
)
def test_the_line_of_a_source_says_how_it_stood(kind: str, validity: SourceValidity | None, words: str) -> None:
    assert standing_words(replace(source("1", "old.md", "Meals", kind), validity=validity)) == words
