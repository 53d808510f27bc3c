"""The hipify step of PyTorch's extension builds, done by hipport."""

from __future__ import annotations

import hashlib
import os
import sys
from collections.abc import Iterable, Sequence
from pathlib import Path
from typing import Any

from hipport.errors import HipportError, logged, printable
from hipport.model import Severity
from hipport.rulebook.load import load
from hipport.rulebook.nvcc_flags import NO_TARGETS, clang_arguments
from hipport.runs.build_target import TargetConversion, TargetSources, convert_target, warning
from hipport.runs.convert_request import ConvertRequest

FAIL = "HIPPORT_WERROR"
"""The environment variable that makes findings fail a build."""
_DIGITS = 12


def hipified(
    folder: str,
    sources: Iterable[str],
    includes: Iterable[str] = (),
    scope: Iterable[str] = ("*",),
    apart: Iterable[str] = (),
) -> tuple[TargetConversion, Path]:
    """The converted sources of an extension, and the folder to look for headers in first.

    `folder` is what relative paths are below; the results go to `build/hipport` there. `scope` and
    `apart` are the patterns `includes` and `ignores` of PyTorch's hipify: folders, with `/*`.
    Findings go to standard error. Raises HipportError for what cannot be converted, and where
    HIPPORT_WERROR is set, for findings that a person has to look at.
    """
    top = Path(folder).absolute()
    paths = tuple(top / each for each in sources)
    is_inside = all(each.is_relative_to(top) for each in paths)
    name = hashlib.sha256("\n".join(sorted(map(str, paths))).encode()).hexdigest()[:_DIGITS]
    output = top / "build" / "hipport" / name
    target = TargetSources(
        sources=paths,
        output=output,
        base=top if is_inside else Path(top.anchor),
        roots=tuple(_folder(each, top) for each in scope),
        includes=tuple(top / each for each in includes),
        apart=(output.parent, *(_folder(each, top) for each in apart)),
    )
    done = convert_target(target, ConvertRequest(torch=True))
    findings = done.report.findings
    for each in findings:
        print(logged(warning(each)), file=sys.stderr)
    fail_on_findings(each for each in findings if each.severity > Severity.INFO)
    return done, target.include


def hipcc_flags(flags: Sequence[str], where: str) -> list[str]:
    """The flags of nvcc as hipcc takes them; what has none is named on standard error.

    Architectures are left out: PyTorch adds those of PYTORCH_ROCM_ARCH.
    """
    rules = load()
    made, left = clang_arguments(rules, flags)
    for text, flag in left:
        if flag.finding == NO_TARGETS:
            continue
        reason = flag.reason or rules.findings[flag.finding].title
        print(printable(f"{where}: warning: {text}: {reason} [{flag.finding}]"), file=sys.stderr)
    fail_on_findings(flag for _, flag in left if flag.is_left)
    return made


def fail_on_findings(findings: Iterable[object]) -> None:
    """Raise HipportError if there are findings and HIPPORT_WERROR asks to fail on them."""
    if any(True for _ in findings) and os.environ.get(FAIL, "0") not in ("", "0"):
        raise HipportError(
            f"{FAIL} is set, and hipport has findings (see above)",
            remedy=f"fix them, or unset {FAIL}",
        )


def _folder(pattern: str, top: Path) -> Path:
    """The folder that a pattern like `/folder/*` means."""
    plain = pattern.rstrip("*")
    return top / plain if plain else Path(top.anchor)


def result_for(done: TargetConversion, result: Any, finished: Any) -> dict[str, Any]:
    """What PyTorch's hipify returns: source -> an object with the path of its result."""
    made = {}
    for source, output in done.outputs.items():
        each = result(finished, str(output))
        each.status = "[ok]"
        made[str(source)] = each
    return made
