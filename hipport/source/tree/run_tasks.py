"""Converts many files, one by one or in several processes."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterable, Iterator
from contextlib import suppress

from hipport.errors import HipportError
from hipport.files import copy, link, read, rename, write
from hipport.model import FileReport, Finding
from hipport.rulebook.load import load
from hipport.source.convert.pipeline import Result, convert_source, with_kernels
from hipport.source.names.counterparts import Decisions
from hipport.source.options import Options
from hipport.source.text.source_text import Code
from hipport.source.tree.file_task import LARGEST_SOURCE, Outcome, Task
from hipport.source.tree.size_limit import TO_CONVERT, why_too_large
from hipport.source.tree.time_limit import OutOfTime, out_of_time, time_limit
from hipport.spool import Spool

_MOST_JOBS = 8


def most_jobs() -> int:
    """As many processes as there are processors, within reason."""
    return min(os.cpu_count() or 1, _MOST_JOBS)


def jobs_for(tasks: Iterable[Task], small: int) -> int:
    """One for at most `small` bytes in all: starting more processes costs more than it saves."""
    size = 0
    for task in tasks:
        with suppress(OSError):
            size += os.stat(task.source_path).st_size  # noqa: PTH116
        if size > small:
            return most_jobs()
    return 1


def run(tasks: Iterable[Task], options: Options, jobs: int) -> Iterator[Outcome]:
    """The outcomes in the order of the tasks, computed in `jobs` processes."""
    if jobs <= 1:
        decisions = Decisions(load(extend=options.extend_rules), options)
        yield from (handle(task, decisions) for task in tasks)
        return
    # Modules loaded before the fork need not be loaded in each process.
    import hipport.source.convert.launches
    import hipport.source.convert.renaming  # noqa: F401
    from hipport.processes import in_processes
    from hipport.source.buildfiles.build_conversion import read_tables
    from hipport.source.tree.manifest import settings_digest

    rules = load(extend=options.extend_rules)
    rules.read_all()
    read_tables(rules)
    settings_digest(options)
    yield from in_processes(_handle, tasks, jobs, _start, (options,), "converted")


_decisions: Decisions | None = None


def _start(options: Options) -> None:
    global _decisions
    _decisions = Decisions(load(extend=options.extend_rules), options)


def _handle(task: Task) -> Outcome:
    assert _decisions is not None
    return handle(task, _decisions)


def handle(task: Task, decisions: Decisions) -> Outcome:
    """Convert or copy one file; the outcome says what failed.

    A file that cannot be converted is copied unchanged: the copy of a tree is complete.
    """
    outcome = Outcome(FileReport(task.name, task.language, "failed"))
    try:
        if task.is_link:
            _copy_link(task, outcome)
        elif task.language:
            _convert(task, decisions, outcome)
        else:
            _copy(task, decisions, outcome)
    except HipportError as error:
        outcome.error = str(error)
    except OSError as error:
        outcome.error = f"{task.source}: {error.strerror} (check the path and the disk)"
    return outcome


def _convert(task: Task, decisions: Decisions, outcome: Outcome) -> None:
    try:
        data = read(task.source_path, LARGEST_SOURCE)
        if task.last and not task.explains and _is_known(data, task, decisions, outcome):
            return
        new = _made_already(data, task, decisions, outcome) if task.made else None
        if new is None:
            with time_limit(task.source_path):
                new = convert_bytes(data, task, decisions, outcome)
    except HipportError as error:
        if isinstance(error, OutOfTime):
            outcome.findings = [out_of_time(task.name, decisions.rules)]
        if task.output and not task.in_place and not task.last:
            with suppress(HipportError):
                copy(task.source, task.output)
                outcome.file.output = task.output_name
        raise
    if task.memory_path:
        from hipport.source.tree.hand_edits import place

        place(data, new, task, decisions.options, outcome)
        outcome.file.output = task.output_name
    elif task.output_path:
        _write(task, data, new)
        outcome.file.output = task.output_name
    outcome.file.status = "converted" if new != data else "unchanged"


def _is_known(data: bytes, task: Task, decisions: Decisions, outcome: Outcome) -> bool:
    from hipport.source.tree.hand_edits import is_known

    return is_known(data, task, decisions.options, outcome)


def _made_already(data: bytes, task: Task, decisions: Decisions, outcome: Outcome) -> bytes | None:
    from hipport.source.tree.parts import made_already

    return made_already(data, task, decisions.options, outcome)


def convert_bytes(data: bytes, task: Task, decisions: Decisions, outcome: Outcome) -> bytes:
    """The converted bytes; findings and explanations go into the outcome.

    Raises HipportError for files that are not text in a byte encoding, and if the converter fails.
    """
    if b"\0" in data:
        if task.is_build_file:
            return data
        raise HipportError(
            f"{task.source}: binary data, or UTF-16 text, in a source file",
            remedy="save it as UTF-8, or leave it out with --exclude",
        )
    if b"\r" in data and b"\n" not in data and decisions.of_interest(Code(data).words):
        raise HipportError(
            f"{task.source}: its lines end in CR alone",
            remedy="save it with LF or CRLF, or leave it out with --exclude",
        )
    if reason := why_too_large(data, task.language, decisions, TO_CONVERT):
        raise HipportError(f"{task.source}: {reason}", remedy="leave it out with --exclude")
    try:
        result = _result(data, task, decisions)
    except HipportError:
        raise
    except Exception as error:
        raise HipportError(
            f"{task.source}: internal error ({type(error).__name__}: {error}), not converted",
            remedy="please report this",
        ) from error
    outcome.findings = _findings(data, task, decisions, result)
    if decisions.options.torch and task.language in ("cuda", "cpp", "c"):
        from hipport.source.tree.torch_names import with_torch_names

        with_torch_names(result, outcome)
    outcome.counts = result.counts
    outcome.declared = result.declared
    outcome.helpers = result.helpers
    outcome.file.edits = result.edits
    if task.explains:
        from hipport.source.convert.edit_explanations import explain

        outcome.explained = explain(data, result.made, task.name, decisions.rules)
    if task.keeps_bytes:
        outcome.old, outcome.new = data, result.data
    return result.data


def _findings(data: bytes, task: Task, decisions: Decisions, result: Result) -> list[Finding]:
    """A result's findings with those about the file as part of its tree, but no hidden ones."""
    rules = decisions.rules
    found = list(result.findings)
    if task.undefined:
        from hipport.source.tree.undefined_macros import undefined_findings

        found += undefined_findings(data, task, rules)
    if task.cpp_headers:
        from hipport.source.tree.cpp_headers import cpp_header_findings

        found += cpp_header_findings(data, task, rules)
    if task.untold:
        from hipport.source.tree.host_headers import untold_findings

        found += untold_findings(data, task, rules)
    if task.has_old_standard:
        from hipport.source.tree.old_standards import standard_findings

        found += standard_findings(data, task, rules, decisions.options.rocm)
    if len(found) > len(result.findings):
        found.sort(key=lambda each: each.start)
    if found and (task.language == "python" or task.is_build_file):
        from hipport.source.tree.own_packages import without_own_packages

        found = without_own_packages(found, task, rules)
    if b"hipport:" in data:
        # Few files suppress findings: only they pay for loading this.
        from hipport.source.convert.suppressions import kept

        found = kept(data, found, task.name, task.language, rules)
    return found


def _result(data: bytes, task: Task, decisions: Decisions) -> Result:
    if task.is_build_file:
        from hipport.rulebook.nvcc_flags import Choices
        from hipport.source.buildfiles.build_conversion import convert_build

        options = decisions.options
        choices = Choices(options.targets, options.libs)
        result = convert_build(
            data,
            task.name,
            task.language,
            decisions.rules,
            choices,
            options.endings,
            task.is_ported,
            task.marking,
        )
        return (
            with_kernels(result, data, task.name, decisions)
            if task.language == "python"
            else result
        )
    return convert_source(
        data,
        task.name,
        task.language,
        decisions,
        lambda name: is_in_tree(task, name),
        task.semantics,
        task.headers,
        task.warps,
        task.up,
        runtime_first=task.runtime_first,
        own_api=task.own_api,
        brought=task.brought,
        attributeless=task.attributeless,
    )


def _write(task: Task, data: bytes, new: bytes) -> None:
    """Write the converted bytes, unless the file is converted in place and does not change."""
    assert task.output is not None
    mode = task.source.stat().st_mode
    if not task.in_place:
        write(task.output, new, mode)
        return
    moves = task.output != task.source
    if new == data and not moves:
        return
    if not mode & 0o222:
        raise HipportError(f"{task.source}: write-protected", remedy="make it writable first")
    if task.backup:
        backup = task.source.with_name(task.source.name + task.backup)
        # A backup left by a killed run holds the original, which the file itself no longer does.
        if new != data or not backup.exists():
            write(backup, data, mode)
    if new != data:
        if read(task.source, LARGEST_SOURCE) != data:
            raise HipportError(f"{task.source}: changed during the run", remedy="run again")
        write(task.source, new, mode)


def renamed(
    done: Iterable[tuple[Outcome, Task]], on_error: Callable[[HipportError], None]
) -> Iterator[tuple[Outcome, Task]]:
    """The outcomes with their tasks; renames the files after the last one.

    Not earlier, because files that include a header look for it under its old name.
    """
    moving: Spool[Task] = Spool()
    for outcome, task in done:
        if task.output_path != task.source_path and outcome.file.output:
            moving.append(task)
        yield outcome, task
    for task in moving:
        assert task.output is not None
        try:
            rename(task.source, task.output)
        except HipportError as error:
            on_error(error)


def is_in_tree(task: Task, name: str) -> bool:
    """Whether a quoted include names a file beside the including one, or below a parent of it."""
    # Plain strings: Path objects would take a twentieth of a conversion's time.
    root, folder = task.root_path, os.path.dirname(task.source_path) or "."  # noqa: PTH120
    while not os.path.isfile(os.path.join(folder, name)):  # noqa: PTH113, PTH118
        above = os.path.dirname(folder) or "."  # noqa: PTH120
        if folder in (root, above) or not _is_below(folder, root):
            return False
        folder = above
    return True


def _is_below(folder: str, root: str) -> bool:
    return folder.startswith(f"{root.rstrip('/')}/") or (root == "." and not folder.startswith("/"))


def _copy(task: Task, decisions: Decisions, outcome: Outcome) -> None:
    if task.copied:
        from hipport.source.tree.vendored import copy_findings

        outcome.findings = copy_findings(task, decisions.rules)
    if not task.output_path or task.in_place:
        outcome.file.status = "skipped"
        return
    if task.memory_path:
        from hipport.source.tree.hand_edits import place_copy

        place_copy(task, decisions.options, outcome)
    else:
        copy(task.source_path, task.output_path)
    outcome.file.status, outcome.file.output = "copied", task.output_name


def _copy_link(task: Task, outcome: Outcome) -> None:
    """Recreate a relative link that stays inside the tree; leave out any other."""
    outcome.file.language = ""
    if task.output is None or (task.in_place and not task.link):
        outcome.file.status = "skipped"
        return
    if not task.link:
        outcome.file.status, outcome.file.reason = "skipped", "symbolic link out of the tree"
        outcome.left_out = f"{outcome.file.reason}, not copied (copy what it points to by hand)"
        return
    link(task.source if task.in_place else task.output, task.link)
    outcome.file.status, outcome.file.output = "copied", task.output_name
