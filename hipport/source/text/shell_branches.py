"""Branches of shell scripts: which are for NVIDIA's GPUs, beside others for AMD's."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping

import msgspec

from hipport.lazy_regex import regex
from hipport.model import Span
from hipport.named_tuples import NamedTuple
from hipport.rulebook.branch_words import ShellBranches
from hipport.source.text.ported_names import ported_names

_HIDDEN = regex(r"(?<!\S)#[^\n]*|\"(?:[^\"\\]|\\.)*\"|'[^'\n]*'", re.DOTALL)
# Keywords are where a command begins; a line of a Dockerfile begins with an instruction.
_TOKEN = regex(
    r";;&?|(?:^|(?<=[;&|({)])|(?<=\bthen)|(?<=\belse)|(?<=\bdo)|(?<=\bRUN))(?:[ \t]|\\\r?\n)*"
    r"\b(?P<word>if|elif|else|fi|case|esac)\b(?![\w=./:-])",
    re.MULTILINE,
)
_THEN = regex(r"(?<![\w-])then(?![\w-])")
_SUBJECT = regex(r"[ \t]+(?P<subject>\S+)[ \t]+in\b")
_VARIABLE = r"[\"']?x?\$\{{0,2}[ ]*(?P<what>[\w.]+)(?:[:,^-][^}\s]*)?[ ]*\}{0,2}[\"']?"
_COMPARED = regex(
    rf"(?:\[\[?|test)\s+{_VARIABLE}\s*(?P<is>==?|!=)\s*[\"']?x?(?P<value>[\w.*-]+)[\"']?\s*"
    r"(?:\]\]?)?"
)
_SUBJECT_NAME = regex(_VARIABLE)
_GIVEN = regex(r"(?<![\w$.-])(?P<what>[A-Za-z_]\w*)=[\"']?(?P<value>[\w.*-]+)")
# What a matrix of CI has for each of its names.
_LISTED = regex(
    r"(?<![\w.-])(?P<what>[A-Za-z_][\w-]*):"
    r"(?P<values>[ \t]+[^\n#]+|[ \t]*\n(?:[ \t]*+-[ \t][^\n:]*+\n)++)"
)
_VALUE = regex(r"[\w.+-]+")
_NEGATED = regex(r"(?<!\S)(?:!|-z)(?!\S)")
_ANY = ("*",)
_FUNCTION = regex(
    r"^(?:function[ \t]+)?(?P<name>\w+)[ \t]*(?:\(\))?[ \t]*\{[ \t]*\n.*?^\}",
    re.MULTILINE | re.DOTALL,
)


class _Branch(NamedTuple):
    """What a branch asks, or the patterns of an arm of `case`, and where both and it are."""

    asked: str
    start: int
    span: Span


class _Opened(msgspec.Struct):
    word: str
    asked: str
    asked_at: int
    start: int
    branches: list[_Branch] = []
    subject: str = ""

    def close(self, at: int, asked: str, asked_at: int, start: int) -> None:
        """End a branch at an offset; what the next one asks, and where that and it begin."""
        self.branches.append(_Branch(self.asked, self.asked_at, Span(self.start, at)))
        self.asked, self.asked_at, self.start = asked, asked_at, start


def dead_spans(text: str, words: ShellBranches, parts: Mapping[str, tuple[str, ...]]) -> list[Span]:
    """The branches of `if` and `case`, and the functions, that no AMD GPU gets to.

    There are none where nothing asks for AMD; `parts` are those of names for NVIDIA.
    """
    opened = list(_conditionals(text))
    things = {
        match["what"] for match in _GIVEN.finditer(text) if re.fullmatch(words.amd, match["value"])
    }
    things |= listed_with_amd(text, words.amd)
    for each in opened:
        things |= set(_compared_with_amd(each, words))
    dead = (span for each in opened for span in _dead(each, things, words))
    return sorted([*dead, *_functions(text, parts)])


def _functions(text: str, parts: Mapping[str, tuple[str, ...]]) -> Iterator[Span]:
    """The functions for NVIDIA's GPUs that have another for AMD's: `setup_cuda` by `setup_rocm`."""
    functions = {each["name"]: each for each in _FUNCTION.finditer(text)}
    for name, each in functions.items():
        if any(port in functions for port in ported_names(name, parts)):
            yield Span(*each.span())


def listed_with_amd(text: str, amd: str) -> set[str]:
    """The names of matrices, as they are read, that a text gives a value for AMD somewhere."""
    return {
        f"matrix.{each['what']}"
        for each in _LISTED.finditer(text)
        if any(re.fullmatch(amd, value) for value in _VALUE.findall(each["values"]))
    }


def _conditionals(text: str) -> Iterator[_Opened]:
    """Each conditional that is closed; what is quoted, or a comment, has no keywords."""
    code = _HIDDEN.sub(lambda match: re.sub(r"[^\n]", " ", match[0]), text)
    opened: list[_Opened] = []
    for token in _TOKEN.finditer(code):
        word, end = token["word"], token.end()
        if word in ("if", "elif"):
            then = _THEN.search(code, end)
            start = then.end() if then else len(code)
            asked = text[end : then.start()].strip(" \t\r\n;\\") if then else ""
            if word == "elif" and opened and opened[-1].word == "if":
                opened[-1].close(token.start(), asked, end, start)
            elif word == "if":
                opened.append(_Opened("if", asked, end, start))
        elif word == "case":
            subject = _SUBJECT.match(text, end)
            start = subject.end() if subject else end
            what = subject["subject"] if subject else ""
            opened.append(_Opened("case", "", start, start, subject=what))
        elif opened and word == "else" and opened[-1].word == "if":
            opened[-1].close(token.start(), "", end, end)
        elif opened and opened[-1].word == {"fi": "if", "esac": "case", None: "case"}.get(word):
            opened[-1].close(token.start(), opened[-1].asked, opened[-1].asked_at, end)
            if word:
                yield _with_patterns(opened.pop(), text)


def _with_patterns(opened: _Opened, text: str) -> _Opened:
    """The same; an arm of `case` asks for what is before its parenthesis."""
    if opened.word == "case":
        opened.branches = [
            each._replace(asked=text[slice(*each.span)].partition(")")[0].strip(" \t\r\n\\("))
            for each in opened.branches
        ]
    return opened


def _patterns(arm: _Branch) -> tuple[str, ...]:
    return tuple(each.strip(" \t\"'") for each in arm.asked.split("|"))


def _compared_with_amd(opened: _Opened, words: ShellBranches) -> Iterator[str]:
    """The variables that a conditional compares with a value for AMD."""
    for each in opened.branches:
        match = _COMPARED.fullmatch(each.asked) if opened.word == "if" else None
        if match and re.fullmatch(words.amd, match["value"]):
            yield match["what"]
        subject = _SUBJECT_NAME.fullmatch(opened.subject)
        if subject and any(re.fullmatch(words.amd, value) for value in _patterns(each)):
            yield subject["what"]


def _dead(opened: _Opened, things: set[str], words: ShellBranches) -> Iterator[Span]:
    if opened.word == "case":
        yield from _dead_arms(opened, words)
        return
    asks_amd = any(re.search(words.amd_tools, each.asked) for each in opened.branches)
    decided = False
    for asked, start, span in opened.branches:
        holds = _holds(asked, things, words, asks_amd=asks_amd)
        if decided or holds is False:
            yield Span(start, span.end)
        decided = decided or holds is True


def _dead_arms(opened: _Opened, words: ShellBranches) -> Iterator[Span]:
    """The arms for NVIDIA's GPUs, and for any other value, beside one for AMD's."""
    arms = [(_patterns(each), each.span) for each in opened.branches]
    amd = [
        patterns for patterns, _ in arms if all(re.fullmatch(words.amd, one) for one in patterns)
    ]
    for patterns, span in arms if amd else ():
        if patterns == _ANY or all(re.fullmatch(words.nvidia, each) for each in patterns):
            yield span


def _holds(asked: str, things: set[str], words: ShellBranches, *, asks_amd: bool) -> bool | None:
    """Whether a condition, or all that `&&` joins, is true on AMD's GPUs; None if that depends."""
    parts = [asked] if "||" in asked else re.split(r"\s+&&\s+", asked)
    holds = [_holds_alone(each.strip(), things, words, asks_amd=asks_amd) for each in parts]
    if False in holds:
        return False
    return None if None in holds else True


def _holds_alone(
    asked: str, things: set[str], words: ShellBranches, *, asks_amd: bool
) -> bool | None:
    match = _COMPARED.fullmatch(asked)
    if match:
        is_same = match["is"] != "!="
        if re.fullmatch(words.amd, match["value"]):
            return is_same
        is_other = match["what"] in things and re.fullmatch(words.nvidia, match["value"])
        return not is_same if is_other else None
    if not asks_amd or _NEGATED.search(asked):
        return None
    finds_amd, finds_nvidia = (
        re.search(tools, asked) is not None for tools in (words.amd_tools, words.nvidia_tools)
    )
    return finds_amd if finds_amd is not finds_nvidia else None
