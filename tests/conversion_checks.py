"""What a correct conversion keeps, computed from the rule files and `tests.tokens` alone."""

from __future__ import annotations

import csv
import difflib
import re
import tomllib
from collections import Counter
from collections.abc import Set
from functools import cache
from itertools import pairwise
from pathlib import Path
from typing import NamedTuple

from tests.tokens import Token, names, tokens, untouchables

RULES = Path(__file__).resolve().parents[1] / "rules"
EDIT_WORDS = (
    "launch_macro",
    "kernel_name_macro",
    "dimension_type",
    "void_pointer_cast",
    "void_pointer_cast_c",
)
NO_TYPES = frozenset(("return", "else", "case", "goto", "new", "delete", "throw", "sizeof"))
DECLARATOR_ENDS = frozenset((";", "=", ",", "(", ")", "[", "{"))
QUOTED = re.compile(r'[<"]([^<>"\n]+)[>"]')
PARAMETERS = re.compile(r"#[ \t]*define[ \t]+\w+\(([^)\n]*)\)")
INCLUDE = re.compile(r"\s*#\s*include\b")


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
        renamed |= table.get("rename", {}) | table.get("existence", {})
    return renamed


@cache
def changing_names() -> frozenset[str]:
    """CUDA names whose use a conversion may change: another name in HIP, or other arguments."""
    renamed = {name for name, rules in rulebook().items() if any(r.hip != name for r in rules)}
    with (RULES / "transforms.tsv").open(encoding="utf-8", newline="") as file:
        moved = {row["cuda"] for row in csv.DictReader(file, delimiter="\t")}
    return frozenset(renamed | moved | guard_names().keys())


@cache
def introduced_names() -> frozenset[str]:
    """Every identifier that a conversion may add: HIP names and the words of its edits."""
    hip = {rule.hip for rules in rulebook().values() for rule in rules}
    texts = [name for name in hip if re.fullmatch(r"[\w:]+", name)]
    words = tomllib.loads((RULES / "vocabulary.toml").read_text("utf-8"))
    texts += [words[key] for key in EDIT_WORDS]
    with (RULES / "transforms.tsv").open(encoding="utf-8", newline="") as file:
        texts += [row["value"] for row in csv.DictReader(file, delimiter="\t")]
    texts += guard_names().values()
    return frozenset(re.findall(r"[A-Za-z_]\w*", "\n".join(texts)))


@cache
def unknown_name() -> re.Pattern[str]:
    """What looks like a name of a CUDA library though no rule knows it."""
    forms = [str(table["unknown"]) for table in libraries().values() if "unknown" in table]
    return re.compile("|".join(forms))


def changeable_lines(text: str) -> set[int]:
    """1-based lines that hold CUDA: its names and their arguments, launches, includes."""
    code = [token for token in tokens(text) if token.kind != "comment"]
    lines: set[int] = set()
    for index, token in enumerate(code):
        if token.kind == "include":
            lines.update(_lines(token))
        elif token.kind == "name" and token.text in changing_names():
            last = _closing(code, index + 1)
            lines.update(range(token.line, code[last].line + 1))
        elif token.text == "<<<":
            first, last = _launch(code, index)
            lines.update(range(code[first].line, code[last].line + 1))
    return lines


def _lines(token: Token) -> range:
    return range(token.line, token.line + token.text.count("\n") + 1)


def _closing(code: list[Token], index: int) -> int:
    """Index of the bracket that closes the one at `index`, or `index - 1` if none opens there."""
    if index >= len(code) or code[index].text != "(":
        return index - 1
    depth = 0
    for at in range(index, len(code)):
        depth += (code[at].text == "(") - (code[at].text == ")")
        if depth == 0:
            return at
    return index


def _launch(code: list[Token], chevron: int) -> tuple[int, int]:
    """First and last token of a launch: the kernel's name up to the first argument."""
    first = chevron - 1
    depth = 0
    while first > 0:
        text = code[first].text
        depth += (text in (">", ")", "]")) - (text in ("<", "(", "["))
        joined = code[first - 1].text in (":", ".", ">") or text in (":", ".", ">")
        if depth == 0 and code[first].kind == "name" and not joined:
            break
        if depth == 0 and text in (";", "{", "}"):
            break
        first -= 1
    last = chevron
    while last < len(code) - 1 and code[last].text != ">>>":
        last += 1
    return first, min(last + 2, len(code) - 1)


def foreign_names(text: str) -> Counter[str]:
    """How often each identifier occurs in code that is no CUDA name."""
    return Counter(name for name, _, _ in names(text) if name not in changing_names())


def differences(before: str, after: str) -> list[str]:
    """What is wrong with `after` as a conversion of `before`: empty when nothing is."""
    wrong = []
    if untouchables(before) != untouchables(after):
        wrong.append("comments or literals differ")
    old, new = foreign_names(before), foreign_names(after)
    wrong += [f"lost {name}" for name in old - new]
    wrong += [f"gained {name}" for name in new - old if name not in introduced_names()]
    free = changeable_lines(before)
    for tag, i1, i2, j1, j2 in opcodes(before, after):
        wrong += [f"line {i + 1} changed" for i in range(i1, i2) if i + 1 not in free]
        if tag == "insert":
            added = after.split("\n")[j1:j2]
            wrong += [f"added {line!r}" for line in added if not INCLUDE.match(line)]
    return wrong


def opcodes(before: str, after: str) -> list[tuple[str, int, int, int, int]]:
    """The changed hunks of two texts in 0-based lines, as difflib names them."""
    old, new = before.split("\n"), after.split("\n")
    head = 0
    while head < min(len(old), len(new)) and old[head] == new[head]:
        head += 1
    tail = 0
    while tail < min(len(old), len(new)) - head and old[-1 - tail] == new[-1 - tail]:
        tail += 1
    matcher = difflib.SequenceMatcher(
        None, old[head : len(old) - tail], new[head : len(new) - tail], autojunk=False
    )
    return [
        (tag, i1 + head, i2 + head, j1 + head, j2 + head)
        for tag, i1, i2, j1, j2 in matcher.get_opcodes()
        if tag != "equal"
    ]


def source_lines(before: str, after: str) -> list[range]:
    """For each line of `after`, by index from 0, the 1-based lines of `before` it may stem from."""
    origin: list[range] = []
    shift = 0
    for _, i1, i2, j1, j2 in [*opcodes(before, after), ("end", 0, 0, after.count("\n") + 1, 0)]:
        origin += [range(j + 1 - shift, j + 2 - shift) for j in range(len(origin), j1)]
        if i2 - i1 == j2 - j1:
            origin += [range(i + 1, i + 2) for i in range(i1, i2)]
        else:
            origin += [range(i1 + 1, i2 + 1)] * (j2 - j1)
        shift = j2 - i2
    return origin


def may_be_left(text: str) -> bool:
    """Whether any identifier of the text, comments and literals included, is CUDA's alone."""
    found = set(re.findall(r"[A-Za-z_]\w*", text))
    return any(_is_cuda(name) for name in found)


def _is_cuda(name: str) -> bool:
    rules = rulebook().get(name)
    if rules is None:
        return unknown_name().fullmatch(name) is not None
    return all(rule.hip != name for rule in rules)


def own_names(text: str) -> set[str]:
    """Names that this text declares: macros, classes and namespaces; where no rule knows the
    name, variables, functions and parameters of macros too."""
    if not may_be_left(text):
        return set()
    code = [token for token in tokens(text) if token.kind not in ("comment", "prose")]
    own = {
        token.text
        for before, token in pairwise(code)
        if before.text in ("define", "class", "struct", "using", "namespace")
    }
    declared = {code[at].text for at in range(len(code)) if _declares(code, at)}
    declared.update(*(macro[1].replace(" ", "").split(",") for macro in PARAMETERS.finditer(text)))
    return own | (declared - rulebook().keys())


@cache
def headers() -> dict[str, str]:
    """CUDA header -> what `rules/headers.tsv` says is done with an include of it."""
    with (RULES / "headers.tsv").open(encoding="utf-8", newline="") as file:
        return {row["cuda"]: row["action"] for row in csv.DictReader(file, delimiter="\t")}


def left_headers(text: str) -> list[tuple[str, int]]:
    """Included CUDA headers, with their lines, that HIP does not have under that name."""
    if all(headers().get(name, "keep") == "keep" for name in QUOTED.findall(text)):
        return []
    found = []
    for token in tokens(text):
        if token.kind == "include" and token.text.startswith("#"):
            name = QUOTED.findall(token.text)[0]
            if headers().get(name, "keep") != "keep":
                found.append((name, token.line))
    return found


def left_launches(text: str) -> list[tuple[str, int]]:
    """Triple chevrons in code, with their lines."""
    if "<<<" not in text:
        return []
    return [(token.text, token.line) for token in tokens(text) if token.text == "<<<"]


def left_names(text: str, elsewhere: Set[str] = frozenset()) -> list[tuple[str, int]]:
    """CUDA names, with their lines, that HIP does not have and that are not the user's own.

    The user's own are members (`a.cudaFree`), names in a namespace or class (`a::cudaFree`), what
    the text declares, and what no rule knows but the tree declares `elsewhere`.
    """
    if not may_be_left(text):
        return []
    code = [token for token in tokens(text) if token.kind not in ("comment", "prose")]
    own = own_names(text) | (elsewhere - rulebook().keys())
    found = []
    for index, token in enumerate(code):
        if token.kind != "name" or token.text in own or _is_qualified(code, index):
            continue
        rules = rulebook().get(token.text, [])
        opens = "".join(each.text for each in code[index + 1 : index + 3]) == "::"
        if rules and not opens and all(rule.kind == "namespace" for rule in rules):
            continue
        if _is_cuda(token.text):
            found.append((token.text, token.line))
    return found


def _declares(code: list[Token], index: int) -> bool:
    """Whether the name at `index` stands behind a type and in front of what ends a declarator."""
    if code[index].kind != "name" or not 1 < index < len(code) - 1:
        return False
    before, type_ = code[index - 1], code[index - 2]
    if before.text in ("*", "&"):
        typed = type_.kind == "name" or type_.text in (">", "(", "*", "&")
    else:
        typed = before.text == ">" or (before.kind == "name" and before.text not in NO_TYPES)
    return typed and code[index + 1].text in DECLARATOR_ENDS


def _is_qualified(code: list[Token], index: int) -> bool:
    before = "".join(token.text for token in code[max(0, index - 2) : index])
    if before.endswith((".", "->")) and not before.endswith(".."):
        return True
    return before.endswith("::") and index >= 3 and code[index - 3].kind == "name"
