"""The opt-in rules of upstream's linter about generator tags in doc.go. Source: semantics.md#8.4."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.lint.examples import messages

META = (
    'import metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"\n\ntype T struct {\n\tmetav1.TypeMeta `json:",inline"`\n}\n'
)
PLAIN = 'type T struct {\n\tF string `json:"f"`\n}\n'
EXPLICIT = "require-explicit-disablement"


@pytest.mark.parametrize(
    ("tags", "go", "missing"),
    [
        (["groupName=example.com"], META, ["deepcopy"]),
        (["groupName=example.com", "k8s:deepcopy-gen=false"], META, []),
        (["k8s:validation-gen=*"], PLAIN, ["conversion", "defaulter"]),
        (["k8s:defaulter-gen-input=x"], PLAIN, ["conversion", "defaulter", "validation"]),
        (["k8s:openapi-gen=true"], PLAIN, []),
        (["unrelated=true"], META, []),
    ],
)
def test_expected_generators_must_be_enabled_or_disabled(
    tmp_path: Path, tags: list[str], go: str, missing: list[str]
) -> None:
    """Published types need a tag for deepcopy, internal ones for conversion, defaults and validation, others none."""
    doc = "".join(f"// +{tag}\n" for tag in tags)
    wanted = [f"doc.go does not mention +k8s:{name}-gen" for name in missing]
    assert wanted == messages(f"{doc}\npackage v1\n\n{go}", tmp_path, EXPLICIT)


@pytest.mark.parametrize(("tag", "known"), [("k8s:deepcopy-gen=package", True), ("k8s:deepcopy-gen:x=y", True),
                                            ("k8s:deepcopi-gen=package", False), ("k8s:required", True)])  # fmt: skip
def test_unknown_generator_tags_are_reported(tmp_path: Path, tag: str, known: bool) -> None:
    """Only names with `-gen` are checked, and the text after a second colon is left to the generator."""
    said = messages(f"// +{tag}\n\npackage v1\n\n{PLAIN}", tmp_path, "known-tags-only")
    assert [f"unrecognized +k8s: tag(s): +{tag.partition('=')[0]}"] * (not known) == said
