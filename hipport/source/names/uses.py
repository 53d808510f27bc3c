"""Which names of interest a file mentions: found in its bytes, before anything is parsed."""

from __future__ import annotations

from collections.abc import Iterator

import msgspec

from hipport.lazy_regex import regex
from hipport.model import Span
from hipport.rulebook.finding_rules import FindingRule
from hipport.rulebook.rules import RuleSet
from hipport.source.names.counterparts import Decisions
from hipport.source.text.brackets import (
    LAUNCH,
    NO_QUALIFIERS,
    is_member,
    occurrences,
    skip,
    skip_back,
    template_start,
    word_before,
)
from hipport.source.text.directives import Directive
from hipport.source.text.source_text import Code

# One expression a beginning: the engine finds a fixed text fastest.
_QUOTED_NAMES = tuple(
    regex(beginning + r"[ \t]*[<\"]([^>\"\n]+)[>\"]")
    for beginning in (
        r"#[ \t]*(?:include|import|define[ \t]+\w+)",
        r"__has_include[ \t]*\(",
    )
)
_HEADER_NAME = regex(r"[\w+-]+[./][\w./+-]*")
_BEFORE_RETURN_TYPE = frozenset(("noexcept", "const", "mutable", "volatile", "override"))
_TEXT_DIRECTIVES = frozenset(("include", "include_next", "import", "error", "warning"))


class Use(msgspec.Struct, frozen=True):
    """A name of interest in code. `qualifier` is what is before `::` ("" for `::name`)."""

    name: str
    span: Span
    qualifier: str | None
    is_member: bool
    is_pasted: bool


def names_of_interest(
    code: Code, decisions: Decisions, *, is_cuda: bool = False
) -> set[str] | None:
    """The identifiers of a text, comments included, that a rule or a check may act on.

    None if the file needs no closer look at all: no names, headers, launches or device code, and
    no finding may be in it. `is_cuda` says that the file is CUDA's by its name.
    """
    words, rules = code.words, decisions.rules
    interesting = decisions.of_interest(words)
    interesting |= {
        last
        for last, names in rules.namespaces.items()
        if any(words.issuperset(name.split("::")) for name in names)
    }
    if not all(map(rules.is_only_watched, interesting)) or _has_kernels(code, decisions):
        return interesting
    if includes_known(code, decisions):
        return interesting
    triggered = rules.findings.triggered_by(interesting, decisions.hints(code), is_cuda=is_cuda)
    return interesting if any(_may_find(code, each, rules) for each in triggered) else None


def _has_kernels(code: Code, decisions: Decisions) -> bool:
    """Whether a text may have a launch or code for a device."""
    return bool(LAUNCH.search(code.text)) or not code.words.isdisjoint(decisions.device_words)


def includes_known(code: Code, decisions: Decisions) -> bool:
    """Whether a text includes a header that a rule is about, or one that is renamed."""
    headers = [name for each in _QUOTED_NAMES for name in each.findall(code.text)]
    endings = tuple(old for old, _ in decisions.options.endings)
    return any(decisions.header(name) or (endings and name.endswith(endings)) for name in headers)


def _may_find(code: Code, rule: FindingRule, rules: RuleSet) -> bool:
    """Whether a finding that a file triggers may be in it, where it has no code for a device."""
    if rule.where == "device" or not has_needed(code, rule, rules):
        return False
    return bool(rule.check or rule.names) or any(map(code.matches, rule.patterns))


def has_needed(code: Code, rule: FindingRule, rules: RuleSet) -> bool:
    """Whether a text has what a finding is never without: a text in code, a word anywhere."""
    borrowed = rules.only_with.get(rule.id)
    if borrowed and not code.has(borrowed):
        return False
    return not rule.needs_word or code.has_word(rule.needs_word)


def find_uses(code: Code, names: set[str], rules: RuleSet) -> Iterator[Use]:
    """Every use of the names in code: not in comments, literals, includes or #error lines."""
    text = code.code
    for start, name in sorted((at, each) for each in names for at in occurrences(text, each)):
        before = skip_back(text, start)
        last = text[before - 2 : before]
        if last != "::" and name in rules.inner_namespaces:
            continue
        span = Span(start, start + len(name))
        directive = code.directive_at(span.start)
        if directive is not None and (
            directive.keyword in _TEXT_DIRECTIVES or _in_header_name(text, span, directive)
        ):
            continue
        after = skip(text, span.end)
        yield Use(
            name=name,
            span=span,
            qualifier=_qualifier(text, before - 2) if last == "::" else None,
            is_member=is_member(text, before) and not _is_return_type(text, before, name, rules),
            is_pasted=last == "##" or text.startswith("##", after),
        )


def _in_header_name(text: str, span: Span, directive: Directive) -> bool:
    """Whether a preprocessor line has the name inside `<cub/cub.cuh>`."""
    opened = text.rfind("<", directive.span.start, span.start)
    closed = text.find(">", span.end, directive.span.end)
    return min(opened, closed) >= 0 and bool(_HEADER_NAME.fullmatch(text, opened + 1, closed))


def _is_return_type(text: str, before: int, name: str, rules: RuleSet) -> bool:
    """Whether a type follows a declarator: `auto f() noexcept -> cudaError_t`."""
    rule = rules.api(name)
    if rule is None or not rule.kind.endswith("type") or text[before - 2 : before] != "->":
        return False
    word = word_before(text, before - 2)
    end = skip_back(text, before - 2)
    return text[end - 1] == ")" or text[word.start : word.end] in _BEFORE_RETURN_TYPE


def _qualifier(text: str, colons: int) -> str:
    """The names before a `::`, joined by `::` and without template arguments; "" for none."""
    parts: list[str] = []
    at = colons
    while True:
        end = skip_back(text, at)
        if text[end - 1 : end] == ">":
            opened = template_start(text, end - 1)
            end = skip_back(text, opened) if opened is not None else end
        word = word_before(text, end)
        name = text[word.start : word.end]
        if not name or name in NO_QUALIFIERS:
            break
        parts.insert(0, name)
        at = skip_back(text, word.start)
        if text[at - 2 : at] != "::":
            break
        at -= 2
    return "::".join(parts)
