"""Edits and why they were made, in words: one paragraph each."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from itertools import groupby

from hipport.errors import printable
from hipport.model import Explanation

_LONGEST = 60


def lines(edits: Iterable[Explanation]) -> Iterator[str]:
    """`path:line:column: old -> new`, and below it the rule, the evidence, source and versions.

    Edits that one rule made on one line share a paragraph.
    """
    for _, group in groupby(edits, lambda each: (each.path, each.start.line, each.rule)):
        for each in group:
            yield f"{each.path}:{each.start.line}:{each.start.column}: {_change(each)}"
        places = f" ({', '.join(each.places)})" if each.places else ""
        known = [f"the name is in the headers of {each.proof}"] if each.proof else []
        words = [
            ("rule", f"{printable(each.rule)}{places}"),
            ("why", each.why),
            ("evidence", "; ".join([each.evidence, *known])),
            ("source", each.source),
            ("versions", versions(each.versions)),
        ]
        for name, text in words:
            if text:
                yield f"    {name:<9} {text}"


def _change(edit: Explanation) -> str:
    if not edit.old:
        return f"inserted {_short(edit.new)}"
    return (
        f"{_short(edit.old)} -> {_short(edit.new)}" if edit.new else f"removed {_short(edit.old)}"
    )


def _short(text: str) -> str:
    shown = printable(text)
    return shown if len(shown) <= _LONGEST else shown[:_LONGEST] + "..."


def versions(known: Mapping[str, str]) -> str:
    """`CUDA since 11.2; HIP since 5.2, deprecated in 6.0`, of the columns of a rule."""
    parts = []
    for vendor, name in (("cuda", "CUDA"), ("hip", "HIP")):
        said = [
            f"{word} {known[key]}"
            for key, word in (
                (f"{vendor}_added", "since"),
                (f"{vendor}_deprecated", "deprecated in"),
                (f"{vendor}_removed", "removed in"),
            )
            if key in known
        ]
        parts += [f"{name} {', '.join(said)}"] if said else []
    return "; ".join(parts)
