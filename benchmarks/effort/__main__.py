"""`python -m benchmarks.effort`: what public ports took, and what the audit makes of them.

measure [PORT...]  fetches the ports, reads them, and writes results.json (needs unifdef, git)
fit                prints what rules/effort.toml would have to say
table              writes docs/effort.md from the results kept here
"""

from __future__ import annotations

import argparse
import json
from typing import Any

from benchmarks.effort.fitting import fit
from benchmarks.effort.measure import measure
from benchmarks.effort.ports import ports
from benchmarks.effort.table import PAGE, RESULTS, document


def main() -> None:
    parser = argparse.ArgumentParser(
        prog="python -m benchmarks.effort",
        description=__doc__,
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    parser.add_argument("action", choices=["measure", "fit", "table"])
    parser.add_argument("ports", nargs="*", help="only these; the results of others are kept")
    given = parser.parse_args()
    results: dict[str, Any] = json.loads(RESULTS.read_text("utf-8")) if RESULTS.exists() else {}
    if given.action == "measure":
        for port in ports():
            if not given.ports or port.name in given.ports:
                results[port.name] = {"source": port.file, **measure(port)}
                print(port.name, results[port.name]["written"], flush=True)
                RESULTS.write_text(json.dumps(dict(sorted(results.items())), indent=1) + "\n")
    elif given.action == "table":
        PAGE.write_text(document(results), "utf-8")
    else:
        found = fit(list(results.values()))
        print(f"minutes for findings: times {found.factor:.2f}")
        print(f"use = [{', '.join(f'{each:.1f}' for each in found.use)}]")


main()
