"""Changed copies are laid over files of a release, and the release itself stays as it is."""

from __future__ import annotations

from pathlib import Path

import pytest

from harness.targets.kubernetes import hooks
from harness.targets.kubernetes.gomodule import go_mod
from harness.targets.kubernetes.hooks import Hook, lay
from harness.targets.kubernetes.release import KubernetesSource, Toolchain

GO = Toolchain(Path("go"), "go1.26.8")
FILE = "pkg/a.go"


def change(module: Path) -> bytes:
    """Change the file of the known form alone."""
    text = (module / FILE).read_bytes()
    return text + b"// hooked\n" if text == b"package a\n" else b""


HOOK = Hook("k8s.io/some-module", FILE, change, "package main\n")


def module(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, text: str) -> Path:
    """Write the module of a release, and the folder of a worker's sources. Returns: the file of the module."""
    file = tmp_path / "cache" / FILE
    file.parent.mkdir(parents=True)
    file.write_text(text)
    (tmp_path / "out").mkdir()
    monkeypatch.setattr(hooks, "module_folder", lambda *given: tmp_path / "cache")
    return file


def test_a_copy_is_laid_over_the_file_of_a_release(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Which Go sees through a link; the worker gets what connects it."""
    file, out = module(tmp_path, monkeypatch, "package a\n"), tmp_path / "out"
    laid = lay([HOOK], out, KubernetesSource("1.37.1"), GO)
    assert {"k8s.io/some-module": "./some-module"} == laid.links
    [(seen, copy)] = laid.replaced.items()
    assert Path(seen).samefile(file)
    assert Path(seen).is_relative_to(out)
    assert "package a\n// hooked\n" == Path(copy).read_text()
    assert "package a\n" == file.read_text()
    assert HOOK.connection == (out / "hook_some_module.go").read_text()


def test_the_file_of_a_checkout_is_replaced_where_it_is(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A checkout is in no module cache."""
    file = module(tmp_path, monkeypatch, "package a\n")
    laid = lay([HOOK], tmp_path / "out", KubernetesSource("checkout", tmp_path), GO)
    assert ({}, [str(file)]) == (laid.links, list(laid.replaced))


def test_a_worker_does_without_a_hook(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Where the file has another form, and where no link can be made: nothing is laid, linked or connected."""
    file, out = module(tmp_path, monkeypatch, "package b\n"), tmp_path / "out"
    assert ({}, {}) == lay([HOOK], out, KubernetesSource("1.37.1"), GO)
    file.write_text("package a\n")

    def refuse(self: Path, *given: object, **more: object) -> None:
        raise OSError("no links here")

    monkeypatch.setattr(Path, "symlink_to", refuse)
    assert ({}, {}) == lay([HOOK], out, KubernetesSource("1.37.1"), GO)
    assert [] == list(out.iterdir())


def test_the_module_of_a_replaced_file_is_looked_at_through_a_link() -> None:
    """Go replaces nothing below its module cache; all other modules are taken from there."""
    names = ("k8s.io/api", "k8s.io/apimachinery")
    upstream = "".join(f"replace {name} => ./staging/src/{name}\n" for name in names)
    text = go_mod(KubernetesSource("1.37.1"), upstream, {"k8s.io/apimachinery": "./apimachinery"})
    assert "\tk8s.io/apimachinery => ./apimachinery\n" in text
    assert "\tk8s.io/api => k8s.io/api v0.37.1\n" in text
    assert "\tk8s.io/apimachinery => k8s.io/apimachinery v0.37.1\n" in go_mod(KubernetesSource("1.37.1"), upstream)
