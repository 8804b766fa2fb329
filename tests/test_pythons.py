"""Every Python that is promised is tried: by tox, and by the workflow that has them all."""

from __future__ import annotations

import configparser
import re
import subprocess
import sys
import tomllib
from pathlib import Path
from typing import Any

import pytest
import yaml
from packaging.requirements import Requirement
from packaging.utils import canonicalize_name

ROOT = Path(__file__).parent.parent
WORKFLOWS = ROOT / ".github" / "workflows"
FILE = WORKFLOWS / "pythons.yml"
WORKFLOW: dict[str, Any] = yaml.safe_load(FILE.read_text(encoding="utf-8"))
PROJECT = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]
PROMISED = sorted(found[1] for one in PROJECT["classifiers"] if (found := re.fullmatch(r".* :: (3\.\d+)", one)))


def tox() -> configparser.ConfigParser:
    """The environments of tox."""
    parser = configparser.ConfigParser(interpolation=None)
    parser.read(ROOT / "tox.ini", encoding="utf-8")
    return parser


def units() -> str:
    """The environments that run the units on one Python each."""
    return next(name for name in tox().sections() if "py311" in name)


def test_the_workflow_tries_every_promised_python() -> None:
    """Each in an environment of its own, the oldest as Debian 12 has it, and a missing one is no success."""
    entries = WORKFLOW["jobs"]["units"]["strategy"]["matrix"]["include"]
    tried = {entry["environment"]: entry["python"] for entry in entries}
    assert PROMISED == sorted(".".join(version.split(".")[:2]) for version in tried.values())
    for environment, version in tried.items():
        assert environment == "py" + "".join(version.split(".")[:2])
        assert environment in units()
    assert "3.11.2" == tried["py311"]
    assert "--skip-missing-interpreters false" in WORKFLOW["jobs"]["units"]["steps"][-1]["run"]


def test_the_units_on_every_python_are_there() -> None:
    """What the folders of their tests are called; on its own Python the test command asks the same ones."""
    folders = re.findall(r"tests/[\w./]+", tox()[units()]["commands"])
    assert folders
    assert [] == [folder for folder in folders if not (ROOT / folder).exists()]
    assert set(folders) <= set(re.findall(r"tests/[\w./]+", tox()["testenv:coverage"]["commands"]))


@pytest.mark.parametrize("name", [FILE.name, "newest.yml"])
def test_the_workflows_have_the_form_that_github_wants(name: str) -> None:
    """By the public schema."""
    command = [sys.executable, "-m", "check_jsonschema", "--builtin-schema", "vendor.github-workflows"]
    done = subprocess.run([*command, str(WORKFLOWS / name)], capture_output=True, text=True, check=False)
    assert 0 == done.returncode, done.stdout


def test_every_library_of_the_tests_has_one_release() -> None:
    """So that a new release of one cannot turn an unrelated change red; within the promised range."""
    lines = (ROOT / ".ci" / "constraints.txt").read_text(encoding="utf-8").splitlines()
    pinned = {canonicalize_name(one.name): one for one in map(Requirement, lines)}
    wanted = [*PROJECT["dependencies"], *(one for extra in PROJECT["optional-dependencies"].values() for one in extra)]
    for one in map(Requirement, wanted):
        (pin,) = pinned[canonicalize_name(one.name)].specifier
        assert "==" == pin.operator
        assert pin.version in one.specifier, one
    assert "UV_CONSTRAINT = {env:HARNESS_CONSTRAINTS:{tox_root}{/}.ci{/}constraints.txt}" in tox()["testenv"]["set_env"]
    assert "tox-uv" in tox()["tox"]["requires"], "pip does not read what uv is told"
    newest = yaml.safe_load((WORKFLOWS / "newest.yml").read_text(encoding="utf-8"))
    assert "/dev/null" == newest["jobs"]["newest"]["env"]["HARNESS_CONSTRAINTS"]
