"""python -m bench.grammar [BENCHMARK ...]: does the audit name the module that was broken on purpose?

Prints the sizes of the benchmarks, what the audit names, and the paper's Table 3 for each planted defect. Minutes on 2
cores; nothing is kept.
"""

from __future__ import annotations

import argparse
import os
import sys

os.environ.setdefault("HF_HUB_OFFLINE", "1")

from tqdm import tqdm

from bench.grammar.benchmark import DESIGNS
from bench.grammar.tables import report
from bench.grammar.validation import validate
from trag.evaluate.tables import markdown
from trag.terminal.console import progress_of


def main() -> None:
    """Run what is named, everything when nothing is, and print."""
    parser = argparse.ArgumentParser(prog="python -m bench.grammar", description=__doc__)
    parser.add_argument("benchmarks", nargs="*", metavar="BENCHMARK", help=f"default: {', '.join(DESIGNS)}")
    options = parser.parse_args()
    if unknown := [name for name in options.benchmarks if name not in DESIGNS]:
        parser.error(f"no benchmark {', '.join(unknown)}; there are {', '.join(DESIGNS)}")
    with tqdm(file=sys.stderr, unit="answer") as bar:
        validated = list(validate(options.benchmarks or tuple(DESIGNS), progress=progress_of(bar)))
    for table in report(validated):
        print(markdown(table))


if __name__ == "__main__":
    main()
