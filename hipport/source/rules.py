"""The rulebook: what rules/ says about names, headers, arguments and findings.

Only the first column of rules/api is looked at on loading; the rest of a line is split when a
name of it turns up, so that all of it loads in a few milliseconds.
"""

from __future__ import annotations

import re
import tomllib
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field, fields, replace
from functools import cache, cached_property
from importlib.resources import files
from pathlib import Path
from typing import Any

from hipport.errors import RuleError
from hipport.model import Severity

Version = tuple[int, ...]

KINDS = frozenset(
    "function type enum_value macro device_function device_type namespace header"
    " library_header".split()
)
STATUSES = frozenset("supported deprecated experimental partial dropped unsupported".split())


def parse_version(text: str) -> Version:
    """`7.0` -> (7, 0). The empty text is (), older than everything."""
    return tuple(int(part) for part in text.split(".")) if text else ()


@dataclass(frozen=True, slots=True)
class ApiRule:
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


@dataclass(frozen=True, slots=True)
class HeaderRule:
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


@dataclass(frozen=True, slots=True)
class TransformRule:
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


@dataclass(frozen=True, slots=True)
class Library:
    """One table of rules/libraries.toml."""

    name: str
    title: str
    policy: str = "map"
    roc: bool = False
    unknown: str = ""
    stems: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class FindingRule:
    """One file of rules/checks: what a finding says, and the names that its check looks for."""

    id: str
    severity: Severity
    title: str
    message: str
    suggestion: str = ""
    names: frozenset[str] = frozenset()
    headers: tuple[str, ...] = ()
    claims: bool = False
    """Whether the names are this finding's alone, not to be renamed or reported otherwise."""
    check: str = ""
    language: str = "cuda"
    where: str = "anywhere"
    once_per_line: bool = False
    symbol: str = ""
    rocm_until: str = ""
    qualifiers: tuple[str, ...] = ()
    """What must stand before `::`; empty for names that are not qualified."""
    trigger: str = ""
    """A text without which the check need not run."""
    hints: tuple[str, ...] = ()
    """Texts of which a Python file has at least one if the rule can match."""
    data: Mapping[str, Any] = field(default_factory=dict)


@cache
def rules_folder() -> Path:
    """The rules of the installed wheel, else those of the checkout (an editable install)."""
    packaged = Path(str(files("hipport"))) / "rules"
    return packaged if packaged.is_dir() else Path(__file__).resolve().parents[2] / "rules"


class RuleSet:
    """All rules of one folder, loaded on demand."""

    def __init__(self, folder: Path | None = None) -> None:
        self.folder = folder or rules_folder()

    def table(self, name: str) -> list[list[str]]:
        """The rows of a .tsv file, without its heading, each padded to the heading's length."""
        text = (self.folder / name).read_text(encoding="utf-8")
        heading, *lines = text.splitlines()
        width = heading.count("\t") + 1
        return [(line + "\t" * (width - 1 - line.count("\t"))).split("\t") for line in lines]

    @cached_property
    def libraries(self) -> dict[str, Library]:
        """Library name (the stem of its file in rules/api) -> Library."""
        text = (self.folder / "libraries.toml").read_text(encoding="utf-8")
        return {
            name: Library(name=name, **{**table, "stems": tuple(table.get("stems", ()))})
            for name, table in tomllib.loads(text).items()
        }

    @cached_property
    def lines(self) -> dict[str, tuple[str, str]]:
        """CUDA name -> (library, its line). The first library in libraries.toml wins."""
        found: dict[str, tuple[str, str]] = {}
        for library in reversed(self.libraries):
            text = (self.folder / "api" / f"{library}.tsv").read_text(encoding="utf-8")
            for line in text.splitlines()[1:]:
                found[line[: line.index("\t")]] = (library, line)
        return found

    def api(self, name: str) -> ApiRule | None:
        """The rule for a CUDA name (`cudaMalloc`, `thrust::cuda`), or None."""
        entry = self.lines.get(name)
        return replace(ApiRule(*entry[1].split("\t")), library=entry[0]) if entry else None

    def every_api(self) -> Iterator[ApiRule]:
        """All rules of all libraries, names that stand in several of them included."""
        for library in self.libraries:
            for row in self.table(f"api/{library}.tsv"):
                yield replace(ApiRule(*row), library=library)

    @cached_property
    def headers(self) -> dict[str, HeaderRule]:
        return {row[0]: HeaderRule(*row) for row in self.table("headers.tsv")}

    @cached_property
    def transforms(self) -> dict[tuple[str, str], list[TransformRule]]:
        """(CUDA name, target `hip` or `roc`) -> its transforms, in the order of the file."""
        found: dict[tuple[str, str], list[TransformRule]] = {}
        for row in self.table("transforms.tsv"):
            found.setdefault((row[0], row[1]), []).append(TransformRule(*row))
        return found

    @cached_property
    def namespaces(self) -> dict[str, list[str]]:
        """Last component of a namespace rule -> the full names that end in it."""
        found: dict[str, list[str]] = {}
        for name, (library, line) in self.lines.items():
            if "\tnamespace\t" in line and self.libraries[library].policy != "none":
                found.setdefault(name.rpartition("::")[2], []).append(name)
        return found

    @cached_property
    def unknown(self) -> re.Pattern[str]:
        """Matches an identifier that looks like CUDA's, whether a rule knows it or not."""
        shapes = [library.unknown for library in self.libraries.values() if library.unknown]
        return re.compile("|".join(f"(?:{shape})" for shape in shapes), re.ASCII)

    @cached_property
    def stems(self) -> re.Pattern[str]:
        """Matches the beginning of a CUDA name before `##`."""
        stems = [stem for library in self.libraries.values() for stem in library.stems]
        return re.compile("|".join(sorted(stems, key=len, reverse=True)), re.ASCII)

    @cached_property
    def vocabulary(self) -> dict[str, Any]:
        """rules/vocabulary.toml: the words of the languages, and the newest ROCm version known."""
        return tomllib.loads((self.folder / "vocabulary.toml").read_text(encoding="utf-8"))

    def words(self, key: str) -> frozenset[str]:
        return frozenset(self.vocabulary[key])

    @cached_property
    def rocm(self) -> Version:
        """The newest ROCm version that the rulebook knows."""
        return parse_version(self.vocabulary["rocm"])

    def header_finding(self, name: str) -> str:
        """The code of the finding that speaks for a header; "" if none does."""
        for rule in self.findings.values():
            if any(re.fullmatch(pattern, name) for pattern in rule.headers):
                return rule.id
        return ""

    @cached_property
    def findings(self) -> dict[str, FindingRule]:
        """Finding code -> FindingRule, from every file of rules/checks."""
        rules = map(_finding_rule, sorted((self.folder / "checks").glob("*.toml")))
        return {rule.id: rule for rule in rules}


_FINDING_KEYS = frozenset(each.name for each in fields(FindingRule)) - {"data"}


def _finding_rule(path: Path) -> FindingRule:
    try:
        table = tomllib.loads(path.read_text(encoding="utf-8"))
        known = {key: table.pop(key) for key in _FINDING_KEYS & table.keys()}
        known["severity"] = Severity.parse(known["severity"])
        known["names"] = frozenset(known.get("names", ()))
        known["headers"] = tuple(known.get("headers", ()))
        known["hints"] = tuple(known.get("hints", ()))
        known["qualifiers"] = tuple(known.get("qualifiers", ()))
        return FindingRule(**known, data=table)
    except (tomllib.TOMLDecodeError, KeyError, TypeError, AttributeError) as error:
        raise RuleError(f"rules/checks/{path.name}: {error}", remedy="see docs/rules.md") from error


@cache
def load() -> RuleSet:
    """The rules that this installation carries."""
    return RuleSet()
