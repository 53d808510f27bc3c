"""Work in several processes ends with an error where the system gives it no more of them."""

from __future__ import annotations

import threading
from multiprocessing import active_children, queues

import pytest

from hipport.errors import HipportError
from hipport.processes import in_processes


def nothing() -> None:
    """What each process begins with."""


def refuse(*_: object) -> None:
    raise RuntimeError("can't start new thread")


def doubled(number: int) -> int:
    return 2 * number


# The thread that hands out the work, and the one that the first piece of work starts in turn.
@pytest.mark.parametrize(
    ("owner", "name"),
    [(threading.Thread, "start"), (queues.Queue, "_start_thread")],
    ids=["no thread", "no second thread"],
)
def test_no_more_threads(monkeypatch: pytest.MonkeyPatch, owner: type, name: str) -> None:
    before = threading.excepthook
    made = in_processes(doubled, range(100), 2, nothing, (), "converted")
    first = [next(made) for _ in range(16)]
    monkeypatch.setattr(owner, name, refuse)
    with pytest.raises(HipportError) as caught:
        list(made)
    assert first == list(range(0, 32, 2))
    assert str(caught.value) == (
        "no process could be started, perhaps for want of memory; not all files were converted"
        " (run again with fewer --jobs)"
    )
    assert active_children() == [] and threading.excepthook is before


def test_all_is_made_in_order() -> None:
    made = in_processes(doubled, range(300), 2, nothing, (), "converted")
    assert list(made) == list(range(0, 600, 2)) and active_children() == []
