"""Blocks of `extern "C"`, in which no header with templates compiles."""

from __future__ import annotations

from functools import lru_cache

from hipport.model import Span
from hipport.source.text.brackets import paired_braces
from hipport.source.text.quick_search import matches
from hipport.source.text.source_text import Code

_OPENING = r'\bextern\s*"C"\s*\{'
_WORD = "extern"


def cpp_linkage(code: Code, offset: int) -> tuple[tuple[str, ...], tuple[str, ...]]:
    """The lines before and behind what is to have C++ linkage at an offset; none where it has.

    nvcc has included cuda_runtime.h before the first line of a file, so that an include of it in
    such a block does nothing; HIP's headers have templates, which need C++ linkage.
    """
    for opened, inside in _blocks(code):
        if inside.start <= offset < inside.end:
            own = code.branch_at(offset)
            branch = code.branch_at(opened)
            if branch == own[: len(branch)]:
                return ('extern "C++" {',), ("}",)
            test = "#ifdef __cplusplus"
            return (test, 'extern "C++" {', "#endif"), (test, "}", "#endif")
    return (), ()


def before_c_linkage(code: Code, offset: int) -> int:
    """Where the block around an offset is opened, or the conditional that it is opened in.

    The offset itself where it is in none.
    """
    for opened, inside in _blocks(code):
        if inside.start <= offset < inside.end:
            branch, own = code.branch_at(opened), code.branch_at(offset)
            depth = len([each for each in zip(branch, own, strict=False) if each[0] == each[1]])
            return branch[depth][0] if depth < len(branch) else opened
    return offset


@lru_cache(maxsize=1)
def _blocks(code: Code) -> tuple[tuple[int, Span], ...]:
    """Where each block is opened, and what is in it."""
    if _WORD not in code.words:
        return ()
    braces = paired_braces(code.code)
    return tuple(
        (match.start(), Span(match.end(), braces.get(match.end() - 1, len(code.code))))
        for match in matches(_OPENING, code.text)
        if code.code.startswith(_WORD, match.start())
    )
