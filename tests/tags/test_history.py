"""Each tag says which releases know it, and what changed in them."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from harness.tags.control import CONTROL_TAGS
from harness.tags.registry import OLDER_SPECS, SPECS
from harness.tags.spec import TagSpec

NEWEST = 37
ALL = [*SPECS.values(), *OLDER_SPECS.values()]
SEMANTICS = Path(__file__).parents[2] / "docs" / "explanation" / "semantics.md"
_ADDED = re.compile(r"^\| 1\.(\d+) \| adds ([^;|]*)", re.MULTILINE)


@pytest.mark.parametrize("spec", ALL, ids=lambda spec: spec.name)
def test_changes_stand_in_order_and_after_the_beginning(spec: TagSpec) -> None:
    """A change comes with or after the release that brought the tag, and changes are in order."""
    minors = [change.minor for change in spec.history]
    assert sorted(minors) == minors
    assert all(spec.since <= minor <= NEWEST for minor in minors)
    assert all(change.words.endswith(".") for change in spec.history)


def test_each_release_brought_the_tags_that_semantics_name() -> None:
    """What semantics.md#B says that a release added is known since that release, and not before."""
    rows = _ADDED.findall(SEMANTICS.read_text(encoding="utf-8"))
    since = {spec.name: spec.since for spec in ALL}
    named = {
        f"k8s:{word}": int(minor)
        for minor, text in rows
        for word in re.findall(r"`(\w+)`", re.sub("in place of `.*?` and `.*?`", "", text))
    }
    assert {34, 35, 36, 37} == set(named.values())
    assert named == {name: since.get(name) for name in named}


def test_tags_that_are_gone_say_so() -> None:
    """Only the two older names have an end, and no release knows both names."""
    assert {"k8s:discriminator", "k8s:member"} == {spec.name for spec in ALL if spec.until is not None}
    assert [spec.name for spec in OLDER_SPECS.values() if spec.known_in(NEWEST)] == []
    assert [36] == [minor for minor in range(33, 38) if OLDER_SPECS["k8s:member"].known_in(minor)]


def test_control_tags_are_no_rules() -> None:
    """No name is both a rule and a tag that steers the generator."""
    assert set() == {tag.name for tag in CONTROL_TAGS} & set(SPECS)
    assert [tag.name for tag in CONTROL_TAGS if not tag.known_in(NEWEST)] == []
