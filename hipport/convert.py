"""`python -m hipport.convert`: `hipport convert`, run by the interpreter of a build script."""

from __future__ import annotations

import sys

if __name__ == "__main__":
    from hipport.__main__ import program

    if not sys.flags.safe_path:
        # As for `python -m hipport`: the current folder may be a tree to convert.
        del sys.path[0]
    sys.argv.insert(1, "convert")
    program()
else:
    from hipport.api import convert

    # `import hipport.convert` must not hide the function of that name.
    sys.modules[__name__] = convert  # type: ignore[assignment]
