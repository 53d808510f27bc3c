"""`NamedTuple` as typing has it, made in half the time.

typing compiles each annotation, to check that it is one, as often as a program starts. Here
annotations stay the texts that they are, which needs `from __future__ import annotations`; that
fields with a value come last is for mypy to check.
"""

from __future__ import annotations

from collections import namedtuple

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import NamedTuple as NamedTuple
else:
    _OF_CLASSES = {"__module__", "__qualname__", "__annotations__", "__slots__"}

    class _Maker(type):
        def __new__(cls, name, bases, members):
            if not bases:
                return super().__new__(cls, name, bases, members)
            fields = members.pop("__annotations__")
            defaults = [members.pop(each) for each in fields if each in members]
            made = namedtuple(name, fields, defaults=defaults, module=members["__module__"])
            made.__annotations__ = fields
            made.__qualname__ = members["__qualname__"]
            for each, value in members.items():
                if each not in _OF_CLASSES:
                    setattr(made, each, value)
            return made

    class NamedTuple(metaclass=_Maker):
        pass
