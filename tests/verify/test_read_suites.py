"""What a change of a project with suites touches: types, handwritten Python, suite.py, what they import."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from shutil import copytree, ignore_patterns

import pytest

from harness.diagnostics import InputError, UsageError
from harness.verify.change import Change, KindName
from harness.verify.read import read_change
from tests.verify.checkout import commit, git, replace, repository, write

SUITES = Path(__file__).parents[2] / "suites"
HAND, SUITE = "suites/workload_v1/handwritten.py", "suites/workload_v1/suite.py"
POLICY = "suites/policy_v1/handwritten.py"
WORKLOAD = KindName("fleet.example.com", "v1", "Workload")


@pytest.fixture(scope="module")
def made(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A project with two of our suites, made once."""
    top = tmp_path_factory.mktemp("project") / "project"
    for name in ("workload_v1", "policy_v1"):
        copytree(SUITES / name, top / "suites" / name, ignore=ignore_patterns("__pycache__"))
    return repository(top)


@pytest.fixture
def top(made: Path, tmp_path: Path) -> Path:
    """A copy of it for one test."""
    copytree(made, tmp_path / "project")
    return tmp_path / "project"


def touched(change: Change) -> dict[str, list[tuple[str, str]]]:
    """Return cause and event of each reason, by JSON path in each version."""
    return {
        f"{place.kind.version} {place.kind.kind} {place.path}": [(reason.cause, reason.event) for reason in one.reasons]
        for one in change.fields
        for place in one.paths
    }


def whole(change: Change) -> dict[str, list[tuple[str, str]]]:
    """Return cause and event of each reason of kinds that count as a whole."""
    return {
        f"{kind.name.version} {kind.name.kind}": [(reason.cause, reason.event) for reason in kind.reasons]
        for kind in change.kinds
        if kind.whole
    }


def test_tag(top: Path) -> None:
    """A tag touches its field and rule, and nothing is stale: suites generate nothing."""
    replace(top, "suites/policy_v1/v1/types.go", "+k8s:maxItems=5", "+k8s:maxItems=6")
    change = read_change(top, "base")
    assert {"v1 Policy spec.rules": [("tags", "changed")]} == touched(change)
    assert ("suites", ()) == (change.layout, change.not_regenerated)
    assert ["changed"] == [rule.event for kind in change.kinds for rule in kind.rules]
    assert ["limit-differs-by-version"] == [found.code for found in change.diagnostics]


PRECISE: dict[str, tuple[tuple[str, str, str], dict[str, list[tuple[str, str]]]]] = {
    "constant": (
        (HAND, "MAX_REPLICAS = 5000", "MAX_REPLICAS = 5001"),
        {
            f"v1 {one}": [("handwritten", "changed")]
            for one in ("Workload spec.replicas", "Workload status.replicas", "Scale spec.replicas")
        },
    ),
    "mark": (
        (HAND, "duplicate(path.index(i), container, covered=True)", "duplicate(path.index(i), container)"),
        {"v1 Workload spec.template.containers": [("handwritten", "mark removed")]},
    ),
    "check": (
        (HAND, 'errors += long_name(pause["by"], path.child("by"))', "pass"),
        {"v1 Workload spec.paused.by": [("handwritten", "check removed")]},
    ),
    "loop over names": (
        (HAND, "at_most(strategy[name], 100,", "at_most(strategy[name], 99,"),
        {
            "v1 Workload spec.strategy.maxUnavailable": [("handwritten", "changed")],
            "v1 Workload spec.strategy.maxSurge": [("handwritten", "changed")],
        },
    ),
    "a default": (
        (SUITE, '{"replicas": 1,', '{"replicas": 2,'),
        {
            f"v1 Workload {one}": [("defaults", "changed")] for one in ("spec", "spec.replicas", "status.replicas")
        },
    ),
    "what is reset": (
        (SUITE, 'case "pause":', 'case "paused":'),
        {"v1 Workload spec.paused": [("strategy", "changed")]},
    ),
    "conversion": (
        ("suites/policy_v1/suite.py", '{"verb": "action"}', '{"verb": "action", "x": "y"}'),
        {
            "v1 Policy spec.rules[*].action": [("conversion", "changed")],
            "v1beta1 Policy spec.rules[*].verb": [("conversion", "changed")],
        },
    ),
}  # fmt: skip


@pytest.mark.parametrize("name", PRECISE)
def test_handwritten(top: Path, name: str) -> None:
    """What changed by hand touches the fields that it speaks of, in every version, by way of calls and names."""
    edit, expected = PRECISE[name]
    replace(top, *edit)
    change = read_change(top, "base")
    assert expected == touched(change)
    assert {} == whole(change)


WHOLE: dict[str, tuple[tuple[str, str, str], dict[str, list[tuple[str, str]]]]] = {
    "subresources": (
        (SUITE, 'subresources=("scale",)', 'subresources=("scale", "size")'),
        {"v1 Scale": [("suite", "changed")]},
    ),
    "normalization": (
        ("suites/policy_v1/suite.py", '(r"^spec\\.targetKind$", "spec.target.kind"),', ""),
        {"v1 Policy": [("normalization", "changed")], "v1beta1 Policy": [("normalization", "changed")]},
    ),
    "release": (
        (SUITE, 'group="fleet.example.com",', 'group="fleet.example.com",\n    release="1.36",'),
        {"v1 Scale": [("suite", "changed")], "v1 Workload": [("suite", "changed")]},
    ),
}  # fmt: skip


@pytest.mark.parametrize("name", WHOLE)
def test_whole_kinds(top: Path, name: str) -> None:
    """What suite.py says counts for whole kinds."""
    edit, expected = WHOLE[name]
    replace(top, *edit)
    change = read_change(top, "base")
    assert expected == whole(change)
    assert {} == touched(change)


def renamed(top: Path) -> None:
    """Rename a helper."""
    replace(top, HAND, "validate_port", "check_port", 99)


def moved(top: Path) -> None:
    """Move a helper to a module of its own."""
    text = (top / HAND).read_text()
    start = text.index("def validate_replicas")
    end = text.index("def validate_selector")
    body = text[start:end]
    replace(top, HAND, body, "")
    replace(top, HAND, "from harness.suite import Context", "from harness.suite import Context\n\nfrom .limits import "
            "MAX_REPLICAS, at_least, at_most, validate_replicas")  # fmt: skip
    whole_text = (top / HAND).read_text()
    helpers = "".join(_function(whole_text, name) for name in ("at_least", "at_most"))
    for name in ("at_least", "at_most"):
        replace(top, HAND, _function(whole_text, name), "")
    replace(top, HAND, "MAX_REPLICAS = 5000\n", "")
    head = whole_text[: whole_text.index("Object: TypeAlias")].replace(
        "\n\nfrom .limits import MAX_REPLICAS, at_least, at_most, validate_replicas", ""
    )
    write(top, {"suites/workload_v1/limits.py": f"{head}\nErrors = list\nMAX_REPLICAS = 5000\n\n\n{body}{helpers}"})


def _function(text: str, name: str) -> str:
    start = text.index(f"def {name}(")
    end = text.find("\n\n\ndef ", start)
    return text[start : len(text) if end < 0 else end + 3]


HARMLESS: dict[str, Callable[[Path], object]] = {
    "names": renamed,
    "moved": moved,
    "docstrings": lambda top: replace(top, HAND, '"""Validate one program of a copy."""', '"""Look at one program."""'),
    "annotations": lambda top: replace(top, HAND, "validate_replicas(replicas: int,", "validate_replicas(replicas,"),
    "corpus": lambda top: write(top, {"suites/workload_v1/corpus/x.json": "{}", "suites/workload_v1/README.md": "x"}),
    "tests": lambda top: replace(top, "suites/workload_v1/test_equivalence.py", '"""', '"""More. '),
    "elsewhere": lambda top: write(top, {"tools/other.py": "x = 1\n", "README.md": "Hello\n"}),
}  # fmt: skip


@pytest.mark.parametrize("name", HARMLESS)
def test_nothing_touched(top: Path, name: str) -> None:
    """Renamed and moved helpers, words about code, and files that validate nothing touch nothing."""
    HARMLESS[name](top)
    change = read_change(top, "base")
    assert ({}, {}) == (touched(change), whole(change))
    assert change.files
    assert change.nothing_touched


def test_version_with_another_name(top: Path) -> None:
    """Where one version has a field under the name that the code uses, and another one not, all of that one counts."""
    replace(top, POLICY, "len(value) > 24", "len(value) > 25")
    change = read_change(top, "base")
    assert {"v1 Policy spec.target.kind": [("handwritten", "changed")]} == touched(change)
    assert {"v1beta1 Policy": [("handwritten", "changed")]} == whole(change)


def test_parameter_that_callers_name(top: Path) -> None:
    """A parameter that callers hand over by name cannot be renamed alone."""
    write(
        top, {"suites/workload_v1/extra.py": "def f(limit):\n    return limit\n\n\ndef g():\n    return f(limit=1)\n"}
    )
    replace(top, HAND, "def validate_replicas", "from .extra import g\n\n\ndef validate_replicas")
    replace(top, HAND, "return at_least(replicas, 0, path)", "g()\n    return at_least(replicas, 0, path)")
    commit(top, "Call by name")
    git(top, "tag", "named")
    replace(top, "suites/workload_v1/extra.py", "def f(limit):\n    return limit", "def f(most):\n    return most")
    assert "" == read_change(top, "named").nothing_touched


def test_new_and_gone_suites(top: Path) -> None:
    """A suite that is new, or gone, touches its kinds."""
    git(top, "mv", "suites/policy_v1", "suites/policies")
    change = read_change(top, "base")
    events = {event for reasons in whole(change).values() for _, event in reasons}
    assert {"added", "removed"} == events


def test_imported_modules(top: Path) -> None:
    """Code that a suite imports from elsewhere in the project belongs to it."""
    near = "from shared.far import LIMIT\n\n\ndef f():\n    return LIMIT\n"
    write(top, {"shared/__init__.py": "", "shared/near.py": near, "shared/far.py": "LIMIT = 1\n"})
    replace(top, HAND, "from harness.suite import Context", "from harness.suite import Context\nimport sys\n"
            "sys.path.insert(0, __file__.rpartition('/suites/')[0])\nfrom shared.near import f")  # fmt: skip
    replace(top, HAND, "MAX_REPLICAS, path)", "MAX_REPLICAS * f(), path)")
    commit(top, "Share code")
    git(top, "tag", "shared")
    replace(top, "shared/near.py", "return LIMIT", "return LIMIT + 0")
    found = set(touched(read_change(top, "shared")))
    assert {"v1 Workload spec.replicas", "v1 Workload status.replicas", "v1 Scale spec.replicas"} == found
    git(top, "checkout", "-q", ".")
    replace(top, "shared/far.py", "LIMIT = 1", "LIMIT = 2")
    assert {"v1 Workload", "v1 Scale"} == set(whole(read_change(top, "shared")))


def test_data_beside_the_code(top: Path) -> None:
    """A file of data in a suite's folder may be read by its code, so the whole suite counts, and that is said."""
    write(top, {"suites/workload_v1/limits.yaml": "replicas: 1\n"})
    change = read_change(top, "base")
    assert {"v1 Workload", "v1 Scale"} == set(whole(change))
    assert not change.kinds[0].reasons[0].certain


def test_suite_that_points_elsewhere(top: Path) -> None:
    """Types that lie outside the suite's folder are its types all the same."""
    git(top, "mv", "suites/workload_v1/types.go", "types.go")
    git(top, "mv", "suites/workload_v1/doc.go", "doc.go")
    replace(top, SUITE, '{"v1": "types.go"}', '{"v1": "../../types.go"}', 2)
    commit(top, "Move types")
    git(top, "tag", "moved")
    replace(top, "types.go", "+k8s:maximum=5000", "+k8s:maximum=5001")
    assert {"v1 Workload spec.replicas"} <= set(touched(read_change(top, "moved")))


def test_broken_head(top: Path) -> None:
    """A suite that cannot be read any more stops the reading, in the words of the suite's reader."""
    replace(top, SUITE, "SUITE = Suite(", "SUITE = Suite((")
    with pytest.raises(InputError) as caught:
        read_change(top, "base")
    assert [("suite-syntax", SUITE)] == [(found.code, found.position.file) for found in caught.value.diagnostics]


def test_a_suite_of_two_validators_is_not_taken_for_unchanged(top: Path) -> None:
    """Its fields are not known: alone it cannot be verified, and beside another change it is noted."""
    folder = "suites/pair"
    suite = "from harness.suite import Suite\nSUITE = Suite(old={}, new={'minProperties': 1})\n"
    write(top, {f"{folder}/suite.py": suite})
    with pytest.raises(UsageError, match=f"harness run {folder}"):
        read_change(top, "base")
    replace(top, "suites/policy_v1/v1/types.go", "+k8s:maxItems=5", "+k8s:maxItems=6")
    change = read_change(top, "base")
    assert [True] == [f"harness run {folder}" in note for note in change.notes if folder in note]
