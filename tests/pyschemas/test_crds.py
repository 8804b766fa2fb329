"""A CRD judged in Python: decoding, schema, lists, CEL rules, transitions and ratcheting, as an API server does.

That a server says the same is for `test_crd_conformance.py` to show.
"""

from __future__ import annotations

from copy import deepcopy
from pathlib import Path
from typing import Any

import pytest

from harness.jsonpath import ABSENT, put, remove
from harness.pyschemas import Surroundings, UnusableError, adapter_of
from harness.pyschemas.crds.definition import read_resource
from harness.pyschemas.crds.resource import Judge

CRDS = Path(__file__).parents[1] / "crds"
GOOD: dict[str, Any] = {
    "apiVersion": "storage.example.com/v1",
    "kind": "Backup",
    "metadata": {"name": "a"},
    "spec": {"schedule": "@daily", "port": 1, "source": {"type": "Volume", "volume": {"claimName": "a"}}},
}
RULES = "spec.x-kubernetes-validations"
BUCKET = {"type": "Bucket", "bucket": {"url": "s3://a"}}


@pytest.fixture(scope="module")
def judge() -> Judge:
    """The CRD after."""
    return Judge(read_resource("after/backups.yaml", "", CRDS))


def backup(path: str = "", value: Any = ABSENT) -> dict[str, Any]:
    """A good object with another value at a path, or without it."""
    if not path:
        return deepcopy(GOOD)
    steps = tuple(path.split("."))
    changed: dict[str, Any] = remove(GOOD, steps) if value is ABSENT else put(GOOD, steps, value)
    return changed


def told(judge: Judge, new: Any, old: Any = None) -> list[tuple[str, str, str]]:
    """What is wrong: type, path and origin."""
    return [(one.type.removeprefix("FieldValue"), one.field, one.origin) for one in judge.errors(new, old)]


@pytest.mark.parametrize(
    ("path", "value", "expected"),
    [
        ("", None, []),
        ("spec.copies", -1, [("Invalid", "spec.copies", "minimum"), ("Invalid", ".spec.copies", "")]),
        ("spec.copies", "one", [("TypeInvalid", "spec.copies", "type"), ("Invalid", ".spec.copies", "")]),
        ("spec.retentionDays", 367, [("Invalid", "spec.retentionDays", "maximum")]),
        ("spec.schedule", ABSENT, [("Required", "spec.schedule", "required")]),
        ("spec.schedule", "é" * 101, [("TooLong", "spec.schedule", "maxLength")]),
        ("spec.schedule", "é" * 100, []),
        ("spec.source.volume.claimName", "", [("Invalid", "spec.source.volume.claimName", "minLength")]),
        ("spec.source.type", "Tape", [("NotSupported", "spec.source.type", "enum")]),
        ("spec.excludes", ["a", "a"], [("Duplicate", "spec.excludes[1]", "")]),
        ("spec.hooks", [{"name": "A"}], [("Invalid", "spec.hooks[0].name", "pattern")]),
        ("spec.hooks", [{"name": "a"}, {"name": "a"}], [("Duplicate", "spec.hooks[1]", "")]),
        ("spec.labels", {str(n): "a" for n in range(9)}, [("TooMany", "spec.labels", "maxProperties")]),
        ("spec.size", "1 GB", [("Invalid", "spec.size", "pattern")]),
        ("spec.size", 1, []),
        ("spec.size", True, [("Invalid", "", "anyOf"), ("TypeInvalid", "spec.size", "type")]),
        ("spec.port", 0, [("Invalid", "spec", f"{RULES}[1]")]),
        ("spec.port", ABSENT, [("Invalid", "spec", f"{RULES}[1] raises")]),
        ("spec.port", None, [("Invalid", "spec", f"{RULES}[1] raises")]),
        ("spec.source", {"type": "Volume"}, [("Invalid", "spec.source", "spec.source.x-kubernetes-validations[0]")]),
        ("spec.template", {"kind": "Pod"}, [("Required", "spec.template.apiVersion", "required")]),
        (
            "spec.template",
            {"apiVersion": "v1", "kind": "Pod", "metadata": 3},
            [("Invalid", "spec.template.metadata", "type")],
        ),
    ],
)
def test_what_a_create_is_told(judge: Judge, path: str, value: Any, expected: list[tuple[str, str, str]]) -> None:
    """Each sort of rule reports at its path, with the server's type; errors of the schema come before the rules."""
    assert set(expected) == set(told(judge, backup(path, value)))


def test_texts_are_the_servers(judge: Judge) -> None:
    """The message of a rule is its author's, and what a rule raises is what the server raises."""
    [raised] = judge.errors(backup("spec.port"))
    assert "no such key: port evaluating rule: self.port != 0" == raised.detail
    [told] = judge.errors(put(backup("spec.source", BUCKET), ("spec", "retentionDays"), 2))
    assert ("spec.retentionDays", "buckets are kept for a week at least") == (told.field, told.detail)
    [long] = judge.errors(backup("spec.retentionDays", 400))
    assert "spec.retentionDays in body should be less than or equal to 366" == long.detail


def test_objects_are_decoded_first(judge: Judge) -> None:
    """Unknown fields go unless the schema keeps them, nulls without default too, and defaults come."""
    seen = judge.show(put(put(backup("spec.nothing", 1), ("spec", "driver"), {"any": None}), ("spec", "size"), None))
    assert isinstance(seen, dict)
    assert ({"any": None}, 1, False, False) == (
        seen["spec"]["driver"],
        seen["spec"]["copies"],
        "nothing" in seen["spec"],
        "size" in seen["spec"],
    )


def test_updates(judge: Judge) -> None:
    """A transition rule sees both objects; what did not change is let through, but not a rule that raises."""
    rule = "spec.source.x-kubernetes-validations[2]"
    assert [("Invalid", "spec.source", rule)] == told(judge, backup("spec.source", BUCKET), backup())
    long = backup("spec.schedule", "x" * 101)
    assert [] == told(judge, put(long, ("spec", "copies"), 3), long)
    assert [("TooLong", "spec.schedule", "maxLength")] == told(judge, long, backup())
    raising = backup("spec.port")
    assert [("Invalid", "spec", f"{RULES}[1] raises")] == told(judge, raising, raising)


LIBRARY = [
    ("amount", "1Gi", []),
    ("amount", "Ki", ["spec.amount"]),
    ("amount", "one", ["spec", "spec.amount"]),
    ("amount", "1", ["spec.amount"]),
    ("amount", "1500m", ["spec.amount"]),
    ("address", "10.0.0.0/24", []),
    ("address", "10.0.0.0/25", ["spec"]),
    ("address", "127.0.0.1", ["spec"]),
    ("address", "10.0.0.1", ["spec"]),
    ("address", "1.1", ["spec.address"]),
    ("web", "https://a/b", []),
    ("web", "http://a/b", ["spec"]),
    ("web", "a", ["spec", "spec.web"]),
    ("web", "https://a/b?a=1", ["spec"]),
    ("release", "1.9.0", []),
    ("release", "2.0.0", ["spec"]),
    ("release", "v1", ["spec"]),
    ("label", "b", []),
    ("label", "-b", ["spec"]),
    ("label", "ab.b.c.d.e", ["spec"]),
    ("names", ["a", "b"], []),
    ("names", ["b", "a"], ["spec"]),
    ("names", ["c"], ["spec"]),
    ("counts", [1, 2], []),
    ("counts", [1, 1], ["spec"]),
    ("counts", [99, 1], ["spec"]),
    ("until", "2024-01-01T00:00:00Z", []),
    ("until", "2019-12-31T23:59:59Z", ["spec"]),
    ("wait", "1m", []),
    ("wait", "1 day", ["spec"]),
    ("pause", "30m", []),
    ("pause", "2h", ["spec"]),
    ("either", 99, []),
    ("either", "9%", []),
    ("either", 100, ["spec"]),
    ("either", "9", ["spec"]),
    ("ratio", 1.5, []),
    ("ratio", 2, ["spec", "spec.ratio"]),
    ("if", "b", []),
    ("if", "a", ["spec"]),
    ("a-b", 2, []),
    ("a-b", 1, ["spec"]),
    ("map", {"a": 1}, []),
    ("map", {"abcd": 1}, ["spec"]),
    ("inner", {"deep": "a"}, []),
    ("inner", {"deep": "b"}, ["spec"]),
    ("all", "ab", []),
    ("all", "b", ["", "spec.all"]),
    ("one", {"a": "a"}, []),
    ("one", {"a": "a", "b": 1}, [""]),
]


@pytest.fixture(scope="module")
def library() -> Judge:
    """The CRD that calls every function of the libraries."""
    return Judge(read_resource("library/samples.yaml", "v1", CRDS))


def test_the_libraries_of_kubernetes(library: Judge) -> None:
    """Quantities, addresses, versions, formats, lists, sets, times and optional values: each accepts and rejects."""
    for name, value, expected in LIBRARY:
        found = library.errors({"metadata": {"name": "a"}, "spec": {name: value}})
        assert (name, value, expected) == (name, value, sorted({one.field for one in found}))


def test_what_a_rule_cannot_read(library: Judge) -> None:
    """A number that is no whole one is there, and every use of it raises, as on a server."""
    [error] = library.errors({"metadata": {"name": "a"}, "spec": {"a-b": 2.0}})
    assert error.detail.startswith("'no such overload'")


def test_old_values_of_rules(library: Judge) -> None:
    """An optional old value is there on a create too, and items of a list are told apart by their keys."""

    def of(**spec: Any) -> dict[str, Any]:
        return {"metadata": {"name": "a"}, "spec": spec}

    assert [("Invalid", "spec.fixed", "spec.fixed.x-kubernetes-validations[0]")] == told(
        library, of(fixed="b"), of(fixed="a")
    )
    assert ["fixed cannot be removed"] == [one.detail for one in library.errors(of(), of(fixed="a"))]
    assert (["pause stays"], []) == (
        [one.detail for one in library.errors(of(pause="1m"), of())],
        library.errors(of(pause="1m")),
    )
    one, two = {"port": 1, "name": "a"}, {"port": 2, "name": "b"}
    assert [] == library.errors(of(tuple=[two, one]), of(tuple=[one, two]))
    found = library.errors(of(tuple=[two, {**one, "name": "c"}]), of(tuple=[one, two]))
    assert ["spec.tuple[1].name"] == [one.field for one in found]


SCHEMA = """\
apiVersion: apiextensions.k8s.io/v1
kind: CustomResourceDefinition
spec:
  group: g.example.com
  names: {kind: A}
  versions: [{name: v1, storage: true, schema: {openAPIV3Schema: {type: object, properties: {spec: SPEC}}}}]
"""


@pytest.mark.parametrize(
    ("spec", "words"),
    [
        ("{type: string, x-kubernetes-validations: [{rule: self.nothing(}]}", "cannot be asked in Python"),
        ("{type: string, x-kubernetes-validations: [{rule: nobody(self)}]}", "undeclared reference to 'nobody'"),
        (
            "{type: string, x-kubernetes-validations: [{rule: authorizer.group('a').allowed()}]}",
            "there is no server here",
        ),
        (
            "{type: array, items: {type: string}, x-kubernetes-validations: [{rule: 'self.all(i, x, i > 0)'}]}",
            "undeclared",
        ),
        ("{type: string, pattern: '(?=a)'}", "RE2 refuses it"),
        ("{type: text}", "has the type 'text'"),
        ("{$ref: 'https://example.com/a.json'}", "refers to https://example.com/a.json"),
        ("{type: array}", "without items"),
    ],
)
def test_what_cannot_be_asked_is_refused(tmp_path: Path, spec: str, words: str) -> None:
    """A rule or a schema that would be judged in another way is no validator, and says why and where to go."""
    (tmp_path / "crd.yaml").write_text(SCHEMA.replace("SPEC", spec))
    with pytest.raises(UnusableError) as caught:
        adapter_of("crd.yaml", tmp_path).check("crd.yaml", Surroundings(tmp_path))
    assert words in f"{caught.value.message} {caught.value.why}"


FORMAT = "{type: object, properties: {format: {type: string, format: FORMAT}}, default: {format: dns1035label}}"


def of_format(folder: Path, name: str, format: str, proposed: bool) -> list[str]:
    """What is said of a text that is of no format of names."""
    (folder / "crd.yaml").write_text(SCHEMA.replace("SPEC", FORMAT.replace("FORMAT", format)))
    check = adapter_of(name, folder).check(name, Surroundings(folder, proposed=proposed))
    assert [] == check({"spec": {"format": "a-1"}})
    return [f"{one.field} {one.type}" for one in check({"spec": {"format": "A_1"}})]


@pytest.mark.parametrize("format", ["dns1123subdomain", "dns1123label", "dns1035label", "dns-1035-label"])
def test_a_format_of_storage_is_known_in_stored_definitions_alone(tmp_path: Path, format: str) -> None:
    """A server of the proposal keeps what a newer one stored; in a new definition it drops what it does not support."""
    assert ["spec.format FieldValueTypeInvalid"] == of_format(tmp_path, "stored:crd.yaml", format, True)
    for proposed in (True, False):
        assert [] == of_format(tmp_path, "crd.yaml", format, proposed)
    schema = read_resource("crd.yaml", "", tmp_path).schema["properties"]["spec"]
    assert ({"format": "dns1035label"}, {"format": {"type": "string"}}) == (schema["default"], schema["properties"])


@pytest.mark.parametrize(("format", "count"), [("k8s-short-name", 1), ("no-such-format", 0)])
def test_other_formats_are_the_same_in_stored_definitions(tmp_path: Path, format: str, count: int) -> None:
    """One that a server supports is checked, one that it does not know is dropped."""
    for name in ("crd.yaml", "stored:crd.yaml"):
        assert count == len(of_format(tmp_path, name, format, True))


def test_no_release_has_formats_of_storage(tmp_path: Path) -> None:
    """Where a stored definition means what it says anyway, its prefix is a mistake."""
    with pytest.raises(UnusableError, match="in every release") as caught:
        of_format(tmp_path, "stored:crd.yaml", "dns1035label", False)
    assert 'release="proposed"' in caught.value.fix


def test_versions_and_files(tmp_path: Path) -> None:
    """A version is named or stored; a file has one definition, and one without CEL is asked for by its prefix."""
    (tmp_path / "crd.yaml").write_text(
        SCHEMA.replace("SPEC", "{type: string, x-kubernetes-validations: [{rule: 'false'}]}")
    )
    obj = {"spec": "a"}
    for name, count in (("crd.yaml", 1), ("without-cel:crd.yaml", 0)):
        check = adapter_of(name, tmp_path).check(name, Surroundings(tmp_path))
        assert count == len(check(obj))
    for name, version, words in (("crd.yaml", "v2", "has no version 'v2'"), ("no.yaml", "", "cannot be read")):
        with pytest.raises(UnusableError, match=words):
            read_resource(name, version, tmp_path)
    (tmp_path / "two.yaml").write_text(
        (tmp_path / "crd.yaml").read_text() + "---\n" + (tmp_path / "crd.yaml").read_text()
    )
    with pytest.raises(UnusableError, match="2 definitions"):
        read_resource("two.yaml", "", tmp_path)
