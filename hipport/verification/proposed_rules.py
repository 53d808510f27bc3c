"""Lines to add to rules/api: names that CUDA's headers declare and the rulebook lacks."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from pathlib import Path

from hipport.lazy_regex import regex
from hipport.named_tuples import NamedTuple
from hipport.rulebook.model import ApiRule
from hipport.rulebook.rules import RuleSet
from hipport.source.names.library_shapes import whole_library
from hipport.verification.compiler_facts import knowledge
from hipport.verification.header_names import HeaderName, names_in

_INTERNAL = regex(r"(?:^|/)(?:details?|internal|non_abi|\w+Detail)/")
_SOURCE = "cuda-headers"


class Release(NamedTuple):
    """The headers of one release: its version, and the names that they declare."""

    version: str
    names: dict[str, HeaderName]


class Proposal(NamedTuple):
    """New lines, those that get another `cuda_removed`, and what belongs to no library."""

    new: list[ApiRule]
    removed: list[ApiRule]
    others: list[HeaderName]


def read_release(folder: Path, version_macro: str) -> Release:
    """The release whose headers are in a folder, or in folders `include` somewhere below it."""
    below = sorted(each for each in folder.rglob("include") if each.is_dir())
    outermost = [each for each in below if not set(each.parents).intersection(below)]
    names = names_in(outermost or [folder])
    return Release(_version(folder, version_macro), names)


def _version(folder: Path, macro: str) -> str:
    """`13.5` of CUDA_VERSION 13050; "" if no header says so."""
    shape = re.compile(rf"#define[ \t]+{macro}[ \t]+(\d+)\b")
    for path in sorted(folder.rglob("cuda.h")):
        found = shape.search(path.read_text(encoding="latin-1"))
        if found:
            return f"{int(found[1]) // 1000}.{int(found[1]) % 1000 // 10}"
    return ""


def propose(rules: RuleSet, releases: Sequence[Release], hip: dict[str, HeaderName]) -> Proposal:
    """The lines that the newest release, the last one, adds to the rulebook.

    A name of which HIP's headers have the counterpart by the rulebook's own pattern is proposed as
    a mapping without evidence, which a person confirms; one that they have as it is, with it.
    """
    newest = releases[-1]
    found = Proposal([], [], [])
    renaming = _Renaming(rules)
    for each in newest.names.values():
        if each.name in rules.names or whole_library(rules, each.name) or each.kind == "namespace":
            continue
        library = library_of(rules, each)
        if not library or _INTERNAL.search(each.header):
            found.others.append(each)
            continue
        first = next(release for release in releases if each.name in release.names)
        added = "" if first is releases[0] else first.version
        line = ApiRule(each.name, each.kind, status="unsupported", cuda_added=added)
        new = renaming.counterpart(each.name, library)
        if new in hip:
            line = line._replace(hip=new, status="supported", note="by the pattern of names")
        found.new.append(line._replace(source=_SOURCE, library=library))
    for name in sorted(set().union(*(each.names for each in releases)) - newest.names.keys()):
        rule = rules.api(name)
        if rule and not rule.cuda_removed and (version := _removed(name, releases)):
            found.removed.append(rule._replace(cuda_removed=version))
    return found


def _removed(name: str, releases: Sequence[Release]) -> str:
    """The first release without a name whose headers others have; "" if the header is missing."""
    last = max(at for at, each in enumerate(releases) if name in each.names)
    header = releases[last].names[name].header.rpartition("/")[2]
    for each in releases[last + 1 :]:
        if any(other.header.rpartition("/")[2] == header for other in each.names.values()):
            return each.version
    return ""


def is_known(rules: RuleSet, name: HeaderName) -> bool:
    """Whether the rulebook covers a name that a header declares for users of a library.

    A table that is never applied covers nothing. Internal headers, and names that are not like
    NVIDIA's (`float4`, `mlx5_cqe`), need none.
    """
    library = rules.libraries.get(rules.names.get(name.name, ""))
    if (library and library.policy != "none") or whole_library(rules, name.name):
        return True
    is_for_users = bool(library_of(rules, name)) or _starts_as_cuda(name.name)
    return not is_for_users or bool(_INTERNAL.search(name.header))


def library_of(rules: RuleSet, name: HeaderName) -> str:
    """The library in rules/libraries.toml that a declared name belongs to; "" for none."""
    fitting = [
        library.name
        for library in rules.libraries.values()
        if library.unknown and re.fullmatch(library.unknown, name.name, re.ASCII)
    ]
    header = rules.headers.get(name.header.rpartition("/")[2])
    if header and (header.library in fitting or (not fitting and _starts_as_cuda(name.name))):
        return header.library if header.library in rules.libraries else ""
    # cuBLASLt's names look like cuBLAS's too: the more special library comes later.
    return fitting[-1] if fitting else ""


def _starts_as_cuda(name: str) -> bool:
    return re.match(knowledge()["vendors"]["cuda_names"], name) is not None


class _Renaming:
    """How the names of a library become HIP's, by the lines that it has."""

    def __init__(self, rules: RuleSet) -> None:
        self._beginnings: dict[str, dict[tuple[str, str], int]] = {}
        for rule in rules.every_api():
            if rule.hip and rule.status == "supported":
                old, new = _beginnings(rule.cuda, rule.hip)
                counts = self._beginnings.setdefault(rule.library, {})
                counts[old, new] = counts.get((old, new), 0) + 1

    def counterpart(self, name: str, library: str) -> str:
        """The HIP name by the commonest replacement of a beginning that fits; "" for none."""
        counts = self._beginnings.get(library, {})
        fitting = [pair for pair in counts if name.startswith(pair[0])]
        if not fitting:
            return ""
        old, new = max(fitting, key=lambda pair: counts[pair])
        return new + name.removeprefix(old)


def _beginnings(cuda: str, hip: str) -> tuple[str, str]:
    """Two names without the longest ending that they share."""
    at = 0
    while at < min(len(cuda), len(hip)) and cuda[-1 - at] == hip[-1 - at]:
        at += 1
    return cuda[: len(cuda) - at], hip[: len(hip) - at]


def merged(rules: RuleSet, library: str, lines: Sequence[ApiRule]) -> str:
    """The file of a library in rules/api with the lines in it, in order."""
    text = (rules.folder / "api" / f"{library}.tsv").read_text(encoding="utf-8")
    heading, *rows = text.splitlines()
    changed = {(line.cuda, line.kind) for line in lines}
    kept = [row for row in rows if tuple(row.split("\t", 2)[:2]) not in changed]
    every = sorted([*kept, *map(line_of, lines)], key=lambda row: row.split("\t")[:2])
    return "\n".join((heading, *every, ""))


def line_of(rule: ApiRule) -> str:
    """A line of a file in rules/api, which does not repeat the library."""
    return "\t".join(rule[:-1]).rstrip("\t")


def proposed_by_library(lines: Sequence[ApiRule]) -> Iterator[tuple[str, list[ApiRule]]]:
    """Library -> its lines, libraries and lines in order."""
    for library in sorted({line.library for line in lines}):
        yield library, sorted(line for line in lines if line.library == library)
