"""Which names that some files of a tree define nothing in the tree uses.

Asked about are only names that no code elsewhere can mean. What such a name's own definition says
of it is no use of it, nor is what another definition says that nothing uses.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable, Iterator
from functools import lru_cache

from hipport.errors import HipportError
from hipport.files import read
from hipport.lazy_regex import regex
from hipport.source.flow.outer_definitions import Nested
from hipport.source.text.brackets import closing_bracket, occurrences, skip
from hipport.source.text.source_text import Code, words_of
from hipport.source.tree.file_task import Task

C_LIKE = ("cuda", "cpp", "c")
_LARGEST = 4 << 20
_LARGEST_OTHER = 1 << 20
_FIRST = 1024
_PASTED = regex(rb"(\w+)[ \t\\\n]*##|##[ \t\\\n]*(\w+)")
_COMPILES = (b"RawModule", b"RawKernel", b"SourceModule", b"get_function", b"nvrtc", b"Program(")
_COMPOSED = regex(rb"(\w{4,})(?:[{%]|[\"'] *[+.])|[}] ?(\w{4,})")
_SHORTEST = 3
_MANY = 8
"""From so many names on, all words of a text are listed."""
_SHORTEST_PIECE = 4
_NO_TESTS = ("ifndef", "undef")
_NOT_DEFINED = regex(r"!\s*defined[\s(]*\Z")
_DIRECTIVES = regex(r"^[ \t]*#(?:[^\n]*\\\n)*[^\n]*", 8)
_ATTRIBUTES = regex(r"\b__\w+__\s*\((?:[^()]|\([^()]*\))*\)")
_DECLARING = regex(r"[\s\w:*&<>,\[\]\"]*[\w*&>\"]\s*")
_NO_DECLARATION = regex(r"<<|>>\s*\Z|\b(?:return|else|case|new|delete|throw|goto|do|co_return)\b")
_AFTER_PARAMETERS = regex(r"[^;{}=]*;")
_FORWARD = regex(r"\b(?:class|struct|union)\s+\Z")
_EXTERNAL = regex(r"\b(?:extern|static)\b[^=()]*\Z")
_NONE = Nested()


class NameUses:
    """The uses of names in a tree, file by file; a name with one is asked about no more."""

    def __init__(self, headers: Iterable[str]) -> None:
        self._headers = {path: path.rpartition("/")[2].encode() for path in headers}
        self._naming: dict[str, set[str]] = {}
        """Header -> those that name it."""
        self._waiting: set[str] = set()
        self._inside: dict[str, set[frozenset[str]]] = {}
        """Name -> the definitions around each of its uses in other code that may be unused."""

    def ask(self, names: Iterable[str], files: Collection[tuple[Code, Nested]]) -> None:
        """Look for uses of names in the files that define them, and of what uses them there."""
        new = frozenset(names)
        while new := new - self._waiting:
            self._waiting |= new
            for code, ours in files:
                self._count(code, new, ours)
            around = (each for name in new for each in self._inside.get(name, ()))
            new = frozenset[str]().union(*around)
        # Few are left that their own files do not use.
        self.leave_out_used()

    def leave_out_used(self) -> None:
        """Ask no more about what has a use that counts by now."""
        self._waiting = set(self.unused())

    def _count(self, code: Code, names: Iterable[str], ours: Nested = _NONE) -> None:
        for name in sorted(code.words.intersection(names)):
            for around in _uses(code, name, ours):
                self._inside.setdefault(name, set()).add(around)

    def look_for_headers(self, data: bytes, path: str) -> None:
        """Count the names of headers in a file; those in a header count if it is named, too."""
        named = [each for each, name in self._headers.items() if name in data and each != path]
        for each in named:
            if path in self._headers:
                self._naming.setdefault(each, set()).add(path)
            else:
                del self._headers[each]

    def add_code(self, data: bytes, *, is_known: bool = False) -> None:
        """Count what a file of C, C++ or CUDA uses; of one that was asked, what it pastes."""
        words = words_of(data) if len(self._waiting) >= _MANY else data
        names = [each for each in self._waiting if each.encode("latin-1") in words]
        if names and not is_known:
            code = Code(data)
            self._count(code, names)
            self._drop(lambda name: frozenset() in self._inside.get(name, ()))
        if b"##" in data and self._waiting:
            found = {each for pair in _PASTED.findall(data) for each in pair}
            long = tuple(each.decode("latin-1") for each in found if len(each) >= _SHORTEST)
            self._drop(lambda name: name.startswith(long) or name.endswith(long))

    def add_other(self, data: bytes) -> None:
        """Count what any other file says: a kernel's name, or a part of it, in a text."""
        names = self._waiting
        if len(names) < _MANY:
            names = {name for name in names if any(each in data for each in _pieces(name))}
        if names:
            words = words_of(data)
            self._waiting -= {name for name in names if not words.isdisjoint(_pieces(name))}
        if self._waiting and any(each in data for each in _COMPILES):
            found = {each for pair in _COMPOSED.findall(data) for each in pair if each}
            pieces = tuple(each.decode("latin-1") for each in found)
            self._drop(lambda name: name.startswith(pieces) or name.endswith(pieces))

    def _drop(self, is_used: Callable[[str], bool]) -> None:
        self._waiting.difference_update([name for name in self._waiting if is_used(name)])

    def unused(self) -> frozenset[str]:
        """The names without a use but in definitions that are without one, too."""
        found = set(self._waiting)
        used: list[str] = []
        inside: dict[str, list[tuple[str, set[str]]]] = {}
        for name in found:
            for around in self._inside.get(name, ()):
                within = found & around
                if not within:
                    used.append(name)
                for each in within:
                    inside.setdefault(each, []).append((name, within))
        while used:
            name = used.pop()
            found.discard(name)
            for other, within in inside.pop(name, ()):
                within.remove(name)
                if not within:
                    used.append(other)
        return frozenset(found)

    def alone(self) -> Collection[str]:
        """The headers that no other file names, but for such headers."""
        found = set(self._headers)
        while used := {each for each in found if not self._naming.get(each, set()) <= found}:
            found -= used
        return found

    @property
    def is_done(self) -> bool:
        return not (self._waiting or self._headers)


def count_uses(uses: NameUses, tasks: Iterable[Task], known: Collection[str]) -> None:
    """Count the uses of names in the files of a tree; `known` were looked into for names.

    Code comes first: it uses most of the names, and few are left to look for in texts.
    """
    files = [each for each in tasks if not (each.is_link or each.copied)]
    for task, data in _contents((each for each in files if each.language in C_LIKE), _LARGEST):
        if uses.is_done:
            return
        uses.look_for_headers(data, task.source_path)
        uses.add_code(data, is_known=task.source_path in known)
    uses.leave_out_used()
    others = (each for each in files if each.language not in C_LIKE)
    for task, data in _contents(others, _LARGEST_OTHER):
        if uses.is_done:
            return
        uses.look_for_headers(data, task.source_path)
        if b"\0" not in data[:_FIRST]:
            uses.add_other(data)


def _contents(tasks: Iterable[Task], largest: int) -> Iterator[tuple[Task, bytes]]:
    """The files that can be read, and what is in them."""
    for task in tasks:
        try:
            yield task, read(task.source_path, largest)
        except HipportError:
            continue


def _uses(code: Code, name: str, ours: Nested) -> Iterator[frozenset[str]]:
    """Of each use of a name the definitions around it, none for one that counts by itself."""
    text = code.uncommented
    for at in occurrences(text, name):
        around = list(ours.around(at))
        is_own = any(each.text == name for each in around)
        if not (is_own or (_is_code(code, at) and _is_no_use(code, name, at))):
            yield frozenset(each.text for each in around)


def _is_code(code: Code, at: int) -> bool:
    return code.code[at] == code.text[at]


def _is_no_use(code: Code, name: str, at: int) -> bool:
    """Whether a name is only declared, or only asked for to define it."""
    text, end = code.code, at + len(name)
    directive = code.directive_at(at)
    if directive:
        is_asked = directive.keyword == "if" and _NOT_DEFINED.search(text, directive.span.start, at)
        return directive.keyword in _NO_TESTS or bool(is_asked)
    start = max(text.rfind(mark, 0, at) for mark in ";{}") + 1
    head = _ATTRIBUTES.sub("", _DIRECTIVES.sub("", text[start:at]))
    behind = skip(text, end)
    if text.startswith(";", behind):
        return bool(_FORWARD.search(head) or _EXTERNAL.search(head))
    if not text.startswith("(", behind):
        return False
    closed = closing_bracket(text, behind)
    is_declared = _DECLARING.fullmatch(head) and not _NO_DECLARATION.search(head)
    return bool(is_declared and closed and _AFTER_PARAMETERS.match(text, closed + 1))


@lru_cache(maxsize=1024)
def _pieces(name: str) -> tuple[bytes, ...]:
    """A name, and what texts that are put together may have of it, from or to an underscore."""
    cuts = [at for at, char in enumerate(name) if char == "_"]
    both = (each for at in cuts for each in (name[: at + 1], name[at:]))
    long = (each for each in both if len(each) >= _SHORTEST_PIECE)
    return tuple(each.encode("latin-1") for each in (name, *long))
