"""The three published wheels with a ground truth, by pinned version."""

from __future__ import annotations

import zipfile
from pathlib import Path

from tests.support.fetch import cache_folder, fetch

WHEELS = {
    "bitsandbytes": (
        "bitsandbytes",
        "0.50.2",
        "bitsandbytes-0.50.2-py3-none-manylinux_2_24_x86_64.whl",
        "55348a9a4a21bfd99cf8c7b32fe67b4030ae5c2a05738e03c1747f65fa6ec283",
    ),
    "jax_rocm60_plugin": (
        "jax-rocm60-plugin",
        "0.5.0",
        "jax_rocm60_plugin-0.5.0-cp311-cp311-manylinux_2_28_x86_64.whl",
        "05414df017d473b77cae3b04e69d199cbdaa2ddb7cff0801edbae84f37a74308",
    ),
    "jax_rocm7_plugin": (
        "jax-rocm7-plugin",
        "0.10.2",
        "jax_rocm7_plugin-0.10.2-cp311-cp311-manylinux_2_27_x86_64.whl",
        "fc6c3f6641d99916ea1896353a0c27187f1fcddb811768d4607d7e78834571a3",
    ),
}


def wheel(package: str) -> Path:
    """The wheel in the cache."""
    return fetch(*WHEELS[package])


def member(key: str) -> Path:
    """A member of a wheel as a file in the cache; `key` is `<package>/<member>`."""
    package, _, name = key.partition("/")
    path = cache_folder() / "members" / package / name.replace("/", "_")
    if not path.is_file():
        path.parent.mkdir(parents=True, exist_ok=True)
        with zipfile.ZipFile(wheel(package)) as archive:
            partial = path.with_suffix(".part")
            partial.write_bytes(archive.read(name))
            partial.replace(path)
    return path
