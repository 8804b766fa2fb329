"""What is found is told once, and what somebody silenced with a reason is not told."""

from __future__ import annotations

from pathlib import Path

import pytest

from harness.lint.suppress import UNUSED
from tests.lint.examples import found, messages


def struct(*lines: str) -> str:
    """A root `T` with one field of type string."""
    return "type T struct {\n" + "".join(f"\t// {line}\n" for line in lines) + '\tF string `json:"f"`\n}\n'


def codes(go: str, folder: Path) -> list[str]:
    """The codes of all that is found."""
    return [one.diagnostic.code for one in found(go, folder)]


def test_what_the_generator_refuses_is_an_error(tmp_path: Path) -> None:
    """A tag that makes no sense where it stands stops upstream's generator."""
    (one,) = found(struct("+k8s:optional", "+k8s:maxItems=5"), tmp_path)
    assert ("error", "tag-misuse") == (one.severity, one.diagnostic.code)
    assert "can only be used on list types" in one.diagnostic.message


def test_a_typing_mistake_is_told_once(tmp_path: Path) -> None:
    """The compiler and a rule see an unknown tag; the rule's finding, which has a repair, is the one that is told."""
    (one,) = found(struct("+k8s:optional", "+k8s:maxLenght=5"), tmp_path)
    assert "unknown-tag" == one.diagnostic.code
    assert one.edit is not None
    assert "+k8s:maxLength=5" in (one.edit.new or "")


def test_text_that_does_not_parse_is_told_once(tmp_path: Path) -> None:
    """As above, for a tag that is no tag."""
    assert 1 == len(found(struct("+k8s:optional", "+k8s:maxLength=(5"), tmp_path))


def test_go_that_does_not_parse_is_an_error(tmp_path: Path) -> None:
    """A broken file gives its diagnostics and no traceback."""
    listed = found("type T struct {\n", tmp_path)
    assert listed
    assert {"error"} == {one.severity for one in listed}


def test_handwritten_functions_need_not_be_there(tmp_path: Path) -> None:
    """+k8s:customValidation calls Go code; lint does not ask for it."""
    assert [] == messages(struct("+k8s:optional", "+k8s:customValidation"), tmp_path, "tag-not-supported")


@pytest.mark.parametrize(
    "comment",
    [
        "+harness:nolint=requiredAndOptional  # never absent",
        "+harness:nolint=requiredAndOptional # never absent",
        "+harness:nolint=requiredAndOptional,requiredAndOptional# never absent",
    ],
)
def test_a_finding_is_silenced_where_it_stands(tmp_path: Path, comment: str) -> None:
    """With a code and a reason in the same comment block."""
    assert ["requiredAndOptional"] == codes(struct("+k8s:maxLength=5"), tmp_path / "before")
    assert [] == codes(struct(comment, "+k8s:maxLength=5"), tmp_path / "after")


def test_other_findings_and_places_stay(tmp_path: Path) -> None:
    """A comment on one field says nothing of another, and nothing of other codes."""
    comment = "+harness:nolint=requiredAndOptional  # never absent"
    more = (
        '\t// +k8s:maxLength=5\n\tG string `json:"g"`\n\t// +k8s:optional\n\t// +k8s:neq="x"\n\tH string `json:"h"`\n'
    )
    two = struct(comment, "+k8s:maxLength=5").replace("}\n", f"{more}}}\n")
    assert ["requiredAndOptional", "validationStability"] == codes(two, tmp_path)


def test_a_package_is_silenced_in_its_doc(tmp_path: Path) -> None:
    """In doc.go a comment holds for all files of the package."""
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
def test_a_comment_that_silences_nothing_is_found(tmp_path: Path, comment: str, said: str) -> None:
    """Comments that are not needed any more, and those that say too little."""
    listed = [one for one in found(struct(comment, "+k8s:optional"), tmp_path) if one.diagnostic.code == UNUSED]
    assert [True] == [said in one.diagnostic.message for one in listed]


def test_rules_that_did_not_run_are_not_missed(tmp_path: Path) -> None:
    """A comment for an opt-in rule is not called unused while the rule does not run."""
    doc = "// +harness:nolint=known-tags-only  # our own generator\n// +k8s:our-gen=true\n\npackage v1\n\n"
    go = doc + struct("+k8s:optional")
    assert [] == codes(go, tmp_path / "off")
    assert [] == found(go, tmp_path / "on", "known-tags-only")
