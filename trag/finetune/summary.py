"""What is said of a candidate: its figures as lines, and in a sentence how it stands beside what answers now.

candidate, what answers -> words.  Knows nothing about where they are shown.
"""

from __future__ import annotations

from trag.models.adapters import Against, Figure, Manifest, Measured, standing

_HEADER = ("", "Questions", "Before", "After", "Gained", "Lost", "p")


def figures(results: Measured) -> tuple[str, ...]:
    """The figures as a table, a line each, and what is concluded from them."""
    rows = [_HEADER, *map(_row, results.verdict.figures)]
    widths = [max(map(len, column)) for column in zip(*rows, strict=True)]
    table = ("  ".join(cell.ljust(width) for cell, width in zip(row, widths, strict=True)).rstrip() for row in rows)
    return (*table, *results.verdict.reasons)


def beside(results: Measured) -> str:
    """What it was measured against, for people."""
    return results.against or "the model without an adapter"


def stands(candidate: Manifest, now: Against | None) -> str:
    """How it stands beside what answers `now`, in a sentence."""
    has, results = standing(candidate, now), candidate.results
    if now and now.adapter == candidate.id:
        return "It answers now."
    if results is None:
        return "It was not measured, so nobody knows whether it is better."
    if has == "outdated":
        return (
            f"It was measured beside {beside(results)} as it was on {results.at:%Y-%m-%d}, which is not what answers "
            "now: measure it again."
        )
    if has == "earned":
        return f"It has earned its place: it was better than {beside(results)}, and worse in nothing beyond chance."
    return f"It has not earned its place: its figures do not say that it is better than {beside(results)}."


def listed(candidate: Manifest, now: Against | None) -> str:
    """The same in a line of many."""
    results = candidate.results
    if results is None:
        return "not measured"
    gone = ", which is not what answers now" if standing(candidate, now) == "outdated" else ""
    if now and now.adapter == candidate.id:
        gone = ""
    return f"beside {beside(results)}{gone}: {results.verdict.reasons[0]}"


def _row(figure: Figure) -> tuple[str, ...]:
    share = [f"{right} ({right / figure.questions:.1%})" for right in (figure.before, figure.after)]
    return figure.name, str(figure.questions), *share, str(figure.better), str(figure.worse), f"{figure.p:.3g}"
