"""hipport in the place of the hipify step of PyTorch's extension builds.

In a setup.py, take `BuildExtension` and `CUDAExtension` from here; they are those of the installed
PyTorch, except on a PyTorch for ROCm, where hipport converts the sources and the flags of nvcc. Or
run `python -m hipport.torch install`, for all builds of an environment.
"""

from __future__ import annotations

from typing import Any

__all__ = ["BuildExtension", "CUDAExtension"]


def __getattr__(name: str) -> Any:
    if name not in __all__:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    from torch.utils import cpp_extension

    from hipport.torch.replacement import replace

    replace()
    return getattr(cpp_extension, name)
