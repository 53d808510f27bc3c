"""Which statements a branch or a loop governs, and where threads leave before the others."""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from hipport.lazy_regex import regex
from hipport.model import Span
from hipport.named_tuples import NamedTuple
from hipport.source.text.brackets import closing_bracket, closing_brackets, skip
from hipport.source.text.source_text import Code

_HEAD = regex(r"\b(if|for|while|switch|do)\b")
_WORD = regex(r"[A-Za-z_]\w*")
_OPENS = regex(r"[;(\[{]")
_DEEPEST = 40


class Branch(NamedTuple):
    """A branch or loop: `body` is what it governs, `other` what is behind its `else`.

    `head` is where its keyword is, of a `do` that of its `while`.
    """

    keyword: str
    head: int
    condition: Span
    body: Span
    other: Span | None
    end: int

    @property
    def is_loop(self) -> bool:
        return self.keyword in ("for", "while", "do")


def branches(text: str, body: Span) -> list[Branch]:
    """All branches and loops in a function, in order of their conditions."""
    found: list[Branch] = []
    ends_of_do: set[int] = set()
    closing = closing_brackets(text, body)
    for match in _HEAD.finditer(text, *body):
        if match[1] == "do":
            end = _statement(text, match.end(), closing)
            at = _skip(text, end) if end else 0
            if end and text.startswith("while", at):
                ends_of_do.add(at)
                condition = _parentheses(text, at + len("while"), closing)
                if condition:
                    span = Span(match.end(), end)
                    found.append(Branch("do", at, condition, span, None, condition.end + 1))
            continue
        if match.start() in ends_of_do:
            continue
        condition = _parentheses(text, match.end(), closing)
        end = _statement(text, condition.end + 1, closing) if condition else None
        if condition is None or end is None:
            continue
        governed, other = Span(condition.end + 1, end), None
        at = _skip(text, end)
        if match[1] == "if" and _word(text, at) == "else":
            after = _statement(text, at + len("else"), closing)
            if after:
                other = Span(at + len("else"), after)
        found.append(
            Branch(match[1], match.start(), condition, governed, other, other.end if other else end)
        )
    return found


def branches_in(code: Code, body: Span) -> list[Branch]:
    """The same of a text's code; a function that it had before is not looked through again."""
    return [_moved(each, body.start) for each in code.of_part(_of_text, body)]


def _of_text(text: str) -> list[Branch]:
    return branches(text, Span(0, len(text)))


def _moved(branch: Branch, by: int) -> Branch:
    keyword, head, condition, body, other, end = branch
    other = other and Span(other.start + by, other.end + by)
    return Branch(
        keyword,
        head + by,
        Span(condition.start + by, condition.end + by),
        Span(body.start + by, body.end + by),
        other,
        end + by,
    )


def enclosing(every: list[Branch], offsets: Iterable[int]) -> Iterator[tuple[int, list[Branch]]]:
    """Each offset, in order, with the branches and loops whose statements it is in."""
    ordered = sorted(every, key=lambda each: each.body.start)
    open_: list[Branch] = []
    index = 0
    for offset in sorted(offsets):
        while index < len(ordered) and ordered[index].body.start <= offset:
            open_.append(ordered[index])
            index += 1
        open_ = [each for each in open_ if offset < each.end]
        yield offset, [each for each in open_ if _governs(each, offset)]


def _governs(branch: Branch, offset: int) -> bool:
    spans = (branch.body, branch.other) if branch.other else (branch.body,)
    return any(each.start <= offset < each.end for each in spans)


def _parentheses(text: str, at: int, closing: dict[int, int]) -> Span | None:
    """What is in the parentheses that come next."""
    at = skip(text, at)
    if _word(text, at) == "constexpr":
        at = skip(text, at + len("constexpr"))
    if not text.startswith("(", at):
        return None
    closed = _closed(text, at, closing)
    return Span(at + 1, closed) if closed else None


def _statement(text: str, at: int, closing: dict[int, int], depth: int = 0) -> int | None:
    """The end of the statement that begins at an offset."""
    while depth < _DEEPEST:
        at = _skip(text, at)
        word = _word(text, at)
        if word in ("if", "for", "while", "switch"):
            condition = _parentheses(text, at + len(word), closing)
            end = _statement(text, condition.end + 1, closing, depth + 1) if condition else None
            after = _skip(text, end) if end else 0
            if word == "if" and end and _word(text, after) == "else":
                at, depth = after + len("else"), depth + 1
                continue
            return end
        if word == "do":
            end = _statement(text, at + len(word), closing, depth + 1)
            at = text.find("(", end) if end else -1
            closed = _closed(text, at, closing) if at >= 0 else None
            return closed + 1 if closed else None
        if text.startswith("{", at):
            closed = _closed(text, at, closing)
            return closed + 1 if closed else None
        while match := _OPENS.search(text, at):
            if match[0] == ";":
                return match.end()
            closed = _closed(text, match.start(), closing)
            if closed is None:
                return None
            at = closed + 1
        return None
    return None


def _closed(text: str, opened: int, closing: dict[int, int]) -> int | None:
    """Where a bracket is closed, which is searched for if it is not known."""
    return closing[opened] if opened in closing else closing_bracket(text, opened)


def _skip(text: str, at: int) -> int:
    """The start of the next token that is no directive's."""
    at = skip(text, at)
    while text.startswith("#", at):
        end = text.find("\n", at)
        at = skip(text, end) if end >= 0 else len(text)
    return at


def _word(text: str, at: int) -> str:
    match = _WORD.match(text, at)
    return match[0] if match else ""
