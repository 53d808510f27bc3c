"""Findings as rules/checks describes them: what each says, and where it is looked for."""

from collections.abc import Iterable, Mapping
from pathlib import Path
from types import MappingProxyType
from typing import Any, Literal

import msgspec

from hipport.model import NOWHERE, Finding, Fix, Position, Severity
from hipport.rulebook.edition import rules_folder
from hipport.rulebook.typed import Keyed, Regex, malformed, read_toml, toml, typed

CONVERT = "convert"
"""The command that does what a finding asks for."""
_NOTHING: Mapping[str, str] = MappingProxyType({})
_TABLE, _EXAMPLES = "\n[", ("\n[[bad]]\n", "\n[[good]]\n")


class Verdict(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """What a finding comes to where all conditions hold; those on targets need some given."""

    severity: Literal["none", "info", "review", "manual", "blocker"]
    because: str = ""
    suggestion: str = ""
    rocm_before: str = ""
    rocm_from: str = ""
    all: tuple[str, ...] | None = None
    any: tuple[str, ...] | None = None
    none: tuple[str, ...] | None = None

    @property
    def depends_on_targets(self) -> bool:
        return not self.all is self.any is self.none is None


OF_PYTHON = ("imports", "calls", "uses", "classes", "passed", "compared")
"""The keys for references in Python; each names a method of References."""


class FindingRule(Keyed, frozen=True, eq=False):
    """One file of rules/checks: what a finding says, and the names that its check looks for."""

    id: str
    severity: Severity
    title: str
    message: str
    suggestion: str = ""
    links: tuple[str, ...] = ()
    """Addresses of what vendors and projects say about it; the one to read first comes first."""
    instead: Mapping[str, str] = {}
    """The suggestions for some names, in place of that for all."""
    names: frozenset[str] = frozenset()
    headers: tuple[Regex, ...] = ()
    claims: bool = False
    """Whether the names are this finding's alone, not to be renamed or reported otherwise."""
    check: str = ""
    """The file in hipport/source/patterns that judges; it reads `keys`."""
    languages: tuple[str, ...] = ("cuda",)
    """Kinds of files: `cuda` means C, C++ and CUDA; rules/file_kinds.toml has the others."""
    patterns: tuple[Regex, ...] = ()
    """Regular expressions over a file without its comments; each match is reported."""
    where: str = "anywhere"
    once_per_line: bool = False
    once_per_file: bool = False
    symbol: str = ""
    rocm_until: str = ""
    qualifiers: tuple[str, ...] = ()
    """What must come before `::`; empty for names that are not qualified."""
    hints: tuple[str, ...] = ()
    """A file has at least one of these texts if an import, call, pattern or check can match."""
    with_words: tuple[str, ...] = ()
    """Hints that count in files that mention CUDA otherwise."""
    needs_word: Regex = Regex("")
    """What one of a file's words has, in comments and literals too, if its check can match."""
    only_if: Regex = Regex("")
    """Files in which this pattern is not found are not looked at."""
    unless: Regex = Regex("")
    """Files in which this pattern is found are not looked at."""
    passing: Regex = Regex("")
    """What has this pattern in its line, with a line break behind the match, is not reported, in
    files of lines and Python."""
    commented: tuple[Regex, ...] = ()
    """What the comment has, each of these, that a line is about in which a pattern counts: one in
    the line, or the one right above it; in C++ and Python."""
    unlisted: Regex = Regex("")
    """The keys of lists, in YAML and TOML, whose items are not reported, in files of lines."""
    net: bool = False
    """Whether it is about what no rule knows: a line with another finding has none of it."""
    in_ports: bool = False
    """Whether it is about ports: places that were ported count too."""
    by_release: bool = False
    """Whether nothing counts that a test of the release of ROCm, or of its parts, decides."""
    decided: Literal["", "place", "file", "folder", "symbol", "tree"] = ""
    """What one decision of a person answers: a place, all places that say the same of the same
    symbol, or the tree; "" means a place, and the tree where no person is needed."""
    alike: Regex = Regex("")
    """What in a message makes no other decision of it, where `decided` is "symbol"."""
    decided_with: Mapping[str, Regex] = {}
    """Code of a rule -> symbols about which findings of this one are further places of that one's,
    where the same decision settles both."""
    note: bool = False
    """Whether it says, as information, that nothing changes: reports count it and leave it out."""
    answered_by: tuple[str, ...] = ()
    """Codes of findings that ask for the same elsewhere: in a tree with one, these are notes.

    `CODE:symbol` means those of the code about this symbol."""
    answered_by_name: bool = False
    """Whether it is a note where another finding of its file asks for something by its symbol."""
    answered_here: Regex = Regex("")
    """`PATH:CODE` of findings that ask for the same: in a file with one, these are notes."""
    with_finding: tuple[str, ...] = ()
    """Codes of findings that these depend on: in a tree without any of them, these are notes."""
    once_per_converted_file: bool = False
    """Whether a conversion reports the first place of a file only."""
    kept: bool = False
    """Whether conversion fixes it where it keeps a warp at 32 lanes."""
    untouched: bool = False
    """Whether it is a note there, as conversion changes other lines and not this one."""
    converted: bool = False
    """Whether conversion fixes it wherever it is reported."""
    rank: int = 0
    """Of several findings at one place, those of the highest rank stay."""
    imports: Regex = Regex("")
    """Of Python, by full names: what the beginning of an import's name matches. The whole name
    decides for all others (hipport/source/languages/python_references.py has their forms)."""
    calls: Regex = Regex("")
    uses: Regex = Regex("")
    classes: Regex = Regex("")
    passed: Regex = Regex("")
    compared: Regex = Regex("")
    optional: bool = False
    """Whether an import that the file does without, where it fails, is a note."""
    staying: Regex = Regex("")
    """The full names of imports that are notes: a package for ROCm has the same modules.

    With `of_modules`, calls into such modules do not count."""
    with_import: Regex = Regex("")
    packages: Regex = Regex("")
    known: tuple[str, ...] = ()
    """Kinds in rules/nvidia_only.tsv: `{kind}` in an expression is any of its names."""
    foreign: bool = False
    """Whether a module of that name in the tree itself does not count."""
    of_angled: bool = False
    """Whether what is a note about a header counts where the tree includes it in `<>` alone."""
    of_modules: bool = False
    """Whether calls of functions that the tree itself has do not count."""
    not_in: Regex = Regex("")
    """Paths in a tree of files that it is not about, such as those of tests, or of what in them:
    `:` and the symbol follow such a path."""
    showing: Regex = Regex("")
    """The beginning of a statement that only shows people what is in it, which is not reported."""
    telling: Regex = Regex("")
    """What a statement has that only tells people a number: one that all goes there is left out."""
    capping: Regex = Regex("")
    """What a statement has where a number, whose name is its `%s`, only caps another."""
    unconditional: bool = False
    """Whether nvcc rejects it too, so that a branch with it is for hosts, and not reported."""
    of_others: bool = False
    """Whether targets and macros that the tree's own build files declare do not count."""
    verdict: tuple[Verdict, ...] = ()
    file: str = ""
    """Where it is, if not at its place in the installed rules."""

    @property
    def of_python(self) -> dict[str, str]:
        """What it looks for in Python's syntax tree: kind of reference -> regular expression."""
        return {kind: pattern for kind in OF_PYTHON if (pattern := getattr(self, kind))}

    def finding(
        self,
        path: str,
        symbol: str,
        start: Position = NOWHERE,
        end: Position = NOWHERE,
        words: Mapping[str, str] = _NOTHING,
        *,
        severity: Severity | None = None,
        advice: str | None = None,
        fix: Fix | None = None,
        is_kept: bool = False,
    ) -> Finding:
        """The finding at a place, with `words` and the symbol filled into its texts.

        `severity` and `advice` take the place of the rule's own; `is_kept` says that conversion
        sees to this one.
        """
        words = {"symbol": symbol, **words}
        if advice is None:
            called, _, of = symbol.partition("(")
            names = (symbol, called.rpartition(".")[2], of.strip())
            known = (self.instead[name] for name in names if name in self.instead)
            advice = next(known, self.suggestion)
        return Finding(
            code=self.id,
            severity=self.severity if severity is None else severity,
            message=self.message.format_map(words),
            suggestion=" ".join((advice.format_map(words).strip(), *_offer(fix))),
            symbol=symbol,
            path=path,
            start=start,
            end=end,
            fix=fix,
            fixed_by=CONVERT if is_kept or self.converted else "",
        )


def _offer(fix: Fix | None) -> list[str]:
    """What --unsafe would write, in words; a safe fix is what the suggestion says."""
    if fix is None or fix.safety == "safe":
        return []
    texts = ", ".join(dict.fromkeys(f"`{each.text}`" for each in fix.replacements if each.text))
    return [f"--unsafe writes {texts}." if texts else "--unsafe makes this edit."]


_RENAMED = {"told_once": "once_per_converted_file"}
"""Keys by the names that they had first, which rules of users may still have."""
_OWN = frozenset(FindingRule.__struct_fields__) - {"place", "keys", "structures", "file"}


def finding_rule(path: Path | str, place: str) -> FindingRule:
    """The finding that a file of rules/checks describes; RuleError if it is malformed."""
    rule = typed({**finding_table(path, place), "file": str(path)}, FindingRule, place)
    if rule.keys and not rule.check:
        raise malformed(place, f"{min(rule.keys)}: nothing reads it")
    return rule


def finding_table(path: Path | str, place: str) -> dict[str, Any]:
    """The fields of the finding that a file describes, which are yet to be typed."""
    table = _without_examples(path, place)
    table = {_RENAMED.get(key, key): value for key, value in table.items()}
    keys = {key: table.pop(key) for key in table.keys() - _OWN - {"bad", "good"}}
    own = {key: value for key, value in table.items() if key in _OWN}
    if "known" in own:
        from hipport.rulebook.nvidia_only import with_known

        own = with_known(own, place)
    if isinstance(own.get("severity"), str):
        try:
            own["severity"] = Severity.parse(own["severity"])
        except KeyError:
            raise malformed(place, f"severity: {own['severity']!r} is unknown") from None
    elif "severity" in own:
        raise malformed(place, f"severity: {own['severity']!r} is not text")
    return {**own, "place": place, "keys": keys}


def _without_examples(path: Path | str, place: str) -> dict[str, Any]:
    """The table of a file; where its examples are last, which is half of it, without them."""
    try:
        # A path object takes longer to make than the file to read.
        with open(path, "rb") as file:  # noqa: PTH123
            text = file.read().decode()
    except ValueError as error:
        raise malformed(place, str(error)) from error
    # Looked for as fixed texts, which is many times faster than by a pattern.
    first = min((at for each in _EXAMPLES if (at := text.find(each)) >= 0), default=-1)
    at = first
    while at >= 0 and text.startswith(_EXAMPLES, at):
        at = text.find(_TABLE, at + 1)
    if first >= 0 > at:
        text = text[: first + 1]
    return toml(text, place)


def example_tables(rule: FindingRule, word: Literal["bad", "good"]) -> list[dict[str, Any]]:
    """The code in which a rule's finding is found, or is not."""
    path = Path(rule.file) if rule.file else rules_folder().parent / rule.place
    found: list[dict[str, Any]] = read_toml(path, rule.place).get(word, [])
    return found


def numbers_by_text(texts: Iterable[Iterable[str]]) -> dict[str, list[int]]:
    """Text -> the numbers of the collections that hold it."""
    found: dict[str, list[int]] = {}
    for number, each in enumerate(texts):
        for text in each:
            found.setdefault(text, []).append(number)
    return found
