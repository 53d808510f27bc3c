"""What the headers of a ROCm release declare, as hip-python and rocm-bindings have it for Cython.

Each is made from the headers of its release; C++ (templates, device code) and macros that are no
numbers are not in them.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from functools import cache

from tests.support.remote_headers import headers, rocm_pins

_BLOCK = re.compile(r'(?:cdef|ctypedef) (enum|struct|union)(?: (\w+))?(?: ".*")?:?')
_NAMES = (
    re.compile(r"cdef .*?[ *](\w+)\(.*\).*"),
    re.compile(r"cdef (?:const )?\w+ (\w+)"),
    re.compile(r"ctypedef .*\(\s*\*\s*(\w+)\).*"),
    re.compile(r'ctypedef .*?(\w+)(?: ".*")?'),
)


@cache
def declared(release: str) -> dict[str, frozenset[str]]:
    """Library (`hip`, `hipblas`, `rccl`, …) -> its names in a release; all are read once."""
    found: dict[str, frozenset[str]] = {}
    for pin in rocm_pins()[release]:
        for path in headers(pin).rglob("c*.pxd"):
            library = re.sub(r"^cy?", "", path.stem)
            found[library] = frozenset(_names(path.read_text("utf-8")))
    return found


def _names(text: str) -> Iterator[str]:
    inside, depth = "", 0
    for line in text.splitlines():
        words = line.strip()
        if not words or words.startswith("#"):
            continue
        indent = len(line) - len(line.lstrip())
        if inside and indent > depth:
            if inside == "enum":
                yield re.split(r"\W", words)[0]
            continue
        inside = ""
        block = _BLOCK.fullmatch(words)
        if block:
            inside, depth = (block[1] if words.endswith(":") else ""), indent
            yield from filter(None, [block[2]])
        else:
            yield from [match[1] for each in _NAMES if (match := each.fullmatch(words))][:1]


_FUNCTION = re.compile(r"^cdef .*?[ *](\w+)\((.*)\)", re.MULTILINE)
_OTHER_NAMES = {
    "size_t": "unsigned long",
    "uint64_t": "unsigned long",
    "int64_t": "long",
    "uint32_t": "unsigned int",
    "int32_t": "int",
    "uint16_t": "unsigned short",
    "uint8_t": "unsigned char",
}


@cache
def parameters(release: str) -> dict[str, tuple[str, ...]]:
    """Function -> the types of its parameters, without const and their names."""
    return {
        match[1]: tuple(map(_type, re.split(r",(?![^(]*\))", match[2])))
        for pin in rocm_pins()[release]
        for path in headers(pin).rglob("c*.pxd")
        for match in _FUNCTION.finditer(path.read_text("utf-8"))
    }


def _type(written: str) -> str:
    text = re.sub(r"\b(?:const|struct|enum)\b", "", written).strip()
    if "(" not in text:
        text = re.sub(r"(?<=[\s*])\w+(\[\w*\])?$", lambda name: "*" if name[1] else "", text)
    text = re.sub(r"\w+", lambda word: _OTHER_NAMES.get(word[0], word[0]), text)
    # RCCL counts the versions of its structure up.
    return re.sub(r"\s+", "", re.sub(r"ncclConfig_v\d+", "ncclConfig", text))
