"""Without urllib.parse, pathlib does what it always does."""

from __future__ import annotations

import subprocess
import sys

CODE = """
import sys
from hipport.commands.pathlib_alone import load_pathlib
load_pathlib()
print("urllib.parse" in sys.modules, "ipaddress" in sys.modules)
from pathlib import PurePosixPath
print(PurePosixPath("/a b/c%").as_uri())
import urllib.parse
print(urllib.parse.quote("a b"))
"""


def test_an_address_is_still_made_of_a_path() -> None:
    done = subprocess.run(
        [sys.executable, "-S", "-c", CODE], capture_output=True, text=True, check=True
    )
    assert done.stdout == "False False\nfile:///a%20b/c%25\na%20b\n"
