"""python -m bench.finder.check SET ...: whether the marks of sets are well-formed, for those who write them.

Knows nothing about the finder, so that a writer learns nothing of it here.
"""

from __future__ import annotations

import sys

from bench.finder.__main__ import SETS, read_set


def main() -> int:
    """Print every problem, or the counts; 1 when there is a problem."""
    problems: list[str] = []
    for name in sys.argv[1:]:
        if one := read_set(SETS / name, problems):
            silent = sum(not question.marked for question in one.questions)
            print(f"{name}: {len(one.chart)} units, {len(one.questions)} questions, {silent} without a mention")
    print("\n".join(problems))
    return bool(problems)


if __name__ == "__main__":
    sys.exit(main())
