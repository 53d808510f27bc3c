"""Runs many similar tasks in several processes, in bounded memory, and leaves none behind."""

from __future__ import annotations

import os
import signal
import threading
from collections import deque
from collections.abc import Callable, Iterable, Iterator
from concurrent.futures import Future, ProcessPoolExecutor, wait
from concurrent.futures.process import BrokenProcessPool
from itertools import islice
from threading import Thread
from typing import Any, TypeVar

from hipport.errors import HipportError

_Item = TypeVar("_Item")
_Made = TypeVar("_Made")
_CHUNK = 8
_FIRST = 16
"""Items that are made before there are processes: what these load, those that fork have."""
_AHEAD = 16
"""Chunks for each process that are under way or wait to be fetched."""


def in_processes(
    function: Callable[[_Item], _Made],
    items: Iterable[_Item],
    jobs: int,
    start: Callable[..., None],
    arguments: tuple[Any, ...],
    done: str,
) -> Iterator[_Made]:
    """The results in the order of the items; each process calls `start` with the arguments first.

    So does this one, which makes the first few itself.

    Raises HipportError, which says that not all files were `done`, where a process is killed.
    """
    # Where processes do not fork, they begin as `python -c`, which looks for modules in the current
    # folder first: that may be a tree with modules of its own.
    os.environ.setdefault("PYTHONSAFEPATH", "1")
    start(*arguments)
    chunks = iter(items)
    yield from map(function, islice(chunks, _FIRST))
    pending: deque[Future[list[_Made]]] = deque()
    pool = ProcessPoolExecutor(jobs, initializer=_start, initargs=(start, arguments))
    # Whoever waits for a thread of the pool's that ended with an exception waits for ever.
    ended: list[BaseException | None] = []
    before = threading.excepthook
    threading.excepthook = lambda thread: ended.append(thread.exc_value)
    try:
        while chunk := list(islice(chunks, _CHUNK)):
            pending.append(_submitted(pool, ended, _each, function, chunk))
            if len(pending) > _AHEAD * jobs:
                yield from _result(pending.popleft(), ended)
        while pending:
            yield from _result(pending.popleft(), ended)
    except (BrokenProcessPool, _NotStarted) as error:
        what = (
            "no process could be started"
            if isinstance(error, _NotStarted)
            else "a process was killed"
        )
        raise HipportError(
            f"{what}, perhaps for want of memory; not all files were {done}",
            remedy="run again with fewer --jobs",
        ) from error
    finally:
        threading.excepthook = before
        for each in pending:
            each.cancel()
        _end(pool, killed=bool(ended))


class _NotStarted(Exception):
    """A process or a thread of the pool's that the system did not start."""


def _submitted(
    pool: ProcessPoolExecutor,
    ended: list[BaseException | None],
    call: Callable[..., list[_Made]],
    *arguments: Any,
) -> Future[list[_Made]]:
    """What the pool will make, which starts its processes and a thread with the first one."""
    try:
        return pool.submit(call, *arguments)
    except BrokenProcessPool:
        raise
    except (RuntimeError, OSError) as error:
        ended.append(error)
        raise _NotStarted from error


def _result(future: Future[list[_Made]], ended: list[BaseException | None]) -> list[_Made]:
    """What was made, unless the thread that brings it `ended` first."""
    while not wait([future], timeout=1).done:
        if ended:
            raise _NotStarted from ended[0]
    return future.result()


def _end(pool: ProcessPoolExecutor, killed: bool) -> None:
    """Wait for the processes, or kill them where nothing is left that would tell them to end."""
    from multiprocessing import active_children

    pool.shutdown(wait=not killed)
    for child in active_children() if killed else ():
        child.kill()
        child.join()


def _each(function: Callable[[_Item], _Made], items: list[_Item]) -> list[_Made]:
    return [function(each) for each in items]


def _start(start: Callable[..., None], arguments: tuple[Any, ...]) -> None:
    # The terminal sends an interrupt to all processes; the parent alone reports it.
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    Thread(target=_end_with_parent, daemon=True).start()
    start(*arguments)


def _end_with_parent() -> None:
    """A parent that was killed stopped nobody: its processes would wait for work for ever."""
    from multiprocessing import parent_process
    from multiprocessing.connection import wait

    parent = parent_process()
    assert parent is not None
    wait([parent.sentinel])
    os._exit(1)
