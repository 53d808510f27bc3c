"""Kernels that Python has compiled at run time, of C++ that HIP takes, or that is converted."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator

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
_FILLING = regex(r"format|format_map|substitute|safe_substitute")
_TEMPLATE = regex(r"(?:string\.)?Template")
# Releases of C++ that every compiler of HIP knows: those before need an older one's headers.
_RELEASES = regex(r"[(\[{]\s*[\"']--?std=c\+\+(?:14|17|20)[\"']\s*,?\s*[)\]}]")


def plain_spans(data: bytes, words: PythonBranches, kernels: PythonKernels) -> list[Span]:
    """The calls whose kernel the file has, with nothing in it that is another's on AMD's GPUs.

    Options are for the compiler that they are written for: a call with any is none of these.
    """
    texts = Texts(data, kernels.same_functions, kernels.same_methods)
    return [
        span_of(node)
        for name, node in module_of(data).calls
        if _is_compiling(name, node, words) and _is_plain(node, data, texts, words)
    ]


def converted_spans(data: bytes, words: PythonBranches, kernels: PythonKernels) -> list[Span]:
    """The texts whose headers are converted: what a known function compiles, and extensions.

    Those of PyTorch it converts itself before it compiles them.
    """
    texts = Texts(data, kernels.same_functions, kernels.same_methods)
    extensions = [each.start() for each in re.finditer(words.extension.encode(), data)]
    found = {span for group in texts.literals_at(extensions) for span in group}
    kernels_of = _compiled(data, kernels, texts)
    found.update(span for each in kernels_of for group in each for span in group)
    return sorted(found)


def kept_spans(data: bytes, kernels: PythonKernels) -> list[Span]:
    """The texts whose warps are converted: those of one kernel alone that a function compiles.

    Statements without functions beside them have no place for those that keep warps.
    """
    texts = Texts(data, kernels.same_functions, kernels.same_methods)
    certain = {each for each in _compiled(data, kernels, texts, holding=True) if all(each)}
    uses = Counter(span for each in certain for group in each for span in group)
    written = ((each, data[each.start : each.end].decode("latin-1")) for each in uses)
    return sorted(each for each, text in written if uses[each] == 1 and not _FILLED_IN.match(text))


def _compiled(
    data: bytes, kernels: PythonKernels, texts: Texts, *, holding: bool = False
) -> Iterator[tuple[tuple[Span, ...], ...]]:
    """The literals that each call of a known function compiles, in a file that is no port.

    There is an empty group where it is not known what is compiled. `holding`: only of calls that
    are given functions, and not statements alone.
    """
    if re.search(kernels.ported.encode(), data):
        return
    for compiler in kernels.compilers:
        for call in texts.calls(compiler.functions):
            given = [(call.argument(each.place, each.name), each.body) for each in compiler.texts]
            groups = [
                (tuple(group), is_body)
                for each, is_body in given
                if each
                for group in texts.literals_of(each) or [[]]
            ]
            functions = [span for group, is_body in groups if not is_body for span in group]
            if not holding or any(b"{" in data[each.start : each.end] for each in functions):
                yield tuple(group for group, _ in groups)


def _is_compiling(name: str, call: tree_sitter.Node, words: PythonBranches) -> bool:
    """Whether a call compiles a kernel by its full name, or as it is written."""
    written = text_of(call.child_by_field_name("function"))
    return any(re.fullmatch(words.compiling, each) for each in (name, written))


def _is_plain(call: tree_sitter.Node, data: bytes, texts: Texts, words: PythonBranches) -> bool:
    source = Call("", span_of(call), call).argument(0, "code")
    if source is None or _has_options(call):
        return False
    template = _template(source, texts)
    literals = [span for each in _values(template or source, texts) for span in each]
    written = [data[each.start : each.end].decode("latin-1") for each in literals]
    if not written or any(re.search(words.not_plain, each) for each in written):
        return False
    # What is filled in may be code of the file's other texts.
    is_filled_in = template is not None or any(_FILLED_IN.match(each) for each in written)
    return not is_filled_in or not re.search(words.not_plain, _other_texts(data))


def _template(source: tree_sitter.Node, texts: Texts) -> tree_sitter.Node | None:
    """The text into which an expression fills values."""
    value = texts.value_of(source)
    if value.type == "binary_operator" and text_of(value.child_by_field_name("operator")) == "%":
        return value.child_by_field_name("left")
    function = value.child_by_field_name("function") if value.type == "call" else None
    if function is None or not _FILLING.fullmatch(
        text_of(function.child_by_field_name("attribute"))
    ):
        return None
    owner = function.child_by_field_name("object")
    made = texts.value_of(owner) if owner else None
    if (
        made
        and made.type == "call"
        and _TEMPLATE.fullmatch(text_of(made.child_by_field_name("function")))
    ):
        return Call("", span_of(made), made).argument(0, "template")
    return owner


def _other_texts(data: bytes) -> str:
    """The strings of a file but those that are statements, as docstrings are."""
    found = []
    stack = [module_of(data).root]
    while stack:
        node = stack.pop()
        if node.type == "string":
            found.append(_written(node))
        elif node.type != "expression_statement" or node.named_children[0].type != "string":
            stack += node.named_children
    return "\n".join(found)


def _values(source: tree_sitter.Node, texts: Texts) -> list[list[Span]]:
    """The literals of a text, also of one that a class has: `self.SOURCE`."""
    name = text_of(source.child_by_field_name("attribute")) if source.type == "attribute" else ""
    found = list(texts.named(name)) if name else texts.literals_of(source)
    return found if not name or len(found) == 1 else []


def _has_options(call: tree_sitter.Node) -> bool:
    """Whether a call is given more than a kernel, its name, and the release of C++."""
    given = call.child_by_field_name("arguments")
    found = [each for each in given.named_children if each.type != "comment"] if given else []
    found = [each for each in found if not _is_release(each)]
    named = [text_of(each.child_by_field_name("name")) for each in found if _is_named(each)]
    return len(found) > _MOST_ARGUMENTS or not {*named}.issubset(_PLAIN_ARGUMENTS)


def _written(node: tree_sitter.Node) -> str:
    return (node.text or b"").decode("latin-1")


def _is_release(argument: tree_sitter.Node) -> bool:
    value = argument.child_by_field_name("value") if _is_named(argument) else None
    return value is not None and _RELEASES.fullmatch(_written(value)) is not None


def _is_named(argument: tree_sitter.Node) -> bool:
    return argument.type == "keyword_argument"
