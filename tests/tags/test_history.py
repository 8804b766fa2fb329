"""Each tag says which releases know it, and what changed in them."""

from __future__ import annotations

import pytest

from harness.tags.control import CONTROL_TAGS
from harness.tags.registry import OLDER_SPECS, SPECS
from harness.tags.spec import TagSpec

NEWEST = 37
ALL = [*SPECS.values(), *OLDER_SPECS.values()]
BROUGHT = {33: 14, 34: 6, 35: 9, 36: 8, 37: 8}


@pytest.mark.parametrize("spec", ALL, ids=lambda spec: spec.name)
def test_changes_stand_in_order_and_after_the_beginning(spec: TagSpec) -> None:
    """A change comes with or after the release that brought the tag, and changes are in order."""
    minors = [change.minor for change in spec.history]
    assert sorted(minors) == minors
    assert all(spec.since <= minor <= NEWEST for minor in minors)
    assert all(change.words.endswith(".") for change in spec.history)


def test_each_release_brought_its_tags() -> None:
    """The numbers of new tags per release are those of semantics.md#B."""
    assert BROUGHT == {minor: sum(spec.since == minor for spec in SPECS.values()) for minor in BROUGHT}


def test_tags_that_are_gone_say_so() -> None:
    """Only the two older names have an end, and no release knows both names."""
    assert {"k8s:discriminator", "k8s:member"} == {spec.name for spec in ALL if spec.until is not None}
    assert [spec.name for spec in OLDER_SPECS.values() if spec.known_in(NEWEST)] == []
    assert [36] == [minor for minor in range(33, 38) if OLDER_SPECS["k8s:member"].known_in(minor)]


def test_control_tags_are_no_rules() -> None:
    """No name is both a rule and a tag that steers the generator."""
    assert set() == {tag.name for tag in CONTROL_TAGS} & set(SPECS)
    assert [tag.name for tag in CONTROL_TAGS if not tag.known_in(NEWEST)] == []
