"""Model files of a home, and a trial of one as if it were the operator's."""

import hashlib
import shutil
from collections.abc import Callable
from pathlib import Path

import numpy as np
import pytest

from tests.tiny_model import ADAPTER, write_gguf, write_model
from trag.errors import TragError
from trag.models import catalogue, local
from trag.models.local import accepted_name, check_new, check_room, local_files, offered, offered_as, take_in, try_model


def test_each_file_is_told_with_what_its_header_says(tmp_path: Path, make_adapter: Callable[..., Path]) -> None:
    (tmp_path / "broken.gguf").write_bytes(b"<html>")
    make_adapter(tmp_path / "ours.gguf")
    (tmp_path / "notes.txt").write_text("x")
    assert local_files(tmp_path / "nowhere") == ()
    broken, adapter = local_files(tmp_path)
    assert (broken.path.name, broken.bytes) == ("broken.gguf", 6)
    assert "is no GGUF file" in broken.problem
    assert (adapter.architecture, adapter.problem) == ("llama", "It is an adapter, not a model.")
    (tmp_path / "gone.gguf").symlink_to(tmp_path / "nowhere.gguf")
    _, gone, _ = local_files(tmp_path)
    assert (gone.bytes, gone.problem) == (0, "It cannot be read: No such file or directory.")


@pytest.mark.slow
def test_a_model_is_loaded_and_writes(model_home: Path, tmp_path: Path) -> None:
    (file,) = (model_home / "models").glob("*.gguf")
    path = Path(shutil.copy(file, tmp_path / "their.gguf"))
    assert local_files(tmp_path)[0].problem == ""
    one = try_model(tmp_path, str(path), context=1024, gpu_layers=0)
    assert one.sha256 == hashlib.sha256(path.read_bytes()).hexdigest()
    assert (one.context, one.on_gpu) == (1024, False)
    assert one.trial.text.strip()
    assert one.trial.tokens_per_second > 1


def test_what_cannot_answer_is_refused(tmp_path: Path) -> None:
    with pytest.raises(TragError, match="There is no file"):
        try_model(tmp_path, str(tmp_path / "nothing.gguf"), context=1024, gpu_layers=0)
    (tmp_path / "cut.gguf").write_bytes(b"GGUF\x03\x00")
    with pytest.raises(TragError, match="damaged GGUF header"):
        try_model(tmp_path, str(tmp_path / "cut.gguf"), context=1024, gpu_layers=0)


def test_the_catalogue_and_the_files_of_a_home_are_offered(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "cache"))
    catalogue.folder().mkdir(parents=True)
    model = catalogue.named("qwen2.5-1.5b-instruct")
    model.path.with_name(f"{model.file}.part").write_bytes(b"12345")
    (tmp_path / "models").mkdir()
    own = write_model(tmp_path / "models" / "own.gguf", "llama")
    *known, last = offered(tmp_path)
    assert [each.name for each in known] == [each.name for each in catalogue.MODELS]
    begun = offered_as(model.name, tmp_path)
    assert (begun.setting, begun.here, begun.usable) == (str(model.path), 5, False)
    assert offered_as(catalogue.SMALL.name, tmp_path).setting == "small"
    assert (last.name, last.setting, last.architecture, last.usable) == ("own.gguf", str(own), "llama", True)
    with pytest.raises(TragError, match="There is no model other"):
        offered_as("other", tmp_path)


def test_a_model_larger_than_the_memory_is_refused_in_figures(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "models").mkdir()
    write_model(tmp_path / "models" / "own.gguf", "llama")
    (own,) = (each for each in offered(tmp_path) if not each.known)
    check_room(own)
    monkeypatch.setattr(local, "free_memory", lambda: own.memory - 1)
    with pytest.raises(TragError, match=r"own\.gguf takes about 0\.0 GB of memory") as refused:
        check_room(own)
    assert own.setting in refused.value.hint


@pytest.mark.parametrize(
    ("given", "kept"),
    [("a b.gguf", "a b.gguf"), ("C:\\x\\Q.GGUF", "Q.gguf"), ("../../.hid\x00den.gguf", "hidden.gguf")],
)
def test_the_name_of_a_file_stays_within_its_folder(given: str, kept: str) -> None:
    assert accepted_name(given) == kept


@pytest.mark.parametrize("given", ["", "model.safetensors", ".gguf", "../gguf", "x.gguf/"])
def test_a_file_with_another_ending_is_refused(given: str) -> None:
    with pytest.raises(TragError, match=r"is no \.gguf file"):
        accepted_name(given)


def test_what_is_whole_and_a_chat_model_is_taken_in(tmp_path: Path) -> None:
    folder = tmp_path / "models"
    folder.mkdir()
    came = write_model(tmp_path / "came", "qwen2")
    assert take_in(came, "their.gguf", folder) == "qwen2"
    assert [each.name for each in folder.iterdir()] == ["their.gguf"]
    again = write_model(tmp_path / "came", "llama")
    with pytest.raises(TragError, match=r"their\.gguf is here already"):
        take_in(again, "their.gguf", folder)


def test_what_is_none_is_refused_with_what_was_found(tmp_path: Path) -> None:
    whole = write_model(tmp_path / "whole", "llama").read_bytes()
    plain = write_gguf(tmp_path / "plain", "llama", {"general.type": "model"}, {"a": np.zeros((2, 2), np.float32)})
    adapter = write_gguf(tmp_path / "adapter", "llama", ADAPTER, {"a": np.zeros((2, 2), np.float32)})
    for content, said in (
        (b"<html>not found", r"x.gguf is no GGUF file: it starts with b'<htm'"),
        (b"", "x.gguf is no GGUF file: it is empty"),
        (whole[:-100], r"x.gguf is cut short: it has [\d,]+ bytes and its tensors need"),
        (whole[:5000], "x.gguf has a damaged GGUF header: it ends too early"),
        (adapter.read_bytes(), "x.gguf is an adapter, not a model"),
        (plain.read_bytes(), "x.gguf carries no chat template"),
    ):
        (tmp_path / "came").write_bytes(content)
        with pytest.raises(TragError, match=said) as refused:
            take_in(tmp_path / "came", "x.gguf", tmp_path)
        assert refused.value.hint
        assert not (tmp_path / "x.gguf").exists()
    (tmp_path / "x.gguf.jinja").write_text("{{ messages }}")
    assert take_in(plain, "x.gguf", tmp_path) == "llama", "its template is beside it"


def test_a_file_that_the_disk_has_no_room_for_is_refused_before_it_comes(tmp_path: Path) -> None:
    with pytest.raises(TragError, match=r"x\.gguf has 900000\.00 GB, and there is room for"):
        check_new("x.gguf", 900_000 * 10**9, tmp_path / "not" / "there")
