"""Kernels that Python has compiled at run time, of C++ that HIP takes, or that is converted."""

from __future__ import annotations

import re

import tree_sitter

from hipport.lazy_regex import regex
from hipport.model import Span
from hipport.rulebook.branch_words import PythonBranches
from hipport.rulebook.words import PythonKernels
from hipport.source.languages.python_syntax import module_of, span_of, text_of
from hipport.source.languages.python_texts import Call, Texts

_PLAIN_ARGUMENTS = ("code", "name")
_MOST_ARGUMENTS = 2
_FILLED_IN = regex(r"[rR]?[fF]")


def plain_spans(data: bytes, words: PythonBranches, kernels: PythonKernels) -> list[Span]:
    """The calls whose kernel the file has, with nothing in it that is another's on AMD's GPUs.

    Options are for the compiler that they are written for: a call with any is none of these.
    """
    texts = Texts(data, kernels.same_functions, kernels.same_methods)
    return [
        span_of(node)
        for name, node in module_of(data).calls
        if re.fullmatch(words.compiling, name) and _is_plain(node, data, texts, words)
    ]


def converted_spans(data: bytes, words: PythonBranches, kernels: PythonKernels) -> list[Span]:
    """The texts whose headers are converted: what a known function compiles, and extensions.

    Those of PyTorch it converts itself before it compiles them.
    """
    texts = Texts(data, kernels.same_functions, kernels.same_methods)
    extensions = [each.start() for each in re.finditer(words.extension.encode(), data)]
    found = {span for group in texts.literals_at(extensions) for span in group}
    if not re.search(kernels.ported.encode(), data):
        for compiler in kernels.compilers:
            for call in texts.calls(compiler.functions):
                given = [call.argument(each.place, each.name) for each in compiler.texts]
                groups = (texts.literals_of(each) for each in given if each)
                found.update(span for each in groups for group in each for span in group)
    return sorted(found)


def _is_plain(node: tree_sitter.Node, data: bytes, texts: Texts, words: PythonBranches) -> bool:
    source = Call("", span_of(node), node).argument(0, "code")
    if source is None or _has_options(node):
        return False
    literals = [span for each in _values(source, texts) for span in each]
    written = [data[each.start : each.end].decode("latin-1") for each in literals]
    return bool(written) and not any(
        _FILLED_IN.match(each) or re.search(words.not_plain, each) for each in written
    )


def _values(source: tree_sitter.Node, texts: Texts) -> list[list[Span]]:
    """The literals of a text, also of one that a class has: `self.SOURCE`."""
    name = text_of(source.child_by_field_name("attribute")) if source.type == "attribute" else ""
    found = list(texts.named(name)) if name else texts.literals_of(source)
    return found if not name or len(found) == 1 else []


def _has_options(call: tree_sitter.Node) -> bool:
    """Whether a call is given more than a kernel and its name."""
    given = call.child_by_field_name("arguments")
    found = [each for each in given.named_children if each.type != "comment"] if given else []
    named = [text_of(each.child_by_field_name("name")) for each in found if _is_named(each)]
    return len(found) > _MOST_ARGUMENTS or not {*named}.issubset(_PLAIN_ARGUMENTS)


def _is_named(argument: tree_sitter.Node) -> bool:
    return argument.type == "keyword_argument"
