"""What nvcc's command-line flags become for clang and hipcc, by rules/flags.tsv."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Sequence
from functools import cache

from hipport.lazy_regex import regex
from hipport.model import Severity, Span
from hipport.named_tuples import NamedTuple
from hipport.rulebook.build_words import build_words
from hipport.rulebook.rules import RuleSet
from hipport.rulebook.toolkit_folders import rocm_folder

FORMS = frozenset(("none", "value", "list", "glued"))
ACTIONS = frozenset(
    ("keep", "map", "drop", "targets", "unwrap", "library", "path", "include", "report")
)
_PLACES = frozenset(("library", "path", "include"))
MEANINGS = frozenset(("same", "accepted", "ignored", "error", "misread", "link error"))
NO_TARGETS = "HP-BUILD-001"

_IN_QUOTES = regex(r"([\"'])((?:(?!\1).)*)\1", re.DOTALL)
# A value in quotation marks within CMake's own.
QUOTED = regex(r'\\"((?:[^\\"]|\\(?!"))*+)\\"')
# A comma ends an element unless it is escaped, or is in a variable or in -Wl,-rpath,/x.
_ELEMENT = regex(
    r"(?:-W[lap],(?:[^\s\\]|\\.)*+|\$\((?:[^()]|\([^()]*\))*+\)|\$\{[^{}]*\}|\\.|[^,\s\\]|\\\Z)+"
)
# A flag, or its value, for Microsoft's compiler; then what may follow it in the same quotes.
_MICROSOFTS = regex(r"(?:-[\w-]+=)?[\\\"']*/[A-Za-z]")
_REST = regex(r"(?:/[A-Za-z][\w:+-]*|\d{4,5})[\\\"']*")
# People write shorter words; looking for variables in one takes time that grows with its square.
_LONGEST = 4096


class FlagRule(NamedTuple):
    """One line of rules/flags.tsv: spellings of one nvcc flag with one kind of value.

    `form` none: no value; value: after `=` or in the next word; list: the same, its elements
    separated by commas and looked up one by one; glued: also joined to a one-letter flag.
    `action` keep: stays; map: becomes `hip`; drop; targets: becomes `hip` once for each target;
    unwrap: the value's own words; library, path, include: as the value has a counterpart;
    report: stays, and is reported.
    `value` is a regular expression; empty it takes what no other line of the flag takes.
    `clang` says what clang does with the flag under `-x hip`: `misread` is silent.
    """

    flags: str
    form: str
    value: str = ""
    action: str = ""
    hip: str = ""
    roc: str = ""
    clang: str = ""
    finding: str = ""
    severity: str = ""
    note: str = ""
    source: str = ""


class Choices(NamedTuple):
    """What the user decided: GPUs to compile for, `hip` or `roc` libraries."""

    targets: tuple[str, ...] = ()
    libs: str = "hip"


class Flag(NamedTuple):
    """What becomes of the words from `start` to `end`; equal words stay as they are.

    `finding` is the code of what is reported about them: `severity` replaces the
    finding's own, `reason` fills its message.
    """

    start: int
    end: int
    new: tuple[str, ...]
    is_left: bool = False
    finding: str = ""
    severity: Severity | None = None
    reason: str = ""
    is_library_or_folder: bool = False


Folder = Callable[[str], str | None]
"""The counterpart of a folder of the CUDA toolkit; None for any other folder."""


@cache
def flag_rules(rules: RuleSet) -> dict[str, list[FlagRule]]:
    """Each spelling with its rules; one that takes any value comes last."""
    found: dict[str, list[FlagRule]] = {}
    for row in rules.table("flags.tsv"):
        rule = FlagRule(*row)
        for flag in rule.flags.split():
            found.setdefault(flag, []).append(rule)
    for each in found.values():
        each.sort(key=lambda rule: not rule.value)
    return found


def clang_arguments(
    rules: RuleSet, arguments: Sequence[str], targets: Sequence[str] = (), libs: str = "hip"
) -> tuple[list[str], list[tuple[str, Flag]]]:
    """The arguments of nvcc as clang and hipcc take them, and what is reported about some.

    Each report comes with the words it is about; what has no counterpart is left out.
    """
    made: list[str] = []
    reported: list[tuple[str, Flag]] = []
    at = 0
    for flag in translate(arguments, Choices(tuple(targets), libs), rules, rocm_folder(rules)):
        made += arguments[at : flag.start]
        made += () if flag.is_left else flag.new
        at = flag.end
        if flag.finding:
            reported.append((" ".join(arguments[flag.start : flag.end]), flag))
    return made + list(arguments[at:]), reported


def translate(
    words: Sequence[str], choices: Choices, rules: RuleSet, folder: Folder
) -> Iterator[Flag]:
    """What becomes of each word, or pair of words, that rules/flags.tsv knows.

    What several flags become alike, such as their architectures, is written once.
    """
    platform = build_words(rules).table.platform_flag
    line = _Line(words, flag_rules(rules), choices, folder, platform)
    said: set[tuple[str, ...]] = set()
    at = 0
    while at < len(words):
        flag = line.flag_at(at)
        if flag is None:
            at += 1
            continue
        flag = line.with_rest(flag)
        at = flag.end
        if not flag.is_left and flag.new != tuple(words[flag.start : flag.end]):
            repeats = flag.new in said
            said.add(flag.new)
            flag = flag._replace(new=()) if repeats else flag
        yield flag


class _Line(NamedTuple):
    """The words of one command with what is needed to look them up."""

    words: Sequence[str]
    rules: dict[str, list[FlagRule]]
    choices: Choices
    folder: Folder
    platform: str

    def flag_at(self, at: int) -> Flag | None:
        """What becomes of the flag at a word; None if no rule knows it."""
        word = self.words[at]
        if max(map(len, self.words[at : at + 2])) > _LONGEST:
            return None
        here = Span(at, at + 1)
        for rule in self.rules.get(word, ()):
            if rule.form == "none":
                return self.made(rule, word, "", here)
        name, equals, value = word.partition("=")
        if equals and name in self.rules:
            return self.valued(name, value, here)
        if word in self.rules:
            next_word = self.words[at + 1 : at + 2]
            return self.valued(word, next_word[0], Span(at, at + 2)) if next_word else None
        name, value = word[:2], word[2:]
        if any(rule.form == "glued" for rule in self.rules.get(name, ())):
            return self.valued(name, value, here)
        return None

    def with_rest(self, flag: Flag) -> Flag:
        """A flag for Microsoft's compiler with the words that follow in its value's quotes.

        Words are split at spaces where a build tool's quotes are not the shell's: `"/wd 4819"`.
        """
        is_microsofts = not flag.new and _MICROSOFTS.match(self.words[flag.end - 1])
        end = flag.end
        while is_microsofts and end < len(self.words) and _REST.fullmatch(self.words[end]):
            end += 1
        return flag._replace(end=end)

    def valued(self, name: str, value: str, span: Span) -> Flag | None:
        """What becomes of a flag with a value; of a list, the sum of its elements."""
        quoted = QUOTED.fullmatch(value)
        value = quoted[1] if quoted else _unquoted(value)
        candidates = self.rules[name]
        is_list = any(rule.form == "list" for rule in candidates)
        values = [each.group() for each in _ELEMENT.finditer(value)] if is_list else [value]
        flags = []
        for each in values or [value]:
            plain = _unquoted(each).replace("\\,", ",")
            rule = next((rule for rule in candidates if _takes(rule, plain)), None)
            if rule is None:
                return None
            is_kept = quoted and rule.action == "map"
            flags.append(self.made(rule, name, f'\\"{plain}\\"' if is_kept else plain, span))
        reported = next((flag for flag in flags if flag.finding), flags[0])
        if any(flag.is_left for flag in flags):
            return reported._replace(new=self.old(span), is_left=True)
        return reported._replace(new=tuple(word for flag in flags for word in flag.new))

    def old(self, span: Span) -> tuple[str, ...]:
        return tuple(self.words[span.start : span.end])

    def made(self, rule: FlagRule, name: str, value: str, span: Span) -> Flag:
        """What one rule makes of a flag with one value."""
        old = self.old(span)
        severity = Severity.parse(rule.severity) if rule.severity else None
        flag = Flag(
            *span,
            old,
            rule.action == "report",
            rule.finding,
            severity,
            rule.note,
            rule.clang == "link error"
            or any(r.action in _PLACES for r in self.rules.get(name, ())),
        )
        template = rule.roc if self.choices.libs == "roc" and rule.roc else rule.hip
        # The template is split before a value with spaces goes into one of its words.
        new = tuple(
            part.format(value=value, flag=name, target="{target}") for part in template.split()
        )
        match rule.action:
            case "report":
                return flag
            case "drop":
                return flag._replace(new=())
            case "targets":
                targets = self.choices.targets
                new = tuple(each.format(target=target) for target in targets for each in new)
                return flag._replace(new=new, finding="" if new else NO_TARGETS)
            case "unwrap":
                inner = self.rules.get(value.partition("=")[0], ())
                if not any(each.action == "unwrap" for each in inner):
                    again = self._replace(words=new).flag_at(0)
                    if again and again.end == 1 and not again.is_left:
                        return again._replace(start=span.start, end=span.end)
            case "library":
                joined = self.rules.get(new[0])
                if joined:
                    return self.made(joined[0], name, "", span)
            case "path" | "include":
                place = self.folder(value)
                if place is not None:
                    new = tuple(part.format(value=place) for part in template.split())
                    platform = (self.platform,) if rule.action == "include" else ()
                    return flag._replace(new=new + platform)
        if rule.action == "map" or rule.clang != "same":
            return flag._replace(new=new)
        # nvcc takes -I=folder; to clang that is a folder below the system root.
        return flag._replace(new=new if old[0].startswith(name + "=") and len(name) == 2 else old)


def _unquoted(value: str) -> str:
    inside = _IN_QUOTES.fullmatch(value)
    return inside[2] if inside else value


def _takes(rule: FlagRule, value: str) -> bool:
    if rule.form == "none":
        return False
    return not rule.value or re.fullmatch(rule.value, value, re.DOTALL) is not None
