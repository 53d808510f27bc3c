"""Which variables of a makefile hold nvcc, or flags for it alone, whatever they are called."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator, Sequence, Set

from hipport.lazy_regex import regex
from hipport.named_tuples import NamedTuple
from hipport.rulebook.build_words import BuildWords
from hipport.source.buildfiles.makefile_words import Line, Word, value_of, words_of

_REFERENCE = regex(r"\$[({]([\w.-]+)[)}]")
_CALL = regex(r"[@+-]*(?:\$[({]\w*[)}])?\$[({]([\w.-]+)[)}]")
_ANY_REFERENCE = regex(r"\$[({](?:[a-z]+[ \t]+)?([\w.-]+)")
_CONDITION = regex(r"[ \t]*(?:else[ \t]+)?ifn?(?:eq|def)\b")
# What takes the next word for another program: the host's compiler, a linker, ptxas.
_WRAPPER = regex(r"-X\w+|--(?:compiler|linker|ptxas)-options")
_NVCC = "$nvcc"
_OTHER = "$other"


class NvccVariables(NamedTuple):
    """Names of variables."""

    compilers: frozenset[str]
    """Those that are nvcc wherever the makefile sets them."""
    flags: frozenset[str]
    """Those that only commands of nvcc have, or variables for its flags."""

    def calls_nvcc(self, text: str) -> bool:
        """Whether a word is a variable that is nvcc."""
        match = _CALL.fullmatch(text)
        return match is not None and match[1] in self.compilers


NONE = NvccVariables(frozenset(), frozenset())


def nvcc_variables(text: str, lines: Sequence[Line], words: BuildWords) -> NvccVariables:
    """The variables of a makefile, by where its commands and variables use them."""
    if words.table.compiler_name not in text.lower():
        return NONE
    compilers = _compilers(text, lines, words)
    users: dict[str, set[str]] = defaultdict(set)
    for name, user in _uses(text, lines, words, NvccVariables(compilers, frozenset())):
        users[name].add(user)
    found: set[str] = set()
    while more := {
        name
        for name, its in users.items()
        if name not in found
        and all(user == _NVCC or user in found or words.holds_flags(user) for user in its)
    }:
        found |= more
    set_here = {line.name for line in lines if line.kind == "assignment"}
    return NvccVariables(compilers, frozenset(found & set_here))


def _compilers(text: str, lines: Sequence[Line], words: BuildWords) -> frozenset[str]:
    values: dict[str, set[str]] = defaultdict(set)
    for line in lines:
        if line.kind == "assignment":
            values[line.name].add(value_of(text, line))
    found: set[str] = set()
    # A variable may be another one that is nvcc.
    while more := {
        name
        for name, each in values.items()
        if name not in found and all(_is_compiler(value, found, words) for value in each)
    }:
        found |= more
    return frozenset(found)


def _is_compiler(value: str, known: Set[str], words: BuildWords) -> bool:
    match = _REFERENCE.fullmatch(value)
    return bool(match and match[1] in known) or words.compiler.fullmatch(value) is not None


def _uses(
    text: str, lines: Sequence[Line], words: BuildWords, compilers: NvccVariables
) -> Iterator[tuple[str, str]]:
    """Each variable that is used, and by whom: nvcc, a variable, or anything else."""
    for line in lines:
        body = text[line.body.start : line.body.end]
        if line.kind == "comment" or "$" not in body:
            continue
        if line.kind == "other":
            if not _CONDITION.match(body):
                yield from ((name, _OTHER) for name in _ANY_REFERENCE.findall(body))
            continue
        for run in words_of(text, line.body):
            user = line.name if line.kind == "assignment" else _OTHER
            if user == _OTHER and _is_of_nvcc(run, words, compilers):
                user = _NVCC
            yield from _uses_of_run(run, user)


def _is_of_nvcc(run: Sequence[Word], words: BuildWords, compilers: NvccVariables) -> bool:
    return any(words.compiler.fullmatch(w.text) or compilers.calls_nvcc(w.text) for w in run)


def _uses_of_run(run: Sequence[Word], user: str) -> Iterator[tuple[str, str]]:
    """A variable that is a word of its own is for the user; a part of a word may be anything."""
    before = ""
    for word in run:
        match = _REFERENCE.fullmatch(word.text)
        if match and not _WRAPPER.fullmatch(before):
            yield match[1], user
        else:
            yield from ((name, _OTHER) for name in _ANY_REFERENCE.findall(word.text))
        before = word.text
