"""What a makefile passes to the compiler, according to its text: folders, macros, the standard.

Nothing of it is run: a flag that depends on the output of a shell command is left out.
"""

from __future__ import annotations

import re
from collections.abc import Iterable
from pathlib import Path

from hipport.errors import HipportError
from hipport.files import read
from hipport.lazy_regex import regex
from hipport.model import Span
from hipport.source.buildfiles.build_kinds import LARGEST
from hipport.source.buildfiles.makefile_words import Line, lines_of, reference_end, words_of
from hipport.verification.build_flags import EVERY, LeftOut, Words, plain
from hipport.verification.cmake_conditions import assumed
from hipport.verification.compiler_facts import knowledge

NAMES = ("GNUmakefile", "makefile", "Makefile")
_LONGEST = 100_000
_DEEPEST = 30
_MOST_FILES = 50
_MOST_REFERENCES = 100_000
_CONDITION = regex(r"\s*(?P<kind>ifdef|ifndef|ifeq|ifneq|else|endif)\b[ \t]*(?P<rest>[^\n]*)")
_SIDES = regex(r"""\((?P<a>.*),\s*(?P<b>.*)\)|(["'])(?P<c>.*)\3\s+(["'])(?P<d>.*)\5""")
_INCLUDE = regex(r"\s*[-s]?include[ \t]+(?P<files>[^\n]*)")
_CALL = regex(r"(?P<name>[a-z]+)[ \t]+(?P<rest>.*)", re.DOTALL)
_UNSET = regex(r"\$\((\w+)\)", re.ASCII)
_FUNCTIONS = frozenset(
    "patsubst addprefix lastword firstword dir abspath realpath strip sort".split()
)
_SUBSTITUTION = regex(r"(?P<name>[^\s:]+):(?P<old>[^=]*)=(?P<new>.*)", re.DOTALL)


class Makefile:
    """One makefile, with those of the tree that it includes."""

    def __init__(self, path: Path, files: Iterable[Path]) -> None:
        self.path, self.files = path, frozenset(files)
        self.left: dict[LeftOut, None] = {}
        self.words: list[Words] = []
        self._variables: dict[str, str] = {}
        self._recipes: list[tuple[Path, int, str]] = []
        self._assigned: dict[str, tuple[Path, int]] = {}
        self._read_files = 0
        self._budget = _MOST_REFERENCES
        self._read(path)
        self._collect()

    def _read(self, path: Path) -> None:
        self._read_files += 1
        try:
            text = read(path, LARGEST).decode("latin-1")
        except HipportError:
            return
        conditions: list[bool | None] = []
        number, at = 1, 0
        for line in lines_of(text):
            number += text.count("\n", at, line.span.start)
            at = line.span.start
            body = text[line.span.start : line.span.end]
            if len(body) > _LONGEST or line.kind == "comment":
                continue
            if line.kind != "recipe" and (match := _CONDITION.match(body)):
                self._condition(match, conditions)
            elif False in conditions:
                continue
            elif line.kind == "assignment":
                self._assign(text, line, path, number, None not in conditions)
            elif line.kind == "recipe":
                self._recipes.append((path, number, text[line.body.start : line.body.end]))
            elif (match := _INCLUDE.match(body)) and self._read_files < _MOST_FILES:
                for name in self._expanded(match["files"]).split():
                    found = plain(self.path.parent / name)
                    if found in self.files and found != path:
                        self._read(found)

    def _condition(self, match: re.Match[str], conditions: list[bool | None]) -> None:
        kind, rest = match["kind"], match["rest"].partition("#")[0].strip()
        if kind == "endif":
            del conditions[-1:]
        elif kind == "else":
            before = conditions.pop() if conditions else None
            value = None if before is None else not before
            nested = _CONDITION.match(rest)
            if nested and nested["kind"].startswith("if") and value is not False:
                self._condition(nested, conditions)
                # In a chain, nothing after the branch that holds is used.
                conditions[-1] = conditions[-1] if value else None
            else:
                conditions.append(value)
        else:
            conditions.append(self._holds(kind, rest))

    def _holds(self, kind: str, rest: str) -> bool | None:
        if kind in ("ifdef", "ifndef"):
            value = bool(self._variables[rest]) if rest in self._variables else assumed(rest)
            return None if value is None else value == (kind == "ifdef")
        match = _SIDES.fullmatch(rest)
        if match is None:
            return None
        one, two = (match["a"], match["b"]) if match["a"] is not None else (match["c"], match["d"])
        one, two = (_UNSET.sub(_default, self._expanded(each)).strip() for each in (one, two))
        if "$" in one + two:
            return None
        return (one == two) == (kind == "ifeq")

    def _assign(self, text: str, line: Line, path: Path, number: int, is_sure: bool) -> None:
        head = text[line.span.start : line.body.start].rstrip()
        operator = head[-2:] if head[-2:] in ("+=", "?=", ":=", "!=") else "="
        name, value = line.name, text[line.body.start : line.body.end].strip()
        value = value.replace("\\\r\n", " ").replace("\\\n", " ")
        is_of_target = ":" in head[: head.find(name)]
        if is_of_target or operator == "!=" or not is_sure:
            # These apply to some goals or settings only.
            self._leave_out(path, number, value)
            return
        old = self._variables.get(name, "")
        if operator == "?=" and name in self._variables:
            return
        if operator == "+=":
            value = f"{old} {value}"
        elif f"$({name})" in value or f"${{{name}}}" in value:
            value = value.replace(f"$({name})", old).replace(f"${{{name}}}", old)
        if len(value) < _LONGEST:
            self._variables[name] = value
            self._assigned[name] = path, number

    def _leave_out(self, path: Path, number: int, value: str) -> None:
        flags = tuple(knowledge()["flags"])
        for word in _plain_words(value):
            if word.startswith(flags):
                self.left[LeftOut(path, number, word)] = None

    def _collect(self) -> None:
        """The words of the variables that hold flags, and of the commands that compile."""
        table = knowledge()["make"]
        flags, compiler = (re.compile(table[key], re.ASCII) for key in ("flags", "compiler"))
        for name, value in self._variables.items():
            if flags.fullmatch(name):
                path, number = self._assigned[name]
                self._add(self._expanded(value), _languages(name), path, number)
        for path, number, text in self._recipes:
            words = self._expanded(text).split()
            if any(compiler.fullmatch(each) for each in words[:4]):
                self._add(" ".join(words), EVERY, path, number)

    def _add(self, text: str, languages: frozenset[str], path: Path, number: int) -> None:
        flags = tuple(knowledge()["flags"])
        known = []
        for word in _plain_words(text):
            if "$" not in word:
                known.append(word)
            elif word.startswith(flags):
                self.left[LeftOut(path, number, word)] = None
        self.words.append(Words(tuple(known), self.path.parent, languages))

    def _expanded(self, text: str, depth: int = 0) -> str:
        """The text with each reference replaced whose value is known."""
        if depth > _DEEPEST or "$" not in text:
            return text
        made, at, size = [], 0, 0
        while (found := text.find("$", at)) >= 0 and found + 1 < len(text):
            made.append(text[at:found])
            if text[found + 1] not in "({":
                made.append(text[found : found + 2])
                at = found + 2
                continue
            at = reference_end(text, found, len(text))
            self._budget -= 1
            made.append(self._value(text[found + 2 : at - 1], depth + 1))
            size += len(made[-1])
            if size > _LONGEST or self._budget < 0:
                break
        return "".join(made) + text[at:]

    def _value(self, inside: str, depth: int) -> str:
        """The value of a reference, without its parentheses; the reference if it is not known."""
        call = _CALL.fullmatch(inside)
        if call and call["name"] in _FUNCTIONS:
            rest = self._expanded(call["rest"], depth)
            return f"$({call['name']} {rest})" if "$" in rest else self._called(call["name"], rest)
        if call:
            return f"$({inside})"
        if inside == "CURDIR":
            return str(self.path.parent)
        if inside == "MAKEFILE_LIST":
            return str(self.path)
        match = _SUBSTITUTION.fullmatch(inside)
        name = match["name"] if match else inside
        if name not in self._variables:
            return f"$({inside})"
        value = self._expanded(self._variables[name], depth)
        if match is None:
            return value
        old, new = match["old"], self._expanded(match["new"], depth)
        pair = (old, new) if "%" in old else (f"%{old}", f"%{new}")
        return _substituted(*pair, value)

    def _called(self, name: str, rest: str) -> str:
        parts = rest.split(",", 2)
        if name == "patsubst":
            return _substituted(*parts) if len(parts) == 3 else ""
        if name == "addprefix":
            return " ".join(parts[0].strip() + each for each in ",".join(parts[1:]).split())
        words = rest.split()
        if name in ("lastword", "firstword"):
            return words[-1 if name == "lastword" else 0] if words else ""
        if name == "dir":
            words = [each.rpartition("/")[0] + "/" if "/" in each else "./" for each in words]
        elif name in ("abspath", "realpath"):
            words = [str(plain(self.path.parent / each)) for each in words]
        return " ".join(words)


def _substituted(old: str, new: str, text: str) -> str:
    """The result of make's patsubst for each word."""
    before, wild, after = old.strip().partition("%")
    made = []
    for word in text.split():
        stem = word[len(before) : len(word) - len(after)] if wild else ""
        fits = word == before + stem + after if wild else word == before
        made.append(new.strip().replace("%", stem, 1) if fits else word)
    return " ".join(made)


def _default(match: re.Match[str]) -> str:
    """A variable that the file does not set, in a condition: most are for the user to set."""
    value = assumed(match[1])
    return match[0] if value is None else "1" if value else ""


def _languages(variable: str) -> frozenset[str]:
    """The languages of the sources that the flags in a variable are for, by its name."""
    for pattern, languages in knowledge()["make"]["languages"].items():
        if re.fullmatch(pattern, variable, re.ASCII):
            return frozenset(languages)
    return EVERY


def _plain_words(text: str) -> list[str]:
    """The words without their quotes; those of all commands."""
    return [word.text for run in words_of(text, Span(0, len(text))) for word in run]
