"""What the rulebook knows of the name under the cursor, as Markdown."""

from __future__ import annotations

from collections.abc import Iterator
from functools import cache

from hipport.lazy_regex import regex
from hipport.model import Span
from hipport.report.explanation import versions
from hipport.rulebook.facts_of_names import build_rules, script_findings, signature
from hipport.rulebook.load import load
from hipport.rulebook.model import ApiRule, HeaderRule
from hipport.rulebook.rules import RuleSet
from hipport.source.names.counterparts import Decisions

_HEADER = regex(rb"#[ \t]*include[ \t]*[<\"]([^>\"\n]+)[>\"]")
_WORD = regex(rb"[A-Za-z_][A-Za-z0-9_]*")
_FLAG = regex(rb"(?<![\w-])--?[A-Za-z][\w=,.-]*")
_VERSIONS = (
    "cuda_added", "cuda_deprecated", "cuda_removed", "hip_added", "hip_deprecated", "hip_removed",
)  # fmt: skip
_SHOWN = 4


def hover(
    data: bytes, offset: int, decisions: Decisions, *, is_source: bool
) -> tuple[Span, str] | None:
    """The name at an offset and what is known of it; None for a name that no rule is about.

    `is_source` says that the text is CUDA or C++, where flags and names of scripts mean nothing.
    """
    start = data.rfind(b"\n", 0, offset) + 1
    end = data.find(b"\n", offset)
    line = data[start : end if end >= 0 else len(data)]
    for shape in (_HEADER, _WORD) if is_source else (_FLAG, _WORD):
        for match in shape.finditer(line):
            group = 1 if shape is _HEADER else 0
            at, to = match.span(group)
            if at <= offset - start <= to:
                name = match[group].decode("utf-8", "replace")
                said = [
                    *_about(name, decisions),
                    *(() if is_source else _elsewhere(name, decisions)),
                ]
                if said:
                    return Span(start + at, start + to), "\n\n".join(said)
    return None


def _about(name: str, decisions: Decisions) -> Iterator[str]:
    rules = decisions.rules
    rule = rules.api(name)
    header = rules.headers.get(name)
    if header:
        yield _header(header, rules)
    elif rule:
        yield from _api(rule, decisions)
    else:
        cuda = _cuda_names().get(name, ())
        if cuda:
            yield f"**{name}** is HIP's name for `{'`, `'.join(cuda[:_SHOWN])}`"
        for original in cuda[:1]:
            known = rules.api(original)
            yield from _api(known, decisions) if known else ()


def _elsewhere(name: str, decisions: Decisions) -> Iterator[str]:
    """What a name means in build files, Python and scripts."""
    for each in build_rules(decisions.rules, name):
        columns = ((key.replace("_", " "), getattr(each, key)) for key in each._fields)
        yield "  \n".join(f"{key}: {value}" for key, value in columns if value)
    for finding in script_findings(load(is_audit=True), name):
        said = finding.suggestion or finding.title
        yield f"**{finding.id}**: {said}" + "".join(f" <{link}>" for link in finding.links[:1])


def _header(rule: HeaderRule, rules: RuleSet) -> str:
    new = " or ".join(f"**{each}**" for each in (rule.hip, rule.roc) if each)
    library = rules.libraries.get(rule.library)
    facts = [
        f"`{rule.cuda}` → {new}" if new else f"`{rule.cuda}` has no counterpart",
        library.title if library else "",
        f"HIP since {rule.hip_added}" if rule.hip_added else "",
        rule.note.replace("_", " "),
    ]
    return "  \n".join(filter(None, facts))


def _api(rule: ApiRule, decisions: Decisions) -> Iterator[str]:
    """Counterpart, library, versions, what differs, and how to learn more."""
    rules = decisions.rules
    new = " or ".join(f"**{each}**" for each in (rule.hip, rule.roc) if each)
    yield f"`{rule.cuda}` → {new}" if new else f"`{rule.cuda}` has no counterpart in HIP"
    columns = {key: str(getattr(rule, key)) for key in _VERSIONS}
    library = rules.libraries[rule.library]
    known = signature(rules, rule)
    facts = [
        f"{library.title}, {rule.kind.replace('_', ' ')}, {rule.status}",
        versions({key: value for key, value in columns.items() if value}),
        f"signature: {known}" if known else "",
        " ".join(f"<{link}>" for link in rules.documentation(rule.cuda)),
    ]
    yield "  \n".join(filter(None, facts))
    said = [rule.note.replace("_", " ")]
    said += [each.note for each in rules.transforms.of(rule.cuda, "hip")]
    decision = decisions.of(rule.cuda)
    finding = rules.findings.get(decision.finding) if decision else None
    if decision and finding:
        words = {"symbol": rule.cuda, **decision.words}
        said.append(finding.finding("", rule.cuda, words=words).message)
        said.append(finding.finding("", rule.cuda, words=words).suggestion)
        said += [f"<{link}>" for link in finding.links[:1]]
    differs = [each for each in dict.fromkeys(said) if each]
    if differs:
        yield "\n".join(f"- {each}" for each in differs)
    yield f"`hipport rules show {rule.cuda}`"


@cache
def _cuda_names() -> dict[str, list[str]]:
    """HIP's and ROCm's names -> those of CUDA that become them."""
    found: dict[str, list[str]] = {}
    for rule in load().every_api():
        for name in {rule.hip, rule.roc} - {"", rule.cuda}:
            found.setdefault(name, []).append(rule.cuda)
    return found
