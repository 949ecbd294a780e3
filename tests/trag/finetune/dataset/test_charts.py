from collections import Counter
from random import Random

from trag.evaluate import chart_cases
from trag.finetune.dataset import charts
from trag.finetune.dataset.charts import STYLES, key


def test_charts_come_in_many_shapes_and_are_the_same_for_the_same_chance() -> None:
    made = [charts.make(Random(seed)) for seed in range(30)]
    assert [chart.version for chart in made] == [charts.make(Random(seed)).version for seed in range(30)]
    assert len({chart.version for chart in made}) == 30
    sizes = [len(chart) for chart in made]
    depths = Counter(max(map(chart.depth, chart.units)) for chart in made)
    assert min(sizes) >= 5, sizes
    assert max(sizes) > 30, sizes
    assert {2, 3} < set(depths), depths
    assert max(depths) >= 6, depths
    assert any(unit.aliases for chart in made for unit in chart.units.values())
    assert any(unit.attributes for chart in made for unit in chart.units.values())


def test_every_style_names_units_on_every_level() -> None:
    for style in STYLES:
        for level in range(1, 8):
            named = charts.name_unit(style, Random(level), level)
            assert key(named.name), style
            assert named.name == named.name.strip(), style


def test_a_chart_made_by_rules_gives_questions_of_every_kind() -> None:
    kinds = Counter(
        case.kind for seed in range(5) for case in chart_cases.make(charts.make(Random(seed)), seed=1, number=24)
    )
    assert set(kinds) == set(chart_cases.KINDS)


def test_a_chart_of_people_has_titles_and_nobody_twice() -> None:
    for seed in range(10):
        chart = charts.of_people(Random(seed))
        assert chart.version == charts.of_people(Random(seed)).version, "the same for the same chance"
        assert len(chart) >= 5
        assert len({unit.name for unit in chart.units.values()}) == len(chart)
        assert not chart.types
        titles = {header for unit in chart.units.values() for header, _ in unit.attributes}
        assert titles & {"Title", "Position", "Job title"}
