from __future__ import annotations

from pathlib import Path

import pytest

from harness.gotypes.literals import Literals, go_literals

SOURCE = r"""// Copyright "nobody", 1999.
package validation

import (
	"regexp"
	"strings"
)

const maxTitle = 0x40
const widgetNameFmt string = `[a-z]([-a-z]*[a-z])?`

var modes = []string{"Fast", "Sl\u006fw"}
var titleRegexp = regexp.MustCompile("^" + widgetNameFmt + "$")

func ValidateWidgetSpec(spec *Spec, path *field.Path) {
	if spec.Replicas > 1_000 || spec.Mode == 0755 {
		allErrs = append(allErrs, field.Invalid(path.Child("replicas"), spec.Replicas, "must not be that many of them"))
	}
	if strings.HasPrefix(spec.Title, "kubernetes.io/") { klog.V(4).Infof("title %s", spec.Title) }
}

func (w *Widget) CheckTitle(title string) bool { return len(title) > maxTitle && title != "none" && len(title) < 7 }
"""


@pytest.fixture
def read(tmp_path: Path) -> Literals:
    """The literals of a folder with one validator, its test and generated code."""
    (tmp_path / "validation.go").write_text(SOURCE)
    (tmp_path / "validation_test.go").write_text('package validation\n\nvar x = "of a test"\n')
    (tmp_path / "zz_generated.go").write_text('package validation\n\nvar x = "generated"\n')
    return go_literals([tmp_path, tmp_path / "missing"])


def test_literals_know_where_they_stand(read: Literals) -> None:
    """In order of the source: numbers in every notation, strings unquoted, each with its function or constant."""
    assert [
        ("modes", "Fast"),
        ("modes", "Slow"),
        ("validatewidgetspec", "kubernetes.io/"),
        ("checktitle title", "none"),
    ] == [(where, value) for where, value in read.values if isinstance(value, str)]
    assert {
        ("maxtitle", 64),
        ("validatewidgetspec replicas", 1000),
        ("validatewidgetspec mode", 0o755),
        ("checktitle title", 64),
        ("checktitle title", 7),
    } == {(where, value) for where, value in read.values if isinstance(value, int)}


def test_expressions_are_told_from_words(read: Literals) -> None:
    """What looks like a regular expression is kept apart."""
    assert ("widgetnamefmt", "[a-z]([-a-z]*[a-z])?") in read.patterns
    assert read.patterns_near(["widgetName"]) == ("[a-z]([-a-z]*[a-z])?",)


def test_messages_and_names_of_fields_are_left_out(read: Literals) -> None:
    """They say nothing about values."""
    assert not {"replicas", "must not be that many of them", "title %s", "regexp"} & {value for _, value in read.values}


def test_what_speaks_of_a_field_comes_first(read: Literals) -> None:
    """The constant and the function with the name of the field, and nothing of other functions."""
    assert set(read.near(["title"])) == {64, "none", 7}
    assert read.near(["nothing"]) == read.near([""]) == ()


def test_a_constant_counts_where_a_validator_names_it(tmp_path: Path) -> None:
    """With the map that it is a key of; one with a type of its own is declared for a field, and is known from there."""
    (tmp_path / "types").mkdir()
    (tmp_path / "types" / "keys.go").write_text(
        'package types\nconst (\n\tOwnerKey = "example.com/owner"\n\tOther = "unused"\n\tFast Mode = "Fast"\n)\n'
    )
    (tmp_path / "validation.go").write_text(
        """package validation
const local = "example.com/local"
func ValidateWidget(w *types.Widget) bool {
	return w.Meta.Annotations[types.OwnerKey] != "" || w.Labels[local] == "" || w.Mode == types.Fast
}
"""
    )
    found = go_literals([tmp_path], [tmp_path / "types"])
    assert {
        ("local", "example.com/local"),
        ("validatewidget annotations", "example.com/owner"),
        ("validatewidget labels", "example.com/local"),
    } == set(found.values)
    assert ("example.com/owner",) == found.near(["annotations"])


def test_a_literal_knows_what_is_compared_with_it(tmp_path: Path) -> None:
    """The field on the other side, also behind `len`; a literal on both sides has none."""
    (tmp_path / "validation.go").write_text(
        'package validation\nfunc check(s *Spec) bool { return 7 < len(s.Topology.Key) && s.Class != "a" && 1 == 2 }\n'
    )
    found = set(go_literals([tmp_path]).values)
    assert {("check key", 7), ("check class", "a"), ("check", 1), ("check", 2)} == found


def test_a_number_counts_where_something_is_compared_with_it(tmp_path: Path) -> None:
    """Computed, by whatever name it has, from a constant or a variable; one that is only handed on does not."""
    (tmp_path / "limits").mkdir()
    (tmp_path / "limits" / "limits.go").write_text("package limits\nconst kib, Size = 1024, 4 * kib\n")
    (tmp_path / "limits" / "more.go").write_text(
        "package limits\nconst one = 1 << 3\nconst Parts int32 = one + 1\nconst (\n\tA = iota\n)\nconst x = y\n"
        "const y = x\n"
    )
    (tmp_path / "validation.go").write_text(
        """package validation
var (
	maxZones = 8
	maxNodes = limits.Parts
)
func check(s *Spec) bool {
	return len(s.Zones) > maxZones || s.Nodes >= maxNodes || s.Parts != limits.Parts || s.Age == limits.A ||
		other(maxZones, x)
}
"""
    )
    found = go_literals([tmp_path], [tmp_path / "limits"])
    assert [("check zones", 8), ("check nodes", 9), ("check parts", 9)] == [
        (where, value) for where, value in found.values if where.startswith("check")
    ]
