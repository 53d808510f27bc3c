"""A stand-in for the HIP runtime: it writes down what a process registers, and does nothing else.

`__hipRegisterFatBinary` dumps the bytes that the wrapper points at, as the loader mapped them.
"""

from __future__ import annotations

import os
import re
import subprocess
import sys
from pathlib import Path

from tests.support.binaries import output_of, tool

_REGISTER = r"""
#define _GNU_SOURCE
#include <dlfcn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
struct wrapper { unsigned magic, version; const char *bundle; void *unused; };
void *__hipRegisterFatBinary(const struct wrapper *w) {
  static int count;
  static void *handle;
  char path[4096];
  Dl_info from; /* a library of the system may register its own */
  if (!dladdr(w, &from) || strcmp(from.dli_fname, getenv("LIBRARY"))) {
    return &handle;
  }
  snprintf(path, sizeof path, "%s/%d", getenv("BUNDLES"), count++);
  FILE *file = fopen(path, "wb");
  unsigned long size = 4096;
  if (!memcmp(w->bundle, "CCOB", 4)) {
    size = *(const unsigned *)(w->bundle + 8);
  }
  fwrite(w->bundle, 1, w->magic == 0x48495046 ? size : 0, file);
  fclose(file);
  return &handle;
}
"""
_SYMBOL = re.compile(r" UND (\w+)(?:@([\w.]+))?")
_SYSTEM = ("GLIBC", "CXXABI", "GCC_")


def load(library: Path, folder: Path) -> list[bytes]:
    """What the library registers when the dynamic linker loads it, wrapper by wrapper."""
    bundles = folder / "bundles"
    bundles.mkdir(parents=True)
    program = f"import ctypes; ctypes.CDLL({str(library)!r})"
    _run([sys.executable, "-c", program], library, stubs(library, folder / "stubs"), bundles)
    return _dumped(bundles)


def start(program: Path, folder: Path) -> list[bytes]:
    """The same of a program that is run."""
    bundles = folder / "bundles"
    bundles.mkdir(parents=True)
    _run([str(program)], program, stubs(program, folder / "stubs"), bundles)
    return _dumped(bundles)


def _run(command: list[str], library: Path, libraries: Path, bundles: Path) -> None:
    # Some libraries leave it to others to load the runtime.
    environment = {
        **os.environ,
        "LD_LIBRARY_PATH": str(libraries),
        "LD_PRELOAD": str(next(libraries.glob("*.so*"))),
        "BUNDLES": str(bundles),
        "LIBRARY": str(library),
    }
    done = subprocess.run(command, capture_output=True, text=True, env=environment, timeout=60)
    assert done.returncode == 0, done.stderr


def _dumped(bundles: Path) -> list[bytes]:
    return [path.read_bytes() for path in sorted(bundles.iterdir(), key=lambda p: int(p.name))]


def stubs(library: Path, folder: Path) -> Path:
    """A folder with the libraries that this one needs and the system lacks: each defines all
    that this one does not."""
    folder.mkdir(parents=True)
    dynamic = output_of(tool("readelf"), "-dW", library)
    known = output_of("/sbin/ldconfig", "-p")
    needed = [n for n in re.findall(r"NEEDED.*\[(.*)\]", dynamic) if f"\t{n} " not in known]
    symbols: dict[str, set[str]] = {}
    for line in output_of(tool("readelf"), "--dyn-syms", "-W", library).splitlines():
        match = _SYMBOL.search(line)
        if match is None or " WEAK " in line or (match[2] or "").startswith(_SYSTEM):
            continue
        if not match[1].startswith(("Py", "_Py")):
            symbols.setdefault(match[2] or "", set()).add(match[1])
    names = set().union(*symbols.values())
    code = "".join(f"long {name}(void) {{ return 0; }}\n" for name in sorted(names))
    source = _REGISTER + code.replace("long __hipRegisterFatBinary(void) { return 0; }\n", "")
    (folder / "stub.c").write_text(source)
    (folder / "versions").write_text(
        "".join(
            f"{version} {{ global: {' '.join(f'{n};' for n in sorted(of))} }};\n"
            for version, of in symbols.items()
            if version
        )
    )
    options = [f"-Wl,--version-script={folder / 'versions'}"] if set(symbols) - {""} else []
    for name in needed or ["libamdhip64.so"]:
        output_of(
            *(tool("clang-22"), "-shared", "-fPIC", "-w", "-fno-builtin", folder / "stub.c"),
            *(f"-Wl,-soname,{name}", *options, "-o", folder / name),
        )
    return folder
