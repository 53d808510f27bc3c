"""One text of an editor, audited and converted in memory: what all answers are made from."""

from __future__ import annotations

import gc
from pathlib import Path

import msgspec
from msgspec.structs import replace

from hipport.errors import HipportError, UsageError
from hipport.lsp.preparing import of_many_names, prepare_patterns
from hipport.lsp.text_map import TextMap
from hipport.model import Explanation, Finding, Span
from hipport.named_tuples import NamedTuple
from hipport.rulebook.load import load
from hipport.rulebook.rules import RuleSet
from hipport.runs.audit import settings_of
from hipport.runs.audit_request import AuditRequest
from hipport.runs.audit_text import audit_text
from hipport.runs.convert_request import ConvertRequest
from hipport.runs.convert_text import convert_text, settings_of_text
from hipport.runs.settings import Settings
from hipport.source.languages import kept_trees
from hipport.source.text import tree_texts

SOURCES = frozenset(("cuda", "cpp", "c"))
"""Kinds of texts that are parsed as CUDA."""
LARGEST = 1 << 20
"""Bytes of a text that is looked at: more could not be followed as someone types."""
_MOST_TREES = 3
"""Texts whose trees are kept: what is typed is in few of them."""
_FIRST = "void f() { k<<<1, 2>>>(); }\n"


class PlannedEdit(NamedTuple):
    """What a conversion would change, as byte offsets, and the rule that says so."""

    span: Span
    old: str
    new: str
    rule: str


class CheckedText(msgspec.Struct, frozen=True):
    """What is known of one version of a text."""

    text: TextMap
    name: str
    kind: str = ""
    """The language, or the kind of build file."""
    findings: tuple[Finding, ...] = ()
    edits: tuple[PlannedEdit, ...] = ()
    rules: RuleSet | None = None
    notes: tuple[str, ...] = ()
    """What was not looked at, and why."""
    fault: str = ""
    """Why nothing was looked at."""


class Checker:
    """Checks texts, each by the configuration above it, which is read again when it changes."""

    def __init__(self, audit: AuditRequest, convert: ConvertRequest) -> None:
        self._audit, self._convert = audit, replace(convert, writes=False, explain=True)
        self._stamps: dict[Path, tuple[int, int] | None] = {}
        self._settings = self._read()

    def _read(self) -> tuple[Settings, Settings]:
        return settings_of(self._audit), settings_of_text(self._convert)

    def settings(self, name: str) -> tuple[Settings, Settings]:
        """What counts for a text in an audit and in a conversion."""
        stamps = _stamps(Path(name).parent, self._audit.config_file)
        if any(self._stamps.get(path, stamp) != stamp for path, stamp in stamps.items()):
            self._stamps, self._settings = {}, self._read()
        self._stamps.update(stamps)
        return self._settings

    def load(self) -> None:
        """Load what any text would have to wait for: the rules and the parser."""
        kept_trees.keep(_MOST_TREES)
        tree_texts.keep(1)
        load().read_all()
        load(is_audit=True).read_all()
        self.converted(self.audited(TextMap(_FIRST), str(Path.cwd() / "first.cu")))

    def load_more(self) -> None:
        """Load what some texts would have to wait for: all patterns and their expressions."""
        prepare_patterns()
        self.converted(self.audited(TextMap(of_many_names()), str(Path.cwd() / "first.cu")))
        tree_texts.keep(1)
        # What is loaded stays: collecting garbage need not look through it as someone types.
        gc.freeze()

    def audited(self, text: TextMap, name: str) -> CheckedText:
        """What an audit finds. Raises nothing: what goes wrong is the fault."""
        bare = CheckedText(text, name)
        if len(text.data) > LARGEST:
            return replace(bare, fault=f"larger than {LARGEST >> 20} MiB: use hipport audit")
        try:
            settings, _ = self.settings(name)
            if settings.is_excluded(Path(name)):
                return bare
            done = audit_text(text.data, name, self._audit, settings)
        except UsageError:
            return bare  # No file that is audited.
        except HipportError as error:
            return replace(bare, fault=_without_place(str(error), name))
        except Exception as error:
            fault = f"internal error ({type(error).__name__}: {error}) (please report this)"
            return replace(bare, fault=fault)
        (file,) = done.report.files
        return replace(
            bare,
            kind=file.language,
            findings=tuple(done.report.findings),
            rules=settings.decisions(Path(name)).rules,
            notes=(file.reason,) if file.reason else (),
        )

    def converted(self, checked: CheckedText) -> CheckedText:
        """The text with what a conversion would change, and what it finds besides the audit."""
        if checked.fault or not checked.kind:
            return checked
        try:
            _, settings = self.settings(checked.name)
            data = checked.text.data
            done = convert_text(data, checked.name, self._convert, settings=settings)
        except UsageError:
            return checked  # A kind of file that is audited only.
        except HipportError as error:
            note = _without_place(str(error), checked.name)
            return replace(checked, notes=(*checked.notes, note))
        findings = _merged(checked.findings, tuple(done.report.findings))
        edits = tuple(_planned(each, checked.text) for each in done.report.edits)
        return replace(checked, findings=findings, edits=edits)

    def settled(self, checked: CheckedText) -> CheckedText:
        """The same, or what is known when the whole text is parsed, if that gives another tree."""
        if checked.fault or not kept_trees.settle(checked.text.data):
            return checked
        tree_texts.keep(1)
        return self.converted(self.audited(checked.text, checked.name))


def _stamps(folder: Path, file: Path | None) -> dict[Path, tuple[int, int] | None]:
    """The configuration files that a folder can have: time and size; None for one that is not."""
    folders = (folder, *folder.parents)
    names = [each / name for each in folders for name in ("hipport.toml", "pyproject.toml")]
    found: dict[Path, tuple[int, int] | None] = {}
    for path in [file] if file else names:
        try:
            status = path.stat()
            found[path] = status.st_mtime_ns, status.st_size
        except OSError:
            found[path] = None
    return found


def _without_place(message: str, name: str) -> str:
    return message.removeprefix(f"{name}: ")


def _merged(audit: tuple[Finding, ...], conversion: tuple[Finding, ...]) -> tuple[Finding, ...]:
    """Each finding once: of a place, what the audit says counts; the fixes are the conversion's."""
    fixed = {(each.code, each.start): each for each in conversion if each.fix}
    places = {each.start for each in audit}
    found = [fixed.get((each.code, each.start), each) for each in audit]
    found += [each for each in conversion if each.start not in places]
    return tuple(sorted(found, key=lambda each: (each.start, each.code)))


def _planned(each: Explanation, text: TextMap) -> PlannedEdit:
    span = Span(text.offset_of(each.start), text.offset_of(each.end))
    return PlannedEdit(span, each.old, each.new, each.rule)
