"""What an editor offers at a place: to convert a part, to fix, hide or explain a finding."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from functools import partial

from lsprotocol import types

from hipport.lsp.checked_text import CheckedText
from hipport.lsp.diagnostics import diagnostic
from hipport.lsp.partial_conversion import Part, parts, selected, whole
from hipport.lsp.suppressing import suppression
from hipport.lsp.text_map import TextMap
from hipport.model import Finding, Span

CONVERT_FILE = "source.convert.hipport"
"""No kind below `source.fixAll`: nobody who has faults fixed on saving wants files converted."""
EXPLAIN = "hipport.explain"
KINDS = (types.CodeActionKind.QuickFix, types.CodeActionKind.RefactorRewrite, CONVERT_FILE)
_MOST_PARTS = 3


def edit_of(part: Part, text: TextMap) -> list[types.TextEdit]:
    """The edits of a part, in the order of the text."""
    return [types.TextEdit(text.range(*each.span), each.new) for each in part.edits]


def workspace_edit(
    edits: list[types.TextEdit], uri: str, version: int | None, *, versioned: bool
) -> types.WorkspaceEdit:
    """The edits of a text; `versioned` says whether the editor can refuse those of another one."""
    if not versioned:
        return types.WorkspaceEdit(changes={uri: edits})
    document = types.OptionalVersionedTextDocumentIdentifier(uri, version)
    return types.WorkspaceEdit(document_changes=[types.TextDocumentEdit(document, [*edits])])


class Actions:
    """The actions for one version of a text."""

    def __init__(
        self, checked: CheckedText, uri: str, version: int | None, *, versioned: bool
    ) -> None:
        self._checked, self._text = checked, checked.text
        self._document = partial(workspace_edit, uri=uri, version=version, versioned=versioned)

    def at(self, place: types.Range, only: Iterable[str] | None) -> list[types.CodeAction]:
        """What can be done in a range; `only` names kinds, each with those below it."""
        span = Span(self._text.offset_at(place.start), self._text.offset_at(place.end))
        found = (*self._findings(span), *self._parts(span))
        wanted = tuple(only) if only else ("",)
        return [each for each in found if any(_is_below(each.kind or "", kind) for kind in wanted)]

    def _findings(self, span: Span) -> Iterator[types.CodeAction]:
        for each in self._checked.findings:
            start, end = self._text.offset_of(each.start), self._text.offset_of(each.end)
            if start <= span.end and span.start <= end:
                yield from self._about(each)

    def _about(self, finding: Finding) -> Iterator[types.CodeAction]:
        rules = self._checked.rules
        rule = rules.findings.get(finding.code) if rules else None
        shown = [diagnostic(finding, self._text, rule.links if rule else ())]
        if finding.fix:
            texts = dict.fromkeys(each.text for each in finding.fix.replacements if each.text)
            new = ", ".join(f"`{each}`" for each in texts) or "the edit"
            edits = [
                types.TextEdit(
                    self._text.range(*map(self._text.offset_of, (each.start, each.end))), each.text
                )
                for each in finding.fix.replacements
            ]
            title = f"Write {new} ({finding.fix.safety}: {finding.code})"
            yield self._action(title, types.CodeActionKind.QuickFix, edits, shown)
        comment = suppression(self._checked, finding)
        if comment:
            span, text = comment
            edits = [types.TextEdit(self._text.range(*span), text)]
            title = f"Ignore {finding.code} here, with a reason"
            yield self._action(title, types.CodeActionKind.QuickFix, edits, shown)
        if rule:
            title = f"Explain {finding.code}"
            yield types.CodeAction(
                title,
                types.CodeActionKind.QuickFix,
                shown,
                command=types.Command(title, EXPLAIN, arguments=[finding.code]),
            )

    def _parts(self, span: Span) -> Iterator[types.CodeAction]:
        if not self._checked.edits:
            return
        around = [
            each
            for each in parts(self._checked)
            if each.span.start <= span.start and span.end <= each.span.end
        ]
        around.sort(key=lambda each: each.span.end - each.span.start)
        offered = around[:_MOST_PARTS]
        if span.end > span.start:
            offered.append(selected(self._checked, span))
        for part in offered:
            if part.edits:
                yield self._conversion(part, types.CodeActionKind.RefactorRewrite)
        yield self._conversion(whole(self._checked), CONVERT_FILE)

    def _conversion(self, part: Part, kind: str) -> types.CodeAction:
        return self._action(part.title, kind, edit_of(part, self._text))

    def _action(
        self,
        title: str,
        kind: str,
        edits: list[types.TextEdit],
        answers: list[types.Diagnostic] | None = None,
    ) -> types.CodeAction:
        return types.CodeAction(title, kind, answers, edit=self._document(edits))


def _is_below(kind: str, wanted: str) -> bool:
    return not wanted or kind == wanted or kind.startswith(f"{wanted}.")
