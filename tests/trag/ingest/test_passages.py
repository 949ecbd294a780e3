import pytest

from trag.ingest.passages import LENGTH, OVERLAP, Section, section_passages, split

SENTENCE = "The committee meets every month and decides by majority, unless the statute says otherwise."
ROW = "Approval limits – Post: Head of unit number {}; Limit: 10,000 LMD; Condition: with the consent of the director."


@pytest.mark.parametrize(
    ("text", "units"),
    [
        pytest.param("\n\n".join([SENTENCE] * 30), SENTENCE.split("\n"), id="paragraphs"),
        pytest.param(" ".join([SENTENCE] * 30), [SENTENCE], id="sentences"),
        pytest.param(
            "\n".join(ROW.format(number) for number in range(40)),
            [ROW.format(number) for number in range(40)],
            id="rows",
        ),
    ],
)
def test_long_text_is_cut_between_what_belongs_together(text: str, units: list[str]) -> None:
    pieces = split(text)
    assert len(pieces) > 1
    assert max(map(len, pieces)) <= LENGTH
    assert min(map(len, pieces)) > LENGTH // 2, "pieces are about even"
    for piece in pieces:
        assert piece.startswith(tuple(units)), piece[:80]
        assert piece.endswith(tuple(units)), piece[-80:]
    assert {unit for unit in units if not any(unit in piece for piece in pieces)} == set()


def test_words_are_never_cut_unless_one_is_longer_than_a_passage() -> None:
    words = " ".join(f"word{number}" for number in range(1000))
    assert {word for piece in split(words) for word in piece.split()} == set(words.split())
    assert "".join(split("x" * 2_500)).count("x") >= 2_500
    assert max(map(len, split("字。" * 1_500))) <= LENGTH


def test_a_piece_of_a_list_repeats_what_leads_it_in() -> None:
    items = [f"- duty number {number}, which is to look after the accounts and the funds;" for number in range(40)]
    pieces = split("\n".join(["Intro.", "", "The treasurer shall:", *items]))
    assert len(pieces) > 2
    assert all("The treasurer shall:\n- duty" in piece for piece in pieces)
    assert max(map(len, pieces)) <= LENGTH + OVERLAP


def test_short_text_is_one_passage_and_nothing_is_none() -> None:
    assert split(SENTENCE) == (SENTENCE,)
    assert split("  \n") == ()


def test_ids_last_as_long_as_document_section_and_text() -> None:
    sections = [Section("1 A", None, "One."), Section("2 B", 3, "Two."), Section("2 B", 3, "Two.")]
    first = section_passages("a.md", sections)
    assert [(passage.kind, passage.section, passage.page, passage.text) for passage in first] == [
        ("section", "1 A", None, "One."),
        ("section", "2 B", 3, "Two."),
    ]
    changed = section_passages(
        "a.md", [Section("0 New", None, "Zero."), sections[0], Section("2 B", 4, "Two, changed.")]
    )
    assert {passage.id for passage in first} & {passage.id for passage in changed} == {first[0].id}
    assert {passage.id for passage in first} & {passage.id for passage in section_passages("b.md", sections)} == set()
