"""A script whose name says nothing is of the kind that its first line says."""

from __future__ import annotations

import json
from pathlib import Path

from tests.support.command import hipport, make_tree

FILES = {
    "bin/build": "#!/usr/bin/env bash\nnvcc -arch=sm_80 -o waves waves.cu\n",
    "bin/submit.sl": "#! /bin/bash -l\nmodule load cuda/12.4\n",
    "bin/train": "#!/usr/bin/env -S python3 -u\nimport pycuda.autoinit\n",
    "bin/notes": "nvcc -arch=sm_80 -o waves waves.cu\n",
    "bin/report": "#!/usr/bin/perl\nsystem('nvcc -arch=sm_80 -o waves waves.cu');\n",
    "libtool": "#! /bin/sh\nnvcc -arch=sm_80 -o waves waves.cu\n",
}


def audited(folder: Path) -> tuple[dict[str, str], set[str]]:
    _, out, _ = hipport("audit", ".", "--format", "json", "--fail-on", "never", cwd=folder)
    report = json.loads(out)
    kinds = {each["path"]: each["language"] for each in report["files"]}
    return kinds, {each["path"] for each in report["findings"]}


def test_the_first_line_says_what_a_script_is(tmp_path: Path) -> None:
    make_tree(tmp_path, FILES)
    kinds, found = audited(tmp_path)
    assert kinds["bin/build"] == kinds["bin/submit.sl"] == "shell"
    assert kinds["bin/train"] == "python"
    assert kinds["bin/notes"] == kinds["bin/report"] == kinds["libtool"] == ""
    assert found == {"bin/build", "bin/submit.sl", "bin/train"}


def test_a_link_is_not_followed(tmp_path: Path) -> None:
    make_tree(tmp_path / "tree", {"waves.cu": "__global__ void k() {}\n"})
    make_tree(tmp_path / "other", {"build": FILES["bin/build"]})
    (tmp_path / "tree" / "build").symlink_to(tmp_path / "other" / "build")
    assert audited(tmp_path / "tree")[0]["build"] == ""
