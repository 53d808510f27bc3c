"""The bundler's text form for preprocessed source, IR and assembly.

Each part is between `<comment> __CLANG_OFFLOAD_BUNDLE____START__ <id>` and the same with
`__END__` (LLVM, clang/docs/ClangOffloadBundler.rst); the comment is `//`, `;` or `#`.
"""

from __future__ import annotations

import re

from hipport.fatbin.binary import Bundle, BundleEntry
from hipport.fatbin.byte_source import Source
from hipport.fatbin.limits import RAISE_LIMIT, Limits
from hipport.lazy_regex import regex

NAME = "text bundle"
_MARK = rb"__CLANG_OFFLOAD_BUNDLE____"
_MAX_FAULTS = 64
_SNIFF = regex(rb"\s*(?://|;|#) " + _MARK + rb"START__ ")
_LINE = regex(rb"^(?://|;|#) " + _MARK + rb"(START|END)__ ([^\r\n]{1,4096})\r?\n?", re.M)


def sniff(head: bytes) -> bool:
    return _SNIFF.match(head) is not None


def read(source: Source, limits: Limits) -> Bundle:
    """The bundle that fills `source` up to its last end mark."""
    if source.size > limits.max_size:
        raise source.fault(0, f"a text bundle of {source.size} bytes", remedy=RAISE_LIMIT)
    text = source.view(0, source.size)
    bundle = Bundle(NAME, source, source.size)
    entries: list[BundleEntry] = []
    opened: tuple[bytes, int] | None = None
    for mark in _LINE.finditer(text):
        word, name = mark.groups()
        if word == b"START":
            if opened is not None:
                bundle.faults.append(
                    source.fault(
                        mark.start(), f"{opened[0].decode(errors='replace')!r} has no end mark"
                    )
                )
            opened = (name, mark.end())
        elif opened is None or opened[0] != name:
            bundle.faults.append(
                source.fault(mark.start(), f"an end mark without a start: {name!r}")
            )
        else:
            entry_id = name.decode("utf-8", "backslashreplace")
            # The bundler writes a line break before the end mark; it is not part of the image.
            end = mark.start() - 1
            entries.append(
                BundleEntry(bundle, len(entries), entry_id, opened[1], max(0, end - opened[1]))
            )
            opened = None
            bundle.size = mark.end()
        if len(entries) > limits.max_entries or len(bundle.faults) > _MAX_FAULTS:
            raise source.fault(mark.start(), "too many marks or faults; gave up")
    if opened is not None:
        bundle.faults.append(
            source.fault(opened[1], f"{opened[0].decode(errors='replace')!r} has no end mark")
        )
    bundle.entries = tuple(entries)
    return bundle
