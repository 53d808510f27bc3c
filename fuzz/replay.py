"""Does with inputs what a target does with them, without a fuzzer; the first failure ends it.

python -m fuzz.replay TARGET FILE_OR_FOLDER...
"""

from __future__ import annotations

import sys
from pathlib import Path

from fuzz.targets import TARGETS


def main() -> None:
    name, *places = sys.argv[1:]
    for place in map(Path, places):
        for path in sorted(place.iterdir()) if place.is_dir() else [place]:
            print(path, flush=True)
            TARGETS[name].exercise(path.read_bytes())


if __name__ == "__main__":
    main()
