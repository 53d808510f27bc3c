"""The comment that hides a finding, where a person writes the reason into it."""

from __future__ import annotations

from hipport.lsp.checked_text import CheckedText
from hipport.model import Finding, Span
from hipport.rulebook.load import load
from hipport.source.convert.suppressions import kept

REASON = "say why"
_SOURCE = frozenset(("cuda", "cpp", "c"))


def suppression(checked: CheckedText, finding: Finding) -> tuple[Span, str] | None:
    """Where to insert which comment; None where none can be: inside a string, or in JSON.

    It is tried with the function that reads such comments.
    """
    data = checked.text.data
    start = checked.text.offset_of(finding.start)
    end = data.find(b"\n", start)
    end = len(data) if end < 0 else end
    if data[:end].endswith(b"\r"):
        end -= 1
    words = f"hipport: ignore[{finding.code}]: {REASON}"
    if checked.kind not in _SOURCE:
        comment = f"  # {words}"
    elif data[:end].endswith(b"\\"):  # The line goes on in the next one: a macro.
        end -= 1
        comment = f"/* {words} */ " if data[:end].endswith(b" ") else f" /* {words} */ "
    else:
        comment = f"  // {words}"
    new = data[:end] + comment.encode() + data[end:]
    rules = load(is_audit=True) if checked.rules is None else checked.rules
    if any(each is finding for each in kept(new, [finding], checked.name, checked.kind, rules)):
        return None
    return Span(end, end), comment
