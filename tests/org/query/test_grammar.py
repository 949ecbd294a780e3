"""Which types of a chart a noun means."""

from org.chart import Chart, Unit
from org.query import grammar

CHART = Chart(
    [
        Unit("0", "Top", "Agency", None),
        Unit("1", "A", "Country Office", "0"),
        Unit("2", "B", "Field  office", "0"),
        Unit("3", "C", "Standing Committee", "0"),
        Unit("4", "D", "AUTHORITY", "0"),
        Unit("5", "E", "Authority", "0"),
        Unit("6", "F", "", "0"),
    ]
)


def test_a_type_is_known_in_any_case_and_number() -> None:
    assert grammar.types_of("country offices", CHART) == ("Country Office", frozenset({"Country Office"}))
    assert grammar.types_of("FIELD OFFICE", CHART) == ("Field office", frozenset({"Field  office"}))
    assert grammar.types_of("authorities", CHART)[1] == {"AUTHORITY", "Authority"}


def test_what_several_types_end_in_means_them_all() -> None:
    assert grammar.types_of("offices", CHART) == ("Office", frozenset({"Country Office", "Field  office"}))
    assert grammar.types_of("committee", CHART)[1] == frozenset()  # one alone says its whole name
    assert grammar.types_of("unit", CHART)[1] == frozenset()
    assert grammar.types_of("", CHART)[1] == frozenset()


def test_the_nouns_are_the_types_and_the_endings_they_share() -> None:
    assert set(grammar.type_nouns(CHART)) == {
        "Agency", "Country Office", "Field office", "Standing Committee", "AUTHORITY", "Office",
    }  # fmt: skip
