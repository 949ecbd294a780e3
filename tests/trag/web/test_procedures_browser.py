"""The page of the written procedures in a real Chromium, served by the real app over a copy of the sample's home."""

import pytest
from playwright.sync_api import FilePayload, expect

from tests.pages import assert_fits
from tests.serving import Visit

ACTIONS = b"id,title,needs,gives\nAsk,Ask for leave,dates,request\nGrant,Grant leave,request,leave\n"
STEPS = b"id,title,step,actions\nleave,Take leave,Ask for leave in good time,Ask\n,,Leave is granted,Grant\n"

pytestmark = [pytest.mark.browser, pytest.mark.slow]


def test_two_files_go_from_the_disk_to_a_picture_and_back(app: str, visit: Visit) -> None:
    page = visit(app)
    page.goto("/procedures")
    files = [FilePayload(name=f"{n}.csv", mimeType="text/csv", buffer=of) for n, of in (("a", ACTIONS), ("p", STEPS))]
    page.set_input_files("input[type=file]", files)
    page.wait_for_url("**/procedures/uploads/*")
    expect(page.locator("h1")).to_have_text("a.csv, p.csv")
    page.get_by_role("button", name="Activate").click()
    expect(page.locator(".notice.good")).to_contain_text("a.csv, p.csv")
    picture = page.locator(".flow")
    # the line begins beside the first action, and its head ends beside the second
    for at, end in enumerate((picture.locator("path"), picture.locator("polygon"))):
        row, drawn = picture.locator("li.action").nth(at).bounding_box(), end.bounding_box()
        assert row
        assert drawn
        assert row["y"] < drawn["y"] < row["y"] + row["height"]
        assert drawn["x"] + drawn["width"] <= row["x"] + 4
    assert_fits(page, "/procedures")
