"""The program: runs a command, owns stderr and the exit code. `python -m hipport` as well."""

from __future__ import annotations

import gc
import os
import sys

from hipport.errors import HipportError, printable

# typing's NoReturn takes longer to load than the rest of this file.
TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import NoReturn


def program() -> NoReturn:
    """Run `main`, and end at once: to take Python apart first is a fortieth of a short run.

    It also keeps the exit code: Python ends by the signal if an interrupt came while it evaluated
    a string (as named tuples do when a module loads), whoever caught it.
    """
    try:
        main()
    except SystemExit as ended:
        code = int(ended.code or 0)
    from contextlib import suppress

    for stream in (sys.stdout, sys.stderr):
        with suppress(OSError):  # Whoever read it has gone away.
            stream.flush()
    os._exit(code)


def main() -> NoReturn:
    """Run the command line; every failure is one line on stderr and exit code 2."""
    for name in ("stdin", "stdout", "stderr"):
        if getattr(sys, name) is None:  # Closed by the caller: `>&-`.
            setattr(sys, name, os.fdopen(os.open(os.devnull, os.O_RDWR), "r+"))
    collect_rarely()
    try:
        code = _run(sys.argv[1:])
        sys.stdout.flush()
    except HipportError as error:
        code = _fail(str(error))
    except BrokenPipeError:  # Whoever read our output has gone away (`| head`).
        _drop_output()
        code = 0
    except KeyboardInterrupt:
        code = _fail("interrupted", 130)
    except OSError as error:
        place = os.fsdecode(error.filename) if error.filename else "standard output"
        code = _fail(f"{place}: {error.strerror} (check the path and the disk)")
        _drop_output()
    except Exception as error:
        code = _fail(f"internal error ({type(error).__name__}: {error}) (please report this)")
    sys.exit(code)


def collect_rarely() -> None:
    """What a command reads lives to its end: looking for garbage there takes 3 % of the time."""
    gc.set_threshold(100_000, 50, 100)


def _run(arguments: list[str]) -> int:
    from hipport.quick_imports import import_quickly

    import_quickly()
    from hipport.commands import plain

    run = plain.command(arguments)
    if run is not None:
        return run()
    from hipport.cli import run as run_parsed

    return run_parsed()


def _fail(message: str, code: int = 2) -> int:
    sys.stderr.write(f"hipport: {printable(message)}\n")
    return code


def _drop_output() -> None:
    """Let what is still to be written to stdout go nowhere: closing it would raise again."""
    os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())


if __name__ == "__main__":
    if not sys.flags.safe_path:
        # `python -m` looks for modules in the current folder, which may be a tree to convert.
        del sys.path[0]
    program()
