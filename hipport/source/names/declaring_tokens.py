"""Whether the tokens around a name may declare it: asked first, as most uses need no parsing."""

from __future__ import annotations

from collections.abc import Callable, Set

from hipport.lazy_regex import regex
from hipport.model import Span
from hipport.source.text.brackets import (
    closing_bracket,
    enclosing_bracket,
    occurrences,
    skip,
    skip_back,
    skip_back_lines,
    word_before,
)
from hipport.source.text.source_text import Code

# A name after one of these, or after punctuation, is used and not declared.
_USING_WORDS = frozenset(
    "return else case throw goto new delete sizeof alignof typeof co_return co_await co_yield"
    " and or not do operator if while for switch explicit noexcept decltype defined".split()
)
# Addresses, literals, casts, sizes and members are arguments of a call, and no parameters.
_ARGUMENT = regex(r"[(,]\s*(?:&\s*\w|[0-9\"'({-]|sizeof\b|nullptr\b|NULL\b)|->|\w\.\w")
# `(CALL * name) (`: what is before it is what a function returns that a pointer points to.
_POINTER_TO_FUNCTION = regex(r"\(\s*(?:\w+\s*)?\*\s*\w+\s*\)\s*\(")
# `typedef int (MARK *` before a name: the mark of a calling convention is no word of the grammar.
_TYPE_OF_FUNCTION = regex(r"\btypedef\b[^;{}()]+\(\s*(?:\w+\s*)?(?:\*\s*)?\Z")
_OPERATORS = tuple("=!?|+-/%")
_BEHIND_NAMES = regex(r"[^\w\s,:]")
_HEADS = frozenset("struct class union enum namespace using typename typedef".split())
_OF_TYPES = frozenset("struct class union enum using typename".split())
_OPENED, _NOT_IN_LAUNCH = ("<<<", "<< <"), (">>>", ">> >", ";", "{", "}")
_LONGEST_LIST = 400
_AFTER_DECLARED = frozenset("(;=,)[{}:>]")
_BEFORE_DECLARED = frozenset("*&>[{},")
BUILT_IN = frozenset("bool char short int long signed unsigned float double void".split())
_VARIABLE = regex(
    r"\b(?P<type>[A-Za-z_]\w*)(?:\s*[*&]\s*|\s+)(?P<name>[A-Za-z_]\w*)\s*(?:=(?!=)|;)"
)
_OF_CONSTANTS = BUILT_IN.union(("const", "constexpr"))


def may_declare(
    text: str, name: Span, statement_macros: Set[str], is_type: Callable[[str], bool]
) -> bool:
    """Whether the tokens around a name allow a declaration there.

    `statement_macros` are macros of the file without parameters that are nothing, or whole
    statements; `is_type` knows the types of CUDA and HIP.
    """
    return may_declare_variable(text, name) and not _is_call_behind_macro(
        text, name, statement_macros, is_type
    )


def may_declare_variable(text: str, name: Span) -> bool:
    """The same of a name that is no function's: no macro makes a call of it."""
    before = skip_back_lines(text, name.start)
    if before and not _is_word(text[before - 1]) and text[before - 1] not in _BEFORE_DECLARED:
        return False
    word = text[slice(*word_before(text, before))]
    following = skip(text, name.end)
    after = text[following : following + 1]
    if text.startswith("::", following):
        return word == "namespace"
    if word in _HEADS:
        head = word_before(text, before)
        return text[slice(*word_before(text, head.start))] != "using"
    if after not in _AFTER_DECLARED or word in _USING_WORDS:
        return False
    if after == "(" and _POINTER_TO_FUNCTION.match(text, following):
        return False
    declarator = before
    while declarator and text[declarator - 1] in "*& \t\r\n":
        declarator -= 1
    last = text[declarator - 1 : declarator]
    if last == "(":
        return declarator < before and after == ")"
    if last == "{" and after == "(":
        return False  # A call; a constructor declares its class no more.
    if last == "}":
        return after in (";", "=", "{", "[", ",")  # What a class's body is of.
    if last == "," and (_ends_template(text, following) or is_in_launch(text, declarator)):
        return False  # The argument of a template or of a launch.
    if last and last in "{,":
        return enclosing_bracket(text, declarator) != "("
    if last == "[":
        return not _is_index(text, declarator - 1)
    place = word_before(text, declarator)
    word = text[slice(*place)]
    if word[:1].isdigit() or text.startswith(_OPERATORS, max(0, skip_back(text, place.start) - 1)):
        return False
    return (_is_word(last) and word not in _USING_WORDS) or last == ">"


def _is_index(text: str, opened: int) -> bool:
    """Whether a `[` is behind a name or another index; that of `auto [a, b]` is not."""
    end = skip_back(text, opened)
    word = text[slice(*word_before(text, end))]
    return text.endswith("]", 0, end) or bool(word and word != "auto" and word not in _USING_WORDS)


def surely_declares(text: str, name: Span) -> bool:
    """Whether a statement begins with words such as `static const int` and then gives a name.

    Or it makes the name that of a type of functions, or of pointers to them.
    """
    if _is_type_of_function(text, name):
        return True
    at, is_certain = name.start, False
    while (place := word_before(text, skip_back_lines(text, at))).start < place.end:
        word = text[slice(*place)]
        if word in _USING_WORDS:
            return False
        is_certain |= word in _OF_CONSTANTS
        at = place.start
    before = skip_back_lines(text, at)
    is_whole = not before or text[before - 1] in ";{}"
    return is_certain and is_whole and text.startswith("=", skip(text, name.end))


def _is_type_of_function(text: str, name: Span) -> bool:
    closed = skip(text, name.end)
    if not (text.startswith(")", closed) and text.startswith("(", skip(text, closed + 1))):
        return False
    before = text[max(0, name.start - _LONGEST_LIST) : name.start]
    return _TYPE_OF_FUNCTION.search(before) is not None


def is_variable_of_macro(code: Code, name: Span) -> bool:
    """Whether a name is in a macro that declares a variable of that name: `int name = call;`."""
    directive = code.directive_at(name.start)
    if directive is None or directive.keyword != "define":
        return False
    text, word = code.code, code.slice(name)
    declared = _VARIABLE.finditer(text, *directive.body)
    return any(each["name"] == word and each["type"] not in _USING_WORDS for each in declared)


def _ends_template(text: str, offset: int) -> bool:
    """Whether a `>` is the first of what may follow a list of names."""
    end = _BEHIND_NAMES.search(text, offset, offset + _LONGEST_LIST)
    return end is not None and end[0] == ">"


def is_in_launch(text: str, offset: int) -> bool:
    """Whether an offset is between the `<<<` and the `>>>` of a launch."""
    nearest = max(0, offset - _LONGEST_LIST)
    opened = max(text.rfind(each, nearest, offset) for each in _OPENED)
    return opened >= 0 and not any(each in text[opened:offset] for each in _NOT_IN_LAUNCH)


def _is_call_behind_macro(
    text: str, name: Span, statement_macros: Set[str], is_type: Callable[[str], bool]
) -> bool:
    """Whether `WORD name(...)` is no declaration, but a macro without a semicolon and a call.

    The file defines the word as no type, or the parentheses hold arguments, and no type is known
    of that name.
    """
    opened = skip(text, name.end)
    place = word_before(text, skip_back_lines(text, name.start))
    before = skip_back(text, place.start)
    if place.start == place.end or not text.startswith("(", opened):
        return False
    if text[before - 1 : before] not in (";", "{", "}", ")"):
        return False
    word = text[slice(*place)]
    if word in statement_macros:
        return True
    closed = closing_bracket(text, opened)
    if closed is None or _ARGUMENT.search(text, opened, closed) is None:
        return False
    return not (word in BUILT_IN or is_type(word) or _is_own_type(text, word))


def _is_own_type(text: str, word: str) -> bool:
    """Whether the text declares a type of that name."""
    return any(text[slice(*word_before(text, at))] in _OF_TYPES for at in occurrences(text, word))


def _is_word(char: str) -> bool:
    return char.isalnum() or char == "_"
