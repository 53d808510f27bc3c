"""Findings by pattern in files of lines: build files, scripts, requirements, containers."""

from __future__ import annotations

import re
from collections.abc import Iterable, Set
from functools import lru_cache

from hipport.lazy_regex import regex
from hipport.model import Finding, Span
from hipport.rulebook.finding_rules import FindingRule, numbers_by_text
from hipport.rulebook.rules import RuleSet
from hipport.source.layouts.changes import Changed
from hipport.source.layouts.usual_form import usual_form, words_of
from hipport.source.patterns.dead_branches import alive, once
from hipport.source.patterns.excused_files import is_excused
from hipport.source.patterns.found_spans import is_listed, is_passed_over, spans_of
from hipport.source.patterns.own_paths import is_own
from hipport.source.patterns.python_strings import COMMENT_OR_STRING, those_in_strings
from hipport.source.text.long_lines import long_line, plain_ends, without_mark
from hipport.source.text.mentioned_texts import MentionedTexts
from hipport.source.text.required_texts import has_any, is_found, may_match_among
from hipport.source.text.said_in_comments import said_in
from hipport.source.text.source_text import Code

# What batch systems read is no comment: sbatch(1), qsub(1), bsub(1). Expressions that begin with
# a text are found faster: what is before it is looked at from behind it.
_COMMENT = regex(r"#(?<!\S#)(?!(?:SBATCH|PBS|BSUB|OAR|COBALT|flux:)\s|\$ -)[^\n]*")
# A bracket comment of CMake goes on to the bracket that closes it: cmake-language(7). What is only
# printed, or hidden from a menu, is no comment, but decides nothing.
_CMAKE = regex(
    rf"#\[(=*)\[.*?(?:\]\1\]|\Z)|{_COMMENT.pattern}"
    r"|^[ \t]*(?:message|mark_as_advanced)\s*\((?:[^()\"]++|\"(?:[^\"\\]|\\.){0,400}+\"){0,60}\)",
    re.MULTILINE | re.DOTALL | re.IGNORECASE,
)
# What follows the first line of what an option says of itself.
_CMAKE_HELP = regex(
    r"(^[ \t]*(?:option\s*\(\s*\w+|set\s*\((?:[^()\"]|\"[^\"\n]*\"){0,300}?\bCACHE\s+[A-Z]+)"
    r"\s+\"[^\"\n]*\n)([^\"]*)",
    re.MULTILINE | re.IGNORECASE,
)
# `!$acc` and `!@cuf` are directives of a compiler, `!dir$` is not about CUDA.
_FORTRAN = regex(r"!(?!\$(?:acc|cuf)|@cuf)[^\n]*", re.IGNORECASE)
# A `#` begins a directive there, `##` and `{#` a comment of the template.
_TEMPLATE = regex(
    r"(?:(?<=\s)|^)//[^\n]*|/\*.*?\*/|^[ \t]*##[^\n]*|\{#.*?#\}", re.MULTILINE | re.DOTALL
)
# What Julia says of a definition is a string before it.
_JULIA = regex(
    rf"#=.*?=#|{_COMMENT.pattern}"
    r"|^[ \t]*(?:\"\"\"[^\"]*(?:\"(?!\"\")[^\"]*){0,400}\"\"\"|\"[^\"\n]+\")[ \t]*\n"
    r"(?=[ \t]*(?:@\w+[ \t]+)?(?:function|macro|(?:mutable[ \t]+)?struct|abstract|module|const"
    r"|[\w.!]+(?:\{[^{}\n]*\})?\([^\n]*\)[^\n=]*=(?!=))(?!\w))",
    re.MULTILINE | re.DOTALL,
)
_LUA = regex(r"--(?<!\S--)(?:\[\[.*?(?:\]\]|\Z)|[^\n]*)", re.DOTALL)
_SLASHES = regex(r"//(?<!\S//)[^\n]*")
# Directives of Go name a file that goes into the program, or a command; those of C are what it is
# linked with, and what it includes.
_GO = regex(r"//(?!go:(?:embed|generate)\b|[ \t]*#(?:cgo|include)\b)(?<!\S//)[^\n]*")
_SLASHES_AND_STARS = regex(rf"{_SLASHES.pattern}|/\*(?<!\S/\*).*?\*/", re.DOTALL)
# Nextflow's and Terraform's files, and PowerShell's scripts, are of the kind too.
_YAML = regex(
    rf"{_COMMENT.pattern}|^[ \t]*//[^\n]*|^[ \t]*/\*(?=[\s*]).*?\*/|<#.*?#>",
    re.MULTILINE | re.DOTALL,
)
_XML_TOO = regex(rf"{_SLASHES_AND_STARS.pattern}|<!--.*?-->", re.DOTALL)
_MATLAB = regex(r"(?:%|//)(?<![\"'\w%/:]%)(?<![\"'\w:]//)[^\n]*")
# Cargo.toml has comments of its own; `#[cfg]` is an attribute of Rust, `#include` C++ in a string.
_RUST = regex(
    rf"{_SLASHES.pattern}|^[ \t]*#[ \t][^\n]*|(?<=[\]\"'\w}}][ \t])[ \t]*#[ \t][^\n\"']*$",
    re.MULTILINE,
)
# What configure only prints decides nothing either.
_DNL = regex(
    r"(?:(?<=\s)|^)(?:#|dnl\b)[^\n]*|\b(?:AC_MSG_\w+|AS_HELP_STRING)\(\[[^\]\n]*\]", re.MULTILINE
)
# Settings of linters name modules that they look at; an extra for CPUs replaces nothing of a GPU's;
# keywords describe a project; how uv builds packages requires none.
_REQUIREMENTS = regex(
    rf"{_COMMENT.pattern}"
    r"|^\[+(?:tool\.)?(?:mypy|ruff|isort|pylint|pyright|basedpyright|ty|pyrefly|deptry|flake8|black|codespell)\b"
    r"[^\n]*(?:\n(?!\[)[^\n]*)*"
    r"|^[\"']?(?:[\w.-]*[-_])?cpu[\"']?[ \t]*=[ \t]*\["
    r"(?:[^\n]*\][ \t]*$|[^\n]*(?:\n(?![\[\]])[^\n]*)*)"
    r"|^[\"']?(?:keywords|classifiers)[\"']?[ \t]*=[ \t]*\[[^\[\]]*\]"
    r"|(?:(?<=\bno-build-isolation-package)|(?<=\bno-build-package)|(?<=\bno-binary-package))"
    r"[ \t]*=[ \t]*\[[^\[\]]*\]",
    re.MULTILINE,
)
# The programs that configure compiles begin with directives; who wrote the script is kept.
_CONFIGURE = regex(
    r"#(?<!\S#)(?![ \t]*(?:include\b|Generated (?:automatically )?(?:by|using) ))[^\n]*"
)
# C++ in a string of Python, and the comments of it; a bracket that closes behind two slashes may be
# that of an expression which an f-string fills in.
_CODE = regex(
    r"^[ \t]*#[ ]*include\b|\b__(?:global|device|shared|host)__\b|[;{][ \t]*$", re.MULTILINE
)
_OF_CODE = regex(r"//(?<!\S//)(?![^\n{]*\})[^\n]*|/\*(?<!\S/\*).*?\*/", re.DOTALL)
_LINE_OF_CODE = regex(r"[\"']\s*//\s")
_OF_PYTHON = ("python", "cython")
# The types of variables and parameters that get a value: what they are given decides.
_TYPE = r"[\w.]++(?:\[[^\[\]\n]*+(?:\[[^\[\]\n]*+\][^\[\]\n]*+)*+\])?+"
_ANNOTATION = regex(
    r"((?:^[ \t]*+|[(,][ ]*+)(?!(?:else|try|finally|lambda)\b)[\w.]++)"
    rf"([ ]*+:[ ]*+{_TYPE}(?:[ ]*\|[ ]*+{_TYPE}){{0,8}}+[ ]*+)(?==(?!=))",
    re.MULTILINE,
)
# What describes a project, as in pyproject.toml.
_KEYWORDS = regex(r"\b(?:keywords|classifiers)[ ]*=[ ]*\[[^\[\]]*\]")
_COMMENTS = {
    "yaml": _YAML,
    "autoconf": _DNL,
    "cmake": _CMAKE,
    "configure": _CONFIGURE,
    "fortran": _FORTRAN,
    "requirements": _REQUIREMENTS,
    "rust": _RUST,
    "go": _GO,
    "julia": _JULIA,
    "lua": _LUA,
    "zig": _SLASHES,
    "java": _XML_TOO,
    "csharp": _XML_TOO,
    "matlab": _MATLAB,
    "template": _TEMPLATE,
}
# A line that ends so goes on in the next one, so that a string there is no statement.
_CONTINUED = ("(", "[", "{", ",", "=", "+", "%", "\\")
# A string that an error says.
_RAISED = regex(r"\braise[ ]+[\w.]+\(\s*[rRfF]*\Z")
_LOOK_BACK = 400
_COMMENT_LINE = regex(r"#[^\n\"']*$", re.MULTILINE)
_BARE_SHAPES = 2
# Four words in a row are a message to people, not a name or an option, unless it is a command.
_PROSE = regex(
    r"[\"']+(?!\s*(?:pip|apt|conda|mamba|uv|git|docker|python|mpirun|srun|sudo|export|module)\b)"
    # Words that only commas part are arguments of a call.
    r"[^\n]*?(?<![\w./-])(?![a-z']+(?:, [a-z']+){3})"
    r"[A-Za-z]?[a-z']+(?:[,;:]? [a-z']+){3}(?![\w./=-])"
)
# People write shorter lines; the time of a search must not grow with the square of a longer one.
_LONGEST = 4096
# In a shorter text all of an expression's own texts are sought, not only those whose words it has.
_SHORT = 1000
_LONG_LINE = regex(rf"([^\n]{{{_LONGEST}}})([^\n]+)")


def line_findings(
    data: bytes,
    path: str,
    kind: str,
    rules: RuleSet,
    asking: RulesByHint | None = None,
) -> list[Finding]:
    """What the patterns for this kind of file find, in order, but what is for NVIDIA only.

    `asking` are the rules that are asked; without it, all of the kind. Nets find nothing in lines
    where other rules do.
    """
    if asking is None:
        return list(_found_by_all(data, path, kind, rules))
    data = without_mark(plain_ends(data))
    if not asking.about(words_of(data, kind)):
        return []
    usual = usual_form(data, path, kind)
    data = usual.data if usual else data
    wanted = asking.about(data)
    found: list[Finding] = []
    for is_net in (False, True):
        covered = {each.start.line for each in found}
        chosen = [each for each in wanted if each.net == is_net]
        matching = _matches_of(chosen, data, path, kind, rules, covered, usual)
        matching = alive(matching, data, kind, rules)
        found += once(usual.moved(matching) if usual else matching, asking.rules)
    return sorted(found, key=lambda each: (each.start, each.code))


@lru_cache(maxsize=1)
def _found_by_all(data: bytes, path: str, kind: str, rules: RuleSet) -> list[Finding]:
    """The same of all rules of the kind: an audit of a build file asks again what is left in it."""
    return line_findings(data, path, kind, rules, _of_kind(rules, kind))


def line_matches(
    data: bytes, path: str, kind: str, rules: RuleSet, usual: Changed | None
) -> list[Finding]:
    """All matches in a text, which is the usual form of a file of this kind, comments left out."""
    wanted = _of_kind(rules, kind).about(data)
    return _matches_of(wanted, data, path, kind, rules, usual=usual)


def _matches_of(
    wanted: list[FindingRule],
    data: bytes,
    path: str,
    kind: str,
    rules: RuleSet,
    covered: Set[int] = frozenset(),
    usual: Changed | None = None,
) -> list[Finding]:
    """The matches of some rules, but those in covered lines of what `usual` was before."""
    if not wanted:
        return []
    text = readable = data.decode("latin-1")
    if long_line(data, _LONGEST):
        readable = _LONG_LINE.sub(lambda match: match[1] + "\n" * len(match[2]), text)
    code = without_comments(readable, kind)
    requires = kind != "python" or is_found(rules.requirements.requiring_python, code)
    # A list in other YAML is of anything, a line of make a target: no bare name is a package there.
    shapes = rules.requirements.shapes[_BARE_SHAPES if kind in ("yaml", "make") else 0 :]
    shapes += rules.requirements.shapes_of_python if kind == "python" else ()
    shapes = shapes if requires else ()
    found: list[Finding] = []
    for rule in wanted:
        part = code
        if rule.commented:
            part = said_in(code, as_written(data), comment_spans(text, kind), rule.commented)
        matching = _matches(rule, _patterns(rule, shapes), part, data, path, covered, usual)
        if rule.where == "text" and kind == "python":
            matching = those_in_strings(matching, as_written(data))
        if matching and not is_excused(rule, code):
            found += matching
    return found


class RulesByHint:
    """Rules by code, and which of them a text may be about."""

    def __init__(self, rules: Iterable[FindingRule], hints: MentionedTexts | None = None) -> None:
        """`hints` may know more texts than these rules have: files are looked into once."""
        self.rules = {each.id: each for each in rules}
        self._rules = list(self.rules.values())
        self._hints = hints or _hints_of(self._rules)
        self._by_hint = numbers_by_text(rule.hints for rule in self._rules)

    def about(self, data: bytes) -> list[FindingRule]:
        """Those of which the bytes have a hint."""
        found = self._hints.of(as_written(data)) & self._by_hint.keys()
        numbers = {number for each in found for number in self._by_hint[each]}
        return [self._rules[number] for number in sorted(numbers)]


def rules_of_kind(
    rules: Iterable[FindingRule], kind: str, hints: MentionedTexts | None = None
) -> RulesByHint:
    """Those that have patterns for a kind of file."""
    asking = (each for each in rules if kind in each.languages and (each.patterns or each.packages))
    return RulesByHint(asking, hints)


@lru_cache(maxsize=64)
def _of_kind(rules: RuleSet, kind: str) -> RulesByHint:
    hints = hints_in_python(rules) if kind == "python" else None
    return rules_of_kind(rules.findings.about(kind), kind, hints)


@lru_cache(maxsize=2)
def hints_in_python(rules: RuleSet) -> MentionedTexts:
    """Those of all rules about Python, by patterns and by the syntax tree."""
    return _hints_of((*rules.findings.about("python"), *rules.of_python))


def _hints_of(rules: Iterable[FindingRule]) -> MentionedTexts:
    return MentionedTexts(text for each in rules for text in each.hints)


@lru_cache(maxsize=2)
def as_written(data: bytes) -> Code:
    """The text of a file, comments included, for quick looks at what it mentions."""
    return Code(data)


def cut_lines(data: bytes, kind: str, rules: RuleSet) -> str:
    """What of long lines is not searched though it may have findings; "" for nothing."""
    if not long_line(data, _LONGEST):
        return ""
    rest = "\n".join(match[2] for match in _LONG_LINE.finditer(data.decode("latin-1")))
    asking = (rule for rule in rules.findings.about(kind) if rule.hints)
    if any(has_any(rest, rule.hints) for rule in asking):
        return f"lines longer than {_LONGEST:,} bytes were searched that far only"
    return ""


@lru_cache(maxsize=2)
def without_comments(text: str, kind: str) -> str:
    """The text with its comments blanked, offset for offset; of Python, docstrings too."""
    if kind in _OF_PYTHON:
        text = _KEYWORDS.sub(_blank, COMMENT_OR_STRING.sub(_without_prose, text))
        return _ANNOTATION.sub(_without_annotation, text)
    text = _COMMENTS.get(kind, _COMMENT).sub(_blank, text)
    return _CMAKE_HELP.sub(_without_help, text) if kind == "cmake" else text


def comment_spans(text: str, kind: str) -> list[Span]:
    """Where the comments of a file of lines are; a `#` inside quotes begins none."""
    if kind in _OF_PYTHON:
        return [
            Span(*each.span()) for each in COMMENT_OR_STRING.finditer(text) if each[0][0] == "#"
        ]
    comments = _COMMENTS.get(kind, _COMMENT).finditer(text)
    found = (each for each in comments if each[0].startswith(("#", "dnl")))
    return [Span(*each.span()) for each in found if not _is_quoted(text, each.start())]


def _is_quoted(text: str, offset: int) -> bool:
    """Whether a quotation mark that the line opened before the offset is still open."""
    opened = ""
    for mark in re.findall(r"\\.|[\"\x27]", text[text.rfind("\n", 0, offset) + 1 : offset]):
        if not opened and len(mark) == 1:
            opened = mark
        elif mark == opened:
            opened = ""
    return opened != ""


def _blank(match: re.Match[str]) -> str:
    return _blanks(match[0])


def _without_annotation(match: re.Match[str]) -> str:
    return match[1] + " " * len(match[2])


def _without_help(match: re.Match[str]) -> str:
    return match[1] + _blanks(match[2])


def _blanks(text: str) -> str:
    return "\n".join([" " * len(line) for line in text.split("\n")])


def _without_prose(match: re.Match[str]) -> str:
    """Comments, also of C++, prose, and strings that are statements, blanked; others as is."""
    if match[0][0] == "#":
        return _blanks(match[0])
    if match[0][:3] not in ('"""', "'''"):
        is_said = _PROSE.search(match[0]) or _LINE_OF_CODE.match(match[0])
        return _blanks(match[0]) if is_said else match[0]
    text, start = match.string, match.start()
    line = text.rfind("\n", 0, start) + 1
    before = _COMMENT_LINE.sub("", text[max(0, line - _LOOK_BACK) : line]).rstrip()
    is_statement = not text[line:start].strip(" \trRuU") and not before.endswith(_CONTINUED)
    if is_statement or _RAISED.search(text, max(0, start - _LOOK_BACK), start):
        return _blanks(match[0])
    return _OF_CODE.sub(_blank, match[0]) if _CODE.search(match[0]) else match[0]


def _patterns(rule: FindingRule, shapes: tuple[str, ...]) -> list[str]:
    """The patterns of a rule, those for the packages that it names included."""
    names = rule.packages
    return [*rule.patterns, *(shape.format(names=names) for shape in shapes if names)]


def _matches(
    rule: FindingRule,
    patterns: list[str],
    code: str,
    data: bytes,
    path: str,
    covered: Set[int],
    usual: Changed | None,
) -> list[Finding]:
    found: dict[int, Finding] = {}
    of_line: dict[int, str] = {}
    written = as_written(data)
    words, may_have = written.vocabulary, written.may_have if len(code) > _SHORT else None
    for pattern in patterns:
        if not may_match_among(pattern, code, words):
            continue
        for span in spans_of(pattern, code, may_have, usual):
            start = written.position(span.start)
            line = usual.line(span.start) if usual else start.line
            if line in covered:
                continue
            symbol = _in_one_line(written.slice(span))
            if rule.foreign and is_own(symbol, path):
                continue
            if rule.passing and is_passed_over(rule, code, span):
                continue
            if rule.unlisted and is_listed(rule.unlisted, code, span):
                continue
            # The next one of the line counts where the first is in a branch for others.
            if rule.once_per_line and of_line.setdefault(line, pattern) != pattern:
                continue
            if span.start not in found:
                shown = {"symbol": _in_one_line(usual.as_named(span))} if usual else {}
                end = written.position(span.end)
                found[span.start] = rule.finding(path, symbol, start, end, shown)
    return sorted(found.values(), key=lambda each: each.start)


def _in_one_line(text: str) -> str:
    return " ".join(text.split()).encode("latin-1").decode("utf-8", "replace")
