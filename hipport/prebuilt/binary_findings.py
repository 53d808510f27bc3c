"""What a prebuilt binary means for a port."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from pathlib import PurePosixPath
from types import MappingProxyType

from hipport.errors import printable
from hipport.model import Finding, Severity
from hipport.prebuilt.binary_facts import Prebuilt
from hipport.prebuilt.vendor_libraries import maker
from hipport.rulebook.rules import RuleSet

_MODULE, _DEVICE_CODE, _LIBRARIES, _READY = "HP-RTC-005", "HP-BIN-001", "HP-BIN-002", "HP-BIN-003"
_MOST_NAMED = 3
_NONE: Mapping[str, str] = MappingProxyType({})


def finding_of(
    found: Prebuilt, path: str, rules: RuleSet, sources: Mapping[str, str] = _NONE
) -> Finding | None:
    """The finding for a file of that path; None for one that has nothing to do with GPUs.

    `sources` has a source of the tree for each name that a binary made of it may have, and for
    folders with one source alone, `/` behind them.
    """
    name = PurePosixPath(path).name
    itself = maker(name)
    has_amd = found.targets["amd"] or found.needs["amd"] or itself == "amd"
    whose = "amd" if has_amd else "nvidia"
    targets, needs, members = found.targets[whose], found.needs[whose], found.members[whose]
    if has_amd:
        code = _READY
    elif found.is_module and not members:
        code = _MODULE
    elif targets:
        code = _DEVICE_CODE
    elif needs or itself:
        code = _LIBRARIES
    else:
        return None
    source = sources.get(own_name(name), "")
    if not source and not itself:
        source = sources.get(f"{PurePosixPath(path).parent}/", "")
    symbol = f"{name} ({_listed(targets)})" if code == _MODULE else found.kind
    words = {
        "targets": f" ({_listed(targets)})" if targets else "",
        "members": f" in {_some(members)}" if members else "",
        "needs": f"; needs {_listed(needs)}" if needs else "",
        "library": f" ({name})" if itself else "",
        "source": f"; its source may be {source}" if source else ", without source to port",
    }
    said = {key: printable(word) for key, word in words.items()}
    rule = rules.findings[code]
    severity = min(rule.severity, Severity.MANUAL) if source else None
    return rule.finding(path, printable(symbol), words=said, severity=severity)


def own_name(name: str) -> str:
    """What the names of a source, or its folder, and of a binary made of it have in common."""
    return name.partition(".")[0].removeprefix("lib").strip("_").lower()


def _listed(names: Iterable[str]) -> str:
    """All names, numbers in them in their order: sm_80, sm_100."""
    return ", ".join(sorted(names, key=_by_number))


def _by_number(name: str) -> list[tuple[str, int]]:
    return [(word, int(each or 0)) for word, each in re.findall(r"(\D+)(\d*)", name)]


def _some(names: list[str]) -> str:
    more = len(names) - _MOST_NAMED
    return ", ".join(names[:_MOST_NAMED]) + (f" and {more} more" if more > 0 else "")
