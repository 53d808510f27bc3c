"""The public names that headers declare, read without a compiler.

A compiler sees one branch of each conditional; here the names of all branches count, which is what
a rulebook for every release and every platform needs. Names that begin with an underscore are the
vendor's own, as the C standard reserves them ([C17] 7.1.3).
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from pathlib import Path

from hipport.files import read
from hipport.lazy_regex import regex
from hipport.named_tuples import NamedTuple
from hipport.source.text.source_text import Code

_LARGEST = 32 << 20
_ENDINGS = frozenset((".h", ".hpp", ".cuh"))
_TOKEN = regex(r"[A-Za-z_]\w*|::|[{}();,=<>\[\]:]|\d[\w.]*")
_MACRO = regex(r"\s*([A-Za-z_]\w*)")
# cuda.h: `#define cuMemAlloc cuMemAlloc_v2` makes the declaration of one name that of the other.
_OTHER_NAME = regex(r"[ \t]+(?:__CUDA_API_PT\w+[ \t]*\([ \t]*)?([A-Za-z_]\w*)[ \t]*\)?\s*")
_TAGS = frozenset(("struct", "class", "union", "enum"))
# The text before the brace of a scope: `extern "C"`, whose literal is blank, or a namespace.
_NAMED_SCOPE = regex(r"(?:^|\s)(?:extern|(?:inline )?namespace(?: (?P<name>\w+)[ \w:]*)?)$")
# What is before `(` without being the name of a function.
_NO_FUNCTIONS = regex(
    r"__\w*__|__declspec|__align__|alignas|noexcept|decltype|static_assert|_Static_assert|operator"
    r"|if|for|while|switch|return|sizeof|defined|[A-Z0-9_]+"
)
_NO_NAMES = frozenset(("const", "final", "override", "noexcept", "volatile", "__restrict__"))
_GUARD = regex(r"\w*_(?:H|HPP|CUH|INCLUDED)_*|\w+_H_\w*", re.IGNORECASE)


class HeaderName(NamedTuple):
    """A name that a header declares; `kind` is one of those of rules/api."""

    name: str
    kind: str
    header: str


def names_in(folders: Iterable[Path]) -> dict[str, HeaderName]:
    """Name -> where the first header in the folders declares it, those of outer folders first.

    A name in a namespace is not among them: the namespace is, as `namespace`.
    """
    found: dict[str, HeaderName] = {}
    for folder in folders:
        paths = [each for each in folder.rglob("*") if each.suffix in _ENDINGS]
        # A header in a folder within repeats what the one above it declares.
        for path in sorted(paths, key=lambda each: (len(each.parts), each)):
            header = path.relative_to(folder).as_posix()
            code = Code(read(path, _LARGEST))
            for name, kind in declared(code):
                if not name.startswith("_"):
                    found.setdefault(name, HeaderName(name, kind, header))
    return found


def declared(code: Code) -> Iterator[tuple[str, str]]:
    """The names that a header declares outside of functions and classes, with their kinds."""
    yield from _macros(code)
    yield from _Scopes(_without_directives(code)).names()


def _macros(code: Code) -> Iterator[tuple[str, str]]:
    """The macros of a header, without include guards.

    What a macro makes of its name when a function is declared by it is declared, too.
    """
    for each in code.directives:
        if each.keyword != "define":
            continue
        match = _MACRO.match(code.code, each.body.start)
        if match and not (_GUARD.fullmatch(match[1]) and match.end() == each.body.end):
            yield match[1], "macro"
            other = _OTHER_NAME.fullmatch(code.code, match.end(), each.body.end)
            if other and other[1].startswith(match[1]):
                yield other[1], "function"


def _without_directives(code: Code) -> str:
    pieces: list[str] = []
    done = 0
    for each in code.directives:
        pieces += code.code[done : each.span.start], " "
        done = each.span.end
    return "".join((*pieces, code.code[done:]))


class _Scopes:
    """Walks over the declarations of a text, by its braces and semicolons."""

    def __init__(self, text: str) -> None:
        self.tokens = _TOKEN.findall(text)
        self.at = 0

    def names(self, *, is_named: bool = False) -> Iterator[tuple[str, str]]:
        """What a scope declares up to its end; nothing but namespaces within one with a name."""
        statement: list[str] = []
        while self.at < len(self.tokens):
            token = self.tokens[self.at]
            self.at += 1
            if token == "}":
                return
            if token == ";":
                yield from () if is_named else _statement(statement)
                statement = []
            elif token != "{":
                statement.append(token)
            elif (opened := _NAMED_SCOPE.search(" ".join(statement))) is not None:
                name = opened["name"] or ""
                if name and not is_named:
                    yield name, "namespace"
                yield from self.names(is_named=is_named or bool(name))
                statement = []
            else:
                body = self._body()
                tag = _tag(statement)
                if tag is None:
                    # A function with its body; an initializer goes on to its semicolon.
                    yield from () if is_named else _statement(statement)
                    statement = [] if "=" not in statement else ["="]
                    continue
                if not is_named:
                    yield from ((name, "type") for name in [tag] if name)
                    is_open = "enum" in statement and _TAGS.isdisjoint({*statement} - {"enum"})
                    yield from ((name, "enum_value") for name in _enumerators(body) if is_open)
                statement = ["typedef", tag] if "typedef" in statement else ["="]

    def _body(self) -> list[str]:
        """The tokens up to the brace that closes the one before."""
        start, depth = self.at, 1
        while self.at < len(self.tokens) and depth:
            token = self.tokens[self.at]
            depth += (token == "{") - (token == "}")
            self.at += 1
        return self.tokens[start : self.at - 1]


def _tag(statement: list[str]) -> str | None:
    """The name of the type whose body follows, "" for one without a name; None for no type."""
    for at, token in enumerate(statement):
        if token == "(":
            return None
        if token in _TAGS and (at == 0 or statement[at - 1] not in ("<", ",")):
            rest = statement[at + 1 :]
            base = rest.index(":") if ":" in rest else len(rest)
            words = [each for each in _outside(rest[:base]) if each.isidentifier()]
            names = [each for each in words if each not in _NO_NAMES | _TAGS]
            return names[-1] if names else ""
    return None


def _outside(tokens: list[str]) -> Iterator[str]:
    """The tokens outside parentheses, without words right before parentheses."""
    depth = 0
    for at, token in enumerate(tokens):
        if token == "(":
            depth += 1
        elif token == ")":
            depth -= 1
        elif depth == 0 and tokens[at + 1 : at + 2] != ["("]:
            yield token


def _enumerators(body: list[str]) -> Iterator[str]:
    depth, is_start = 0, True
    for token in body:
        if depth == 0 and is_start and token.isidentifier():
            yield token
        depth += (token in "([{") - (token in ")]}")
        is_start = token == "," and depth == 0


def _statement(tokens: list[str]) -> Iterator[tuple[str, str]]:
    """What one declaration declares: a function, a type by another name."""
    if not tokens or "friend" in tokens or tokens[0] == "=":
        return
    if tokens[0] == "using":
        if tokens[2:3] == ["="]:
            yield tokens[1], "type"
        return
    if "typedef" in tokens:
        yield from ((name, "type") for name in _typedefs(tokens))
        return
    if tokens[0] in _TAGS and len(tokens) == 2:
        yield tokens[1], "type"
        return
    for at, token in enumerate(tokens[:-1]):
        if token == "=":
            return
        is_name = tokens[at + 1] == "(" and token.isidentifier() and at > 0
        if is_name and not _NO_FUNCTIONS.fullmatch(token):
            if tokens[at - 1] != "::":
                yield token, "function"
            return


def _typedefs(tokens: list[str]) -> Iterator[str]:
    """The names that a typedef declares: `T a, *b`, `T (*f)(int)`, `T a[4]`."""
    pointer = re.search(r"\( (?:\w+ )*?(\w+) \) \(", " ".join(tokens) + " ")
    if pointer:
        yield pointer[1]
        return
    depth, last = 0, ""
    for token in (*tokens, ","):
        depth += (token in "([<") - (token in ")]>")
        if depth == 0 and token == "," and last:
            yield last
            last = ""
        elif depth == 0 and token.isidentifier():
            last = token
        elif depth == 1 and token == "(" and last:
            yield last
            return
