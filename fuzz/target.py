"""Coverage-guided fuzzing of one target with atheris.

    python fuzz/target.py TARGET CORPUS [OPTIONS OF LIBFUZZER]

CORPUS is a folder that takes the fixtures as seeds, and then new inputs. Whatever ends in an
exception is a find: of those that end in the same place the smallest is kept in CORPUS-finds, and
the run goes on. Only a hang or too much memory ends it.
"""

from __future__ import annotations

import hashlib
import importlib
import pkgutil
import sys
import traceback
from collections.abc import Callable
from pathlib import Path

import atheris

ROOT = Path(__file__).resolve().parents[1]
sys.path.insert(0, str(ROOT))
_NOT_FUZZED = ("hipport.tui", "hipport.commands", "hipport.torch", "_child")


def import_everything() -> None:
    """Modules that are imported late would not be instrumented."""
    import hipport

    for module in pkgutil.walk_packages(hipport.__path__, "hipport."):
        if not any(part in module.name for part in _NOT_FUZZED) and "__main__" not in module.name:
            importlib.import_module(module.name)


def keeping(exercise: Callable[[bytes], None], folder: Path) -> Callable[[bytes], None]:
    """`exercise`, but the smallest input for each place of failure goes to `folder`."""
    smallest: dict[str, int] = {}

    def kept(data: bytes) -> None:
        try:
            exercise(data)
        except Exception as error:
            frames = [each for each in traceback.extract_tb(error.__traceback__) if _is_ours(each)]
            what = type(error).__name__
            if isinstance(error, AssertionError):
                what += f": {str(error).partition(':')[0]}"
            place = f"{Path(frames[-1].filename).stem}-{frames[-1].lineno}"
            key = f"{place}-{hashlib.sha1(what.encode()).hexdigest()[:6]}"
            if len(data) < smallest.get(key, 1 << 30):
                folder.mkdir(parents=True, exist_ok=True)
                (folder / key).write_bytes(data)
                (folder / f"{key}.txt").write_text(traceback.format_exc())
                if key not in smallest:
                    print(f"FIND {key} {what}", file=sys.stderr, flush=True)
                smallest[key] = len(data)

    return kept


def _is_ours(frame: traceback.FrameSummary) -> bool:
    return str(ROOT / "hipport") in frame.filename or str(ROOT / "fuzz") in frame.filename


def main() -> None:
    with atheris.instrument_imports(include=["hipport"]):
        import_everything()
        from fuzz import sources
        from fuzz.targets import TARGETS
    sources.IS_TIMED = True
    name, corpus, *options = sys.argv[1:]
    target = TARGETS[name]
    Path(corpus).mkdir(parents=True, exist_ok=True)
    for seed in target.seeds():
        (Path(corpus) / hashlib.sha1(seed).hexdigest()).write_bytes(seed)
    limits = [f"-max_len={target.largest}", "-timeout=30", "-rss_limit_mb=1024"]
    exercise = keeping(target.exercise, Path(f"{corpus}-finds"))
    atheris.Setup([sys.argv[0], *limits, *options, corpus], exercise)
    atheris.Fuzz()


if __name__ == "__main__":
    main()
