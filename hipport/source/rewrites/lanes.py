"""Widens lane masks, and what holds a set of lanes, to the 64 bits that HIP has."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Any

from hipport.model import Span
from hipport.source.device_code import is_ported
from hipport.source.languages.cuda import parse_call
from hipport.source.rewrites import is_header, rewrite, rewrite_each
from hipport.source.rewrites.lane_sets import FULL, SET, LaneSets, Replaced, sources_in
from hipport.source.tokens import occurrences, skip
from hipport.source.unit import Unit

if TYPE_CHECKING:
    import tree_sitter

_DIGITS = re.compile(r"(?:0[xX][0-9a-fA-F']+|[0-9][0-9']*)[uU]?")
_NAME = re.compile(r"[A-Za-z_]\w*")
_FIRST_LANE = re.compile(r"\b(\w+)\(\Z")
_EMPTY = re.compile(r"\{[\s0,]*\}")
_SHARED = re.compile(r"\b(?:__shared__|extern|volatile|typedef)\b")


def rewrite_lanes(unit: Unit) -> None:
    """Variables and expressions first, for they are understood as a whole; then literals."""
    words = unit.rules.rewrites["words"]
    for function in _functions(unit, words):
        _rewrite_function(unit, function, words)
    _rewrite_constants(unit, words)
    _rewrite_literals(unit, words)


def _functions(unit: Unit, words: dict[str, Any]) -> list[tree_sitter.Node]:
    """The outermost function definitions that call a function of sets of lanes."""
    text = unit.code.code
    names = unit.code.words.intersection((*words["sources"], *words["masked"])) - unit.declared
    found: list[tree_sitter.Node] = []
    for start, name in sorted((at, each) for each in names for at in occurrences(text, each)):
        span = Span(start, start + len(name))
        if not text.startswith("(", skip(text, span.end)):
            continue
        if found and span.start < found[-1].end_byte:
            continue
        if name not in words["sources"] and _has_literal_mask(unit, span, words):
            continue
        if unit.code.directive_at(span.start) is not None or is_ported(unit, span.start):
            continue
        node = unit.declarations.root.descendant_for_byte_range(*span)
        function = None
        while node is not None:
            function = node if node.type == "function_definition" else function
            node = node.parent
        if function is not None:
            found.append(function)
    return found


def _has_literal_mask(unit: Unit, name: Span, words: dict[str, Any]) -> bool:
    """Whether a call takes all lanes, or a number: no variable has to do with its mask."""
    call = parse_call(unit.code, name)
    if call is None or not call.arguments:
        return False
    mask = "".join(unit.code.code[slice(*call.arguments[0])].split())
    return bool(re.fullmatch(words["full_masks"], mask) or _DIGITS.fullmatch(mask))


def _rewrite_function(unit: Unit, function: tree_sitter.Node, words: dict[str, Any]) -> None:
    candidates = _candidates(unit, function, words)
    met = _met(unit.code.code[function.start_byte : function.end_byte], set(candidates), words)
    candidates = {name: nodes for name, nodes in candidates.items() if name in met}
    kinds, edits = _settle(unit, function, words, candidates)
    parameters = {name for name, nodes in candidates.items() if _is_parameter(nodes)} & kinds.keys()
    done: list[Replaced] = []
    for name in kinds:
        if name not in parameters:
            done += _declarations(unit, candidates[name], words)
    done += edits
    if parameters:
        # What depends on a parameter is suggested with it; all else is settled without it.
        for name in parameters:
            done += _declarations(unit, candidates[name], words)
        settles = _mask_arguments(unit, function, words, set(kinds))
        rewrite(unit, "lane-set-parameter", _unique(done), settles + [span for span, _ in done])
        candidates = {name: nodes for name, nodes in candidates.items() if name not in parameters}
        if unit.options.unsafe:
            return
        kinds, edits = _settle(unit, function, words, candidates)
        done = [each for name in kinds for each in _declarations(unit, candidates[name], words)]
        done += edits
    if done:
        rewrite(unit, "lane-set", _unique(done), _mask_arguments(unit, function, words, set(kinds)))


def _met(text: str, names: set[str], words: dict[str, Any]) -> set[str]:
    """The names that share a statement with a ballot or a lane mask, or with another such name."""
    statements = [set(_NAME.findall(each)) for each in re.split(r"[;{}]", text)]
    found = set(words["sources"]) | set(words["masked"])
    while True:
        more = {name for each in statements if not found.isdisjoint(each) for name in each & names}
        if more <= found:
            return found & names
        found |= more


def _unique(edits: list[Replaced]) -> list[Replaced]:
    return sorted(set(edits))


def _settle(
    unit: Unit,
    function: tree_sitter.Node,
    words: dict[str, Any],
    candidates: dict[str, list[tree_sitter.Node]],
) -> tuple[dict[str, str], list[Replaced]]:
    """The variables all of whose uses may be widened, with their kinds, and the edits of the uses.

    Starts with all candidates holding plain sets; a use that does not fit makes a variable hold
    the full mask, then drops it, until nothing changes. Those that have to do with no ballot and
    no lane mask go at the end.
    """
    uses = {
        name: found for name in candidates if (found := _uses(unit, function, name)) is not None
    }
    kinds = dict.fromkeys(uses, SET)
    while True:
        sets = LaneSets(unit.code, words, kinds)
        failed = [name for name in kinds if any(sets.role(node) is None for node in uses[name])]
        if not failed:
            break
        kept = {name: kind for name, kind in kinds.items() if name not in failed}
        kinds = {**kept, **{name: FULL for name in failed if kinds[name] == SET}}
    grounded = _grounded(sets, uses, kinds)
    edits = [edit for name in grounded for node in uses[name] for edit in sets.role(node) or ()]
    sets = LaneSets(unit.code, words, grounded)
    for call in sources_in(function, frozenset(words["sources"]), unit.code.code):
        edits += sets.role(call) or ()
    return grounded, edits


def _grounded(
    sets: LaneSets, uses: dict[str, list[tree_sitter.Node]], kinds: dict[str, str]
) -> dict[str, str]:
    """The variables that meet a ballot, a lane mask, or another such variable in an expression."""
    met = {name: [sets.text(sets.neighbourhood(node)) for node in uses[name]] for name in kinds}
    wanted = re.compile(
        rf"\b(?:{'|'.join(map(re.escape, [*sets.words['sources'], *sets.words['masked']]))})\b"
    )
    found = {name for name, texts in met.items() if any(map(wanted.search, texts))}
    while True:
        more = {
            name
            for name, texts in met.items()
            if name not in found
            and any(not found.isdisjoint(_NAME.findall(text)) for text in texts)
        }
        if not more:
            return {name: kind for name, kind in kinds.items() if name in found}
        found |= more


def _candidates(
    unit: Unit, function: tree_sitter.Node, words: dict[str, Any]
) -> dict[str, list[tree_sitter.Node]]:
    """Variables of known integer types -> their declarations in the function."""
    text = unit.code.code[function.start_byte : function.end_byte]
    types = words["narrow_types"] + words["wide_types"]
    shapes = [r"\s+".join(map(re.escape, each.split())) for each in types]
    alternatives = "|".join(sorted(shapes, key=len, reverse=True))
    shape = re.compile(rf"(?<![\w:])(?:{alternatives})\s+(?:const\s+)?([A-Za-z_]\w*)\s*(?=[=;,)[])")
    found: dict[str, list[tree_sitter.Node]] = {}
    for match in shape.finditer(text):
        start = function.start_byte + match.start(1)
        node = function.named_descendant_for_byte_range(start, start + len(match[1]))
        declaration = _declaration(node)
        span = _type(declaration) if declaration is not None else None
        if declaration is not None and span and _words(unit, span) in types:
            found.setdefault(match[1], []).append(declaration)
    return found


def _type(declaration: tree_sitter.Node) -> Span | None:
    """Where a declaration names its type, without a `const` that the grammar takes with it."""
    node = declaration.child_by_field_name("type")
    if node is None or node.text is None:
        return None
    text = node.text.decode("latin-1").removesuffix("const").rstrip()
    return Span(node.start_byte, node.start_byte + len(text))


def _words(unit: Unit, span: Span) -> str:
    return " ".join(unit.code.slice(span).split())


def _declaration(name: tree_sitter.Node | None) -> tree_sitter.Node | None:
    """The declaration of the one variable at a name."""
    if name is None or name.type != "identifier" or name.parent is None:
        return None
    node = name.parent
    declarator = name
    if node.type == "array_declarator" and node.parent is not None:
        declarator, node = node, node.parent
        if node.type not in ("declaration", "init_declarator"):
            return None
    if node.type == "init_declarator":
        if node.child_by_field_name("declarator") != declarator or node.parent is None:
            return None
        node = node.parent
    if node.type in ("parameter_declaration", "optional_parameter_declaration"):
        return node
    if node.type != "declaration" or len(node.children_by_field_name("declarator")) != 1:
        return None
    return None if _SHARED.search((node.text or b"").decode("latin-1")) else node


def _is_parameter(declarations: list[tree_sitter.Node]) -> bool:
    return any(each.type.endswith("parameter_declaration") for each in declarations)


def _declarations(
    unit: Unit, declarations: list[tree_sitter.Node], words: dict[str, Any]
) -> list[Replaced]:
    """The edits that give declarations a type of 64 bits."""
    edits: list[Replaced] = []
    for declaration in declarations:
        span = _type(declaration)
        if span and _words(unit, span) in words["narrow_types"]:
            edits.append((span, words["wide_type"]))
    return edits


def _uses(unit: Unit, function: tree_sitter.Node, name: str) -> list[tree_sitter.Node] | None:
    """The expressions that name the variable; None if something else, such as a macro, may."""
    found: list[tree_sitter.Node] = []
    for start in occurrences(unit.code.code, name, function.start_byte, function.end_byte):
        if unit.code.directive_at(start) is not None:
            return None
        node = function.named_descendant_for_byte_range(start, start + len(name))
        if node is None or node.type == "field_identifier":
            continue
        parent = node.parent
        if node.type != "identifier" or parent is None or parent.type == "ERROR":
            return None
        if _declaration(node) is None:
            is_element = (
                parent.type == "subscript_expression"
                and node == parent.child_by_field_name("argument")
            )
            found.append(parent if is_element else node)
            continue
        array = parent if parent.type == "array_declarator" else None
        parent = parent.parent if array and parent.parent is not None else parent
        value = parent.child_by_field_name("value") or parent.child_by_field_name("default_value")
        if value is not None and not (
            array and _EMPTY.fullmatch(unit.code.slice(Span(value.start_byte, value.end_byte)))
        ):
            found.append(value)
    return found


def _mask_arguments(
    unit: Unit, function: tree_sitter.Node, words: dict[str, Any], names: set[str]
) -> list[Span]:
    """The mask arguments in the function that name one of the variables."""
    spans = []
    for use in unit.of(words["masked"]):
        if function.start_byte <= use.span.start < function.end_byte:
            call = parse_call(unit.code, use.span)
            if call and call.arguments:
                found = set(_NAME.findall(unit.code.slice(call.arguments[0])))
                if found & names:
                    spans.append(call.arguments[0])
    return spans


def _rewrite_constants(unit: Unit, words: dict[str, Any]) -> None:
    """`#define FULL_MASK 0xffffffff` and constants, where every use is a lane mask."""
    narrow = "|".join(map(re.escape, sorted(words["narrow_types"], key=len, reverse=True)))
    full = re.compile(words["full_masks"])
    passed = (unit.code.code[span.start : span.end] for span in _masks(unit, words))
    for name in dict.fromkeys(text for text in passed if _NAME.fullmatch(text)):
        macro = rf"^[ \t]*#[ \t]*define[ \t]+{name}[ \t]+(?P<mask>\S[^\n\r]*?)[ \t]*\r?$"
        const = "(?:const|constexpr)"
        constant = (
            rf"\b(?:{const}\s+(?P<type>{narrow})|(?P<first>{narrow})\s+{const})"
            rf"\s+{name}\s*=\s*(?P<mask>[^;,]+?)\s*;"
        )
        for match in re.finditer(
            f"{macro}|{constant.replace('mask', 'value')}", unit.code.code, re.M
        ):
            value = "mask" if match["mask"] else "value"
            if not full.fullmatch("".join(match[value].split())):
                continue
            known = _uses_as_masks(unit, name, Span(*match.span()), words)
            if known and not is_header(unit):
                masks, edits = known
                edits.insert(0, (Span(*match.span(value)), words["full_mask"]))
                if type_ := "type" if match["type"] else "first" if match["first"] else "":
                    edits.insert(0, (Span(*match.span(type_)), words["wide_type"]))
                rewrite(unit, "mask-literal", edits, masks)
            elif match["mask"] and not is_ported(unit, match.start()):
                # Others may use the name as a number: the masks alone are widened.
                for span in _masks(unit, words):
                    if unit.code.slice(span) == name and not unit.settled.overlap(span):
                        rewrite(unit, "mask-literal", [(span, words["full_mask"])], [span])


def _masks(unit: Unit, words: dict[str, Any]) -> list[Span]:
    """The first arguments of all calls of functions that take a lane mask."""
    calls = (parse_call(unit.code, use.span) for use in unit.of(words["masked"]))
    return [call.arguments[0] for call in calls if call and call.arguments]


def _uses_as_masks(
    unit: Unit, name: str, definition: Span, words: dict[str, Any]
) -> tuple[list[Span], list[Replaced]] | None:
    """The mask arguments that consist of the name, and edits of functions that take it too.

    None if the file uses it in any other way.
    """
    masks = set(_masks(unit, words))
    text = unit.code.code
    found: list[Span] = []
    edits: list[Replaced] = []
    for start in occurrences(text, name):
        span = Span(start, start + len(name))
        if definition.start <= span.start < definition.end:
            continue
        first = _FIRST_LANE.search(text[max(0, span.start - 40) : span.start])
        if span in masks:
            found.append(span)
        elif first and first[1] in words["first_lane"] and text[span.end : span.end + 1] == ")":
            edits.append(
                (Span(span.start - 1 - len(first[1]), span.start - 1), words["counters"][first[1]])
            )
        else:
            return None
    return found, edits


def _rewrite_literals(unit: Unit, words: dict[str, Any]) -> None:
    """Literal masks where they are passed."""
    full = re.compile(words["full_masks"])
    whole: list[Replaced] = []
    partial: list[Replaced] = []
    for use in unit.of(words["masked"]):
        call = parse_call(unit.code, use.span)
        if use.qualifier or call is None or not call.arguments:
            continue
        span = call.arguments[0]
        text = "".join(unit.code.code[span.start : span.end].split())
        if full.fullmatch(text):
            whole.append((span, words["full_mask"]))
        elif _DIGITS.fullmatch(text):
            partial.append((span, unit.code.slice(span).rstrip("uU") + "ull"))
    rewrite_each(unit, "mask-literal", whole)
    rewrite_each(unit, "partial-mask", partial)
