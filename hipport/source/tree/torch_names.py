"""Replaces PyTorch's own names with those for ROCm, from the tables of the installed PyTorch."""

from __future__ import annotations

import re
import sys
from collections.abc import Callable, Iterator, Mapping
from functools import cache
from importlib import import_module, metadata
from importlib.util import find_spec, module_from_spec, spec_from_file_location
from pathlib import Path
from types import ModuleType
from typing import Any

from hipport.errors import UsageError
from hipport.lazy_regex import regex
from hipport.source.convert.pipeline import Result
from hipport.source.text.include_directives import includes
from hipport.source.text.source_text import Code
from hipport.source.tree.file_task import Outcome

TABLES = ("PYTORCH_SPECIFIC_MAPPINGS", "C10_MAPPINGS")
"""The tables in torch.utils.hipify.cuda_to_hip_mappings for PyTorch's names, not CUDA's."""


_LEFT = "HP-API-009"
_RENAMED = regex(r"ATen/(?:native/(?:(?:nested|quantized|sparse|transformers)/)?)?cuda|THC(?!P)")
"""Headers that PyTorch renames for ROCm (hipify_python, `preprocessor`)."""
_PACKAGE = "hipport_hipify_of_torch"


def torch_version() -> str:
    """The release of the installed PyTorch; raises UsageError if there is none."""
    try:
        return metadata.version("torch")
    except metadata.PackageNotFoundError:
        raise UsageError(
            "no PyTorch in this environment, whose names are wanted",
            remedy="install hipport into the environment of PyTorch",
        ) from None


@cache
def torch_names() -> Callable[[bytes], bytes]:
    """A function that replaces PyTorch's names in a converted text with those for ROCm.

    The names differ between releases: newer ones keep `at::cuda` and `c10::cuda` on ROCm.
    Comments and literals stay.
    """
    tables = hipify_module("cuda_to_hip_mappings")
    paths = hipify_module("hipify_python")
    names: dict[str, str] = {}
    for table in TABLES:
        names.update(_strings(getattr(tables, table, {})))
    return Names(names, lambda name: str(paths.get_hip_file_path(name, True)))


def with_torch_names(result: Result, outcome: Outcome) -> None:
    """Replace PyTorch's names in a result, and drop the findings that they are left."""
    result.data = torch_names()(result.data)
    outcome.findings = [each for each in outcome.findings if each.code != _LEFT]


def hipify_module(name: str) -> ModuleType:
    """A module of torch.utils.hipify, loaded without PyTorch, whose import takes seconds."""
    if _PACKAGE not in sys.modules:
        torch = find_spec("torch")
        if torch is None or torch.origin is None:
            torch_version()
            raise UsageError("PyTorch has no files", remedy="install it again")
        folder = Path(torch.origin).parent / "utils" / "hipify"
        spec = spec_from_file_location(
            _PACKAGE, folder / "__init__.py", submodule_search_locations=[str(folder)]
        )
        assert spec and spec.loader
        package = module_from_spec(spec)
        sys.modules[_PACKAGE] = package
        try:
            spec.loader.exec_module(package)
        except OSError as error:
            del sys.modules[_PACKAGE]
            raise UsageError(
                f"{folder}: this PyTorch has no hipify ({error.strerror})",
                remedy="use a PyTorch that has it",
            ) from error
    return import_module(f"{_PACKAGE}.{name}")


def _strings(table: Mapping[str, Any]) -> dict[str, str]:
    """Before 2.11, a row also said what kind of name it is."""
    rows = ((key, row if isinstance(row, str) else row[0]) for key, row in table.items())
    return {key.strip(): str(new).strip() for key, new in rows}


class Names:
    """Replaces names in code, and headers of ATen that PyTorch renames."""

    def __init__(self, names: Mapping[str, str], renamed_file: Callable[[str], str]) -> None:
        self._names = names
        self._renamed_file = renamed_file
        every = "|".join(map(re.escape, sorted(names, key=len, reverse=True)))
        # Like PyTorch's RE_PYTORCH_PREPROCESSOR, except at the ends of a text.
        self._pattern = re.compile(rf"(?<!\w)(?:{every})(?!\w)")

    def __call__(self, data: bytes) -> bytes:
        code = Code(data)
        found = dict(self._in_includes(code))
        for match in self._pattern.finditer(code.code):
            found.setdefault(match.span(), self._names[match.group()])
        pieces, done = [], 0
        for (start, end), new in sorted(found.items()):
            if start < done:
                continue
            pieces += [data[done:start], new.encode("latin-1")]
            done = end
        return b"".join([*pieces, data[done:]])

    def _in_includes(self, code: Code) -> Iterator[tuple[tuple[int, int], str]]:
        for name, directive in includes(code):
            new = self._names.get(name)
            if new is None and _RENAMED.match(name):
                new = self._renamed_file(name)
            if new:
                start = code.text.index(name, directive.body.start)
                yield (start, start + len(name)), new
