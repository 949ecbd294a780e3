"""The benchmarks of GRAMMAR: in the paper's sizes, true to their databases, and an audit that names what was broken."""

from dataclasses import replace

import numpy as np
import pytest

from bench.grammar import tables
from bench.grammar.benchmark import DESIGNS, Benchmark, form_sizes, load
from bench.grammar.modules import CRIPPLED, KeywordIndex, Reader, crippled, facts_asked, faithful
from bench.grammar.validation import NAMED, validate
from prompts import CANNOT_ANSWER, Message
from store.passage import Passage
from trag.evaluate.grammar.questions import FORMS, cases, holds

SIZES = {"fictional": (11, 157, 471), "closed": (5, 57, 570), "open": (5, 57, 570)}
"""SQL templates, SQL queries, and texts of each form when balanced (GRAMMAR, table 2)."""


@pytest.fixture(scope="module")
def benchmarks(tmp_path_factory: pytest.TempPathFactory) -> dict[str, Benchmark]:
    folder = tmp_path_factory.mktemp("databases")
    return {name: load(name, folder / f"{name}.db") for name in DESIGNS}


@pytest.fixture(params=DESIGNS)
def benchmark_(request: pytest.FixtureRequest, benchmarks: dict[str, Benchmark]) -> Benchmark:
    return benchmarks[request.param]


def test_a_benchmark_has_the_paper_s_size_and_every_filling_has_one_answer(benchmark_: Benchmark) -> None:
    templates, queries, texts = SIZES[benchmark_.name]
    meanings = benchmark_.audit.meanings
    assert (len({one.sql for one in meanings}), len(meanings), form_sizes(benchmark_.audit)) == (
        templates,
        queries,
        (texts, texts),
    )
    assert (benchmark_.audit.dropped.total, benchmark_.audit.problems) == (0, ())
    assert len(facts_asked(benchmark_)) == 2 * texts, "two texts are the same"


def test_every_fact_stands_in_a_document_unless_it_is_declared_a_gap(benchmark_: Benchmark) -> None:
    stated = {statement.fact for statement in benchmark_.statements}
    asked = set(benchmark_.asked.values())
    assert asked - stated == benchmark_.gaps
    assert 0.1 < len(benchmark_.gaps) / len(asked) < 0.2


def test_what_a_sentence_states_stands_in_it_and_is_what_the_database_says(benchmark_: Benchmark) -> None:
    truth = {benchmark_.asked[one.id]: one.gold[0] for one in benchmark_.audit.meanings}
    wrong = [
        one
        for document in benchmark_.documents
        for one in document.statements
        if one.said not in one.sentence
        or one.sentence not in document.text
        or one.said.casefold() not in [form.casefold() for form in truth[one.fact]]
    ]
    assert not wrong


def test_no_sentence_gives_a_gap_away(benchmark_: Benchmark) -> None:
    sentences = [line for document in benchmark_.documents for line in document.text.replace(". ", ".\n").splitlines()]
    told = [
        (one.values[0], one.answer, sentence)
        for one in benchmark_.audit.meanings
        if benchmark_.asked[one.id] in benchmark_.gaps
        for sentence in sentences
        if holds(sentence, one.values[0]) and any(holds(sentence, form) for form in one.gold[0])
    ]
    assert not told


def test_facts_are_stated_in_many_ways(benchmark_: Benchmark) -> None:
    """With its names and values taken out hardly a sentence is like another."""
    shapes = set()
    total = 0
    for one in benchmark_.statements:
        shapes.add(" ".join(word for word in one.sentence.split() if word[:1].islower()))
        total += 1
    assert len(shapes) > 0.6 * total, (len(shapes), total)


def test_the_closed_benchmark_is_the_open_one_under_other_names(benchmarks: dict[str, Benchmark]) -> None:
    opened, closed = benchmarks["open"], benchmarks["closed"]
    assert sorted(closed.asked.values()) == sorted(opened.asked.values())
    names = {one.values[0] for one in opened.audit.meanings}
    told = [document.text for document in closed.documents] + [case.question for case in cases(closed.audit.meanings)]
    assert not [(name, text) for name in names for text in told if name in text]


def test_the_reader_answers_by_its_prompt_alone(benchmarks: dict[str, Benchmark]) -> None:
    benchmark = benchmarks["fictional"]
    reader = Reader(faithful(benchmark))
    question = next(question for question, fact in facts_asked(benchmark).items() if fact == "saltmarsh.end_date")
    document = next(one for one in benchmark.documents if one.name == "sheet-saltmarsh-bridge")
    asked = [Message("user", f"From the documents:\n{text}\n\nQuestion: {question}") for text in (document.text, "")]
    assert [next(reader.stream([one], max_tokens=9)) for one in asked] == ["29 September 2023", CANNOT_ANSWER]


def test_the_crippled_reader_spoils_its_share_and_never_by_the_truth(benchmark_: Benchmark) -> None:
    everything = " ".join(document.text for document in benchmark_.documents)
    whole, spoiled = faithful(benchmark_), crippled(benchmark_)
    answers = [(whole(one, everything), spoiled(one, everything)) for one in list(facts_asked(benchmark_))[::3]]
    able = [pair for pair in answers if pair[0] != CANNOT_ANSWER]
    bad = [said for right, said in able if said != right]
    assert len(bad) / len(able) == pytest.approx(CRIPPLED, abs=0.1)
    assert bad.count(CANNOT_ANSWER) / len(bad) == pytest.approx(0.5, abs=0.15)


def test_the_keyword_index_finds_exact_forms_only() -> None:
    passages = [
        Passage("1", "section", "a", "Head office", None, "The firm is run from Carrick."),
        Passage("2", "section", "a", "", None, "We would like to know what is on the list."),
    ]
    index = KeywordIndex(passages)

    def first(question: str) -> str:
        return index.search(np.zeros(1), question, kinds=("section",), k=1)[0].id

    assert first("firm in Carrick") == "1"
    assert first("I would like to know what the offices of firms in Carrick are on the list") == "2"
    assert index.search(np.zeros(1), "firm", kinds=("qa",), k=1) == ()


@pytest.fixture
def small(monkeypatch: pytest.MonkeyPatch) -> str:
    """The open benchmark with one text of each form."""
    monkeypatch.setitem(DESIGNS, "open", replace(DESIGNS["open"], texts=1, uneven=(40, 45)))
    return "open"


@pytest.mark.slow
def test_the_audit_names_what_was_planted(small: str) -> None:
    validated = list(validate([small]))
    assert {one.planting: one.balanced.diagnosis.weak for one in validated} == NAMED
    for one in validated:
        diagnosis = one.balanced.diagnosis
        assert len(one.wrong) == diagnosis.asked - diagnosis.right
        assert sum(answer.owed == answer.cause for answer in one.wrong) / len(one.wrong) > 0.8
        counted = [sum(o.form == form for group in one.uneven.groups for o in group.outcomes) for form in FORMS]
        assert sum(counted) + one.uneven.undecided == 85
    for table in tables.report(validated):
        assert table.rows
        assert all(len(row) == len(table.header) for row in table.rows)
