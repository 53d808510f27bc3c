"""Puts hipport in the place of PyTorch's hipify step, in the running process."""

from __future__ import annotations

import functools
from collections.abc import Callable, Iterable
from typing import Any

from hipport.torch.hipify_step import hipcc_flags, hipified, result_for

_LOADS = "_write_ninja_file_and_build_library"
_MARK = "_replaced_by_hipport"


def replace() -> None:
    """Have PyTorch's extension builds convert with hipport; a second call does nothing.

    What is replaced acts on a PyTorch for ROCm alone: elsewhere, PyTorch does not call it.
    """
    from torch.utils import cpp_extension
    from torch.utils.hipify import hipify_python

    if hasattr(hipify_python.hipify, _MARK):
        return
    hipify = _hipify(hipify_python.hipify, hipify_python)
    setattr(hipify, _MARK, True)
    hipify_python.hipify = hipify
    builder = cpp_extension.BuildExtension
    builder.build_extensions = _with_flags_of_setup(builder.build_extensions, cpp_extension)
    # `load` and `load_inline` pass flags through this function only.
    write = getattr(cpp_extension, _LOADS, None)
    if write:
        setattr(cpp_extension, _LOADS, _with_flags_of_load(write, cpp_extension))


def _hipify(original: Callable[..., Any], module: Any) -> Callable[..., Any]:
    """PyTorch's `hipify` with the same parameters; what is no extension is left to the original."""

    @functools.wraps(original)
    def hipify(
        project_directory: str,
        *arguments: Any,
        header_include_dirs: Iterable[str] = (),
        includes: Iterable[str] = ("*",),
        extra_files: Iterable[str] = (),
        ignores: Iterable[str] = (),
        is_pytorch_extension: bool = False,
        **more: Any,
    ) -> Any:
        if not is_pytorch_extension:
            return original(
                project_directory,
                *arguments,
                header_include_dirs=header_include_dirs,
                includes=includes,
                extra_files=extra_files,
                ignores=ignores,
                **more,
            )
        done, first = hipified(
            project_directory, extra_files, header_include_dirs, includes, ignores
        )
        # PyTorch passes the list that the compiler gets, and adds its own folders afterwards.
        if isinstance(header_include_dirs, list):
            header_include_dirs.insert(0, str(first))
        return result_for(done, module.HipifyResult, module.CurrentState.DONE)

    return hipify


def _with_flags_of_setup(original: Callable[..., Any], module: Any) -> Callable[..., Any]:
    @functools.wraps(original)
    def build_extensions(self: Any) -> Any:
        if module.IS_HIP_EXTENSION:
            for extension in self.extensions:
                flags = extension.extra_compile_args
                if isinstance(flags, dict) and flags.get("nvcc"):
                    flags["nvcc"] = hipcc_flags(flags["nvcc"], f"{extension.name}: nvcc")
        return original(self)

    return build_extensions


def _with_flags_of_load(original: Callable[..., Any], module: Any) -> Callable[..., Any]:
    @functools.wraps(original)
    def write(name: str, *arguments: Any, **more: Any) -> Any:
        if module.IS_HIP_EXTENSION and more.get("extra_cuda_cflags"):
            flags = more["extra_cuda_cflags"]
            more["extra_cuda_cflags"] = hipcc_flags(flags, f"{name}: extra_cuda_cflags")
        return original(name, *arguments, **more)

    return write
