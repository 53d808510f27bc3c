"""The examples of the rules for CUDA and C++ in other spellings: the same is found, and converted.

`fixtures/audit/spellings.tsv` names what differs, and how: a finding of the rule that is lost (`-`)
or comes up (`+`), and `edits` where the conversion is another. What is left there is a macro that
gives a name a number in its next line, as nobody writes it, and texts in style of their own.
`python -m tests.source.patterns.test_example_spellings` writes it again: read what changes.
"""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Callable, Iterator
from functools import cache

import pytest

from hipport.commands.ruleexamples import Example, examples, found_in
from hipport.rulebook.load import load
from hipport.source.convert.pipeline import convert_source
from hipport.source.names.counterparts import Decisions
from hipport.source.tree.file_task import language_of
from tests.support.converting import decisions_for
from tests.support.folders import FIXTURES
from tests.support.tokens import tokens

TABLE = FIXTURES / "audit" / "spellings.tsv"
RULES = load(is_audit=True)
# Directives with their lines, comments and literals are no code that a spelling changes.
_KEPT = re.compile(
    r"^[ \t]*#(?:\\\n|[^\n])*|//[^\n]*|/\*.*?\*/"
    r'|R"\(.*?\)"|"(?:\\.|[^"\\\n])*"|\'(?:\\.|[^\'\\\n])+\'',
    re.MULTILINE | re.DOTALL,
)
_MACRO = re.compile(r"[ \t]*#[ \t]*define[ \t]+\w+(?:\([^()]*\))?[ \t]+(?=\S)")
_CONDITION = re.compile(r"[ \t]*#[ \t]*(?:el)?if\b")
_MARKS = {
    "KERNEL": "__global__ void",
    "ON_DEVICE": "__device__ __forceinline__",
}


def continued(code: str) -> str:
    """Macros and conditions on several lines."""
    return _KEPT.sub(lambda match: _continued(match[0]), code)


def _continued(line: str) -> str:
    head = _MACRO.match(line)
    if head and '"' not in line and "//" not in line:
        body = line[head.end() :]
        return f"{head[0]}\\\n  " + re.sub(r"(?<=[,;{]) (?=\S)", " \\\\\n  ", body)
    if _CONDITION.match(line):
        return re.sub(r" (&&|\|\|) ", r" \\\n    \1 ", line)
    return line


def worded(code: str) -> str:
    """`and` for `&&` between blanks, as between types it stands for a reference."""
    code = _replaced(code, r"(?<=[\w)\]]) && (?=[\w(!])", " and ")
    return _replaced(code, r"(?<=[\w)\]]) \|\| (?=[\w(!])", " or ")


def suffixed(code: str) -> str:
    return _replaced(code, r"(?<=[%/&*+<>] )(?:32|31)\b(?![.\w'])", r"\g<0>u")


def roomy(code: str) -> str:
    """With blanks inside parentheses and brackets, and before them."""
    code = _replaced(code, r"(?<=[\w>])\((?!\))", " ( ")
    return _replaced(code, r"(?<=[\w\])])(?<!operator)\)", " )")


def marked(code: str) -> str:
    """With macros for the keywords of functions."""
    new = _replaced(code, r"\b__global__ void\b", "KERNEL")
    new = _replaced(new, r"\b__device__ (?=\w+[\w*& ]*\()(?!__|inline|constexpr)", "ON_DEVICE ")
    lines = [f"#define {name} {text}\n" for name, text in _MARKS.items() if f"{name} " in new]
    return "".join(lines) + new if new != code else code


def cast(code: str) -> str:
    return _replaced(code, r"\bthreadIdx\.x\b", "static_cast<int>(threadIdx.x)")


SPELLINGS: dict[str, Callable[[str], str]] = {
    each.__name__: each for each in (continued, worded, suffixed, roomy, marked, cast)
}
_WITH_OTHER_EDITS = ("suffixed", "marked", "cast")
"""Those whose conversion is not the conversion's spelling: narrowed numbers, a line more."""


def _replaced(code: str, shape: str, text: str) -> str:
    pieces, done = [], 0
    for match in _KEPT.finditer(code):
        pieces += [re.sub(shape, text, code[done : match.start()]), match[0]]
        done = match.end()
    return "".join((*pieces, re.sub(shape, text, code[done:])))


def cases() -> Iterator[tuple[Example, str]]:
    for rule in RULES.findings.values():
        for example in examples(rule):
            if example.needs_binaries or language_of(example.table["file"]) not in _LANGUAGES:
                continue
            for name, spell in SPELLINGS.items():
                if spell(example.table["code"]) != example.table["code"]:
                    yield example, name


_LANGUAGES = ("cuda", "cpp", "c")


def difference(example: Example, name: str) -> str:
    """What is found, and converted, otherwise in a spelling; "" where nothing is."""
    code: str = example.table["code"]
    new = SPELLINGS[name](code)
    before, after = (_found(example, each) for each in (code, new))
    found = [f"-{before - after}"] if before > after else []
    found += [f"+{after - before}"] if after > before else []
    if name not in _WITH_OTHER_EDITS:
        spelled = SPELLINGS[name](_converted(example.table["file"], code))
        if _words(spelled) != _words(_converted(example.table["file"], new)):
            found.append("edits")
    return " ".join(found)


def _found(example: Example, code: str) -> int:
    changed = example._replace(table=example.table | {"code": code})
    return sum(each.code == example.rule.id for each in found_in(changed, RULES))


@cache
def _decisions() -> Decisions:
    return decisions_for(())


def _converted(name: str, code: str) -> str:
    return convert_source(code.encode(), name, language_of(name), _decisions()).data.decode()


def _words(code: str) -> list[str]:
    return [each.text for each in tokens(code.replace("\\\n", " ")) if each.kind != "comment"]


def known() -> dict[tuple[str, str], str]:
    lines = (line.split("\t") for line in TABLE.read_text("utf-8").splitlines())
    return {(place, name): what for place, name, what in lines}


def by_code() -> dict[str, list[tuple[Example, str]]]:
    found = defaultdict(list)
    for example, name in cases():
        found[example.rule.id].append((example, name))
    return found


CASES = by_code()


@pytest.mark.parametrize("code", CASES)
def test_other_spellings_are_found_and_converted_alike(code: str) -> None:
    expected = {key: what for key, what in known().items() if key[0].startswith(f"{code}:")}
    found = {(each.place, name): difference(each, name) for each, name in CASES[code]}
    assert {key: what for key, what in found.items() if what} == expected


if __name__ == "__main__":
    rows = ((each.place, name, difference(each, name)) for each, name in cases())
    TABLE.write_text("".join("\t".join(row) + "\n" for row in rows if row[2]), "utf-8")
