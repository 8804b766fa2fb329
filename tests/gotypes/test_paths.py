"""Which reported paths name a field."""

from __future__ import annotations

import timeit
from collections.abc import Callable
from pathlib import Path

import pytest

from harness.gotypes.paths import TypeGraph, known_path_checker
from tests.gotypes.reading import universe

META = "k8s.io/apimachinery/pkg/apis/meta/v1"
TYPES = """package v1
import (
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"y.io/elsewhere"
)
type Root struct {
	metav1.TypeMeta `json:",inline"`
	*Emb `json:",inline"`
	Spec Spec `json:"spec"`
	Skipped string `json:"-"`
}
type Emb struct { Inner Part `json:"inner"` }
type Part struct { X string `json:"x"`; hidden int }
type Parts []Part
type Spec struct {
	Items  Parts                    `json:"items"`
	Labels map[string]string        `json:"labels"`
	ByName map[string]Part          `json:"byName"`
	Lists  map[string][]Part        `json:"lists"`
	At     *metav1.Time             `json:"at"`
	Raw    runtime.RawExtension     `json:"raw"`
	Else   elsewhere.Thing          `json:"else"`
	Any    any                      `json:"any"`
	Self   *Spec                    `json:"self"`
	Odd    string                   `json:"odd.name"`
	Bytes  []byte                   `json:"bytes"`
	Anon   struct { Y int `json:"y"` } `json:"anon"`
	Json   JSON                     `json:"json"`
}
type JSON struct { Raw []byte `json:"-"` }
"""
PACKAGES = {
    "x.io/v1": {"types.go": TYPES},
    META: {
        "types.go": 'package v1\ntype TypeMeta struct { Kind string `json:"kind"` }\n'
        'type Time struct { Wall int64 `json:"wall"` }\n'
    },
}


@pytest.fixture(scope="module")
def known(tmp_path_factory: pytest.TempPathFactory) -> Callable[[str], bool]:
    """The check for Root."""
    folder: Path = tmp_path_factory.mktemp("paths")
    return known_path_checker(TypeGraph(universe(folder, PACKAGES)), "x.io/v1.Root")


@pytest.mark.parametrize(
    "path",
    [
        "",
        "<nil>",
        "kind",
        "inner.x",
        "spec",
        "spec.items",
        "spec.items[0]",
        "spec.items[*].x",
        "spec.labels[a.b/c]",
        "spec.labels[a]b[c].d]",
        "spec.labels[]",
        "spec.byName[a.b].x",
        "spec.byName[a].x].x",
        "spec.lists[k][3].x",
        "spec.at",
        "spec.raw.anything[0].at.all",
        "spec.else.what[ever",
        "spec.any[x]",
        "spec.self.self.self.items[1].x",
        "spec.odd.name",
        "spec.bytes",
        "spec.anon.y",
        "spec.json.properties[x].type",
        "Emb.inner.x",
        "v1.TypeMeta.kind",
        "metav1.TypeMeta",
        "string",
    ],
)
def test_known(known: Callable[[str], bool], path: str) -> None:
    """A path that names a field, an item or a key below the type is known."""
    assert known(path)
    assert known(path), "the second look is the same"


@pytest.mark.parametrize(
    "path",
    [
        "Spec",
        ".spec",
        "spec.",
        "spec..items",
        "spec.item",
        "spec.itemsx",
        "spec[0]",
        "spec.items.x",
        "spec.items[0].y",
        "spec.items[0][1]",
        "spec.items[0",
        "spec.items[a[b]",
        "spec.labels.a",
        "spec.labels[a].x",
        "spec.byName[a].y",
        "spec.at.wall",
        "spec.bytes[0]",
        "spec.items[0].hidden",
        "Skipped",
        "skipped.items",
        "Part.x",
        "Emb.kind",
        "<nil>.spec",
        "spec.self." * 1000,
    ],
)
def test_unknown(known: Callable[[str], bool], path: str) -> None:
    """A path that names no field is unknown: the judge reports it."""
    assert not known(path)
    assert not known(path), "the second look is the same"


def test_an_unknown_type_knows_every_path(tmp_path: Path) -> None:
    """Nothing can be said of a type that nobody declared, so nothing is said against its paths."""
    assert known_path_checker(TypeGraph(universe(tmp_path, PACKAGES)), "x.io/v1.Nothing")("a.b")


def test_types_that_contain_themselves_end(tmp_path: Path) -> None:
    """Embedding oneself, lists of oneself and typedefs in a circle are followed once."""
    text = 'package v1\ntype A struct { *A; B B `json:"b"`; C C `json:"c"` }\ntype B []B\ntype C D\ntype D C\n'
    check = known_path_checker(TypeGraph(universe(tmp_path, {"x": {"a.go": text}})), "x.A")
    assert [check("b[0][1][2]"), check("c.x"), check("d")] == [True, True, False]


def test_it_is_quick(known: Callable[[str], bool]) -> None:
    """A path asked again takes less than five microseconds."""
    path = "spec.self.self.items[7].x"
    assert known(path)
    assert min(timeit.repeat(lambda: known(path), number=1000, repeat=5)) < 5e-3
