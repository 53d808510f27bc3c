"""The code of a Jupyter notebook, by languages, and where each character of it is in the file.

Code is what nbformat calls the source of code cells ("The Notebook file format"), not what they
have shown. A line that begins with `!` or `%` is a command of IPython's ("Built-in magics").
"""

from __future__ import annotations

from array import array
from collections.abc import Callable, Iterable
from functools import lru_cache

import msgspec

from hipport.lazy_regex import regex
from hipport.model import Finding, Position
from hipport.named_tuples import NamedTuple
from hipport.rulebook.load import load

_PYTHON = "python"
_SHELL = "shell"
_COMMANDS = "ipython"
_KEY = regex(r'"(?:source|input)"\s*+:\s*+')
_STRING = regex(r'"((?:[^"\\]|\\.)*+)"')
# Characters as they are, or one that is written otherwise; RFC 8259, section 7, has the pairs.
_PIECE = regex(r"[^\\]+|\\u[dD][89abAB]..\\u[dD][c-fC-F]..|\\u....|\\.")
_OF_CELL = regex(r"%%(?P<name>\w+)[ \t]*(?P<rest>.*)")
# IPython takes `pip install` for a command without a `%`, too.
_OF_LINE = regex(
    r"(?P<indentation>[ \t]*)(?:[\w, ]+=[ \t]*)?"
    r"(?:!+(?!=)|(?:%%?|(?=\w+ install\b))(?P<name>\w+))[ \t]*(?P<rest>.*)"
)


class _Cell(msgspec.Struct):
    cell_type: str = ""
    source: msgspec.Raw = msgspec.Raw()
    # What nbformat 3 calls it.
    input: msgspec.Raw = msgspec.Raw()


class _Sheet(msgspec.Struct):
    cells: list[_Cell]


class _Notebook(msgspec.Struct):
    cells: list[_Cell] = []
    worksheets: list[_Sheet] = []


class Line(NamedTuple):
    """A line of a cell; where its characters and its end are in the file."""

    text: str
    rows: array[int]
    columns: array[int]

    def behind(self, place: int, start: str = "") -> Line:
        """What is behind that place of the line, after another start."""
        rows, columns = (
            array("I", [each[place]] * len(start)) + each[place:]
            for each in (self.rows, self.columns)
        )
        return Line(start + self.text[place:], rows, columns)


class Part(NamedTuple):
    """The code of one kind in a notebook: of all cells, or of one that is a program of its own."""

    kind: str
    text: bytes
    lines: tuple[Line, ...]

    def place(self, position: Position) -> Position:
        """Where in the file a position of the text is."""
        line = self.lines[min(position.line, len(self.lines)) - 1]
        at = min(position.column, len(line.columns)) - 1
        return Position(line.rows[at], line.columns[at])

    def moved(self, finding: Finding) -> Finding:
        """A finding in the text as one in the file, which `hipport convert` leaves as it is."""
        start, end = self.place(finding.start), self.place(finding.end)
        return msgspec.structs.replace(finding, start=start, end=end, fix=None, fixed_by="")


@lru_cache(maxsize=1)
def parts_of(data: bytes, kind_named: Callable[[str], str]) -> tuple[tuple[Part, ...], str]:
    """The code of a notebook, and why no cell can be read; "" if all can.

    `kind_named` says what kind of file a name is for, where a cell writes one.
    """
    try:
        cells = _code_cells(data)
    except (msgspec.DecodeError, ValueError, RecursionError) as error:
        return (), f"broken notebook: {error}"
    kinds = load().file_kinds.notebooks
    together: dict[str, list[Line]] = {_PYTHON: [], _SHELL: [], _COMMANDS: []}
    alone: list[tuple[str, list[Line]]] = []
    for lines in cells:
        kind = _PYTHON
        if command := _OF_CELL.fullmatch(lines[0].text):
            together[_COMMANDS].append(lines.pop(0))
            kind = kinds.cells.get(command["name"], _PYTHON)
            kind = kind_named(command["rest"].rpartition(" ")[2]) if kind == "file" else kind
        if kind == _PYTHON:
            _sort(lines, kinds.lines, together)
        elif kind in together:
            together[kind] += lines
        elif kind:
            alone.append((kind, lines))
    return tuple(_part(kind, lines) for kind, lines in (*together.items(), *alone) if lines), ""


def _part(kind: str, lines: Iterable[Line]) -> Part:
    kept = tuple(lines)
    text = "".join(f"{each.text}\n" for each in kept)
    return Part(kind, text.encode("utf-8", "replace"), kept)


def _sort(lines: Iterable[Line], kinds: dict[str, str], together: dict[str, list[Line]]) -> None:
    """Add the lines of a cell to those of Python, which stays valid, and of the commands."""
    is_continued = False
    for each in lines:
        command = None if is_continued else _OF_LINE.fullmatch(each.text)
        if command:
            name = command["name"]
            kind = kinds.get(name, _COMMANDS) if name else _SHELL
            word = command.start("name" if name and kind == _SHELL else "rest")
            if kind == _PYTHON:
                together[_PYTHON].append(each.behind(word, command["indentation"]))
                continue
            together[_PYTHON].append(each.behind(len(each.text), f"{command['indentation']}pass"))
            together[kind].append(each.behind(word) if kind == _SHELL else each)
            is_continued = kind == _SHELL and each.text.endswith("\\")
        elif is_continued:
            together[_SHELL].append(each)
            is_continued = each.text.endswith("\\")
        else:
            together[_PYTHON].append(each)


class _Reader:
    """Goes through a text, and knows the line that it is in, and what is before that line."""

    def __init__(self, text: str) -> None:
        self.text = text
        self.place, self.row, self.begin = 0, 1, -1

    def go_to(self, place: int) -> None:
        if passed := self.text.count("\n", self.place, place):
            self.row += passed
            self.begin = self.text.rfind("\n", self.place, place)
        self.place = place


def _code_cells(data: bytes) -> list[list[Line]]:
    """The lines of each code cell that has some."""
    notebook = msgspec.json.decode(data, type=_Notebook)
    reader = _Reader(data.decode("utf-8"))
    found: list[list[Line]] = []
    sheets = [notebook.cells] if notebook.cells else [each.cells for each in notebook.worksheets]
    for cell in (each for sheet in sheets for each in sheet):
        written = bytes(cell.source or cell.input).decode("utf-8")
        # Metadata may have the same key, with something else.
        keys = (each.end() for each in _KEY.finditer(reader.text, reader.place))
        start = next((each for each in keys if reader.text.startswith(written, each)), None)
        if start is not None:
            reader.go_to(start)
            if cell.cell_type == "code" and (lines := _lines(reader, start + len(written))):
                found.append(lines)
            reader.go_to(start + len(written))
    return found


def _lines(reader: _Reader, end: int) -> list[Line]:
    """The lines of a source, which is a string or a list of strings."""
    import json

    found: list[Line] = []
    texts: list[str] = []
    rows, columns = array("I"), array("I")
    for string in _STRING.finditer(reader.text, reader.place, end):
        reader.go_to(string.start())
        for piece in _PIECE.finditer(reader.text, *string.span(1)):
            text = json.loads(f'"{piece[0]}"')
            column = piece.start() - reader.begin
            rows.extend([reader.row] * len(text))
            columns.extend(range(column, column + len(text)))
            if text == "\n":
                found.append(Line("".join(texts), rows, columns))
                texts, rows, columns = [], array("I"), array("I")
            else:
                texts.append(text)
    if texts:
        rows.append(rows[-1])
        columns.append(columns[-1] + 1)
        found.append(Line("".join(texts), rows, columns))
    return found
