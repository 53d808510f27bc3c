"""Converts nvcc flags in a setup.py, which PyTorch passes to hipcc unchanged.

The extension classes stay: torch.utils.cpp_extension converts the sources itself, adds the targets
from PYTORCH_ROCM_ARCH, and still names the list for the device compiler `nvcc`.
"""

from __future__ import annotations

from collections import defaultdict

from hipport.model import Span
from hipport.rulebook.build_words import BuildWords, build_words
from hipport.rulebook.nvcc_flags import Choices, Flag, flag_rules, translate
from hipport.rulebook.toolkit_folders import rocm_folder
from hipport.source.buildfiles.build_file import LEFT, BuildFile
from hipport.source.languages.python_lists import Item, TextList, passed_names, text_lists
from hipport.source.text.brackets import skip, skip_back
from hipport.source.text.edits import joined

RULE = "flags.tsv"
_GONE = frozenset(("drop", "targets"))
_NO_PLACE = "a flag of nvcc without a counterpart, alone in a call: leave the call out for AMD GPUs"
_PUT_TOGETHER = "a flag of nvcc that the program puts together: give AMD GPUs one of their own"


def convert_setup(file: BuildFile) -> None:
    """Add the edits and findings of a setup.py."""
    words = build_words(file.rules)
    by_use = _names_of_flags(file, words)
    for each in text_lists(file.data):
        if words.holds_flags(each.name) or each.name in by_use:
            _convert(file, each)
        elif each.name == words.table.library_list:
            _libraries(file, each)


def _names_of_flags(file: BuildFile, words: BuildWords) -> set[str]:
    """Variables and functions whose lists go to nvcc alone, whatever they are called."""
    users: dict[str, set[str]] = defaultdict(set)
    for name, user in passed_names(file.data):
        users[name].add(user)
    found: set[str] = set()
    while more := {
        name
        for name, its in users.items()
        if name not in found and all(user in found or words.holds_flags(user) for user in its)
    }:
        found |= more
    return {name for name in found if words.host_variable.fullmatch(name) is None}


def _libraries(file: BuildFile, libraries: TextList) -> None:
    """Convert `libraries=["cublas"]`: libraries by their bare names."""
    known = flag_rules(file.rules)
    for item in libraries.items:
        rule = next(iter(known.get(f"-l{item.text}", [])), None)
        if rule is None or rule.action != "map" or rule.clang != "link error":
            continue
        flags = rule.roc if file.choices.libs == "roc" and rule.roc else rule.hip
        quote = file.text[item.span.start]
        names = (each.removeprefix("-l") for each in flags.split())
        file.edit(item.span, ", ".join(f"{quote}{name}{quote}" for name in names), RULE)


def _convert(file: BuildFile, flags: TextList) -> None:
    """Convert a list; what changes must be plain strings, and what goes whatever its value is."""
    texts = [_known(file, item) for item in flags.items]
    choices = Choices((), file.choices.libs)
    dropped: set[int] = set()
    for flag in translate(texts, choices, file.rules, rocm_folder(file.rules)):
        items = flags.items[flag.start : flag.end]
        is_possible = not flags.is_argument or (len(items) == 1 == len(flag.new))
        is_plain = all(item.text is not None for item in items)
        if not is_possible or not (is_plain or _goes(file, texts[flag.start])):
            _report_left(file, flags, flag)
            continue
        file.report_flag(flag, Span(items[0].span.start, items[-1].span.end))
        if not flag.is_left and flag.new != tuple(item.text for item in items):
            _edit(file, items, flag, range(flag.start, flag.end), dropped)
    _remove(file, flags.items, dropped)


def _report_left(file: BuildFile, flags: TextList, flag: Flag) -> None:
    """Report a flag that hipcc rejects where no other text can take its place."""
    items = flags.items[flag.start : flag.end]
    if not flag.is_left and flag.new != tuple(item.text for item in items):
        reason = _PUT_TOGETHER if any(item.text is None for item in items) else _NO_PLACE
        file.report(LEFT, Span(items[0].span.start, items[-1].span.end), {"reason": reason})


def _known(file: BuildFile, item: Item) -> str:
    """The text of an element; of one that is put together, what it begins with if it goes."""
    if item.text is not None:
        return item.text
    return item.beginning if "=" in item.beginning and _goes(file, item.beginning) else ""


def _goes(file: BuildFile, word: str) -> bool:
    """Whether the flag of this word has no place here, whatever its value is.

    PyTorch adds the targets itself.
    """
    rules = flag_rules(file.rules).get(word.partition("=")[0], ())
    return bool(rules) and all(rule.action in _GONE and not rule.value for rule in rules)


def _edit(
    file: BuildFile, items: tuple[Item, ...], flag: Flag, numbers: range, dropped: set[int]
) -> None:
    if not flag.new:
        dropped.update(numbers)
        return
    quote = file.text[items[0].span.start]
    file.edit(items[0].span, ", ".join(f"{quote}{word}{quote}" for word in flag.new), RULE)
    dropped.update(numbers[1:])


def _remove(file: BuildFile, items: tuple[Item, ...], dropped: set[int]) -> None:
    """Remove elements, each with the comma after it; the last ones with the comma before.

    A tuple of one element keeps its comma, without which it would be no tuple.
    """
    if not dropped:
        return
    text, end = file.text, items[-1].span.end
    if not text.startswith(",", skip(text, end)):
        is_tuple = text.endswith("(", 0, skip_back(text, items[0].span.start))
        if not is_tuple or len(dropped) != len(items) - 1:
            dropped = dropped - _cut_tail(file, items, dropped)
        elif len(items) - 1 not in dropped:
            file.edit(Span(end, end), ",", RULE)
    for start, end in joined(_with_comma(file, items, number) for number in sorted(dropped)):
        if text[end : end + 1] in ("]", ")", "\r", "\n"):
            start = len(text[:start].rstrip(" \t"))
        file.edit(Span(start, end), "", RULE)


def _cut_tail(file: BuildFile, items: tuple[Item, ...], dropped: set[int]) -> set[int]:
    """Remove the last elements with the comma before them, unless a comment is between."""
    first = len(items)
    while first and first - 1 in dropped:
        first -= 1
    start = items[first - 1].span.end if first else items[0].span.start
    if first == len(items) or file.text[start : items[first].span.start].strip() not in ("", ","):
        return set()
    file.edit(Span(start, items[-1].span.end), "", RULE)
    return set(range(first, len(items)))


def _with_comma(file: BuildFile, items: tuple[Item, ...], number: int) -> Span:
    """An element with the comma after it, or with its line if it is alone on it."""
    text = file.text
    start, end = items[number].span
    comma = skip(text, end)
    if not text.startswith(",", comma):
        return Span(start, end)
    line = file.whole_lines(Span(start, comma + 1))
    if line.start < start and text[line.end - 1] == "\n":
        return line
    return Span(start, skip(text, comma + 1) if number + 1 < len(items) else comma + 1)
