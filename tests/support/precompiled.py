"""HIP's headers, parsed once for each target instead of once for each program that is compiled.

The compiler takes of a folder beside a header that it includes what was made of it for its target.
"""

from __future__ import annotations

import shutil
import subprocess
from collections.abc import Mapping
from pathlib import Path
from typing import NamedTuple


class Precompiled(NamedTuple):
    """Options of hipcc, in C++17."""

    on_the_device: list[str]
    """What a program includes itself, in the passes over device code alone: in the pass for the
    host the compiler reads all headers, so a program that does not include what it uses fails."""
    everywhere: list[str]
    """For a source that begins with `#include <hip/hip_runtime.h>`."""


def precompile(folder: Path, targets: list[str], environment: Mapping[str, str]) -> Precompiled:
    """Make of the headers what these targets and the host need, if it is not there yet."""
    header, empty = folder / "hip.h", folder / "empty.h"
    options = [folder / "on_the_device.h", folder / "everywhere.h"]
    if not (folder / "done").exists():
        shutil.rmtree(folder, ignore_errors=True)  # Another process may have failed here.
        folder.mkdir(parents=True)
        header.write_text("#include <hip/hip_runtime.h>\n")
        empty.write_text("")
        for target in targets:
            only = ["--cuda-device-only", f"--offload-arch={target}"]
            _precompile(header, only, folder / target, environment)
        for each, of_the_host in zip(options, (empty, header), strict=True):
            parts = each.with_name(f"{each.name}.pch")
            parts.mkdir()
            for target in targets:
                (parts / target).hardlink_to(folder / target)
            _precompile(of_the_host, ["--cuda-host-only"], parts / "host", environment)
        (folder / "done").touch()
    return Precompiled(*(["-include", str(each)] for each in options))


def _precompile(
    header: Path, only: list[str], result: Path, environment: Mapping[str, str]
) -> None:
    command = ["hipcc", "-std=c++17", *only, "-fsyntax-only", "-x", "hip", str(header)]
    # The driver has no name for such a result: the compiler proper does what was asked last.
    for each in ("-emit-pch", "-o", str(result)):
        command += ["-Xclang", each]
    subprocess.run(command, check=True, capture_output=True, env=environment)
