"""Declarations of types without their members: `class Node;`, `typedef struct node_st *node_t;`."""

from __future__ import annotations

from hipport.lazy_regex import regex
from hipport.model import Span
from hipport.source.text.brackets import skip, word_before

TAGS = frozenset(("struct", "enum", "union", "class"))
_BEFORE_TAG = regex(r"\btypedef\s+struct\s+\Z")
_BEFORE_NAME = regex(r"\btypedef\s+struct\s+\w+_st\s*\*\s*\Z")
_BEHIND_TAG = regex(r"_st\s*\*\s*\w+\s*;")
_LONGEST = 200
_ENDING = "_st"


def is_forward_declaration(text: str, name: Span) -> bool:
    """Whether this is `class cudaNode;`."""
    word = word_before(text, name.start)
    is_tagged = text[word.start : word.end] in TAGS
    return is_tagged and text.startswith(";", skip(text, name.end))


def declares_opaque_type(text: str, name: Span) -> bool:
    """Whether a name is one of those that `typedef struct node_st *node_t;` declares.

    What takes its pointers needs no more: the file compiles without the library's header.
    """
    before = text[max(0, name.start - _LONGEST) : name.start]
    if text.startswith(_ENDING, name.end - len(_ENDING)):
        is_alone = is_forward_declaration(text, name)
        is_behind = _BEHIND_TAG.match(text, name.end - len(_ENDING)) is not None
        return is_alone or (is_behind and _BEFORE_TAG.search(before) is not None)
    is_last = text.startswith(";", skip(text, name.end))
    return is_last and _BEFORE_NAME.search(before) is not None
