"""What differs from release to release in the sources of a worker is read from the release's own."""

from __future__ import annotations

from pathlib import Path

import pytest

from harness.diagnostics import TargetError
from harness.targets.kubernetes.gomodule import find_generation, generated, go_mod
from harness.targets.kubernetes.release import KubernetesSource
from tests.targets.kubernetes.places import GO_MOD, VALIDATES, checkout


def test_go_mod_of_a_release() -> None:
    """All are replaced by published versions; those that are used are required, under the version of a checkout."""
    text = go_mod(KubernetesSource("1.37.1"), GO_MOD)
    assert "\tk8s.io/kubernetes v0.0.0\n\tk8s.io/api v0.0.0\n\tk8s.io/apiserver v0.0.0\n)" in text
    assert "\tk8s.io/kubernetes => k8s.io/kubernetes v1.37.1\n" in text
    assert "\tk8s.io/sample-controller => k8s.io/sample-controller v0.37.1\n" in text
    assert "go 1.26.0\ngodebug default=go1.26\n" in text


def test_go_mod_of_a_checkout(tmp_path: Path) -> None:
    """A checkout replaces the release and its staging modules by folders."""
    text = go_mod(KubernetesSource("checkout-k", tmp_path), GO_MOD)
    assert f"\tk8s.io/kubernetes => {tmp_path}\n" in text
    assert f"\tk8s.io/api => {tmp_path}/staging/src/k8s.io/api\n" in text


def test_generation(tmp_path: Path) -> None:
    """How strategies reach declarative validation is read from the release, and what is unknown is refused."""
    for expected, text in VALIDATES.items():
        top = checkout(tmp_path / expected, text)
        assert expected == find_generation(top / "staging/src/k8s.io/apiserver")
    with pytest.raises(TargetError, match="the worker does not support how this release calls"):
        find_generation(tmp_path)


def test_generated_imports(tmp_path: Path) -> None:
    """Groups are those that the release's own server links: neither fewer nor more."""
    text = generated(checkout(tmp_path), "levels")
    assert '\tappsrest "k8s.io/kubernetes/pkg/registry/apps/rest"\n' in text
    assert "\t&appsrest.RESTStorageProvider{},\n" in text
    assert '\t_ "k8s.io/kubernetes/pkg/apis/apps/install"\n' in text
    assert ("testapigroup" in text, "core/rest" in text, "normalization" in text) == (False, False, False)


def test_generated_path_rules(tmp_path: Path) -> None:
    """In 1.35 and 1.36 path rules are hidden in calls; they are found by reading the strategies."""
    text = generated(checkout(tmp_path), "explicit")
    assert text == generated(checkout(tmp_path), "helper")
    assert "normalization" not in generated(checkout(tmp_path), "inline")
    assert '\trules0 "k8s.io/kubernetes/pkg/apis/node/validation"\n' in text
    assert '\t"k8s.io/kubernetes/pkg/registry/node/runtimeclass": rules0.NodeNormalizationRules,\n' in text


def test_incomplete_sources(tmp_path: Path) -> None:
    """Sources without a server are no release."""
    with pytest.raises(TargetError, match=r"import_known_versions\.go imports no"):
        generated(tmp_path, "levels")
