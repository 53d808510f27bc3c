"""The input with which libclang parses a unit of a build, in HIP or CUDA."""

from __future__ import annotations

from functools import cached_property
from itertools import pairwise
from pathlib import Path
from typing import Any

from hipport.errors import HipportError
from hipport.named_tuples import NamedTuple
from hipport.semantic.cuda_headers import find_headers, knowledge
from hipport.trace.trace_rules import trace_rules
from hipport.verification.compile_commands import Database, Listed
from hipport.verification.compiler_facts import knowledge as compilers
from hipport.verification.libclang import Library, Resources, choose, find_resources
from hipport.verification.model import Unit
from hipport.verification.toolchain import Toolchain, find_toolchain

_PRELUDE = "hipport-prelude.h"
_STANDARDS = ("-std", "--std")


class Job(NamedTuple):
    """A request to a child, and the libclang that it runs."""

    library: str
    question: dict[str, Any]
    is_cuda: bool


class Jobs:
    """Makes the jobs of a build; looks for headers and libclang when a unit needs them."""

    def __init__(
        self, database: Database, target: str, rocm_path: Path | None, cuda_path: Path | None
    ) -> None:
        """`target` is the GPU that HIP is compiled for. Raises HipportError for a `cuda_path`
        without headers."""
        self._database, self._target, self._rocm = database, target, rocm_path
        self._cuda_headers = find_headers(cuda_path)

    def of(self, path: Path) -> Job | None:
        """The job for a source; None if the build lacks it. Raises HipportError where the headers
        of its language are missing."""
        listed = self._database.arguments(path)
        if listed is None:
            return None
        is_cuda = is_cuda_command(self._database.command(path))
        made = self._cuda(path, listed) if is_cuda else self._hip(path, listed)
        question = {"path": str(path), "folder": str(listed.folder.absolute()), **made[1]}
        return Job(made[0], question, is_cuda)

    def _hip(self, path: Path, listed: Listed) -> tuple[str, dict[str, Any]]:
        unit = Unit(path, path.name, "hip", listed.arguments, listed.folder)
        arguments = self._toolchain.arguments(unit, self._target)
        return self._toolchain.library, {"arguments": arguments}

    def _cuda(self, path: Path, listed: Listed) -> tuple[str, dict[str, Any]]:
        """The host's side, which has the launches; errors in the headers and in device code are
        no errors, as only NVIDIA's device compiler declares what they use."""
        if not self._cuda_headers:
            raise HipportError(
                f"{knowledge()['header']} was not found on this machine",
                remedy="name the folder of CUDA's headers with --cuda-path",
            )
        library, resources = self._clang
        prelude = str(listed.folder.absolute() / _PRELUDE)
        made = ["-resource-dir", str(resources.folder), "-ferror-limit=0", "-w"]
        made += [*knowledge()["arguments"], *knowledge()["host"], "-include", prelude]
        if not any(each.startswith(_STANDARDS) for each in listed.arguments):
            made.append(f"-std={compilers()['standard']}")
        made += listed.arguments
        made += (word for each in self._cuda_headers for word in ("-isystem", str(each)))
        return library.path, {
            "arguments": made,
            "prelude_path": prelude,
            "prelude": knowledge()["prelude"],
            "vendor": [*map(str, self._cuda_headers), str(resources.folder)],
        }

    @cached_property
    def _toolchain(self) -> Toolchain:
        return find_toolchain(self._rocm)

    @cached_property
    def _clang(self) -> tuple[Library, Resources]:
        library = choose(0, None)
        return library, find_resources(None, library, None)


def is_cuda_command(words: list[str]) -> bool:
    """Whether a command of a build compiles CUDA."""
    known = trace_rules().cuda_commands
    # A cache of compilations may be before the compiler.
    if any(Path(each).name.startswith(known.programs) for each in words[:2]):
        return True
    pairs = pairwise(words)
    return any(each.startswith(known.words) for each in words) or any(
        one == "-x" and two in known.languages for one, two in pairs
    )
