"""What is needed to deploy a campaign: every manifest is valid, and every command in it exists."""

from __future__ import annotations

import os
import subprocess
import sys
import zipfile
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import click
import pytest
import yaml
from distributed.cli import dask_scheduler, dask_worker

from harness.campaign.plan import read_plan
from harness.cli.main import cli
from tests.docs.pages import blocks

ROOT = Path(__file__).parent.parent.parent
FOLDER = ROOT / "examples" / "campaign"
CRD = "dask_kubernetes/operator/deployment/helm/dask-kubernetes-operator/crds/daskcluster.yaml"


def manifests() -> dict[str, dict[str, Any]]:
    """Every manifest, by kind and name."""
    found = (one for file in FOLDER.glob("*.yaml") for one in yaml.safe_load_all(file.read_text(encoding="utf-8")))
    return {f"{one['kind']} {one['metadata']['name']}": one for one in found}


def pods(value: Any) -> Iterator[dict[str, Any]]:
    """Every description of a pod in a manifest."""
    if isinstance(value, dict):
        if "containers" in value:
            yield value
        for below in value.values():
            yield from pods(below)


def words(container: dict[str, Any]) -> list[str]:
    """The command of a container."""
    return [*container.get("command", ()), *container["args"]]


def check(*arguments: str) -> str:
    """What `harness check` prints about manifests, which it could read."""
    command = [sys.executable, "-m", "harness", "check", "--strict", *arguments]
    done = subprocess.run(command, capture_output=True, text=True, timeout=1500, check=False)
    assert done.returncode in (0, 1), done.stdout + done.stderr
    return done.stdout


def understand(command: click.Command, given: list[str]) -> None:
    """Read a command line as its program does, and run nothing."""
    if isinstance(command, click.Group):
        context = click.Context(command)
        name, found, rest = command.resolve_command(context, given)
        assert found is not None, name
        return understand(found, rest)
    command.parse_args(click.Context(command), list(given))


@pytest.mark.kubernetes
def test_manifests_are_valid_for_a_server(tmp_path: Path) -> None:
    """A release's own validators accept them, without fields that it does not know; a wrong one is rejected."""
    files = [FOLDER / f"{name}.yaml" for name in ("client", "shards", "network")]
    said = check("--kubernetes", "1.37.1", *map(str, files))
    assert 6 == said.count(" create ") == said.count("graduated accepted") == said.count("both sides agree")
    wrong = tmp_path / "wrong.yaml"
    wrong.write_text((FOLDER / "shards.yaml").read_text().replace("completions: 8", "completions: -8"))
    assert "rejected" in check("--kubernetes", "1.37.1", str(wrong))


@pytest.mark.kubernetes
@pytest.mark.packages
def test_the_cluster_is_valid_for_its_operator(tmp_path: Path) -> None:
    """The CRD is that of the operator's newest package."""
    command = [sys.executable, "-m", "pip", "download", "--no-deps", "-q", "-d", str(tmp_path), "dask-kubernetes"]
    subprocess.run(command, check=True, timeout=300)
    (package,) = tmp_path.glob("*.whl")
    crd, wrong = tmp_path / "crd.yaml", tmp_path / "wrong.yaml"
    with zipfile.ZipFile(package) as archive:
        crd.write_bytes(archive.read(CRD))
    assert "graduated accepted" in check("--crd", str(crd), str(FOLDER / "cluster.yaml"))
    wrong.write_text((FOLDER / "cluster.yaml").read_text().replace("replicas: 16", "replicas: many"))
    assert "rejected" in check("--crd", str(crd), str(wrong))


def test_every_command_exists() -> None:
    """Of the harness and of Dask, with these options."""
    found = manifests()
    understood = 0
    for pod in (pod for manifest in found.values() for pod in pods(manifest)):
        for container in pod["containers"]:
            program, *given = words(container)
            if program == "sh":
                program, *given = (
                    given[-1].partition("||")[0].replace('"', "").replace("$((JOB_COMPLETION_INDEX + 1))", "1").split()
                )
            if program == "dask":
                dask = {"worker": dask_worker.main, "scheduler": dask_scheduler.main}
                understand(dask[given[0]], given[1:])
            else:
                assert "harness" == program
                understand(cli, given)
            understood += 1
    assert 4 == understood
    lines = (FOLDER / "Dockerfile").read_text().splitlines()
    assert any("harness kinds --kubernetes" in line for line in lines)
    copied = [place for line in lines if line.startswith("COPY") for place in line.split()[1:-1]]
    assert {"pyproject.toml", "README.md", "LICENSE", "harness"} == set(copied)
    assert all((ROOT / place).exists() for place in copied)


def test_each_index_asks_its_own_shard(tmp_path: Path) -> None:
    """Counted from 1; one that ends with findings has done its part, one without a report has not."""
    ((container,),) = (pod["containers"] for pod in pods(manifests()["Job shards"]))
    script = words(container)[-1].replace("/reports", str(tmp_path))
    stub = tmp_path / "harness"
    stub.write_text(
        '#!/bin/sh\necho "$*" >> "$CALLS"\nfor file; do :; done\n[ -z "$REPORT" ] || echo {} > "$file"\nexit 1\n'
    )
    stub.chmod(0o755)

    def run(index: int, report: str) -> int:
        path = f"{tmp_path}{os.pathsep}{os.environ['PATH']}"
        environment = {
            "PATH": path,
            "CALLS": str(tmp_path / "calls"),
            "REPORT": report,
            "JOB_COMPLETION_INDEX": str(index),
        }
        return subprocess.run(["sh", "-c", script], env=environment, check=False).returncode

    assert (0, 1) == (run(0, "yes"), run(7, ""))
    first, last = (tmp_path / "calls").read_text().splitlines()
    assert "--shard 1/8 " in first
    assert "--shard 8/8 " in last


def test_pods_can_do_little() -> None:
    """No token of the API server, no writable root, no capabilities; and every pod is one that a policy selects."""
    found = manifests()
    for pod in (pod for manifest in found.values() for pod in pods(manifest)):
        assert pod["automountServiceAccountToken"] is False
        for container in pod["containers"]:
            limits = container["securityContext"]
            assert (False, True, True) == (
                limits["allowPrivilegeEscalation"], limits["readOnlyRootFilesystem"], limits["runAsNonRoot"],
            )  # fmt: skip
            assert {"drop": ["ALL"]} == limits["capabilities"]
            assert container["resources"]["limits"]["memory"]
    assert "egress" not in found["NetworkPolicy campaign-shards"]["spec"]


def test_the_plan_and_the_workflow_can_be_read(tmp_path: Path) -> None:
    """The plan of the example as the command reads it, the workflow by the public schema of its files."""
    plan = tmp_path / "plan.yaml"
    plan.write_text(manifests()["ConfigMap campaign-plan"]["data"]["plan.yaml"])
    assert 320 == len(list(read_plan(plan).units()))
    (block,) = blocks(ROOT / "docs" / "how-to" / "run-a-campaign-on-kubernetes.md", "yaml")
    workflow = tmp_path / block.file
    workflow.write_text(block.body)
    command = [sys.executable, "-m", "check_jsonschema", "--builtin-schema", "vendor.github-workflows", str(workflow)]
    done = subprocess.run(command, capture_output=True, text=True, timeout=120, check=False)
    assert done.returncode == 0, done.stdout + done.stderr
