"""python -m trag ingest: documents, pairs and example questions, added and removed."""

from __future__ import annotations

import argparse
import sys
from pathlib import Path

from trag.errors import TragError
from trag.settings import Settings
from trag.terminal.console import by, file


def add(jobs: argparse._SubParsersAction[argparse.ArgumentParser]) -> None:
    """The words of this job."""
    ingest = jobs.add_parser("ingest", help="add documents, and question-answer pairs (.jsonl)")
    ingest.add_argument("paths", nargs="*", type=Path, metavar="PATH", help="files or folders")
    ingest.add_argument("--replace", action="store_true", help="replace documents of the same name")
    ingest.add_argument(
        "--readers",
        action="append",
        default=[],
        metavar="UNIT",
        help="who may read documents that are new: a unit of the chart and all below it; may be given again (default: "
        "everyone)",
    )
    ingest.add_argument("--forget", metavar="DOCUMENT", help="remove a document everywhere")
    ingest.add_argument("--reindex", action="store_true", help="embed everything again")
    ingest.add_argument(
        "--pairs",
        action="store_true",
        help="have the model write question-answer pairs about the sections that have none of yours: some ten seconds "
        "a section on two cores; goes on where it was stopped",
    )
    ingest.add_argument(
        "--examples", metavar="FILE", help="example questions, one a line, in whose manner the model writes pairs"
    )
    ingest.set_defaults(job=_ingest)


def _ingest(settings: Settings, options: argparse.Namespace) -> int:
    from tqdm import tqdm

    from trag.home import open_home
    from trag.ingest.parse.characters import counted, decode
    from trag.people import permissions
    from trag.terminal.console import progress_of

    if not (options.paths or options.forget or options.reindex or options.pairs or options.examples):
        raise TragError(
            "Nothing to do: no PATH, --forget, --reindex, --pairs or --examples.", "python -m trag ingest --help"
        )
    left: tuple[str, ...] = ()
    with open_home(settings) as home, tqdm(unit="passage", file=sys.stderr, disable=None, leave=False) as bar:
        progress = progress_of(bar)
        if options.reindex:
            print(f"{counted(home.reindex(), 'passage')} embedded again")
        chart = home.organization.chart if options.readers else None  # a chart that is lost hinders nothing else
        audience = permissions.audience_of(options.readers, chart)
        if options.examples:
            text, _ = decode(file(options.examples).read_bytes())
            print(f"{counted(len(home.set_examples(text, by=by())), 'example question')} kept")
        if options.forget:
            receipt = home.forget(options.forget, by=by())
            print(receipt)
            left = receipt.left
        results = (
            home.ingest(options.paths, replace=options.replace, progress=progress, audience=audience, by=by())
            if options.paths
            else ()
        )
        for result in results:
            print(result)
        if options.pairs:
            written = home.write_pairs(by=by(), progress=progress)
            print(f"{counted(written.pairs, 'new pair')} about {counted(written.total, 'section')}")
    return int(bool(left) or any(result.failed for result in results))
