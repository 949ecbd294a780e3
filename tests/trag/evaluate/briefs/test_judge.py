"""What verdicts are made of probabilities, and networks that give them."""

from collections.abc import Sequence
from pathlib import Path

import numpy as np
import pytest
import torch

from trag import embed
from trag.errors import TragError
from trag.evaluate.briefs.judge import Judge
from trag.evaluate.briefs.measures import covered

PASSAGES = ("The Board has nine members.", "The Chair is elected.", "Nothing else.")


class Given(Judge):
    """A judge that takes a sentence for supported where all of its words stand in the evidence."""

    def __init__(self) -> None:
        pass

    def weigh(self, pairs: Sequence[tuple[str, str]]) -> np.ndarray:
        held = [{*evidence.lower().replace(".", "").split()} for evidence, _ in pairs]
        said = [{*sentence.lower().replace(".", "").split()} for _, sentence in pairs]
        return np.array([0.9 if own <= known else 0.1 for own, known in zip(said, held, strict=True)])


def test_verdicts_know_other_passages_and_several_together() -> None:
    sentences = ("The Board has nine members.", "The Chair is elected.", "The Board is elected.", "It meets daily.")
    found = Given().verdicts(PASSAGES, sentences, [(0,), (0,), (0, 1), ()])
    assert [one.kind for one in found] == ["attributed", "misattributed", "stitched", "unsupported"]
    assert found[1].by == (1,)
    assert Given().verdicts(PASSAGES, ()) == ()


def test_a_checklist_is_held_against_the_text() -> None:
    text = "The Board has nine members. The Chair is elected."
    assert covered(text, ("The Board has nine members.", "The Chair is paid."), Given()) == (True, False)


def made(folder: Path, **labels: str) -> Path:
    """A small network by chance, with the encoder's own words."""
    from transformers import AutoTokenizer, BertConfig, BertForSequenceClassification

    torch.manual_seed(1)
    size = {"hidden_size": 32, "num_hidden_layers": 1, "num_attention_heads": 2, "intermediate_size": 32}
    named = {"id2label": dict(enumerate(labels.values()))}
    AutoTokenizer.from_pretrained(embed.embedded_folder(), local_files_only=True).save_pretrained(folder)
    BertForSequenceClassification(BertConfig(**size, **named, num_labels=len(labels))).save_pretrained(folder)
    return folder


@pytest.mark.slow
def test_the_probability_is_that_of_entailment_wherever_it_stands(tmp_path: Path) -> None:
    names = {"a": "contradiction", "b": "Entailment", "c": "neutral"}
    pairs = [("The fee is 12 crowns.", "It costs money."), ("The Board meets.", "Nobody meets.")]
    middle = Judge(made(tmp_path / "middle", **names)).weigh(pairs)
    first = Judge(made(tmp_path / "first", a="entailment", b="contradiction", c="neutral")).weigh(pairs)
    last = Judge(made(tmp_path / "last", a="contradiction", b="neutral", c="entailment")).weigh(pairs)
    assert first + middle + last == pytest.approx([1.0, 1.0], abs=1e-5)
    assert (middle > 0).all()
    assert Judge(tmp_path / "middle").verdicts((), ("It costs money.",))[0].kind == "unsupported"


@pytest.mark.slow
def test_what_is_no_judge_is_told(tmp_path: Path) -> None:
    with pytest.raises(TragError, match="cannot be loaded"):
        Judge(tmp_path / "none")
    with pytest.raises(TragError, match="knows no entailment: its labels are label_0"):
        Judge(made(tmp_path / "other", a="LABEL_0"))
