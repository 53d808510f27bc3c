"""The number of threads in the blocks with which a file launches its kernels."""

from __future__ import annotations

import re
from collections.abc import Iterator
from functools import lru_cache
from math import prod

import msgspec

from hipport.lazy_regex import regex
from hipport.model import Span
from hipport.named_tuples import NamedTuple
from hipport.rulebook.rules import RuleSet
from hipport.source.flow.device_functions import Function, arguments_in
from hipport.source.languages.cuda_syntax import launch_offsets, parse_launch
from hipport.source.names.constants import number
from hipport.source.names.declared_names import Declarations
from hipport.source.names.given_values import last_given
from hipport.source.text.brackets import closing_bracket, occurrences, skip
from hipport.source.text.source_text import Code

_LONGEST = 2_000
_DEEPEST = 3
_KERNEL = regex(r"(?:\w+::)*(\w+)")
# What a launch function is given: `(const void *)sum<float>`.
_LAUNCHED = regex(r"(\w+)\s*(?:<[^()]*>)?\s*\)?\s*\Z")
_AXES = regex(r"(\w+)\.x\s*,\s*\1\.y\s*,\s*\1\.z")


class Launch(msgspec.Struct, frozen=True):
    """A launch of a kernel: the texts of its grid and its block, and where it is."""

    kernel: str
    grid: str
    block: str
    offset: int


class Block(NamedTuple):
    threads: int
    offset: int


class LaunchedBlock(NamedTuple):
    """The sizes of a launch's block along its axes, as written and as numbers where known."""

    launch: Launch
    sizes: list[str]
    values: list[int | None]

    @property
    def threads(self) -> int | None:
        """How many threads the block has; None if that is not known."""
        known = [each for each in self.values if each is not None]
        return prod(known) if len(known) == len(self.values) else None


@lru_cache(maxsize=2)
def launches(code: Code, rules: RuleSet) -> list[Launch]:
    """Every launch of a kernel whose parts can be separated."""
    every = (*_chevrons(code), *_calls(code, rules), *_runtime_calls(code, rules))
    return sorted(every, key=lambda each: each.offset)


def _chevrons(code: Code) -> Iterator[Launch]:
    for chevron in launch_offsets(code):
        launch = parse_launch(code, chevron)
        if launch and len(launch.configuration) > 1:
            name = _KERNEL.match(code.code, *launch.kernel)
            grid, block = (code.code[slice(*each)] for each in launch.configuration[:2])
            yield Launch(name[1] if name else "", grid, block, chevron)


def _calls(code: Code, rules: RuleSet) -> Iterator[Launch]:
    text = code.code
    macro, wrapper = rules.spellings.launch_macro, rules.spellings.kernel_name_macro
    for at in occurrences(text, macro) if macro in code.words else ():
        opened = skip(text, at + len(macro))
        closed = closing_bracket(text, opened) if text.startswith("(", opened) else None
        if closed is None or closed - opened > _LONGEST:
            continue
        kernel, *rest = arguments_in(text[opened + 1 : closed]) or [""]
        name = _KERNEL.match(kernel.replace(wrapper, "").strip(" ()\n\t"))
        if name and len(rest) > 1:
            yield Launch(name[1], rest[0], rest[1], at)


def _runtime_calls(code: Code, rules: RuleSet) -> Iterator[Launch]:
    """The launches by a function of the runtime or the driver."""
    text = code.code
    for name, (first, axes) in rules.spellings.launch_functions.items():
        for at in occurrences(text, name) if name in code.words else ():
            opened = skip(text, at + len(name))
            closed = closing_bracket(text, opened) if text.startswith("(", opened) else None
            if closed is None or closed - opened > _LONGEST:
                continue
            given = _spans(text, opened + 1, arguments_in(text[opened + 1 : closed]))
            if len(given) > first + 2 * axes:
                kernel = _LAUNCHED.search(text[slice(*given[0])])
                grid, block = (
                    _whole(text[given[start].start : given[start + axes - 1].end])
                    for start in (first, first + axes)
                )
                yield Launch(kernel[1] if kernel else "", grid, block, at)


def _whole(sizes: str) -> str:
    """The variable of which sizes are the members, or the sizes themselves."""
    members = _AXES.fullmatch(sizes)
    return members[1] if members else sizes


def _spans(text: str, start: int, pieces: list[str]) -> list[Span]:
    """Where texts are that follow one another."""
    found = []
    for piece in pieces:
        at = text.find(piece, start)
        start = at + len(piece)
        found.append(Span(at, start))
    return found


def blocks(declarations: Declarations, rules: RuleSet, function: Function) -> Iterator[Block]:
    """The known sizes of the blocks that a kernel is launched with, or bounded to."""
    for bound in bounds(declarations.code, rules, function.head):
        if bound.threads < 2 * rules.lanes.lanes:
            yield bound
    yield from _blocks_of_kernels(declarations, rules).get(function.name, ())


@lru_cache(maxsize=2)
def _blocks_of_kernels(declarations: Declarations, rules: RuleSet) -> dict[str, list[Block]]:
    """Kernel -> the known sizes of its blocks, each where it is first."""
    found: dict[str, dict[int, Block]] = {}
    for each in launched_blocks(declarations, rules):
        if each.threads is not None:
            block = Block(each.threads, each.launch.offset)
            found.setdefault(each.launch.kernel, {}).setdefault(each.threads, block)
    return {kernel: list(of_kernel.values()) for kernel, of_kernel in found.items()}


def bounds(code: Code, rules: RuleSet, span: Span) -> Iterator[Block]:
    """The largest sizes of blocks that kernels are bounded to, where they are known."""
    text, word = code.code, rules.lanes.launch_bounds
    for at in occurrences(text, word, *span) if word in code.words else ():
        opened = skip(text, at + len(word))
        closed = closing_bracket(text, opened) if text.startswith("(", opened) else None
        largest = arguments_in(text[opened + 1 : closed])[:1] if closed else []
        value = number(code, rules, largest[0]) if largest else None
        if value is not None:
            yield Block(value, at)


@lru_cache(maxsize=2)
def launched_blocks(declarations: Declarations, rules: RuleSet) -> list[LaunchedBlock]:
    """The block of every launch, in order."""
    code, found = declarations.code, []
    for each in launches(code, rules):
        sizes = _dimensions(declarations, rules, each.block, each.offset)
        found.append(LaunchedBlock(each, sizes, [number(code, rules, size) for size in sizes]))
    return found


def _dimensions(
    declarations: Declarations, rules: RuleSet, block: str, offset: int, depth: int = 0
) -> list[str]:
    """The sizes of a block along its axes, as its variable was last given them."""
    code, block = declarations.code, block.strip()
    parts = sizes_in(block, rules)
    if depth > _DEEPEST or not block.isidentifier() or _is_constant(code, rules, block):
        return parts
    given = last_given(declarations, block, offset)
    if given is None:
        return parts
    return _dimensions(declarations, rules, code.code[slice(*given)], given.start, depth + 1)


def _is_constant(code: Code, rules: RuleSet, name: str) -> bool:
    """Whether a name has one value in the whole file: nothing of several sizes is called so."""
    if number(code, rules, name) is None:
        return False
    return not re.search(rf"\b{rules.spellings.dimension_type}\s+{name}\b", code.code)


def size_given(declarations: Declarations, rules: RuleSet, name: str, offset: int) -> Span | None:
    """The sizes that a variable was given before an offset, without what makes a `dim3` of them."""
    given = last_given(declarations, name, offset)
    found = _made(declarations.code.code[slice(*given)], rules) if given else None
    return (
        Span(given.start + found.start(1), given.start + found.end(1)) if given and found else given
    )


def _made(text: str, rules: RuleSet) -> re.Match[str] | None:
    """What the brackets around a whole size hold."""
    found = re.fullmatch(
        rf"(?:{rules.spellings.dimension_type}\s*)?[({{](.*)[)}}]", text, re.DOTALL
    )
    is_one = found is not None and closing_bracket(text, found.start(1) - 1) == len(text) - 1
    return found if is_one else None


def sizes_in(block: str, rules: RuleSet) -> list[str]:
    """The sizes of a grid or block along each axis, of which there is at least one."""
    found = _made(block, rules)
    return (arguments_in(found[1]) or ["1"]) if found else arguments_in(block) or [block]
