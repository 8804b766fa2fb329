"""The release's own fuzz test beside ours: what is compiled, what a process tells, how both are counted."""

from __future__ import annotations

from pathlib import Path

import pytest

from bench import upstream
from bench.upstream import Error, Heard, Watched
from harness.diagnostics import TargetError
from harness.rulecov.declared import DeclaredRule
from harness.rulecov.inventory import Inventory, KnownRule
from tests.targets.kubernetes.places import program, write


def known(version: str, path: str, places: tuple[str, ...]) -> KnownRule:
    """Make a rule of a kind that has two versions."""
    rule = DeclaredRule("example.io", version, "Widget", path, "FieldValueInvalid", "minimum")
    return KnownRule(rule, f"example.io/{version}.Widget", places, (), "there")


INVENTORY = Inventory(
    (
        known("v1", "spec.size", ("spec.size",)),
        known("v1", "spec.parts", ("spec.parts[*].size",)),
        known("v1beta1", "spec.size", ("spec.size",)),
    )
)


def test_what_is_compiled_is_the_package_with_one_test_and_the_watcher(tmp_path: Path) -> None:
    """Other tests of the release stay out: they want other things, and time."""
    wanted = f"func {upstream.TEST}(t *testing.T) {{}}"
    write(tmp_path, {"a.go": "a", "fuzz_test.go": wanted, "other_test.go": "func TestOther(t *testing.T) {}"})
    assert set(upstream.sources(tmp_path)) == {"a.go", "fuzz_test.go", upstream.WATCHER.name}


def test_a_release_without_the_test_is_refused(tmp_path: Path) -> None:
    """It is said what is missing, and which releases have it."""
    write(tmp_path, {"a.go": "a"})
    with pytest.raises(TargetError, match=f"there is no {upstream.TEST}"):
        upstream.sources(tmp_path)


def test_a_comparison_asks_each_version_once() -> None:
    """Calls are divided by the versions of a kind; a type without rules counts for itself."""
    calls = {"example.io/v1.Widget": 40, "example.io/v1beta1.Widget": 40, "example.io/v1.Gadget": 7}
    assert upstream.comparisons(calls, INVENTORY) == 40 + 7


def test_what_processes_saw_is_added_up() -> None:
    """Calls are summed, rules fired in either process count once, keys and indexes do not matter."""
    one = Heard(2.0, {"example.io/v1.Widget": Watched(10, (Error("spec.size", "FieldValueInvalid", "minimum"),))})
    two = Heard(
        4.0,
        {
            "example.io/v1.Widget": Watched(
                30,
                (
                    Error("spec.parts[3].size", "FieldValueInvalid", "minimum"),
                    Error("spec.size", "FieldValueInvalid", "minimum"),
                ),
            ),
            "example.io/v1beta1.Widget": Watched(40, (Error("spec.size", "FieldValueRequired", ""),)),
        },
    )
    line = upstream.upstream_line([one, two], INVENTORY)
    assert (line.count, line.seconds, line.processes) == (40, 4.0, 2)
    assert line.more == {"rules fired": "2 of 3 (66.7 %)"}


def test_a_process_is_told_where_and_how_long(tmp_path: Path) -> None:
    """Each of so many processes writes a file of its own when the time is up."""
    tells = 'echo "{\\"seconds\\": 0.5, \\"types\\": {}}" > "$HARNESS_BENCH_FILE"; [ "$HARNESS_BENCH_TIME" = 0.5s ]'
    assert upstream.listen(program(tmp_path / "fuzz", tells), 0.5, 2) == [Heard(0.5, {})] * 2


def test_a_process_that_tells_nothing_is_no_measurement(tmp_path: Path) -> None:
    """Its last words are shown."""
    with pytest.raises(TargetError, match="no validators here"):
        upstream.listen(program(tmp_path / "fuzz", "echo no validators here >&2; exit 1"), 0.5, 1)
