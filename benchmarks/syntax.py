"""`python -m benchmarks.syntax [ARCHIVE...]`: files that a conversion broke.

Converts source archives whole (default: every one in the cache of the tests), with defaults, and
reads each file that differs from its original again, from its first line to its last: Python by
`ast`, JSON and TOML by Python's parsers, CMake and CUDA C++ by tree-sitter, makefiles and scripts
by the reader of words. Prints the files that have more errors of syntax than their original, and
those that nothing here reads. Exit code 1 if there is either.
"""

from __future__ import annotations

import argparse
import re
import sys
import tarfile
import tempfile
import tomllib
import zipfile
from collections import Counter
from collections.abc import Callable, Iterator
from functools import cache
from pathlib import Path
from typing import NamedTuple

from benchmarks.silent_failures import hipport
from hipport.rulebook.load import load
from hipport.source.buildfiles.build_kinds import build_kind
from hipport.source.buildfiles.read_back import errors_in
from hipport.source.languages.cuda_read_back import without_kernel_names
from hipport.source.languages.cuda_syntax import PARSER
from hipport.source.languages.python_read_back import python_errors
from hipport.source.languages.syntax_errors import syntax_errors
from hipport.source.text.brackets import closing_bracket
from hipport.source.tree.file_task import language_of
from tests.support.fetch import cache_folder
from tests.support.real_trees import unpack

_KINDS = ("cmake", "make", "shell", "python")
_ARCHIVES = (".tar.gz", ".tar.xz", ".tar.bz2", ".whl")
_LARGEST = 16 << 20
_MACRO_CALL = re.compile(r"\b[A-Z_][A-Z_0-9]+[ \t]*\(")


class Broken(NamedTuple):
    path: str
    before: int
    after: int


class Result(NamedTuple):
    """What was read of an archive: files that differ by ending, those broken, those not read."""

    read: Counter[str]
    broken: list[Broken]
    unread: list[str]


def reader(path: str) -> Callable[[bytes], int] | None:
    """What counts the errors of syntax in a file of that name."""
    ending = Path(path).suffix
    if ending in (".py", ".pyi"):
        return python_errors
    if ending == ".toml":
        return _toml_errors
    if kind := build_kind(path, _KINDS):
        return errors_in(kind, path)
    if language_of(path) in ("cuda", "c", "cpp", "c++", "hip"):
        return _cuda_errors
    return None


def _cuda_errors(data: bytes) -> int:
    # A template with its arguments is none of an expression; the macro takes one.
    plain = _written_out(without_kernel_names(data, load().spellings.kernel_name_macro))
    if found := syntax_errors(PARSER.parse(plain).root_node):
        found = min(found, syntax_errors(PARSER.parse(_with_blocks(plain)).root_node))
    return found


def _with_blocks(data: bytes) -> bytes:
    """A text with a block in place of each call of a macro that takes statements."""
    text = data.decode("latin-1")
    characters = list(text)
    for match in _MACRO_CALL.finditer(text):
        closed = closing_bracket(text, match.end() - 1)
        if closed is not None and ";" in text[match.end() : closed]:
            characters[match.start() : match.end()] = " " * (match.end() - match.start() - 1) + "{"
            characters[closed] = "}"
    return "".join(characters).encode("latin-1")


def _written_out(data: bytes) -> bytes:
    """A text with CUDA's macros for attributes as the conversion writes them.

    They are no part of the grammar: how many errors one causes, or what is written for it, depends
    on what else the parser cannot read there.
    """
    macros = _attribute_macros()
    lines = data.splitlines(keepends=True)
    return b"".join(
        each
        if each.lstrip().startswith(b"#")
        else re.sub(rb"[A-Za-z_]\w*", lambda word: macros.get(word[0], word[0]), each)
        for each in lines
    )


@cache
def _attribute_macros() -> dict[bytes, bytes]:
    """Macro -> the words that it stands for, which may be none."""
    macros = (rule for rule in load().every_api() if rule.kind == "macro")
    return {
        rule.cuda.encode(): rule.hip.encode()
        for rule in macros
        if rule.status == "dropped" or (rule.hip and not rule.hip.isidentifier())
    }


def _toml_errors(data: bytes) -> int:
    try:
        tomllib.loads(data.decode())
    except ValueError:
        return 1
    return 0


def compared(before: Path, after: Path) -> Result:
    """Each file of a converted tree that differs from its original."""
    result = Result(Counter(), [], [])
    for path in sorted(each for each in after.rglob("*") if each.is_file()):
        name = path.relative_to(after).as_posix()
        original = before / name
        if path.is_symlink() or not original.is_file():
            continue  # Memory of the run and helpers' headers have no original.
        old, new = original.read_bytes(), path.read_bytes()
        if old == new:
            continue
        errors = reader(name)
        if errors is None or len(new) > _LARGEST:
            result.unread.append(name)
            continue
        result.read[path.suffix or path.name] += 1
        made = errors(new)
        if made and made > (had := errors(old)):
            result.broken.append(Broken(name, had, made))
    return result


def archives(names: list[Path]) -> Iterator[Path]:
    """The archives named, of folders all in them."""
    for name in names:
        if name.is_dir():
            yield from sorted(e for e in name.iterdir() if e.name.endswith(_ARCHIVES))
        else:
            yield name


def measured(archive: Path) -> Result:
    """An archive, converted whole in a temporary folder."""
    with tempfile.TemporaryDirectory() as work:
        before, after = Path(work, "before"), Path(work, "after")
        before.mkdir()
        if archive.suffix == ".whl":
            with zipfile.ZipFile(archive) as file:
                file.extractall(before, [e for e in file.namelist() if reader(e)])
        else:
            unpack(archive, before, ("",))
        hipport("convert", "-q", "-o", str(after), str(before), folder=Path(work))
        if not any(before.rglob("*.*")):
            return Result(Counter(), [], [])
        if not after.is_dir():
            raise ValueError("nothing was converted")
        return compared(before, after)


def main() -> int:
    parser = argparse.ArgumentParser(
        prog="python -m benchmarks.syntax",
        description=__doc__,
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    parser.add_argument("archive", nargs="*", type=Path, help="archives, or folders of them")
    chosen = parser.parse_args().archive or [cache_folder()]
    total: Counter[str] = Counter()
    bad = count = 0
    for archive in archives(chosen):
        try:
            result = measured(archive)
        except (ValueError, tarfile.TarError, OSError) as error:
            print(f"{archive.name}: not read: {error}", flush=True)
            bad += 1
            continue
        count += 1
        total += result.read
        bad += len(result.broken) + len(result.unread)
        print(f"{archive.name}: {result.read.total()} files differ", flush=True)
        for each in result.broken:
            print(f"    {each.path}: {each.before} errors before, {each.after} after")
        for name in result.unread:
            print(f"    {name}: nothing reads this kind of file")
    kinds = ", ".join(f"{number} {ending}" for ending, number in total.most_common())
    print(f"\n{count} archives, {total.total()} files that differ ({kinds}); {bad} are bad")
    return bool(bad)


if __name__ == "__main__":
    sys.exit(main())
