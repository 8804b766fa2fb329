"""Declared rules: every error that a validator can cause, by path, type, origin and level."""

from __future__ import annotations

from pathlib import Path

import pytest

from harness.diagnostics import InputError
from harness.rulecov.declared import declared_rules
from harness.subject.api import open_api

Rule = tuple[str, str, str, str]


def rules(tmp_path: Path, go: str) -> list[Rule]:
    """Return (path, type, origin, level) of everything that a root T declares."""
    folder = tmp_path / "v1"
    folder.mkdir()
    (folder / "types.go").write_text(f"package v1\n\n{go}\n", encoding="utf-8")
    return [
        (rule.path, rule.type.removeprefix("FieldValue"), rule.origin, rule.level)
        for rule in declared_rules(open_api(folder))
        if rule.kind == "T"
    ]


def field(tags: str, go: str, more: str = "") -> str:
    """Write a root T with one field f."""
    lines = "\n".join(f"\t// +k8s:{tag}" for tag in tags.split("; "))
    return f'// +k8s:validation-gen=true\ntype T struct {{\n{lines}\n\tF {go} `json:"f"`\n}}\n\n{more}'


ITEM = 'type I struct {\n\t// +k8s:required\n\tK *string `json:"k"`\n}'
PAIR = 'type P struct {\n\t// @\n\tA *string `json:"a"`\n\tB *string `json:"b"`\n}'


@pytest.mark.parametrize(
    ("go", "expected"),
    [
        (field("required", "string"), [("f", "Required", "", "")]),
        (field("optional", "*string"), []),
        (field("optional\n\t// +default=5", "*int32"), [("f", "Required", "", "")]),
        (field("forbidden", "string"), [("f", "Forbidden", "", "")]),
        (field("optional; beta=+k8s:maxItems=3", "[]string"), [("f", "TooMany", "maxItems", "beta")]),
        (field("format=k8s-resource-pool-name", "string"), [("f", "Invalid", "format=k8s-resource-pool-name", "")]),
        (field("immutable; alpha=+k8s:minimum=1", "int32"),
         [("f", "Invalid", "immutable", ""), ("f", "Invalid", "minimum", "alpha")]),
        (field("monotonic", "int32"), []),
        (field("eachVal=+k8s:maxLength=3; eachVal=+k8s:maxLength=4", "[]string"),
         [("f[*]", "TooLong", "maxLength", "")] * 2),
        (field("eachKey=+k8s:maxLength=3", "map[string]string"), [("f", "TooLong", "maxLength", "")]),
        (field("listType=map; listMapKey=k", "[]I", ITEM),
         [("f[*]", "Duplicate", "", ""), ("f[*].k", "Required", "", "")]),
        (field('listType=map; listMapKey=k; item(k: "a")=+k8s:immutable', "[]I", ITEM),
         [("f", "Invalid", "immutable", ""), ("f[*]", "Duplicate", "", ""), ("f[*].k", "Required", "", "")]),
        (field("listType=set; update=NoAddItem; update=NoRemoveItem; update=NoUnset", "[]string"),
         [("f", "Forbidden", "update", ""), ("f", "Invalid", "update", ""), ("f[*]", "Duplicate", "", ""),
          ("f[*]", "Forbidden", "update", "")]),
        (field("update=NoRemoveItem", "map[string]string"), [("f[*]", "Forbidden", "update", "")]),
        (field("optional; subfield(k)=+k8s:maxLength=3", "*I", ITEM),
         [("f.k", "Required", "", ""), ("f.k", "Required", "", ""), ("f.k", "TooLong", "maxLength", "")]),
        (field("optional", "*P", PAIR.replace("@", "+k8s:dependentRequired(b)")),
         [("f.b", "Required", "dependentRequired", "")]),
        (field("optional", "*T"), []),
    ],
)  # fmt: skip
def test_a_tag_declares_its_errors(tmp_path: Path, go: str, expected: list[Rule]) -> None:
    """Where upstream's coverage tests say they are, twice when two rules say so, and no others."""
    assert expected == rules(tmp_path, go)


def test_a_type_that_holds_itself_is_walked_once(tmp_path: Path) -> None:
    """A list of itself declares what its items declare, one level deep."""
    go = field("optional; maxItems=3", "[]T")
    assert [("f", "TooMany", "maxItems", "")] == rules(tmp_path, go)


def test_what_does_not_compile_is_told_for_every_package(tmp_path: Path) -> None:
    """All problems of all packages at once."""
    for version in ("v1", "v2"):
        folder = tmp_path / version
        folder.mkdir()
        go = 'package v\n\ntype T struct {\n\t// +k8s:maxItems=3\n\tF string `json:"f"`\n}\n'
        (folder / "types.go").write_text(go, encoding="utf-8")
    with pytest.raises(InputError) as caught:
        declared_rules(open_api(tmp_path))
    assert 2 == len(caught.value.diagnostics)
