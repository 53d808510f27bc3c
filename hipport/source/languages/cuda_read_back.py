"""Reads statements of CUDA C++ again in which an edit changed more than a name."""

from __future__ import annotations

from functools import lru_cache

from hipport.lazy_regex import regex
from hipport.model import Edit, Span
from hipport.source.languages.cuda_syntax import PARSER
from hipport.source.languages.syntax_errors import syntax_errors
from hipport.source.text.brackets import closing_bracket
from hipport.source.text.source_text import Code

_NAME = regex(rb"(?:::)?[\w:]*[ \t]*")
_LINES = regex(rb"(?:[ \t]*(?:#[^\n]*)?\r?\n)*")
# What a macro's text has besides: pasting, lines that go on, arguments as literals.
_IN_MACROS = regex(rb"[ \t]*##[ \t]*|\\(?=\r?\n)|#(?=[ \t]*[A-Za-z_]\w*[ \t]*[,)])")
_HEAD = regex(r"[ \t]*\w+(?:\([^()]*\))?")
_END = regex(r"[;{}]")
_REACH = 10_000


def errors_in_statement(data: bytes, opaque: str) -> int:
    """The number of syntax errors in statements, a macro's text, or parts of a declaration.

    The argument of the macro `opaque` is a kernel with its template's arguments, which are none of
    an expression.
    """
    plain = _IN_MACROS.sub(b"", data)
    if opaque.encode() in plain:
        plain = without_kernel_names(plain, opaque)
    return syntax_errors(PARSER.parse(b"void f(){" + plain + b"\n}").root_node)


def without_kernel_names(data: bytes, macro: str) -> bytes:
    """A text with a plain name in each argument of the macro that names kernels."""
    text, opening = data.decode("latin-1"), f"{macro}("
    pieces = []
    done = 0
    while (at := text.find(opening, done)) >= 0:
        closed = closing_bracket(text, at + len(opening) - 1)
        if closed is None:
            break
        pieces += [text[done : at + len(opening)], "k)"]
        done = closed + 1
    return "".join((*pieces, text[done:])).encode("latin-1")


@lru_cache(maxsize=1024)
def _is_name(data: bytes) -> bool:
    return _NAME.fullmatch(data) is not None


def statement_of(code: Code, edit: Edit) -> Span | None:
    """The statement that an edit is in; None for a new name, and for whole lines."""
    start, end = edit.span
    if start == end and edit.new.endswith(b"\n"):
        return None
    if edit.new and _is_name(edit.new) and _is_name(code.data[start:end]):
        return None
    if _LINES.fullmatch(edit.new) and edit.new.strip():
        return None
    text = code.code
    first, last = max(0, start - _REACH), min(len(text), end + _REACH)
    directive = code.directive_at(start)
    if directive is not None:
        head = _HEAD.match(text, *directive.body)
        if directive.keyword != "define" or head is None or head.end() > start:
            return None
        first, last = head.end(), directive.body.end
    before = max(text.rfind(each, first, start) for each in ";{}") + 1
    after = _END.search(text, end, last)
    if directive is None and not (before and after):
        return None
    return Span(max(before, first), after.end() if after else last)
