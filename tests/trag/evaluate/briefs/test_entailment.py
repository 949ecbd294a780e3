"""What is read of pairs, and what verdicts are made of probabilities."""

from collections.abc import Sequence
from pathlib import Path

import numpy as np
import pytest
import torch

from trag import embed
from trag.errors import TragError
from trag.evaluate.briefs.entailment import LONGEST, Reader
from trag.evaluate.briefs.judge import Judge
from trag.evaluate.briefs.measures import covered

PASSAGES = ("The Board has nine members.", "The Chair is elected.", "Nothing else.")


class Given(Judge):
    """A judge that takes a sentence for supported where all of its words stand in the evidence."""

    def __init__(self) -> None:
        pass

    def weigh(self, pairs: Sequence[tuple[str, str, str]]) -> np.ndarray:
        held = [{*evidence.lower().replace(".", "").split()} for evidence, _, _ in pairs]
        said = [{*sentence.lower().replace(".", "").split()} for _, _, sentence in pairs]
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


@pytest.fixture(scope="module")
def reader() -> Reader:
    return Reader(embed.embedded_folder())


def test_marks_say_which_tokens_the_other_side_has(reader: Reader) -> None:
    windows = reader.read([("The fee is 12 crowns.", "Fees:", "The price is 30 crowns.")])
    assert windows.tokens.shape == windows.marks.shape == (1, int(windows.mask.sum()))
    # [CLS] fees : | the price is 30 crowns . [SEP] the fee is 12 crowns . [SEP]
    own = windows.marks[0][windows.own[0]].tolist()
    assert [mark % 3 > 0 for mark in own] == [True, False, True, False, True, True]
    assert not windows.own[0, :3].any()


def test_long_evidence_is_read_in_windows_that_all_hold_the_sentence(reader: Reader) -> None:
    windows = reader.read([("A rule of no use. " * 200, "", "It holds."), ("Short.", "", "It holds.")])
    assert windows.tokens.shape[1] == LONGEST
    assert windows.pairs.bincount().tolist()[1] == 1
    assert torch.equal(windows.own.sum(1), torch.full((len(windows.pairs),), 3))


def test_a_damaged_file_is_told(tmp_path: Path) -> None:
    (tmp_path / "judge.safetensors").write_bytes(b"none")
    with pytest.raises(TragError, match="cannot be read"):
        Judge(tmp_path / "judge.safetensors")
