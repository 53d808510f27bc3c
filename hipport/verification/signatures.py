"""Compares each function rule of the rulebook with what both vendors' headers declare."""

from __future__ import annotations

import re
from collections.abc import Iterator

from hipport.lazy_regex import regex
from hipport.named_tuples import NamedTuple
from hipport.rulebook.rules import RuleSet
from hipport.verification.declarations import Declarations, Function, Type

_WORD = regex(r"[A-Za-z_]\w*", re.ASCII)
_NOISE = regex(r"\b(?:struct|enum|union|class|__restrict|restrict)\b\s*")
SERIOUS = ("arity", "type", "result", "template", "no function")
"""Verdicts on mappings that do not compile as they are."""


class Verified(NamedTuple):
    """One line of rules/verified.tsv. The verdict is the worst of what was found:

    same; const: pointees differ only in const; conversion: C++ converts an argument; result: what
    is returned differs; type: an argument does not convert; arity: another number of arguments is
    needed; template: HIP has none with the arguments of one of CUDA's; no function: HIP has the
    name as something else; no hip, no cuda: not declared. Of templates the arguments are counted.
    """

    cuda: str
    hip: str
    verdict: str
    detail: str = ""
    cuda_version: str = ""
    hip_version: str = ""


def verify_rules(rules: RuleSet, cuda: Declarations, hip: Declarations) -> Iterator[Verified]:
    """The verdict on every function of the rulebook that has a HIP name, sorted by CUDA name."""
    pairs = {
        (rule.cuda, rule.hip)
        for rule in rules.every_api()
        if rule.kind == "function"
        and rule.hip
        and "::" not in rule.cuda
        and rules.libraries[rule.library].policy != "none"
    }
    for name, new in sorted(pairs):
        verdict, detail = _verdict(rules, cuda, hip, name, new)
        yield Verified(name, new, verdict, detail, cuda.version, hip.version)


def is_told(rules: RuleSet, name: str) -> bool:
    """Whether a difference is handled: the arguments are changed, or each use is reported."""
    rule = rules.api(name)
    return bool(rules.transforms.of(name, "hip")) or bool(
        rule and rule.status in ("partial", "experimental")
    )


def _verdict(
    rules: RuleSet, cuda: Declarations, hip: Declarations, name: str, new: str
) -> tuple[str, str]:
    theirs, ours = cuda.function(name), hip.function(new)
    if not ours:
        return ("no function", hip.others.get(new, "a macro")) if hip.has(new) else ("no hip", "")
    if not theirs:
        return "no cuda", ""
    names = _Names(rules, hip)
    plain = ([each for each in listed if not each.templates] for listed in (theirs, ours))
    plain_theirs, plain_ours = plain

    def rank(verdict: tuple[str, str]) -> int:
        return _RANKS.index(verdict[0])

    # HIP has to have each of CUDA's overloads.
    best = [
        min((_compared(names, o, t) for t in plain_ours), key=rank)
        for o in plain_theirs
        if plain_ours
    ]
    verdict = max(best, key=rank, default=("same", ""))
    lacking = _lacking(theirs, ours, has_functions=bool(best))
    return verdict if verdict[0] in SERIOUS or not lacking else ("template", lacking)


def _lacking(theirs: list[Function], ours: list[Function], *, has_functions: bool) -> str:
    """Which of CUDA's templates HIP has nothing for that is called with as many arguments; of a
    function that only one of them declares as a template, which of the functions."""
    for one in theirs:
        counts = (one.needed, len(one.parameters))
        if (one.templates or not has_functions) and not any(
            two.takes(count) for two in ours for count in counts
        ):
            accepted = sorted({_counts(two) for two in ours})
            kind = "a template" if one.templates else "a function"
            return f"{kind} of {_counts(one)} arguments, in HIP {' or '.join(accepted)}"
    return ""


_RANKS = ("same", "const", "conversion", "result", "type", "arity")


def _compared(names: _Names, cuda: Function, hip: Function) -> tuple[str, str]:
    """The worst difference of two functions, and where."""
    count = len(cuda.parameters)
    if not hip.takes(count):
        return "arity", f"{count} arguments, in HIP {_counts(hip)}"
    worst, detail = _difference(names, cuda.result, hip.result), ""
    # Callers mostly use a result as an error only: a difference in it matters less.
    worst = worst if worst == "same" else "result"
    if worst == "result":
        detail = f"returns {cuda.result.written}, in HIP {hip.result.written}"
    for number, (one, two) in enumerate(zip(cuda.parameters, hip.parameters, strict=False), 1):
        found = _difference(names, one, two)
        if _RANKS.index(found) > _RANKS.index(worst) or (worst == "result" and found == "type"):
            worst, detail = found, f"argument {number}: {one.written}, in HIP {two.written}"
    return worst, detail


def _counts(function: Function) -> str:
    most = len(function.parameters)
    return str(most) if function.needed == most else f"{function.needed} to {most}"


def _difference(names: _Names, cuda: Type, hip: Type) -> str:
    """How a value of a CUDA type, its names mapped, converts to the HIP type."""
    one = {_plain(each) for text in cuda[:2] for each in names.mapped(text)}
    two = {_plain(each) for each in hip[:2]}
    if one & two:
        return "same"
    if {_without_const(each) for each in one} & {_without_const(each) for each in two}:
        return "const"
    numbers = ("integer", "float")
    if cuda.family in (*numbers, "enum") and hip.family in numbers:
        return "conversion"
    is_object = cuda.family == "pointer" and "(*" not in cuda.canonical
    if is_object and _without_const(_plain(hip.canonical)) == "void *":
        return "conversion"
    return "type"


class _Names(NamedTuple):
    """What CUDA's names in types become, and what HIP's headers define them as."""

    rules: RuleSet
    hip: Declarations

    def mapped(self, text: str) -> tuple[str, str]:
        """A type with HIP's names, and with those resolved."""
        renamed = _WORD.sub(self._renamed, text)
        return renamed, _WORD.sub(self._resolved, renamed)

    def _renamed(self, match: re.Match[str]) -> str:
        rule = self.rules.api(match[0])
        name = rule.hip if rule and rule.hip else match[0]
        return self.hip.aliases.get(name, name)

    def _resolved(self, match: re.Match[str]) -> str:
        return self.hip.typedefs.get(match[0], match[0])


def _plain(text: str) -> str:
    """A spelling without keywords of tags, and without const of the value itself."""
    text = _NOISE.sub("", text)
    text = re.sub(r"\[\d*\]", "*", text)
    text = re.sub(r"\*\s*const$", "*", text.strip())
    if "*" not in text:
        text = re.sub(r"^const\s+", "", text)
    return re.sub(r"\s*\*\s*", " *", re.sub(r"\s+", " ", text)).replace("* *", "**").strip()


def _without_const(text: str) -> str:
    return re.sub(r"\s+", " ", re.sub(r"\bconst\b", "", text)).replace("* *", "**").strip()
