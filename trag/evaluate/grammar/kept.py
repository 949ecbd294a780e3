"""What an audit asked, kept beside its run: the meanings with their truth, and how they came about.

TRAG_HOME/results/audits/<sha256 of the cases>.json, so that the run of those cases finds it, also when the database is
gone by then; it goes with the last of those runs. Knows nothing about answers.
"""

from __future__ import annotations

import json
from collections.abc import Sequence
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

from store.files import write_atomic
from trag.errors import TragError
from trag.evaluate.grammar.filling import Dropped, Meaning, cases
from trag.evaluate.runs import AUDITS, sha256_of


@dataclass(frozen=True, slots=True)
class Audit:
    """The questions of an audit. `database` is its address without a password; `templates` says where those came from;
    `problems` are the templates that did not run or broke the criteria."""

    database: str
    templates: str
    seed: int
    meanings: tuple[Meaning, ...]
    dropped: Dropped
    problems: tuple[str, ...] = ()


def save(audit: Audit, results: Path) -> None:
    """Keep an audit in the folder of the results."""
    folder = results / AUDITS
    folder.mkdir(parents=True, exist_ok=True)
    content = json.dumps(asdict(audit), ensure_ascii=False, indent=1) + "\n"
    write_atomic(folder / f"{_name(audit.meanings)}.json", content.encode())


def is_there(cases_sha256: str, results: Path) -> bool:
    """Whether the cases with that hash are those of an audit."""
    return (results / AUDITS / f"{cases_sha256}.json").is_file()


def load(cases_sha256: str, results: Path) -> Audit:
    """The audit whose cases have that hash. Raises TragError when they are no audit's, or what was kept is damaged."""
    file = results / AUDITS / f"{cases_sha256}.json"
    try:
        values: dict[str, Any] = json.loads(file.read_bytes())
        return Audit(
            **values
            | {
                "meanings": tuple(_meaning(one) for one in values["meanings"]),
                "dropped": Dropped(**values["dropped"]),
                "problems": tuple(values["problems"]),
            }
        )
    except FileNotFoundError as error:
        raise TragError("That run is no audit.", "python -m trag evaluate list") from error
    except (ValueError, KeyError, TypeError) as error:
        raise TragError(f"{file} is damaged.", "Remove it, and run the audit again.") from error


def _name(meanings: Sequence[Meaning]) -> str:
    return sha256_of(cases(meanings))


def _meaning(values: dict[str, Any]) -> Meaning:
    return Meaning(
        **values
        | {
            "gold": tuple(tuple(item) for item in values["gold"]),
            **{name: tuple(values[name]) for name in ("values", "short", "long")},
        }
    )
