"""What tree-sitter knows about CUDA C++: calls and kernel launches.

Each is parsed on its own, cut out of the file. So it is understood inside macro bodies and beside
code that does not parse, and the rest of the file need not be parsed at all.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from functools import lru_cache

import msgspec
import tree_sitter
import tree_sitter_cuda

from hipport.lazy_regex import regex
from hipport.model import Span
from hipport.source.text.brackets import (
    LAUNCH,
    callee_before,
    closing_bracket,
    enclosing_bracket,
    opening_bracket,
    skip,
    skip_back,
    word_before,
)
from hipport.source.text.directives import Directive
from hipport.source.text.source_text import Code

Node = tree_sitter.Node
PARSER = tree_sitter.Parser(tree_sitter.Language(tree_sitter_cuda.language()))

_MACRO_LINE = regex(r"[ \t]*[A-Z][A-Z0-9_]{3,}\Z")
_HEAD = "void f(){"
_CONTINUATION = regex(r"\\(?=\r?\n)")
_PASTE = regex(r"[ \t]*##[ \t]*")
_STRINGIZE = regex(r"#(?=[ \t]*[A-Za-z_])")
_TEMPLATE_ARGUMENTS = regex(r"<[\w\s:,*&<>()\[\].+-]*?>(?=\s*\()")
# nvcc takes `<< <` and `>> >` too, as formatters write them that know C++ alone.
_CONFIGURATION_TOKEN = regex(r"[()\[\]{};]|>{3,}|>>[ \t]+>|<{3,}|<<[ \t]+<")
_CLOSING = regex(r">>[ \t]*>\Z")
_MAY_HOLD_COMMA = ("<", "__VA_ARGS__")
_BRACES = str.maketrans("{}", "()")
# Most launches have but names and numbers between their marks: no grammar is needed for these.
_NAME = r"[A-Za-z_]\w*+(?:::[A-Za-z_]\w*+)*+"
_PLAIN_KERNEL = regex(rf"{_NAME}(?:<(?:{_NAME}|\d+)(?:,[ ]?(?:{_NAME}|\d+))*+>)?")
_PLAIN_PART = regex(rf"[ \t]*+({_NAME}(?:(?:\.|->){_NAME})*+|\d++)[ \t]*+")
_FLAT_CONFIGURATION = regex(r"<<<([\w:., \t>-]*?)>>>(?=[ \t]*\()")
_PARTS = range(2, 5)
_LARGEST_LAUNCH = 100_000
_LARGEST_CALL = 8_000
"""Calls in arguments are parsed again for each call around them: the bound keeps that linear."""


_MOST_CALLS = 256
"""Calls to remember: while a text is being typed, few of them change."""


class Call(msgspec.Struct, frozen=True):
    """A call's argument spans, white space trimmed, and the offsets of its parentheses."""

    arguments: list[Span]
    opened: int
    closed: int


class Launch(msgspec.Struct, frozen=True):
    """A kernel launch: `kernel <<< configuration >>> ( arguments )`."""

    kernel: Span
    is_template: bool
    """Whether the kernel's text may hold commas that a macro would take for its own."""
    configuration: list[Span]
    chevrons: Span
    """From the first to the last."""
    opening: Span
    closing: Span
    opened: int
    closed: int


def parse_call(code: Code, name: Span) -> Call | None:
    """The call of a name; None if it is not a call, or its end is not certain."""
    text = code.code
    opened = skip(text, name.end)
    if text.startswith("<", opened):
        template = _TEMPLATE_ARGUMENTS.match(text, opened)
        opened = skip(text, template.end()) if template else opened
    if not text.startswith("(", opened):
        return None
    closed = closing_bracket(text, opened, _LARGEST_CALL)
    if closed is None or any(code.directives_within(Span(opened, closed))):
        return None
    node = _call_expression(text[name.start : closed + 1])
    base = name.start - len(_HEAD)
    arguments = node.child_by_field_name("arguments") if node else None
    if arguments is None or arguments.end_byte + base != closed + 1:
        return None
    return Call(_items(arguments, base), opened, closed)


def launch_offsets(code: Code) -> list[int]:
    """The offset of every `<<<` that may begin a launch configuration."""
    return code.once(_launch_offsets, code, "")


def _launch_offsets(code: Code, _: str) -> list[int]:
    return [match.start() for match in LAUNCH.finditer(code.code)]


def parse_launch(code: Code, chevron: int) -> Launch | None:
    """The launch whose `<<<` is at the offset; None if it is not certain how it parses."""
    return code.once(_parsed_launch, code, chevron)


def _parsed_launch(code: Code, chevron: int) -> Launch | None:
    kernel = callee_before(code.code, chevron)
    if kernel is None or code.directive_at(kernel.start) is not code.directive_at(chevron):
        return None
    if any(code.directives_within(Span(kernel.start, chevron))):
        return None
    launch = _plain_launch(code.code, kernel, chevron) or _launch_in(code.code, kernel, chevron)
    if launch is None or any(code.directives_within(Span(chevron, launch.closed))):
        launch = _launch_in(code.resolved(kernel.start), kernel, chevron)
    return launch


def _plain_launch(text: str, kernel: Span, chevron: int) -> Launch | None:
    """A launch that needs no grammar; None for any other."""
    match = _FLAT_CONFIGURATION.match(text, chevron)
    if match is None or not _is_plain_kernel(text[kernel.start : kernel.end]):
        return None
    parts = _plain_parts(text, Span(*match.span(1)))
    if len(parts) not in _PARTS:
        return None
    end = match.end()
    opened = skip(text, end)
    closed = closing_bracket(text, opened)
    if closed is None:
        return None
    opening, closing = Span(chevron, chevron + 3), Span(end - 3, end)
    return _launch(text, kernel, parts, opening, closing, opened, closed)


def _is_plain_kernel(text: str) -> bool:
    """Whether it is a name, as most are, or one with plain template arguments."""
    is_word = text.isascii() and text.isidentifier()
    return is_word or _PLAIN_KERNEL.fullmatch(text) is not None


def _plain_parts(text: str, inside: Span) -> list[Span]:
    """The names and numbers of a configuration; none if it has anything else."""
    found = []
    start = inside.start
    for part in text[inside.start : inside.end].split(","):
        match = _PLAIN_PART.fullmatch(text, start, start + len(part))
        if match is None:
            return []
        found.append(Span(*match.span(1)))
        start += len(part) + 1
    return found


def _launch_in(text: str, kernel: Span, chevron: int) -> Launch | None:
    base = kernel.start - len(_HEAD)
    for end in _configuration_ends(text, chevron):
        opened = skip(text, end)
        closed = closing_bracket(text, opened)
        if closed is None:
            return None
        # The grammar has no braced list there: `<<<{1, 2}, 3>>>` is read as `<<<(1, 2), 3>>>`.
        opening, closing = _chevrons(text, Span(chevron, end))
        inner = text[opening.end : closing.start].translate(_BRACES)
        configuration = (
            "<<<".ljust(opening.end - opening.start)
            + inner
            + ">>>".rjust(closing.end - closing.start)
        )
        node = _call_expression(text[kernel.start : chevron] + configuration + "()")
        if node is None:
            continue
        function = node.child_by_field_name("function")
        syntax = next((each for each in node.children if each.type == "kernel_call_syntax"), None)
        if function is None or syntax is None:
            continue
        if (function.end_byte + base, syntax.end_byte + base) != (kernel.end, end):
            continue
        items = _items(syntax, base)
        return _launch(text, kernel, items, opening, closing, opened, closed)
    return None


def _launch(
    text: str,
    kernel: Span,
    configuration: list[Span],
    opening: Span,
    closing: Span,
    opened: int,
    closed: int,
) -> Launch:
    name = text[kernel.start : kernel.end]
    is_template = any(mark in name for mark in _MAY_HOLD_COMMA)
    chevrons = Span(opening.start, closing.end)
    return Launch(kernel, is_template, configuration, chevrons, opening, closing, opened, closed)


def _chevrons(text: str, span: Span) -> tuple[Span, Span]:
    """The tokens that a configuration begins and ends with."""
    opening = LAUNCH.match(text, span.start)
    closing = _CLOSING.search(text[span.start : span.end])
    return (
        Span(*opening.span()) if opening else Span(span.start, span.start + 3),
        Span(span.start + closing.start(), span.end) if closing else Span(span.end, span.end),
    )


def _configuration_ends(text: str, chevron: int) -> Iterator[int]:
    """The offsets behind each `>>>` outside brackets that is followed by `(`."""
    depth = 0
    opening = LAUNCH.match(text, chevron)
    first = opening.end() if opening else chevron + 3
    for match in _CONFIGURATION_TOKEN.finditer(text, first, chevron + _LARGEST_LAUNCH):
        token = match[0]
        if token in "([{":
            depth += 1
        elif token in ")]}":
            depth -= 1
        elif depth == 0 and token[0] == ">" and text.startswith("(", skip(text, match.end())):
            yield match.end()
        if depth < 0 or (depth == 0 and token[0] in ";<"):
            return


def _without_marks(text: str) -> str:
    """A text without what only macros have: continued lines, `##` and `#`."""
    text = _CONTINUATION.sub(" ", text)
    text = _PASTE.sub(lambda match: "_" * len(match[0]), text)
    return _STRINGIZE.sub(" ", text)


@lru_cache(maxsize=_MOST_CALLS)
def _call_expression(text: str) -> tree_sitter.Node | None:
    """The call expression that a text consists of; None if it is anything else or has faults."""
    tree = PARSER.parse(f"{_HEAD}{_without_marks(text)};}}".encode("latin-1"))
    node: tree_sitter.Node | None = tree.root_node
    for kind in (
        "function_definition",
        "compound_statement",
        "expression_statement",
        "call_expression",
    ):
        children = node.named_children if node else []
        node = children[-1] if children and children[-1].type == kind else None
        if node and kind in ("expression_statement", "call_expression") and len(children) != 1:
            return None
    return None if node is None or node.has_error else node


def _items(node: tree_sitter.Node, base: int) -> list[Span]:
    """The comma-separated items between a node's delimiters, as spans of the file."""
    items: list[Span] = []
    start = end = 0
    for child in [*node.children[1:-1], None]:
        if child is None or child.type == ",":
            if end:
                items.append(Span(base + start, base + end))
            start = end = 0
        else:
            start = start or child.start_byte
            end = child.end_byte
    return items


def is_statement(code: Code, launch: Launch) -> bool:
    """Whether a launch is a statement of its own, so that any statement may replace it."""
    start, end, text = launch.kernel.start, launch.closed + 1, code.code
    if any(code.directives_within(Span(launch.chevrons.start, launch.closed))):
        text = code.resolved(start)
    directive = code.directive_at(start)
    after = skip(text, end)
    if directive and after >= directive.span.end:
        after = directive.span.end
    elif not text.startswith(";", after) and not (directive and text.startswith("}", after)):
        return False
    before = _previous_token(text, code, start)
    if directive and before <= _macro_head(text, directive.body):
        return True
    last = text[before - 1 : before]
    if last in ("", ";", "{", "}"):
        return True
    if last == ":":
        return re.search(r"\?[^;{}]*\Z", text[max(0, before - 400) : before]) is None
    if last == ")":
        opened = opening_bracket(text, before - 1)
        word = word_before(text, opened) if opened else Span(0, 0)
        return word.start < word.end
    if last and last in "(,":
        # A macro argument that is a statement: DISPATCH(type, kernel<<<1, 2>>>(x);)
        return text.startswith(";", after) and enclosing_bracket(text, before) == "("
    word = word_before(text, before)
    if text[word.start : word.end] in ("else", "do"):
        return True
    # A macro on a line of its own, such as CHECK_LAST_ERROR; a launch is void, so no operand of it.
    is_macro = _MACRO_LINE.search(text, text.rfind("\n", 0, word.start) + 1, before) is not None
    return is_macro and "\n" in text[before:start]


def _previous_token(text: str, code: Code, offset: int) -> int:
    """The end of the token before the offset; other preprocessor lines are passed over."""
    own = code.directive_at(offset)
    before = skip_back(text, offset)
    while before and (line := code.directive_at(before - 1)) and line is not own:
        before = skip_back(text, line.span.start)
    return before


def macro_as_function(code: Code, directive: Directive) -> bytes:
    """The text of a macro as the body of a function, at the same offsets as in its file."""
    head = _macro_head(code.code, directive.body)
    text = _without_marks(code.code[head : directive.span.end])
    return f"{_HEAD.rjust(head)}{text};}}".encode("latin-1")


def _macro_head(text: str, body: Span) -> int:
    """The end of a macro's name and parameters in the body of its #define."""
    match = re.compile(r"\s*\w+(?:\([^()]*\))?").match(text, body.start, body.end)
    return match.end() if match else body.start
