"""`python -m tests.torch.rocm_build SCRIPT ARGUMENT...`: runs a script as on a PyTorch for ROCm.

There is no such wheel in the index, so the one for CPUs says that it is one. Its extension builds
are PyTorch's own, up to the compilers, which are those that $ROCM_HOME and $CXX name.
"""

from __future__ import annotations

import os
import runpy
import sys
from pathlib import Path


def main() -> None:
    import torch

    torch.version.hip = "6.4.0"
    torch.cuda._is_compiled = lambda: True
    from torch.utils import cpp_extension

    assert cpp_extension.IS_HIP_EXTENSION, os.environ.get("ROCM_HOME")
    sys.argv = sys.argv[1:]
    sys.path.insert(0, str(Path(sys.argv[0]).parent))
    runpy.run_path(sys.argv[0], run_name="__main__")


if __name__ == "__main__":
    main()
