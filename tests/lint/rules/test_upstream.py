"""Our copies of upstream's lint rules report what upstream's linter reports, in its words. Source: semantics.md#8."""

from __future__ import annotations

from pathlib import Path

import pytest

from harness.lint.run import lint
from harness.subject.api import open_api
from tests.lint.examples import messages, write

CODES = PREFIX, STABILITY, PRESENCE = ("alphaBetaPrefix", "validationStability", "requiredAndOptional")
MISSING = "field with validation must have +k8s:optional, +k8s:required or +k8s:forbidden"


def field(*tags: str, go: str = "string", before: str = "") -> str:
    """Return a root `T` with one field `F`."""
    return before + "type T struct {\n" + "".join(f"\t// {tag}\n" for tag in tags) + f'\tF {go} `json:"f"`\n}}\n'


def unstable(tag: str, level: str, context: str) -> str:
    """Return the message of validationStability for the field."""
    return f'T.F: tag "k8s:{tag}" with stability level "{level}" cannot be used in {context} validation'


@pytest.mark.parametrize(
    ("tags", "said"),
    [
        (["+k8s:alpha=+k8s:maxLength=5"], []),
        (['+k8s:beta(since: "1.37")=+k8s:eachVal=+k8s:maxLength=5'], []),
        (["+k8s:eachVal=+k8s:alpha=+k8s:maxLength=5"], ['T.F: tag "k8s:alpha" can\'t be used in between']),
        (["+k8s:alpha=+k8s:beta=+k8s:maxLength=5"], ['T.F: tag "k8s:beta" can\'t be used in between']),
        (["+k8s:alpha"], ['T.F: tag "k8s:alpha" requires a validation tag as its value payload']),
        (["+k8s:beta=5"], ['T.F: tag "k8s:beta" requires a validation tag as its value payload']),
        (["+other=+k8s:alpha=+k8s:maxLength=5"], ['T.F: tag "k8s:alpha" can\'t be used in between']),
        (["+k8s:alpha", "+k8s:eachVal=+k8s:beta=+k8s:required"],
         ['T.F: tag "k8s:alpha" requires a validation tag as its value payload']),
        (["+k8s:alpha", "+k8s:alpha=("], []),
    ],
)  # fmt: skip
def test_levels_must_be_first(tmp_path: Path, tags: list[str], said: list[str]) -> None:
    """A level must be the first tag and wrap another, under unknown tags too; an element has at most one finding."""
    assert said == messages(field(*tags, go="[]string"), tmp_path, PREFIX)


@pytest.mark.parametrize(
    ("tag", "stable", "beta", "alpha"),
    [
        ("+k8s:maxLength=5", None, None, None),
        ('+k8s:neq="x"', ("neq", "Alpha", "Stable"), ("neq", "Alpha", "Beta"), None),
        ('+k8s:alpha=+k8s:neq="x"', None, None, None),
        ('+k8s:beta=+k8s:neq="x"', *[("neq", "Alpha", "Beta")] * 3),
        ("+k8s:ifEnabled(A)=+k8s:beta=+k8s:maxLength=5", None, None, None),
        ('+k8s:ifEnabled(A)=+k8s:neq="x"', *[("neq", "Alpha", "Beta")] * 2, None),
        ('+k8s:unknown=+k8s:neq="x"', None, None, None),
        ("+k8s:alpha=+k8s:alpha=+k8s:maxLength=5", None, None, None),
        ("+k8s:eachVal=+k8s:alpha=+k8s:maxLength=5", ("alpha", "Beta", "Stable"), None, None),
    ],
)
def test_tags_must_be_as_stable_as_the_package(
    tmp_path: Path,
    tag: str,
    stable: tuple[str, str, str] | None,
    beta: tuple[str, str, str] | None,
    alpha: tuple[str, str, str] | None,
) -> None:
    """The path's last part is the API's stability; a level before the tag replaces it, an option lowers it to beta."""
    for version, wanted in (("v1", stable), ("v1beta1", beta), ("v2alpha1", alpha)):
        said = messages(field(tag), tmp_path / version, STABILITY, version=version)
        assert ([unstable(*wanted)] if wanted else []) == said, version


ITEM = 'type S struct {\n\t// +k8s:optional\n\t// +k8s:maxLength=5\n\tN string `json:"n"`\n}\n\n'
PLAIN = 'type S struct {\n\tN string `json:"n"`\n}\n\n'
NAMED = "// +k8s:maxLength=5\ntype N string\n\n"
LOOP = 'type S struct {\n\tNext *S `json:"next"`\n}\n\n'


@pytest.mark.parametrize(
    ("go", "found"),
    [
        (field("+k8s:maxLength=5"), True),
        (field("+k8s:maxLength=5", "+k8s:optional"), False),
        (field("+k8s:maxLength=5", "+k8s:alpha=+k8s:required"), False),
        (field("+k8s:maxItems=5", "+k8s:eachVal=+k8s:forbidden", go="[]string"), False),
        (field("+k8s:immutable", go="*S", before=PLAIN), True),
        (field("+k8s:immutable", go="S", before=PLAIN), False),
        (field("+k8s:eachVal=+k8s:maxLength=3", go="[]string"), True),
        (field("+k8s:opaqueType", go="*S", before=ITEM), False),
        (field("+k8s:eachVal=+k8s:opaqueType", go="[]S", before=ITEM), False),
        (field(go="*S", before=ITEM), True),
        (field(go="[]S", before=ITEM), True),
        (field(go="map[string]S", before=ITEM), True),
        (field(go="map[N]string", before=NAMED), True),
        (field(go="S", before=ITEM), False),
        (field(go="*S", before=PLAIN), False),
        (field(go="*S", before=LOOP), False),
        (field(go="N", before=NAMED), True),
        (field("+k8s:validation:maxLength=5"), False),
        (field("+k8s:requird"), False),
    ],
)
def test_fields_with_rules_must_define_absence(tmp_path: Path, go: str, found: bool) -> None:
    """A field that has rules, on itself or in its type, needs a tag for its absence, at any depth of a chain."""
    assert [f"T.F: {MISSING}"] * found == messages(go, tmp_path, PRESENCE)


def test_fields_that_are_not_exported_are_linted_too(tmp_path: Path) -> None:
    """Upstream lints them too, although they are never validated."""
    go = 'type T struct {\n\t// +k8s:maxLength=5\n\tf string `json:"f"`\n}\n'
    assert [f"T.f: {MISSING}"] == messages(go, tmp_path, PRESENCE)


def test_types_are_linted_once_and_in_any_package(tmp_path: Path) -> None:
    """A type that two versions share is reported once, with the stability of its own package."""
    shared = 'package shared\n\ntype S struct {\n\t// +k8s:neq="x"\n\tF string `json:"f"`\n}\n'
    user = 'import "example.com/api/shared"\n\ntype T struct {\n\tS *shared.S `json:"s"`\n}\n'
    (tmp_path / "go.mod").write_text("module example.com/api\n", encoding="utf-8")
    said = messages(f"{user}\npackage v1beta1\n\n{user}\npackage shared\n{shared[15:]}", tmp_path, STABILITY)
    assert ['S.F: tag "k8s:neq" with stability level "Alpha" cannot be used in Stable validation'] == said


@pytest.mark.parametrize(("release", "found"), [("1.35", False), ("1.36", True)])
def test_older_releases_are_not_linted_by_upstreams_rules(tmp_path: Path, release: str, found: bool) -> None:
    """The rules do not apply to a release whose generator did not have them."""
    place = write(field("+k8s:maxLength=5"), tmp_path)
    assert found == bool(lint(open_api(place, release=release), only=[PRESENCE]))


@pytest.mark.parametrize("where", ["type", "package"])
def test_nolint_types_are_not_linted(tmp_path: Path, where: str) -> None:
    """A type or package that is marked nolint is not linted, nor a type that only it refers to."""
    mark = "// +k8s:validation-gen-nolint\n"
    go = field(go="*S", before=ITEM)
    assert [f"T.F: {MISSING}"] == messages(go, tmp_path / "loud", PRESENCE)
    silent = go.replace("type T", f"{mark}type T") if where == "type" else f"{mark}\npackage v1\n\n{go}"
    assert [] == messages(silent, tmp_path / "silent", PRESENCE)


@pytest.mark.kubernetes
@pytest.mark.parametrize("release", ["1.37.1", pytest.param("1.36.3", marks=pytest.mark.older)])
def test_a_release_passes_its_own_lint(release: str) -> None:
    """Upstream's source passes upstream's linter, so our copies of its rules have no finding in it."""
    assert [] == lint(open_api(kubernetes=release), only=CODES)
