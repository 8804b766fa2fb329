"""Lint rules that know more than one package: what it was before a change, its own release, what is served."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pytest

from harness.lint.run import lint
from harness.subject.api import Api, open_api
from tests.lint.examples import found, write

BEFORE = 'type T struct {\n\tF *string `json:"f"`\n}\n'
AFTER = 'type T struct {\n\t// +k8s:required\n\tF *string `json:"f"`\n}\n'
SINCE = (
    'type T struct {\n\t// +k8s:required\n\t// +k8s:alpha(since: "1.37")=+k8s:maxLength=9\n\tF string `json:"f"`\n}\n'
)


def opened(go: str, folder: Path, **known: object) -> Api:
    """Open Go text as an API of which more is known."""
    return replace(open_api(write(go, folder / "api")), **known)  # type: ignore[arg-type]  # whatever the test knows


def codes(api: Api) -> list[str]:
    """Return the codes of all findings."""
    return [one.diagnostic.code for one in lint(api)]


def test_a_rule_about_a_change_needs_one(tmp_path: Path) -> None:
    """Without the types before the change, an existing field cannot be told from a new one."""
    assert ["rule-not-alpha"] == [one.diagnostic.code for one in found(AFTER, tmp_path / "1", base=BEFORE)]
    assert [] == found(AFTER, tmp_path / "2")


@pytest.mark.parametrize(("version", "codes"), [("v1beta1", ["rule-not-alpha"]), ("v1alpha1", [])])
def test_objects_of_an_alpha_version_may_stop_being_valid(version: str, codes: list[str], tmp_path: Path) -> None:
    """So a rule may be added to it at any level."""
    given = found(AFTER, tmp_path, version=version, base=BEFORE)
    assert codes == [one.diagnostic.code for one in given]


@pytest.mark.parametrize(("minor", "wrong"), [("", []), ("1.37", []), ("1.36", ["since-of-no-release"])])
def test_a_level_since_a_release_after_the_own_one(minor: str, wrong: list[str], tmp_path: Path) -> None:
    """It is wrong where the types' own release is known."""
    assert wrong == codes(opened(SINCE, tmp_path, minor=minor))


@pytest.mark.parametrize(
    ("served", "wrong"),
    [((), []), (("/scale", "/status"), []), (("/status",), ["subresource-misdeclared"])],
)
def test_a_subresource_that_nothing_serves(served: tuple[str, ...], wrong: list[str], tmp_path: Path) -> None:
    """Its type validates no request; where it is not known what is served, nothing is said."""
    assert wrong == codes(opened(f'// +k8s:isSubresource="/scale"\n{AFTER}', tmp_path, subresources=frozenset(served)))
