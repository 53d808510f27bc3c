"""What Python code only shows to people, or records of a device: it decides nothing."""

from __future__ import annotations

import re
from bisect import bisect_left, bisect_right
from collections import Counter
from collections.abc import Iterator
from functools import lru_cache

import tree_sitter

from hipport.lazy_regex import regex
from hipport.model import Span
from hipport.named_tuples import NamedTuple
from hipport.rulebook.branch_words import PythonBranches
from hipport.source.languages.python_syntax import (
    NO_PROGRAM,
    Module,
    function_around,
    may_fail,
    module_of,
    pairs_of,
    span_of,
    text_of,
)

# Comments have no names that are read.
_WORD = regex(rb"#[^\n\"']*$|(?<![\w.])[A-Za-z_]\w*", re.MULTILINE)
_KEY = regex(rb"[\"'](\w+)[\"']")
_QUOTES = ('"', "'")
_SEVERAL = ("pattern_list", "tuple_pattern")
_ROUNDS = 4


class Given(NamedTuple):
    """A statement that gives values to names of a function."""

    names: tuple[bytes, ...]
    targets: Span
    value: Span
    statement: tree_sitter.Node


def printed_spans(data: bytes, words: PythonBranches) -> list[Span]:
    """What functions are given only to show it to people, as it is written there."""
    return sorted(
        span_of(given)
        for name, call in module_of(data).calls
        if re.fullmatch(words.showing, name) and (given := call.child_by_field_name("arguments"))
    )


# Asked for those that look something up after the others.
@lru_cache(maxsize=1)
def shown_spans(data: bytes, words: PythonBranches) -> list[Span]:
    """What functions are given only to show it to people, and what only leads to it."""
    module = module_of(data)
    shown = [*printed_spans(data, words), *_recorded(module, words)]
    if not shown:
        return []
    given = _given(module)
    asking = _asking(module, words)
    names = {name for names in given.values() for each in names for name in each.names}
    places = places_of(data, names.union(asking))
    for _ in range(_ROUNDS):
        joined = joined_spans(shown)
        found = {
            *shown,
            *values_read_inside(given, places, joined),
            *_only_announced(module, words, joined),
            *_only_asked(asking, places, joined),
        }
        if len(found) == len(set(shown)):
            break
        shown = list(found)
    return sorted(shown)


def unread_spans(data: bytes, words: PythonBranches) -> list[Span]:
    """The values of names that nothing reads."""
    return sorted(_unread(module_of(data), words))


def looked_at_spans(data: bytes, words: PythonBranches) -> list[Span]:
    """What is only shown, or kept and never read: not what is given to a call that may do more."""
    module = module_of(data)
    shown = joined_spans([*shown_spans(data, words), *_unread(module, words)])
    acting = joined_spans(list(_acting(module, words, shown)) if shown else [])
    return [rest for each in shown for rest in _without(each, acting)]


def _unread(module: Module, words: PythonBranches) -> Iterator[Span]:
    """The values of names that a function gives one, or a script does, and nothing reads.

    Other files may read what a module gives a value to.
    """
    is_script = any(re.fullmatch(words.ignoring, name) for name, _ in module.calls)
    values: dict[bytes, list[Span]] = {}
    for each in module.nodes("assignment"):
        target, value = each.child_by_field_name("left"), each.child_by_field_name("right")
        is_name = target is not None and target.type == "identifier"
        if target and value and is_name and (is_script or function_around(each)):
            values.setdefault(target.text or b"", []).append(span_of(value))
    places = places_of(module.data, set(values))
    for name, given in values.items():
        if len(places[name]) == len(given):
            yield from given


def _acting(module: Module, words: PythonBranches, shown: list[Span]) -> Iterator[Span]:
    """What calls are given that may do more than to look something up, or to show it.

    Whether a program is there decides what a `try` around it goes on with.
    """
    known: dict[int, bool] = {}
    for name, call in module.calls:
        given = call.child_by_field_name("arguments")
        if given is None or re.fullmatch(f"{words.looking}|{words.showing}", name):
            continue
        text = (given.text or b"").decode("latin-1")
        runs = re.fullmatch(words.running, name) is not None
        function = function_around(call) if runs else None
        is_asked = function is not None and is_inside(function.start_byte, shown)
        decides = runs and not (is_asked and may_fail(call, known, NO_PROGRAM))
        if decides or not re.search(words.telling, text):
            yield span_of(given)


def _without(span: Span, others: list[Span]) -> Iterator[Span]:
    """What is left of a span without others, which are in order."""
    start = span.start
    first = bisect_right(others, start, key=lambda each: each.end)
    for each in others[first:]:
        if each.start >= span.end:
            break
        if start < each.start:
            yield Span(start, each.start)
        start = each.end
    if start < span.end:
        yield Span(start, span.end)


def joined_spans(spans: list[Span]) -> list[Span]:
    """The spans in order, those that touch as one."""
    joined: list[Span] = []
    for each in sorted(spans):
        if joined and each.start <= joined[-1].end:
            joined[-1] = Span(joined[-1].start, max(each.end, joined[-1].end))
        else:
            joined.append(each)
    return joined


def is_inside(offset: int, joined: list[Span]) -> bool:
    at = bisect_right(joined, offset, key=lambda each: each.start) - 1
    return at >= 0 and offset < joined[at].end


def _only_announced(module: Module, words: PythonBranches, shown: list[Span]) -> Iterator[Span]:
    """The conditions that choose only among what people are shown: `if CUDA_HOME: print("…")`."""
    for node in module.nodes("branch"):
        if node.type != "if_statement":
            continue
        clauses = [node, *node.children_by_field_name("alternative")]
        bodies = [
            each.child_by_field_name("consequence") or each.child_by_field_name("body")
            for each in clauses
        ]
        statements = [each for body in bodies if body for each in body.named_children]
        if statements and all(_is_shown(each, module, words, shown) for each in statements):
            conditions = (each.child_by_field_name("condition") for each in clauses)
            yield from (span_of(each) for each in conditions if each)


def _asking(module: Module, words: PythonBranches) -> dict[bytes, Span]:
    """The functions of a script that installs something: no other file calls them."""
    if not any(re.fullmatch(words.ignoring, name) for name, _ in module.calls):
        return {}
    functions = (each for each in module.nodes("definition") if each.type == "function_definition")
    named = ((text_of(each.child_by_field_name("name")).encode(), each) for each in functions)
    return {name: span_of(each) for name, each in named if each.parent == module.root}


def _only_asked(
    asking: dict[bytes, Span], places: dict[bytes, list[int]], shown: list[Span]
) -> Iterator[Span]:
    """The functions whose answers are only shown."""
    for name, span in asking.items():
        uses = [each for each in places[name] if not span.start <= each < span.end]
        if uses and all(is_inside(each, shown) for each in uses):
            yield span


def _is_shown(
    statement: tree_sitter.Node, module: Module, words: PythonBranches, shown: list[Span]
) -> bool:
    """Whether a statement does no more than to show something to people."""
    if statement.type in ("comment", "pass_statement"):
        return True
    inner = statement.named_children[0] if statement.type == "expression_statement" else None
    if inner and inner.type == "assignment":
        value = inner.child_by_field_name("right")
        return value is not None and is_inside(value.start_byte, shown)
    function = inner.child_by_field_name("function") if inner and inner.type == "call" else None
    return function is not None and bool(re.fullmatch(words.showing, module.full_name(function)))


def _recorded(module: Module, words: PythonBranches) -> Iterator[Span]:
    """What dictionaries keep beside a device's name, or a system's, under keys that nothing reads.

    Those that the file has in quotes only where it writes them it does not read.
    """
    found = [
        values
        for values in (*_literals(module), *_filled_in(module), *_kept(module, words))
        if any(_is_name(key, value, words) for key, value in values.items())
    ]
    entries = {span_of(value): key for values in found for key, value in values.items()}
    quoted = (key for key in entries.values() if key.startswith(_QUOTES))
    kept = Counter(key.strip("\"'").encode() for key in quoted)
    written = Counter(match[1] for match in _KEY.finditer(module.data)) if found else kept
    for place, key in entries.items():
        if written[key.strip("\"'").encode()] == kept[key.strip("\"'").encode()]:
            yield place


def _is_name(key: str, value: tree_sitter.Node, words: PythonBranches) -> bool:
    """Whether a dictionary has the name of a device, or of the system that a program runs on."""
    written = (value.text or b"").decode("latin-1")
    is_of_device = re.fullmatch(words.key_of_name, key) and re.search(words.asked_name, written)
    return bool(is_of_device or re.fullmatch(words.asked_system, text_of(value)))


def _literals(module: Module) -> Iterator[dict[str, tree_sitter.Node]]:
    """The values of dictionaries, by their keys as written: `{"name": name}`."""
    for each in module.nodes("dictionary"):
        yield {key: pair.named_children[-1] for key, pair in pairs_of(each)}


def _filled_in(module: Module) -> Iterator[dict[str, tree_sitter.Node]]:
    """The same of dictionaries that a function fills in: `record["name"] = name`.

    What a dictionary has from the beginning is beside that.
    """
    found: dict[tuple[Span | None, str], dict[str, tree_sitter.Node]] = {}
    for each in module.nodes("assignment"):
        target, value = each.child_by_field_name("left"), each.child_by_field_name("right")
        if target and value and target.type == "subscript":
            around = function_around(each)
            name = text_of(target.child_by_field_name("value"))
            filled = found.setdefault((around and span_of(around), name), {})
            filled[text_of(target.child_by_field_name("subscript"))] = value
        elif target and value and value.type == "dictionary":
            around = function_around(each)
            filled = found.setdefault((around and span_of(around), text_of(target)), {})
            filled.update((key, pair.named_children[-1]) for key, pair in pairs_of(value))
    yield from found.values()


def _kept(module: Module, words: PythonBranches) -> Iterator[dict[str, tree_sitter.Node]]:
    """What functions that only keep it are given by names: `savez(file, name=name)`."""
    for name, call in module.calls:
        given = call.child_by_field_name("arguments")
        if given and re.fullmatch(words.recording, name):
            named = [each for each in given.named_children if each.type == "keyword_argument"]
            yield {
                text_of(each.child_by_field_name("name")): value
                for each in named
                if (value := each.child_by_field_name("value"))
            }


def _given(module: Module) -> dict[Span, list[Given]]:
    """Function -> what gives values to its names: assignments, and imports within it.

    So does a module to names that are its own, by the `_` before them.
    """
    found: dict[Span, list[Given]] = {}
    for each in module.nodes("assignment"):
        target, value = each.child_by_field_name("left"), each.child_by_field_name("right")
        if target and value:
            several = target.named_children if target.type in _SEVERAL else [target]
            names = tuple(name.text or b"" for name in several if name.type == "identifier")
            is_own = all(name.startswith(b"_") for name in names)
            around = function_around(each) or (module.root if is_own else None)
            if around and len(names) == len(several):
                given = Given(names, span_of(target), span_of(value), each)
                found.setdefault(span_of(around), []).append(given)
    for each in module.nodes("import"):
        around = function_around(each)
        items = each.children_by_field_name("name") if each.type == "import_from_statement" else []
        if around and items:
            named = (item.child_by_field_name("alias") or item for item in items)
            bound = tuple(name.text or b"" for name in named)
            given = Given(bound, span_of(each), span_of(each), each)
            found.setdefault(span_of(around), []).append(given)
    return found


def values_read_inside(
    given: dict[Span, list[Given]], places: dict[bytes, list[int]], shown: list[Span]
) -> Iterator[Span]:
    """The values of names that a function reads nowhere but in these spans."""
    for function, statements in given.items():
        targets = joined_spans([each.targets for each in statements])
        is_only_shown: dict[bytes, bool] = {}
        is_read = set()
        for name in {name for each in statements for name in each.names}:
            at = places[name]
            inside = at[bisect_left(at, function.start) : bisect_left(at, function.end)]
            reads = [each for each in inside if not is_inside(each, targets)]
            is_only_shown[name] = all(is_inside(each, shown) for each in reads)
            if reads:
                is_read.add(name)
        for each in statements:
            if all(map(is_only_shown.__getitem__, each.names)) and is_read.intersection(each.names):
                yield each.value


def places_of(data: bytes, names: set[bytes]) -> dict[bytes, list[int]]:
    """Where these names are as words, in strings too."""
    found: dict[bytes, list[int]] = {name: [] for name in names}
    for match in _WORD.finditer(data):
        if match[0] in found:
            found[match[0]].append(match.start())
    return found
