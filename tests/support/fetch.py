"""Pinned files of the package index and of Debian for tests marked `real`: fetched and verified."""

from __future__ import annotations

import hashlib
import os
import subprocess
import urllib.error
import urllib.request
from pathlib import Path

from pypi_simple import PyPISimple

from tests.support.folders import CHECKOUT

CACHE_VARIABLE = "HIPPORT_CACHE"


def cache_folder() -> Path:
    """Where fetched files are kept: $HIPPORT_CACHE, else `.cache/` in the checkout."""
    configured = os.environ.get(CACHE_VARIABLE)
    folder = Path(configured) if configured else CHECKOUT / ".cache"
    folder.mkdir(parents=True, exist_ok=True)
    return folder


def sha256_of(path: Path) -> str:
    with path.open("rb") as file:
        return hashlib.file_digest(file, "sha256").hexdigest()


def fetch(project: str, version: str, filename: str, sha256: str) -> Path:
    """The path of that wheel or source distribution in the cache, downloaded if it is not there.

    The content always has the SHA-256 given: a file that differs is removed and raises
    ValueError. A file the index does not list raises LookupError. Nothing is unpacked or built.
    """
    path = cache_folder() / filename
    if path.is_file():
        _verify(path, sha256)
        return path
    with PyPISimple() as index:
        for package in index.get_project_page(project).packages:
            # The index may guess no version for an old source distribution: the name decides.
            if package.filename == filename and package.version in (version, None):
                break
        else:
            raise LookupError(f"the index lists no {filename} for {project} {version}")
        partial = path.with_name(f"{filename}.{os.getpid()}.part")
        try:
            index.download_package(package, partial, verify=False)
            _verify(partial, sha256)
            partial.replace(path)
        finally:
            partial.unlink(missing_ok=True)
    return path


def fetch_source(package: str, filename: str, sha256: str) -> Path:
    """The same for a file of one of Debian's source packages, from a mirror of apt's."""
    path = cache_folder() / filename
    if not path.is_file():
        start = package[:4] if package.startswith("lib") else package[0]
        partial = path.with_name(f"{filename}.{os.getpid()}.part")
        partial.write_bytes(_download(f"pool/main/{start}/{package}/{filename}"))
        partial.replace(path)
    _verify(path, sha256)
    return path


def _download(address: str) -> bytes:
    command = ["apt-get", "indextargets", "--format", "$(REPO_URI)", "Created-By: Packages"]
    asked = subprocess.run(command, capture_output=True, text=True, check=True)
    for mirror in dict.fromkeys(asked.stdout.split()):
        try:
            with urllib.request.urlopen(f"{mirror}{address}", timeout=300) as answer:
                return bytes(answer.read())
        except urllib.error.HTTPError:
            continue
    raise LookupError(f"no mirror of apt's has {address}")


def _verify(path: Path, sha256: str) -> None:
    found = sha256_of(path)
    if found != sha256.lower():
        path.unlink()
        raise ValueError(f"{path.name}: SHA-256 is {found}, the pin says {sha256}")
