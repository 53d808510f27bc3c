"""Visual Studio Code without a screen: its server from npm, and a browser for its window.

code-server's package has VS Code's own server; Microsoft's packages are not in the npm registry.
None of its install scripts run: what they would build is not needed here.
"""

from __future__ import annotations

import json
import os
import re
import shutil
import signal
import subprocess
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path

from tests.support.fetch import cache_folder

VERSION = "4.100.3"
"""With Visual Studio Code 1.100."""
_NPM = ("npm", "install", "--ignore-scripts", "--no-audit", "--no-fund", "--omit=dev")


def installed() -> Path:
    """The folder of VS Code's server; raises CalledProcessError if npm cannot install it."""
    folder = cache_folder() / f"code-server-{VERSION}"
    code = "node_modules/code-server/lib/vscode"
    if not folder.is_dir():
        partial = folder.with_name(f"{folder.name}.{os.getpid()}.part")
        partial.mkdir()
        try:
            (partial / "package.json").write_text("{}")
            subprocess.run([*_NPM, f"code-server@{VERSION}"], cwd=partial, check=True, timeout=600)
            subprocess.run(_NPM, cwd=partial / code, check=True, timeout=600)
            partial.replace(folder)
        finally:
            shutil.rmtree(partial, ignore_errors=True)
    return folder / code


class Code:
    """An installation with extensions and settings of its own, in a folder."""

    def __init__(self, folder: Path, settings: Mapping[str, object]) -> None:
        self._program = ["node", str(installed() / "out/server-main.js")]
        names = ("user-data", "server-data", "extensions")
        self._folders = [f"--{name}-dir={folder / name}" for name in names]
        self._variables = {**os.environ, "HOME": str(folder)}
        machine = folder / "user-data/Machine/settings.json"
        machine.parent.mkdir(parents=True)
        machine.write_text(json.dumps(settings))
        self.extensions = folder / "extensions"

    def install(self, package: Path) -> str:
        """Install an extension; returns what was printed."""
        return subprocess.run(
            [*self._program, *self._folders, "--install-extension", str(package)],
            env=self._variables,
            check=True,
            capture_output=True,
            text=True,
            timeout=120,
        ).stdout

    @contextmanager
    def serving(self, workspace: Path) -> Iterator[str]:
        """The address of a window on a folder."""
        process = subprocess.Popen(
            [
                *(*self._program, *self._folders, "--host=127.0.0.1", "--port=0"),
                *("--without-connection-token", "--accept-server-license-terms"),
            ],
            env=self._variables,
            stdout=subprocess.PIPE,
            stderr=subprocess.DEVNULL,
            text=True,
            start_new_session=True,
        )
        assert process.stdout
        try:
            for line in process.stdout:
                if found := re.search(r"host agent listening on (\d+)", line):
                    yield f"http://127.0.0.1:{found[1]}/?folder={workspace}"
                    break
            else:
                raise AssertionError("Visual Studio Code did not start")
        finally:
            os.killpg(process.pid, signal.SIGKILL)  # Extensions run in processes of their own.
            process.stdout.close()
            process.wait()
