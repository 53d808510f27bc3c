"""`hipport convert -`: standard input to standard output."""

from __future__ import annotations

import sys
from pathlib import Path, PurePosixPath

from hipport.errors import UsageError, printable
from hipport.model import FileReport
from hipport.source.build.kinds import build_kind
from hipport.source.decide import Decisions
from hipport.source.plan import Wishes
from hipport.source.project import LARGEST_SOURCE, Outcome, Task, convert_bytes, language_of
from hipport.source.rules import load
from hipport.source.unit import Options


def from_stdin(name: str, options: Options, wishes: Wishes) -> Outcome:
    """Convert standard input to standard output."""
    build = build_kind(name, wishes.build_files)
    language = build or language_of(name)
    if not language:
        raise UsageError(
            f"--stdin-filename {name}: not a source file's name", remedy="end it in .cu"
        )
    data = sys.stdin.buffer.read(LARGEST_SOURCE + 1)
    if len(data) > LARGEST_SOURCE:
        raise UsageError(
            f"standard input: larger than {LARGEST_SOURCE >> 20} MiB", remedy="leave it out"
        )
    # Reports name no place outside the tree, and here there is none.
    path = PurePosixPath(name)
    shown = printable(path.name if path.is_absolute() or ".." in path.parts else str(path))
    outcome = Outcome(FileReport(shown, language, "failed"))
    task = Task(Path(), Path(name), shown, language, None, keeps_bytes=wishes.keeps_bytes)
    task = task._replace(explains=wishes.explains, is_build_file=bool(build))
    new = convert_bytes(data, task, Decisions(load(extend=options.extend_rules), options), outcome)
    outcome.file.status = "converted" if new != data else "unchanged"
    if wishes.writes:
        sys.stdout.buffer.write(new)
        outcome.file.output = "-"
    return outcome
