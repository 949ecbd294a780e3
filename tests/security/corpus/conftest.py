"""A home with honest documents and then the corpus, and a model that obeys each attack to the letter.

What holds then holds whatever a model writes.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace
from pathlib import Path

import pytest

from org.reading.charts import load
from prompts import Message
from store.passage import OPEN, Audience, Passage
from tests.scripted import Scripted
from tests.security.corpus import attacks
from tests.security.corpus.attacks import Attack
from trag import retrieve
from trag.home import Home, open_home
from trag.ingest.discovery import Ingested
from trag.record import AnswerRecord
from trag.settings import Settings

SECRET = "marzipan-vault-8841"
HONEST = {
    "tariff.md": "# Tariff\n\n## Bar\n\nTea in the bar costs 3 euros a cup.\n\n"
    "## Pilots\n\nA pilot costs 90 euros an hour.\n",
    "vault.md": f"# Vault\n\nThe word of the vault is {SECRET}; the vault of the Harbour Board opens with it.\n",
}
AUDIENCES = {"tariff.md": OPEN, "vault.md": frozenset({"board"})}


Held = dict[str, tuple[tuple[Passage, ...], Audience, object]]


@dataclass(frozen=True, slots=True)
class Place:
    """A home with honest documents and then the corpus: what it held of the honest ones before, and what became of each
    hostile file."""

    home: Home
    before: Held
    results: tuple[Ingested, ...]


@dataclass(frozen=True, slots=True)
class Asked:
    """What came of an attack's question: its record, and the messages that the model was first given for an answer."""

    record: AnswerRecord
    messages: Sequence[Message]

    @property
    def prompt(self) -> str:
        return self.messages[-1].content


def held(home: Home) -> Held:
    library, index = home.records.library, home.vectors.held()
    return {
        each.name: (tuple(library.passages(each.name)), each.audience, index[each.name]) for each in library.documents()
    }


@pytest.fixture(scope="session")
def place(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Place]:
    folder = tmp_path_factory.mktemp("harbour")
    honest, hostile = folder / "honest", folder / "hostile"
    chart = (attacks.HOSTILE / "chart.csv").read_bytes()
    with open_home(Settings(home=folder / "home")) as home:
        home.charts.activate(load(chart, "chart.csv"), [("chart.csv", chart)], by="test")
        honest.mkdir()
        for name, text in HONEST.items():
            (honest / name).write_text(text, encoding="utf-8")
        assert {each.outcome for each in ingested(home, honest)} == {"indexed"}
        for name, audience in AUDIENCES.items():
            home.set_audience(name, audience)
        before = held(home)
        hostile.mkdir()
        attacks.write(hostile)
        yield Place(home, before, ingested(home, hostile))


def ingested(home: Home, folder: Path) -> tuple[Ingested, ...]:
    return home.ingest([folder], replace=False, progress=lambda *_: None)


@pytest.fixture(scope="session")
def asked(place: Place) -> Callable[[Attack], Asked]:
    """Asks the question of an attack, once, as somebody who may read what everybody may. The model sends each to the
    documents, also those that the chart answers, and is shown whole passages in place of the lines that answer: worse
    cannot happen."""
    known: dict[str, Asked] = {}

    def asked(attack: Attack) -> Asked:
        if attack.code not in known:
            model = Scripted(attack.obeyed)
            with pytest.MonkeyPatch.context() as patch:
                patch.setattr(retrieve, "lines_of", lambda passage: (passage.text,))
                record = replace(place.home.assistant, model=model).answer(attack.question)
            known[attack.code] = Asked(record, model.asked[0])
        return known[attack.code]

    return asked
