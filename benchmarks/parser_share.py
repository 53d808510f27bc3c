"""`python -m benchmarks.parser_share TREE...`: what of a conversion the parser decides.

Prints the edits by what made them, and for how many names the syntax tree was asked whether the
file declares them.
"""

from __future__ import annotations

import sys
from collections import Counter

import hipport
from hipport.model import Span
from hipport.source.names.declared_names import Declarations


class Counted(Declarations):
    """Counts the names that are asked about, and those that the tokens around do not decide."""

    names = parsed = 0

    def scope(self, name: Span) -> list[Span] | None:
        Counted.names += 1
        return super().scope(name)

    def may_declare(self, name: Span) -> bool:
        may_declare = super().may_declare(name)
        Counted.parsed += may_declare
        return may_declare


def main() -> None:
    """Convert each tree without writing."""
    sys.modules[Declarations.__module__].Declarations = Counted  # type: ignore[attr-defined]
    edits: Counter[str] = Counter()
    for tree in sys.argv[1:]:
        request = hipport.ConvertRequest((tree,), writes=False, jobs=1, isolated=True, explain=True)
        edits.update(each.rule.partition(":")[0] for each in hipport.convert(request).report.edits)
    for kind, number in edits.most_common():
        print(f"{number:>8,}  {number / edits.total():6.1%}  {kind}")
    print(f"{Counted.names:,} names, {Counted.parsed:,} of them looked up in the syntax tree")


if __name__ == "__main__":
    main()
