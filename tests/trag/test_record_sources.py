"""Where a reader who got no answer is led to."""

from trag.record import Source, first_of_sections


def source(id: str, document: str, section: str, kind: str = "section") -> Source:
    return Source(id, kind, document, section, None, f"Words of {id}.", 0.5)


def test_each_section_is_led_to_once_and_the_chart_never() -> None:
    sources = (
        source("chart-1", "Organization chart 1", "Board", "chart"),
        source("a", "fees.md", "Mooring"),
        source("b", "fees.md", "Mooring", "qa"),
        source("c", "rules.md", "Mooring"),
        source("d", "fees.md", "Water"),
    )
    assert [one.id for one in first_of_sections(sources)] == ["a", "c", "d"]
    assert first_of_sections(sources[:1]) == ()
