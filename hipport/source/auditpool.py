"""Audits files in several processes."""

from __future__ import annotations

import signal
from collections.abc import Iterator
from concurrent.futures import ProcessPoolExecutor
from concurrent.futures.process import BrokenProcessPool

from hipport.errors import HipportError
from hipport.source.audit import handle
from hipport.source.decide import Decisions
from hipport.source.project import Outcome, Task
from hipport.source.rules import load
from hipport.source.unit import Options

_CHUNK = 8
_decisions: Decisions | None = None


def audit_in_processes(tasks: list[Task], options: Options, jobs: int) -> Iterator[Outcome]:
    """The outcomes in the order of the tasks."""
    with ProcessPoolExecutor(jobs, initializer=_start, initargs=(options,)) as pool:
        try:
            yield from pool.map(_handle, tasks, chunksize=_CHUNK)
        except BrokenProcessPool as error:
            raise HipportError(
                "a process was killed, perhaps for want of memory; not all files were audited",
                remedy="run again with fewer --jobs",
            ) from error


def _start(options: Options) -> None:
    global _decisions
    # The terminal sends an interrupt to all processes; the parent alone reports it.
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    _decisions = Decisions(load(is_audit=True, extend=options.extend_rules), options)


def _handle(task: Task) -> Outcome:
    assert _decisions is not None
    return handle(task, _decisions)
