"""Lists of requirements in TOML: which are for NVIDIA's GPUs, beside others for AMD's."""

from __future__ import annotations

import re

from hipport.lazy_regex import regex
from hipport.model import Span
from hipport.rulebook.branch_words import JobNames

_LIST = regex(
    r"^[ \t]*[\"']?(?P<name>[\w.-]+)[\"']?[ \t]*=[ \t]*\[[^\[\]]*(?:\[[^\[\]]*\][^\[\]]*)*\]",
    re.MULTILINE,
)


def dead_spans(text: str, names: JobNames) -> list[Span]:
    """The lists named for NVIDIA's GPUs that have one of the same name for AMD's beside them."""
    found = [(each["name"], Span(*each.span())) for each in _LIST.finditer(text)]
    ported = {re.sub(names.amd, "", name) for name, _ in found if re.search(names.amd, name)}
    return [
        span
        for name, span in found
        if re.search(names.nvidia, name) and re.sub(names.nvidia, "", name) in ported
    ]
