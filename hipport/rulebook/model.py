"""What one line of a rule file says, and versions of ROCm and CUDA."""

from __future__ import annotations

from collections.abc import Iterator

import msgspec

from hipport.named_tuples import NamedTuple

Version = tuple[int, ...]

KINDS = frozenset(
    "function type enum_value macro switch device_function device_type namespace header"
    " library_header".split()
)
CHANGES = frozenset(("removed", "changed", "deprecated"))
STATUSES = frozenset("supported deprecated experimental partial dropped unsupported".split())


def parse_version(text: str) -> Version:
    """`7.0` -> (7, 0). The empty text is (), older than everything."""
    return tuple(int(part) for part in text.split(".")) if text else ()


def is_release_in(rocm: Version, first: str, before: str) -> bool:
    """Whether a release is the first one or newer, and older than another; "" is no bound."""
    return parse_version(first) <= rocm and not (before and parse_version(before) <= rocm)


class ApiRule(NamedTuple):
    """One line of rules/api: a CUDA name and what became of it. Fields are columns."""

    cuda: str
    kind: str
    hip: str = ""
    roc: str = ""
    status: str = ""
    cuda_added: str = ""
    cuda_deprecated: str = ""
    cuda_removed: str = ""
    hip_added: str = ""
    hip_deprecated: str = ""
    hip_removed: str = ""
    hip_changed: str = ""
    not_for_cuda: str = ""
    candidate: str = ""
    evidence: str = ""
    section: str = ""
    note: str = ""
    source: str = ""
    library: str = ""

    def is_in(self, rocm: Version) -> bool:
        """Whether a release of ROCm has the counterpart."""
        return is_release_in(rocm, self.hip_added, self.hip_removed)


def lines_about(name: str, library: str, text: str) -> Iterator[ApiRule]:
    """The rules for a CUDA name in a library's file."""
    for row in rows_about(name, text):
        yield ApiRule(*row)._replace(library=library)


def rows_about(name: str, text: str) -> Iterator[list[str]]:
    """The lines of a sorted file that begin with a name; no other line is split."""
    start = _first_line(name, text)
    while text.startswith(f"{name}\t", start):
        end = text.find("\n", start)
        yield text[start:end].split("\t")
        start = end + 1


def _first_line(name: str, text: str) -> int:
    """Where the first line begins whose name does not come before this one."""
    low, high = text.find("\n") + 1, len(text)
    while low < high:
        middle = text.rfind("\n", low, (low + high) // 2) + 1 or low
        end = text.find("\t", middle)
        if text[middle:end] < name:
            low = text.find("\n", end) + 1 or high
        else:
            high = middle
    return low


class HeaderRule(NamedTuple):
    """One line of rules/headers.tsv: a CUDA header and its HIP counterpart."""

    cuda: str
    hip: str = ""
    roc: str = ""
    library: str = ""
    action: str = ""
    hip_added: str = ""
    evidence: str = ""
    note: str = ""
    source: str = ""


class MoveRule(NamedTuple):
    """One line of rules/hip_moves.tsv: what a release of ROCm did to a name of HIP's.

    `name` is a regular expression, of a header in angle brackets; `to` is its replacement, which
    is certain if there is no advice.
    """

    name: str
    release: str
    change: str
    to: str = ""
    advice: str = ""
    source: str = ""


class TransformRule(msgspec.Struct, frozen=True, gc=False):
    """One line of rules/transforms.tsv: how a call's arguments or name change.

    `arguments` limits the rule to calls with that many arguments ("2", "4,5", "" for any).
    """

    cuda: str
    target: str
    operation: str
    index: str = ""
    value: str = ""
    arguments: str = ""
    note: str = ""
    source: str = ""
    hip_added: str = ""
