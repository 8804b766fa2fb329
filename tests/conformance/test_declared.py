"""The inventory of declared rules is upstream's own, read from the coverage tests of the release itself."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator
from pathlib import Path

import pytest

from harness.rulecov.declared import declared_rules
from harness.subject.api import open_api
from harness.targets.kubernetes.release import find_release, find_toolchain, module_folder
from tests.conformance.conftest import Tell

Key = tuple[str, str, str, str, str, str]
"""Group, version, kind, path, type, origin."""

_KIND = re.compile(r'GroupVersionKind\{Group: "(.*?)", Version: "(.*?)", Kind: "(.*?)"\}')
_PATH = re.compile(r'^\s*"(.*)": \{$')
_RULE = re.compile(r'\{ErrorType: "(.*?)"(?:, Origin: "(.*?)")?\}')


def registered(file: Path) -> Iterator[Key]:
    """Read what a generated coverage test registers."""
    kind, path = ("", "", ""), ""
    for line in file.read_text(encoding="utf-8").splitlines():
        if found := _KIND.search(line):
            kind = (found[1], found[2], found[3])
        elif found := _PATH.match(line):
            path = found[1]
        elif found := _RULE.search(line):
            yield (*kind, path, found[1], found[2] or "")


@pytest.mark.kubernetes
def test_the_inventory_is_upstreams(tell: Tell) -> None:
    """All 2,911 rules of 1.37.1, two of them declared twice: none missing, none beside them."""
    folder = module_folder(find_release("1.37.1"), "k8s.io/kubernetes", find_toolchain())
    files = sorted((folder / "test" / "declarative_validation").rglob("zz_generated.validations.v*_test.go"))
    theirs = Counter(key for file in files for key in registered(file))
    ours = Counter(
        (rule.group, rule.version, rule.kind, rule.path, rule.type, rule.origin)
        for rule in declared_rules(open_api(kubernetes="1.37.1"))
    )
    tell(
        f"declared rules of 1.37.1: {len(ours):,} of {len({key[:3] for key in ours})} kinds, upstream's tests register "
        f"{len(theirs):,}: {len(theirs - ours)} missing, {len(ours - theirs)} extra"
    )
    assert (2911, 2913) == (len(theirs), theirs.total())
    assert Counter() == theirs - ours
    assert Counter() == ours - theirs
