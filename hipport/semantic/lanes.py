"""Which variables of a whole program hold sets of lanes alone, by what the compiler resolved.

As hipport/source/rewrites/lanes.py does in one function by names: here members, arrays, parameters
and constants count too, in all files at once. A variable is widened only where every place that
names it is known, and each suits 64 bits; of one that is not nothing is touched.
"""

from __future__ import annotations

import re
from bisect import bisect_left
from collections import defaultdict
from collections.abc import Mapping, Set
from functools import cached_property
from typing import TYPE_CHECKING, Any, NamedTuple

from hipport.model import Span
from hipport.semantic.expressions import (
    KnownSets,
    callers_expression,
    declaration,
    in_constructor,
    items_of,
    returned,
    whole,
)
from hipport.semantic.macros import Macros, is_parameter
from hipport.semantic.program import Program, Source
from hipport.semantic.variables import NARROW, WIDE, Place
from hipport.source.device_code import stands_in_port
from hipport.source.languages.cuda import parse_call
from hipport.source.rewrites.lane_sets import FULL, SET, Replaced
from hipport.source.rules import RuleSet

if TYPE_CHECKING:
    import tree_sitter

    _Expression = tuple[Source, tree_sitter.Node]

_WORD = re.compile(r"[A-Za-z_]\w*")
# An initialiser's brace begins no statement.
_STATEMENT_END = re.compile(r"[;}]|(?<![\w\]=])(?<!= )\{")


class Widened(NamedTuple):
    """For one file: edits, and the places of findings that they answer."""

    edits: tuple[tuple[int, int, str], ...] = ()
    settles: tuple[tuple[int, int], ...] = ()


class _Lanes:
    """The variables of a program on their way to be judged; keys name them, `#name` a macro."""

    def __init__(
        self,
        near: Set[str],
        texts: Mapping[str, bytes],
        program: Program,
        rules: RuleSet,
    ) -> None:
        sources = {path: Source(path, data) for path, data in texts.items() if path in near}
        self.texts, self.sources, self.program, self.rules = texts, sources, program, rules
        self.words: dict[str, Any] = rules.rewrites["words"]
        self.known = {_key(at): each for at, each in program.declared.items()}
        self.where = {_key(at): at for at in program.declared if at[0] in sources}
        self.parameters = {
            key: tuple(map(_key, each.parameters))
            for key, each in self.known.items()
            if each.parameters is not None
        }
        self.uses: dict[str, list[tuple[Source, int]]] = defaultdict(list)
        for (path, offset), of in sorted(program.uses.items()):
            if path in sources:
                key = _key(of) if of else "?"
                sources[path].named[offset] = key
                self.uses[key].append((sources[path], offset))
        for key, (path, offset) in self.where.items():
            sources[path].named[offset] = key
        lanes = "|".join(map(re.escape, [*self.words["sources"], *self.words["masked"]]))
        self.lanes = re.compile(rf"(?<![\w.:>])(?:{lanes})(?=\s*\()")
        self.owners = {
            each: (function, index)
            for function, taken in self.parameters.items()
            for index, each in enumerate(taken)
        }
        self.masks: dict[str, list[Span]] = {}
        self._find_macros()
        # Key -> the edit of its declaration, and the expressions that it meets.
        self.declarations: dict[str, tuple[Source, Span | None, str, int]] = {}
        self.met: dict[str, list[_Expression]] = {}
        # The variables that share a declaration's type.
        self.beside: dict[tuple[str, Span | None], list[str]] = defaultdict(list)

    def _find_macros(self) -> None:
        self.macros = Macros(self.sources.values(), self.words["full_masks"], self._masks)
        for name in self.macros.all_lanes:
            self.uses[f"#{name}"] = list(self.macros.uses(name))
            for source, at in self.uses[f"#{name}"]:
                source.named[at] = f"#{name}"

    def widened(self) -> dict[str, Widened]:
        """What is to be changed, by path."""
        candidates = self._candidates()
        names = {self._name(key) for key in candidates}
        names |= {self._name(key) for key in self.parameters if key in self.where}
        # What else there is only tells whether something is named there too.
        for path in self.texts.keys() - self.sources.keys() if names else ():
            data = self.texts[path]
            if not names.isdisjoint(_WORD.findall(data.decode("latin-1"))):
                self.sources[path] = Source(path, data)
        self._find_macros()
        for key in candidates:
            self._collect(key)
        for key in self.met:
            self.beside[self.declarations[key][0].path, self.declarations[key][1]].append(key)
        kinds = {key: FULL if key.startswith("#") else SET for key in self.met}
        kinds = self._settled(kinds)
        kinds = self._settled(self._grounded(kinds))
        return self._result(self._grounded(kinds))

    def _candidates(self) -> list[str]:
        """What shares a statement with a ballot, a lane mask or another of them.

        A statement counts for the function that it stands in too: it may return.
        """
        members: dict[str, list[int]] = defaultdict(list)
        statements: list[set[str]] = []
        pending: list[int] = []
        functions: dict[str, list[tuple[int, str]]] = defaultdict(list)
        for key in self.parameters.keys() & self.where.keys():
            path, offset = self.where[key]
            functions[path].append((offset, key))
        for source in self.sources.values():
            done = 0
            starts = sorted(functions[source.path])
            lanes = [match.start() for match in self.lanes.finditer(source.code.code)]
            ends = [match.start() for match in _STATEMENT_END.finditer(source.code.code)]
            for end in [*ends, len(source.code.code)]:
                keys = set(source.named_in(done, end))
                keys.update(one for key in [*keys] for one in self.parameters.get(key, ()))
                has_lanes = bisect_left(lanes, done) < bisect_left(lanes, end)
                if keys or has_lanes:
                    index = bisect_left(starts, (end, ""))
                    keys.update(key for _, key in starts[max(0, index - 1) : index])
                    if has_lanes:
                        pending.append(len(statements))
                    for key in keys:
                        members[key].append(len(statements))
                    statements.append(keys)
                done = end
        found: dict[str, None] = {}
        while pending:
            for key in sorted(statements[pending.pop()]):
                if key not in found and self._may_hold(key):
                    found[key] = None
                    pending += members[key]
        return list(found)

    def _may_hold(self, key: str) -> bool:
        if key.startswith("#"):
            return True
        known = self.known.get(key)
        return known is not None and known.is_safe and known.holds in (NARROW, WIDE)

    def _collect(self, key: str) -> None:
        """Find the declaration and all expressions of a variable; nothing if one is unknown."""
        if key.startswith("#"):
            macro = self.macros.all_lanes.get(key[1:])
            if macro is None:
                return
            self.declarations[key] = macro.source, macro.value, self.words["full_mask"], 1
            found: list[_Expression] | None = []
        else:
            found = self._declaration(key)
        if found is None:
            return
        if key in self.parameters:
            calls = self._calls(key)
            if calls is not None:
                self.met[key] = found + calls
            return
        for source, offset in self.uses[key]:
            node = source.node(offset, len(self._name(key)))
            if node is not None:
                values = in_constructor(node)
                found += [(source, each) for each in ([whole(node)] if values is None else values)]
            elif not self._is_mask(source, offset):
                return
        owner = self.owners.get(key)
        if owner:
            given = self._given(*owner)
            if given is None:
                return
            found += given
        self.met[key] = found

    def _name(self, key: str) -> str:
        if key.startswith("#"):
            return key[1:]
        path, offset = self.where[key]
        return self.sources[path].word(offset)

    def _declaration(self, key: str) -> list[_Expression] | None:
        """Record the declaration of a variable; its initial value. None if either is unclear."""
        if key not in self.where:
            return None
        path, offset = self.where[key]
        source, name = self.sources[path], self._name(key)
        node = source.node(offset, len(name))
        if node is None:
            return None
        if key in self.parameters:
            whole, values = returned(node)
        else:
            whole, values = declaration(node)
        if whole is None:
            return None
        if key not in self.parameters and not self._is_accounted(key, name, source, whole):
            return None
        type_ = whole.child_by_field_name("type")
        if type_ is None:
            return None
        text = source.code.code[type_.start_byte : type_.end_byte].removesuffix("const").rstrip()
        if text in self.rules.names:
            return None
        if text == "auto" and not (values and all(self._is_wide(source, each) for each in values)):
            return None
        is_narrow = self.known[key].holds == NARROW and text != "auto"
        span = Span(type_.start_byte, type_.start_byte + len(text)) if is_narrow else None
        count = len(whole.children_by_field_name("declarator"))
        self.declarations[key] = source, span, self.words["wide_type"], count
        return [(source, each) for each in values]

    def _is_wide(self, source: Source, value: tree_sitter.Node) -> bool:
        """Whether the type that `auto` takes of a value will have 64 bits."""
        text = source.code.code[value.start_byte : value.end_byte]
        return self.lanes.match(text) is not None and text.endswith(")")

    def _is_accounted(
        self, key: str, name: str, source: Source, declaration: tree_sitter.Node
    ) -> bool:
        """Whether the compiler told what each place means where the name may be the variable."""
        function: tree_sitter.Node | None = None
        node = declaration.parent
        while node is not None:
            function = node if node.type == "function_definition" else function
            node = node.parent
        is_member = declaration.type == "field_declaration"
        if function is not None and not is_member:
            scope = Span(function.start_byte, function.end_byte)
            places = [at for at in source.words.get(name, ()) if scope.start <= at < scope.end]
            return all(self._is_known(source, at, name) for at in places)
        return all(
            self._is_known(each, at, name)
            for each in self.sources.values()
            for at in each.words.get(name, ())
            if self._may_name(each, at, source.path, is_member=is_member)
        )

    def _may_name(self, source: Source, at: int, declared: str, *, is_member: bool) -> bool:
        """Whether a word may be the name of what a file declares for other files too."""
        path = source.path
        if path in self.program.doubtful or path in self.program.beside(declared):
            return True
        if path in self.program.read:
            return False
        before = source.code.code[max(0, at - 3) : at].rstrip()
        return not is_member or before.endswith((".", "->", "::"))

    def _is_known(self, source: Source, at: int, name: str) -> bool:
        is_named = source.named.get(at, "?") != "?"
        return is_named or self._is_other_member(source, at, name) or is_parameter(source, at, name)

    def _is_other_member(self, source: Source, at: int, name: str) -> bool:
        """Whether a name stands after `.` or `->`, and no integer that is a member has it."""
        node = source.node(at, len(name))
        is_member = node is not None and node.type == "field_identifier"
        return is_member and name not in self._members

    @cached_property
    def _members(self) -> set[str]:
        """The names that members have."""
        found = set()
        for key, (path, offset) in self.where.items():
            node = self.sources[path].node(offset, len(self._name(key)))
            if node is not None and node.type == "field_identifier":
                found.add(self._name(key))
        return found

    def _is_mask(self, source: Source, at: int) -> bool:
        """Whether the name is a mask as it is passed, in the text of a macro too."""
        return Span(at, at + len(source.word(at))) in self._masks(source)

    def _masks(self, source: Source) -> list[Span]:
        """The mask arguments of all calls in a file."""
        if source.path not in self.masks:
            found = []
            for match in self.lanes.finditer(source.code.code):
                call = parse_call(source.code, Span(*match.span()))
                if match[0] in self.words["masked"] and call and call.arguments:
                    found.append(call.arguments[0])
            self.masks[source.path] = found
        return self.masks[source.path]

    def _calls(self, function: str) -> list[_Expression] | None:
        """All calls of a function; None if some may not be known."""
        if function not in self.where or not self.known[function].is_safe:
            return None
        name, path = self._name(function), self.where[function][0]
        for source in self.sources.values():
            for at in source.words.get(name, ()):
                may_be = self._may_name(source, at, path, is_member=True)
                if source.named.get(at) != function and may_be:
                    return None
        found: list[_Expression] = []
        for source, offset in self.uses[function]:
            node = source.node(offset, len(name))
            call = callers_expression(node) if node is not None else None
            if call is None or len(items_of(call)) > len(self.parameters[function]):
                return None
            found.append((source, call))
        return found

    def _given(self, function: str, index: int) -> list[_Expression] | None:
        """What a function's calls pass as a parameter; None if some calls may not be known."""
        calls = self._calls(function)
        if calls is None:
            return None
        items = [(source, items_of(call)) for source, call in calls]
        return [(source, given[index]) for source, given in items if index < len(given)]

    def _settled(self, kinds: dict[str, str]) -> dict[str, str]:
        """The variables all of whose uses may be widened: as `_settle` of one function does."""
        while True:
            sets = self._sets(kinds)
            failed = {key for key in kinds if not self._fits(key, kinds, sets)}
            if not failed:
                return kinds
            # What cannot take all lanes may fit yet, beside variables that can.
            wider = {key: FULL for key in failed if kinds[key] == SET}
            gone = set() if wider else failed
            kinds = {**{key: kind for key, kind in kinds.items() if key not in gone}, **wider}

    def _sets(self, kinds: dict[str, str]) -> dict[str, KnownSets]:
        passing = {name: each.masks for name, each in self.macros.passing.items()}
        return {
            path: KnownSets(source, self.words, kinds, self.parameters, passing)
            for path, source in self.sources.items()
        }

    def _fits(self, key: str, kinds: dict[str, str], sets: dict[str, KnownSets]) -> bool:
        source, span, _, count = self.declarations[key]
        if span is not None:
            if stands_in_port(source.code, self.rules, span.start):
                return False
            if sum(one in kinds for one in self.beside[source.path, span]) != count:
                return False
        return all(
            not stands_in_port(each.code, self.rules, node.start_byte)
            and sets[each.path].role(node) is not None
            for each, node in self.met[key]
        )

    def _grounded(self, kinds: dict[str, str]) -> dict[str, str]:
        """Those that meet a ballot, a lane mask, or another such variable in an expression."""
        sets = self._sets(kinds)
        links: dict[str, set[str]] = defaultdict(set)
        found = {key for key in kinds if any(self._is_mask(*each) for each in self.uses[key])}
        for key in kinds:
            for source, node in self.met[key]:
                judge = sets[source.path]
                near = judge.neighbourhood(node)
                others = set()
                if near.type == "call_expression" and not self.lanes.match(judge.text(near)):
                    near, call = judge.top(node), near
                    others.add(judge.given_as(near, call))
                others.update(source.named_in(near.start_byte, near.end_byte))
                if self.lanes.search(judge.text(near)):
                    found.add(key)
                for each in (others & kinds.keys()) - {key}:
                    links[key].add(each)
                    links[each].add(key)
        pending = list(found)
        while pending:
            more = links[pending.pop()] - found
            found |= more
            pending += more
        return {key: kind for key, kind in kinds.items() if key in found}

    def _result(self, kinds: dict[str, str]) -> dict[str, Widened]:
        sets = self._sets(kinds)
        edits: dict[str, set[Replaced]] = defaultdict(set)
        for key in kinds:
            source, span, new, _ = self.declarations[key]
            if span is not None:
                edits[source.path].add((span, new))
            for each, node in self.met[key]:
                edits[each.path].update(sets[each.path].role(node) or ())
        found = {}
        passed = set(self.macros.masks_of_sets(sets))
        for path, source in self.sources.items():
            settles = tuple(
                (each.start, each.end)
                for each in self._masks(source)
                if not kinds.keys().isdisjoint(source.named_in(each.start, each.end))
                or (path, each) in passed
            )
            if edits[path] or settles:
                made = tuple((span.start, span.end, new) for span, new in sorted(edits[path]))
                found[path] = Widened(made, settles)
        return found


def _key(place: Place) -> str:
    return f"{place[0]}:{place[1]}"


def widened(texts: Mapping[str, bytes], program: Program, rules: RuleSet) -> dict[str, Widened]:
    """What to change in each of the files, by path, so that sets of lanes have 64 bits."""
    words = [each.encode() for each in rules.vocabulary["rewrite_triggers"]["lanes"]]
    lanes = {path for path, data in texts.items() if any(word in data for word in words)}
    read = [unit for unit in program.units if not lanes.isdisjoint(unit)]
    if not read:
        return {}
    near = lanes.union(*read)
    return _Lanes(near, texts, program, rules).widened()
