"""The measures of plans, against values worked out by hand on the paper's domains."""

from collections.abc import Sequence
from dataclasses import asdict, fields, replace

import pytest

from trag.evaluate.flows.data import Data
from trag.evaluate.flows.measures import Measures, Truth, measure, summed
from trag.evaluate.flows.plans import Plan, Unit

FLIGHTS, CREATE, ORDER, END = (
    "Propose flights to the customer",
    "Confirm the trip and create it",
    "Place the order for the trip",
    "Finish handling the request",
)
GOOD = (
    (FLIGHTS, "GetAirports"),
    (FLIGHTS, "FindFlight"),
    (CREATE, "Confirm"),
    (CREATE, "CreateTrip"),
    (ORDER, "GetPaymentInformation"),
    (ORDER, "OrderTrip"),
    (END, "Finish"),
)


def nearest(thought: str, sentences: Sequence[str]) -> int:
    """Of thoughts that are sentences word for word."""
    return list(sentences).index(thought)


def plan_of(*units: tuple[str, str]) -> Plan:
    return Plan(tuple(Unit(*unit) for unit in units), len(units), (), any(api == "Finish" for _, api in units))


@pytest.fixture
def trips(paper: Data) -> Truth:
    return Truth(paper.domains["trip-booking"])


def test_the_gold_of_every_flow_is_without_fault_where_it_is_mended(paper: Data) -> None:
    for domain in paper.domains.values():
        assert domain.mended
        for read, faulty in ((domain, {"buy-insurance"}), (domain.mended, set[str]())):
            truth = Truth(read)
            for flow in domain.gold:
                of = [(step, api) for api, step in truth.steps_of(flow)]
                measures = measure(plan_of(*of), truth, flow, nearest)
                without = measure(replace(plan_of(*of), thoughts=0), truth, flow, None)
                assert (measures.edits_apis, measures.edits_steps, measures.inconsistent_steps) == (0, 0, 0)
                assert measures.exact == (flow not in faulty), flow
                assert replace(without, thoughts=measures.thoughts) == measures


@pytest.mark.parametrize(
    ("units", "changed"),
    [
        (GOOD, {"exact": 1}),
        # What needs nothing is consistent anywhere, and exact in its step alone.
        ((GOOD[0], GOOD[1], GOOD[3], GOOD[2], *GOOD[4:]), {"inconsistent_apis": 1 / 7}),
        ((*GOOD[:4], GOOD[5], GOOD[4], GOOD[6]), {"inconsistent_apis": 1 / 7}),
        ((GOOD[4], *GOOD[:4], *GOOD[5:]), {"inconsistent_steps": 1 / 7}),
        # One API too few: its child is early, and so is nothing else.
        (GOOD[1:], {"edits_steps": 1, "edits_apis": 1, "inconsistent_apis": 1 / 6}),
        # The order is no edit.
        ((GOOD[1], GOOD[0], *GOOD[2:]), {"inconsistent_apis": 1 / 7}),
        (
            (*GOOD[:2], *GOOD[4:6], *GOOD[2:4], GOOD[6]),
            {"inconsistent_apis": 1 / 7, "inconsistent_steps": 2 / 7},
        ),
        ((*GOOD[:2], GOOD[1], *GOOD[2:]), {"repeated": 1 / 8, "edits_apis": 1, "edits_steps": 1}),
        (((FLIGHTS, "Start"), *GOOD), {"repeated": 1 / 8, "edits_apis": 1, "edits_steps": 1}),
        # Invented: counted as early in its own column alone.
        (
            ((FLIGHTS, "SuggestFlights"), *GOOD),
            {"hallucinated": 1 / 8, "edits_apis": 1, "edits_steps": 1, "inconsistent_with_invented": 1 / 8},
        ),
        # Another flow's step and API: one to remove. CreateTrip has an alternative at hand.
        ((("Propose hotels to the customer", "FindHotel"), *GOOD), {"edits_apis": 1, "edits_steps": 1}),
        (
            (("Propose hotels to the customer", "FindHotel"), *GOOD[2:]),
            {"edits_apis": 3, "edits_steps": 3, "inconsistent_steps": 2 / 6},
        ),
        # Stopped at once: all of the gold is missing, and the end comes before what it needs.
        ((GOOD[6],), {"edits_apis": 6, "edits_steps": 6, "inconsistent_apis": 1, "inconsistent_steps": 1}),
        ((), {"edits_apis": 7, "edits_steps": 7}),
    ],
)
def test_measures(trips: Truth, units: tuple[tuple[str, str], ...], changed: dict[str, float]) -> None:
    plan = plan_of(*units)
    expected = dict.fromkeys((field.name for field in fields(Measures)), 0.0)
    expected |= {"thoughts": len(units), "apis": len(units), "parsable": plan.parsable, "finished": plan.finished}
    expected |= {"inconsistent_with_invented": changed.get("inconsistent_apis", 0), **changed}
    assert asdict(measure(plan, trips, "book-flight", nearest)) == pytest.approx(expected)


def test_within_a_step_any_order_is_exact(paper: Data) -> None:
    truth = Truth(paper.domains["restaurant-and-ride"])
    first, second, *rest = ((step, api) for api, step in truth.steps_of("book-restaurant"))
    assert measure(plan_of(second, first, *rest), truth, "book-restaurant", nearest).exact


def test_a_plan_that_cannot_all_be_read_counts_with_what_could(trips: Truth) -> None:
    measures = measure(replace(plan_of(*GOOD), unread=("Sure!",)), trips, "book-flight", nearest)
    assert (measures.parsable, measures.edits_apis, measures.exact) == (0, 0, 0)


def test_without_thoughts_a_step_is_the_owner_of_the_api(trips: Truth) -> None:
    """The offers are a step of cars alone, whose parents are not there; an invented API is of no step."""
    stray = plan_of(("", "GetCarInsuranceDiscount"), *(("", api) for _, api in GOOD), ("", "Invented"))
    measures = measure(stray, trips, "book-flight", None)
    assert (measures.edits_steps, measures.inconsistent_steps * 9) == (2, 1)


def test_mean_and_deviation(trips: Truth) -> None:
    both = [measure(plan_of(*units), trips, "book-flight", nearest) for units in (GOOD, GOOD[1:])]
    assert summed(both)["edits_apis"] == (0.5, 0.5)
    assert summed(both)["exact"] == (0.5, 0.5)
