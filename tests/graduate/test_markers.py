"""Every line with a level is found once, with the errors that it declares."""

from __future__ import annotations

from collections import Counter
from pathlib import Path

import pytest

from harness.graduate.markers import markers_of
from harness.graduate.run import judge_markers
from harness.subject.api import open_api

SUITES = Path(__file__).parents[2] / "suites"


@pytest.mark.parametrize("name", ["claim_v1", "workload_v1", "certificate_v1"])
def test_every_line_with_a_level_is_a_marker(name: str) -> None:
    """As many as stand in the file, each with its level."""
    text = (SUITES / name / "types.go").read_text(encoding="utf-8")
    found = Counter(one.level for one in markers_of(open_api(SUITES / name)))
    assert {level: text.count(f"k8s:{level}(") for level in found} == dict(found)
    assert found["beta"]


def test_a_marker_has_the_errors_of_its_line() -> None:
    """One without any, such as +k8s:optional, declares none."""
    markers = markers_of(open_api(SUITES / "claim_v1"))
    by_tag = {one.tag: one for one in markers}
    [rule] = by_tag["+k8s:maxItems=6"].rules[:1]
    assert ("FieldValueTooMany", "maxItems") == rule[2:]
    assert () == by_tag["+k8s:subfield(pool)=+k8s:optional"].rules
    assert by_tag["+k8s:maxItems=6"].line.endswith("/types.go:" + str(by_tag["+k8s:maxItems=6"].position.line))


def test_a_marker_without_an_error_has_no_verdict() -> None:
    """And one whose rules were not judged is unknown."""
    markers = markers_of(open_api(SUITES / "claim_v1"))
    found = Counter(one.verdict for one in judge_markers(markers, (), ("beta",)))
    assert {"unknown", "no error"} == set(found)
    assert sum(1 for one in markers if one.level == "beta" and not one.rules) == found["no error"]


@pytest.mark.kubernetes
def test_the_beta_markers_of_a_release_are_counted() -> None:
    """592 of 1.37.1, 410 of them of resource.k8s.io: as many as a search for the text finds."""
    found = Counter(one.group for one in markers_of(open_api(kubernetes="1.37.1")) if one.level == "beta")
    assert (592, 410) == (found.total(), found["resource.k8s.io"])


def test_a_certificate_names_the_tag_of_the_line() -> None:
    """What keeps items apart is one rule, whichever of two tags declares it."""
    by_tag = {one.tag: one for one in markers_of(open_api(SUITES / "claim_v1"))}
    named = {"+k8s:unique=map": "k8s:listType", "+k8s:listType=set": "k8s:listType", "+k8s:maxItems=6": "k8s:maxItems"}
    assert ["k8s:unique", "k8s:listType", "k8s:maxItems"] == [by_tag[line].name_of(tag) for line, tag in named.items()]
