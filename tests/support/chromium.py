"""Drives Debian's chromium without a window, over the pipe of its DevTools protocol.

`--remote-debugging-pipe` reads commands from file descriptor 3 and writes answers to 4, JSON texts
that end in a zero byte (Chromium, content/public/common/content_switches.cc).
"""

from __future__ import annotations

import base64
import json
import os
import select
import subprocess
import tempfile
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

_PATIENCE = 60


class Page:
    """One page of a browser; `address` and `size` are what it was opened with last."""

    address: str
    size: tuple[int, int]

    def __init__(self, commands: int, answers: int) -> None:
        self._commands, self._answers = commands, answers
        self._rest, self._number, self._session = b"", 0, ""
        target = self._call("Target.createTarget", url="about:blank")["targetId"]
        attached = self._call("Target.attachToTarget", targetId=target, flatten=True)
        self._session = attached["sessionId"]
        self._call("Page.enable")

    def open(self, address: str, width: int, height: int) -> None:
        """Show a page in a window of that size, and wait until its script has run."""
        self.address, self.size = address, (width, height)
        self._call(
            "Emulation.setDeviceMetricsOverride",
            width=width,
            height=height,
            deviceScaleFactor=1,
            mobile=False,
        )
        # Another fragment of the same page would not load it again.
        self._call("Page.navigate", url="about:blank")
        self._call("Page.navigate", url=address)
        self.wait_for("document.readyState === 'complete' && location.href !== 'about:blank'")

    def value(self, expression: str) -> Any:
        """What a JavaScript expression gives; raises AssertionError where it throws."""
        found = self._call("Runtime.evaluate", expression=expression, returnByValue=True)
        assert "exceptionDetails" not in found, found["exceptionDetails"]
        return found["result"].get("value")

    def wait_for(self, expression: str) -> None:
        self.wait_until(lambda: bool(self.value(expression)), expression)

    def wait_until(self, test: Callable[[], bool], what: str, patience: float = _PATIENCE) -> None:
        """Wait for something, in the page or outside, for so many seconds."""
        end = time.monotonic() + patience
        while not test():
            assert time.monotonic() < end, f"never: {what}"
            time.sleep(0.02)

    def click(self, selector: str) -> None:
        """A click with the mouse in the middle of an element, scrolled into view first."""
        middle = (
            f"(() => {{ const e = document.querySelector({json.dumps(selector)});"
            " e.scrollIntoView({block: 'center'}); const r = e.getBoundingClientRect();"
            " return [r.x + r.width / 2, r.y + r.height / 2]; })()"
        )
        x, y = self.value(middle)
        for kind in ("mousePressed", "mouseReleased"):
            self._call("Input.dispatchMouseEvent", type=kind, x=x, y=y, button="left", clickCount=1)

    def type(self, text: str) -> None:
        """Type into what has the focus."""
        self._call("Input.insertText", text=text)

    def picture(self, path: Path) -> None:
        found = self._call("Page.captureScreenshot", format="png")
        path.write_bytes(base64.b64decode(found["data"]))

    def _call(self, method: str, **parameters: object) -> dict[str, Any]:
        self._number += 1
        message: dict[str, object] = {"id": self._number, "method": method, "params": parameters}
        if self._session:
            message["sessionId"] = self._session
        os.write(self._commands, json.dumps(message).encode() + b"\0")
        while True:
            answer = self._next()
            if answer.get("id") == self._number:
                assert "error" not in answer, f"{method}: {answer.get('error')}"
                result: dict[str, Any] = answer["result"]
                return result

    def _next(self) -> dict[str, Any]:
        while b"\0" not in self._rest:
            ready, _, _ = select.select([self._answers], [], [], _PATIENCE)
            assert ready, "chromium does not answer"
            data = os.read(self._answers, 1 << 16)
            assert data, "chromium ended"
            self._rest += data
        text, _, self._rest = self._rest.partition(b"\0")
        message: dict[str, Any] = json.loads(text)
        return message


@contextmanager
def browser() -> Iterator[Page]:
    """A page in a fresh browser; raises FileNotFoundError where chromium is not installed."""
    to_child, commands = os.pipe()
    answers, from_child = os.pipe()

    def connect() -> None:
        # Descriptors first out of the way: the pipes may have the numbers 3 and 4 themselves.
        reading, writing = os.dup(to_child), os.dup(from_child)
        os.dup2(reading, 3)
        os.dup2(writing, 4)

    with tempfile.TemporaryDirectory(ignore_cleanup_errors=True) as profile:
        options = ("--headless", "--no-sandbox", "--disable-gpu", "--disable-dev-shm-usage")
        process = subprocess.Popen(
            ["chromium", *options, f"--user-data-dir={profile}", "--remote-debugging-pipe"],
            preexec_fn=connect,
            pass_fds=(3, 4),
            stdin=subprocess.DEVNULL,
            stdout=subprocess.DEVNULL,
            stderr=subprocess.DEVNULL,
        )
        os.close(to_child)
        os.close(from_child)
        try:
            yield Page(commands, answers)
        finally:
            os.close(commands)
            os.close(answers)
            process.kill()
            process.wait()
