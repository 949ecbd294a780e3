"""Domains with procedures, the gold plans that only an evaluation may see, and the queries to plan for.

folder: <domain>/procedures.json, gold.json, queries.jsonl; or one organization's procedures.json, gold.json,
flow_queries.jsonl (bench/flows/README.md) -> Data
"""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any, Literal

from org.procedures import BookError
from org.procedures.flows import Book
from org.procedures.reading import load
from trag import json_lines
from trag.errors import OperatorError, TragError
from trag.json_lines import Words, made

Half = Literal["dev", "test"]
Kind = Literal["none", "two", "second"]
"""Nothing serves it; it fits two; it has a second wish, which another flow serves, or none."""
OPENING = ("InitSystem", "Start")
"""The dummy units that every plan begins with, already written in the prompt (FLAP, section 5.1)."""
END = "Finish"

Gold = tuple[tuple[str, ...], ...]
"""For each step of a flow the ids of the actions it takes, in order; table 6 of the paper."""


@dataclass(frozen=True, slots=True)
class Domain:
    """The procedures of one domain, and by their ids the gold of each. `mended` is the same where the published one
    contradicts itself mended, else the same object as this; None of the mended one itself."""

    name: str
    book: Book
    gold: Mapping[str, Gold]
    mended: Domain | None = None


@dataclass(frozen=True, slots=True)
class Query:
    """What a customer types, and the flow that serves it. `half` is dev (tuned on) or test (measured once)."""

    id: Words
    domain: Words
    flow: Words
    half: Half
    query: Words


@dataclass(frozen=True, slots=True)
class Beyond(Query):
    """A request that is not one flow's (`flow` is ""): `flows` serve a part of it, or each of them would. `kind` is one
    of `Kind`."""

    kind: Kind
    flows: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Data:
    """Domains by name, in the order of the gold, and the queries over them."""

    domains: Mapping[str, Domain]
    queries: tuple[Query, ...]


@dataclass(frozen=True, slots=True)
class _OwnQuery:
    id: Words
    procedure: Words
    query: Words


@dataclass(frozen=True, slots=True)
class _Beyond:
    id: Words
    kind: Kind
    query: Words
    domain: Words
    flows: tuple[Words, ...]


@dataclass(frozen=True, slots=True)
class _OwnBeyond:
    id: Words
    kind: Kind
    query: Words
    procedures: tuple[Words, ...]


def read(folder: Path) -> Data:
    """The data in a folder. Raises TragError naming every problem of it: a file that is missing or no JSON, a gold that
    does not fit its procedure, a query of a flow that there is none of."""
    problems: list[str] = []
    folder = folder.resolve()
    alone = (folder / "procedures.json").exists()
    files = [folder / "procedures.json"] if alone else list(folder.glob("*/procedures.json"))
    if not files:
        raise OperatorError(
            f"{folder} holds no flows.", "It must have a folder for each domain with a procedures.json in it."
        )
    gold: dict[str, Any] = {}
    try:
        gold = made(dict[str, Any], (folder / "gold.json").read_bytes())
    except OSError as error:
        problems.append(f"gold.json of {folder.name} cannot be read: {error.strerror}")
    except ValueError as error:
        problems.append(f"gold.json of {folder.name} {error}")
    gold = {folder.name: gold} if alone else gold
    domains = {}
    for file in sorted(files, key=lambda file: ([*gold, file.parent.name].index(file.parent.name), file)):
        name = file.parent.name
        try:
            domains[name] = _domain(name, load(file.read_bytes(), f"procedures.json of {name}"), gold[name])
        except BookError as error:
            problems.append(error.message)
        except (KeyError, TypeError, AttributeError) as error:
            problems.append(f"gold.json has none for {name}, or not of the right shape ({error!r})")
        else:
            problems += _misfits(domains[name])
    queries: tuple[Query, ...] = ()
    try:
        broken = {file.parent.name for file in files} - {*domains}
        asked = folder / ("flow_queries.jsonl" if alone else "queries.jsonl")
        queries = _queries(asked, domains, broken, folder.name if alone else "")
    except TragError as error:
        problems.append(error.message)
    if problems:
        raise OperatorError(f"{folder} cannot be used:\n" + "\n".join(problems), "bench/flows/README.md has the form.")
    return Data(domains, queries)


def _domain(name: str, book: Book, gold: Mapping[str, Any]) -> Domain:
    published = Domain(name, book, _gold(gold["gold"]))
    changed = {
        id: replace(book.actions[id], needs=_needs(one["needs"]), gives=tuple(one["gives"]))
        for id, one in gold.get("actions_mended", {}).items()
    }
    mended = Domain(
        name,
        Book.of({**book.actions, **changed}.values(), book.procedures.values()),
        {**published.gold, **_gold(gold.get("gold_mended", {}))},
    )
    return replace(published, mended=mended)


def _needs(needs: list[str]) -> tuple[tuple[str, ...], ...]:
    return tuple(tuple(need.split("|")) for need in needs)


def _gold(values: Mapping[str, list[list[str]]]) -> Mapping[str, Gold]:
    return {flow: tuple(map(tuple, steps)) for flow, steps in values.items()}


def _misfits(domain: Domain) -> Iterator[str]:
    """What of the gold does not fit the procedures."""
    for id in sorted({*domain.gold, *domain.book.procedures}):
        flow, gold = domain.book.procedures.get(id), domain.gold.get(id)
        if flow is None or gold is None:
            yield f"{domain.name}: {id} is in {'the gold' if flow is None else 'the procedures'} only"
        elif len(gold) != len(flow.steps):
            yield f"{domain.name}: {id} has {len(flow.steps)} steps, and {len(gold)} in the gold"
    named = {
        id for read in (domain, domain.mended) if read for gold in read.gold.values() for step in gold for id in step
    }
    for unknown in sorted(named - {*domain.book.actions}):
        yield f"{domain.name}: the gold names {unknown}, which is no action"


def _queries(file: Path, domains: Mapping[str, Domain], broken: Collection[str], alone: str) -> tuple[Query, ...]:
    """The queries in a file; of one of a `broken` domain it is not known whether its flow is there. Those over the
    only domain, `alone`, name neither it nor a half, and their flow a procedure."""

    def wrong(query: Query) -> Iterator[str]:
        known = query.domain in domains and query.flow in domains[query.domain].book.procedures
        if not known and query.domain not in broken:
            yield f"there is no flow {query.flow} in {query.domain}"

    def query(line: _OwnQuery) -> Query:
        return Query(line.id, alone, line.procedure, "test", line.query)

    if not alone:
        return json_lines.read(file, Query, "queries", "", wrong)
    own = json_lines.read(file, _OwnQuery, "queries", "", lambda line: wrong(query(line)))
    return tuple(map(query, own))


def read_beyond(file: Path, data: Data) -> Data:
    """The same domains with the requests of a file that are not one flow's. Raises TragError naming every bad line."""
    alone = next(iter(data.domains)) if len(data.domains) == 1 else ""

    def beyond(line: _Beyond | _OwnBeyond) -> Beyond:
        domain, flows = (alone, line.procedures) if isinstance(line, _OwnBeyond) else (line.domain, line.flows)
        return Beyond(line.id, domain, "", "test", line.query, line.kind, flows)

    def wrong(line: _Beyond | _OwnBeyond) -> Iterator[str]:
        one = beyond(line)
        if one.domain not in data.domains:
            yield f'"domain" must be {" or ".join(data.domains)}'
        else:
            there = data.domains[one.domain].book.procedures
            yield from (f"there is no flow {id} in {one.domain}" for id in one.flows if id not in there)

    kind: type[_Beyond | _OwnBeyond] = _OwnBeyond if alone else _Beyond
    lines = json_lines.read(file, kind, "requests", "bench/flows/README.md has the form.", wrong)
    return replace(data, queries=tuple(map(beyond, lines)))
