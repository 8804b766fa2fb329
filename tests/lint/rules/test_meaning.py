"""If a rule reports that a tag has no effect, compiled validators accept the same objects without the tag."""

from __future__ import annotations

from itertools import product
from pathlib import Path
from typing import Any

import pytest

from harness.case import Operation
from harness.compiler import Compiled, compile_types
from harness.gotypes.model import Struct
from harness.gotypes.packages import Universe
from harness.lint.rules import RULES
from tests.lint.rules.linting import findings, repaired, struct
from tests.lint.rules.test_findings import FOUND, REPAIRS

_NEVER = ("limit-never-reached", "value-never-met", "presence-said-twice", "update-beside-immutable",
          "tag-repeated", "opaque-always", "lone-list-tag")  # fmt: skip
"""Rules whose edit removes a tag without effect."""

_ITEM = 'type S struct {\n\tN string `json:"n"`\n\t// +k8s:required\n\tM string `json:"m"`\n}\n\n'
_MORE = (
    ("limit-never-reached", struct("+k8s:format=k8s-long-name-caseless\n+k8s:maxBytes=253\nstring")),
    ("limit-never-reached", struct("+k8s:format=k8s-label-value\n+k8s:maxLength=63\n*string")),
    ("limit-never-reached", struct("+k8s:format=k8s-uuid\n+k8s:minLength=36\nstring")),
    ("limit-never-reached", struct("+k8s:maxBytes=9\n+k8s:maxLength=9\nstring")),
    ("limit-never-reached", struct("+k8s:ifEnabled(A)=+k8s:maxItems=3\n+k8s:maxItems=2\n[]string")),
    ("value-never-met", struct("+k8s:optional\n+k8s:neq=false\nbool")),
    ("value-never-met", struct("+k8s:neq=10\n+k8s:beta=+k8s:maximum=9\n*int32")),
    ("presence-said-twice", struct("+k8s:optional\n+k8s:minProperties=1\nmap[string]string")),
    ("update-beside-immutable", struct("+k8s:immutable\n+k8s:update=NoSet\n*string")),
    ("opaque-always", struct("+k8s:ifEnabled(A)=+k8s:opaqueType\n*S", before=_ITEM)),
)
CASES = sorted(
    {(code, go) for code, go, *_ in (*FOUND, *REPAIRS, *_MORE) if code in _NEVER}
    | {(rule.code, rule.bad) for rule in RULES if rule.code in _NEVER}
)

_TEXTS = ("", "a", "A", "C", "a.b", "a/b", "é" * 9, "é" * 10, "123e4567-e89b-12d3-a456-426614174000",
          *("x" * length for length in (2, 9, 10, 11, 35, 36, 37, 40, 41, 63, 64, 253, 254)))  # fmt: skip
_NUMBERS = (-(2**31), -1, 0, 1, 4, 5, 9, 10, 65535, 2**31 - 1)
_WORDS = [[], ["a"], ["a", "b"], ["a", "a"], ["a", "b", "c"], ["a", "b", "c", "d"], ["é" * 10]]
_OBJECTS: tuple[dict[str, str], ...] = ({}, {"n": "a"}, {"m": "a"})


def values(go: str) -> tuple[Any, ...]:
    """Return values of a Go type at the limits of the cases and next to them; None omits the field."""
    name = "[]" * go.startswith("[]") + go.removeprefix("[]").lstrip("*").rpartition(".")[2]
    if name.startswith("uint"):
        return (None, *(number for number in _NUMBERS if number >= 0))
    if name.startswith("int"):
        return (None, *_NUMBERS)
    known: dict[str, tuple[Any, ...]] = {
        "bool": (None, False, True),
        "S": (None, *_OBJECTS),
        "[]S": (None, [], *([one] for one in _OBJECTS)),
        "[]int32": (None, [], [0], [2**31 - 1]),
        "[]string": (None, *_WORDS),
        "map[string]string": (None, {}, {"a": ""}, {"a": "", "b": "x"}),
    }
    return known.get(name, (None, *_TEXTS))


def compile_package(go: str, folder: Path, linted: bool = False) -> tuple[Compiled, Struct]:
    """Compile a package and return its validators and its root `T`. `linted`: reject what upstream's linter rejects."""
    folder.mkdir(parents=True)
    if not linted:
        (folder / "doc.go").write_text("// +k8s:validation-gen-nolint\npackage v1\n", encoding="utf-8")
    (folder / "types.go").write_text(f"package v1\n\n{go}", encoding="utf-8")
    universe = Universe.from_folders({"example.com/v1": folder})
    root = universe.find("example.com/v1.T")
    assert isinstance(root, Struct)
    return compile_types(universe, "example.com/v1"), root


@pytest.mark.parametrize(("code", "go"), CASES, ids=[f"{n}-{code}" for n, (code, _) in enumerate(CASES)])
def test_without_the_tag_the_same_objects_are_accepted(code: str, go: str, tmp_path: Path) -> None:
    """No create and no update is accepted with the tag and rejected without it, or vice versa."""
    found = next(one for one in findings(code, go, tmp_path / "found") if one.edit is not None)
    before, root = compile_package(go, tmp_path / "before")
    after, _ = compile_package(repaired(found, go), tmp_path / "after")
    names = [field.json_name for field in root.fields]
    objects = [
        {name: value for name, value in zip(names, drawn, strict=True) if value is not None}
        for drawn in product(*(values(str(field.type)) for field in root.fields))
    ]
    for options in ({"A": True}, {"A": False}):
        for new, old in product(objects, [None, *objects[:12]]):
            operation = Operation.CREATE if old is None else Operation.UPDATE
            with_tag = before.validate("T", operation, new, old, options)
            without = after.validate("T", operation, new, old, options)
            assert bool(with_tag) is bool(without), (new, old, options)
