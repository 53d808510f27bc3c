"""The properties of a CUDA target as those of a HIP target, by the rules for build files."""

from __future__ import annotations

import re
from collections.abc import Iterator

import msgspec

from hipport.lazy_regex import regex
from hipport.model import Finding
from hipport.rulebook.load import load
from hipport.rulebook.nvcc_flags import Choices
from hipport.source.buildfiles.build_conversion import convert_build

_RECORD, _UNIT = "\x1e", "\x1f"
_PACKAGE = "find_package(CUDAToolkit REQUIRED)\n"
_PACKAGES = regex(r"((?:find_package\([^\n]*\)\n)*)(.*)", re.DOTALL)


class Properties(msgspec.Struct, frozen=True):
    """CMake commands that set the properties, and what they could not say."""

    text: str
    findings: tuple[tuple[str, Finding], ...]
    """Each after the name of the property that it is about."""


def converted_properties(given: str, libs: str) -> Properties:
    """The commands for properties of a target.

    `given` is `scope US property US value RS` for each, as CMake has them; the scope is what
    set_property takes before PROPERTY. A property that names HIP already is left as it is.
    """
    packages: dict[str, None] = {}
    texts: list[str] = []
    findings: list[tuple[str, Finding]] = []
    for record in filter(None, given.split(_RECORD)):
        scope, name, value = record.split(_UNIT)
        arguments = " ".join(f'"{_escaped(each)}"' for each in elements(value))
        # Of a package, only targets are used here.
        package = _PACKAGE if "::" in value else ""
        text = f"{package}set_property({scope} PROPERTY {name} {arguments})\n"
        result = convert_build(text.encode(), "CMakeLists.txt", "cmake", load(), Choices((), libs))
        found = _PACKAGES.match(result.data.decode())
        assert found
        packages.update(dict.fromkeys(found[1].splitlines()))
        texts.append(found[2])
        findings += ((name, each) for each in result.findings)
    packages.pop(_PACKAGE.strip(), None)
    text = "".join(f"{each}\n" for each in packages) + "".join(texts)
    return Properties(text, tuple(findings))


def elements(value: str) -> Iterator[str]:
    """The elements of a list, generator expressions kept whole; empty ones are left out."""
    depth = start = 0
    for match in re.finditer(r"\\;|\$<|>|;", value):
        if match.group() == "$<":
            depth += 1
        elif match.group() == ">":
            depth = max(0, depth - 1)
        elif match.group() == ";" and depth == 0:
            if match.start() > start:
                yield value[start : match.start()]
            start = match.end()
    if start < len(value):
        yield value[start:]


def _escaped(element: str) -> str:
    """The element as a quoted argument says it (cmake-language(7), escape sequences)."""
    return re.sub(r'(["\\])', r"\\\1", element).replace("${", "\\${")
