"""The page of the models over a real home, through the gate: what it shows, does and refuses."""

import hashlib
import json
import re
import shutil
import time
from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager
from dataclasses import replace
from datetime import UTC, datetime
from html import unescape
from pathlib import Path

import pytest
from bs4 import BeautifulSoup, Tag
from starlette.testclient import TestClient

from org.reading.charts import load
from store.appearances import Appearance
from store.library import Pair
from tests import pages
from tests.pages import served, texts, words
from tests.tiny_model import keep_adapter, write_model
from trag.background import JobStatus
from trag.finetune import gate
from trag.finetune.running import Tuning
from trag.finetune.stages import StageProgress, works_of
from trag.finetune.training.training_process import Needed, Step, encode
from trag.finetune.work_folders import Work
from trag.home import Home, open_home
from trag.llm import files
from trag.models import local
from trag.models.adapters import Figure, Manifest, Measurement
from trag.models.catalogue import MODELS
from trag.progress import silent
from trag.record import AnswerRecord, Checks, ModelUsed, Seconds, Tokens
from trag.settings import Settings
from trag.settings import load as load_settings
from trag.web.models import page as models
from trag.web.models.figures import HEIGHT, WIDTH, Speed, curve, speed
from trag.web.models.page import ModelsPage
from trag.web.models.trying import five_questions

HOSTILE = "<script>alert(1)</script>\"'{{7*7}}"
Make = Callable[..., Path]
SAMPLE = Path(__file__).parents[3] / "examples" / "larkmoor"


@pytest.fixture
def home(model_home: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Home]:
    monkeypatch.setattr(files, "SHIPPED", tmp_path / "nothing")
    folder = tmp_path / "home"
    folder.mkdir()
    (folder / "models").symlink_to(model_home / "models")
    with open_home(Settings(home=folder)) as opened:
        yield opened


@pytest.fixture
def client(home: Home) -> Iterator[TestClient]:
    with over(home) as (client, _):
        yield client


def over(home: Home) -> AbstractContextManager[tuple[TestClient, ModelsPage]]:
    return served(home, lambda app: models.mount(app, home, ready=lambda: None, busy=lambda: False))


def add(home: Home, file: Path, *figures: Figure, by: str = "ada") -> Manifest:
    known = {"base_name": HOSTILE, "base_sha256": files.base_sha256(""), "settings": (("steps", HOSTILE),)}
    made = keep_adapter(home.candidates, file, **known, by=by)
    if figures:
        measured = Measurement(datetime.now(UTC), "", gate.verdict(figures), "20261120-200000", "")
        return home.candidates.keep_results(made.id, measured)
    return made


GOOD = (Figure(gate.ALL, 40, 20, 32, 13, 1, 0.0018), Figure(HOSTILE, 40, 20, 32, 13, 1, 0.0018))
BAD = (Figure(gate.ALL, 40, 20, 21, 5, 4, 1.0), Figure(gate.REFUSED, 10, 9, 1, 0, 8, 0.0078))


def soup(client: TestClient, path: str = "/models") -> BeautifulSoup:
    page = pages.soup(client, path)
    assert HOSTILE not in str(page)
    return page


def post(client: TestClient, path: str, **form: str) -> BeautifulSoup:
    return pages.parsed(client.post(path, data=form))


@pytest.mark.slow
def test_adapters_are_shown_with_their_figures(
    client: TestClient, home: Home, tmp_path: Path, make_adapter: Make
) -> None:
    page = soup(client)
    assert texts(page, "#current .facts dd") == ["not loaded yet", "4,096 tokens"], "without any"
    assert texts(page, "#files tbody strong")[: len(MODELS)] == [model.name for model in MODELS]
    good = add(home, make_adapter(tmp_path / "a.gguf"), *GOOD)
    bad = add(home, make_adapter(tmp_path / "b.gguf", size=0.1), *BAD, by=HOSTILE)
    plain = add(home, make_adapter(tmp_path / "c.gguf", size=0.2))
    page = soup(client)
    cards = {str(card["id"]).removeprefix("adapter-"): card for card in page.select(".candidate")}
    stands = {plain.id: "Not measured", bad.id: "Not measurably better", good.id: "Measurably better"}
    assert {id: words(card, "header .verdict") for id, card in cards.items()} == stands
    assert list(cards) == list(stands)
    cells = texts(cards[good.id], ".figures tbody tr:first-child > *")
    assert cells == ["All questions", "40", "20", "32", "13", "1", "0.0018"]
    assert texts(cards[good.id], ".said")[0] == "50.0% → 80.0%"
    dots = cards[good.id].select("[data-name='All questions'] circle")
    assert [dot["cx"] for dot in dots] == ["50.00%", "80.00%"]
    assert "Worse beyond chance: refused where there is none, 1 of 10 where it was 9" in texts(cards[bad.id], ".why")[0]
    assert [texts(cards[each.id], "header .main") for each in (good, bad)] == [["Promote"], []]
    assert "do not say that it is better than the model without" in texts(page, f"#promote-{bad.id}")[0]
    assert cards[good.id].select(".said-of-it a[href='/quality/runs/20261120-200000']")


@pytest.mark.slow
def test_an_adapter_is_promoted_and_rolled_back(
    client: TestClient, home: Home, tmp_path: Path, make_adapter: Make
) -> None:
    other = add(home, make_adapter(tmp_path / "b.gguf", size=0.1), *GOOD)
    made = add(home, make_adapter(tmp_path / "a.gguf"), *GOOD)
    its, others = f"#adapter-{made.id}", f"#adapter-{other.id}"
    assert soup(client).select("#new [name=passes][value='2']"), "as is usual from nothing"
    page = post(client, f"/models/adapters/{made.id}/promote", instead_of="")
    assert page.select("#new [name=passes][value='1']"), "as is usual from an adapter"
    assert f"{made.id} answers from now on." in words(page, ".notice")
    assert texts(page, ".model-name") == [f"SmolLM2-135M-Instruct.Q4_1 with {made.id}"]
    assert texts(page, f"{its} .badge") == ["Answers now"]
    assert texts(page, f"{others} .verdict") == ["Figures out of date"], "measured beside what was before"
    assert "beside the model without an adapter. That is not what answers now" in texts(page, others)[0]
    assert page.select(f"{others} header .main") == page.select(f"{its} header button") == []
    told = texts(page, f"#promote-{other.id}")[0]
    assert "It was measured beside the model without an adapter as it was on" in told
    assert "Promote all the same" in told
    assert texts(page, "#promotions tbody th") == [made.id]
    assert home.model.identity.adapter == made.id
    late = post(client, "/models/adapters/shipped/promote", instead_of="20200101-00000000")
    assert f"Another adapter was promoted meanwhile: {made.id}" in late.get_text()
    assert f"{made.id} is promoted" in post(client, f"/models/adapters/{made.id}/remove").get_text()
    page = post(client, "/models/rollback", instead_of=made.id)
    assert "without an adapter from now on" in words(page, ".notice")
    assert (home.model.identity.adapter, len(texts(page, "#promotions tbody tr"))) == ("", 2)
    assert texts(page, f"{others} .verdict") == ["Measurably better"]
    for each in (other, made):
        assert "is removed" in words(post(client, f"/models/adapters/{each.id}/remove"), ".notice")
    assert home.candidates.all() == ()


@pytest.mark.slow
def test_settings_that_say_what_answers_leave_nothing_to_promote_on_the_page(
    client: TestClient, home: Home, tmp_path: Path, make_adapter: Make, monkeypatch: pytest.MonkeyPatch
) -> None:
    made = add(home, make_adapter(tmp_path / "a.gguf"), *GOOD)
    monkeypatch.setattr(home, "settings", Settings(home=home.folder, adapter="none"))
    page = soup(client)
    assert "TRAG_ADAPTER says what answers" in page.get_text()
    assert page.select(f"[popovertarget='promote-{made.id}'][disabled]")
    assert "Take TRAG_ADAPTER out of the settings" in post(client, f"/models/adapters/{made.id}/promote").get_text()


@pytest.mark.slow
def test_a_promoted_adapter_that_is_gone_is_said_with_what_to_do(
    client: TestClient, home: Home, tmp_path: Path, make_adapter: Make
) -> None:
    made = add(home, make_adapter(tmp_path / "a.gguf"))
    home.records.promotions.put(made.id, by="ada")
    home.candidates.file(made.id).unlink()
    page = soup(client)
    assert "is gone, or no longer what was measured" in texts(page, "#current .notice")[0]
    assert texts(page, "p > [popovertarget=roll-back]")[0] == "Roll back to the model alone"
    post(client, "/models/rollback", instead_of=made.id)
    assert texts(soup(client), ".model-name") == ["SmolLM2-135M-Instruct.Q4_1 with no adapter"]


def test_a_removed_adapter_is_not_offered_as_the_way_back(empty_database: Path, tmp_path: Path) -> None:
    shutil.copy(empty_database, tmp_path)
    with open_home(Settings(home=tmp_path, model=str(tmp_path / "none.gguf"))) as home, over(home) as (client, _):
        for name in "ab":
            (tmp_path / name).write_bytes(name.encode())
            home.records.promotions.put(add(home, tmp_path / name).id, by="ada")
        _, a = [each.adapter for each in home.records.promotions.all()]
        assert texts(soup(client), "p > [popovertarget=roll-back]")[0] == f"Roll back to {a}"
        works = works_of(home)
        works.dataset(works.after(works.begin(by="ada", seed=1, settings={}), "done", candidate=a)).mkdir()
        post(client, f"/models/adapters/{a}/remove")
        assert works.all() == (), "what it learned from goes with it"
        assert texts(soup(client), "p > [popovertarget=roll-back]")[0] == "Roll back to the model alone"


# Models


@pytest.fixture
def own(empty_database: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Home]:
    """A home with a chart, an example question and a model file, which nothing else uses."""
    monkeypatch.setattr(files, "SHIPPED", tmp_path / "nothing")
    folder = tmp_path / "home"
    (folder / "models").mkdir(parents=True)
    shutil.copy(empty_database, folder)
    write_model(folder / "models" / "tiny.gguf", "llama")
    with open_home(Settings(home=folder)) as home:
        content = (SAMPLE / "chart.csv").read_bytes()
        home.charts.activate(load(content, "chart.csv"), [("chart.csv", content)], by="ada")
        home.records.appearances.put(Appearance(examples=("Where does the Library sit?", HOSTILE)), logo=None, by="ada")
        yield home


def row(page: BeautifulSoup, name: str) -> Tag:
    (found,) = (row for row in page.select("#files tbody tr") if words(row, "strong") == name)
    return found


def test_models_are_told_with_size_memory_and_what_may_be_done(own: Home, monkeypatch: pytest.MonkeyPatch) -> None:
    (own.folder / "models" / "page.gguf").write_bytes(b"<html>")
    with over(own) as (client, _):
        page = soup(client)
        tiny, small, bad = (row(page, name) for name in ("tiny.gguf", MODELS[1].name, "page.gguf"))
        assert texts(tiny, "td")[:3] == ["2.5 MB", "about 5 MB", "Yes"]
        assert texts(tiny, ".acts > form > button, .acts > button") == ["Try", "Use it"]
        (used,) = tiny.select("[popovertarget]:not(.card *)")
        assert tiny.select(f"form#{used['popovertarget']} [name=model][value='tiny.gguf']")
        assert texts(small, "td")[:2] == ["491.4 MB", "800 MB"]
        assert "is no GGUF file: it starts with b'<htm'" in words(bad, ".caution")
        assert texts(bad, ".acts button") == []
        monkeypatch.setenv("TRAG_MODEL", "small")
        page = soup(client)
        assert "TRAG_MODEL says which model answers" in words(page, "#files .notice")
        assert texts(row(page, "tiny.gguf"), ".acts button") == []
        for path in ("/models/try", "/models/use"):
            answer = client.post(path, data={"model": "tiny.gguf"})
            assert (answer.status_code, "TRAG_MODEL says" in answer.text) == (409, True)


def test_a_file_is_sent_and_what_is_no_model_is_refused(own: Home, tmp_path: Path) -> None:
    folder, content = own.folder / "models", write_model(tmp_path / "sent", "qwen2").read_bytes()
    with over(own) as (client, _):

        def send(name: str, body: bytes) -> tuple[int, str]:
            answer = client.post("/models/uploads", params={"name": name}, content=body)
            return answer.status_code, str(answer.json())

        status, told = send("C:\\Users\\ada\\their model.gguf", content)
        assert status == 201
        page = soup(client, json.loads(told.replace("'", '"'))["page"].partition("#")[0])
        assert "their model.gguf is here. A model of the kind qwen2." in words(page, ".notice.good")
        assert texts(row(page, "their model.gguf"), ".acts > button") == ["Use it"]
        event, *_ = own.records.audit.page(what="model added")
        assert (event.about, event.result) == ("their model.gguf", hashlib.sha256(content).hexdigest())
        for name, body, said in (
            ("their model.gguf", content, "is here already"),
            ("cut.gguf", content[:-1], "cut.gguf is cut short"),
            ("page.gguf", b"<html>", "page.gguf is no GGUF file: it starts with b'<htm'"),
            ("model.zip", content, "model.zip is no .gguf file"),
            ("", content, "A file without a name is no .gguf file"),
        ):
            status, told = send(name, body)
            assert (status, said in told.replace('\\"', '"')) == (422, True), told
    assert sorted(each.name for each in folder.iterdir()) == ["their model.gguf", "tiny.gguf"], "nothing half is left"


def test_a_body_that_breaks_off_or_a_kill_leaves_no_model(own: Home) -> None:
    folder = own.folder / "models"

    def broken() -> Iterator[bytes]:
        yield (folder / "tiny.gguf").read_bytes()[:100_000]
        raise ConnectionError

    with over(own) as (client, _), pytest.raises(ConnectionError):
        client.post(
            "/models/uploads", params={"name": "x.gguf"}, content=broken(), headers={"content-length": "200000"}
        )
    assert [each.name for each in folder.iterdir()] == ["tiny.gguf"]


def test_what_a_kill_left_of_a_file_is_removed_at_the_next_start(empty_database: Path, tmp_path: Path) -> None:
    shutil.copy(empty_database, tmp_path)
    (tmp_path / "models").mkdir()
    (tmp_path / "models" / ".abc.unfinished").write_bytes(b"GGUF")
    with open_home(Settings(home=tmp_path)):
        assert [*(tmp_path / "models").iterdir()] == []


@pytest.mark.slow
def test_a_model_is_used_and_gone_back_from(own: Home, tmp_path: Path, make_adapter: Make) -> None:
    made = add(own, make_adapter(tmp_path / "a.gguf"), *GOOD)
    with over(own) as (client, _):
        post(client, f"/models/adapters/{made.id}/promote", instead_of="")
        before, path = own.model, str(own.folder / "models" / "tiny.gguf")
        with own.leases.hold(before):  # an answer under way
            page = post(client, "/models/use", model="tiny.gguf", instead_of="")
            assert "tiny answers from now on. Answers under way keep" in words(page, ".notice.good")
            assert words(row(page, "tiny.gguf"), ".badge") == "Answers now"
            assert before.pid, "it goes on"  # type: ignore[attr-defined]
        assert not before.pid  # type: ignore[attr-defined]
        assert (own.model.identity.name, own.model.identity.adapter) == ("tiny", ""), "made for another model"
        assert load_settings({"TRAG_HOME": str(own.folder)}).model == path
        late = client.post("/models/use", data={"model": "tiny.gguf", "instead_of": ""})
        assert (late.status_code, "tiny answers now" in late.text) == (409, True)
        assert texts(page, "[popovertarget=go-back]")[0] == "Go back to SmolLM2-135M-Instruct"
        page = post(client, "/models/use/back", instead_of=path)
        assert f"SmolLM2-135M-Instruct answers from now on with {made.id}." in words(page, ".notice.good")
        assert (own.settings.model, own.model.identity.adapter) == ("", made.id)
        assert texts(page, "[popovertarget=go-back]")[0] == "Go back to tiny"
    told = [event.result for event in own.records.audit.page(what="model changed")]
    assert told == ["tiny -> SmolLM2-135M-Instruct", "SmolLM2-135M-Instruct -> tiny"]


@pytest.mark.slow
def test_one_too_large_for_the_memory_is_neither_tried_nor_used(own: Home, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(local, "free_memory", lambda: 1_000_000)
    monkeypatch.setattr(models, "free_memory", lambda: 1_000_000)
    with over(own) as (client, page):
        assert "Too much beside what runs now" in words(row(soup(client), "tiny.gguf"), ".caution")
        for path in ("/models/try", "/models/use"):
            answer = client.post(path, data={"model": "tiny.gguf", "instead_of": ""})
            assert (answer.status_code, "takes about 0.0 GB of memory" in answer.text) == (409, True)
        assert (page.trial.now, own.settings.model) == (None, "")
        page.fine_tune.now = JobStatus(Tuning(Work("", datetime.now(UTC), "ada", 1), StageProgress("train")))
        answer = client.post("/models/use", data={"model": "tiny.gguf", "instead_of": ""})
        assert "A fine-tune is running on the present model" in answer.text
        for name in ("../../secret.gguf", ""):
            answer = client.post("/models/use", data={"model": name, "instead_of": ""})
            assert (answer.status_code, "There is no model" in answer.text) == (409, True)


@pytest.mark.slow
def test_a_model_is_tried_beside_the_one_that_answers(own: Home) -> None:
    own.take_up(replace(own.settings, model=str(write_model(own.folder / "present.gguf", "qwen2"))))
    own.ingest([SAMPLE / "documents" / "part-1-foundations.md"], replace=False, progress=silent)
    (section, *_) = own.records.library.passages("part-1-foundations.md")
    pair = Pair("p1", section.document, section.section, 1, "What is the gate code?", "1.", "short answer", "person")
    own.put_pair(replace(pair, state="approved", by="ada"))
    with over(own) as (client, page):
        post(client, "/models/try", model="tiny.gguf")
        refused = client.post("/models/use", data={"model": "tiny.gguf", "instead_of": ""})
        assert "tiny.gguf is being tried" in refused.text
        end = time.monotonic() + 300
        while not page.trial.now.over:
            assert time.monotonic() < end
            time.sleep(0.1)
        shown = soup(client)
        assert page.trial.now.state == "done", page.trial.now
        questions = texts(shown, "#tried tbody th")
        assert questions[0] == "What is the gate code?The pair: 1."
        assert questions[1] == "Where does the Library sit?"
        assert len(questions) == 4
        assert texts(shown, "#tried thead th")[1:] == ["tiny.gguf", "Beside it: present"]
        assert all(each.present and each.present.seconds > 0 for each in page.trial.now.about.replies)
        assert re.search(r"Answers that hold the pair’s answer: [01] of 1 ?; with present [01]", words(shown, "#tried"))
        again = [case.question for case in five_questions(own, page._usual())]
        assert again == [each.question for each in page.trial.now.about.replies], "the same five each time"
        assert own.records.newest_answers(10) == (), "nothing of it is a conversation"
        assert not post(client, "/models/try/dismiss").select("#tried table")
    (event,) = own.records.audit.page(what="model tried")
    assert (event.about, event.result[:11]) == ("tiny.gguf", "4 questions")


def interrupted(home: Home) -> str:
    """A fine-tune that a killed app left; its id."""
    works = works_of(home)
    work = works.after(works.begin(by=HOSTILE, seed=1, settings={}), "train")
    for folder in ("training", "dataset"):
        (works.place(work) / folder).mkdir()
    steps = [Step(step, 20, 2.0 / step, 1.5 if step < 5 else 1.0, 100.0, 60.0) for step in range(1, 9)]
    said = [Needed(1_700_000_000, 16_000_000_000, 90_000_000, 50_000_000_000, 4428, 12), *steps]
    (works.place(work) / "training" / "progress.jsonl").write_text("".join(encode(one) + "\n" for one in said))
    (works.place(work) / "dataset" / "card.md").write_text("# A card")
    return work.id


@pytest.mark.slow
def test_an_interrupted_fine_tune_is_said_and_can_be_discarded(home: Home) -> None:
    id = interrupted(home)
    with over(home) as (client, _):
        page = soup(client)
        assert texts(page, "#progress .state") == ["Interrupted when the program ended"]
        assert "up to step 8 of 20" in words(page, "#progress .said")
        assert texts(page, "#progress .needed") == [
            "It takes at most 1.7 GB of memory (16 GB were free) and 90 MB of disk (50 GB were free). It learns from "
            "4,428 examples. 12 are too long, and left out."
        ]
        assert texts(page, ".stages .past, .stages .present") == ["Dataset", "Training"]
        assert page.select("#new button[disabled]")
        assert len(page.select("[data-plot=loss] .place.tone-3")) == 2
        assert client.get(f"/models/finetune/{id}/card.md").text == "# A card"
        assert client.get(f"/models/finetune/{id}/loss.csv").status_code == 404
        assert texts(soup(client, "/models/progress"), ".acts button") == ["Go on", "Discard"]
        assert not post(client, "/models/finetune/discard").select("#progress .queue")
    assert works_of(home).all() == ()


@pytest.mark.slow
def test_nonsense_begins_nothing(client: TestClient, home: Home) -> None:
    for form, said in (
        ({"passes": "many", "seed": "1"}, '"passes" must be a number, found "many"'),
        ({"passes": "nan", "seed": "1"}, '"passes" must be 20 or less'),
        ({"passes": "21", "seed": "1000000001"}, '"seed" must be 1,000,000,000 or less'),
        ({"passes": "2", "seed": "0"}, '"seed" must be 1 or more'),
        ({"passes": "2", "seed": "0.5"}, '"seed" must be a whole number'),
        ({"passes": "-1", "seed": "1e3"}, '"passes" must be more than 0, found "-1"; "seed" must be a whole number'),
        ({}, 'needs "passes"; needs "seed"'),
    ):
        answer = client.post("/models/finetune", data=form)
        assert (answer.status_code, said in unescape(answer.text)) == (409, True), form
    assert works_of(home).all() == ()


# Speed and loss


def record(tokens: int, seconds: float, *, adapter: str = "", attempts: int = 1, interrupted: str = "") -> AnswerRecord:
    written, took = Tokens(completion=tokens), Seconds(first_token=seconds / 10, generate=seconds)
    model, checks = ModelUsed("m", "a" * 64, adapter), Checks(attempts=attempts)
    plain = AnswerRecord("x", "Who?", "Who?", "Ada.", "answered", model, checks=checks, tokens=written, seconds=took)
    return replace(plain, interrupted=interrupted)


def test_speed_is_that_of_whole_answers_of_this_model_and_adapter() -> None:
    records = (
        record(100, 2.0),
        record(30, 1.0),
        record(90, 1.0),
        record(900, 1.0, adapter="other"),
        record(900, 1.0, attempts=2),
        record(900, 1.0, interrupted="stopped"),
        record(4, 1.0),
    )
    assert speed(records, sha256="a" * 64, adapter="") == Speed(3, 50.0, pytest.approx(0.1))
    assert speed(records, sha256="b" * 64, adapter="") is None


def test_the_curve_is_within_its_field_and_ends_where_training_is() -> None:
    assert curve([Step(1, 10, 2.0, None, 1.0, 1.0)]) is None
    steps = [Step(step, 1000, 3.0 - step / 500, 2.5 if step < 300 else 2.0, 1.0, 1.0) for step in range(1, 501)]
    found = curve(steps)
    assert found is not None
    corners = [tuple(map(float, corner.split(","))) for corner in found.line.split()]
    assert len(corners) <= 252
    assert all(0 <= x <= WIDTH and 0 <= y <= HEIGHT for x, y in (*corners, *found.held_out))
    assert corners[-1][0] == WIDTH / 2
    assert [x for x, _ in found.held_out] == [0.0, pytest.approx(WIDTH * 0.299)]
    assert found.last_held_out == 2.0
