"""The rulebook: what rules/ says about names, headers, arguments and findings.

Only the first column of rules/api is looked at on loading; the rest of a line is split when a
name of it turns up, so that all of it loads in a few milliseconds.
"""

from __future__ import annotations

import re
import tomllib
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from functools import cache, cached_property
from pathlib import Path
from types import MappingProxyType
from typing import Any, NamedTuple

from hipport.errors import RuleError
from hipport.model import Severity
from hipport.rulebook import rules_folder

Version = tuple[int, ...]

KINDS = frozenset(
    "function type enum_value macro device_function device_type namespace header"
    " library_header".split()
)
STATUSES = frozenset("supported deprecated experimental partial dropped unsupported".split())


def parse_version(text: str) -> Version:
    """`7.0` -> (7, 0). The empty text is (), older than everything."""
    return tuple(int(part) for part in text.split(".")) if text else ()


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


class Library(NamedTuple):
    """One table of rules/libraries.toml."""

    name: str
    title: str
    policy: str = "map"
    roc: bool = False
    unknown: str = ""
    stems: tuple[str, ...] = ()
    kept: str = ""
    """The finding that tells of headers that are kept."""


class FindingRule(NamedTuple):
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
    languages: tuple[str, ...] = ("cuda",)
    """Kinds of files: `cuda` stands for C, C++ and CUDA; rules/vocabulary.toml has the others."""
    patterns: tuple[str, ...] = ()
    """Regular expressions over a file without its comments; each match is reported."""
    where: str = "anywhere"
    once_per_line: bool = False
    symbol: str = ""
    rocm_until: str = ""
    qualifiers: tuple[str, ...] = ()
    """What must stand before `::`; empty for names that are not qualified."""
    hints: tuple[str, ...] = ()
    """Texts of which a file has at least one if an import, call, pattern or check can match."""
    data: Mapping[str, Any] = MappingProxyType({})


_FIRST_COLUMN = re.compile(r"\n([^\t\n]+)\t")


class RuleSet:
    """All rules of one folder, loaded on demand."""

    def __init__(self, folder: Path | None = None, *, is_audit: bool = False) -> None:
        self.folder = folder or rules_folder()
        self.is_audit = is_audit
        self._rows: dict[str, ApiRule] = {}

    def table(self, name: str) -> list[list[str]]:
        """The rows of a .tsv file, without its heading, each padded to the heading's length."""
        text = (self.folder / name).read_text(encoding="utf-8")
        heading, *lines = text.splitlines()
        width = heading.count("\t") + 1
        return [(line + "\t" * (width - 1 - line.count("\t"))).split("\t") for line in lines]

    @cached_property
    def libraries(self) -> dict[str, Library]:
        """Library name (the stem of its file in rules/api) -> Library."""
        try:
            text = (self.folder / "libraries.toml").read_text(encoding="utf-8")
            return {
                name: Library(name=name, **{**table, "stems": tuple(table.get("stems", ()))})
                for name, table in tomllib.loads(text).items()
            }
        except (ValueError, TypeError, AttributeError) as error:
            raise _malformed("rules/libraries.toml", str(error)) from error

    @cached_property
    def _texts(self) -> dict[str, str]:
        """Library name -> its file in rules/api, from the end of the heading on."""
        texts = {}
        for library in self.libraries:
            text = (self.folder / "api" / f"{library}.tsv").read_text(encoding="utf-8")
            texts[library] = text[text.find("\n") :]
        return texts

    @cached_property
    def names(self) -> dict[str, str]:
        """CUDA name -> its library. The first library in libraries.toml wins."""
        found: dict[str, str] = {}
        for library in reversed(self.libraries):
            found.update(dict.fromkeys(_FIRST_COLUMN.findall(self._texts[library]), library))
        return found

    def api(self, name: str) -> ApiRule | None:
        """The rule for a CUDA name (`cudaMalloc`, `thrust::cuda`), or None."""
        known = self._rows.get(name)
        if known:
            return known
        library = self.names.get(name)
        if library is None:
            return None
        text = self._texts[library]
        start = text.find(f"\n{name}\t") + 1
        row = text[start : text.find("\n", start)].split("\t")
        self._rows[name] = ApiRule(*row)._replace(library=library)
        return self._rows[name]

    def every_api(self) -> Iterator[ApiRule]:
        """All rules of all libraries, names that stand in several of them included."""
        for library in self.libraries:
            for row in self.table(f"api/{library}.tsv"):
                yield ApiRule(*row)._replace(library=library)

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
        for library, text in self._texts.items():
            if self.libraries[library].policy != "none":
                for before in text.split("\tnamespace\t")[:-1]:
                    name = before.rpartition("\n")[2]
                    found.setdefault(name.rpartition("::")[2], []).append(name)
        return found

    @cached_property
    def inner_namespaces(self) -> frozenset[str]:
        """Namespaces that mean something only as a part of others: the `std` of `cuda::std`."""
        inner = {last for last, names in self.namespaces.items() if last not in names}
        return frozenset(inner - self.watched)

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

    @cached_property
    def rewrites(self) -> dict[str, Any]:
        """rules/rewrites.toml: rewrites by name with their safety, and the words they need."""
        return tomllib.loads((self.folder / "rewrites.toml").read_text(encoding="utf-8"))

    @cached_property
    def warps(self) -> dict[str, Any]:
        """rules/warps.toml: what becomes of CUDA's warps of 32 lanes."""
        return tomllib.loads((self.folder / "warps.toml").read_text(encoding="utf-8"))

    def helper(self, header: str) -> Path:
        """Where the text of a header of helpers is."""
        return self.folder / "helpers" / header

    def words(self, key: str) -> frozenset[str]:
        return frozenset(self.vocabulary[key])

    @cached_property
    def rocm(self) -> Version:
        """The newest ROCm version that the rulebook knows."""
        return parse_version(self.vocabulary["rocm"])

    @cached_property
    def codes(self) -> frozenset[str]:
        """The codes of all findings, the audit's too: each is the name of its file."""
        return frozenset(path.stem for path in (self.folder / "checks").glob("**/*.toml"))

    @property
    def own_codes(self) -> frozenset[str]:
        """The codes of the findings that are the user's, not the house's."""
        return frozenset()

    @cached_property
    def watched(self) -> frozenset[str]:
        """Names that checks look for."""
        return frozenset(name for rule in self.findings.values() for name in rule.names)

    @cached_property
    def triggered(self) -> list[FindingRule]:
        """The findings in C++ that names or texts of a file trigger."""
        return [
            rule
            for rule in self.findings.values()
            if "cuda" in rule.languages and (rule.names or rule.hints or "with_words" in rule.data)
        ]

    @cached_property
    def hints(self) -> frozenset[str]:
        """Texts that make a file worth a look for a finding."""
        return frozenset(hint for rule in self.triggered for hint in rule.hints)

    def header_finding(self, name: str) -> str:
        """The code of the finding that speaks for a header; "" if none does."""
        for rule in self.findings.values():
            if any(re.fullmatch(pattern, name) for pattern in rule.headers):
                return rule.id
        return ""

    @cached_property
    def only_with(self) -> dict[str, list[str]]:
        """Findings that a conversion borrows from the audit -> texts of which they need one."""
        if self.is_audit or not (self.folder / "vocabulary.toml").is_file():
            return {}
        borrowed = self.vocabulary["also_converting"]
        return {Path(path).stem: texts for path, texts in borrowed.items()}

    @cached_property
    def findings(self) -> dict[str, FindingRule]:
        """Finding code -> FindingRule; of the audit's, in folders, converting runs a few."""
        checks = self.folder / "checks"
        paths = sorted(checks.glob("**/*.toml" if self.is_audit else "*.toml"))
        if not self.is_audit and (self.folder / "vocabulary.toml").is_file():
            paths += [checks / name for name in self.vocabulary["also_converting"]]
        return {rule.id: rule for rule in map(finding_rule, paths)}


_FINDING_KEYS = frozenset(FindingRule._fields) - {"data"}
_LISTS = frozenset(("names", "headers", "hints", "qualifiers", "languages", "patterns"))
_SWITCHES = frozenset(("claims", "once_per_line"))
_WORDS: dict[type, str] = {list: "list", bool: "true or false", str: "text"}


def finding_rule(path: Path) -> FindingRule:
    """The finding that a file of rules/checks describes; RuleError if it is malformed."""
    place = f"rules/checks/{path.name}"
    try:
        table = tomllib.loads(path.read_text(encoding="utf-8"))
    except ValueError as error:
        raise _malformed(place, str(error)) from error
    for key in ("id", "severity", "title", "message"):
        if key not in table:
            raise _malformed(place, f"{key}: is missing")
    known = {key: table.pop(key) for key in _FINDING_KEYS & table.keys()}
    for key, value in known.items():
        wanted = list if key in _LISTS else bool if key in _SWITCHES else str
        if not isinstance(value, wanted):
            raise _malformed(place, f"{key}: {value!r} is no {_WORDS[wanted]}")
        if isinstance(value, list):
            if not all(isinstance(each, str) for each in value):
                raise _malformed(place, f"{key}: not only texts are in the list")
            known[key] = frozenset(value) if key == "names" else tuple(value)
    try:
        known["severity"] = Severity.parse(known["severity"])
    except KeyError:
        raise _malformed(place, f"severity: {known['severity']!r} is unknown") from None
    return FindingRule(**known, data=table)


def _malformed(place: str, reason: str) -> RuleError:
    return RuleError(f"{place}: {reason}", remedy="hipport help rules")


def load(*, is_audit: bool = False, extend: tuple[str, ...] = ()) -> RuleSet:
    """The rules that this installation carries; `extend` names folders with rules of the user's.

    The same call always gives the same rules, loaded once.
    """
    return _load(is_audit, extend)


@cache
def _load(is_audit: bool, extend: tuple[str, ...]) -> RuleSet:
    if extend:
        from hipport.source.extended import ExtendedRules

        return ExtendedRules(extend, is_audit=is_audit)
    return RuleSet(is_audit=is_audit)
