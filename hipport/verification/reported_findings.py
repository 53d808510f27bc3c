"""The findings of convert and audit in a file, which explain the compiler's errors."""

from __future__ import annotations

from collections.abc import Callable, Iterator

from hipport.model import Finding
from hipport.rulebook.load import load
from hipport.source.convert.pipeline import convert_source
from hipport.source.names.counterparts import Decisions
from hipport.source.options import Options
from hipport.verification.known_files import Origin


def reporter(options: Options) -> Callable[[Origin, bytes], Iterator[Finding]]:
    """A function that returns the findings of both commands for a file's original text."""
    folders = options.extend_rules
    decisions = [Decisions(load(is_audit=each, extend=folders), options) for each in (False, True)]

    def reported(origin: Origin, data: bytes) -> Iterator[Finding]:
        for each in decisions:
            yield from convert_source(data, origin.name, origin.language, each).findings

    return reported
