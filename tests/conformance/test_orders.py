"""What the types of the generator's own test packages order is what the generated files do: none is called stale."""

from __future__ import annotations

from collections import Counter

import pytest

from harness.verify.generated import Call, expected_calls, read_generated
from tests.conformance.conftest import Count
from tests.conformance.generator.packages import open_module

pytestmark = pytest.mark.kubernetes

_FOR_TESTS = ("validatefalse", "validatetrue", "validateerror", "fixedresult")
"""Checks that only the generator's tests have; generated code calls them by another name."""


def _real(calls: Counter[Call]) -> Counter[Call]:
    return Counter({call: number for call, number in calls.items() if not call.name.startswith(_FOR_TESTS)})


@pytest.mark.parametrize(
    "release", ["1.37.1", *(pytest.param(one, marks=pytest.mark.older) for one in ("1.36.3", "1.35.2", "1.34.2"))]
)
def test_no_generated_file_of_a_release_is_called_stale(release: str, count: Count) -> None:
    """Types and generated files of one release name the same calls for each element: unions, lists, enums, updates."""
    module = open_module(release)
    asked, wrong = 0, []
    for package in module.packages.values():
        if package.types != package.path:
            continue  # the types are validated elsewhere, by several packages in different ways
        plan = module.compile(package).plan
        file = package.folder / "zz_generated.validations.go"
        found = read_generated(file, file.name, package.path, module.universe).elements
        orders = {
            (name, field): calls for name, of in plan.types.items() for field, calls in expected_calls(of).items()
        }
        for member in orders.keys() | found.keys():
            wanted, done = orders.get(member, Counter()), found[member].calls if member in found else Counter()
            asked += 1
            if _real(wanted) != _real(done):
                wrong.append((*member, str(wanted - done), str(done - wanted)))
    assert wrong == []
    assert asked > 500
    count(f"elements of {release}, types and generated file", {"elements": asked})
