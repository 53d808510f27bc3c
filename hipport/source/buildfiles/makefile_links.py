"""Links relocatable device code in makefiles: nvcc does so by default, hipcc with -fgpu-rdc.

nvcc -dlink writes the linked device code to an object for the host linker. clang's driver writes no
such object: it links device code when it links the program. So hipcc links that program, and the
object becomes an empty one, which the makefile's rules still find.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from functools import cache

import msgspec

from hipport.lazy_regex import regex
from hipport.model import Span
from hipport.rulebook.build_words import BuildWords
from hipport.rulebook.nvcc_flags import flag_rules, translate
from hipport.rulebook.rules import RuleSet
from hipport.source.buildfiles.build_file import LEFT, BuildFile
from hipport.source.buildfiles.makefile_words import Line, Word, words_of

RULE = "flags.tsv"
_REFERENCE = regex(r"\$[({]([\w.-]+)[)}]|\$([\w@<^+?])")
_OBJECT = regex(r"\.(?:o|obj|a)\b")
_SOURCE = regex(r"\.(?:cu|c|cc|cpp|cxx)\b")
_DEEPEST = 5
_LONGEST = 50_000


class _Command(msgspec.Struct, frozen=True):
    """A command in a recipe; `said` are its words, with those of its variables."""

    run: Sequence[Word]
    said: Sequence[str]
    compiler: Word | None
    """The word that calls nvcc."""


def link_relocatable_code(file: BuildFile, lines: Sequence[Line], words: BuildWords) -> None:
    """Have hipcc link device code if every object of the makefile has relocatable code.

    clang rejects -fgpu-rdc if no object has any: in a makefile with both kinds of objects, each
    link gets a finding that says so.
    """
    flag = words.table.cmake.separable_flag
    if not any(name in file.text for name in _names_of(flag, file.rules)):
        return
    commands = list(_commands(file, lines, words))
    compiled = [each for each in commands if each.compiler and _compiles(each, words)]
    objects = [flag in _flags(file, each) for each in compiled]
    if not any(objects):
        return
    wanted = [flag, *dict.fromkeys(word for each in compiled for word in _targets(file, each))]
    linked = [each for each in commands if each.compiler and _links_devices(each, words)]
    for each in commands:
        if each.compiler is None or each in (*compiled, *linked) or _is_of_sources(each):
            continue
        if not all(objects):
            reason = f"relocatable device code links with {flag}, other objects without"
            file.report(LEFT, each.compiler.span, {"reason": reason})
        else:
            at = each.compiler.span.end
            file.edit(Span(at, at), "".join(f" {w}" for w in _missing(file, each, wanted)), RULE)
    if all(objects):
        for each in linked:
            _device_link(file, each, commands, [words.table.hip_compiler, *wanted], words)


@cache
def _names_of(flag: str, rules: RuleSet) -> list[str]:
    """A flag, and those of nvcc that become it."""
    known = flag_rules(rules).items()
    return [flag, *(name for name, each in known if any(flag in rule.hip for rule in each))]


def _device_link(
    file: BuildFile,
    device: _Command,
    commands: Sequence[_Command],
    linker: Sequence[str],
    words: BuildWords,
) -> None:
    """Replace a device link, and the host linker commands that use its object."""
    made = _made(device)
    others = (each for each in commands if each.run[0].text not in words.table.file_commands)
    users = [each for each in others if each is not device and made in each.said]
    hosts = [each for each in users if each.compiler is None]
    if not users or any(not re.fullmatch(words.table.host_linker, e.run[0].text) for e in hosts):
        return
    start, end = device.run[0].span.start, device.run[-1].span.end
    file.edits.sort(key=lambda each: each.span)
    file.drop_edits(Span(start, end))
    first, last = file.code.position(start), file.code.position(end)
    file.findings[:] = [each for each in file.findings if not first <= each.start <= last]
    output = file.text[slice(*device.run[_output(device)].span)]
    file.edit(Span(start, end), words.table.empty_object.format(output=output), RULE)
    for each in hosts:
        file.edit(each.run[0].span, " ".join(linker), RULE)


def _output(command: _Command) -> int:
    """The index of the word after -o; 0 if there is none."""
    texts = [word.text for word in command.run]
    return texts.index("-o") + 1 if "-o" in texts[:-1] else 0


def _made(command: _Command) -> str:
    """The file that a command writes; "" if that is not certain."""
    index = list(command.said).index("-o") + 1 if "-o" in command.said[:-1] else 0
    return command.said[index] if index and _output(command) else ""


def _commands(file: BuildFile, lines: Sequence[Line], words: BuildWords) -> Iterator[_Command]:
    variables: dict[str, str] = {}
    for line in lines:
        if line.kind == "assignment":
            value = file.text[line.body.start : line.body.end]
            variables[line.name] = f"{variables.get(line.name, '')} {value}"
    for line in lines:
        if line.kind == "other":
            target, _, needed = file.text[line.body.start : line.body.end].partition(":")
            first = next(iter(needed.split()), "")
            variables |= {"@": target.strip(), "<": first, **dict.fromkeys("^+?", needed)}
        if line.kind != "recipe" or words.libtool.search(file.text, *line.body):
            continue
        for run in words_of(file.text, line.body):
            if not run or words.talk.match(run[0].text):
                continue
            compiler = next((w for w in run if words.compiler.fullmatch(w.text)), None)
            said = _expanded(" ".join(word.text for word in run), variables)
            yield _Command(run, said, compiler if compiler is not run[-1] else None)


def _expanded(text: str, variables: Mapping[str, str]) -> list[str]:
    """The words of a text with its variables expanded."""
    for _ in range(_DEEPEST):
        new = _REFERENCE.sub(lambda match: variables.get(match[1] or match[2], ""), text)
        if new == text:
            break
        text = new[:_LONGEST]
    return text.split()


def _compiles(command: _Command, words: BuildWords) -> bool:
    """Whether it stops at an object or an earlier stage."""
    return any(re.fullmatch(words.table.unlinked, text) for text in command.said)


def _is_of_sources(command: _Command) -> bool:
    """Whether it builds a program from sources only, so that its own flags decide."""
    texts = " ".join(command.said)
    return _SOURCE.search(texts) is not None and not _OBJECT.search(texts)


def _links_devices(command: _Command, words: BuildWords) -> bool:
    return any(re.fullmatch(words.table.device_link, text) for text in command.said)


def _flags(file: BuildFile, command: _Command) -> list[str]:
    """The converted flags of a command."""
    found = translate(command.said, file.choices, file.rules, lambda _: None)
    return [word for flag in found for word in flag.new]


def _targets(file: BuildFile, command: _Command) -> list[str]:
    """The converted flags that name a GPU."""
    return [word for word in _flags(file, command) if word.endswith(file.choices.targets)]


def _missing(file: BuildFile, command: _Command, wanted: Sequence[str]) -> list[str]:
    """The wanted flags that a command lacks."""
    said = _flags(file, command)
    return [word for word in wanted if word not in said]
