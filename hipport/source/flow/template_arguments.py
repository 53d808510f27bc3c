"""What a file gives the parameters of its function templates."""

from __future__ import annotations

from hipport.lazy_regex import regex
from hipport.source.flow.device_functions import Function, arguments_in
from hipport.source.text.brackets import skip_back, template_start
from hipport.source.text.source_text import Code

_GIVEN = regex(r"\b(?P<name>[A-Za-z_]\w*)\s*<(?P<given>[^<>(){};=]{1,200})>\s*(?:\(|<<[ \t]*<)")
_NAMED = regex(r"(?P<name>[A-Za-z_]\w*)\s*(?:=.*)?\Z")


def arguments_for(code: Code, function: Function, parameter: str) -> set[str]:
    """What calls, launches and instances of a function's template give for a parameter."""
    places = [
        index
        for index, each in enumerate(_parameters(code, function))
        if (named := _NAMED.search(each)) and named["name"] == parameter
    ]
    every = code.once(_given, code, "").get(function.name, ())
    return {given[place] for place in places for given in every if place < len(given)}


def _parameters(code: Code, function: Function) -> list[str]:
    """The parameters of the template that a function is, as written."""
    text = code.code
    closed = skip_back(text, function.head.start) - 1
    opened = template_start(text, closed) if text.startswith(">", max(0, closed)) else None
    return arguments_in(text[opened + 1 : closed]) if opened is not None else []


def _given(code: Code, _: str) -> dict[str, list[list[str]]]:
    """Name of a template -> each list of arguments that the file gives it."""
    found: dict[str, list[list[str]]] = {}
    for each in _GIVEN.finditer(code.code):
        found.setdefault(each["name"], []).append(arguments_in(each["given"]))
    return found
