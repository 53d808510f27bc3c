"""Headers that a target of CMake precompiles."""

from __future__ import annotations

from hipport.lazy_regex import regex
from hipport.model import Span
from hipport.source.buildfiles.build_file import LEFT
from hipport.source.buildfiles.cmake.cmake_file import RULE, CMakeFile
from hipport.source.languages.cmake_syntax import Command

# Other names are those of files of the project's.
_HEADER = regex(r"(?:(?<=<)|(?<=[\[\\]\"))[\w./+-]+(?=>|\\?\")")
_MAPPED, _KEPT = "map", "keep"
_LACKING = "ROCm has no such header: drop it here, or give it to targets that stay with nvcc"


def convert_headers(cmake: CMakeFile, command: Command) -> None:
    """Name ROCm's headers in place of CUDA's, as in #include."""
    file = cmake.file
    for argument in command.arguments[1:]:
        text = file.text[argument.whole.start : argument.whole.end]
        for match in _HEADER.finditer(text):
            rule = file.rules.headers.get(match[0])
            if rule is None or rule.action == _KEPT:
                continue
            start = argument.whole.start
            span = Span(start + match.start(), start + match.end())
            new = rule.roc if file.choices.libs == "roc" and rule.roc else rule.hip
            if rule.action == _MAPPED and new:
                file.edit(span, new, RULE)
            else:
                file.report(LEFT, span, {"reason": _LACKING})
