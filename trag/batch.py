"""Many questions from a file, answered one after the other into another file; a stopped run goes on where it was.

questions.jsonl -> answers.jsonl, one record a line under the question's own id.  Knows nothing about how a question
is answered.
"""

from __future__ import annotations

import json
import os
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path

from trag.errors import TragError
from trag.record import AnswerRecord


@dataclass(frozen=True, slots=True)
class Asked:
    """One line of a questions file."""

    id: str
    question: str


def questions(path: Path) -> tuple[Asked, ...]:
    """The questions in `path`, JSON lines with an "id" and a "question". Raises TragError listing every bad line."""
    found: dict[str, Asked] = {}
    problems: list[str] = []
    for number, line in enumerate(_text(path).split("\n"), 1):
        if not line.strip():
            continue
        try:
            values = json.loads(line)
            asked = Asked(str(values["id"]), str(values["question"]))
        except json.JSONDecodeError as error:
            problems.append(f"line {number}: {error}")
            continue
        except (TypeError, KeyError):
            problems.append(f'line {number}: needs "id" and "question"')
            continue
        if asked.id in found:
            problems.append(f"line {number}: the id '{asked.id}' occurs twice")
        found[asked.id] = asked
    if problems:
        raise TragError(f"{path}: {'; '.join(problems)}", 'Each line is {"id": "...", "question": "..."}.')
    if not found:
        raise TragError(f"{path} holds no question.", 'Each line is {"id": "...", "question": "..."}.')
    return tuple(found.values())


def answered(path: Path) -> frozenset[str]:
    """The ids that `path` already answers. A last line that a kill cut short is removed, so that the run can go on
    behind it."""
    if not path.exists():
        return frozenset()
    content = path.read_bytes()
    whole = content[: content.rfind(b"\n") + 1]
    if len(whole) < len(content):
        os.truncate(path, len(whole))
    try:
        return frozenset(json.loads(line)["id"] for line in whole.splitlines() if line.strip())
    except (json.JSONDecodeError, TypeError, KeyError) as error:
        raise TragError(
            f"{path} is there already and is no file of answers.", "Name another file for the answers."
        ) from error


def run(
    asked: tuple[Asked, ...],
    path: Path,
    answer: Callable[[str], AnswerRecord],
    problem: Callable[[str, str], AnswerRecord],
) -> Iterator[Asked]:
    """Appends one record to `path` for each question that it does not answer yet; yields each question when its record
    is on the disk.

    `answer` gives the record of a question; where it raises TragError, `problem` gives the one that says so.
    """
    done = answered(path)
    with path.open("a", encoding="utf-8") as file:
        for one in asked:
            if one.id not in done:
                try:
                    record = answer(one.question)
                except TragError as error:
                    record = problem(one.question, f"{error.message} {error.hint}".strip())
                file.write(record.with_id(one.id).to_json() + "\n")
                file.flush()
                os.fsync(file.fileno())
            yield one


def _text(path: Path) -> str:
    try:
        return path.read_text(encoding="utf-8-sig")
    except FileNotFoundError as error:
        raise TragError(f"There is no file {path}.", "Check the path.") from error
    except (OSError, UnicodeDecodeError) as error:
        raise TragError(f"{path} cannot be read: {error}", "It must be a UTF-8 text file.") from error
