"""The paper's flows changed, so that whoever knows them by heart fails: python -m bench.flows.change FOLDER [--seed N].

Writes renamed, shuffled, inserted, removed and swapped into FOLDER, each a folder that `evaluate flows` takes, with 5
test queries an intent. All start from the mended reading, so that every gold is without contradiction.
"""

import argparse
import json
import random
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import replace
from itertools import combinations
from pathlib import Path

from org.procedures.actions import Action
from org.procedures.flows import Book, Step, write
from trag.evaluate.flows.data import Domain, Gold, Query, read
from trag.evaluate.flows.measures import Truth
from trag.json_lines import write as write_lines

PAPER = Path(__file__).parent / "paper"
AN_INTENT = 5
NAMES = {
    "Authenticate": "CheckWhoBooked",
    "BookRestaurant": "ReserveTable",
    "BookRide": "OrderCab",
    "CancelInsurance": "EndPolicy",
    "CancelRestaurantBooking": "GiveUpTable",
    "CancelRide": "CallOffCab",
    "CancelTransaction": "TakePaymentBack",
    "CheckEligibility": "DecideWhetherEntitled",
    "Confirm": "AskForYes",
    "CreateTrip": "SetUpJourney",
    "FindFlight": "SearchPlanes",
    "FindHotel": "SearchRooms",
    "FindRentalCar": "SearchHireCars",
    "FindRestaurants": "SearchTables",
    "FindRideShareOptions": "SearchCabs",
    "GetAccountTypes": "ChooseKindOfAccount",
    "GetAdditionalMemberInformation": "AskAboutNewPerson",
    "GetAirports": "ListAirfields",
    "GetBudget": "AskHowMuch",
    "GetCarInsuranceDiscount": "LookUpCoverRebate",
    "GetCity": "AskWhichTown",
    "GetCustomerIncome": "AskEarnings",
    "GetCustomerName": "AskWhoIsComing",
    "GetDateOfBirth": "AskBirthday",
    "GetDemographicDetails": "AskAgeAndAddress",
    "GetDestination": "AskWhereTo",
    "GetInsuranceID": "AskPolicyNumber",
    "GetItem": "AskWhatToCover",
    "GetPaymentInformation": "TakeCardDetails",
    "GetPaymentMethod": "AskCashOrCard",
    "GetQuote": "WorkOutPremium",
    "GetRefundMethod": "AskHowToRepay",
    "GetRestaurantBookingID": "AskTableNumber",
    "GetRideBookingID": "AskCabNumber",
    "GetSelectedRestaurant": "LetCustomerPickTable",
    "GetSelectedRideShareOption": "LetCustomerPickCab",
    "GetSource": "AskWhereFrom",
    "GetTime": "AskWhen",
    "GetTransactionInformation": "AskWhichPayment",
    "NotifyComplaintDepartment": "TellComplaintsTeam",
    "OpenAccount": "SetUpAccount",
    "OrderInsurance": "IssuePolicy",
    "OrderTrip": "PlaceJourney",
    "RecordIssue": "WriteDownTrouble",
    "UpdateInsurance": "ExtendPolicy",
    "UpdateTrip": "AmendJourney",
    "ValidateInsurance": "CheckPolicyExists",
    "ValidateTransaction": "CheckPaymentHappened",
}
"""All but the names that stand in every prompt."""
INSERTED = {
    "trip-booking": (
        "Look up the customer's loyalty status",
        Action("GetLoyaltyNumber", "Get the loyalty number", "Asks the customer for the number of their loyalty card.",
               gives=("loyalty_number",)),
        Action("CheckLoyaltyStatus", "Check the loyalty status", "Looks up which loyalty status a card has.",
               needs=(("loyalty_number",),), gives=("loyalty_status",)),
    ),
    "insurance": (
        "Explain data protection and take the customer's consent",
        Action("ShowPrivacyNotice", "Show the privacy notice", "Shows the customer what their data is used for.",
               gives=("privacy_notice",)),
        Action("GetConsent", "Get the consent", "Asks the customer to agree to the use of their data.",
               needs=(("privacy_notice",),), gives=("consent",)),
    ),
    "banking": (
        "Make sure of the customer's identity",
        Action("GetIdentityDocument", "Get an identity document", "Asks the customer for a passport or identity card.",
               gives=("identity_document",)),
        Action("VerifyIdentity", "Verify the identity", "Compares the customer with their identity document.",
               needs=(("identity_document",),), gives=("identity_status",)),
    ),
    "restaurant-and-ride": (
        "Ask for special wishes and note them down",
        Action("GetSpecialWishes", "Get special wishes", "Asks the customer for wishes such as a child seat.",
               gives=("special_wishes",)),
        Action("NoteSpecialWishes", "Note special wishes", "Writes the customer's wishes into their file.",
               needs=(("special_wishes",),), gives=("wishes_note",)),
    ),
}  # fmt: skip
"""For each domain a step that all of its flows get, with the actions it takes."""

Change = Callable[[Domain, random.Random], Domain]


def renamed(domain: Domain, chance: random.Random) -> Domain:
    """Every action under another name."""
    actions = [replace(action, id=NAMES.get(action.id, action.id)) for action in domain.book.actions.values()]
    gold = {
        flow: tuple(tuple(NAMES.get(id, id) for id in step) for step in steps) for flow, steps in domain.gold.items()
    }
    return Domain(domain.name, Book.of(actions, domain.book.procedures.values()), gold)


def shuffled(domain: Domain, chance: random.Random) -> Domain:
    """Actions and flows listed in another order."""
    actions, procedures = list(domain.book.actions.values()), list(domain.book.procedures.values())
    chance.shuffle(actions)
    chance.shuffle(procedures)
    return Domain(domain.name, Book.of(actions, procedures), domain.gold)


def inserted(domain: Domain, chance: random.Random) -> Domain:
    """One more step in every flow, anywhere between the first and the last."""
    text, *actions = INSERTED[domain.name]

    def steps(flow: str) -> Iterator[tuple[str, Sequence[str]]]:
        old = _steps(domain, flow)
        place = chance.randrange(1, len(old))
        return iter([*old[:place], (text, [action.id for action in actions]), *old[place:]])

    book = Book.of([*domain.book.actions.values(), *actions], domain.book.procedures.values())
    return _with(replace(domain, book=book), {flow: list(steps(flow)) for flow in domain.gold})


def removed(domain: Domain, chance: random.Random) -> Domain:
    """One step less in every flow: what later ones need of it is for them to do. The first, the last and the one before
    it stay, so that nothing is left to guess; a flow with nothing between stays whole."""
    found = {}
    for flow in domain.gold:
        steps = _steps(domain, flow)
        if len(steps) > 3:
            steps.pop(chance.randrange(1, len(steps) - 2))
        found[flow] = _resolved(domain, flow, steps)
    return _with(domain, found)


def swapped(domain: Domain, chance: random.Random) -> Domain:
    """Two steps of every flow in each other's place: what one needs of a later one is done in it already. Where every
    swap would leave a step with nothing to do, the flow stays as it is."""
    found = {}
    for flow in domain.gold:
        steps = _steps(domain, flow)
        pairs = list(combinations(range(1, len(steps) - 1), 2))
        chance.shuffle(pairs)
        found[flow] = steps
        for one, other in pairs:
            order = [*steps]
            order[one], order[other] = steps[other], steps[one]
            resolved = _resolved(domain, flow, order)
            if all(ids for _, ids in resolved):
                found[flow] = resolved
                break
    return _with(domain, found)


CHANGES: Mapping[str, Change] = {change.__name__: change for change in (renamed, shuffled, inserted, removed, swapped)}


def make(folder: Path, seed: int) -> None:
    """Writes every variant into a folder of its own."""
    data = read(PAPER)
    chance = random.Random(seed)
    chosen = [
        query
        for flow in dict.fromkeys(query.flow for query in data.queries)
        for query in chance.sample([one for one in data.queries if one.flow == flow and one.half == "test"], AN_INTENT)
    ]
    for name, change in CHANGES.items():
        domains = [change(domain.mended or domain, random.Random(f"{seed} {name} {domain.name}"))
                   for domain in data.domains.values()]  # fmt: skip
        _write(folder / name, domains, chosen)


def _steps(domain: Domain, flow: str) -> list[tuple[str, Sequence[str]]]:
    """The sentence of each step with the actions it takes."""
    return [(step.text, ids) for step, ids in zip(domain.book.procedures[flow].steps, domain.gold[flow], strict=True)]


def _resolved(domain: Domain, flow: str, steps: Sequence[tuple[str, Sequence[str]]]) -> list[tuple[str, Sequence[str]]]:
    """The same steps, each calling first what its actions need of the flow's old gold and nobody has called yet."""
    truth = Truth(domain)
    old = [id for ids in domain.gold[flow] for id in ids]
    done: list[str] = []

    def call(id: str) -> None:
        for givers in truth.parents[id]:
            if givers and givers.isdisjoint(done):
                call(next(one for one in old if one in givers))
        if id not in done:
            done.append(id)

    found = []
    for text, ids in steps:
        before = len(done)
        for id in ids:
            call(id)
        found.append((text, done[before:]))
    return found


def _with(domain: Domain, flows: Mapping[str, Sequence[tuple[str, Sequence[str]]]]) -> Domain:
    """The domain with these steps."""
    procedures = [
        replace(domain.book.procedures[flow], steps=tuple(Step(text) for text, _ in steps))
        for flow, steps in flows.items()
    ]
    gold: dict[str, Gold] = {flow: tuple(tuple(ids) for _, ids in steps) for flow, steps in flows.items()}
    return Domain(domain.name, Book.of(domain.book.actions.values(), procedures), gold)


def _write(folder: Path, domains: Sequence[Domain], queries: Sequence[Query]) -> None:
    for domain in domains:
        (folder / domain.name).mkdir(parents=True, exist_ok=True)
        (folder / domain.name / "procedures.json").write_bytes(write(domain.book))
    gold = {domain.name: {"gold": domain.gold, "gold_mended": {}, "actions_mended": {}} for domain in domains}
    (folder / "gold.json").write_text(json.dumps(gold, indent=1) + "\n")
    lines = ({name: getattr(query, name) for name in Query.__slots__} for query in queries)
    (folder / "queries.jsonl").write_bytes(write_lines(lines))


if __name__ == "__main__":
    parser = argparse.ArgumentParser(prog="python -m bench.flows.change")
    parser.add_argument("folder", type=Path)
    parser.add_argument("--seed", type=int, default=1)
    options = parser.parse_args()
    make(options.folder, options.seed)
