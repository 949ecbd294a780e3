"""Fetching from a real server on this machine: whole, in pieces, broken off, wrong, and not at all."""

import errno
import os
import subprocess
import sys
from dataclasses import replace
from pathlib import Path
from unittest.mock import Mock

import pytest

from store import StoreError
from tests.model_hub import CONTENT, MODEL, Server
from trag.errors import TragError
from trag.models import catalogue
from trag.models.catalogue import MODELS, CatalogueModel, Wheels, chosen, named
from trag.models.fetching import fetch
from trag.terminal.main import main

ROOT = Path(__file__).parents[3]
pytestmark = pytest.mark.usefixtures("folder")


def ranges(hub: Server) -> list[str]:
    return [range for path, range in hub.asked if path.startswith("/cdn")]


def get(hub: Server, model: CatalogueModel = MODEL) -> list[tuple[str, int, int]]:
    told: list[tuple[str, int, int]] = []
    path = fetch(model, hub=hub.address, progress=lambda *step: told.append(step))
    assert path.read_bytes() == CONTENT
    assert not path.with_name("tiny.gguf.part").exists()
    return told


def test_a_model_is_fetched_checked_and_described(hub: Server, folder: Path) -> None:
    told = get(hub)
    assert hub.asked[0][0] == f"/someone/tiny-GGUF/resolve/{'a' * 40}/tiny.gguf"
    beside = {path.name: path.read_text() for path in folder.glob("tiny.gguf.*")}
    assert beside == {"tiny.gguf.sha256": f"{MODEL.sha256}  tiny.gguf\n", "tiny.gguf.jinja": "{{ messages }}"}
    assert [step for step in told if step[1] == step[2]] == [
        ("fetching", len(CONTENT), len(CONTENT)),
        ("checking", len(CONTENT), len(CONTENT)),
    ]
    asked = len(hub.asked)
    get(hub)
    assert len(hub.asked) == asked, "what is there is checked, and not fetched again"


def test_a_folder_that_may_not_be_written_is_said(hub: Server, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("XDG_CACHE_HOME", "/sys/home")  # where not even root may make one
    with pytest.raises(StoreError, match=f"{MODEL.path} cannot be written") as refused:
        get(hub)
    assert f"write to {MODEL.path.parent}" in refused.value.hint
    assert hub.asked == []


@pytest.mark.parametrize(
    ("cuts", "expected"),
    [
        ([1_000_000, 500_000], ["", "bytes=1000000-", "bytes=1500000-"]),
        ([1_000_000, 0, 0, 0, 0], ["", *["bytes=1000000-"] * 5]),
    ],
    ids=["twice", "for a while"],
)
def test_a_broken_connection_is_gone_on_with(hub: Server, cuts: list[int], expected: list[str]) -> None:
    hub.cuts = cuts
    get(hub)
    assert ranges(hub) == expected


def test_a_connection_that_breaks_before_the_first_byte_is_said(hub: Server, folder: Path) -> None:
    hub.cuts = [0, 1_000_000]
    with pytest.raises(TragError, match="cannot be reached") as refused:
        get(hub)
    assert f"put it at {folder / 'tiny.gguf'}" in refused.value.hint


def test_what_is_kept_of_one_attempt_is_the_beginning_of_the_next(hub: Server, folder: Path) -> None:
    hub.cuts = [1_500_000, *[0] * 5]
    with pytest.raises(TragError, match="1,500,000 bytes are kept, and the same command goes on from there") as refused:
        get(hub)
    assert MODEL.sha256 in refused.value.hint
    assert (folder / "tiny.gguf.part").stat().st_size == 1_500_000
    get(hub)
    assert ranges(hub)[-1] == "bytes=1500000-"


def test_a_server_without_ranges_begins_anew(hub: Server) -> None:
    hub.ranges, hub.cuts = False, [1_000_000]
    get(hub)
    assert ranges(hub) == ["", "bytes=1000000-"]


@pytest.mark.parametrize(
    ("content", "said"),
    [
        (CONTENT[:-1] + b"!", "not the published tiny.gguf: its sha256 is"),
        (CONTENT + b"!" * 2_000_000, "gives more than 3,145,828 bytes"),
    ],
    ids=["another file", "a longer file"],
)
def test_what_is_not_the_published_file_is_not_kept(hub: Server, folder: Path, content: bytes, said: str) -> None:
    hub.content = content
    with pytest.raises(TragError, match=said):
        get(hub)
    assert not (folder / "tiny.gguf").exists()
    hub.content = CONTENT
    get(hub)


def test_a_file_that_was_put_there_is_checked(hub: Server, folder: Path) -> None:
    (folder / "tiny.gguf").write_bytes(CONTENT)
    get(hub)
    assert hub.asked == []
    for wrong, said in ((CONTENT[:-1] + b"!", "its sha256 is"), (CONTENT[:-1], "it has 3,145,827 bytes, not")):
        (folder / "tiny.gguf").write_bytes(wrong)
        with pytest.raises(TragError, match=said) as refused:
            get(hub)
        assert "Remove it" in refused.value.hint


def test_a_hub_that_refuses_and_one_that_is_not_there_say_where_to_put_the_file(hub: Server, folder: Path) -> None:
    hub.status = 404
    with pytest.raises(TragError, match=r"tiny\.gguf is not given: 404") as refused:
        get(hub)
    for part in (f"{hub.address}/someone/tiny-GGUF/resolve/", "3,145,828 bytes", str(folder / "tiny.gguf")):
        assert part in refused.value.hint
    for address, said in (("http://127.0.0.1:1", "refused"), ("file:///etc", "no address of a hub")):
        with pytest.raises(TragError, match=said):
            fetch(MODEL, hub=address, progress=lambda *_: None)


def test_a_disk_without_room_is_said_before_anything_is_fetched(hub: Server) -> None:
    with pytest.raises(TragError, match="GiB free, and tiny needs") as refused:
        get(hub, replace(MODEL, size=10**18))
    assert "XDG_CACHE_HOME" in refused.value.hint
    assert hub.asked == []


def test_a_disk_that_fills_up_meanwhile_is_not_taken_for_the_network(hub: Server) -> None:
    def full(*step: object) -> None:
        raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))

    with pytest.raises(StoreError, match="No space is left"):
        fetch(MODEL, hub=hub.address, progress=full)
    get(hub)
    assert ranges(hub)[-1] != "", "what came is gone on with"


FETCH = """
import sys
from tests_model import MODEL
from trag.models.fetching import fetch
fetch(MODEL, hub=sys.argv[1], progress=lambda *step: print(*step, flush=True))
"""


@pytest.mark.slow
def test_a_killed_fetch_is_gone_on_with(hub: Server, folder: Path, tmp_path: Path) -> None:
    hub.slow = 0.05
    (tmp_path / "tests_model.py").write_text(
        f"from trag.models.catalogue import CatalogueModel, Hub\nMODEL = {MODEL!r}\n"
    )
    environment = os.environ | {"PYTHONPATH": f"{tmp_path}{os.pathsep}{ROOT}"}
    with subprocess.Popen(
        [sys.executable, "-c", FETCH, hub.address], stdout=subprocess.PIPE, text=True, env=environment
    ) as child:
        assert child.stdout.readline().startswith("fetching")
        child.kill()
    had = (folder / "tiny.gguf.part").stat().st_size
    assert 0 < had < len(CONTENT)
    hub.slow = 0.0
    get(hub)
    assert ranges(hub)[-1] == f"bytes={had}-"


# The list, and the terminal


@pytest.mark.parametrize("model", MODELS, ids=lambda model: model.name)
def test_every_model_is_pinned_whole(model: CatalogueModel) -> None:
    assert len(bytes.fromhex(model.sha256)) == 32
    assert model.size > 10**8
    assert named(model.name) is model
    assert (chosen(""), chosen("small"), chosen("small.gguf")) == (catalogue.DEFAULT, catalogue.SMALL, None)
    for source in model.sources:
        if isinstance(source, Wheels):
            assert len(source.sha256) == -(-model.size // source.part) == len(set(source.sha256))
            assert source.requirement(2).startswith(f"{source.package[:-2]}2=={source.version} --hash=sha256:")
            assert all(len(bytes.fromhex(each)) == 32 for each in source.sha256)
        else:
            assert len(bytes.fromhex(source.revision)) == 20
            expected = f"http://mirror/{source.repository}/resolve/{source.revision}/{model.file}"
            assert source.address(model.file, "http://mirror/") == expected


def test_an_account_without_a_home_folder_is_told_what_to_set(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("XDG_CACHE_HOME")
    monkeypatch.setattr(Path, "expanduser", Mock(side_effect=RuntimeError("no home")))
    with pytest.raises(TragError) as refused:
        catalogue.folder()
    assert "XDG_CACHE_HOME" in refused.value.hint


def test_the_paper_s_model_is_among_them_with_the_template_that_its_file_lacks() -> None:
    from jinja2 import Environment

    template = Environment().from_string(named("llama-2-7b-chat").template)
    turns = [("system", "Be brief."), ("user", "Who?"), ("assistant", "Ada."), ("user", "Since when?")]
    messages = [{"role": role, "content": content} for role, content in turns]
    assert template.render(messages=messages, bos_token="<s>", eos_token="</s>") == (
        "<s>[INST] <<SYS>>\nBe brief.\n<</SYS>>\n\nWho? [/INST] Ada. </s><s>[INST] Since when? [/INST]"
    )


def test_the_terminal_lists_fetches_and_refuses(
    hub: Server, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setenv("TRAG_HOME", str(tmp_path / "home"))
    monkeypatch.setattr(catalogue, "MODELS", (MODEL,))
    assert main(["models", "get", "tiny", "--hub", hub.address]) == 0
    out = capsys.readouterr().out
    assert f"TRAG_MODEL={MODEL.path}" in out
    (tmp_path / "home" / "models").mkdir(parents=True)
    (tmp_path / "home" / "models" / "broken.gguf").write_bytes(b"<html>")
    assert main(["models", "list"]) == 0
    out = capsys.readouterr().out
    assert "tiny  0.0 GB  Apache-2.0  is here" in out
    assert "is no GGUF file" in out
    assert main(["models", "get", "other"]) == 1
    assert "No model other is known" in capsys.readouterr().err
    assert main(["models", "try", str(MODEL.path)]) == 1
    assert "is no GGUF file" in capsys.readouterr().err
