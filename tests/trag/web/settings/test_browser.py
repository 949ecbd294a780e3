"""The page Settings in a real Chromium, served by the real app: what is chosen there is seen on every page."""

import io

import pytest
from PIL import Image
from playwright.sync_api import FilePayload, expect

from tests.pages import assert_fits
from tests.serving import Visit

pytestmark = [pytest.mark.browser, pytest.mark.slow]


def test_a_logo_and_a_colour_go_from_the_form_to_every_page(app: str, visit: Visit) -> None:
    page = visit(app)
    page.goto("/settings")
    large = FilePayload(name="l.png", mimeType="image/png", buffer=b"x" * (2**20 + 1))
    page.set_input_files("[name=logo]", large)
    page.get_by_role("button", name="Save", exact=True).click()
    said = page.locator("[name=logo]").evaluate("input => input.validationMessage")
    assert said.startswith("It has 1.0 MiB, and may have 1")
    expect(page).to_have_url(f"{app}/settings")

    file = io.BytesIO()
    Image.new("RGB", (200, 50), "#112299").save(file, "WEBP")
    page.set_input_files("[name=logo]", FilePayload(name="l.webp", mimeType="image/webp", buffer=file.getvalue()))
    page.get_by_label("Choose the accent colour").fill("#112299")
    assert page.locator("[name=accent]").input_value() == "#112299"
    page.get_by_label("Welcome").fill("<b>Good day</b>")
    page.get_by_role("button", name="Save", exact=True).click()
    expect(page.locator(".notice.good")).to_contain_text("Saved.")
    logo = page.locator(".logo img")
    assert logo.evaluate("image => [image.naturalWidth, image.naturalHeight]") == [200, 50]
    expect(page.get_by_label("Welcome")).to_have_value("<b>Good day</b>")
    accent = "getComputedStyle(document.documentElement).getPropertyValue('--accent')"
    assert page.evaluate(accent) == "#112299"
    assert_fits(page, "/settings")
    page.goto("/people")
    assert page.evaluate(accent) == "#112299"
    page.goto("/")
    expect(page.get_by_label("Your question")).to_be_visible()
    assert page.evaluate(accent) == "#112299"
