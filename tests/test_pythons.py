"""Every Python that is promised is tried: by tox, and by the workflow that has them all."""

from __future__ import annotations

import configparser
import re
import subprocess
import sys
import tomllib
from pathlib import Path
from typing import Any

import yaml

ROOT = Path(__file__).parent.parent
FILE = ROOT / ".github" / "workflows" / "pythons.yml"
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


def test_tox_tries_the_oldest_and_the_newest_that_it_finds() -> None:
    """They are part of the test command, and what the folders of their tests are called is there."""
    listed = re.split(r"[,\s]+", tox()["tox"]["env_list"])
    assert {"oldest", "newest"} <= set(listed)
    told = tox()[units()]
    oldest, newest = told["base_python"].strip().splitlines()
    assert f"oldest: /usr/bin/python{PROMISED[0]}, python{PROMISED[0]}" == oldest
    assert f"newest: python{PROMISED[-1]}" == newest
    folders = re.findall(r"tests/[\w./]+", told["commands"])
    assert folders
    assert [] == [folder for folder in folders if not (ROOT / folder).exists()]


def test_the_workflow_has_the_form_that_github_wants() -> None:
    """By the public schema."""
    command = [sys.executable, "-m", "check_jsonschema", "--builtin-schema", "vendor.github-workflows", str(FILE)]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    assert 0 == done.returncode, done.stdout
