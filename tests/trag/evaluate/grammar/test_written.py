"""Templates by a model, which says many things beside."""

from collections.abc import Generator, Sequence

import pytest

from prompts import Message
from store.source import Column, Link, Table
from trag.evaluate.grammar.templates import generate, lines, statements
from trag.llm.model import ModelIdentity, Usage

TABLES = (
    Table("Client", (Column("Id", "INTEGER", is_key=True), Column("Name"), Column("Town"))),
    Table("Project", (Column("Name"), Column("ClientId", "INTEGER")), (Link("ClientId", "Client", "Id"),)),
)
LONG = "Because I have to write " + "and write " * 15 + "to them, where is '[client.name]' seated?"


class Scripted:
    """A model that says what it is told to, and keeps what it read."""

    identity = ModelIdentity("scripted")
    context = 4096
    slots = 1

    def __init__(self, *said: str) -> None:
        self.said = list(said)
        self.read: list[str] = []

    def count(self, messages: Sequence[Message]) -> int:
        return 1

    def count_text(self, text: str) -> int:
        return 1

    def stream(
        self, messages: Sequence[Message], *, max_tokens: int, stop: object = None
    ) -> Generator[str | Usage, None, None]:
        self.read.append(messages[-1].content)
        yield self.said.pop(0)
        yield Usage()

    def close(self) -> None:
        """Nothing to give back."""


@pytest.mark.parametrize(
    "text",
    [
        "SELECT a FROM b WHERE c = '[b.c]'\nSELECT d FROM b WHERE c = '[b.c]'",
        "Here you are:\n```sql\nSELECT a FROM b\nWHERE c = '[b.c]';\n\nSELECT d FROM b WHERE c = '[b.c]';\n```\nEnjoy.",
        "1. `SELECT a FROM b WHERE c = '[b.c]';`\n2. `SELECT d FROM b WHERE c = '[b.c]';`",
    ],
    ids=["plain", "fenced", "numbered"],
)
def test_sql_is_found_in_whatever_stands_around_it(text: str) -> None:
    assert list(statements(text)) == ["SELECT a FROM b WHERE c = '[b.c]'", "SELECT d FROM b WHERE c = '[b.c]'"]


def test_texts_are_found_without_numbers_labels_and_quotation_marks() -> None:
    said = 'Sure:\n1. town of [a.b]\n- "seat of [a.b]"\n**Query 3:** nothing\nShort: where is [a.b]\n'
    assert list(lines(said)) == ["town of [a.b]", "seat of [a.b]", "where is [a.b]"]


def test_what_keeps_to_the_criteria_is_kept_and_the_rest_is_told() -> None:
    model = Scripted(
        "SELECT Town FROM Client WHERE Name = '[Client.Name]';\n"
        "SELECT Id FROM Client WHERE Name = '[Client.Name]';\nDROP TABLE Client",
        "SELECT town FROM client WHERE name = '[client.name]'",  # the same again, for the other table
        "town of [Client.Name]\nwhere they sit\nseat of [client.name]",
        f"{LONG}\nWhere is [Client.Name]?",
    )
    found = generate(TABLES, "sqlite", model, texts=2)
    (template,) = found.templates
    assert template.short == ("town of [Client.Name]", "seat of [Client.Name]")
    assert template.long == (LONG.replace("'[client.name]'", "[Client.Name]"),)
    # The Id, and a long text of three words; what has no SELECT or placeholder is no template.
    assert len(found.reasons) == 2
    assert any("identifier" in reason for reason in found.reasons)


def test_the_model_sees_the_schema_with_what_a_table_is_linked_to() -> None:
    model = Scripted("", "")
    assert generate(TABLES, "sqlite", model, texts=2).templates == ()
    assert "Client(Id INTEGER, Name TEXT, Town TEXT)" in model.read[0]
    assert "Project.ClientId is a Client.Id" in model.read[0]


def test_a_template_without_texts_in_both_forms_is_left_out() -> None:
    model = Scripted("SELECT Town FROM Client WHERE Name = '[Client.Name]'", "", "town of [Client.Name]", "no long one")
    found = generate(TABLES, "sqlite", model, texts=2)
    assert found.templates == ()
    assert "no text that can be used" in found.reasons[-1]
