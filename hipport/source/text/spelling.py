"""Code in one spelling, offset for offset, so that patterns need not know the others.

What C++ reads alike is alike here: a line that goes on is one with a blank, and `and` is `&&`.
"""

from __future__ import annotations

from hipport.lazy_regex import regex

# A name that goes on in the next line stays in two, as a finding says.
_CONTINUED = regex(r"\\(?=\r?\n)(?!(?<=\w\\)\r?\n\w)")
# [lex.digraph]; no name of a member.
_WORDS = regex(r"(?<![\w.>$])(?:and|or|not(?:_eq)?)(?![\w$])")
_HAS_WORDS = (" and ", " or ", "not ", "not(", "not_eq")
_OPERATORS = {"and": "&& ", "or": "||", "not": "!  ", "not_eq": "!=    "}


def in_one_spelling(code: str) -> str:
    """The text of code without comments and literals, as long as it was."""
    if "\\" in code:
        code = _CONTINUED.sub(" ", code)
    if any(each in code for each in _HAS_WORDS):
        code = _WORDS.sub(lambda match: _OPERATORS[match[0]], code)
    return code
