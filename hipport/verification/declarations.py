"""What a vendor's headers declare: functions with their types, other names, and aliases."""

from __future__ import annotations

import json
import re
import subprocess
import sys
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

import msgspec

from hipport.errors import HipportError
from hipport.files import read
from hipport.lazy_regex import regex
from hipport.named_tuples import NamedTuple
from hipport.verification.parser_process import limit

_CHILD = Path(__file__).with_name("declarations_child.py")
_SECONDS = 300
_LARGEST = 16 << 20
# cuda.h: `#define cuMemAlloc cuMemAlloc_v2`, `#define cuMemcpy __CUDA_API_PTDS(cuMemcpy)`.
_ALIAS = regex(
    r"^[ \t]*#[ \t]*define[ \t]+(\w+)[ \t]+(?:__CUDA_API_PT\w+[ \t]*\()?(\w+)\)?"
    r"[ \t]*(?:/[/*].*)?$",
    re.MULTILINE | re.ASCII,
)


class Type(NamedTuple):
    """A type as written, without aliases, and its class: integer, float, enum, pointer, other."""

    written: str
    canonical: str
    family: str


class Function(NamedTuple):
    """`needed` parameters have no default; `templates` is how many parameters a template has."""

    result: Type
    parameters: tuple[Type, ...]
    needed: int
    takes_more: bool = False
    templates: int = 0

    def takes(self, count: int) -> bool:
        return self.needed <= count and (self.takes_more or count <= len(self.parameters))


class Declarations(msgspec.Struct):
    """The names that a set of headers declares."""

    version: str
    functions: dict[str, list[Function]] = msgspec.field(default_factory=dict)
    others: dict[str, str] = msgspec.field(default_factory=dict)
    """Name -> `type` or `enum_value`."""
    typedefs: dict[str, str] = msgspec.field(default_factory=dict)
    """Name -> the type that it stands for."""
    aliases: dict[str, str] = msgspec.field(default_factory=dict)
    """Macro -> the name it expands to."""

    def function(self, name: str) -> list[Function]:
        """The overloads of a function; those of the function behind a macro come first."""
        return self.functions.get(self.aliases.get(name, ""), []) or self.functions.get(name, [])

    def has(self, name: str) -> bool:
        return bool(name in self.others or name in self.aliases or self.function(name))


def read_declarations(
    folders: Sequence[Path],
    headers: Sequence[str],
    arguments: Sequence[str],
    version_macros: Sequence[str],
    library: str,
) -> Declarations:
    """The declarations of those of the headers that are in the folders.

    Raises HipportError where none of them is, or libclang cannot read them.
    """
    present = [name for name in headers if any((folder / name).is_file() for folder in folders)]
    if not present:
        places = ", ".join(map(str, folders))
        raise HipportError(f"{places}: none of {', '.join(headers[:3])} …", remedy="check the path")
    text = "".join(f"#include <{name}>\n" for name in present)
    paths = [word for folder in folders for word in ("-isystem", str(folder.absolute()))]
    answer = _ask(library, [*arguments, *paths], text)
    texts = list(_texts(folders))
    found = Declarations(
        _version(texts, version_macros), others=answer["others"], typedefs=answer["typedefs"]
    )
    for name, overloads in answer["functions"].items():
        found.functions[name] = [
            Function(Type(*result), tuple(Type(*each) for each in parameters), *rest)
            for result, parameters, *rest in overloads
        ]
    for each in texts:
        found.aliases.update(
            (name, target)
            for name, target in _ALIAS.findall(each)
            if target in found.functions or target in found.others
        )
    return found


def _ask(library: str, arguments: Sequence[str], text: str) -> dict[str, Any]:
    command = [sys.executable, "-I", str(_CHILD), library, *arguments, "-w", "-ferror-limit=0"]
    try:
        done = subprocess.run(
            command,
            input=text.encode(),
            capture_output=True,
            timeout=_SECONDS,
            check=False,
            preexec_fn=limit,
        )
        answer = json.loads(done.stdout)
    except (subprocess.TimeoutExpired, ValueError) as error:
        raise HipportError(
            f"libclang could not read the headers ({type(error).__name__})",
            remedy="try another with --libclang",
        ) from error
    if not answer["functions"]:
        raise HipportError(
            f"the headers declare nothing: {'; '.join(answer['errors'][:3])}",
            remedy="check the paths",
        )
    return dict(answer)


def _texts(folders: Sequence[Path]) -> Iterator[str]:
    for folder in folders:
        for path in sorted(folder.rglob("*.h")):
            yield read(path, _LARGEST).decode("latin-1")


def _version(texts: Sequence[str], macros: Sequence[str]) -> str:
    """`13.0` of CUDA_VERSION 13000, `7.2` of HIP_VERSION_MAJOR and _MINOR; "" if not defined."""
    numbers = []
    for macro in macros:
        pattern = re.compile(rf"#define\s+{macro}\s+(\d{{1,6}})\b", re.ASCII)
        found = next((match for text in texts if (match := pattern.search(text))), None)
        numbers.append(int(found[1]) if found else 0)
    if len(numbers) == 1:
        numbers = [numbers[0] // 1000, numbers[0] % 1000 // 10]
    return ".".join(map(str, numbers)) if any(numbers) else ""
