"""Translates nvcc flags in a text that is rewritten as a whole."""

from __future__ import annotations

from collections.abc import Sequence

from hipport.model import Span
from hipport.rulebook.nvcc_flags import translate
from hipport.rulebook.toolkit_folders import rocm_folder
from hipport.source.buildfiles.build_file import BuildFile


def translated(file: BuildFile, words: Sequence[str], span: Span) -> list[str]:
    """The words as clang takes them; findings about them get this span."""
    new: list[str] = []
    done = 0
    for flag in translate(words, file.choices, file.rules, rocm_folder(file.rules)):
        new += [*words[done : flag.start], *flag.new]
        done = flag.end
        file.report_flag(flag, span)
    return [*new, *words[done:]]
