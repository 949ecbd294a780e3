"""A procedure as a picture: its steps and their actions as rows, and beside them what each action waits for.

Rows are as high as each other, so that the lines can be drawn without knowing how a browser lays out words.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace

from org.procedures.actions import Action
from org.procedures.flows import Book, Procedure, Step
from org.procedures.graph import Graph

ROW = 64
"""Pixels, as procedures.css has it."""
LANE = 12
"""Pixels between two lines."""
LANES = 8
"""Beyond that, lines share the outermost lane."""
CORNER = 5


@dataclass(frozen=True, slots=True)
class Row:
    """A step with its number, or an action of it (number 0). `bound`: the step names it, else another's need does."""

    number: int
    step: Step | None = None
    action: Action | None = None
    bound: bool = True


@dataclass(frozen=True, slots=True)
class Line:
    """From an action down to those that wait for it, as an SVG path, and the points of the heads of its arrows."""

    path: str
    heads: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Picture:
    """The rows from above, and the lines in a gutter of `width` and `height` pixels; what whoever asks brings (for each
    need its alternatives), and the actions that need one of several others, with those."""

    rows: tuple[Row, ...]
    lines: tuple[Line, ...]
    width: int
    height: int
    brought: tuple[tuple[str, ...], ...] = ()
    choices: tuple[tuple[Action, tuple[Action, ...]], ...] = ()


def picture(procedure: Procedure, book: Book, graph: Graph) -> Picture:
    """The picture of a procedure. What its bound actions need, and only one action can give, stands in the step that
    first needs it; what the asker brings and what is left to choose is said beneath."""
    bound = {id for step in procedure.steps for id in step.actions}
    rows: list[Row] = []
    seen: set[str] = set()
    for number, step in enumerate(procedure.steps, 1):
        rows.append(Row(number, step=step))
        needed = [id for id in graph.closure(step.actions).actions if id not in seen]
        own = [id for id in _ordered(needed, graph) if id in step.actions or id not in bound]
        rows += (Row(0, action=book.actions[id], bound=id in step.actions) for id in own)
        seen.update(own)
    called = [row.action.id for row in rows if row.action]
    choices = graph.closure(called).choices
    return replace(
        laid_out(rows, graph),
        brought=tuple(dict.fromkeys(need for id in called for need in graph.brought(id))),
        choices=tuple(
            (book.actions[choice.action], tuple(map(book.actions.__getitem__, choice.givers))) for choice in choices
        ),
    )


def laid_out(rows: Sequence[Row], graph: Graph) -> Picture:
    """The picture of rows, with nothing beneath it."""
    places: dict[str, int] = {}
    for place, row in enumerate(rows):
        if row.action:
            places.setdefault(row.action.id, place)
    lines, lanes = _lines(places, graph)
    return Picture(tuple(rows), lines, (lanes + 1) * LANE if lines else 0, len(rows) * ROW)


def _ordered(ids: Iterable[str], graph: Graph) -> list[str]:
    """These actions, each after those of them that it waits for where that is possible."""
    left, done = list(ids), []
    while left:
        ready = [id for id in left if not any(parent in left for need in graph.parents(id) for parent in need)]
        done += ready or left[:1]
        left = [id for id in left if id not in done]
    return done


def _lines(places: dict[str, int], graph: Graph) -> tuple[tuple[Line, ...], int]:
    """A line for each action that others wait for, short ones inside; and how many lanes they take."""
    waiting: dict[str, list[int]] = {}
    for id, place in places.items():
        for parent in dict.fromkeys(parent for need in graph.parents(id) for parent in need):
            if parent in places:
                waiting.setdefault(parent, []).append(place)
    spans = sorted(
        ((min(places[id], *ends), max(places[id], *ends), places[id], ends) for id, ends in waiting.items()),
        key=lambda span: (span[1] - span[0], span[0]),
    )
    taken: list[list[tuple[int, int]]] = []
    lanes: list[int] = []
    for first, last, _, _ in spans:
        lane = next(
            (at for at, others in enumerate(taken) if all(last < top or first > end for top, end in others)),
            len(taken),
        )
        if lane == len(taken) and lane < LANES:
            taken.append([])
        lane = min(lane, LANES - 1)
        taken[lane].append((first, last))
        lanes.append(lane)
    edge = (len(taken) + 1) * LANE
    lines = tuple(
        _line(place, ends, edge, edge - (lane + 2) * LANE + LANE / 2)
        for (_, _, place, ends), lane in zip(spans, lanes, strict=True)
    )
    return lines, len(taken)


def _line(place: int, ends: Iterable[int], edge: int, lane: float) -> Line:
    begin = place * ROW + ROW / 2 + 5
    path = []
    heads = []
    for end in sorted(ends):
        to = end * ROW + ROW / 2 - 5
        turn = CORNER if to > begin else -CORNER
        path.append(
            f"M{edge} {begin}H{lane + CORNER}Q{lane} {begin} {lane} {begin + turn}"
            f"V{to - turn}Q{lane} {to} {lane + CORNER} {to}H{edge - 5}"
        )
        heads.append(f"{edge - 7},{to - 3.5} {edge},{to} {edge - 7},{to + 3.5}")
    return Line(" ".join(path), tuple(heads))
