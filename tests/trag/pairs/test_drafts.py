import pytest

from trag.pairs.drafts import Draft, drafts

ONE = Draft("Who may vote?", "Members may vote.", "short answer")
TWO = Draft("May staff vote?", "No.", "yes no")


@pytest.mark.parametrize(
    "text",
    [
        '{"type": "short answer", "question": "Who may vote?", "answer": "Members may vote."}\n'
        '{"type": "yes_no", "question": "May staff vote?", "answer": "No."}',
        'Here:\n```json\n[{"type": "short answer", "question": "Who may vote?", "answer": "Members may vote."},'
        '\n{"Type": "Yes/No", "Question": "May staff vote?", "Answer": "No."},]\n```\nI hope this helps!',
        '{"pairs": [{"q": "Who may vote?", "a": "Members may vote."}, {"q": "May staff vote?", "a": "No."}]}',
        "| Question Type | Question | Answer |\n|---|---|---|\n| Short Answer | Who may vote? | Members may vote. |\n"
        "| Yes or No | May staff vote? | No. |",
        "1. Question: Who may vote?\n   Answer: Members may vote.\n\n2. **Question:** May staff vote?\n"
        "   **Answer:** No.\n   Type: yes no",
        "Q1: Who may vote?\nA1: Members may vote.\n\nType: yes no\nQ2: According to the text, may staff vote?\nA2: No.",
        "1. Who may vote?\nMembers may vote.\n2. May staff vote?\nNo.",
        "User: Who may vote?\n\nAssistant: Members may vote.\n\nUser: May staff vote?\n\nAssistant: No.",
    ],
    ids=["lines", "fenced list", "wrapped", "table", "labels", "letters", "numbered", "conversation"],
)
def test_pairs_are_read_in_every_form_that_models_write(text: str) -> None:
    assert [(draft.question, draft.answer) for draft in drafts(text)] == [
        (ONE.question, ONE.answer),
        (TWO.question, TWO.answer),
    ]


def test_types_are_the_known_ones() -> None:
    text = '{"type": "%s", "question": "Who may vote?", "answer": "Members."}'
    types = {named: drafts(text % named)[0].type for named in ("Yes/No", "fill_in_the_blank", "poem", "")}
    assert types == {
        "Yes/No": "yes no",
        "fill_in_the_blank": "fill in the blank",
        "poem": "short answer",
        "": "short answer",
    }


@pytest.mark.parametrize(
    "row",
    [
        '"question": "Who may vote?", "answer": ""',
        '"question": "...", "answer": "..."',
        '"question": "Who may vote?", "answer": "Who may vote?"',
        '"question": "Members may vote.", "answer": "Yes."',
        '"question": "What does the text above say?", "answer": "Members may vote."',
        '"question": "What is in this section?", "answer": "Members may vote."',
        f'"question": "Who may vote?", "answer": "{"x " * 1000}"',
        '"answer": "Members may vote."',
    ],
    ids=[
        "no answer",
        "placeholder",
        "echo",
        "no question",
        "points at the text",
        "points at the section",
        "long",
        "half",
    ],
)
def test_what_is_no_pair_is_left_out(row: str) -> None:
    assert drafts("{" + row + "}") == ()


@pytest.mark.parametrize(
    "text", ["", "I cannot do that.", "{", "{{{{", "[[[", '{"question": 3}', "|||\n|||", "A: \nQ: "]
)
def test_nothing_comes_of_nothing(text: str) -> None:
    assert drafts(text) == ()


def test_an_answer_cut_off_in_the_middle_loses_its_last_pair_only() -> None:
    whole = '{"question": "Who may vote?", "answer": "Members may vote."}\n'
    assert drafts(whole + '{"question": "May staff vote?", "answer": "N') == (ONE,)
