"""The rulebook: what rules/ says about names, headers, arguments and findings.

Only the first column of rules/api is looked at on loading; the rest of a line is split when a
name of it turns up, so that all of it loads in a few milliseconds.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator, Mapping
from fnmatch import filter as matching
from fnmatch import fnmatchcase
from functools import cached_property
from itertools import chain, repeat
from pathlib import Path
from typing import Any, TypeVar

from msgspec import Raw

from hipport.lazy_regex import regex
from hipport.rulebook.branch_words import Branches
from hipport.rulebook.build_file_words import BuildFileWords
from hipport.rulebook.edition import rules_folder
from hipport.rulebook.finding_rules import FindingRule
from hipport.rulebook.known_findings import FindingIndex, Findings
from hipport.rulebook.known_names import KnownNames
from hipport.rulebook.model import (
    ApiRule,
    HeaderRule,
    MoveRule,
    Version,
    lines_about,
    parse_version,
)
from hipport.rulebook.name_shapes import NameShapes
from hipport.rulebook.python_names import PythonNames
from hipport.rulebook.rewrite_rules import EditRule, RewriteRule
from hipport.rulebook.tables import (
    FINDING_INDEX,
    NAMES,
    NAMESPACES,
    LibraryTexts,
    Tables,
    first_column,
)
from hipport.rulebook.transforms import Transforms
from hipport.rulebook.typed import typed
from hipport.rulebook.words import (
    DeviceCode,
    DeviceFunctions,
    Edition,
    FileKinds,
    KernelStrings,
    Lanes,
    Library,
    Requirements,
    RuntimeHeader,
    Spellings,
    Vendored,
    Warps,
)

_Shape = TypeVar("_Shape")
_HIP_COLUMN = regex(r"\n[^\t]+\t[^\t]*\t(hip\w+)\t")


def _words(name: str, shape: type[_Shape]) -> cached_property[_Shape]:
    """A property of RuleSet: a .toml file as a structure."""
    return cached_property(lambda rules: rules.words(name, shape))


class RuleSet:
    """All rules of one folder, loaded on demand."""

    def __init__(
        self,
        folder: Path | None = None,
        *,
        is_audit: bool = False,
        like: RuleSet | None = None,
    ) -> None:
        """The rules of a folder; `like` are others of it, which have already read some files."""
        self.folder = folder or rules_folder()
        self._tables = Tables(folder)
        self.is_audit = is_audit
        self._rows: dict[str, ApiRule | None] = {}
        self._files: dict[str, Any] = like._files if like else {}

    def table(self, name: str) -> Iterator[list[str]]:
        """The rows of a .tsv file, without its heading, each padded to the heading's length."""
        return self._tables.rows(name)

    @cached_property
    def libraries(self) -> dict[str, Library]:
        """Library name (the stem of its file in rules/api) -> Library."""
        return {
            name: typed({**table, "name": name}, Library, f"rules/libraries.toml: {name}")
            for name, table in self.words("libraries.toml", dict[str, dict[str, object]]).items()
        }

    @cached_property
    def _texts(self) -> Mapping[str, str]:
        """Library name -> its file in rules/api; a "\n" comes before each name."""
        return self._once("api", lambda: LibraryTexts(self.folder / "api"))

    def _every_text(self) -> dict[str, str]:
        """All of them, of which most runs need one."""
        return {each: self._texts[each] for each in self.libraries}

    @cached_property
    def names(self) -> KnownNames:
        """CUDA name -> its library. The first library in libraries.toml wins."""
        return self._once("names", self._names)

    def _names(self) -> KnownNames:
        parts = self._tables.of_wheel(NAMES, dict[str, Raw])
        if parts:
            return KnownNames({}, parts)
        found: dict[str, str] = {}
        for library in reversed(self.libraries):
            found.update(zip(first_column(self._texts[library]), repeat(library)))
        return KnownNames(found)

    def hip_names(self) -> frozenset[str]:
        """The names of HIP and its libraries that have a counterpart in CUDA of another name."""
        return self._once("hip names", self._hip_names)

    def _hip_names(self) -> frozenset[str]:
        found = map(_HIP_COLUMN.findall, self._every_text().values())
        names = frozenset(chain.from_iterable(found))
        return names - self.names.among(names)

    def api(self, name: str) -> ApiRule | None:
        """The rule for a CUDA name (`cudaMalloc`, `thrust::cuda`), or None."""
        library = self.names.get(name)
        if library is not None and name not in self._rows:
            self._rows[name] = next(lines_about(name, library, self._texts[library]), None)
        return self._rows.get(name)

    def documentation(self, name: str) -> tuple[str, ...]:
        """Addresses of the documentation of a CUDA name's library, and of ROCm's in its place."""
        library = self.names.get(name)
        return self.libraries[library].docs if library else ()

    def is_common_word(self, rule: ApiRule) -> bool:
        """Whether programs often use the name for something of their own: `min`, but not
        `curand_init`, which looks like its library."""
        is_plain = rule.kind == "device_function" and not rule.cuda.startswith("_")
        return is_plain and not self.unknown.fullmatch(rule.cuda)

    def every_api(self) -> Iterator[ApiRule]:
        """All rules of all libraries; a name may be in several of them."""
        for library in self.libraries:
            for row in self.table(f"api/{library}.tsv"):
                yield ApiRule(*row)._replace(library=library)

    def every_api_of(self, name: str) -> Iterator[ApiRule]:
        """All rules for a CUDA name: those of `every_api`, without reading the others."""
        return chain.from_iterable(lines_about(name, *each) for each in self._every_text().items())

    @cached_property
    def headers(self) -> dict[str, HeaderRule]:
        name = "headers.tsv"
        return self._once(name, lambda: {row[0]: HeaderRule(*row) for row in self.table(name)})

    def is_runtime_header(self, name: str) -> bool:
        """Whether an include of this header is one of HIP's runtime header, or becomes one."""
        runtime, rule = self.runtime_header.header, self.headers.get(name)
        return name == runtime or (rule is not None and (rule.action, rule.hip) == ("map", runtime))

    @cached_property
    def moves(self) -> list[MoveRule]:
        """What releases of ROCm did to HIP's own names, those of one name by release."""
        return [MoveRule(*row) for row in self.table("hip_moves.tsv")]

    @cached_property
    def transforms(self) -> Transforms:
        return Transforms((self.folder / "transforms.tsv").read_bytes().decode(), {})

    @cached_property
    def namespaces(self) -> dict[str, list[str]]:
        """Last component of a namespace rule -> the full names that end in it."""
        known = self._tables.of_wheel(NAMESPACES, dict[str, list[str]])
        return self._namespaces_in_texts() if known is None else known

    def _namespaces_in_texts(self) -> dict[str, list[str]]:
        found: dict[str, list[str]] = {}
        for library, text in self._every_text().items():
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
    def unknown(self) -> NameShapes:
        """Matches an identifier that looks like CUDA's, whether a rule knows it or not."""
        return NameShapes(each.unknown for each in self.libraries.values() if each.unknown)

    @cached_property
    def stems(self) -> re.Pattern[str]:
        """Matches the beginning of a CUDA name before `##`; `cu` begins no word like `custom`."""
        stems = (stem for library in self.libraries.values() for stem in library.stems)
        shapes = (f"{each}(?![{'A-Z' if each.isupper() else 'a-z'}])" for each in stems)
        return re.compile("|".join(shapes), re.ASCII)

    def words(self, name: str, shape: type[_Shape]) -> _Shape:
        """A .toml file as a structure."""
        return self._once(name, lambda: self._tables.read(name, shape))

    def _once(self, name: str, read: Callable[[], _Shape]) -> _Shape:
        """What `read` gives, for all rules of the folder."""
        if name not in self._files:
            self._files[name] = read()
        found: _Shape = self._files[name]
        return found

    edition = _words("edition.toml", Edition)
    device_code = _words("device_code.toml", DeviceCode)
    branches = _words("branches.toml", Branches)
    runtime_header = _words("runtime_header.toml", RuntimeHeader)
    spellings = _words("spellings.toml", Spellings)
    file_kinds = _words("file_kinds.toml", FileKinds)
    vendored = _words("vendored.toml", Vendored)
    python_names = _words("python_names.toml", PythonNames)
    requirements = _words("requirements.toml", Requirements)
    kernel_strings = _words("kernel_strings.toml", KernelStrings)
    warps = _words("warps.toml", Warps)
    device_functions = _words("device_functions.toml", DeviceFunctions)
    lanes = _words("lanes.toml", Lanes)
    build_files = _words("build.toml", BuildFileWords)

    @cached_property
    def of_python(self) -> tuple[FindingRule, ...]:
        """The findings that Python's syntax tree decides."""
        return tuple(self.findings.having("of_python"))

    @cached_property
    def rewrites(self) -> list[RewriteRule]:
        """Rewrites that go beyond a name, in the order in which they run."""
        return self._tables.rewrites()

    @cached_property
    def edits(self) -> dict[str, EditRule]:
        """Name of an edit of the rewrites -> what it is."""
        return {name: edit for rule in self.rewrites for name, edit in rule.edits.items()}

    def read_all(self) -> None:
        """Read what converting or auditing sources needs, for processes that fork to share."""
        for name, value in vars(RuleSet).items():
            if isinstance(value, cached_property):
                getattr(self, name)
        self.names.read_all()
        self._every_text()
        list(self.findings.values())

    def helper(self, header: str) -> Path:
        """Where the text of a header of helpers is."""
        return self.folder / "helpers" / header

    @cached_property
    def rocm(self) -> Version:
        """The newest ROCm version that the rulebook knows."""
        return parse_version(self.edition.rocm)

    @cached_property
    def codes(self) -> frozenset[str]:
        """The codes of all findings, the audit's too: each is the name of its file."""
        return frozenset(map(_code, self._checks))

    @property
    def own_codes(self) -> frozenset[str]:
        """The codes of findings from user rules, not from the installed rulebook."""
        return frozenset()

    @cached_property
    def watched(self) -> frozenset[str]:
        """Names that checks look for."""
        return frozenset(self.findings.index.names)

    def is_only_watched(self, name: str) -> bool:
        """Whether a name means nothing but to checks."""
        return name in self.watched and name not in self.names and not self.unknown.fullmatch(name)

    @cached_property
    def hints(self) -> frozenset[str]:
        """Texts that make a file of C++ worth a look for a finding."""
        return frozenset(self.findings.index.hints)

    @cached_property
    def shapes_of_libraries(self) -> list[tuple[str, FindingRule]]:
        """What each name of a library looks like of which none can be renamed, and its finding."""
        rules = self.findings.checked_by("library")
        shapes = ((rule.keys.get("shape"), rule) for rule in rules)
        return [(shape, rule) for shape, rule in shapes if shape]

    @property
    def whole_libraries(self) -> list[FindingRule]:
        """The findings for libraries none of whose names can be renamed."""
        return [rule for _, rule in self.shapes_of_libraries]

    @cached_property
    def only_with(self) -> dict[str, tuple[str, ...]]:
        """Findings that a conversion borrows from the audit -> texts; a file needs one of them."""
        return {Path(path).stem: texts for path, texts in self._also_converting.items()}

    @cached_property
    def _also_converting(self) -> dict[str, tuple[str, ...]]:
        """The files of what a conversion borrows."""
        return {} if self.is_audit else self._optional("also_converting.toml")

    @cached_property
    def specifics(self) -> dict[str, tuple[str, ...]]:
        """General finding -> the files of those of the audit that say more of the same place."""
        return self._optional("specific.toml")

    def _optional(self, name: str) -> dict[str, tuple[str, ...]]:
        """A table that a folder with rules to check may lack."""
        has_it = (self.folder / name).is_file()
        return self.words(name, dict[str, tuple[str, ...]]) if has_it else {}

    def general(self, code: str) -> str:
        """The general finding that a specific one replaces; "" if there is none."""
        for general, shapes in self.specifics.items():
            if code != general and any(fnmatchcase(code, Path(each).stem) for each in shapes):
                return general
        return ""

    def specific_to(self, code: str) -> tuple[FindingRule, ...]:
        """The audit's findings that say more than a general one, read when they are needed."""
        if code not in self._specific:
            self._specific[code] = tuple(self.in_files(self.specifics[code]))
        return self._specific[code]

    @cached_property
    def _specific(self) -> dict[str, tuple[FindingRule, ...]]:
        return {}

    def finding(self, code: str) -> FindingRule:
        """The finding with a code; a conversion has those of the audit's that it needed."""
        known = self.findings.get(code)
        if known is None:
            rules = (rule for found in self._specific.values() for rule in found)
            known = next(rule for rule in rules if rule.id == code)
        return known

    @cached_property
    def findings(self) -> Findings:
        """Finding code -> FindingRule; of the audit's, in folders, converting runs a few."""
        own = [name for name in self._checks if self.is_audit or "/" not in name]
        files = {_code(name): name for name in (*own, *self._also_converting)}
        kind = "audit" if self.is_audit else "convert"
        index = self._tables.of_wheel(f"{FINDING_INDEX} {kind}", FindingIndex)
        if index is None:
            return Findings.of(map(self._check, files.values()))
        return Findings(files, lambda code: self._check(files[code]), index)

    @cached_property
    def _checks(self) -> list[str]:
        """The files of findings, as paths below checks/."""
        return [each.removeprefix("checks/") for each in self._tables.below("checks")]

    def in_files(self, shapes: Iterable[str]) -> Iterator[FindingRule]:
        """The findings whose files below checks/ match one of the shapes, the audit's too."""
        for name in (each for shape in shapes for each in matching(self._checks, shape)):
            yield self.findings.get(_code(name)) or self._check(name)

    def _check(self, name: str) -> FindingRule:
        return self._tables.finding(f"checks/{name}")


def _code(name: str) -> str:
    """The code of a finding, from the path of its file."""
    return name.rpartition("/")[2].removesuffix(".toml")
