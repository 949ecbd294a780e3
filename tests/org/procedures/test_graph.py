"""The graph of actions against an oracle that tries everything out, and shares no code with it."""

import random
import time
from collections.abc import Collection
from itertools import chain, combinations, product

import pytest

from org.procedures.actions import Action
from org.procedures.graph import Choice, Graph

CASES = 120


def action(id: str, needs: str = "", gives: str = "") -> Action:
    return Action(id, id, needs=tuple(tuple(need.split("|")) for need in needs.split()), gives=tuple(gives.split()))


TRIP = (  # the trip domain of the paper (FLAP, table 7)
    action("Confirm", "", "confirmation"),
    action("FindRentalCar", "", "car"),
    action("FindHotel", "", "hotel"),
    action("GetPayInfo", "", "payment"),
    action("Start", "init"),
    action("InitSystem", "", "init"),
    action("OrderTrip", "trip payment confirmation", "order"),
    action("UpdateTrip", "offer trip"),
    action("FindFlight", "airport", "flight"),
    action("GetCarInsuranceDiscount", "car", "offer"),
    action("CreateTrip", "flight|hotel|car confirmation", "trip"),
    action("Finish", "order"),
    action("GetAirports", "", "airport"),
)


class Oracle:
    """What may be done, found by trying out: each way to meet every need, each set of actions, each order of it."""

    def __init__(self, actions: Collection[Action]) -> None:
        self.actions = {each.id: each for each in actions}
        given = {thing for each in actions for thing in each.gives}
        self.brought = {thing for each in actions for need in each.needs for thing in need} - given

    def permitted(self, called: Collection[str], at_hand: Collection[str]) -> set[str]:
        there = {*self.brought, *at_hand, *chain.from_iterable(self.actions[id].gives for id in called)}
        ways = {id: list(product(*each.needs)) for id, each in self.actions.items()}
        return {id for id in self.actions if id not in called and any(there.issuperset(way) for way in ways[id])}

    def doable(self, at_hand: Collection[str]) -> list[frozenset[str]]:
        """Every set of actions that can all be done in some order: one of them comes last."""
        found: dict[frozenset[str], None] = {frozenset(): None}
        for size in range(1, len(self.actions) + 1):
            for ids in map(frozenset, combinations(self.actions, size)):
                if any(ids - {last} in found and last in self.permitted(ids - {last}, at_hand) for last in ids):
                    found[ids] = None
        return list(found)

    def one_another(self) -> set[tuple[str, str]]:
        """Which wait for which and the other way round, by Warshall's closure; alone, only what it alone gives."""
        ids = self.actions
        above = {(one, other): one != other and bool(self._helps(one, other)) for one in ids for other in ids}
        for by, one, other in product(ids, ids, ids):
            above[one, other] |= above[one, by] and above[by, other]
        alone = {
            (id, id)
            for id in ids
            if any({other for other in ids if set(need) & {*ids[other].gives}} == {id} for need in self._waits(id))
        }
        return alone | {(one, other) for one, other in above if above[one, other] and above[other, one]}

    def _helps(self, one: str, other: str) -> set[str]:
        return {*self.actions[other].gives}.intersection(*[chain.from_iterable(self._waits(one))])

    def _waits(self, id: str) -> list[tuple[str, ...]]:
        return [need for need in self.actions[id].needs if self.brought.isdisjoint(need)]


def some_graph(chance: random.Random) -> list[Action]:
    things = [f"t{number}" for number in range(chance.randint(3, 5))]

    def need() -> str:
        return "|".join(chance.sample(things, chance.choice((1, 1, 2, 2, 3))))

    return [
        action(
            f"A{number}",
            " ".join(need() for _ in range(chance.choice((0, 0, 1, 2, 3)))),
            " ".join(chance.sample(things, chance.choice((0, 1, 2, 2)))),
        )
        for number in range(chance.randint(3, 7))
    ]


@pytest.mark.parametrize("seed", range(CASES))
def test_what_may_be_done_is_what_trying_everything_finds(seed: int) -> None:
    chance = random.Random(seed)
    actions = some_graph(chance)
    graph, oracle = Graph(actions), Oracle(actions)
    ids = [each.id for each in actions]
    called = chance.sample(ids, chance.randint(0, len(ids) - 1))
    at_hand = chance.sample(["t0", "t1", "t2"], chance.choice((0, 0, 1, 2)))
    doable = oracle.doable(at_hand)

    assert graph.permitted(called, at_hand) == tuple(id for id in ids if id in oracle.permitted(called, at_hand))
    reachable = frozenset().union(*doable)
    assert graph.reachable(at_hand=at_hand) == reachable
    if not reachable:
        return
    targets = frozenset(chance.sample(sorted(reachable), chance.randint(1, min(2, len(reachable)))))
    enough = [each for each in doable if targets <= each]
    found = graph.closure(targets, at_hand=at_hand)
    assert {*found.actions} <= frozenset.intersection(*enough), "what it takes is taken whatever is chosen"
    for choice in found.choices:
        assert all(giver in ids and giver not in found.actions for giver in choice.givers)
    settled = graph.closure(targets, chosen=reachable, at_hand=at_hand)
    if not settled.choices:
        assert frozenset(settled.actions) in enough
    else:  # only an action that can never be done may keep a choice open
        assert not {*chain.from_iterable(choice.givers for choice in settled.choices)} & reachable

    circles = graph.circles(ids)
    together = {(one, other) for circle in circles for one in circle for other in circle}
    assert together == oracle.one_another()


def test_the_graph_of_the_paper_s_trips() -> None:
    graph = Graph(TRIP)
    assert len(graph.edges()) == 13  # as the paper counts them
    assert graph.parents("CreateTrip") == (("FindFlight", "FindHotel", "FindRentalCar"), ("Confirm",))
    assert "CreateTrip" not in graph.permitted(["Confirm"])
    assert "CreateTrip" in graph.permitted(["Confirm", "FindHotel"])
    found = graph.closure(["OrderTrip", "Finish"])
    assert found.actions == ("Confirm", "GetPayInfo", "OrderTrip", "CreateTrip", "Finish")
    givers = ("FindFlight", "FindHotel", "FindRentalCar")
    assert found.choices == (Choice("CreateTrip", ("flight", "hotel", "car"), givers),)
    assert graph.closure(["OrderTrip"], chosen=["FindFlight"]).actions == (
        *("Confirm", "GetPayInfo", "OrderTrip", "FindFlight", "CreateTrip", "GetAirports"),
    )
    assert "FindHotel" not in graph.closure(["UpdateTrip"]).actions  # the car that the offer takes will do for the trip
    assert graph.closure(["Finish"], at_hand=["trip"]).actions == ("Confirm", "GetPayInfo", "OrderTrip", "Finish")


def test_what_nobody_gives_the_asker_brings() -> None:
    graph = Graph([action("Ask", "name|badge form"), action("Print", "", "badge")])
    assert graph.permitted() == ("Ask", "Print")
    assert graph.brought("Ask") == (("name", "badge"), ("form",))
    assert graph.closure(["Ask"]).actions == ("Ask",)


def test_a_circle_is_entered_from_outside_when_nothing_else_helps() -> None:
    graph = Graph([action("A", "x", "y"), action("B", "y", "x"), action("C", "", "x"), action("D", "", "x")])
    assert graph.circles(graph.actions) == (("A", "B"),)
    assert graph.closure(["A", "B"]).choices == (Choice("A", ("x",), ("C", "D")),)
    assert graph.closure(["A", "B"], chosen=["D"]).actions == ("A", "B", "D")


def test_ids_of_no_action_are_refused() -> None:
    graph = Graph(TRIP)
    for call in (graph.permitted, graph.closure):
        with pytest.raises(KeyError):
            call(["FindTrain"])


@pytest.mark.parametrize("called", [0, 20, 100])
def test_what_may_be_done_is_told_in_milliseconds_at_5_000_actions(called: int) -> None:
    chance = random.Random(5)
    layers = [
        action(
            f"A{n}", f"t{chance.randrange(n)} t{chance.randrange(n)}|t{chance.randrange(n)}" if n > 99 else "", f"t{n}"
        )
        for n in range(5_000)
    ]
    graph = Graph(layers)
    done = chance.sample(list(graph.actions), called)
    assert graph.reachable() == set(graph.actions)

    def seconds() -> float:
        begun = time.perf_counter()
        graph.permitted(done)
        return time.perf_counter() - begun

    assert min(seconds() for _ in range(50)) < 0.01
