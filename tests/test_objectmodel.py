"""The object model: what every object has, and that no other module names it."""

from __future__ import annotations

import ast
from pathlib import Path

import pytest

from harness.case import Json, KindInfo
from harness.objectmodel import (
    IDENTITY,
    SERVER_FILLED,
    SERVER_OWNED,
    essence_of,
    group_of_package,
    in_namespace,
    is_in_metadata,
    is_metadata_field,
    is_object_meta,
    is_status_field,
    is_type_meta,
    metadata_of,
    name_of,
    named_object,
    stored,
    type_of,
    with_annotation,
    with_metadata,
    without_status,
)

ROOT = Path(__file__).parent.parent / "harness"
NAMES = (SERVER_OWNED | SERVER_FILLED) - {"uid", "generation"} | {
    "apiVersion", "metadata", "resourceVersion", "generateName", "ownerReferences", "TypeMeta", "ObjectMeta",
}  # fmt: skip
"""Words that name nothing else, as `status`, `kind`, `name`, `uid` and `generation` do."""
ELSEWHERE = {
    "objectmodel.py": "the object model itself",
    "targets/conformance.py": "requests and answers of the protocol, written out as another program would",
    "tags/types.py": "Go declarations that the compiler knows without their source",
    "fuzzers/shape.py": "the ObjectMeta of universes that do not hold the real one",
    "fuzzers/contents.py": "texts that a content accepts and refuses",
    "openapi/declarations.py": "Go declarations of kinds that have a schema and no source",
    "targets/crd/webhook.py": "requests and answers of the admission protocol",
    "targets/crd/schema.py": "what the server of CRDs is shown of an object",
    "openapi/crds.py": "a CustomResourceDefinition, written out",
    "openapi/rules.py": "what a CEL rule may read of the metadata of an object",
    "subject/policies.py": "the version of a policy",
    "export/gotest.py": "a variable of the Go test",
    "tags/proposed/patterns.py": "the names that a proposed tag is about",
    "subject/targetpair.py": "the owner references that a server takes as one before validation",
    "targets/live/access.py": "a credential of client-go, which is no object of a server",
    "compiler/build.py": "upstream's own criteria of root types",
}
"""Modules that name what every object has, each with its reason."""
SERVERS = ("targets/kubernetes/", "pyschemas/crds/")
"""Packages that do what a server does with every object, and may name what it has."""


def constants_of(path: Path) -> set[str]:
    """The strings of a module."""
    nodes = ast.walk(ast.parse(path.read_text(encoding="utf-8")))
    return {node.value for node in nodes if isinstance(node, ast.Constant) and isinstance(node.value, str)}


def modules() -> list[str]:
    """Every module that has no leave to name what every object has."""
    found = (path.relative_to(ROOT).as_posix() for path in sorted(ROOT.rglob("*.py")))
    return [one for one in found if one not in ELSEWHERE and not one.startswith(SERVERS)]


@pytest.mark.parametrize(
    ("package", "group"),
    [
        ("k8s.io/kubernetes/pkg/apis/apps/validation", "apps"),
        ("k8s.io/kubernetes/pkg/apis/core/validation", ""),
        ("k8s.io/kubernetes/pkg/registry/rbac/clusterrole", "rbac.authorization.k8s.io"),
        ("k8s.io/kubernetes/pkg/registry/apiserverinternal/storageversion", "internal.apiserver.k8s.io"),
        ("k8s.io/kubernetes/pkg/apis/batch/validation", None),
        ("k8s.io/kubernetes/pkg/api/pod", None),
        ("k8s.io/apimachinery/pkg/apis/meta/v1/validation", None),
    ],
)
def test_handwritten_code_is_that_of_the_group_whose_folder_it_stands_in(package: str, group: str | None) -> None:
    """Code that groups share, and that of a group which nothing was asked of, is that of none."""
    groups = ("", "apps", "internal.apiserver.k8s.io", "rbac.authorization.k8s.io")
    assert group == group_of_package(package, groups)


def test_generic_code_asks_the_object_model() -> None:
    """A literal of another module would be a second place that knows what an object of Kubernetes is."""
    found = {module: constants_of(ROOT / module) & NAMES for module in modules()}
    assert {} == {module: names for module, names in found.items() if names}


@pytest.mark.parametrize("module", ELSEWHERE)
def test_every_leave_is_used(module: str) -> None:
    """A module that names nothing any more loses its leave."""
    assert constants_of(ROOT / module) & NAMES


OBJECT: Json = {"apiVersion": "g/v1", "kind": "T", "metadata": {"name": "n", "namespace": "x"}, "spec": {}, "status": 1}


def test_an_object_says_what_it_is() -> None:
    """Type, namespace and name; what is not there is empty."""
    assert (("g/v1", "T"), ("x", "n")) == (type_of(OBJECT), name_of(OBJECT))
    assert (("", ""), ("", "")) == (type_of({}), name_of({"metadata": 1}))


@pytest.mark.parametrize("obj", [None, 1, [], {}, {"metadata": None}, {"metadata": "a"}])
def test_what_has_no_metadata_stays_as_it_is(obj: Json) -> None:
    """Edited objects hold anything where their metadata stood."""
    assert (None, obj, obj) == (metadata_of(obj), stored(obj), with_annotation(obj))


def test_a_stored_object_may_be_updated() -> None:
    """It has a uid and a resource version, its own where it has them."""
    assert {"resourceVersion": "1", "uid": "a", "name": "n"} == stored({"metadata": {"name": "n"}})["metadata"]
    assert {"resourceVersion": "7", "uid": "b"} == stored({"metadata": {"resourceVersion": "7", "uid": "b"}})[
        "metadata"
    ]


def test_a_touched_object_has_one_more_annotation() -> None:
    """Others stay."""
    obj = with_metadata({}, {"annotations": {"b": "c"}})
    assert {"metadata": {"annotations": {"b": "c", "touched": "a"}}} == with_annotation(obj)
    assert {"metadata": {"annotations": {"b": "c"}}} == obj


def test_a_named_object_is_of_its_kind() -> None:
    """It has a name, a namespace where the kind has one, and nothing else."""
    info = KindInfo("g", "v1", "T", "ts", "g/v1", namespaced=True)
    assert {"name": "a", "namespace": "default"} == named_object(info)["metadata"]
    assert (("g/v1", "T"), ("", "a")) == (
        type_of(named_object(info)), name_of(named_object(KindInfo("g", "v1", "T", "ts", "g/v1", namespaced=False))),
    )  # fmt: skip


def test_an_object_without_a_namespace_gets_the_usual_one() -> None:
    """One that names a namespace keeps it."""
    assert "default" == in_namespace({})["metadata"]["namespace"]
    assert OBJECT is in_namespace(OBJECT)


def test_parts_of_an_object_are_told_by_their_paths() -> None:
    """By whole names: `statuses` is no status."""
    assert [True, True, False] == [is_status_field(one) for one in ("status", "status.a[0]", "statuses")]
    assert [True, True, False] == [is_metadata_field(one) for one in ("metadata", "metadata.labels[a.b]", "spec")]
    assert [True, False] == [is_in_metadata(path) for path in (("metadata", "name"), ())]
    assert {("metadata", "name"), ("kind",)} < IDENTITY


def test_what_is_special_of_a_request_is_its_essence() -> None:
    """Type, name and namespace go, and metadata that holds no more."""
    assert {"spec": {}, "status": 1} == essence_of(OBJECT)
    assert {"metadata": {"uid": "a"}} == essence_of({"kind": "T", "metadata": {"name": "n", "uid": "a"}})
    assert {"spec", "kind", "apiVersion", "metadata"} == without_status(OBJECT).keys()


def test_go_types_are_told_by_their_names() -> None:
    """With their package or without it."""
    assert [True, True, False] == [is_type_meta(one) for one in ("TypeMeta", "a/b.TypeMeta", "ListMeta")]
    assert [True, False] == [is_object_meta(one) for one in ("x.ObjectMeta", "x.MyObjectMeta")]
