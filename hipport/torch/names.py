"""PyTorch's own names on ROCm, by the tables of the installed PyTorch."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Mapping
from functools import cache
from typing import Any

from hipport.source.text.include_directives import includes
from hipport.source.text.source_text import Code

TABLES = ("PYTORCH_SPECIFIC_MAPPINGS", "C10_MAPPINGS")
"""The tables in torch.utils.hipify.cuda_to_hip_mappings that are about PyTorch, not about CUDA."""


@cache
def torch_names() -> Callable[[bytes], bytes]:
    """A function that gives a converted text PyTorch's names for ROCm.

    Which these are differs between releases: since 2.11, `at::cuda` and `c10::cuda` are the names
    on ROCm, too. Comments and literals stay.
    """
    from torch.utils.hipify import cuda_to_hip_mappings, hipify_python

    names: dict[str, str] = {}
    for table in TABLES:
        names.update(_strings(getattr(cuda_to_hip_mappings, table, {})))
    return Names(names, lambda name: str(hipify_python.get_hip_file_path(name, True)))


def _strings(table: Mapping[str, Any]) -> dict[str, str]:
    """Before 2.11, a row was the name for ROCm and what kind of name it is."""
    rows = ((key, row if isinstance(row, str) else row[0]) for key, row in table.items())
    return {key.strip(): str(new).strip() for key, new in rows}


class Names:
    """Replaces names in code, and the headers of ATen as PyTorch renames its files."""

    def __init__(self, names: Mapping[str, str], renamed_file: Callable[[str], str]) -> None:
        self._names = names
        self._renamed_file = renamed_file
        every = "|".join(map(re.escape, sorted(names, key=len, reverse=True)))
        # As PyTorch's RE_PYTORCH_PREPROCESSOR, but for the ends of a text.
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
            if new is None and re.match(r"ATen/(?:native/(?:\w+/)?)?cuda/", name):
                new = self._renamed_file(name)
            if new:
                start = code.text.index(name, directive.body.start)
                yield (start, start + len(name)), new
