"""Small changes to a module, one at a time: other operators, constants, and returned values.

Annotations, docstrings, imports, and options of classes (`frozen=True`) stay as they are.
"""

from __future__ import annotations

import ast
from collections.abc import Callable, Iterator
from typing import NamedTuple

_OTHER: dict[type[ast.AST], type[ast.AST]] = {
    ast.Lt: ast.LtE,
    ast.LtE: ast.Lt,
    ast.Gt: ast.GtE,
    ast.GtE: ast.Gt,
    ast.Eq: ast.NotEq,
    ast.NotEq: ast.Eq,
    ast.Is: ast.IsNot,
    ast.IsNot: ast.Is,
    ast.In: ast.NotIn,
    ast.NotIn: ast.In,
    ast.And: ast.Or,
    ast.Or: ast.And,
    ast.Add: ast.Sub,
    ast.Sub: ast.Add,
    ast.Mult: ast.FloorDiv,
    ast.FloorDiv: ast.Mult,
    ast.Mod: ast.FloorDiv,
    ast.LShift: ast.RShift,
    ast.RShift: ast.LShift,
    ast.BitAnd: ast.BitOr,
    ast.BitOr: ast.BitAnd,
    ast.BitXor: ast.BitOr,
}
_NOT_MUTATED = {"annotation", "returns", "type_comment", "type_params"}

Function = ast.FunctionDef | ast.AsyncFunctionDef


class Mutant(NamedTuple):
    line: int
    what: str
    function: int
    """First line of the outermost function whose body has the change; 0 outside functions."""
    tree: ast.Module


class _Place(NamedTuple):
    node: ast.AST
    parent: ast.AST
    field: str
    index: int | None
    function: int

    def put(self, node: ast.AST) -> None:
        if self.index is None:
            setattr(self.parent, self.field, node)
        else:
            getattr(self.parent, self.field)[self.index] = node


def mutants(source: str) -> Iterator[Callable[[], Mutant]]:
    """Each makes its mutant when called, since most are never drawn."""
    for at, place in enumerate(_places(ast.parse(source))):
        for which in range(len(_changes(place))):
            yield lambda at=at, which=which: _mutant(source, at, which)


def _mutant(source: str, at: int, which: int) -> Mutant:
    tree = ast.parse(source)
    place = next(place for number, place in enumerate(_places(tree)) if number == at)
    old, new = place.node, _changes(place)[which]
    what = f"{_one_line(old)}  ->  {_one_line(new)}"
    place.put(ast.copy_location(new, old))
    return Mutant(getattr(old, "lineno", 0), what, place.function, ast.fix_missing_locations(tree))


def _one_line(node: ast.AST) -> str:
    return " ".join(ast.unparse(ast.fix_missing_locations(node)).split())


def _places(tree: ast.Module) -> Iterator[_Place]:
    waiting = [_Place(tree, tree, "", None, 0)]
    while waiting:
        place = waiting.pop()
        yield place
        for field, value in ast.iter_fields(place.node):
            if field in _NOT_MUTATED or isinstance(place.node, ast.Import | ast.ImportFrom):
                continue
            if field == "keywords" and isinstance(place.node, ast.ClassDef):
                continue
            function = place.function
            if not function and isinstance(place.node, Function) and field == "body":
                decorators = (each.lineno for each in place.node.decorator_list)
                function = min(place.node.lineno, *decorators, place.node.lineno)
            nodes = value if isinstance(value, list) else [value]
            for index, node in enumerate(nodes):
                if isinstance(node, ast.AST) and not _is_docstring(place.node, field, index, node):
                    here = index if isinstance(value, list) else None
                    waiting.append(_Place(node, place.node, field, here, function))


def _is_docstring(parent: ast.AST, field: str, index: int, node: ast.AST) -> bool:
    """Also texts behind a field, which document it."""
    return field == "body" and isinstance(node, ast.Expr) and isinstance(node.value, ast.Constant)


def _changes(place: _Place) -> list[ast.AST]:
    node = place.node
    match node:
        case ast.Compare(left, [operator], comparators):
            return [ast.Compare(left, [_OTHER[type(operator)]()], comparators)]
        case ast.BoolOp(operator, values):
            return [ast.BoolOp(_OTHER[type(operator)](), values)]
        case ast.BinOp(left, operator, right) if type(operator) in _OTHER:
            return [ast.BinOp(left, _OTHER[type(operator)](), right)]
        case ast.AugAssign(target, operator, value) if type(operator) in _OTHER:
            return [ast.AugAssign(target, _OTHER[type(operator)](), value), ast.Pass()]
        case ast.UnaryOp(ast.Not(), operand):
            return [operand]
        case ast.Constant(value):
            return [] if (new := _other_constant(value)) is None else [ast.Constant(new)]
        case ast.Return(ast.Constant(None) | None):
            return []
        case ast.Return():
            return [ast.Return(ast.Constant(None))]
        case ast.If(test, body, orelse):
            return [ast.If(_negated(test), body, orelse)]
        case ast.While(test, body, orelse):
            return [ast.While(_negated(test), body, orelse)]
        case ast.IfExp(test, body, orelse):
            return [ast.IfExp(_negated(test), body, orelse)]
        case ast.comprehension(target, iterated, [*tests, last], is_async):
            return [ast.comprehension(target, iterated, [*tests, _negated(last)], is_async)]
        case ast.Expr(ast.Call()) | ast.Raise() | ast.Delete():
            return [ast.Pass()]
        case ast.Continue():
            return [ast.Break()]
        case ast.Break():
            return [ast.Continue()]
    return []


def _negated(test: ast.expr) -> ast.expr:
    return ast.UnaryOp(ast.Not(), test)


def _other_constant(value: object) -> object:
    match value:
        case bool():
            return not value
        case int():
            return value + 1
        case str() if value:
            return ""
        case bytes() if value:
            return b""
    return None
