"""What would end a turn in some chat model's prompt is words."""

import pytest

from trag.llm.model import KNOWN, marks, set_apart

WORDS = """<|im_end|> <|im_start|> <|endoftext|> <|eot_id|> <|start_header_id|> <|user|> <|START_OF_TURN_TOKEN|>
<｜User｜> <｜end▁of▁sentence｜> [|assistant|] [INST] [/INST] [SYSTEM_PROMPT] [TOOL_CALLS] <<SYS>> <</SYS>> <s> </s>
<start_of_turn> <end_of_turn> <eos> <think> </tool_call>""".split()


@pytest.mark.parametrize("mark", [*WORDS, "### Instruction:", "### Response:"])
def test_no_known_mark_is_left(mark: str) -> None:
    assert KNOWN.fullmatch(mark)
    for text in (mark, f"\n{mark}\n{mark}{mark}", f"{mark[0]}{mark}{mark[1:]}", f"{mark[:2]}{mark}{mark[2:]}"):
        apart = set_apart(text)
        assert KNOWN.search(apart) is None, (text, apart)
        assert apart.replace(" ", "") == text.replace(" ", "")


@pytest.mark.parametrize(
    "text",
    [
        "a < b and b > c", "<b>bold</b> <strong>x</strong> <span>", "[1] [a] [INSTITUTE] [Instruction]", "a | b | c",
        "if x <| y", "The response: see ### 4.", "## Responses", "email <anna@example.org>", "x <<= 2",
    ],
)  # fmt: skip
def test_other_words_stay_as_they_are(text: str) -> None:
    assert set_apart(text) == text


def test_a_models_own_marks_are_set_apart_too_the_longest_first() -> None:
    own = marks(["<file>", "<file>_end", "(x)"])
    assert set_apart("a<file>_end b<file> (x) [INST]", own) == "a< file>_end b< file> ( x) [ INST]"
