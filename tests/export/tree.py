"""The release's own source tree, writable, and a module that runs its tests with the build cache of the workers."""

from __future__ import annotations

import json
import os
import re
import shutil
import subprocess
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from harness.targets.kubernetes.build import go_environment
from harness.targets.kubernetes.gomodule import go_mod
from harness.targets.kubernetes.release import find_release, find_toolchain, module_folder

TOP = "k8s.io/kubernetes"
_WANTED = ("go.mod", "pkg", "third_party", "test/declarative_validation")


@dataclass(frozen=True, slots=True)
class SourceTree:
    """`top` is the copy of the release, `module` the folder from which its tests are run."""

    top: Path
    module: Path
    go: Path

    def test(
        self, packages: Sequence[str], pattern: str = ".", overlay: Mapping[str, str] | None = None
    ) -> dict[str, tuple[bool, str]]:
        """Run tests of packages with other texts for some files. Returns: whether each passed, and what it printed."""
        command = [str(self.go), "test", "-json", "-vet=off", "-ldflags=-s -w", "-run", pattern]
        if overlay:
            replaced = {}
            for number, (name, text) in enumerate(overlay.items()):
                (self.module / f"overlay{number}.txt").write_text(text)
                replaced[str(self.top / name)] = str(self.module / f"overlay{number}.txt")
            (self.module / "overlay.json").write_text(json.dumps({"Replace": replaced}))
            command += ["-overlay", str(self.module / "overlay.json")]
        done = subprocess.run(
            [*command, *(f"{TOP}/{package}" for package in packages)],
            capture_output=True, text=True, cwd=self.module, env=go_environment(), timeout=900,
        )  # fmt: skip
        printed = dict.fromkeys(packages, done.stderr)
        passed = dict.fromkeys(packages, False)
        for line in done.stdout.splitlines():
            event = json.loads(line) if line.startswith("{") else {}
            package = event.get("Package", "").removeprefix(f"{TOP}/")
            printed[package] = printed.get(package, "") + event.get("Output", "")
            if event.get("Action") == "pass" and "Test" not in event:
                passed[package] = True
        return {package: (passed[package], printed[package]) for package in packages}


def make_tree(folder: Path, release: str) -> SourceTree:
    """Copy what tests need of a release's sources, by links where the file system allows it."""
    found = find_release(release)
    toolchain = find_toolchain()
    source = module_folder(found, TOP, toolchain)
    top, module = folder / "kubernetes", folder / "module"
    for name in _WANTED:
        if (source / name).is_dir():
            shutil.copytree(source / name, top / name, copy_function=_linked, ignore=shutil.ignore_patterns("testdata"))
            for path, _, _ in os.walk(top / name):
                os.chmod(path, 0o755)  # folders of the module cache cannot be written to
        else:
            (top / name).parent.mkdir(parents=True, exist_ok=True)
            _linked(str(source / name), str(top / name))
    module.mkdir()
    text = re.sub(rf"^\t{TOP} => .*\n", "", go_mod(found, (source / "go.mod").read_text()), flags=re.M)
    (module / "go.mod").write_text(text.replace("replace (\n", f"replace (\n\t{TOP} => {top}\n"))
    (module / "module.go").write_text("package module\n")
    return SourceTree(top, module, toolchain.go)


def _linked(source: str, target: str) -> str:
    try:
        os.link(source, target)
    except OSError:
        shutil.copyfile(source, target)
    return target
