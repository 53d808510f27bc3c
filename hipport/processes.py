"""Runs many similar tasks in several processes, in bounded memory, and leaves none behind."""

from __future__ import annotations

import os
import signal
from collections import deque
from collections.abc import Callable, Iterable, Iterator
from concurrent.futures import Future, ProcessPoolExecutor
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
    with ProcessPoolExecutor(jobs, initializer=_start, initargs=(start, arguments)) as pool:
        try:
            while chunk := list(islice(chunks, _CHUNK)):
                pending.append(pool.submit(_each, function, chunk))
                if len(pending) > _AHEAD * jobs:
                    yield from pending.popleft().result()
            while pending:
                yield from pending.popleft().result()
        except BrokenProcessPool as error:
            raise HipportError(
                f"a process was killed, perhaps for want of memory; not all files were {done}",
                remedy="run again with fewer --jobs",
            ) from error
        finally:
            for each in pending:
                each.cancel()


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
