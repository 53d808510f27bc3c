"""Lists of requirements in TOML: which are for NVIDIA's GPUs, beside others for AMD's."""

from __future__ import annotations

import re

from hipport.lazy_regex import regex
from hipport.model import Span
from hipport.rulebook.branch_words import RequirementLists

_LIST = regex(
    r"^[ \t]*[\"']?(?P<name>[\w.-]+)[\"']?[ \t]*=[ \t]*\[[^\[\]]*(?:\[[^\[\]]*\][^\[\]]*)*\]",
    re.MULTILINE,
)


def dead_spans(text: str, names: RequirementLists) -> list[Span]:
    """The lists named for NVIDIA's GPUs that have one of the same name for AMD's beside them."""
    found = _named(text)
    ported = {re.sub(names.amd, "", name) for name, _ in found if re.search(names.amd, name)}
    return [
        span
        for name, span in found
        if re.search(names.nvidia, name) and re.sub(names.nvidia, "", name) in ported
    ]


def nvidia_spans(text: str, names: RequirementLists) -> list[Span]:
    """The lists named for NVIDIA's GPUs: nobody installs them for AMD's."""
    return [span for name, span in _named(text) if re.search(names.nvidia, name)]


def _named(text: str) -> list[tuple[str, Span]]:
    return [(each["name"], Span(*each.span())) for each in _LIST.finditer(text)]
