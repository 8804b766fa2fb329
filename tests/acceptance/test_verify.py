"""`harness verify` on a checkout of Kubernetes 1.37.1: four mistakes of a migration in one change, and a harmless one.

The checkout is put together from the release's modules, so its base shares the compiler's cache with the worker of the
release, and all four mistakes are in one head: what is built for this is what they touch.
"""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from harness.cli.main import run as harness
from harness.report.model.document import Report
from harness.report.model.reading import read_report
from harness.report.model.verification import FieldEntry
from tests.verify.checkout import git, kubernetes

pytestmark = pytest.mark.kubernetes

API, APIS = "staging/src/k8s.io/api", "pkg/apis"
GENERATED = "zz_generated.validations.go"


def edit(root: Path, name: str, after: str, pattern: str, new: str) -> None:
    """Replace the first match of a pattern that comes after a text, and before the next field or declaration."""
    file = root / name
    text = file.read_text()
    start = text.index(after)
    behind = re.compile(r"^\s*(?:\{ )?// field |^\}$", re.M).search(text, text.index("\n", start))
    assert behind is not None
    changed, number = re.subn(pattern, new, text[start : behind.start()], count=1)
    assert number == 1, f"{name} has no {pattern} after {after}"
    file.write_text(text[:start] + changed + text[behind.start() :])


def limit_off_by_one(root: Path) -> None:
    """(a) One address more, in the tags and in what is generated from them."""
    for version in ("v1", "v1beta1"):
        edit(root, f"{API}/discovery/{version}/types.go", "type Endpoint struct", "maxItems=100", "maxItems=101")
        after = f"field discovery{version}.Endpoint.Addresses"
        edit(root, f"{APIS}/discovery/{version}/{GENERATED}", after, r"oldObj, 100\)", "oldObj, 101)")


def check_removed(root: Path) -> None:
    """(b) The handler of a runtime class may change, as far as the handwritten side knows, while its rule is beta."""
    name = f"{APIS}/node/validation/validation.go"
    edit(root, name, "func ValidateRuntimeClassUpdate", r"\n[^\n]*ValidateImmutableField\(new\.Handler[^\n]*\n", "\n")


def error_not_marked(root: Path) -> None:
    """(c) A format for the kind of a class's parameters: the handwritten error has its origin and not its mark."""
    origin = '.WithOrigin("format=k8s-path-segment-name")'
    after = "func validateIngressClassParametersReference"
    edit(root, f"{APIS}/networking/validation/validation.go", after, r"(params\.Kind, msg\))", rf"\1{origin}")
    tag = '// +k8s:beta(since: "1.37")=+k8s:format=k8s-path-segment-name'
    edit(
        root, f"{API}/networking/v1/types.go", "type IngressClassParametersReference struct",
        r"(\n\tKind string)", rf"\n\t{tag}\1",
    )  # fmt: skip
    call = "errs = append(errs, validate.PathSegmentName(ctx, op, fldPath, obj, oldObj).MarkBeta()...)"
    edit(
        root, f"{APIS}/networking/v1/{GENERATED}", "field networkingv1.IngressClassParametersReference.Kind",
        r"(if earlyReturn \{[^}]*\}\n)", rf"\1\t\t\t{call}\n",
    )  # fmt: skip


def level_raised(root: Path) -> None:
    """(d) From alpha to beta, where the handwritten side does not forgive what an update leaves as it was."""
    after = "type CrossVersionObjectReference struct"
    edit(root, f"{API}/autoscaling/v1/types.go", after, r"k8s:alpha(?=[^\n]*\n\tKind )", "k8s:beta")
    after = "field autoscalingv1.CrossVersionObjectReference.Kind"
    edit(root, f"{APIS}/autoscaling/v1/{GENERATED}", after, r"MarkAlpha\(\)", "MarkBeta()")


def helper_renamed(root: Path) -> None:
    """(e) Another name for a helper that validates nothing by itself."""
    name = f"{APIS}/networking/validation/validation.go"
    file = root / name
    file.write_text(file.read_text().replace("validateIngressClassParametersReference", "validateClassParameters"))


@pytest.fixture(scope="module")
def checkout(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A git checkout of the release, with everything that a worker links."""
    return kubernetes(tmp_path_factory.mktemp("kubernetes") / "kubernetes", top=(), staging=())


def verify(checkout: Path, report: Path, *arguments: str) -> tuple[int, Report]:
    """Verify the work tree, and bring it back to its base."""
    try:
        code = harness(["verify", str(checkout), "--base", "base", "--json", str(report), *arguments])
        return code, read_report(report)
    finally:
        git(checkout, "checkout", "--quiet", "--", ".")


def field(report: Report, name: str) -> FieldEntry:
    """Return the verdict of a field of the first served version."""
    assert report.verification is not None
    return next(one for one in report.verification.fields if one.name == name)


def causes(report: Report, name: str) -> dict[str, str]:
    """Return fixes by cause of the findings of a field."""
    names = field(report, name).findings
    return {one.cause: one.fix for one in report.findings if one.fingerprint in names}


def test_four_mistakes_in_one_change_have_four_verdicts(checkout: Path, tmp_path: Path) -> None:
    """Each field is told apart, with its cause and its fix, and what changes for users where something does."""
    for mistake in (limit_off_by_one, check_removed, error_not_marked, level_raised):
        mistake(checkout)
    code, report = verify(checkout, tmp_path / "report.json", "--max-cases", "5000")
    told = report.verification
    assert told is not None
    assert (1, "different") == (code, report.verdict)
    # The rule that the change adds is generated, and the coverage test of its kind was forgotten.
    assert [("IngressClass", "zz_generated.validations.v1_test.go")] == [
        (one.field, one.file.rpartition("/")[2]) for one in told.stale
    ]
    assert "100" in causes(report, "Endpoint.Addresses")["boundary"]
    kind = causes(report, "IngressClassParametersReference.Kind")["unmarked"]
    assert "add .MarkCoveredByDeclarative() to field.Invalid(...) for spec.parameters.kind" in kind
    ratcheting = causes(report, "CrossVersionObjectReference.Kind")["ratcheting"]  # the field, or an item of metrics
    assert any(f" skip {what}" in ratcheting for what in ("what did not change", "it where the update leaves"))
    handler = field(report, "RuntimeClass.Handler")
    assert "no-counterpart" in causes(report, "RuntimeClass.Handler")
    assert "put the check back" in handler.why
    users = {one.direction: one.settings for one in told.changes if one.fingerprint in handler.changes}
    assert "DeclarativeValidationBeta=false" in users["newly-accepted"]
    for name in ("Endpoint.Addresses", "IngressClassParametersReference.Kind", "CrossVersionObjectReference.Kind"):
        tried = field(report, name).effort
        assert min(tried.creates, tried.updates, tried.compared) > 0, name
        assert "different" == field(report, name).verdict


def test_a_renamed_helper_is_not_built(checkout: Path, tmp_path: Path) -> None:
    """Nothing is touched, so nothing is built or searched, and the exit code says that all is well."""
    helper_renamed(checkout)
    code, report = verify(checkout, tmp_path / "report.json")
    told = report.verification
    assert told is not None
    assert (0, (), 0) == (code, told.builds, report.cases)
    assert told.nothing_touched
