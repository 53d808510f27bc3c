"""`hipport fatbin kernels`: what every kernel needs, target by target."""

from __future__ import annotations

import gc
import re
import sys

from hipport.commands.plain.session import Session, target_matches
from hipport.errors import UsageError
from hipport.fatbin.limits import Limits
from hipport.fatbin.questions.kernel_tables import RESOURCES, kernel_tables
from hipport.report.fatbin.kernels import write
from hipport.report.fatbin.kernels_selection import KEYS, Selection

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from hipport.fatbin.host.registration import Registrations
    from hipport.fatbin.questions.kernel_tables import KernelTable


def run(
    files: Sequence[str],
    form: str = "text",
    max_size: int = Limits().max_size,
    timeout: int = Limits().max_seconds,
    pattern: str | None = None,
    targets: tuple[str, ...] = (),
    sort: str | None = None,
    registered: bool = False,
    mangled: bool = False,
) -> int:
    """Write the kernels of the files; the exit code."""
    session = Session(max_size, timeout)
    try:
        wanted = re.compile(pattern) if pattern else None
    except re.error as error:
        raise UsageError(
            f"--name {pattern!r}: {error}", remedy="it is a regular expression of Python's re"
        ) from None
    found: dict[str, Registrations] | None = {} if registered else None
    tables = _tables(session, files, targets, found)
    # Nearly everything made here lives to the end: looking for cycles costs a tenth of the time.
    gc.disable()
    selection = Selection(wanted, RESOURCES[sort] if sort else None, not mangled)
    write(tables, form, selection, found)
    sys.stdout.flush()
    return session.exit_code()


def _tables(
    session: Session,
    files: Sequence[str],
    targets: tuple[str, ...],
    found: dict[str, Registrations] | None,
) -> Iterator[KernelTable]:
    for binary in session.binaries(files):
        if found is not None:
            from hipport.fatbin.host.registration import registrations

            found[binary.path] = registrations(binary, session.limits)
        yield from kernel_tables(
            binary,
            session.limits,
            lambda entry: target_matches(entry, targets),
            KEYS,
        )
