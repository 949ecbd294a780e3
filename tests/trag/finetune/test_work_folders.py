"""Fine-tunes as folders: what is left to be done is known after any end."""

import json
import shutil
from dataclasses import replace
from pathlib import Path

import pytest

from trag.errors import TragError
from trag.finetune.stages import check, settings_of
from trag.finetune.work_folders import STAGES, Works


def test_a_fine_tune_is_found_again_where_it_was(tmp_path: Path) -> None:
    works = Works(tmp_path / "finetune")
    assert (works.all(), works.unfinished()) == ((), None)
    work = works.begin(by="ada", seed=3, settings={"epochs": 0.5, "rank": 8})
    assert Works(tmp_path / "finetune").unfinished() == work
    assert works.get(work.id) == work
    trained = works.after(work, "export")
    assert [trained.is_past(stage) for stage in STAGES] == [True, True, True, False, False]
    measured = works.after(trained, "measure", candidate="20261120-0a0a0a0a")
    assert works.unfinished() == measured
    assert works.of("20261120-0a0a0a0a") == (measured,)
    assert works.of("20261121-0b0b0b0b") == works.of("") == ()
    assert (measured.stage, measured.candidate, measured.settings) == ("measure", "20261120-0a0a0a0a", work.settings)
    assert works.after(measured, "done").finished
    assert works.unfinished() is None
    works.remove(work)
    assert not works.place(work).exists()
    with pytest.raises(TragError, match="no fine-tune"):
        works.get(work.id)


def test_one_that_an_earlier_program_began_is_read(tmp_path: Path) -> None:
    works = Works(tmp_path)
    work = works.begin(by="ada", seed=1, settings={})
    file = works.place(work) / "work.json"
    values = json.loads(file.read_text())
    del values["base"], values["adapter"]
    file.write_text(json.dumps(values))
    assert works.get(work.id) == work


def test_one_keeps_the_adapter_that_it_begins_from_and_what_that_has_learned(tmp_path: Path) -> None:
    works, adapter = Works(tmp_path / "finetune"), tmp_path / "20261120-0a0a0a0a" / "adapter.gguf"
    adapter.parent.mkdir()
    adapter.write_bytes(b"weights")
    work = works.begin(by="ada", seed=1, settings={}, adapter=adapter, known=("who buys paper?",))
    shutil.rmtree(adapter.parent)
    assert works.get(work.id).adapter == "20261120-0a0a0a0a"
    assert works.beginning(work).read_bytes() == b"weights"
    assert works.known(works.get(work.id)) == ("who buys paper?",)


@pytest.mark.parametrize("content", [b"", b"{", b'{"id": "x"}', b"[]"])
def test_one_that_cannot_be_read_is_left_out(tmp_path: Path, content: bytes) -> None:
    works = Works(tmp_path)
    work = works.begin(by="ada", seed=1, settings={})
    (works.place(work) / "work.json").write_bytes(content)
    assert works.all() == ()


def test_settings_are_those_of_training(tmp_path: Path) -> None:
    work = Works(tmp_path).begin(by="ada", seed=3, settings={"epochs": 0.5, "rank": 8})
    settings = settings_of(work)
    assert (settings.seed, settings.epochs, settings.rank, settings.four_bits) == (3, 0.5, 8, False)
    assert isinstance(settings.rank, int)
    assert settings_of(replace(work, settings=(("four_bits", 1.0),))).four_bits is True
    check({"epochs": 1})


@pytest.mark.parametrize(
    ("settings", "problem"),
    [
        ({"speed": 9}, 'unknown key "speed"'),
        ({"rank": 1.5}, '"rank" must be a whole number'),
        ({"epochs": float("nan")}, '"epochs" must be a number'),
        ({"epochs": -1.0, "warm_up": 2.0}, '"warm_up" must be less than 1, found 2.0; "epochs" must be more than 0'),
        ({"four_bits": 0.5}, '"four_bits" must be true or false'),
    ],
)
def test_settings_that_no_training_can_have_are_refused_before_anything_is_done(
    settings: dict[str, float], problem: str
) -> None:
    with pytest.raises(TragError, match=problem) as refused:
        check(settings)
    assert "learning_rate" in refused.value.hint


def test_a_training_that_begins_from_an_adapter_learns_more_slowly_unless_told_otherwise(tmp_path: Path) -> None:
    work = Works(tmp_path).begin(by="ada", seed=3, settings={"epochs": 0.5})
    from_adapter = settings_of(replace(work, adapter="20261120-0a0a0a0a"))
    assert from_adapter.learning_rate < settings_of(work).learning_rate
    assert from_adapter.epochs == 0.5
    told = replace(work, adapter="20261120-0a0a0a0a", settings=(("learning_rate", 0.01),))
    assert settings_of(told).learning_rate == 0.01
