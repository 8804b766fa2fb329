"""Git repositories for tests: small ones, and a checkout of Kubernetes put together from a release's modules."""

from __future__ import annotations

import os
import shutil
import subprocess
from collections.abc import Mapping, Sequence
from pathlib import Path

from harness.targets.kubernetes.release import (
    KubernetesSource,
    download,
    find_toolchain,
    module_folder,
    staging_modules,
)

READING = ("go.mod", "pkg/apis", "pkg/registry", "test/declarative_validation")
"""The folders of k8s.io/kubernetes in which a change is read."""
READING_STAGING = ("k8s.io/api", "k8s.io/apimachinery")


def git(folder: Path, *arguments: str) -> str:
    """Run git with settings of its own, and return what it says."""
    environment = {
        **{name: value for name, value in os.environ.items() if not name.startswith("GIT_")},
        "GIT_CONFIG_GLOBAL": os.devnull,
        "GIT_CONFIG_SYSTEM": os.devnull,
    }
    own = (
        "-c",
        "user.name=Test",
        "-c",
        "user.email=test@example.com",
        "-c",
        "init.defaultBranch=main",
        "-c",
        "gc.auto=0",
    )
    done = subprocess.run(
        ["git", *own, *arguments], cwd=folder, env=environment, capture_output=True, text=True, check=False
    )
    assert done.returncode == 0, f"git {' '.join(arguments)}: {done.stderr}"
    return done.stdout.strip()


def write(folder: Path, files: Mapping[str, str | None]) -> None:
    """Write files, or delete those without text."""
    for name, text in files.items():
        path = folder / name
        if text is None:
            path.unlink()
            continue
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text, encoding="utf-8")


def repository(folder: Path, files: Mapping[str, str] | None = None) -> Path:
    """Make a repository of a folder with some files, and commit all of it. The commit has the tag `base`."""
    folder.mkdir(parents=True, exist_ok=True)
    write(folder, files or {})
    git(folder, "init", "-q")
    commit(folder, "Begin")
    git(folder, "tag", "base")
    return folder


def commit(folder: Path, message: str, files: Mapping[str, str | None] | None = None) -> str:
    """Write files, commit everything, and return the commit's id."""
    write(folder, files or {})
    git(folder, "add", "-A", "-f")
    git(folder, "commit", "-q", "--allow-empty", "-m", message)
    return git(folder, "rev-parse", "HEAD")


def replace(folder: Path, name: str, old: str, new: str, count: int = 1) -> None:
    """Replace a text that must be in a file, the first `count` times."""
    path = folder / name
    text = path.read_text(encoding="utf-8")
    assert old in text, f"{name} does not hold {old!r}"
    path.write_text(text.replace(old, new, count), encoding="utf-8")


def kubernetes(
    folder: Path, release: str = "1.37.1", top: Sequence[str] = READING, staging: Sequence[str] = READING_STAGING
) -> Path:
    """Make a git repository with the layout of kubernetes/kubernetes from a release's modules; the tag is `base`.

    `top` are the files and folders of k8s.io/kubernetes, all when empty; `staging` the modules of the staging folder,
    all that the release names when empty. What is not asked for is not fetched. Reading alone needs the defaults; to
    build the checkout, leave both empty.
    """
    found, toolchain = KubernetesSource(release), find_toolchain()
    main = module_folder(found, "k8s.io/kubernetes", toolchain)
    names = list(top) or sorted(one.name for one in main.iterdir() if one.name not in ("staging", "vendor", "go.work"))
    folder.mkdir(parents=True, exist_ok=True)
    for name in names:
        _copy(main / name, folder / name)
    for module in staging or staging_modules((main / "go.mod").read_text(encoding="utf-8")):
        _copy(download(f"{module}@{found.staging_version}", toolchain), folder / "staging" / "src" / module)
    return repository(folder)


def _copy(source: Path, target: Path) -> None:
    """Copy a file or folder of the module cache, which is read-only, as something that can be changed."""
    target.parent.mkdir(parents=True, exist_ok=True)
    if source.is_dir():
        shutil.copytree(source, target, copy_function=shutil.copyfile, symlinks=True)
        for place, folders, _ in os.walk(target):
            for name in (".", *folders):
                (Path(place) / name).chmod(0o755)
    else:
        shutil.copyfile(source, target)
