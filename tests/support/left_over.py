"""What CUDA is left in converted code: names, headers and launches that HIP does not have."""

from __future__ import annotations

import re
from collections.abc import Set
from functools import cache, lru_cache
from itertools import pairwise

from tests.support.rule_tables import headers, rulebook, unknown_name
from tests.support.tokens import Token, tokens

NO_TYPES = frozenset(("return", "else", "case", "goto", "new", "delete", "throw", "sizeof"))
DECLARATOR_ENDS = frozenset((";", "=", ",", "(", ")", "[", "{"))
QUOTED = re.compile(r'[<"]([^<>"\n]+)[>"]')
PARAMETERS = re.compile(r"#[ \t]*define[ \t]+\w+\(([^)\n]*)\)")


def may_be_left(text: str, own: Set[str] = frozenset()) -> bool:
    """Whether any identifier, also in comments and literals, is CUDA's and not the user's own."""
    return not _cuda_names(text) <= own


@lru_cache(maxsize=1024)
def _cuda_names(text: str) -> frozenset[str]:
    return frozenset(name for name in re.findall(r"[A-Za-z_]\w*", text) if _is_cuda(name))


@cache
def _is_cuda(name: str) -> bool:
    rules = rulebook().get(name)
    if rules is None:
        return unknown_name().fullmatch(name) is not None
    return all(rule.hip != name for rule in rules)


@lru_cache(maxsize=1024)
def own_names(text: str) -> frozenset[str]:
    """Names that this text declares: macros, classes, namespaces, and types of HIP's; where no
    rule knows the name, variables, functions and parameters of macros too."""
    if not may_be_left(text):
        return frozenset()
    code = [token for token in tokens(text) if token.kind not in ("comment", "prose")]
    own = {
        token.text
        for before, token in pairwise(code)
        if before.text in ("define", "class", "struct", "using", "namespace")
    }
    threes = zip(code, code[1:], code[2:], strict=False)
    own |= {name.text for word, type_, name in threes if _is_hip_type(word, type_)}
    declared = {code[at].text for at in range(len(code)) if _declares(code, at)}
    declared.update(*(macro[1].replace(" ", "").split(",") for macro in PARAMETERS.finditer(text)))
    return frozenset(own | (declared - rulebook().keys()))


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
    own = own_names(text) | (elsewhere - rulebook().keys())
    if not may_be_left(text, own):
        return []
    code = [token for token in tokens(text) if token.kind not in ("comment", "prose")]
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


def _is_hip_type(word: Token, type_: Token) -> bool:
    return word.text == "typedef" and type_.text.lstrip("_").startswith("hip")


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
