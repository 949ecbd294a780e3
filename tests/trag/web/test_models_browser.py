"""The page of the models in a real Chromium: the real app over a copy of the sample's home, real training."""

import shutil
import subprocess
from collections.abc import Callable
from contextlib import AbstractContextManager
from datetime import UTC, datetime
from pathlib import Path

import pytest
from playwright.sync_api import Browser, BrowserContext, expect

from org.reading.charts import load
from tests.pages import assert_fits
from trag.finetune import gate
from trag.finetune.work_folders import Works
from trag.home import open_home
from trag.llm import files
from trag.models.adapters import Candidates, Figure, Measurement
from trag.settings import Settings

Serving = Callable[..., AbstractContextManager[tuple[str, subprocess.Popen[str]]]]
LONG = 600_000
SAMPLE = Path(__file__).parents[3] / "examples" / "larkmoor"
FIGURES = (Figure(gate.ALL, 40, 20, 32, 13, 1, 0.0018), Figure("document", 40, 20, 32, 13, 1, 0.0018))

pytestmark = [pytest.mark.browser, pytest.mark.slow, pytest.mark.timeout(1200)]


@pytest.fixture(scope="module")
def own_home(sample_home: Path, tmp_path_factory: pytest.TempPathFactory, make_adapter: Callable[..., Path]) -> Path:
    """A copy of the sample's home with an adapter that changes nothing, and figures that say it does."""
    home = Path(shutil.copytree(sample_home, tmp_path_factory.mktemp("own") / "home", symlinks=True))
    candidates = Candidates(home / "adapters")
    made = candidates.add(
        make_adapter(home / "a.gguf"),
        base_name="SmolLM2-135M-Instruct",
        base_sha256=files.base_sha256(""),
        dataset_sha256="d" * 64,
        settings=(("steps", "10"),),
        by="ada",
    )
    measured = Measurement(datetime.now(UTC), "", gate.verdict(FIGURES), "20261120-200000", "")
    candidates.keep_results(made.id, measured)
    return home


@pytest.fixture(scope="module")
def app_model() -> str:
    return ""


def test_an_adapter_is_promoted_and_rolled_back_a_file_tried_and_a_fine_tune_begun_once_and_stopped(
    context: BrowserContext, own_home: Path
) -> None:
    page, id = context.new_page(), Candidates(own_home / "adapters").all()[-1].id
    assert_fits(page, "/models")
    card = page.locator(f"#adapter-{id}")
    expect(card.locator("header .verdict")).to_have_text("Has earned its place")
    card.get_by_role("button", name=f"Promote {id}").click()
    page.locator(f"#promote-{id}").get_by_role("button", name="Promote", exact=True).click()
    expect(page.locator(".notice")).to_contain_text(f"{id} answers from now on", timeout=LONG)
    expect(page.locator(".model-name")).to_contain_text(id)
    expect(card.locator(".badge")).to_have_text("Answers now")
    page.get_by_role("button", name="Roll back to").click()
    page.locator("#roll-back").get_by_role("button", name="Roll back", exact=True).click()
    expect(page.locator("#promotions tbody tr")).to_have_count(2, timeout=LONG)
    expect(page.locator(".model-name")).not_to_contain_text(id)

    page.get_by_role("button", name="Try SmolLM2").click()
    expect(page.locator(".notice")).to_contain_text("can answer", timeout=LONG)
    expect(page.locator(".notice")).to_contain_text("sha256")

    page.get_by_label("Passes").fill("0.3")
    page.get_by_role("button", name="Start", exact=True).click()
    expect(page.locator(".stages .present")).to_have_text("Dataset")
    expect(page.locator("#new button")).to_be_disabled()
    refused = page.request.post("/models/finetune", form={"epochs": "1", "seed": "1"})
    assert refused.status == 409
    assert "running already" in refused.text()
    page.locator("#progress").get_by_role("button", name="Stop").click()
    page.locator("#progress").get_by_role("button", name="Discard").click(timeout=LONG)
    expect(page.locator("#progress .queue")).to_have_count(0)
    expect(page.get_by_role("button", name="Start", exact=True)).to_be_enabled()


def test_training_is_watched_outlives_the_app_and_is_stopped(
    serving: Serving, tmp_path: Path, browser: Browser
) -> None:
    home = tmp_path / "home"  # with a chart alone, of which a dataset is made in seconds
    content = (SAMPLE / "chart.csv").read_bytes()
    with open_home(Settings(home=home)) as opened:
        opened.activate_chart(load(content, "chart.csv"), "chart.csv", content, by="ada")
    small = {"epochs": 9.0, "held_out": 2, "evaluations": 1, "accumulation": 1, "longest": 2000}  # not over before Stop
    Works(home / "finetune").begin(by="ada", seed=1, settings=small)
    with serving(home) as (address, process):
        page = browser.new_page(base_url=address)
        page.goto("/models")
        expect(page.locator("#progress .state")).to_have_text("Interrupted when the program ended")
        page.get_by_role("button", name="Go on").click()
        expect(page.locator(".stages .present")).to_have_text("Training", timeout=LONG)
        expect(page.locator("#progress .rate")).to_contain_text("tokens a second", timeout=LONG)
        expect(page.locator("#progress .left")).to_contain_text("left")
        expect(page.locator("[data-plot=loss] polyline").first).to_be_visible(timeout=LONG)
        process.kill()
    page.close()
    with serving(home) as (address, process):
        page = browser.new_page(base_url=address)
        page.goto("/models")
        expect(page.locator("#progress .rate")).to_contain_text("tokens a second", timeout=LONG)
        page.get_by_role("button", name="Stop").click()
        expect(page.get_by_role("button", name="Go on")).to_be_visible(timeout=LONG)
        expect(page.locator("#progress .said")).to_contain_text("up to step")
        page.close()
        process.kill()
