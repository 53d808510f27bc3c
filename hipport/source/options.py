"""What the user asks of a conversion or an audit."""

from __future__ import annotations

from hipport.named_tuples import NamedTuple
from hipport.rulebook.model import Version


class Options(NamedTuple):
    """What the user chose. `rocm` is the version whose API may be used."""

    rocm: Version
    launch: str = "ggl"
    libs: str = "hip"
    endings: tuple[tuple[str, str], ...] = ()
    """(ending, new ending) of renamed files: includes of them are renamed too."""
    extend_rules: tuple[str, ...] = ()
    """Folders with user rules."""
    targets: tuple[str, ...] = ()
    """Processors of rules/targets.toml for which the audit judges; none: for all."""
    reports_cuda: bool = False
    """Whether each use of CUDA's API is a finding."""
    unsafe: bool = False
    """Whether rewrites that may change what code does are made, not only suggested."""
    guards: bool = False
    """Whether conditions are extended for HIP, so that CUDA's compiler still takes them."""
    kernel_strings: tuple[str, ...] = ()
    """Variables that the user says hold kernels as text."""
    torch: str = ""
    """The PyTorch release whose own names are replaced with those for ROCm."""
    helpers: bool = True
    """Whether a function that HIP lacks becomes one of a header of helpers."""
    inline_helpers: bool = False
    """Whether the text of a header of helpers is written into each file that needs it."""
