"""What the rulebook decides about a name or header, given the user's options."""

from __future__ import annotations

import re
from collections.abc import Mapping
from functools import cached_property
from types import MappingProxyType

import msgspec

from hipport.rulebook.model import ApiRule, HeaderRule, TransformRule, parse_version
from hipport.rulebook.rules import RuleSet
from hipport.rulebook.words import DeviceFunctions, Library, Warps
from hipport.source.options import Options
from hipport.source.text.mentioned_texts import MentionedTexts
from hipport.source.text.source_text import Code

_MOST_WORDS = 100_000
"""Words to remember: most files of a tree share theirs."""


class Decision(msgspec.Struct, frozen=True):
    """What becomes of a name. `new` is empty where it stays; `finding` says what to report."""

    rule: ApiRule
    new: str
    finding: str = ""
    words: Mapping[str, str] = MappingProxyType({})
    transforms: tuple[TransformRule, ...] = ()
    helpers: str = ""
    """The header in rules/helpers that has the function `new`; "" where it is HIP's."""


class Decisions:
    """Decides each name once; None means that there is nothing to do or said about it."""

    def __init__(self, rules: RuleSet, options: Options) -> None:
        self.rules = rules
        self.options = options
        self._decided: dict[str, Decision | None] = {}
        self._headers: dict[str, HeaderRule | None] = {}
        self._judged: frozenset[str] = frozenset()
        self._seen: set[str] = set()
        self._interesting: set[str] = set()
        self._only_with: dict[str, str] = {}

    def of(self, name: str) -> Decision | None:
        if name not in self._decided:
            rule = self.rules.api(name)
            self._decided[name] = self._decide(rule) if rule else None
        return self._decided[name]

    def is_type(self, name: str) -> bool:
        """Whether a name is that of a type of CUDA's."""
        if name == self.rules.spellings.dimension_type:
            return True
        rule = self.rules.api(name)
        is_vector = re.fullmatch(self.rules.runtime_header.vector_types, name) is not None
        return is_vector or (rule is not None and rule.kind == "type")

    def of_interest(self, words: frozenset[str]) -> set[str]:
        """Those of the words that a rule or a check may act on."""
        self._judge(words)
        found = self._interesting & words
        elsewhere = self._only_with.keys() & found
        return found - {name for name in elsewhere if self._only_with[name] not in words}

    def hints(self, code: Code) -> frozenset[str]:
        """Which texts that findings and rewrites look for are in a file, comments included."""
        return self._hints.of(code)

    def _judge(self, words: frozenset[str]) -> None:
        """Remember of words not seen before which are of interest."""
        if words is self._judged:
            return
        self._judged = words
        if len(self._seen) > _MOST_WORDS:
            self._seen, self._interesting, self._only_with = set(), set(), {}
        new = words - self._seen
        known = self.rules.names.among(new)
        self._interesting |= self.rules.watched & new
        self._interesting.update(filter(self.of, known))
        self._interesting.update(filter(self.rules.unknown.fullmatch, new - known))
        for library in self._conditional:
            for shape, word in library.only_with.items():
                matching = filter(re.compile(shape, re.ASCII).fullmatch, known)
                self._only_with.update(dict.fromkeys(matching, word))
        self._seen |= new

    @cached_property
    def _conditional(self) -> list[Library]:
        return [each for each in self.rules.libraries.values() if each.only_with]

    @cached_property
    def _hints(self) -> MentionedTexts:
        rewritten = (text for rule in self.rules.rewrites for text in rule.when)
        return MentionedTexts(self.rules.hints.union(self.rules.findings.index.words, rewritten))

    @cached_property
    def host_functions(self) -> frozenset[str]:
        """The host's functions whose headers come with CUDA's."""
        headers = self.rules.runtime_header.host_headers.values()
        return frozenset(name for rule in headers for name in rule.functions)

    @cached_property
    def device_words(self) -> frozenset[str]:
        """What is only in code for a device compiler: keywords, builtin variables."""
        return self.rules.device_code.keywords | self.rules.device_code.variables

    @cached_property
    def _helpers(self) -> tuple[Warps | DeviceFunctions, ...]:
        more = (self.rules.device_functions,) if self.options.helpers else ()
        return (self.rules.warps, *more)

    def _decide(self, rule: ApiRule) -> Decision | None:
        library = self.rules.libraries[rule.library]
        if library.policy == "none" or rule.kind in ("header", "library_header", "namespace"):
            return None
        for each in self._helpers if rule.library == "device" else ():
            if rule.cuda in each.helpers:
                return Decision(rule, each.helpers[rule.cuda], helpers=each.header)
        if library.policy == "leave":
            return Decision(rule, "", "HP-API-009", {"library": library.title})
        use_roc = self.options.libs == "roc" and library.roc
        new = rule.roc if use_roc else rule.hip
        if rule.status == "dropped":
            return Decision(rule, "")
        is_nearest = library.policy == "whole" and rule.status == "partial"
        is_told = self.only_told(library)
        if is_told or is_nearest or not new:
            code = (is_told and library.told) or "HP-API-001"
            return Decision(rule, "", code, {"advice": self._advice(rule, use_roc)})
        rocm = self.options.rocm
        words = {
            "hip": new,
            "rocm": ".".join(map(str, rocm)),
            "reason": _reason(rule),
        }
        if rule.hip_added and parse_version(rule.hip_added) > rocm:
            words["reason"] = f"it came with {rule.hip_added}"
            return Decision(rule, "", "HP-API-006", words)
        if rule.hip_removed and parse_version(rule.hip_removed) <= rocm:
            words["reason"] = f"it went with {rule.hip_removed}"
            return Decision(rule, "", "HP-API-006", words)
        target = "roc" if use_roc else "hip"
        transforms = tuple(self.rules.transforms.of(rule.cuda, target))
        finding = self._doubt(rule, transforms, use_roc)
        if new == rule.cuda and not transforms and not finding and rule.library == "device":
            return None
        words["since"] = rule.hip_deprecated or "an earlier release"
        return Decision(rule, new, finding, words, transforms)

    def _doubt(self, rule: ApiRule, transforms: tuple[TransformRule, ...], use_roc: bool) -> str:
        """The code of the finding that a mapped name deserves, if any."""
        if any(transform.operation == "differs" for transform in transforms):
            return "HP-API-010"
        if use_roc:
            return ""
        counted = any(transform.operation == "accept" for transform in transforms)
        if rule.status in ("partial", "experimental") and not counted:
            return "HP-API-003"
        if rule.status == "deprecated":
            since = parse_version(rule.hip_deprecated)
            return "HP-API-004" if since <= self.options.rocm else ""
        # FFTW's names, which cuFFT and hipFFT share, are seldom theirs.
        is_kept = rule.hip == rule.cuda and rule.kind not in ("device_function", "device_type")
        return "HP-API-005" if not rule.evidence and not is_kept else ""

    def _advice(self, rule: ApiRule, use_roc: bool) -> str:
        if use_roc and rule.hip:
            return f"The roc library has no counterpart; {rule.hip} has, with --libs hip."
        if rule.roc and self.options.libs != "roc" and self.rules.libraries[rule.library].roc:
            return f"{rule.roc} does this: convert with --libs roc, or call it there."
        if rule.hip:
            return f"The nearest call is {rule.hip}; its arguments differ."
        if rule.candidate:
            return f"{rule.candidate} is planned under that name, but no HIP header declares it."
        return "Write it another way on AMD, or keep this code in a branch for CUDA."

    def only_told(self, library: Library) -> bool:
        """Whether what is of a library stays as it is, with findings."""
        return library.policy == "report" and not (library.roc and self.options.libs == "roc")

    def counterpart(self, rule: HeaderRule) -> str:
        """The HIP header that takes the place of a CUDA header, or of --libs roc the library's."""
        library = self.rules.libraries.get(rule.library)
        use_roc = self.options.libs == "roc" and library is not None and library.roc
        return rule.roc if use_roc and rule.roc else rule.hip

    def header(self, name: str) -> HeaderRule | None:
        """The rule for an included name: known, or made for one that looks like CUDA's."""
        if name not in self._headers:
            self._headers[name] = self.rules.headers.get(name) or self._unknown_header(name)
        return self._headers[name]

    def _unknown_header(self, name: str) -> HeaderRule | None:
        words = self.rules.runtime_header
        if re.match(words.torch_headers, name):
            return HeaderRule(cuda=name, action="torch")
        if re.match(words.unknown_headers, name):
            return HeaderRule(cuda=name, action="unknown")
        return None


def header_of_copy(headers: Mapping[str, HeaderRule], name: str) -> HeaderRule | None:
    """The rule of a header whose path ends with a library's: a copy of it, in place of HIP's."""
    parts = name.split("/")
    for first in range(1, len(parts) - 1):
        rule = headers.get("/".join(parts[first:]))
        if rule and rule.action == "map":
            return rule
    return None


def _reason(rule: ApiRule) -> str:
    """The known problem with a mapping, in words."""
    if rule.not_for_cuda:
        return f"CUDA {rule.not_for_cuda} has a form of it that HIP lacks"
    return rule.note.replace("_", " ") or "the rulebook says no more"
