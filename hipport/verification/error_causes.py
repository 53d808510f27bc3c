"""Matches each compiler error with what explains it."""

from __future__ import annotations

import enum
import re
from collections.abc import Iterable, Mapping, Sequence
from functools import cache
from pathlib import PurePosixPath

from hipport.lazy_regex import regex
from hipport.model import Finding
from hipport.named_tuples import NamedTuple
from hipport.rulebook.load import load
from hipport.rulebook.model import Version, parse_version
from hipport.verification.header_compatibility import Fit
from hipport.verification.known_files import UserFile, UserFiles, statement
from hipport.verification.model import CompilerError, Parsed, Place, Skipped

_NOT_FOUND = regex(r"'([^']+)' file not found")
_UNDECLARED = regex(r"undeclared identifier|unknown type name|no type named|no template named")
_QUOTED = regex(r"'([^']+)'")
_INSTANTIATED = regex(r"in instantiation of function template specialization '(?:\w+::)*(\w+)<")
_WORD = regex(r"[A-Za-z_]\w*", re.ASCII)
# A name between what may end a type and what may end a declarator.
_DECLARED = regex(r"(?:[\w>]\s+|[*&]\s*)(?<!return )([A-Za-z_]\w*)\s*(?=[=;,(\[{)]|$)", re.ASCII)
_INCLUDED = "in file included from"
# Notes on the line of the project that led to an error elsewhere.
_ASKED = (
    "expanded from",
    "in instantiation of",
    "requested here",
    "called by",
    "while ",
    "in evaluation of",
)


class Kind(enum.Enum):
    """The cause of an error."""

    FOUND = "found"
    """A finding on the error's line, or in its statement."""
    FOLLOWS = "follows"
    """Another error, which something explains."""
    LEFT_OUT = "left out"
    """The name is declared in code that the preprocessor leaves out, and its condition is named."""
    OLD_HEADERS = "old headers"
    """HIP got the name in a release that is newer than the headers."""
    NO_VALUE = "no value"
    """The build defines the name, with a value that is not known here."""
    NO_LIBRARY = "no library"
    """A header of ROCm is not on this machine."""
    NO_HEADER = "no header"
    """Another header is not found."""
    UNSURE = "unsure"
    """Nothing explains it, but it may follow from a header that is not found."""
    HEADERS = "headers"
    """It is in headers outside the project, and no line of the project is named."""
    COMMAND = "command"
    """The arguments are wrong."""
    SILENT = "silent"
    """Nothing explains it: neither convert nor audit reported anything."""


class Verdict(NamedTuple):
    """An error with its place in the project, and what explains it."""

    error: CompilerError
    place: Place
    kind: Kind
    finding: Finding | None = None
    cause: str = ""
    """The name, header, or place that causes it."""


def explain(passes: Sequence[Parsed], files: UserFiles, fit: Fit) -> list[Verdict]:
    """The verdict on each error of one unit's passes, each error once."""
    errors: dict[tuple[Place, str], CompilerError] = {}
    for each in passes:
        for error in each.errors:
            errors.setdefault((error.place, error.message), error)
    skipped = sorted({each for parsed in passes for each in parsed.skipped})
    verdicts = [_first_look(error, files, fit) for error in errors.values()]
    left = _left_out(files, skipped) if any(v.kind is Kind.SILENT for v in verdicts) else {}
    verdicts = [_where_left_out(each, left) for each in verdicts]
    unknown = frozenset(name for each in passes for name in each.unit.unknown)
    verdicts = [_without_value(each, unknown) for each in verdicts]
    verdicts = _after_refusal(_followed(verdicts, files))
    lacking = [found[1] for each in verdicts if (found := _NOT_FOUND.search(each.error.message))]
    if lacking:
        verdicts = [
            each._replace(kind=Kind.UNSURE, finding=None, cause=lacking[0])
            if each.kind in (Kind.SILENT, Kind.HEADERS) or _is_near_only(each)
            else each
            for each in verdicts
        ]
    return verdicts


def _after_refusal(verdicts: list[Verdict]) -> list[Verdict]:
    """Nothing is known about code after an #error in a header outside the project.

    clang gives the text of an #error as it is written there, so in quotes.
    """
    refusals = (v.error.message for v in verdicts if v.kind is Kind.HEADERS)
    refusal = next((message for message in refusals if message.startswith('"')), "")
    if not refusal:
        return verdicts
    return [
        each._replace(kind=Kind.HEADERS, cause=refusal) if each.kind is Kind.SILENT else each
        for each in verdicts
    ]


def _is_near_only(verdict: Verdict) -> bool:
    """Whether nothing but its place joins an error with a finding: where a header is missing, it
    may as well follow from that."""
    if verdict.kind is not Kind.FOUND or verdict.finding is None:
        return False
    return set(_WORD.findall(verdict.error.message)).isdisjoint(
        _WORD.findall(verdict.finding.symbol)
    )


def _first_look(error: CompilerError, files: UserFiles, fit: Fit) -> Verdict:
    """The verdict on one error."""
    if not error.place.path:
        return Verdict(error, error.place, Kind.COMMAND)
    places = [place for place in _places(error) if files.of(place.path)]
    missing = _NOT_FOUND.search(error.message)
    if missing and is_of_rocm(missing[1]):
        return Verdict(error, (places or [error.place])[0], Kind.NO_LIBRARY, cause=missing[1])
    place = places[0] if places else error.place
    if newer := _newer(error.message, fit.version):
        return Verdict(error, place, Kind.OLD_HEADERS, cause=newer)
    for each in places:
        finding = _finding_at(files, each, error.message)
        if finding:
            return Verdict(error, places[0], Kind.FOUND, finding)
    finding = _about_candidates(files, error)
    if finding:
        return Verdict(error, (places or [error.place])[0], Kind.FOUND, finding)
    if missing:
        return Verdict(error, place, Kind.NO_HEADER, cause=missing[1])
    if not places or fit.is_misfit(error.place.path):
        return Verdict(error, error.place, Kind.HEADERS)
    if finding := _about_left_name(files, place):
        return Verdict(error, place, Kind.FOUND, finding)
    return Verdict(error, place, Kind.SILENT)


def _newer(message: str, version: Version) -> str:
    """A HIP name in a message that came after the release of the headers; "" for none."""
    return next((name for name in _names(message) if _added().get(name, ()) > version), "")


def _places(error: CompilerError) -> Iterable[Place]:
    """The place of the error, then the places of the code that led to it."""
    yield error.place
    for note in error.notes:
        if any(words in note.text for words in _ASKED) and not note.text.startswith(_INCLUDED):
            yield note.place


def _finding_at(files: UserFiles, place: Place, message: str) -> Finding | None:
    """The finding on the line, or in the statement, that fits the message best."""
    file = files.of(place.path)
    assert file is not None
    line = file.original_line(place.line)
    lines = file.original_statement(place.line)
    found = [each for each in file.findings if not lines.isdisjoint(_lines(each))]
    names = set(_WORD.findall(message))

    def rank(finding: Finding) -> tuple[bool, bool, int]:
        fits = not names.isdisjoint(_WORD.findall(finding.symbol))
        return fits, line in _lines(finding), int(finding.severity)

    return max(found, key=rank, default=None)


def _about_candidates(files: UserFiles, error: CompilerError) -> Finding | None:
    """The finding on a function that the compiler considered, if it is about what the error names.

    An operator's symbol is `operator+=`, and the error names `+=`.
    """
    quoted = set(_QUOTED.findall(error.message))
    for note in error.notes:
        file = files.of(note.place.path) if note.text.startswith("candidate") else None
        if file:
            line = file.original_line(note.place.line)
            for each in file.findings:
                if line in _lines(each) and each.symbol.removeprefix("operator") in quoted:
                    return each
    return None


def _about_left_name(files: UserFiles, place: Place) -> Finding | None:
    """The finding on a name of CUDA's that the statement has: some are reported once a file."""
    file = files.of(place.path)
    if file is None:
        return None
    lines = statement(file.lines, place.line)
    text = "\n".join(file.lines[lines.start - 1 : lines.stop - 1])
    names = {
        word for word in _WORD.findall(text) if (rule := load().api(word)) and rule.hip != word
    }
    return next((each for each in file.findings if each.symbol in names), None)


def _lines(finding: Finding) -> range:
    last = max(finding.start.line, finding.end.line)
    # A finding that ends before the first column of a line is not in it.
    if last > finding.start.line and finding.end.column <= 1:
        last -= 1
    return range(finding.start.line, last + 1)


def _left_out(files: UserFiles, skipped: Iterable[Skipped]) -> dict[str, Finding]:
    """The words under conditions that findings are about, with the finding."""
    found: dict[str, Finding] = {}
    for path, first, last in skipped:
        file = files.of(path)
        finding = _at_lines(file, file.conditions(first)) if file else None
        if file and finding:
            for line in file.lines[first - 1 : last]:
                for word in _WORD.findall(line):
                    found.setdefault(word, finding)
    return found


def _where_left_out(verdict: Verdict, left: Mapping[str, Finding]) -> Verdict:
    """Whether what is unknown is declared there, or the template that does not fit a type is."""
    if verdict.kind is Kind.SILENT:
        first = verdict.error.notes[0].text if verdict.error.notes else ""
        for name in [*_names(verdict.error.message), *_INSTANTIATED.findall(first)]:
            if name in left:
                return verdict._replace(kind=Kind.LEFT_OUT, finding=left[name], cause=name)
    return verdict


def _without_value(verdict: Verdict, unknown: frozenset[str]) -> Verdict:
    """Whether what is unknown is a macro that the build defines."""
    if verdict.kind is Kind.SILENT and _UNDECLARED.search(verdict.error.message):
        for name in _names(verdict.error.message)[:1]:
            if name in unknown:
                return verdict._replace(kind=Kind.NO_VALUE, cause=name)
    return verdict


def _at_lines(file: UserFile, lines: set[int]) -> Finding | None:
    return next((each for each in file.findings if not lines.isdisjoint(_lines(each))), None)


def _followed(verdicts: list[Verdict], files: UserFiles) -> list[Verdict]:
    """The verdicts; those that follow from an explained error are marked.

    An error follows from another in its statement, or in the statement that declares what its line
    names. What a rejected statement declares is unknown below it, so its text is searched too.
    """
    known: dict[tuple[str, int], Verdict] = {}
    declared: dict[tuple[str, str], Verdict] = {}

    def learn(verdict: Verdict) -> None:
        file = files.of(verdict.place.path)
        if file is None:
            return
        for line in statement(file.lines, verdict.place.line):
            known.setdefault((verdict.place.path, line), verdict)
            if 0 < line <= len(file.lines):
                for word in _DECLARED.findall(file.lines[line - 1]):
                    declared.setdefault((verdict.place.path, word), verdict)

    for each in verdicts:
        if each.kind not in (Kind.SILENT, Kind.HEADERS, Kind.COMMAND):
            learn(each)
    for index, each in enumerate(verdicts):
        if each.kind is not Kind.SILENT:
            continue
        places = [each.place, *each.error.related]
        causes = [known.get((place.path, place.line)) for place in places]
        if _UNDECLARED.search(each.error.message):
            names = _names(each.error.message)
            causes += [declared.get((each.place.path, name)) for name in names[:1]]
        cause = next((found for found in causes if found and _is_before(found, each)), None)
        if cause:
            verdicts[index] = _after(cause, each)
            learn(verdicts[index])
    return verdicts


def _after(cause: Verdict, effect: Verdict) -> Verdict:
    """An error that another one caused; what only other headers can fix counts as theirs."""
    if cause.kind in (Kind.OLD_HEADERS, Kind.NO_LIBRARY, Kind.NO_HEADER, Kind.UNSURE):
        return effect._replace(kind=cause.kind, cause=cause.cause)
    return effect._replace(kind=Kind.FOLLOWS, finding=cause.finding, cause=cause.error.message)


def _is_before(cause: Verdict, effect: Verdict) -> bool:
    one, two = cause.place, effect.place
    return one.path != two.path or one.line <= two.line


def _names(message: str) -> list[str]:
    return [name for quoted in _QUOTED.findall(message) for name in _WORD.findall(quoted)]


@cache
def _added() -> dict[str, Version]:
    """HIP name -> the release that first had it, of names that some rule maps to."""
    return {
        rule.hip: parse_version(rule.hip_added)
        for rule in load().every_api()
        if rule.hip and rule.hip_added
    }


@cache
def _rocm_headers() -> frozenset[str]:
    rules = load().headers.values()
    return frozenset(name for rule in rules for name in (rule.hip, rule.roc) if name)


def is_of_rocm(header: str) -> bool:
    """Whether rules/headers.tsv lists a header as ROCm's, or lists one in the same folder."""
    headers = _rocm_headers()
    folder = PurePosixPath(header).parts[0]
    return header in headers or any(each.startswith(f"{folder}/") for each in headers)
