"""A finding is reported once, and not at all if a comment suppresses it with a reason."""

from __future__ import annotations

from pathlib import Path

import pytest

from harness.lint.suppress import UNUSED
from tests.lint.examples import found, messages


def struct(*lines: str) -> str:
    """Return a root `T` with one field of type string."""
    return "type T struct {\n" + "".join(f"\t// {line}\n" for line in lines) + '\tF string `json:"f"`\n}\n'


def codes(go: str, folder: Path) -> list[str]:
    """Return the codes of all findings."""
    return [one.diagnostic.code for one in found(go, folder)]


def test_a_tag_that_the_generator_rejects_is_an_error(tmp_path: Path) -> None:
    """A tag on a type that it does not support stops upstream's generator."""
    (one,) = found(struct("+k8s:optional", "+k8s:maxItems=5"), tmp_path)
    assert ("error", "tag-misuse") == (one.severity, one.diagnostic.code)
    assert "can only be used on list types" in one.diagnostic.message


def test_a_misspelt_tag_is_reported_once(tmp_path: Path) -> None:
    """The compiler and a rule find an unknown tag; only the rule's finding is reported, because it has a fix."""
    (one,) = found(struct("+k8s:optional", "+k8s:maxLenght=5"), tmp_path)
    assert "unknown-tag" == one.diagnostic.code
    assert one.edit is not None
    assert "+k8s:maxLength=5" in (one.edit.new or "")


def test_a_tag_that_does_not_parse_is_reported_once(tmp_path: Path) -> None:
    """The compiler and a rule find it; only the rule's finding is reported."""
    assert 1 == len(found(struct("+k8s:optional", "+k8s:maxLength=(5"), tmp_path))


def test_go_that_does_not_parse_is_an_error(tmp_path: Path) -> None:
    """A file with a syntax error results in diagnostics, not in a traceback."""
    listed = found("type T struct {\n", tmp_path)
    assert listed
    assert {"error"} == {one.severity for one in listed}


def test_handwritten_functions_may_be_missing(tmp_path: Path) -> None:
    """+k8s:customValidation calls Go code, which lint does not need."""
    assert [] == messages(struct("+k8s:optional", "+k8s:customValidation"), tmp_path, "tag-not-supported")


@pytest.mark.parametrize(
    "comment",
    [
        "+harness:nolint=requiredAndOptional  # never absent",
        "+harness:nolint=requiredAndOptional # never absent",
        "+harness:nolint=requiredAndOptional,requiredAndOptional# never absent",
    ],
)
def test_a_comment_suppresses_a_finding_in_its_block(tmp_path: Path, comment: str) -> None:
    """It names the code and a reason, in the comment block of the field."""
    assert ["requiredAndOptional"] == codes(struct("+k8s:maxLength=5"), tmp_path / "before")
    assert [] == codes(struct(comment, "+k8s:maxLength=5"), tmp_path / "after")


def test_other_findings_and_fields_are_still_reported(tmp_path: Path) -> None:
    """A comment on one field suppresses neither findings of another field nor findings with another code."""
    comment = "+harness:nolint=requiredAndOptional  # never absent"
    more = (
        '\t// +k8s:maxLength=5\n\tG string `json:"g"`\n\t// +k8s:optional\n\t// +k8s:neq="x"\n\tH string `json:"h"`\n'
    )
    two = struct(comment, "+k8s:maxLength=5").replace("}\n", f"{more}}}\n")
    assert ["requiredAndOptional", "validationStability"] == codes(two, tmp_path)


def test_a_comment_in_doc_go_suppresses_findings_of_the_package(tmp_path: Path) -> None:
    """A comment in doc.go applies to all files of the package."""
    doc = "// +harness:nolint=requiredAndOptional  # all fields are generated\n\npackage v1\n\n"
    assert [] == codes(doc + struct("+k8s:maxLength=5"), tmp_path)


@pytest.mark.parametrize(
    ("comment", "said"),
    [
        ("+harness:nolint=unknown-tag  # for later", "unknown-tag is not found here"),
        ("+harness:nolint=requiredAndOptional", "gives no reason"),
        ("+harness:nolint", "names no code"),
    ],
)
def test_a_comment_that_suppresses_nothing_is_reported(tmp_path: Path, comment: str, said: str) -> None:
    """A comment is reported if its code has no finding there, or if it lacks the code or the reason."""
    listed = [one for one in found(struct(comment, "+k8s:optional"), tmp_path) if one.diagnostic.code == UNUSED]
    assert [True] == [said in one.diagnostic.message for one in listed]


def test_comments_for_rules_that_did_not_run_are_not_reported(tmp_path: Path) -> None:
    """A comment for an opt-in rule is not reported as unused when the rule does not run."""
    doc = "// +harness:nolint=known-tags-only  # our own generator\n// +k8s:our-gen=true\n\npackage v1\n\n"
    go = doc + struct("+k8s:optional")
    assert [] == codes(go, tmp_path / "off")
    assert [] == found(go, tmp_path / "on", "known-tags-only")
