"""The rule files as the checks of converted code need them, read without the converter."""

from __future__ import annotations

import csv
import re
import tomllib
from functools import cache
from typing import Any, NamedTuple

from tests.support.folders import CHECKOUT

RULES = CHECKOUT / "rules"
EDIT_WORDS = (
    "launch_macro",
    "kernel_name_macro",
    "dimension_type",
    "void_pointer_cast",
    "void_pointer_cast_c",
)


class Rule(NamedTuple):
    """The columns of `rules/api/*.tsv` that a check needs."""

    kind: str
    hip: str


@cache
def libraries() -> dict[str, dict[str, object]]:
    """The tables of `rules/libraries.toml`."""
    return tomllib.loads((RULES / "libraries.toml").read_text("utf-8"))


@cache
def rulebook() -> dict[str, list[Rule]]:
    """Every CUDA name of the rules that may be applied; of a namespace its own last part."""
    book: dict[str, list[Rule]] = {}
    for path in sorted((RULES / "api").glob("*.tsv")):
        if libraries()[path.stem].get("policy") == "none":
            continue
        with path.open(encoding="utf-8", newline="") as file:
            for row in csv.DictReader(file, delimiter="\t", quoting=csv.QUOTE_NONE):
                name = row["cuda"].rpartition("::")[2]
                if name.startswith("std"):
                    continue
                rule = Rule(row["kind"], row["hip"])
                book.setdefault(name, []).append(rule)
    return book


@cache
def guard_names() -> dict[str, str]:
    """Macros of CUDA's compiler that have a counterpart in HIP's, with that counterpart."""
    renamed: dict[str, str] = {}
    for path in (RULES / "checks").glob("*.toml"):
        table = tomllib.loads(path.read_text("utf-8"))
        for key in ("rename", "existence", "existence_in_hip_libraries"):
            renamed |= table.get(key, {})
    return renamed


@cache
def warp_names() -> frozenset[str]:
    """What a conversion writes anew so that a warp keeps its 32 lanes."""
    words = warps()
    names = {
        *words["helpers"],
        *device_functions(),
        words["variable"],
        *words["device"]["asking"],
        "asm",
        "volatile",
    }
    return frozenset(names | words["templates"].keys() | {"__asm__", "__volatile__"})


@cache
def edited_names() -> dict[str, str]:
    """Names that an edit by an expression replaces, with the name that it writes."""
    renamed: dict[str, str] = {}
    for path in (RULES / "rewrites").glob("*.toml"):
        for edit in tomllib.loads(path.read_text("utf-8")).get("edits", {}).values():
            name = re.search(r"\(\?P<symbol>(\w+)\)", edit.get("pattern", ""))
            if name and edit.get("replacement", "").isidentifier():
                renamed[name[1]] = edit["replacement"]
    return renamed


@cache
def changing_names() -> frozenset[str]:
    """CUDA names whose use a conversion may change: another name in HIP, or other arguments."""
    renamed = {name for name, rules in rulebook().items() if any(r.hip != name for r in rules)}
    with (RULES / "transforms.tsv").open(encoding="utf-8", newline="") as file:
        moved = {row["cuda"] for row in csv.DictReader(file, delimiter="\t")}
    others = guard_names().keys() | edited_names().keys() | warp_names()
    return frozenset(renamed | moved | others)


@cache
def device_functions() -> dict[str, str]:
    """CUDA's function -> the helper that stands in for it."""
    table = tomllib.loads((RULES / "device_functions.toml").read_text("utf-8"))
    helpers: dict[str, str] = table["helpers"]
    return helpers


def warps() -> dict[str, Any]:
    """`rules/warps.toml`."""
    return tomllib.loads((RULES / "warps.toml").read_text("utf-8"))


@cache
def introduced_names() -> frozenset[str]:
    """Every identifier that a conversion may add: HIP names and the words of its edits."""
    hip = {rule.hip for rules in rulebook().values() for rule in rules}
    texts = [name for name in hip if re.fullmatch(r"[\w:]+", name)]
    words = tomllib.loads((RULES / "spellings.toml").read_text("utf-8"))
    texts += [words[key] for key in EDIT_WORDS]
    with (RULES / "transforms.tsv").open(encoding="utf-8", newline="") as file:
        texts += [row["value"] for row in csv.DictReader(file, delimiter="\t")]
    texts += [*guard_names().values(), *edited_names().values()]
    texts += [
        *device_functions().values(),
        *warps()["helpers"].values(),
        *warps()["registers"].values(),
        "hipcub",
    ]
    texts += [warps()["device"]["helper"], "WARP_LOAD_DIRECT WARP_STORE_DIRECT"]
    texts += ["ifndef __HIP_PLATFORM_AMD__", "ifdef __HIPCC__", "endif"]
    texts += ["static_cast<unsigned int>", "static_cast<long>", "static_cast<size_t>"]
    return frozenset(re.findall(r"[A-Za-z_]\w*", "\n".join(texts)))


@cache
def unknown_name() -> re.Pattern[str]:
    """What looks like a name of a CUDA library though no rule knows it."""
    forms = [str(table["unknown"]) for table in libraries().values() if "unknown" in table]
    return re.compile("|".join(forms))


@cache
def headers() -> dict[str, str]:
    """CUDA header -> what `rules/headers.tsv` says is done with an include of it."""
    with (RULES / "headers.tsv").open(encoding="utf-8", newline="") as file:
        return {row["cuda"]: row["action"] for row in csv.DictReader(file, delimiter="\t")}
