"""No passage reaches a prompt that the asker may not read: asserted on the prompts themselves, over a real chart, index
and encoder, with a canary in every section. The model is scripted, for it is what it hears that counts."""

import re
from collections.abc import Collection, Iterator

import pytest

from org.reading.charts import load
from tests.scripted import Scripted
from trag import paper_systems
from trag.ask import Assistant
from trag.events import Answer, Found
from trag.home import Home, open_home
from trag.llm.queue import RequestQueue
from trag.people import CurrentUser
from trag.people.permissions import readers
from trag.settings import Settings

pytestmark = pytest.mark.slow

GROUPS = ("Harbour", "Museum", "Library")
CHART = b"id,name,parent,type\nt,Town,,town\n" + b"".join(
    f"{name[0]},{name},Town,division\n{name[0]}2,{name} Crew,{name},team\n".encode() for name in GROUPS
)
WITHOUT_HARBOUR = CHART.replace(b"H,Harbour,Town,division\nH2,Harbour Crew,Harbour,team\n", b"")
TOPICS = """travel parking training clothing telephone overtime holiday meals books tools insurance laundry bicycle
childcare heating medicine moving spectacles language visitor emergency weekend night jubilee research laptop software
printing postage furniture garden repair boat""".split()
QUESTIONS = [f"What is the {topic} allowance of the {group}?" for group in GROUPS for topic in TOPICS]
CANARY = re.compile(r"canary-([a-z]+)-\d+")


def manual(group: str) -> str:
    """What only a group may read: a section on each topic, with a canary of its own."""
    return f"# Rules of the {group}\n\n" + "\n\n".join(
        f"## {topic.capitalize()}\n\nThe {topic} allowance of the {group} is canary-{group.lower()}-{number} a year."
        for number, topic in enumerate(TOPICS)
    )


@pytest.fixture(scope="module")
def home(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Home]:
    folder = tmp_path_factory.mktemp("town")
    with open_home(Settings(home=folder / "home")) as home:
        home.charts.activate(load(CHART, "chart.csv"), [("chart.csv", CHART)], by="ada")
        given = folder / "given"
        given.mkdir()
        for group in GROUPS:
            (given / f"{group}.md").write_text(manual(group))
        (given / "Town.md").write_text(
            "# Town\n\n## Allowance\n\nEvery allowance of the canary-town-0 is paid in May.\n"
        )
        results = home.ingest([given], replace=False, progress=lambda *_: None)
        assert {each.outcome for each in results} == {"indexed"}, results
        for group in GROUPS:
            home.set_audience(f"{group}.md", frozenset({group[0]}))
        yield home


@pytest.fixture
def model() -> Scripted:
    return Scripted("The allowance is paid once a year.")


@pytest.fixture
def assistant(home: Home, model: Scripted) -> Assistant:
    return Assistant(
        home.organization, home.vectors, home.embedder, model, home.records, RequestQueue(1, 0), home.settings
    )


def held(home: Home, unit: str) -> frozenset[str] | None:
    return readers(CurrentUser("1", "anna", "Anna", "employee", unit), home.organization.chart)


def heard(model: Scripted) -> list[str]:
    """What the model was asked, a text a prompt."""
    return ["\n".join(message.content for message in messages) for messages in model.asked]


def told(assistant: Assistant, question: str, keys: Collection[str] | None, system: str) -> set[str]:
    """Whose canaries one question brings to light outside the prompt: in the sources, and in the saved record."""
    seen = ""
    for event in assistant.ask(question, steps=paper_systems.steps(system), readers=keys):
        if isinstance(event, Found):
            seen += "".join(source.text + source.question for source in event.sources)
        if isinstance(event, Answer):
            seen += event.record.to_json()
    return set(CANARY.findall(seen))


@pytest.mark.parametrize("group", GROUPS)
def test_no_prompt_holds_a_passage_that_is_for_others(
    home: Home, assistant: Assistant, model: Scripted, group: str
) -> None:
    own = {group.lower(), "town"}
    for system, questions in (("rag", QUESTIONS[::3]), ("trag", QUESTIONS[::12])):
        for question in questions:
            assert told(assistant, question, held(home, f"{group[0]}2"), system) <= own, question
    asked = len(QUESTIONS[::3])
    assert len(model.asked) >= asked
    found = [set(CANARY.findall(prompt)) for prompt in heard(model)]
    assert all(canaries <= own for canaries in found), [canaries - own for canaries in found]
    # That nothing leaks says something only where what may be found is found.
    assert sum(bool(canaries) for canaries in found) >= asked


def test_who_holds_every_key_is_answered_from_all(home: Home, assistant: Assistant, model: Scripted) -> None:
    for question in QUESTIONS[:: len(TOPICS)]:
        told(assistant, question, None, "rag")
    assert {group.lower() for group in GROUPS} <= set(CANARY.findall("".join(heard(model))))


def test_without_a_word_on_who_asks_only_what_is_for_everyone_is_read(assistant: Assistant, model: Scripted) -> None:
    for question in QUESTIONS[:: len(TOPICS)]:
        assistant.answer(question, steps=paper_systems.steps("rag"))
    assert set(CANARY.findall("".join(heard(model)))) == {"town"}


def test_what_an_admin_changes_counts_with_the_next_question(home: Home, assistant: Assistant, model: Scripted) -> None:
    question, keys = QUESTIONS[0], held(home, "H2")
    assert "harbour" in told(assistant, question, keys, "rag")
    home.set_audience("Harbour.md", frozenset({"M"}))
    try:
        assert told(assistant, question, keys, "rag") == {"town"}
        assert "harbour" in told(assistant, question, held(home, "M"), "rag")
    finally:
        home.set_audience("Harbour.md", frozenset({"H"}))
    home.charts.activate(load(WITHOUT_HARBOUR, "chart.csv"), [("chart.csv", WITHOUT_HARBOUR)], by="ada")
    try:
        assert told(assistant, question, held(home, "H2"), "rag") == {"town"}, "their unit is gone"
    finally:
        home.charts.activate(load(CHART, "chart.csv"), [("chart.csv", CHART)], by="ada")
    assert "harbour" in told(assistant, question, held(home, "H2"), "rag")
