"""The asm statements of a file, for all checks of instructions."""

from __future__ import annotations

import re
from functools import lru_cache

import msgspec

from hipport.lazy_regex import regex
from hipport.model import Span
from hipport.rulebook.finding_rules import FindingRule
from hipport.rulebook.typed import Regex, RuleKeys
from hipport.source.source_file import Unit
from hipport.source.text.brackets import closing_bracket, skip
from hipport.source.text.source_text import Code

_LINE_BREAK = regex(r"\\[nt]")
# Assemblers of both vendors take these comments.
_COMMENTS = regex(r"//[^\n]*|/\*.*?\*/", re.DOTALL)
_LONGEST = 20_000


class PtxWords(RuleKeys, frozen=True):
    """How asm statements look: words behind the keyword, PTX, and assembly of AMD's."""

    words: tuple[str, ...]
    ptx: Regex
    amd: Regex
    host: Regex
    """What only assembly for a CPU has: named operands, and its registers."""


class Statement(msgspec.Struct, frozen=True):
    """An asm statement: its keyword, the literals before the operands, and the operands' own."""

    keyword: Span
    template: list[Span]
    constraints: list[Span]
    text: str
    """What the template says, without comments; "." where a macro says it."""
    is_ptx: bool


def statements(unit: Unit, rule: FindingRule, general: str) -> list[Statement]:
    """The statements whose keyword is one of the rule's names.

    `general` is the code of the finding that has the words for it.
    """
    keywords = tuple(use.span for use in unit.of(rule.names) if not use.qualifier)
    known = unit.rules.findings[general].read(PtxWords)
    words = "|".join(known.words)
    is_cuda = unit.language == "cuda"
    is_device = is_cuda or unit.code.has(unit.rules.device_code.function_keywords)
    if not is_device and re.search(unit.rules.file_kinds.cpu_paths, unit.path):
        return []
    return _found(unit.code, keywords, is_cuda, is_device, words, known)


@lru_cache(maxsize=1)
def _found(
    code: Code,
    keywords: tuple[Span, ...],
    is_cuda: bool,
    is_device: bool,
    words: str,
    known: PtxWords,
) -> list[Statement]:
    text = code.code
    qualifier = re.compile(rf"\s*(?:{words})\b")
    found: list[Statement] = []
    for keyword in keywords:
        at = keyword.end
        while match := qualifier.match(text, at):
            at = match.end()
        opened = skip(text, at)
        closed = closing_bracket(text, opened) if text.startswith("(", opened) else None
        if closed is None:
            continue
        literals = code.literals_within(Span(opened, closed))
        colon = text.find(":", opened, closed)
        end = closed if colon < 0 else colon
        template = [each for each in literals if each.start < end]
        said = "".join(code.slice(each)[1:-1] for each in template)
        if not template and text[opened + 1 : end].strip():
            said = "."
        said = _COMMENTS.sub("", _LINE_BREAK.sub("\n", said)[:_LONGEST])
        # `"ld."#space"."#type`: a macro puts the name of PTX's instruction together.
        is_pasted = any("." in (piece[1:2], piece[-2:-1]) for piece in map(code.slice, template))
        # Looked for first: `tensormap.replace.tile.global_address` has a word of AMD's too.
        may_be = bool(re.search(known.ptx, said)) or (
            (is_cuda or (is_pasted and is_device)) and not re.search(known.amd, said)
        )
        is_ptx = may_be and not re.search(known.host, said)
        found.append(Statement(keyword, template, literals[len(template) :], said, is_ptx))
    return found
