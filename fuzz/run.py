"""Fuzzes the targets one after the other and prints a table of what came of it.

    python -m fuzz.run FOLDER [TARGET=SECONDS ...]

Without targets each has ten minutes. FOLDER keeps corpora, finds and logs between runs.
"""

from __future__ import annotations

import re
import subprocess
import sys
import time
from pathlib import Path

from fuzz.targets import TARGETS

SECONDS = 600
_SHOWN = re.compile(r"^#(\d+)\t.*?cov: (\d+) ft: (\d+) corp: (\d+)", re.MULTILINE)
_HEADING = "| target | seconds | executions | edges | features | inputs kept | finds |"


def fuzz(name: str, seconds: int, folder: Path) -> str:
    """One line of the table. A run that a hang or want of memory ends is taken up again."""
    corpus, script = folder / name, Path(__file__).with_name("target.py")
    end, executions, edges, features, kept = time.monotonic() + seconds, 0, "0", "0", "0"
    with (folder / f"{name}.log").open("ab") as log:
        while (left := int(end - time.monotonic())) > 0:
            start = log.tell()
            options = [f"-max_total_time={left}", f"-artifact_prefix={corpus}-finds/"]
            Path(f"{corpus}-finds").mkdir(parents=True, exist_ok=True)
            command = [sys.executable, str(script), name, str(corpus), *options]
            done = subprocess.run(command, stdout=log, stderr=log, check=False)
            shown = _SHOWN.findall((folder / f"{name}.log").read_text("utf-8", "replace")[start:])
            if shown:
                executions += int(shown[-1][0])
                edges, features, kept = shown[-1][1:]
            elif done.returncode:
                sys.exit(f"{name} does not start: see {log.name}")
    finds = sum(1 for each in Path(f"{corpus}-finds").iterdir() if each.suffix != ".txt")
    return f"| {name} | {seconds} | {executions:,} | {edges} | {features} | {kept} | {finds} |"


def main() -> None:
    folder, *wanted = sys.argv[1:]
    Path(folder).mkdir(parents=True, exist_ok=True)
    print(f"{_HEADING}\n|{'---|' * 7}", flush=True)
    for each in wanted or list(TARGETS):
        name, _, seconds = each.partition("=")
        print(fuzz(name, int(seconds or SECONDS), Path(folder)), flush=True)


if __name__ == "__main__":
    main()
