"""What does not compile with its mutants is left out, and told; which worker is built depends on what is left."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest

from harness.diagnostics import TargetError
from harness.targets.kubernetes import build
from harness.targets.kubernetes.build import VALIDATORS
from harness.targets.kubernetes.gomodule import TOP
from harness.targets.kubernetes.mutants import program
from harness.targets.kubernetes.mutants.gomutant import SWITCH, GoMutant, find_mutants
from harness.targets.kubernetes.mutants.program import MutantBuild, build_mutants, text_of_file
from harness.targets.kubernetes.release import KubernetesSource, Toolchain
from tests.targets.kubernetes.places import checkout, fake_go, write

FILE = "pkg/apis/apps/validation/validation.go"
SOURCE = """package validation

func ValidateSize(size int) bool {
	return size > 3
}
"""
REFUSES_FIRST = """
copy=$(find . -name validation.go)
line=$(grep -n 'func ValidateSize__mutant2' "$copy" | cut -d: -f1)
[ -z "$line" ] && exit 0
echo "# k8s.io/kubernetes/pkg/apis/apps/validation" >&2
echo "$copy:$((line + 1)):3: size overflows" >&2
exit 1
"""


@pytest.fixture
def release(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> KubernetesSource:
    """A checkout with one validator, and a cache of its own."""
    monkeypatch.setattr("platformdirs.user_cache_path", lambda name: tmp_path / "cache")
    return KubernetesSource("checkout-k", write(checkout(tmp_path / "k"), {FILE: SOURCE}))


@pytest.fixture
def use_go(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Callable[[str], None]:
    """Let a script play Go."""

    def use(rest: str) -> None:
        toolchain = Toolchain(fake_go(tmp_path / "bin", rest=rest), "go1.26.8")
        for module in (build, program):
            monkeypatch.setattr(module, "find_toolchain", lambda wanted=(): toolchain)

    return use


def mutants() -> list[GoMutant]:
    """The mutants of the validator."""
    return [one for own in find_mutants(TOP, FILE, SOURCE.encode()).values() for one in own]


def made(release: KubernetesSource) -> MutantBuild:
    """The build of all mutants."""
    return build_mutants(release, mutants(), lambda text: None)


def test_a_mutant_that_does_not_compile_is_left_out(release: KubernetesSource, use_go: Callable[[str], None]) -> None:
    """The others keep their numbers, and the worker has neither its copy nor its case. It is found out once."""
    use_go(REFUSES_FIRST)
    found = made(release)
    assert {2} == set(found.left_out)
    assert "size overflows" == found.left_out[2][1]
    assert {1, 3} == set(found.mutants) == set(found.functions)
    text = text_of_file(found.program, TOP, FILE).decode()
    assert "__mutant1" in text
    assert "__mutant2" not in text
    assert [f"pkg/util/{SWITCH}/{SWITCH}.go"] == [
        hook.file for hook in found.program.hooks if hook not in VALIDATORS.hooks and hook.file != FILE
    ]
    use_go("exit 1")
    assert found.program.name == made(release).program.name


def test_another_file_of_a_checkout_changes_what_compiles(
    release: KubernetesSource, use_go: Callable[[str], None]
) -> None:
    """A mutant may use what is declared in a file that has no mutants."""
    use_go(REFUSES_FIRST)
    assert {2} == set(made(release).left_out)
    assert release.folder is not None
    write(release.folder, {"pkg/apis/apps/sizes.go": "package apps\n\ntype Size int\n"})
    use_go("exit 0")
    assert {} == made(release).left_out


def test_validators_that_do_not_compile_at_all_are_told(
    release: KubernetesSource, use_go: Callable[[str], None]
) -> None:
    """With what the compiler says."""
    use_go('echo "pkg/apis/apps/types.go:1:1: syntax error" >&2; exit 1')
    with pytest.raises(TargetError, match="syntax error"):
        made(release)


def test_nothing_is_written_to_the_sources(release: KubernetesSource, use_go: Callable[[str], None]) -> None:
    """Mutants are an overlay."""
    use_go("exit 0")
    made(release)
    assert release.folder is not None
    assert SOURCE == (release.folder / FILE).read_text(encoding="utf-8")
    assert not list(release.folder.rglob(f"{SWITCH}*"))
