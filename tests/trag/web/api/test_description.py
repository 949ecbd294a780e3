"""The description of the programs' addresses: what it says, how people read it, and that the addresses keep to it."""

import json
from collections import Counter
from pathlib import Path
from typing import Any

import pytest
from bs4 import BeautifulSoup
from hypothesis import HealthCheck, given, seed, settings

from trag.web import access
from trag.web.api.description import description, programs

Place = Any  # of conftest.py
HERE = "http://127.0.0.1:7860"


def test_it_describes_every_address_of_programs_and_no_other() -> None:
    described = {(method.upper(), path) for path, methods in description()["paths"].items() for method in methods}
    table = {(verb, path) for verb, rows in (("GET", access.READ), ("POST", access.WRITE)) for _, path in rows}
    # The tool for other assistants describes itself, in the words of its own protocol.
    assert described == {(verb, path) for verb, path in table if path in access.PROGRAMS - {"/mcp"}}


def test_every_part_that_it_refers_to_is_there() -> None:
    text = json.dumps(description())
    named = {part.partition('"')[0] for part in text.split('"#/components/schemas/')[1:]}
    assert named <= set(description()["components"]["schemas"])
    assert {"AnswerRecord", "Question", "Earlier", "Chat", "Source", "Goal", "PlanRecord", "PlannedStep"} <= named


def test_people_read_every_address_with_what_it_takes_and_tells() -> None:
    page = BeautifulSoup(programs(HERE, description()), "html.parser")
    read = {line for line in (heading.get_text(" ", strip=True) for heading in page.find_all("h2")) if "/" in line}
    methods = ((path, of) for path, by in description()["paths"].items() for of in by.items())
    assert read == {f"{method.upper()} {path} {told['summary']}" for path, (method, told) in methods}
    words = " ".join(page.get_text(" ").split())
    assert "question string, up to 4,000 characters · needed" in words
    assert "429 The line is full" in words
    addresses = [found.get("src") or found.get("href") for found in page.find_all(["script", "link", "a", "img"])]
    assert not [address for address in addresses if address and not address.startswith(("/", "#"))]


@pytest.mark.slow
@pytest.mark.parametrize("sent", ["right", "wrong"])
def test_the_addresses_keep_to_it_whatever_is_sent(opened: Any, tmp_path: Path, sent: str) -> None:
    import schemathesis
    from schemathesis.checks import not_a_server_error
    from schemathesis.specs.openapi import checks

    held_to = [
        not_a_server_error,
        checks.status_code_conformance,
        checks.content_type_conformance,
        checks.response_headers_conformance,
        checks.response_schema_conformance,
        checks.negative_data_rejection,
        checks.ignored_auth,
    ]
    mode = schemathesis.GenerationMode.POSITIVE if sent == "right" else schemathesis.GenerationMode.NEGATIVE
    tried: Counter[tuple[str, int]] = Counter()
    with opened(tmp_path) as place:
        schema = schemathesis.openapi.from_dict(place.program().get("/api/openapi.json").json())
        schema.app, token = place.app, place.token()
        found = [each.ok() for each in schema.get_all_operations()]
        for operation in found if sent == "right" else [each for each in found if each.method == "post"]:

            @settings(max_examples=40, deadline=None, suppress_health_check=list(HealthCheck), database=None)
            @seed(7)
            @given(operation.as_strategy(generation_mode=mode))
            def keeps(case: Any) -> None:
                answer = case.call_and_validate(base_url=HERE, headers=token, checks=held_to)
                tried[case.path, answer.status_code] += 1

            keeps()
    statuses = {status for _, status in tried}
    assert (200 if sent == "right" else 422) in statuses, tried


@pytest.mark.slow
def test_the_page_is_there_for_people_and_the_description_for_everybody(place: Place) -> None:
    browser = place.program(Accept="text/html")
    assert "For programs" in browser.get("/api").text
    place.token()
    assert browser.get("/api", follow_redirects=False).headers["location"] == "/sign-in?after=%2Fapi"
    assert browser.get("/api/openapi.json").json() == description()
