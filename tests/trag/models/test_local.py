"""Model files of a home, and a trial of one as if it were the operator's."""

import hashlib
import shutil
from collections.abc import Callable
from pathlib import Path

import pytest

from trag.errors import TragError
from trag.models.local import local_files, try_model


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
