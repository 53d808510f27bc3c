"""The texts that are open in an editor, each checked again when it changes.

One thread checks, one text at a time: the newest version of each. A version that is no longer the
newest is dropped between two steps, so typing does not pile up work.
"""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from typing import TypeVar

import msgspec

from hipport.lsp.checked_text import CheckedText, Checker
from hipport.lsp.text_map import TextMap

_Made = TypeVar("_Made")


class OpenText(msgspec.Struct):
    """One text: what the editor has of it now, and what is known of it."""

    uri: str
    name: str
    text: str
    version: int | None
    change: int = 0
    """How often the text or its configuration changed."""
    checked: CheckedText | None = None
    """What is known of the newest version; None while that is worked on."""
    task: asyncio.Task[None] | None = None


class OpenTexts:
    """All open texts; `publish` is called with each state of knowledge of the newest version."""

    def __init__(
        self, checker: Checker, publish: Callable[[OpenText, CheckedText], None], encoding: str
    ) -> None:
        self.checker, self._publish, self._encoding = checker, publish, encoding
        self._worker = ThreadPoolExecutor(1, "hipport")
        self._texts: dict[str, OpenText] = {}

    def put(self, uri: str, name: str, text: str, version: int | None) -> None:
        """A text was opened."""
        self._texts[uri] = OpenText(uri, name, text, version)
        self._check(self._texts[uri])

    def change(self, uri: str, text: str, version: int | None) -> None:
        """A text has another content; one that was not opened does not count."""
        if uri in self._texts:
            known = self._texts[uri]
            known.text, known.version = text, version
            self._check(known)

    def drop(self, uri: str) -> None:
        """A text was closed."""
        closed = self._texts.pop(uri, None)
        if closed and closed.task:
            closed.task.cancel()

    def check_all(self) -> None:
        """Check all texts again: a configuration changed."""
        for each in self._texts.values():
            self._check(each)

    def __contains__(self, uri: object) -> bool:
        return uri in self._texts

    async def known(self, uri: str) -> tuple[OpenText, CheckedText] | None:
        """What is known of the newest version of a text, once it is; None for a closed one."""
        while (each := self._texts.get(uri)) and each.checked is None and each.task:
            await asyncio.wait([each.task])
        return (each, each.checked) if each and each.checked else None

    async def in_worker(self, function: Callable[..., _Made], *arguments: object) -> _Made:
        """Call a function in the thread that checks, so that no rule is loaded twice at a time."""
        loop = asyncio.get_running_loop()
        return await loop.run_in_executor(self._worker, function, *arguments)

    def close(self) -> None:
        """Stop: what is being checked is finished, and nothing else."""
        self._texts.clear()
        self._worker.shutdown(wait=False, cancel_futures=True)

    def _check(self, each: OpenText) -> None:
        each.change, each.checked = each.change + 1, None
        if each.task is None:
            each.task = asyncio.get_running_loop().create_task(self._checked(each))

    async def _checked(self, each: OpenText) -> None:
        """Check a text until what is known is about its newest version."""
        try:
            while each.checked is None and self._texts.get(each.uri) is each:
                change = each.change
                text = TextMap(each.text, self._encoding)
                audited = await self.in_worker(self.checker.audited, text, each.name)
                if each.change != change:
                    continue
                self._publish(each, audited)
                converted = await self.in_worker(self.checker.converted, audited)
                if each.change != change:
                    continue
                if converted.findings != audited.findings or converted.notes != audited.notes:
                    self._publish(each, converted)
                each.checked = converted
                settled = await self.in_worker(self.checker.settled, converted)
                if each.change == change and settled is not converted:
                    self._publish(each, settled)
                    each.checked = settled
        finally:
            each.task = None
