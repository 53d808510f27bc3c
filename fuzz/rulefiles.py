"""What has to hold for rules and settings of strangers: HipportError with a place, or fine.

An input is several files: each begins with a line `=== NAME`.
"""

from __future__ import annotations

import contextlib
import re
import tempfile
from pathlib import Path

from hipport.config import read_config
from hipport.errors import HipportError
from hipport.rulebook.extended_rules import ExtendedRules
from hipport.rulebook.load import load
from hipport.rulebook.user_rules import read_user_rules
from hipport.source.convert.pipeline import convert_source, default_options
from hipport.source.names.counterparts import Decisions

ROOT = Path(__file__).resolve().parents[1]
NAMES = ("api/runtime.tsv", "api/mine.tsv", "headers.tsv", "transforms.tsv", "libraries.toml")
CHECKS = ("checks/MINE-API-001.toml", "checks/deeper/MINE-API-002.toml")
CONFIGS = ("hipport.toml", "pyproject.toml")
_MARK = re.compile(rb"^=== ([a-zA-Z0-9/.-]{1,40})\n", re.MULTILINE)
_SOURCE = b"""#include <cuda_runtime.h>
#include "mine.h"
int f(void *p) { mineAlloc(&p, 4, 0); cudaMalloc(&p, 4); k<<<1, 2>>>(p); return cudaFree(p); }
"""


def exercise_rules(data: bytes) -> None:
    """Read the files as a folder of rules or a configuration, and convert something with them."""
    with tempfile.TemporaryDirectory(prefix="hipport-fuzz-") as name:
        folder = Path(name)
        for path, content in _files(data).items():
            (folder / path).parent.mkdir(parents=True, exist_ok=True)
            (folder / path).write_bytes(content)
        for path in CONFIGS:
            with contextlib.suppress(HipportError):
                read_config(folder / path)
        found = read_user_rules(folder, load())
        for is_audit in (False, True):
            with contextlib.suppress(HipportError):
                rules = ExtendedRules(load(is_audit=is_audit), (name,))
                assert not found.faults
                decisions = Decisions(rules, default_options(rules))
                convert_source(_SOURCE, "a.cu", "cuda", decisions)


def _files(data: bytes) -> dict[str, bytes]:
    """The files of an input, by names that the rules' reader looks for."""
    parts = _MARK.split(data)
    found = {}
    for name, content in zip(parts[1::2], parts[2::2], strict=True):
        if name.decode() in (*NAMES, *CHECKS, *CONFIGS):
            found[name.decode()] = content
    return found


def rule_seeds() -> list[bytes]:
    """The house's own files, shortened, under the names that a user's may have."""
    rules = ROOT / "rules"
    seeds = [
        _file(name, b"".join((rules / name).read_bytes().splitlines(keepends=True)[:12]))
        for name in ("api/runtime.tsv", "headers.tsv", "transforms.tsv")
    ]
    library = b'[mine]\ntitle = "Mine"\npolicy = "map"\nunknown = "mine[A-Z]"\nstems = ["mine"]\n'
    api = b"cuda\thip\tkind\tstatus\nmineAlloc\thipAlloc\tfunction\tsupported\n"
    seeds.append(_file("libraries.toml", library) + _file("api/mine.tsv", api))
    for path in sorted((rules / "checks").rglob("*.toml")):
        text = path.read_bytes().replace(path.stem.encode(), b"MINE-API-001")
        seeds.append(_file(CHECKS[0], text[:4000]))
    text = b'rocm = "6.2"\ntargets = ["gfx90a"]\nlibs = "roc"\nexclude = ["a/**"]\n'
    text += b'[severity]\nHP-API-001 = "error"\n[per-file-ignores]\n"a/*" = ["HP-API-001"]\n'
    return [
        *seeds,
        _file("hipport.toml", text),
        _file("pyproject.toml", b"[tool.hipport]\n" + text),
    ]


def _file(name: str, content: bytes) -> bytes:
    return b"=== " + name.encode() + b"\n" + content
