"""The page of the models in a real Chromium: the real app over a home with a chart and an adapter, real training."""

from collections.abc import Callable
from contextlib import AbstractContextManager
from datetime import UTC, datetime
from pathlib import Path

import pytest
from playwright.sync_api import Page, expect

from org.reading.charts import load
from tests.pages import assert_fits
from tests.serving import Job, Visit
from tests.tiny_model import write_model
from trag.finetune import gate
from trag.finetune.work_folders import Works
from trag.home import open_home
from trag.llm import files
from trag.models.adapters import Candidates, Figure, Measurement
from trag.settings import Settings

Serving = Callable[..., AbstractContextManager[tuple[str, Job]]]
LONG = 600_000
SAMPLE = Path(__file__).parents[3] / "examples" / "larkmoor"
FIGURES = (Figure(gate.ALL, 40, 20, 32, 13, 1, 0.0018), Figure("document", 40, 20, 32, 13, 1, 0.0018))

pytestmark = [pytest.mark.browser, pytest.mark.slow, pytest.mark.timeout(1200)]


@pytest.fixture
def adapter(model_home: Path, tmp_path: Path, make_adapter: Callable[..., Path]) -> str:
    """The id of an adapter that changes nothing, with figures that say it does, in a home with a chart alone, of which
    a dataset is made in seconds, and with a fine-tune that was begun."""
    home, content = tmp_path / "home", (SAMPLE / "chart.csv").read_bytes()
    with open_home(Settings(home=home)) as opened:
        opened.charts.activate(load(content, "chart.csv"), [("chart.csv", content)], by="ada")
    (home / "models").symlink_to(model_home / "models")
    candidates = Candidates(home / "adapters")
    made = candidates.add(
        make_adapter(tmp_path / "a.gguf"),
        base_name="SmolLM2-135M-Instruct",
        base_sha256=files.base_sha256(""),
        dataset_sha256="d" * 64,
        settings=(("steps", "10"),),
        by="ada",
    )
    measured = Measurement(datetime.now(UTC), "", gate.verdict(FIGURES), "20261120-200000", "")
    candidates.keep_results(made.id, measured)
    small = {"epochs": 9.0, "held_out": 2, "evaluations": 1, "accumulation": 1, "longest": 2000}  # not over before Stop
    Works(home / "finetune").begin(by="ada", seed=1, settings=small)
    return made.id


def test_training_is_watched_outlives_the_app_and_is_stopped_and_an_adapter_promoted_and_rolled_back(
    serving: Serving, tmp_path: Path, adapter: str, visit: Visit
) -> None:
    with serving(tmp_path / "home") as (address, _):
        page = visit(address)
        page.goto("/models")
        expect(page.locator("#progress .state")).to_have_text("Interrupted when the program ended")
        page.get_by_role("button", name="Go on").click()
        expect(page.locator(".stages .present")).to_have_text("Training", timeout=LONG)
        expect(page.locator("#progress .rate")).to_contain_text("tokens a second", timeout=LONG)
        expect(page.locator("#progress .left")).to_contain_text("left")
        expect(page.locator("[data-plot=loss] polyline").first).to_be_visible(timeout=LONG)
        page.close()  # which would else complain of the app that ends
    with serving(tmp_path / "home") as (address, _):
        page = visit(address)
        page.goto("/models")
        expect(page.locator("#progress .rate")).to_contain_text("tokens a second", timeout=LONG)
        page.get_by_role("button", name="Stop").click()
        expect(page.get_by_role("button", name="Go on")).to_be_visible(timeout=LONG)
        expect(page.locator("#progress .said")).to_contain_text("up to step")
        assert_fits(page, "/models")
        discard(page)
        promote_and_roll_back(page, adapter)
        bring_and_use(page, tmp_path)
        begin_once(page)
        page.close()


def promote_and_roll_back(page: Page, id: str) -> None:
    card = page.locator(f"#adapter-{id}")
    expect(card.locator("header .verdict")).to_have_text("Measurably better")
    card.get_by_role("button", name=f"Promote {id}").click()
    page.locator(f"#promote-{id}").get_by_role("button", name="Promote", exact=True).click()
    expect(page.locator(".notice")).to_contain_text(f"{id} answers from now on", timeout=LONG)
    expect(page.locator(".model-name")).to_contain_text(id)
    expect(card.locator(".badge")).to_have_text("Answers now")
    page.get_by_role("button", name="Roll back to").click()
    page.locator("#roll-back").get_by_role("button", name="Roll back", exact=True).click()
    expect(page.locator("#promotions tbody tr")).to_have_count(2, timeout=LONG)
    expect(page.locator(".model-name")).not_to_contain_text(id)


def bring_and_use(page: Page, folder: Path) -> None:
    (folder / "page.gguf").write_text("<html>")
    page.goto("/models")
    page.wait_for_load_state()
    field = page.locator("#bring input")
    field.set_input_files(folder / "page.gguf")
    expect(page.locator("#bring .status")).to_contain_text("page.gguf is no GGUF file")
    field.set_input_files(write_model(folder / "ours.gguf", "llama"))
    expect(page.locator(".notice")).to_contain_text("ours.gguf is here", timeout=LONG)
    page.get_by_role("button", name="Try ours.gguf").click()
    expect(page.locator("#tried tbody tr").first).to_be_visible(timeout=LONG)
    assert_fits(page, "/models")
    page.get_by_role("button", name="Use it: ours.gguf").click()
    page.locator(".card:popover-open").get_by_role("button", name="Use it").click()
    expect(page.locator(".model-name")).to_contain_text("ours", timeout=LONG)
    page.get_by_role("button", name="Go back to SmolLM2").click()
    page.locator("#go-back").get_by_role("button", name="Go back", exact=True).click()
    expect(page.locator(".model-name")).to_contain_text("SmolLM2", timeout=LONG)


def begin_once(page: Page) -> None:
    page.get_by_text("Advanced").click()
    page.get_by_label("Passes").fill("0.3")
    page.get_by_role("button", name="Start", exact=True).click()
    expect(page.locator(".stages .present")).to_have_text("Dataset")
    expect(page.locator("#new button")).to_be_disabled()
    refused = page.request.post("/models/finetune", form={"passes": "1", "seed": "1"})
    assert refused.status == 409
    assert "running already" in refused.text()
    page.locator("#progress").get_by_role("button", name="Stop").click()
    discard(page)
    expect(page.get_by_role("button", name="Start", exact=True)).to_be_enabled()


def discard(page: Page) -> None:
    page.locator("#progress").get_by_role("button", name="Discard").click(timeout=LONG)
    expect(page.locator("#progress .queue")).to_have_count(0)
