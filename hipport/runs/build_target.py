"""Converts the sources of one build target, and the headers that they include, into a folder.

In the folder, `src` mirrors the places of the files, so that they find each other there; `include`
has a header of one line for each that is found in the compiler's include folders. The folder
belongs to the build: files are rewritten only where their text changes, and removed when the target
no longer has them.
"""

from __future__ import annotations

import hashlib
import os
from collections.abc import Mapping
from contextlib import suppress
from pathlib import Path

import msgspec

from hipport.errors import HipportError, printable
from hipport.files import read, write
from hipport.model import FileReport, Finding, Report, Severity
from hipport.named_tuples import NamedTuple
from hipport.rulebook.edition import rules_folder
from hipport.rulebook.load import load
from hipport.runs.conversion_options import settings_of
from hipport.runs.convert_request import ConvertRequest
from hipport.runs.settings import Settings
from hipport.source.names.counterparts import Decisions
from hipport.source.text.include_graph import included_names
from hipport.source.text.line_directives import with_line_directives
from hipport.source.text.tree_texts import TreeTexts
from hipport.source.tree.completed_tasks import completed
from hipport.source.tree.file_task import LARGEST_SOURCE, Outcome, Task, language_of
from hipport.source.tree.run_tasks import convert_bytes
from hipport.source.tree.tree_report import report_of
from hipport.source.tree.vendored import copy_findings
from hipport.spool import Spool

_LIST = "hipport-files.txt"
_C_LIKE = ("cuda", "cpp", "c")


class TargetSources(msgspec.Struct, frozen=True):
    """The sources of a target, and where they are converted to. All paths are absolute."""

    sources: tuple[Path, ...]
    output: Path
    """The folder for the result."""
    base: Path
    """The folder whose place `output/src` takes."""
    roots: tuple[Path, ...]
    """The folders whose headers are converted along, if the sources include them."""
    includes: tuple[Path, ...] = ()
    """The folders in which the compiler looks for headers, in its order."""
    apart: tuple[Path, ...] = ()
    """Folders in the roots whose files are left alone."""

    @property
    def include(self) -> Path:
        """The folder in which the compiler is to look for headers first."""
        return self.output / "include"

    def place(self, source: Path) -> Path:
        """Where the result of a file goes."""
        return self.output / "src" / source.relative_to(self.base)


class TargetConversion(msgspec.Struct, frozen=True):
    """What became of the sources of a target."""

    report: Report
    outputs: dict[Path, Path]
    """Each file that was read -> its result."""
    inputs: tuple[Path, ...]
    """All files that the result depends on: sources, headers, configuration, rules."""


def convert_target(target: TargetSources, request: ConvertRequest) -> TargetConversion:
    """Convert the sources of a target with the options of a request.

    Raises HipportError for a file that cannot be read, converted or written.
    """
    settings = settings_of(request)
    found = _reached(target)
    tasks = completed(Spool(_task(each, target, settings) for each in found.files), converts=True)
    outcomes: list[Outcome] = []
    made: dict[Path, bytes] = {}
    for options, group in settings.grouped(tasks).items():
        decisions = Decisions(load(extend=options.extend_rules), options)
        for task in group:
            assert task.output
            outcome, made[task.output] = _converted(task, decisions)
            outcomes.append(outcome)
            for header in outcome.helpers:
                helper = decisions.rules.helper(header)
                made[target.output / "src" / header] = helper.read_bytes()
    for name, file in found.by_name.items():
        made[_header(name, target)] = b'#include "%s"\n' % os.fsencode(target.place(file))
    for source in map(_normal, target.sources):
        headers = (made[target.place(each)] for each in found.headers(source))
        made[target.place(source)] += _mark(b"".join(headers))
    _write(target.output, made)
    report = report_of(outcomes)
    by_name = {printable(str(each)): each for each in found.files}
    report.findings = settings.judged(report.findings, by_name.get)
    inputs = (*found.files, *settings.files(found.files), rules_folder() / "edition.toml")
    return TargetConversion(report, {each: target.place(each) for each in found.files}, inputs)


def _mark(headers: bytes) -> bytes:
    """A comment for the end of a source that changes with its headers.

    A build has to compile a source again whose headers changed. But ninja, before it converts
    them, takes them for what they were.
    """
    return b"\n/* headers: %s */\n" % hashlib.sha256(headers).hexdigest()[:16].encode()


def _header(name: str, target: TargetSources) -> Path:
    """The header of one line for an included name."""
    path = _normal(target.include / name)
    if not path.is_relative_to(target.include):
        raise HipportError(
            f"#include of {name}: leads out of an include folder",
            remedy="name the folder that the header is in as an include folder",
        )
    return path


def warning(finding: Finding) -> str:
    """A finding in the form that compilers use, which editors and IDEs read."""
    kind = "note" if finding.severity == Severity.INFO else "warning"
    place = f"{finding.path}:{finding.start.line}:{finding.start.column}"
    return f"{place}: {kind}: {finding.message} [{finding.code}]"


def write_changed(path: Path, data: bytes) -> None:
    """Write a file, unless it has these bytes already: what is built from it need not be again."""
    with suppress(OSError):
        if path.read_bytes() == data:
            return
    write(path, data)


def _converted(task: Task, decisions: Decisions) -> tuple[Outcome, bytes]:
    """What became of a file, and its converted text with the lines of the original."""
    data = read(task.source, LARGEST_SOURCE)
    outcome = Outcome(FileReport(task.name, task.language, "unchanged"))
    if not task.language:
        outcome.findings = copy_findings(task, decisions.rules)
        return outcome, data
    new = convert_bytes(data, task, decisions, outcome)
    if new == data:
        outcome.explained = []
    outcome.file.status = "converted" if new != data else "unchanged"
    return outcome, with_line_directives(new, outcome.explained, str(task.source))


def _task(source: Path, target: TargetSources, settings: Settings) -> Task:
    language = language_of(source.name)
    is_left_alone = language not in _C_LIKE or settings.is_excluded(source)
    output = target.place(source)
    return Task(
        root_path=target.base.as_posix(),
        source_path=source.as_posix(),
        name=printable(str(source)),
        language="" if is_left_alone else language,
        output_path=output.as_posix(),
        output_name=printable(str(output)),
        below=source.relative_to(target.base).as_posix(),
        is_left_alone=is_left_alone,
        explains=True,
    )


class _Reached(NamedTuple):
    """The files of a target, and what the names are that the include folders resolve."""

    files: dict[Path, set[Path]]
    """Each file -> those of the target that it includes."""
    by_name: dict[str, Path]

    def headers(self, source: Path) -> list[Path]:
        """The headers that a source includes, through others too."""
        seen, pending = {source}, [source]
        while pending:
            new = self.files[pending.pop()] - seen
            seen |= new
            pending += new
        return sorted(seen - {source})


def _reached(target: TargetSources) -> _Reached:
    """The sources, and the headers below the roots that they include, through others too."""
    pending = [_normal(each) for each in reversed(target.sources)]
    for each in pending:
        if not each.is_file():
            raise HipportError(f"{each}: no such source", remedy="check the sources of the target")
        if not each.is_relative_to(target.base):
            raise HipportError(f"{each}: outside {target.base}", remedy="leave it unconverted")
    found, texts = _Reached({}, {}), TreeTexts(load())
    while pending:
        path = pending.pop()
        if path in found.files:
            continue
        found.files[path] = set()
        for name in included_names(texts.read(str(path))):
            beside = _normal(path.parent / name)
            if beside.is_file() and _is_ours(beside, target):
                found.files[path].add(beside)
            elsewhere = _in_folders(name, target)
            if elsewhere and _is_ours(elsewhere, target):
                # The same header, found beside the file: its name may lead anywhere.
                if elsewhere != beside or not name.startswith("."):
                    found.by_name[name] = elsewhere
                found.files[path].add(elsewhere)
        pending += found.files[path]
    return found


def _in_folders(name: str, target: TargetSources) -> Path | None:
    paths = (_normal(folder / name) for folder in target.includes if folder != target.include)
    return next((path for path in paths if path.is_file()), None)


def _is_ours(path: Path, target: TargetSources) -> bool:
    inside = path.is_relative_to(target.base)
    inside = inside and any(path.is_relative_to(each) for each in target.roots)
    return inside and not any(path.is_relative_to(each) for each in (target.output, *target.apart))


def _normal(path: Path) -> Path:
    return Path(os.path.normpath(path.absolute()))


def _write(output: Path, made: Mapping[Path, bytes]) -> None:
    """Write what changed, remove what the last run made and this one did not, and note it all."""
    record = output / _LIST
    names = {each.relative_to(output).as_posix() for each in made}
    known = record.read_text("utf-8", "surrogateescape").splitlines() if record.is_file() else []
    for name in set(known) - names:
        stale = _normal(output / name)
        if stale.is_relative_to(output):
            with suppress(OSError):
                stale.unlink()
    for path, data in made.items():
        write_changed(path, data)
    text = "".join(f"{name}\n" for name in sorted(names))
    write_changed(record, text.encode("utf-8", "surrogateescape"))
