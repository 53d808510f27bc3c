"""Findings of real trees, labelled by hand, and places that the audit has to find.

`draw` writes findings of the known trees, one of every code that occurs and the others at random,
to be labelled. `table` prints the precision of fixtures/audit/precision.tsv by code, `unseen` the
figures of the unseen samples: the table of docs/precision.md, and those of each sample's README.md.
`check` audits the unseen trees again and prints the places that are not found where places.tsv says
so.
"""

from __future__ import annotations

import argparse

from benchmarks.precision import unseen_trees
from benchmarks.precision.figures import figures, summary
from benchmarks.precision.known_trees import (
    HEADING,
    TREES,
    draw,
    findings,
    line_hash,
    read_sample,
    table,
)
from hipport.rulebook.load import load
from hipport.source.audit.decisions import together, without_notes


def main() -> None:
    arguments = argparse.ArgumentParser(
        prog="python -m benchmarks.precision",
        description=__doc__,
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    arguments.add_argument("action", choices=["draw", "table", "unseen", "check"])
    arguments.add_argument("--seed", type=int, default=1)
    arguments.add_argument("--count", type=int, default=300)
    arguments.add_argument("--jobs", type=int, default=1)
    options = arguments.parse_args()
    if options.action == "table":
        print("\n".join(table(read_sample())))
    elif options.action == "unseen":
        print("\n".join(summary(unseen_trees.ROUNDS)))
        for each in unseen_trees.ROUNDS:
            print("", each.folder.name, "", *figures(each), sep="\n")
    elif options.action == "check":
        every = [(tree, each) for each in unseen_trees.ROUNDS for tree in unseen_trees.names(each)]
        for tree, each in every:
            for place in unseen_trees.lost(tree, each, options.jobs):
                print(f"{tree}/{place.file}:{place.line}: no {place.after}")
    else:
        _draw(options.count, options.seed, options.jobs)


def _draw(count: int, seed: int, jobs: int) -> None:
    rules = load(is_audit=True).findings
    # What reports show: decisions, each at its first place, without notes.
    shown = ((tree, together(without_notes(findings(tree, jobs), rules), rules)) for tree in TREES)
    found = [(tree, each) for tree, several in shown for each in several]
    print("\t".join(HEADING))
    for tree, each in draw(found, count, seed):
        line = each.start.line
        place = (tree, each.path.partition("/")[2], str(line), each.code)
        print("\t".join((*place, line_hash(tree, each.path, line), "", "")))


if __name__ == "__main__":
    main()
