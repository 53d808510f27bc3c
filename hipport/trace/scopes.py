"""The scopes around a place in a source: namespaces, classes, templates, functions, loops."""

from __future__ import annotations

import re
from bisect import bisect_right
from functools import lru_cache

from hipport.lazy_regex import regex
from hipport.model import Span
from hipport.named_tuples import NamedTuple
from hipport.source.text.brackets import opening_bracket, skip_back, word_before
from hipport.source.text.source_text import Code
from hipport.trace.model import Parameter
from hipport.trace.written_names import split_list, template_end

_TOKEN = regex(r"[(){};]")
_NAMESPACE = regex(r"\bnamespace\b([^{}]*)\Z")
_CLASS = regex(r"\b(?:struct|class|union)\b\s*(?:\w+\s*\([^()]*\)\s*)?([A-Za-z_]\w*)?[^=()]*\Z")
_CLASSES = ("struct", "class", "union")
_QUALIFIED = regex(r"([A-Za-z_]\w*(?:\s*::\s*~?[A-Za-z_]\w*)+)\s*\(")
_ARGUMENTS = regex(r"<[^<>()]*>")
_TEMPLATE = regex(r"\btemplate\s*<")
_LOOP = regex(r"\s*(?:for|while|do)\b")
_CONTROL = regex(r"\s*(?:if|switch|else|try|catch)\b")
_ATTRIBUTE = regex(r"\[\[[^\]]*\]\]|\b(?:inline|export)\b")
# `do { … } while (0)` makes one statement of several.
_ONCE = regex(r"\s*while\s*\(\s*(?:0|false)\s*\)")
_HERE = -1
_DEEPEST = 1_000
_LONGEST_HEAD = 20_000
_LOOPS = frozenset(("for", "while"))


class Block(NamedTuple):
    """What a pair of braces encloses: `head` is what is before them."""

    head: Span
    opened: int
    closed: int
    kind: str
    """`namespace`, `linkage`, `class`, `function`, `loop`, or `other`."""
    name: str
    parent: int
    """The index of the block around it; -1 outside all."""


class Place(NamedTuple):
    """The scopes around a place in a file."""

    blocks: tuple[Block, ...]
    """Innermost first."""
    scope: tuple[str, ...]
    """Its namespaces and classes, outermost first."""
    function: Block | None
    """The outermost function: what is declared there may be used in it."""
    dependent: frozenset[str]
    """The parameters of the templates around it."""


class Blocks:
    """The blocks of a file, by the order in which they begin."""

    def __init__(self, code: Code, blocks: list[Block]) -> None:
        self._code = code
        self.blocks = blocks
        self._starts = [each.opened for each in blocks]
        self._places: dict[int, Place] = {}

    def place(self, offset: int) -> Place:
        """The scopes around an offset; places in the same innermost block share one object."""
        index = bisect_right(self._starts, offset) - 1
        while index >= 0 and offset >= self.blocks[index].closed:
            index = self.blocks[index].parent
        if index not in self._places:
            self._places[index] = self._place(index)
        return self._places[index]

    def _place(self, index: int) -> Place:
        around: list[Block] = []
        while index >= 0 and len(around) < _DEEPEST:
            around.append(self.blocks[index])
            index = around[-1].parent
        scope: list[str] = []
        dependent: set[str] = set()
        function = None
        for block in around:
            if block.kind == "namespace":
                scope[:0] = block.name.split("::")
            elif block.kind == "class":
                scope.insert(0, block.name)
            elif block.kind == "function":
                # `void a::b::f() {` sees what is in `a::b` ([basic.lookup.unqual]).
                scope[:0] = block.name.split("::")[:-1]
                function = block
            if block.kind in ("class", "function"):
                parameters = template_parameters(self._code, block.head) or ()
                dependent.update(each.name for each in parameters)
        return Place(tuple(around), tuple(scope), function, frozenset(dependent - {""}))


class _State(NamedTuple):
    """The open scopes at a place. States are immutable, so that a branch can return to one."""

    begun: int
    """Where the statement begins; _HERE for none yet."""
    depth: int
    """How many parentheses are open in it."""
    block: int
    """The index of the block around it; -1 outside all."""
    outer: _State | None


@lru_cache(maxsize=2)
def blocks_of(code: Code) -> Blocks:
    """The blocks of a file, those in its macros left out.

    The branches of a conditional begin with the same blocks open; behind it those count that the
    first branch left open.
    """
    found: list[Block] = []
    state = _State(0, 0, -1, None)
    saved: list[tuple[_State, _State | None]] = []  # before the #if, and behind its first branch
    done = 0
    for directive in code.directives:
        state = _scanned(code, Span(done, directive.span.start), state, found)
        done = directive.span.end
        if state.depth == 0 and not code.code[state.begun : directive.span.start].strip():
            state = state._replace(begun=_HERE)
        if directive.opens:
            saved.append((state, None))
        elif directive.divides and saved:
            before, first = saved[-1]
            saved[-1] = (before, first or state)
            state = before
        elif directive.keyword == "endif" and saved:
            state = saved.pop()[1] or state
        if state.begun == _HERE:
            state = state._replace(begun=done)
    _scanned(code, Span(done, len(code.code)), state, found)
    return Blocks(code, found)


def _scanned(code: Code, span: Span, state: _State, found: list[Block]) -> _State:
    """The state behind a stretch without directives; the blocks that begin there are added."""
    begun, depth, block, outer = state
    for match in _TOKEN.finditer(code.code, *span):
        token, at = match[0], match.start()
        if token == "(":
            depth += 1
        elif token == ")":
            depth = max(0, depth - 1)
        elif token == ";":
            if depth == 0:
                begun = at + 1
        elif token == "{":
            head = Span(max(begun, at - _LONGEST_HEAD), at)
            kind, name = _kind(code, head)
            outer = _State(begun, depth, block, outer)
            found.append(Block(head, at, len(code.code), kind, name, block))
            begun, depth, block = at + 1, 0, len(found) - 1
        elif outer is not None:
            found[block] = found[block]._replace(closed=at)
            begun, depth, block, outer = outer
            if depth == 0:
                begun = at + 1
    return _State(begun, depth, block, outer)


def _kind(code: Code, head: Span) -> tuple[str, str]:
    text = code.code[head.start : head.end]
    if "namespace" in text and (match := _NAMESPACE.search(text)):
        return "namespace", "".join(_ATTRIBUTE.sub(" ", match[1]).split())
    stripped = text.strip()
    if stripped.startswith("extern") and stripped.endswith('"') and "(" not in stripped:
        return "linkage", ""
    if _LOOP.match(text):
        return "loop", ""
    if not stripped or _CONTROL.match(text):
        return "other", ""
    if any(each in text for each in _CLASSES):
        match = _CLASS.search(text)
        if match and "(" not in text[match.end(1) :]:
            return "class", match[1] or ""
    if ")" not in text:
        return "other", ""
    qualified = _QUALIFIED.search(_ARGUMENTS.sub("", text)) if "::" in text else None
    return "function", "".join(qualified[1].split()) if qualified else ""


def template_parameters(code: Code, head: Span) -> tuple[Parameter, ...] | None:
    """The parameters of the templates that a head begins with; None if it is no template.

    Those of `template <>` are none."""
    if code.code.find("template", *head) < 0:
        return None
    found: list[Parameter] = []
    is_template = False
    for match in _TEMPLATE.finditer(code.code, *head):
        end = template_end(code.code, match.end() - 1, head.end)
        if end is not None:
            is_template = True
            found += map(_parameter, split_list(code.code[match.end() : end - 1]))
    return tuple(found) if is_template else None


def _parameter(text: str) -> Parameter:
    declared, equals, default = text.partition("=")
    if equals and declared.count("<") != declared.count(">"):
        declared, default = text, ""
    words = re.findall(r"\w+", declared)
    is_type = bool(words) and (
        words[0] in ("typename", "class") or declared.lstrip().startswith("template")
    )
    return Parameter(
        words[-1] if len(words) > 1 else "", default.strip(), is_type, "..." in declared
    )


def is_in_loop(code: Code, start: int) -> bool:
    """Whether the statement at an offset is in a loop of its function."""
    for block in blocks_of(code).place(start).blocks:
        if block.kind == "loop" and not _ONCE.match(code.code, block.closed + 1):
            return True
        if block.kind == "function" and "[" not in code.code[slice(*block.head)]:
            break
        if block.kind in ("class", "namespace"):
            break
    text = code.code
    while True:
        before = skip_back(text, start)
        if text[before - 1 : before] != ")":
            return text[slice(*word_before(text, before))] == "do"
        opened = opening_bracket(text, before - 1)
        if opened is None:
            return False
        word = word_before(text, opened)
        if text[slice(*word)] in _LOOPS:
            return True
        if text[slice(*word)] != "if":
            return False
        start = word.start
