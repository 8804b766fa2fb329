"""A change of a real release: its checkout is put together from modules, changed, and read."""

from __future__ import annotations

from collections.abc import Iterable
from pathlib import Path

import pytest

from harness.verify.change import Change, ChangedFile
from harness.verify.read import read_change
from harness.verify.sides import empty_side, open_side
from harness.verify.stale import stale_code
from harness.verify.staletests import FOLDER, stale_tests
from harness.verify.view import rows_of
from tests.verify.checkout import READING, git, kubernetes, replace

pytestmark = pytest.mark.kubernetes

API = "staging/src/k8s.io/api"
META = "staging/src/k8s.io/apimachinery/pkg/apis/meta/v1"
APPS, CORE = "pkg/apis/apps/validation/validation.go", "pkg/apis/core/validation/validation.go"


TAGS = {
    f"{API}/resource/v1/types.go": ("+k8s:maxItems=8", "+k8s:maxItems=9"),
    f"{API}/apps/v1/types.go": ('+k8s:alpha(since: "1.37")=+k8s:required', "+k8s:required"),
    f"{API}/node/v1/types.go": ('+k8s:format="k8s-short-name"', '+k8s:format="k8s-long-name"'),
    f"{API}/authorization/v1/types.go": ('+k8s:alpha(since: "1.37")=+k8s:unionMember', "+k8s:unionMember"),
    f"{META}/types.go": ("+k8s:maxBytes=1024", "+k8s:maxBytes=1025"),
}
"""Changes of tags of several families, by file; generated code is left as it was."""

CHECK = "allErrs = append(allErrs, apivalidation.ValidateNonnegativeField(int64(spec.MinReadySeconds), fldPath.Child"
CODE = (
    (APPS, f'	{CHECK}("minReadySeconds"))...)\n', ""),
    (APPS, 'fldPath.Child("selector"), "").MarkCoveredByDeclarative()', 'fldPath.Child("selector"), "")'),
    (CORE, "port.ContainerPort == 0", "port.ContainerPort <= 0"),
    ("pkg/registry/apps/deployment/strategy.go", "deployment.Generation = 1", "deployment.Generation = 2"),
    (
        "staging/src/k8s.io/apimachinery/pkg/api/validate/options.go",
        "op.HasOption(optionName)",
        'op.HasOption(optionName + "")',
    ),
)
"""Changes of handwritten code, strategies and check functions, each in another place."""

VERSIONS = ("v1", "v1beta1", "v1beta2")


@pytest.fixture(scope="module")
def made(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The checkout of 1.37.1, made once."""
    return kubernetes(tmp_path_factory.mktemp("release") / "kubernetes")


def read(top: Path, edits: Iterable[tuple[str, str, str]]) -> Change:
    """Read the checkout with some edits, and nothing of earlier ones."""
    git(top, "checkout", "-q", "-f", "base")
    for edit in edits:
        replace(top, *edit)
    return read_change(top, "base")


@pytest.fixture(scope="module")
def tags(made: Path) -> Change:
    """All changes of tags in one."""
    return read(made, [(file, *edit) for file, edit in TAGS.items()])


@pytest.fixture(scope="module")
def code(made: Path) -> Change:
    """All changes of code in one."""
    return read(made, CODE)


def places(change: Change, name: str) -> set[str]:
    """Return the places of a touched field, with version and kind."""
    return {f"{place.kind} {place.path}" for one in change.fields if one.name == name for place in one.paths}


def events(change: Change, name: str) -> set[tuple[str, str]]:
    """Return cause and event of the reasons of a touched field."""
    return {(reason.cause, reason.event) for one in change.fields if one.name == name for reason in one.reasons}


def disagreements(root: Path, nowhere: Path) -> list[str]:
    """Return every element of a checkout whose generated code does not do what its types order."""
    everything = ChangedFile(f"{META}/validation/zz_generated.validations.go", "generated", "modified")
    head = open_side(root, "kubernetes")
    found = stale_code(empty_side(nowhere, "kubernetes"), head, [everything], head.kinds)
    return [f"{one.type_name}.{one.go_field}: {one.sentence}" for one in found]


def test_a_release_is_not_stale(made: Path, tmp_path: Path) -> None:
    """In an untouched release every element of every package does what its tags order."""
    git(made, "checkout", "-q", "-f", "base")
    assert [] == disagreements(made, tmp_path)


def test_coverage_tests_of_a_release_are_not_stale(made: Path, tmp_path: Path) -> None:
    """In an untouched release the generated tests register what the types declare, for all 149 kinds with rules; an
    edited type leaves its test behind."""
    git(made, "checkout", "-q", "-f", "base")
    head = open_side(made, "kubernetes")
    assert 149 == len(list((made / FOLDER).rglob("zz_generated.validations.v*_test.go")))
    assert [] == list(stale_tests(empty_side(tmp_path, "kubernetes"), head, [], head.kinds))
    change = read(made, [(f"{API}/node/v1/types.go", '\t// +k8s:beta(since: "1.37")=+k8s:immutable\n', "")])
    said = "the coverage test registers handler FieldValueInvalid immutable, which the types do not declare"
    assert [said] == [one.sentence for one in change.not_regenerated if one.file.startswith(FOLDER)]


@pytest.mark.older
def test_an_older_release_is_not_stale(tmp_path: Path) -> None:
    """The same holds for the form of generated code of the release before."""
    folders = [name for name in READING if not name.startswith("test/")]
    root = kubernetes(tmp_path / "kubernetes", "1.36.3", folders)
    assert [] == disagreements(root, tmp_path)


def test_tags_without_regeneration(tags: Change) -> None:
    """Tags of several families that changed without their generated code are noticed, each at its field."""
    found = {(one.type_name.removeprefix("k8s.io/"), one.go_field) for one in tags.not_regenerated}
    assert {
        ("api/resource/v1.ResourceSliceSpec", "SharedCounters"),
        ("api/apps/v1.StatefulSetSpec", "Selector"),
        ("api/node/v1.RuntimeClass", "Handler"),
        ("api/authorization/v1.SubjectAccessReviewSpec", ""),
        ("apimachinery/pkg/apis/meta/v1.Condition", "Reason"),
    } <= found
    assert {False} == {one.edited for one in tags.not_regenerated}
    assert {"hack/update-codegen.sh validation"} == {one.command for one in tags.not_regenerated}


def test_shared_type(tags: Change) -> None:
    """A tag of a type that many kinds share touches all of them; the one file that validates it is stale."""
    assert len(places(tags, "Condition.Reason")) > 20
    files = {one.file for one in tags.not_regenerated if one.type_name.endswith(".Condition")}
    assert {f"{META}/validation/zz_generated.validations.go"} == files


def test_levels(tags: Change) -> None:
    """A level that was raised is named as such, in the field's tags and in the kind's rules."""
    assert ("tags", "level raised") in events(tags, "StatefulSetSpec.Selector")
    kind = next(one for one in tags.kinds if str(one.name) == "apps/v1 StatefulSet")
    assert ("spec.selector", "level raised") in {(rule.path, rule.event) for rule in kind.rules}


def test_check_removed(code: Change) -> None:
    """A handwritten check that is gone is found in every version of the kind."""
    assert {f"apps/{version} StatefulSet spec.minReadySeconds" for version in VERSIONS} == places(
        code, "StatefulSetSpec.MinReadySeconds"
    )
    assert {("handwritten", "check removed")} == events(code, "StatefulSetSpec.MinReadySeconds")


def test_mark_removed(code: Change) -> None:
    """A mark that is gone is named as such."""
    assert ("handwritten", "mark removed") in events(code, "StatefulSetSpec.Selector")


def test_shared_code(code: Change) -> None:
    """A check of a shared type touches every kind that has it."""
    found = places(code, "ContainerPort.ContainerPort")
    assert "v1 Pod spec.containers[*].ports[*].containerPort" in found
    assert "batch/v1 CronJob spec.jobTemplate.spec.template.spec.initContainers[*].ports[*].containerPort" in found


def test_strategy(code: Change) -> None:
    """What a strategy sets is touched in its kind alone, wherever that has a field of the name and type."""
    found = places(code, "ObjectMeta.Generation")
    assert {f"apps/{version} Deployment metadata.generation" for version in VERSIONS} <= found
    assert {f"apps/{version} Deployment" for version in VERSIONS} == {one.rpartition(" ")[0] for one in found}


def test_declarative_check(code: Change) -> None:
    """A check function that changed touches the fields whose generated code calls it."""
    assert ("generated", "changed") in events(code, "HorizontalPodAutoscalerSpec.MinReplicas")


def test_harmless_rename(made: Path) -> None:
    """Renaming a helper of a validator touches nothing."""
    change = read(made, [(APPS, "volumesToAddForTemplates(spec *", "claimVolumes(spec *"),
                         (APPS, "volumesToAddForTemplates(", "claimVolumes(")])  # fmt: skip
    assert ((), ()) == (change.fields, change.kinds)
    assert "volumesToAddForTemplates was renamed to claimVolumes" in change.nothing_touched


def test_text(tags: Change) -> None:
    """The text for people names the field, its kind, its rules and what to run."""
    text = "\n".join(rows_of(tags))
    for words in (
        "ResourceSliceSpec.SharedCounters  spec.sharedCounters of resource.k8s.io/v1 ResourceSlice",
        "TooMany/maxItems 8, beta -> TooMany/maxItems 9, beta",
        "fix: hack/update-codegen.sh validation",
    ):
        assert words in text
