"""What a correct conversion keeps: comments, literals, the user's names, lines without CUDA."""

from __future__ import annotations

import difflib
import re
from collections import Counter

from tests.support.rule_tables import changing_names, introduced_names
from tests.support.tokens import Token, names, tokens, untouchables

INCLUDE = re.compile(r"\s*#\s*include\b")
# Round operators that HIP's vector types bring along, and round the runtime header in headers.
GUARD = re.compile(r"#ifndef __HIP_PLATFORM_AMD__|#ifdef __HIPCC__|#endif")
# Round a header that a file needs where nothing that it includes defines the macro.
UNLESS_DEFINED = re.compile(r"^#ifndef (\w+)\n#include <\1\.h>\n#endif\n", re.MULTILINE)
# A reduction of a cooperative group, and what it is for a ROCm that lacks them.
REDUCTION = re.compile(r"\bcg::reduce\(.*\)(?=;)|\[&\] \{.*\}\(\)(?=;)")

# A vector where HIP wants the other of `dim3` and `uint3`.
WRITTEN_OUT = re.compile(r"\b(?:make_uint3|dim3)\((\w+)\.x, \1\.y, \1\.z\)")
REGISTER = re.compile(
    r"(?:asm|__asm__)(?:\s+(?:volatile|__volatile__))?\s*\(\s*"
    r'"mov\.u32 %0, %+lane\w+;"\s*:\s*"=r"\s*'
    r"\(([^()]*)\)[\s:]*\)"
)
READ = re.compile(r"(\S+) = warp32::lane\w+\(\)")
# PTX that is a function of the compiler's for any GPU.
TRAP = re.compile(r'\basm\("(?:trap|brkpt);"\)')
TRAPPED = re.compile(r"\b__builtin_(?:debug)?trap\(\)")
# A byte made of a number that may be negative.
BYTE_BY_WAY = re.compile(
    r"(\((?:unsigned char|uchar|(?:std::)?uint8_t)\)|\s=\s)static_cast<unsigned>(?=\()"
)
OWNER = re.compile(r"\b(\w+)(?:\.|->)warpSize\b")


def changeable_lines(text: str) -> set[int]:
    """1-based lines that hold CUDA: its names and their arguments, launches, includes."""
    code = [token for token in tokens(text) if token.kind != "comment"]
    lines: set[int] = set()
    for index, token in enumerate(code):
        if token.kind == "include":
            lines.update(_lines(token))
        elif token.kind == "name" and token.text in changing_names():
            last = _closing(code, index + 1)
            lines.update(range(token.line, code[last].line + 1))
        elif token.text == "<<<":
            first, last = _launch(code, index)
            lines.update(range(code[first].line, code[last].line + 1))
    return lines


def _lines(token: Token) -> range:
    return range(token.line, token.line + token.text.count("\n") + 1)


def _closing(code: list[Token], index: int) -> int:
    """Index of the bracket that closes the one at `index`, or `index - 1` if none opens there."""
    if index >= len(code) or code[index].text != "(":
        return index - 1
    depth = 0
    for at in range(index, len(code)):
        depth += (code[at].text == "(") - (code[at].text == ")")
        if depth == 0:
            return at
    return index


def _launch(code: list[Token], chevron: int) -> tuple[int, int]:
    """First and last token of a launch: the kernel's name up to the first argument."""
    first = chevron - 1
    depth = 0
    while first > 0:
        text = code[first].text
        depth += (text in (">", ")", "]")) - (text in ("<", "(", "["))
        joined = code[first - 1].text in (":", ".", ">") or text in (":", ".", ">")
        if depth == 0 and code[first].kind == "name" and not joined:
            break
        if depth == 0 and text in (";", "{", "}"):
            break
        first -= 1
    last = chevron
    while last < len(code) - 1 and code[last].text != ">>>":
        last += 1
    return first, min(last + 2, len(code) - 1)


def foreign_names(text: str) -> Counter[str]:
    """How often each identifier occurs in code that is no CUDA name."""
    return Counter(name for name, _, _ in names(text) if name not in changing_names())


def differences(before: str, after: str) -> list[str]:
    """What is wrong with `after` as a conversion of `before`: empty when nothing is."""
    wrong = []
    after = without_reductions(before, UNLESS_DEFINED.sub(r"#include <\1.h>\n", after))
    if not WRITTEN_OUT.search(before):
        after = WRITTEN_OUT.sub(r"\1", after)
    after = BYTE_BY_WAY.sub(r"\1", after)
    if len(registers := REGISTER.findall(before)) == len(READ.findall(after)):
        # An asm statement that reads a lane's number becomes an assignment to what it sets.
        before, values = REGISTER.sub("0", before), iter(registers)
        after = READ.sub(lambda each: "0" if each[1] == next(values) else each[0], after)
    if TRAP.search(before) and not TRAPPED.search(before):
        # A trap in a macro of a header stays: other compilers may read it.
        before, after = TRAP.sub("0", before), TRAPPED.sub("0", TRAP.sub("0", after))
    if untouchables(before) != untouchables(after):
        wrong.append("comments or literals differ")
    # `prop.warpSize` becomes a number, and the property is not named any more.
    owners = set(OWNER.findall(before))
    old, new = foreign_names(before), foreign_names(after)
    wrong += [f"lost {name}" for name in old - new if name not in owners]
    wrong += [f"gained {name}" for name in new - old if name not in introduced_names()]
    free = changeable_lines(before)
    for tag, i1, i2, j1, j2 in opcodes(before, after):
        wrong += [f"line {i + 1} changed" for i in range(i1, i2) if i + 1 not in free]
        if tag == "insert":
            added = after.split("\n")[j1:j2]
            is_known = [INCLUDE.match(line) or GUARD.fullmatch(line) for line in added]
            wrong += [
                f"added {line!r}" for line, known in zip(added, is_known, strict=True) if not known
            ]
    return wrong


def without_reductions(before: str, after: str) -> str:
    """`after` with the lines put back that differ from `before` by written-out reductions only."""
    old, new = before.split("\n"), after.split("\n")
    for _, i1, i2, j1, j2 in opcodes(before, after):
        for i, j in zip(range(i1, i2), range(j1, j2), strict=False):
            is_same = REDUCTION.sub("", new[j]) == REDUCTION.sub("", old[i])
            if i2 - i1 == j2 - j1 and is_same:
                new[j] = old[i]
    return "\n".join(new)


def opcodes(before: str, after: str) -> list[tuple[str, int, int, int, int]]:
    """The changed hunks of two texts in 0-based lines, as difflib names them."""
    old, new = before.split("\n"), after.split("\n")
    head = 0
    while head < min(len(old), len(new)) and old[head] == new[head]:
        head += 1
    tail = 0
    while tail < min(len(old), len(new)) - head and old[-1 - tail] == new[-1 - tail]:
        tail += 1
    matcher = difflib.SequenceMatcher(
        None, old[head : len(old) - tail], new[head : len(new) - tail], autojunk=False
    )
    return [
        (tag, i1 + head, i2 + head, j1 + head, j2 + head)
        for tag, i1, i2, j1, j2 in matcher.get_opcodes()
        if tag != "equal"
    ]


def source_lines(before: str, after: str) -> list[range]:
    """For each line of `after`, by index from 0, the 1-based lines of `before` it may stem from."""
    origin: list[range] = []
    shift = 0
    for _, i1, i2, j1, j2 in [*opcodes(before, after), ("end", 0, 0, after.count("\n") + 1, 0)]:
        origin += [range(j + 1 - shift, j + 2 - shift) for j in range(len(origin), j1)]
        if i2 - i1 == j2 - j1:
            origin += [range(i + 1, i + 2) for i in range(i1, i2)]
        else:
            origin += [range(i1 + 1, i2 + 1)] * (j2 - j1)
        shift = j2 - i2
    return origin
