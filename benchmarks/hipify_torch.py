"""Processor seconds that PyTorch's hipify takes for a tree, without those of importing PyTorch.

`PYTHON -m benchmarks.hipify_torch SOURCE OUTPUT`, where PYTHON has torch installed.
"""

import contextlib
import io
import sys
import time

from torch.utils.hipify.hipify_python import hipify


def main() -> None:
    source, output = sys.argv[1:]
    start = time.process_time()
    with contextlib.redirect_stdout(io.StringIO()):
        hipify(
            project_directory=source,
            output_directory=output,
            includes=["*"],
            is_pytorch_extension=True,
            show_progress=False,
        )
    print(time.process_time() - start)


if __name__ == "__main__":
    main()
