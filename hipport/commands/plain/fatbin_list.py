"""`hipport fatbin list`: bundles and entries, from headers only."""

from __future__ import annotations

from hipport.commands.plain.session import Session
from hipport.fatbin.limits import Limits

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence


def run(
    files: Sequence[str],
    form: str = "text",
    max_size: int = Limits().max_size,
    timeout: int = Limits().max_seconds,
    targets: bool = False,
    summary: bool = False,
) -> int:
    """Write what is in the files; the exit code."""
    session = Session(max_size, timeout)
    binaries = session.binaries(files)
    if summary:
        from hipport.report.fatbin.target_costs import write

        write(binaries, session.limits, form)
    elif form == "json":
        from hipport.report.fatbin.json import write_list

        write_list(binaries)
    elif form == "rich":
        from hipport.report.fatbin.rich import write_list as write_rich

        write_rich(binaries)
    else:
        from hipport.report.fatbin.text import write_list as write_text
        from hipport.report.fatbin.text import write_targets

        (write_targets if targets else write_text)(binaries)
    return session.exit_code()
