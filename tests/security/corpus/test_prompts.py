"""What of hostile documents reaches a model: words that a reader could see, as quotations, and no mark of a turn."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

import pytest

import prompts
from prompts import Message
from store.passage import OPEN
from tests.security.corpus.attacks import ATTACKS, Attack
from tests.security.corpus.conftest import HONEST, SECRET, Asked, Place, held
from trag.ingest.parse.characters import clean, count_deceptive

pytestmark = [pytest.mark.slow, pytest.mark.timeout(1_200)]

each_attack = pytest.mark.parametrize("attack", ATTACKS, ids=lambda attack: f"{attack.code} {attack.name}")


def test_what_nobody_could_see_is_not_read_and_the_rest_is_text_that_shows(place: Place) -> None:
    assert [str(each) for each in place.results if each.outcome not in ("indexed", "replaced")] == []
    library = place.home.records.library
    passages = [passage for each in library.documents() for passage in library.passages(each.name)]
    passages += [pair.passage for pair in library.pairs()]
    texts = [f"{passage.section}\n{passage.question}\n{passage.text}" for passage in passages]
    assert {attack.code: any(attack.code in text for text in texts) for attack in ATTACKS} == {
        attack.code: attack.read for attack in ATTACKS
    }
    assert [
        text for text in texts if count_deceptive(text) or any(clean(line) != line for line in text.split("\n"))
    ] == []
    names = [each.name for each in library.documents()]
    assert [name for name in names if not name.isprintable()] == []
    assert any(name.startswith("x<img src=") for name in names)
    notes = " ".join(note for each in place.results for note in each.notes)
    assert "invisible characters left out" in notes
    assert "text that cannot be seen" in notes


def test_other_documents_and_who_may_read_them_stay_as_they_were(place: Place) -> None:
    now = held(place.home)
    assert {name: now[name] for name in HONEST} == place.before
    assert {audience for name, (_, audience, _) in now.items() if name not in HONEST} == {OPEN}


@each_attack
def test_the_words_of_a_document_are_quotations_in_the_prompt(
    attack: Attack, place: Place, asked: Callable[[Attack], Asked]
) -> None:
    record, messages = asked(attack).record, asked(attack).messages
    assert messages[:-1] == prompts.starts()["answer"]
    user = messages[-1].content
    parts = re.compile(r"[ >*_#-]*(\[(?:\d+|chart)\]|Question:)", re.IGNORECASE)
    opened = [found[1] for line in user.splitlines() if (found := parts.match(line))]
    chart = [source.kind for source in record.sources].count("chart")
    excerpts = [f"[{number}]" for number in range(1, len(record.sources) - chart + 1)]
    assert opened == [*excerpts, *["[chart]"] * chart, "Question:"]
    assert user.endswith(f"\n\nQuestion: {attack.question}")
    whole = attack.code != "K64"  # its line is longer than an excerpt, and does not come beside the one that answers
    assert (attack.code in user) is (attack.read and whole), "the attack never reached the model, so nothing is tried"
    assert SECRET not in user


def test_no_mark_of_a_chat_template_comes_from_a_document(
    place: Place, asked: Callable[[Attack], Asked], tmp_path: Path
) -> None:
    import llama_cpp

    from trag.llm import files
    from trag.llm.engine import Engine

    path = files.find("", "").model
    llama = (Path(files.__file__).parents[1] / "models" / "llama-2-chat.jinja").read_text(encoding="utf-8")
    for template in ("", llama):
        engine = Engine(str(path), "", 512, 0, template)
        marks = {
            token
            for token in range(engine.tokenizer.size)
            if llama_cpp.llama_vocab_get_attr(engine.tokenizer.vocabulary, token) & llama_cpp.LLAMA_TOKEN_ATTR_CONTROL
        }
        wrong = {}
        for attack in ATTACKS:
            given = (*asked(attack).messages, Message("assistant", attack.obeyed), Message("user", attack.obeyed))
            plain = [replace(message, content="x") for message in given]
            ours, found = (Counter(t for t in engine.tokenizer.prompt(each) if t in marks) for each in (plain, given))
            spelled, rendered = engine.tokenizer.rendered(plain), engine.tokenizer.rendered(given)
            more = [
                mark for mark in ("[INST]", "[/INST]", "<<SYS>>", "<|im_") if rendered.count(mark) > spelled.count(mark)
            ]
            if ours != found or more:
                wrong[attack.code] = (ours, found, more)
        assert wrong == {}, template
