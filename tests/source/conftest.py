"""What the tests that compile with hipcc share."""

from __future__ import annotations

import pytest
from filelock import FileLock

from tests.source import test_toolchain
from tests.support.precompiled import Precompiled, precompile


@pytest.fixture(scope="session")
def precompiled(tmp_path_factory: pytest.TempPathFactory, worker_id: str) -> Precompiled:
    """HIP's headers, precompiled once for all processes that run tests."""
    folder = tmp_path_factory.getbasetemp()
    if worker_id != "master":
        folder = folder.parent
    with FileLock(folder / "precompiled.lock"):
        targets, environment = test_toolchain.TARGETS, test_toolchain.environment()
        return precompile(folder / "precompiled", targets, environment)
