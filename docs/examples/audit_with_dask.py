"""Audits many trees with Dask, a task a tree, and joins the reports into one page.

    pip install hipport distributed
    python audit_with_dask.py OUTPUT-FOLDER TREE...

Here the workers are processes of this machine; on a cluster, give Client() its scheduler's address
and let the trees and the output folder stand on a file system that all workers see.
"""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path

from distributed import Client, LocalCluster, as_completed


def audit(tree: str, output: str) -> tuple[str, dict[str, int]]:
    """Audit one tree into OUTPUT/NAME.json; its name, and the number of findings by severity."""
    name = Path(tree).name
    report = Path(output, f"{name}.json")
    # --jobs 1: the cluster has a task for each of its cores already.
    command = ["hipport", "audit", "report", ".", "--jobs", "1", "--format", "json"]
    command += ["--output", str(report), "--fail-on", "never"]
    subprocess.run(command, cwd=tree, check=True, stderr=subprocess.DEVNULL)
    return name, json.loads(report.read_text(encoding="utf-8"))["summary"]["findings"]


def main() -> None:
    output, *trees = (str(Path(each).resolve()) for each in sys.argv[1:])
    Path(output).mkdir(exist_ok=True)
    with LocalCluster(n_workers=2, threads_per_worker=1) as cluster, Client(cluster) as client:
        tasks = client.map(audit, trees, output=output)
        for _, (name, found) in as_completed(tasks, with_results=True):
            print(f"{name:16}", ", ".join(f"{number:,} {word}" for word, number in found.items()))
    names = [f"{Path(tree).name}.json" for tree in trees]
    merge = ["hipport", "audit", "merge", "--by-name", *names, "--fail-on", "never"]
    subprocess.run([*merge, "--format", "html", "-o", "all.html"], cwd=output, check=True)
    subprocess.run([*merge, "--format", "rich"], cwd=output, check=True)


if __name__ == "__main__":
    main()
