"""A checkout of a release whose generated code was edited: rules that no handwritten check has are judged by the tags.

The checkout differs from the release in one file of generated code, so that its worker is built fast.
"""

from __future__ import annotations

import re
from collections.abc import Callable

import pytest

from harness.cli.main import run as harness
from harness.report.model.document import Report
from harness.report.model.reading import read_report
from tests.verify.checkout import kubernetes

pytestmark = pytest.mark.kubernetes

GENERATED = "pkg/apis/resource/v1/zz_generated.validations.go"
CONSUMED = "DeviceCounterConsumption.CompatibilityGroups"
SKIPPED = "ResourceSliceSpec.SkipNodeOperations"
PARTITION = "ResourceSliceSpec.PartitionTypeAttribute"
COUNTERS = "ResourceSliceSpec.SharedCounters"
CONDITIONS = "Device.BindingConditions"


def edit(text: str, field: str, change: Callable[[str], str]) -> str:
    """Change the code of one field."""
    start = text.index(f"{{ // field resourcev1.{field}\n")
    end = text.index("fldPath.Child(", start)
    changed = change(text[start:end])
    assert changed != text[start:end], field
    return text[:start] + changed + text[end:]


def inverted(code: str) -> str:
    """Let each option decide the other way round."""
    return re.sub(r"(Type\", )(true|false)", lambda found: found[1] + str(found[2] == "false").lower(), code)


EDITS: dict[str, Callable[[str], str]] = {
    CONSUMED: lambda code: code.replace("oldObj, 2)", "oldObj, 3)"),
    SKIPPED: lambda code: code.replace(
        "ValSliceUnique(ctx, op, fldPath, obj, oldObj, validate.DirectEqual)",
        "ValSliceUnique(ctx, op, fldPath, obj, oldObj, func(a, b *resourcev1.SkipNodeOperation) bool { return false })",
    ),
    PARTITION: inverted,
    COUNTERS: lambda code: code.replace("return nil", "_ = 0"),
    CONDITIONS: lambda code: code.replace(".MarkBeta()", ".MarkAlpha()"),
}


@pytest.fixture(scope="module")
def report(tmp_path_factory: pytest.TempPathFactory) -> Report:
    """The report of a run on the checkout."""
    folder = tmp_path_factory.mktemp("generated")
    root = kubernetes(folder / "kubernetes", top=(), staging=())
    file = root / GENERATED
    text = file.read_text()
    for field, change in EDITS.items():
        text = edit(text, field, change)
    file.write_text(text)
    code = harness(
        ["run", "--kubernetes", str(root), "--kind", "resource.k8s.io/v1 resourceslices", "--seed", "1",
         "--max-cases", "6000", "--jobs", "1", "--json", str(folder / "report.json")]
    )  # fmt: skip
    assert 1 == code
    return read_report(folder / "report.json")


def test_each_edit_of_generated_code_is_found(report: Report) -> None:
    """A limit off by one, uniqueness lost, an option inverted, ratcheting lost, another level."""
    found = {(one.operation, one.path, one.type) for one in report.findings if one.mismatch == "generated"}
    devices = "spec.devices[*]"
    assert {
        ("create", f"{devices}.consumesCounters[*].compatibilityGroups", "FieldValueTooMany"),
        ("create", "spec.skipNodeOperations[*]", "FieldValueDuplicate"),
        ("create", "spec.partitionTypeAttribute", "FieldValueForbidden"),
        ("update", "spec.sharedCounters", "FieldValueTooMany"),
        ("create", f"{devices}.bindingConditions", "FieldValueTooMany"),
    } <= found
    names = "compatibilityGroups skipNodeOperations partitionTypeAttribute sharedCounters bindingConditions"
    assert [] == [path for _, path, _ in found if not any(name in path for name in names.split())]


def test_who_would_notice_is_told(report: Report) -> None:
    """Three groups are accepted and will be rejected; a level alone changes nothing that is served by default."""
    graded = {
        (one.path.rpartition(".")[2], one.operation, one.type): one
        for one in report.findings
        if one.mismatch == "generated"
    }
    limit = graded["compatibilityGroups", "create", "FieldValueTooMany"]
    assert ("verdict", "generated") == (limit.severity, limit.cause)
    assert "hack/update-codegen.sh validation" in limit.fix
    assert "shadow" == graded["bindingConditions", "create", "FieldValueTooMany"].severity
