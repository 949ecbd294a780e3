"""The memory that is free: of the machine, and of a container."""

from pathlib import Path

import pytest

from trag import machine
from trag.machine import free_memory


def test_files_that_a_container_has_read_do_not_count_as_used_memory(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    said = {"max": "9000", "current": "8000", "stat": "anon 2000\nfile 6000\ninactive_file 3500\nactive_file 1500\n"}
    for name, content in said.items():
        (tmp_path / f"memory.{name}").write_text(content)
    monkeypatch.setattr(machine, "_CONTAINER", tmp_path)
    assert free_memory() == 6000
    for unlimited in ("max", "1000000000000000000"):
        (tmp_path / "memory.max").write_text(unlimited)
        assert 6000 < (free_memory() or 0) < 10**15, "never more than the machine has"
