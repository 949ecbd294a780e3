"""Which adapter answers, and how another one takes its place while people ask: the real model, tiny real adapters."""

import json
import threading
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import ExitStack
from dataclasses import replace
from datetime import UTC, datetime
from pathlib import Path
from time import monotonic, sleep

import psutil
import pytest

from org.reading.charts import load
from store import StoreError
from tests.tiny_model import keep_adapter
from trag import paper_systems
from trag.errors import TragError
from trag.events import Token
from trag.home import Home, open_home
from trag.llm import files
from trag.llm.local import LocalModel
from trag.models import adapters
from trag.models.adapters import Candidates, Figure, Manifest, Measurement, Verdict
from trag.record import AnswerRecord
from trag.settings import Settings

EMBEDDED = files.base_sha256("")
CHART = b"name,parent,type\nClub,,club\nBoard,Club,board\nBar,Board,team\n"
Make = Callable[..., Path]


def add(candidates: Candidates, file: Path, *, base: str = EMBEDDED) -> Manifest:
    return keep_adapter(candidates, file, base_name="Base", base_sha256=base)


@pytest.fixture
def shipped(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, make_adapter: Make) -> Path:
    """An adapter that ships, in place of the one that may really do so."""
    folder = tmp_path / "shipped"
    make_adapter(folder / "adapter.gguf")
    (folder / "manifest.json").write_text(json.dumps({"base_sha256": EMBEDDED}))
    monkeypatch.setattr(files, "SHIPPED", folder)
    return folder


@pytest.mark.parametrize("what", ["fits", "no manifest", "no file", "another base", "the operator's model"])
def test_the_adapter_that_ships_is_used_with_the_model_it_was_trained_on(shipped: Path, what: str) -> None:
    manifest, adapter = shipped / "manifest.json", shipped / "adapter.gguf"
    if what in ("no manifest", "no file"):
        (manifest if what == "no manifest" else adapter).unlink()
    if what == "another base":
        manifest.write_text(json.dumps({"base_sha256": "b" * 64}))
    found = files.adapter_file("their.gguf" if what == "the operator's model" else "", "")
    assert found == (str(adapter) if what == "fits" else "")
    assert found == "" or files.adapter_name(Path(found)) == "shipped"


@pytest.mark.parametrize(
    ("setting", "url", "promoted", "answers"),
    [
        ("", "", "", "shipped"),
        ("", "", "ours", "ours"),
        ("", "", "other base", "shipped"),
        ("none", "", "", ""),
        ("none", "", "ours", ""),
        ("mine.gguf", "", "", "mine.gguf"),
        ("mine.gguf", "", "ours", "mine.gguf"),
        ("", "http://127.0.0.1:1/v1", "ours", ""),
    ],
)
def test_the_settings_come_first_then_what_was_promoted_then_what_ships(
    shipped: Path, tmp_path: Path, make_adapter: Make, setting: str, url: str, promoted: str, answers: str
) -> None:
    candidates = Candidates(tmp_path / "adapters")
    ids = {
        "ours": add(candidates, make_adapter(tmp_path / "a.gguf", size=0.1)).id,
        "other base": add(candidates, make_adapter(tmp_path / "b.gguf", size=0.2), base="b" * 64).id,
        "": "",
    }
    settings = Settings(home=tmp_path, adapter=setting, model_url=url)
    found = adapters.answering(settings, ids[promoted], candidates)
    assert (files.adapter_name(Path(found)) if found else "") == ids.get(answers, answers)
    told = adapters.why_left_out(settings, ids[promoted], candidates)
    assert bool(told) == (bool(promoted) and answers != "ours")


def test_an_adapter_for_another_model_and_one_that_changed_are_refused(tmp_path: Path, make_adapter: Make) -> None:
    candidates, settings = Candidates(tmp_path / "adapters"), Settings(home=tmp_path)
    stranger = add(candidates, make_adapter(tmp_path / "a.gguf"), base="b" * 64)
    with pytest.raises(TragError, match=r"was trained on Base \(bbbbbbbbbbbb\), and the model is SmolLM2"):
        adapters.adapter_file_of(stranger.id, settings, candidates)
    ours = add(candidates, make_adapter(tmp_path / "b.gguf", size=0.1))
    with candidates.file(ours.id).open("ab") as file:
        file.write(b"!")
    with pytest.raises(TragError, match="no longer what was measured"):
        adapters.adapter_file_of(ours.id, settings, candidates)
    with pytest.raises(TragError, match="no adapter 20200101-00000000; there are"):
        adapters.adapter_file_of("20200101-00000000", settings, candidates)


# Promotion


@pytest.fixture
def home(model_home: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Home]:
    """A home with a chart; nothing ships."""
    monkeypatch.setattr(files, "SHIPPED", tmp_path / "nothing")
    folder = tmp_path / "home"
    folder.mkdir()
    (folder / "models").symlink_to(model_home / "models")
    with open_home(Settings(home=folder, answer_tokens=24)) as opened:
        opened.charts.activate(load(CHART, "club.csv"), [("club.csv", CHART)], by="ada")
        yield opened


def gone(pid: int) -> bool:
    end = monotonic() + 5
    while monotonic() < end:
        if not psutil.pid_exists(pid) or psutil.Process(pid).status() == psutil.STATUS_ZOMBIE:
            return True
        sleep(0.02)
    return False


def running(home: Home) -> LocalModel:
    assert isinstance(home.model, LocalModel)
    return home.model


@pytest.mark.slow
def test_an_answer_under_way_keeps_its_model_and_the_next_one_has_the_promoted(
    home: Home, tmp_path: Path, make_adapter: Make
) -> None:
    ours = add(home.candidates, make_adapter(tmp_path / "a.gguf", size=0.3))
    old = running(home)
    asked = home.assistant.ask("Tell me all about the Bar, at length.", steps=paper_systems.steps("finetuned-tree"))
    while not isinstance(next(asked), Token):
        pass
    pid = old.pid
    promotion = home.promote(ours.id, by="ada", instead_of="")
    assert (promotion.adapter, home.adapter_name, home.model.identity.adapter) == (ours.id, ours.id, ours.id)
    assert psutil.pid_exists(pid), "an answer is still being written"
    *_, last = asked
    assert (last.record.model.adapter, last.record.interrupted) == ("", "")
    assert last.record.answer
    assert gone(pid)
    assert home.assistant.answer("What is the Bar under?").model.adapter == ours.id


@pytest.mark.slow
def test_nobody_who_asks_notices_promotions(home: Home, tmp_path: Path, make_adapter: Make) -> None:
    first = add(home.candidates, make_adapter(tmp_path / "a.gguf"))
    second = add(home.candidates, make_adapter(tmp_path / "b.gguf", size=0.01))
    assistant, over = home.assistant, threading.Event()
    records: list[AnswerRecord] = []

    def ask() -> None:
        while not over.is_set():
            records.append(assistant.answer("What is the Bar under?"))

    models = [running(home)]
    with ThreadPoolExecutor(2) as pool:
        askers = [pool.submit(ask) for _ in range(2)]
        for adapter in (first.id, "", second.id):
            home.promote(adapter, by="ada")
            models.append(running(home))
            answered = len(records)
            while len(records) < answered + 3 and not any(asker.done() for asker in askers):
                sleep(0.02)
        over.set()
    assert [asker.exception() for asker in askers] == [None] * 2
    assert [record.interrupted for record in records if record.interrupted] == []
    assert {record.model.adapter for record in records} >= {"", first.id, second.id}
    assert second.id in {record.model.adapter for record in records[-2:]}, "the very last may have begun before"
    assert [bool(model.pid) for model in models] == [False] * 3 + [True]


@pytest.mark.slow
@pytest.mark.parametrize(
    ("size", "layers", "said"),
    [(float("nan"), 30, "computes no numbers"), (0.0, 31, "has no weight 'blk.30")],
    ids=["not a number", "another shape"],
)
def test_an_adapter_that_does_not_work_leaves_the_other_in_its_place(
    home: Home, tmp_path: Path, make_adapter: Make, size: float, layers: int, said: str
) -> None:
    spoilt = add(home.candidates, make_adapter(tmp_path / "a.gguf", size=size, layers=layers))
    before = home.model
    assert home.assistant
    with pytest.raises(TragError, match=said):
        home.promote(spoilt.id, by="ada")
    assert home.model is before is home.assistant.model
    assert (home.records.promotions.all(), home.adapter) == ((), "")


@pytest.mark.slow
def test_one_step_back_and_forth_and_only_from_what_was_seen(home: Home, tmp_path: Path, make_adapter: Make) -> None:
    with pytest.raises(TragError, match="nothing to go back to"):
        home.roll_back(by="ada")
    ours = add(home.candidates, make_adapter(tmp_path / "a.gguf"))
    home.promote(ours.id, by="ada")
    with pytest.raises(StoreError, match=f"promoted meanwhile: {ours.id}"):
        home.promote("", by="bob", instead_of="")
    assert home.model.identity.adapter == ours.id
    assert home.roll_back(by="bob", instead_of=ours.id).adapter == ""
    assert home.model.identity.adapter == ""
    assert home.roll_back(by="bob").adapter == ours.id
    with ExitStack() as closing:  # as after a restart
        assert Home(home.settings, closing).model.identity.adapter == ours.id


class Still:
    """A model that is there at once, for tests that ask it nothing."""

    def close(self) -> None: ...


def test_the_way_back_leads_past_adapters_that_were_removed(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(files, "SHIPPED", tmp_path / "nothing")
    monkeypatch.setattr("trag.home.open_model", lambda _: Still())
    with open_home(Settings(home=tmp_path / "home")) as home:
        ids = []
        for name in "abc":
            (tmp_path / name).write_bytes(name.encode())
            ids.append(add(home.candidates, tmp_path / name).id)
            home.promote(ids[-1], by="ada")
        first, second, third = ids
        assert home.adapter_before() == second
        home.candidates.remove(second)
        assert home.adapter_before() == first
        assert home.roll_back(by="bob", instead_of=third).adapter == first
        home.candidates.remove(third)
        assert home.roll_back(by="bob").adapter == ""
        assert home.adapter_before() == first
        home.candidates.remove(first)
        assert home.adapter_before() is None
        with pytest.raises(TragError, match="nothing to go back to"):
            home.roll_back(by="bob")


def test_settings_that_say_what_answers_leave_nothing_to_promote(tmp_path: Path) -> None:
    for settings, name in (
        (Settings(home=tmp_path, adapter="none"), "TRAG_ADAPTER"),
        (Settings(home=tmp_path, model_url="http://127.0.0.1:1/v1"), "TRAG_MODEL_URL"),
    ):
        with open_home(settings) as home, pytest.raises(TragError, match=f"{name} says what answers"):
            home.promote("", by="ada")


FIGURE = Figure("All questions", 40, 20, 30, 12, 2, 0.013)
MEASURED = Measurement(
    datetime(2026, 11, 20, 20, tzinfo=UTC), "", Verdict(True, ("Better: <b>.",), (FIGURE,)), "20261120-2000"
)


def keep(candidates: Candidates, content: bytes = b"weights") -> Manifest:
    known = {"cases": b'{"id": "1"}\n', "learned": ("Who?", "Où ça ?")}
    return keep_adapter(candidates, content, settings=(("rank", "16"), ("steps", "20")), **known)


def test_a_candidate_is_found_again_with_all_that_is_known_of_it(tmp_path: Path) -> None:
    kept = Candidates(tmp_path / "adapters")
    assert kept.all() == ()
    made = keep(kept)
    assert made.id == f"{made.made:%Y%m%d}-{made.adapter_sha256[:8]}"
    assert Candidates(tmp_path / "adapters").get(made.id) == made
    assert kept.file(made.id).read_bytes() == b"weights"
    assert kept.cases(made.id).read_bytes() == b'{"id": "1"}\n'
    assert kept.learned(made.id) == ("Who?", "Où ça ?")
    measured = kept.keep_results(made.id, MEASURED)
    assert kept.all() == (measured,) == (replace(made, results=MEASURED),)
    assert keep(kept) == measured, "the same adapter again is the candidate it was"
    other = keep(kept, b"others")
    assert [each.id for each in kept.all()] == [other.id, made.id], "the newest first"


def test_one_that_an_earlier_program_kept_is_read_with_what_is_known_of_it(tmp_path: Path) -> None:
    kept = Candidates(tmp_path / "adapters")
    made = keep(kept)
    measured = kept.keep_results(made.id, replace(MEASURED, against_sha256="a" * 64))
    folder = tmp_path / "adapters" / made.id
    (folder / "learned.json").unlink()
    values = json.loads((folder / "manifest.json").read_text())
    del values["results"]["against_sha256"]
    values["results"]["choice_run"] = "20261120-2001"
    (folder / "manifest.json").write_text(json.dumps(values))
    assert kept.get(made.id) == replace(measured, results=MEASURED)
    assert kept.learned(made.id) is None


@pytest.mark.parametrize("content", [None, "half", '{"id": "x"}'], ids=["no", "a broken", "another"])
def test_what_has_no_whole_manifest_is_never_offered(tmp_path: Path, content: str | None) -> None:
    kept = Candidates(tmp_path / "adapters")
    made = keep(kept)
    manifest = tmp_path / "adapters" / made.id / "manifest.json"
    if content is None:
        manifest.unlink()
    else:
        manifest.write_text(manifest.read_text()[:40] if content == "half" else content)
    assert kept.all() == ()
    with pytest.raises(TragError, match="There is no adapter"):
        kept.get(made.id)


@pytest.mark.parametrize("id", ["", "..", "../adapters/20261120-0a0a0a0a", "20261120-0a0a0a0a/../x"])
def test_no_id_leads_out_of_the_folder(tmp_path: Path, id: str) -> None:
    kept = Candidates(tmp_path / "adapters")
    keep(kept)
    for act in (kept.get, kept.remove):
        with pytest.raises(TragError, match="There is no adapter"):
            act(id)
    assert (tmp_path / "made.gguf").exists()


def test_a_removed_candidate_leaves_nothing_and_does_not_ship(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    kept = Candidates(tmp_path / "adapters")
    made = keep(kept)
    monkeypatch.setattr(adapters, "SHIPPED", kept.file(made.id).parent)
    assert adapters.shipped() == made
    kept.file(made.id).write_bytes(b"changed")
    kept.remove(made.id)
    assert list((tmp_path / "adapters").iterdir()) == []
    assert adapters.shipped() is None
