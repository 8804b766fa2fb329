"""Real projects that moved a Go validator to their CRD: `python -m tests.crds.real` compares both, as its page shows.

Their modules are fetched when it runs, and nothing of them is kept. The first run compiles their validators, which
takes minutes for each module.
"""

from __future__ import annotations

import argparse
import json
import shutil
import subprocess
import sys
import tempfile
import time
from collections import Counter
from collections.abc import Iterator
from pathlib import Path
from typing import Any, NamedTuple

import click

from harness.targets.kubernetes.build import go_environment
from harness.targets.kubernetes.release import find_toolchain


class Migration(NamedTuple):
    """A Go validator of a module, and the CRDs that were to replace it, of the same module or of a later one."""

    kind: str
    module: str
    crds: str
    validator: str
    later: str = ""

    @property
    def before(self) -> str:
        return self.crds if self.later else f"without-cel:{self.crds}"


_KUEUE = "sigs.k8s.io/kueue@v0.6.2"
_GATEWAY = "sigs.k8s.io/gateway-api@v1.0.0"
MIGRATIONS = (
    Migration("gateways", _GATEWAY, "config/crd/standard", "./apis/v1/validation.ValidateGateway"),
    Migration("httproutes", _GATEWAY, "config/crd/standard", "./apis/v1/validation.ValidateHTTPRoute"),
    Migration("nodepools", "sigs.k8s.io/karpenter@v0.37.0", "pkg/apis/crds", "./pkg/apis/v1beta1.NodePool"),
    Migration(
        "localqueues", _KUEUE, "config/components/crd/bases",
        "./pkg/webhooks.LocalQueueWebhook=./apis/kueue/v1beta1.LocalQueue", "sigs.k8s.io/kueue@v0.8.0",
    ),
    Migration(
        "admissionchecks", _KUEUE, "config/components/crd/bases",
        "./pkg/webhooks.AdmissionCheckWebhook=./apis/kueue/v1beta1.AdmissionCheck", "sigs.k8s.io/kueue@v0.8.0",
    ),
)  # fmt: skip


def fetched(module: str, go: Path) -> Path:
    """Download a module, and return its folder, which cannot be written."""
    command = [str(go), "mod", "download", "-json", module]
    done = subprocess.run(command, cwd="/", env=go_environment(), capture_output=True, text=True, check=True)
    return Path(json.loads(done.stdout)["Dir"])


def compare(migration: Migration, cases: int, jobs: int, folder: Path) -> dict[str, Any]:
    """Compare both in a copy of the module, and return the report."""
    go = find_toolchain().go
    copy = folder / migration.module.replace("/", "_")
    if not copy.exists():
        shutil.copytree(fetched(migration.module, go), copy, copy_function=shutil.copyfile)
        subprocess.run(["chmod", "-R", "u+w", copy], check=True)
    after = migration.crds
    if migration.later:
        after = f"{migration.later.rpartition('@')[2]}-crds"
        if not (copy / after).exists():
            shutil.copytree(fetched(migration.later, go) / migration.crds, copy / after, copy_function=shutil.copyfile)
    report = copy / f"{migration.kind}.json"
    done = subprocess.run(
        [
            sys.executable, "-m", "harness", "run", "--crd", after, "--before", migration.before, "--validator",
            migration.validator, "--kind", migration.kind, "--max-cases", str(cases), "--jobs", str(jobs), "--json",
            str(report),
        ],
        cwd=copy, capture_output=True, text=True, check=False,
    )  # fmt: skip
    if done.returncode not in (0, 1):
        raise SystemExit(f"{migration.kind}: exit code {done.returncode}\n{done.stderr}")
    return dict(json.loads(report.read_text(encoding="utf-8")))


def rows(report: dict[str, Any]) -> Iterator[str]:
    """Write one line for each change of a verdict: operations, cause, path and the first error."""
    groups: dict[tuple[str, str, str], set[str]] = {}
    for one in report["findings"]:
        if one["severity"] == "verdict":
            direction = one["detail"].partition(" by ")[0]
            groups.setdefault((one["path"], one["cause"], direction), set()).add(one["operation"])
    for (path, cause, direction), operations in sorted(groups.items()):
        yield f"    {direction} before: {path or '(object)'}: {cause} ({', '.join(sorted(operations))})"


def main() -> None:
    """Compare all, or some."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("kinds", nargs="*", help="kinds to compare; all by default")
    parser.add_argument("--cases", type=int, default=20_000)
    parser.add_argument("--jobs", type=int, default=2)
    options = parser.parse_args()
    with tempfile.TemporaryDirectory() as folder:
        for migration in MIGRATIONS:
            if options.kinds and migration.kind not in options.kinds:
                continue
            start = time.monotonic()
            report = compare(migration, options.cases, options.jobs, Path(folder))
            severities = Counter(one["severity"] for one in report["findings"])
            click.echo(
                f"{migration.kind} of {migration.module}: {severities['verdict']} change a verdict, "
                f"{severities['visible']} other errors, {time.monotonic() - start:.0f} s"
            )
            click.echo("\n".join(rows(report)))


if __name__ == "__main__":
    main()
