"""`NamedTuple` as typing has it, made in a fifth of the time.

typing compiles each annotation, to check that it is one, and the constructor of each class, as
often as a program starts. Here annotations stay the texts that they are, which needs
`from __future__ import annotations`, and the constructors of as many fields differ in the names
of their parameters alone; that fields with a value come last is for mypy to check.
"""

from __future__ import annotations

from functools import cache
from types import CodeType, FunctionType

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import NamedTuple as NamedTuple
else:
    from collections import _tuplegetter

    _NAMES = {"_new": tuple.__new__, "__builtins__": {}}

    class _Shared:
        """What all named tuples have; none is one of these, as none is in typing."""

        @classmethod
        def _make(cls, values):
            return cls(*values)

        def _replace(self, /, **changes):
            found = tuple.__new__(type(self), map(changes.pop, self._fields, self))
            if changes:
                raise ValueError(f"Got unexpected field names: {list(changes)!r}")
            return found

        __replace__ = _replace

        def _asdict(self):
            return dict(zip(self._fields, self, strict=True))

        def __repr__(self):
            pairs = zip(self._fields, self, strict=True)
            return f"{type(self).__name__}({', '.join(f'{key}={value!r}' for key, value in pairs)})"

        def __getnewargs__(self):
            return tuple(self)

    _OF_ALL = ("_make", "_replace", "__replace__", "_asdict", "__repr__", "__getnewargs__")
    _SHARED = {each: vars(_Shared)[each] for each in _OF_ALL}

    class _Maker(type):
        def __new__(cls, name, bases, members):
            if not bases:
                return super().__new__(cls, name, bases, members)
            fields = tuple(members["__annotations__"])
            defaults = {each: members[each] for each in fields if each in members}
            code = _constructor(len(fields)).replace(co_varnames=("_cls", *fields))
            new = FunctionType(code, _NAMES, "__new__", tuple(defaults.values()))
            new.__qualname__ = f"{name}.__new__"
            of_fields = {"_fields": fields, "_field_defaults": defaults, "__match_args__": fields}
            getters = {
                each: _tuplegetter(number, f"Alias for field number {number}")
                for number, each in enumerate(fields)
            }
            made = {**_SHARED, **members, **of_fields, **getters, "__new__": new, "__slots__": ()}
            return type(name, (tuple,), made)

    @cache
    def _constructor(number: int) -> CodeType:
        values = "".join(f"_{each}, " for each in range(number))
        return eval(f"lambda _cls, {values}: _new(_cls, ({values}))").__code__

    class NamedTuple(metaclass=_Maker):
        pass
