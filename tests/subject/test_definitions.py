"""CRDs are found in files, folders and revisions; what is wrong with them is told with its line."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from harness.diagnostics import InputError, UsageError
from harness.subject.definitions import WITHOUT_CEL, Definition, read_definitions
from tests.verify.checkout import commit, repository

CRDS = Path(__file__).parents[1] / "crds"
THING = """\
apiVersion: apiextensions.k8s.io/v1
kind: CustomResourceDefinition
metadata: {name: things.example.com}
spec:
  group: example.com
  names: {kind: Thing, plural: things}
  versions:
    - name: v1
      served: true
      schema:
        openAPIV3Schema:
          type: object
          properties:
            spec:
              x-kubernetes-validations:
                - rule: "self == oldSelf"
    - {name: v0, served: false, schema: {openAPIV3Schema: {type: object}}}
"""
OTHER = "---\napiVersion: v1\nkind: Service\nmetadata: {name: a}\n---\n"
RULE = "spec.versions[0].schema.openAPIV3Schema.properties[spec].x-kubernetes-validations[0].rule"


def things(place: str) -> list[str]:
    """The names of the definitions of a place."""
    return [one.name for one in read_definitions(place)]


def test_a_folder(tmp_path: Path) -> None:
    """Definitions of a folder and those below are read; whatever else is there is none."""
    (tmp_path / "deep").mkdir()
    (tmp_path / "deep/things.yaml").write_text(OTHER + THING + OTHER)
    (tmp_path / "kustomization.yaml").write_text("resources: [deep/things.yaml]\n")
    (tmp_path / "readme.md").write_text(THING)
    assert ["things.example.com"] == things(str(tmp_path)) == things(str(tmp_path / "deep/things.yaml"))


def test_a_list_and_json(tmp_path: Path) -> None:
    """What `kubectl get crd -o yaml` and `-o json` print is read too."""
    document = read_definitions(str(CRDS / "before"))[0].document
    file = tmp_path / "all.json"
    file.write_text(json.dumps({"kind": "List", "apiVersion": "v1", "items": [document]}, indent=1))
    found = read_definitions(str(file))
    assert ["backups.storage.example.com"] == [one.name for one in found]
    lines = [line.strip() for line in file.read_text().splitlines()]
    assert lines.index('"group": "storage.example.com",') + 1 == found[0].position("spec.group").line


def test_a_revision(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """`REV:DIR` are the files of a commit, whatever the work tree has; paths begin at the top or in this folder."""
    top = repository(tmp_path, {"config/crd/a.yaml": THING, "config/crd/b.txt": "x"})
    commit(top, "Rename", {"config/crd/a.yaml": THING.replace("things", "others")})
    monkeypatch.chdir(top)
    assert ["things.example.com"] == things("base:config/crd")
    assert ["others.example.com"] == things("HEAD:config/crd") == things("config/crd")
    monkeypatch.chdir(top / "config")
    assert ["things.example.com"] == things("base:crd") == things("base:config/crd/a.yaml")
    with pytest.raises(UsageError, match="revision base has no nowhere"):
        things("base:nowhere")
    with pytest.raises(UsageError, match="there is no revision"):
        things("nothing:config/crd")


@pytest.mark.parametrize(
    ("field", "line"),
    [("", 1), ("spec.group", 5), (RULE, 16), (f"{RULE}.deeper", 16), ("spec.versions[1].served", 17), ("status", 1)],
)
def test_where_a_field_stands(tmp_path: Path, field: str, line: int) -> None:
    """A field is found by its path, and one that is missing by what it is missing from."""
    file = tmp_path / "crd.yaml"
    file.write_text(OTHER + THING)
    [found] = read_definitions(str(file))
    assert line + OTHER.count("\n") == found.position(field).line
    assert str(file) == found.position(field).file


def test_served_versions() -> None:
    """Only versions that are served have a schema that objects meet."""
    found = Definition({"spec": {"versions": [
        {"name": "v1", "served": True, "schema": {"openAPIV3Schema": {"type": "object"}}},
        {"name": "v0", "served": False},
    ]}}, "x", b"")  # fmt: skip
    assert ["v1"] == [name for name, _ in found.schemas()]


def test_without_cel() -> None:
    """The same definitions without their rules, and with all else."""
    [whole], [bare] = read_definitions(str(CRDS / "after")), read_definitions(f"{WITHOUT_CEL}{CRDS / 'after'}")
    assert (True, False) == ("oldSelf" in str(whole.document), "x-kubernetes-validations" in str(bare.document))
    assert "x-kubernetes-list-map-keys" in str(bare.document)


@pytest.mark.parametrize(
    ("text", "code", "line"),
    [
        (THING + "---\n" + THING, "crd-twice", THING.count("\n") + 2),
        (THING.replace("k8s.io/v1", "k8s.io/v1beta1"), "crd-version", 1),
        (THING.replace("spec:", "spec: ["), "manifest-syntax", 6),
    ],
)
def test_what_is_wrong_is_told(tmp_path: Path, text: str, code: str, line: int) -> None:
    """A definition that cannot be used is told with its line."""
    (tmp_path / "a.yaml").write_text(text)
    with pytest.raises(InputError) as told:
        read_definitions(str(tmp_path))
    [found] = told.value.diagnostics
    assert (code, line) == (found.code, found.position.line)


def test_nothing_there(tmp_path: Path) -> None:
    """A folder without definitions, and one that is not there, are told."""
    with pytest.raises(UsageError, match="has no CustomResourceDefinition"):
        read_definitions(str(tmp_path))
    with pytest.raises(UsageError, match=r"there is no .*/gone"):
        read_definitions(str(tmp_path / "gone"))
