"""How the worker of a release is put together, built once, and kept."""

from __future__ import annotations

import hashlib
import os
import re
import time
from collections import Counter
from collections.abc import Callable
from pathlib import Path

import platformdirs
import pytest

from harness.diagnostics import TargetError
from harness.targets.kubernetes import build
from harness.targets.kubernetes.build import WORKER, generation_files, is_whole, source_hash, worker_for
from harness.targets.kubernetes.release import KubernetesSource, Toolchain, find_release
from tests.targets.kubernetes.places import VALIDATES, checkout, fake_go

_DECLARED = re.compile(r"^(?:func|type|const|\t(?=\w+ += \"))\s*(\w+)\b", re.M)
BUILDS = 'echo "k8s.io/api/apps/v1" >&2; echo "worker" >&2; echo built > worker'


@pytest.fixture
def cache(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A cache of our own."""
    monkeypatch.setattr(platformdirs, "user_cache_path", lambda name: tmp_path / "cache" / name)
    return tmp_path / "cache" / "equivalence-harness" / "workers"


@pytest.fixture
def use_go(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Callable[[str], None]:
    """Let a script play Go."""

    def use(rest: str) -> None:
        toolchain = Toolchain(fake_go(tmp_path / "bin", rest=rest), "go1.26.8")
        monkeypatch.setattr(build, "find_toolchain", lambda wanted=(): toolchain)

    return use


def test_generations_give_the_same_to_what_they_share() -> None:
    """Every generation declares, once, each name that the common files take from any of them."""
    common = re.sub("//.*", "", "".join(path.read_text() for path in (WORKER / "common").glob("*.go")))
    declared = {
        generation: Counter(_DECLARED.findall("".join(path.read_text() for path in generation_files(generation))))
        for generation in VALIDATES
    }
    assert dict.fromkeys(VALIDATES, 1) == {g: max(names.values()) for g, names in declared.items()}
    used = {name for names in declared.values() for name in names if re.search(rf"\b{name}\b", common)}
    assert {"judgeCreate", "settings", "isHandwritten", "servingGate", "pathRule", "level"} <= used
    assert {generation: set() for generation in VALIDATES} == {g: used - set(names) for g, names in declared.items()}


def test_generations_share_what_they_have_in_common() -> None:
    """No file is compiled for no generation, and those for a path alone are a part of all."""
    files = {generation: set(generation_files(generation)) for generation in VALIDATES}
    assert set((WORKER / "generations").glob("*.go")) == set().union(*files.values())
    for generation, all_of_it in files.items():
        path = generation_files(generation, "_path")
        assert set(path) <= all_of_it
        text = "".join(file.read_text() for file in path)
        assert ("func wholeCreate(" in text, "func level(" in text) == (True, True)


def test_the_same_files_make_the_same_worker(tmp_path: Path, cache: Path) -> None:
    """A checkout is known by what is in it, wherever it lies; a tag in its types is nothing that a worker links."""
    one, other = (checkout(tmp_path / name) for name in ("base", "head"))
    for root, tag in ((one, "+k8s:maximum=1"), (other, "+k8s:maximum=2")):
        place = root / "staging/src/k8s.io/api/apps/v1/types.go"
        place.parent.mkdir(parents=True, exist_ok=True)
        place.write_text(f"package v1\n\n// {tag}\ntype A int\n")
    assert source_hash(find_release(one)) == source_hash(find_release(other))
    place.write_text("package v1\n\ntype A int32\n")
    assert source_hash(find_release(one)) != source_hash(find_release(other))


def test_hash(tmp_path: Path, cache: Path) -> None:
    """A worker is told apart by what is in it: a changed file of a checkout gives another one, a test file does not."""
    release = find_release(checkout(tmp_path))
    before = source_hash(release)
    assert before == source_hash(release)
    assert before != source_hash(KubernetesSource("1.37.1"))
    (tmp_path / "pkg/apis/apps/install/install_test.go").write_text("package install\n")
    assert before == source_hash(release)
    (tmp_path / "pkg/apis/apps/install/install.go").write_text("package install // changed\n")
    assert before != source_hash(release)


def test_built_once(tmp_path: Path, cache: Path, use_go: Callable[[str], None]) -> None:
    """The first call builds and says so; the second finds the worker; nothing half-built stays behind."""
    release = find_release(checkout(tmp_path / "k"))
    (cache / f".build-checkout-{source_hash(release)}-go1.26.8-killed").mkdir(parents=True)
    notes: list[str] = []
    use_go(BUILDS)
    binary = worker_for(release, notes.append)
    assert binary.read_text() == "built\n"
    assert tuple(notes[-2:]) == ("compiled 2 packages", "built the worker of checkout-k")
    use_go("exit 1")
    assert binary == worker_for(release, notes.append)
    assert list(cache.glob(".build-*")) == []


def test_what_is_compiled(tmp_path: Path, cache: Path, use_go: Callable[[str], None]) -> None:
    """Our sources, one generation file and the generated imports are what Go gets to see."""
    release = find_release(checkout(tmp_path / "k"))
    use_go("cat *.go > worker")
    text = worker_for(release, lambda _: None).read_text()
    assert ("func discover()" in text, 'defaultComposition = "levels"' in text, "var providers" in text) == (True,) * 3
    assert 'defaultComposition = "shadow"' not in text


def test_compiler_refuses(tmp_path: Path, cache: Path, use_go: Callable[[str], None]) -> None:
    """The compiler's last words reach the user, and the failed build leaves nothing behind."""
    release = find_release(checkout(tmp_path / "k"))
    use_go('echo "k8s.io/api" >&2; echo "./main.go:7:2: undefined: x" >&2; exit 3')
    with pytest.raises(TargetError, match=r"main\.go:7:2: undefined: x(.|\n)*exit code 3"):
        worker_for(release, lambda _: None)
    assert [path for path in cache.iterdir() if path.is_dir()] == []


def test_cached_worker_needs_no_go(cache: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Who has the worker needs no toolchain any more."""

    def none(wanted: tuple[int, ...] = ()) -> Toolchain:
        raise TargetError("no Go toolchain was found")

    monkeypatch.setattr(build, "find_toolchain", none)
    release = KubernetesSource("1.37.1")
    with pytest.raises(TargetError, match="no Go"):
        worker_for(release, lambda _: None)
    folder = cache / f"1.37.1-{source_hash(release)}-go1.26.8"
    folder.mkdir(parents=True)
    (folder / "worker").write_text("built")
    (folder / "worker.sha256").write_text(hashlib.sha256(b"built").hexdigest() + "\n")
    assert folder / "worker" == worker_for(release, lambda _: None)


def test_unused_workers_go(tmp_path: Path, cache: Path, use_go: Callable[[str], None]) -> None:
    """A build deletes workers of long ago, and keeps those that were used since."""
    for name, days in (("old", 40), ("young", 20)):
        (cache / name).mkdir(parents=True)
        (cache / name / "worker").touch()
        then = time.time() - days * 24 * 3600
        os.utime(cache / name / "worker", (then, then))
    use_go(BUILDS)
    worker_for(find_release(checkout(tmp_path / "k")), lambda _: None)
    assert ((cache / "old").exists(), (cache / "young").exists()) == (False, True)


def test_a_damaged_worker_is_built_again(tmp_path: Path, cache: Path, use_go: Callable[[str], None]) -> None:
    """Whether its end is missing, some of its bytes changed, or nobody knows what was written."""
    release = find_release(checkout(tmp_path / "k"))
    use_go(BUILDS)
    binary = worker_for(release, lambda _: None)
    for damage in (
        lambda: binary.write_text("bui"),
        lambda: binary.write_text("BUILT\n"),
        lambda: binary.with_suffix(".sha256").unlink(),
        lambda: binary.with_suffix(".sha256").write_bytes(b"\xff"),
    ):
        damage()
        notes: list[str] = []
        assert binary == worker_for(release, notes.append)
        assert "is damaged" in notes[0]
        assert "built\n" == binary.read_text()
        assert is_whole(binary)


def test_without_go_a_damaged_worker_is_none(
    tmp_path: Path, cache: Path, use_go: Callable[[str], None], monkeypatch: pytest.MonkeyPatch
) -> None:
    """What was kept is not run on trust because nothing else is there."""
    release = find_release(checkout(tmp_path / "k"))
    use_go(BUILDS)
    worker_for(release, lambda _: None).write_text("bui")

    def none(wanted: tuple[int, ...] = ()) -> Toolchain:
        raise TargetError("no Go toolchain was found")

    monkeypatch.setattr(build, "find_toolchain", none)
    with pytest.raises(TargetError, match="no Go"):
        worker_for(release, lambda _: None)


@pytest.mark.parametrize("place", ["", "..", "../worker", "../worker.sha256"])
def test_a_worker_that_others_can_write_is_not_run(
    place: str, tmp_path: Path, cache: Path, use_go: Callable[[str], None]
) -> None:
    """The folder of all workers, the folder of one, the program and its checksum."""
    use_go(BUILDS)
    release = find_release(checkout(tmp_path / "k"))
    binary = worker_for(release, lambda _: None)
    changed = cache if place == ".." else binary.parent / place.removeprefix("../")
    changed.chmod(changed.stat().st_mode | 0o022)
    with pytest.raises(TargetError, match="or can write to it"):
        worker_for(release, lambda _: None)
    changed.chmod(changed.stat().st_mode & ~0o022)
    assert binary == worker_for(release, lambda _: None)
