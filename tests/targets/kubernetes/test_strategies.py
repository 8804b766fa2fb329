"""What strategies pass to declarative validation is read from their sources, of releases before and since 1.37."""

from __future__ import annotations

from pathlib import Path

from harness.targets.kubernetes.strategies import KindStrategies, read_strategies
from tests.targets.kubernetes.places import write

HEAD = """package ship

import (
	"k8s.io/kubernetes/pkg/apis/fleet"
	"k8s.io/kubernetes/pkg/apis/fleet/validation"
	"k8s.io/kubernetes/pkg/features"
)

func (s) Validate(_ context.Context, obj runtime.Object) field.ErrorList {
	return validation.ValidateShip(obj.(*fleet.Ship))
}
"""
NEWER = """
func (s) DeclarativeValidationConfig(_ context.Context, _, _ runtime.Object) rest.DeclarativeValidationConfig {
	return rest.DeclarativeValidationConfig{
		ShortCircuitMismatch: true,
		NormalizationRules:   validation.ShipRules,
		Options: map[string]bool{
			string(features.Sails): utilfeature.DefaultFeatureGate.Enabled(features.Sails),
			"Oars": false,
			@
		},
	}
}
"""
OLDER = """
func (s) ValidateUpdate(ctx context.Context, obj, old runtime.Object) field.ErrorList {
	var opts []string
	if utilfeature.DefaultFeatureGate.Enabled(features.Sails) {
		opts = append(opts, string(features.Sails))
	}
	opts = append(opts, "Oars")
	return rest.ValidateDeclarativelyWithMigrationChecks(ctx, scheme, obj, old, nil, operation.Update,
		rest.WithOptions(opts), rest.WithNormalizationRules(validation.ShipRules))
}
"""
RULES = """package validation

var ShipRules = []field.NormalizationRule{
	{Regexp: regexp.MustCompile(`^spec\\.old\\[(\\d+)\\]`), Replacement: "spec.new[$1]"},
	{
		// Of another kind.
		Replacement: "b",
		Regexp:      regexp.MustCompile("a\\\\."),
	},
}
"""


def read(tmp_path: Path, strategy: str) -> KindStrategies:
    """What the strategies of one kind pass."""
    write(
        tmp_path,
        {
            "pkg/registry/fleet/ship/strategy.go": HEAD + strategy,
            "pkg/registry/fleet/ship/strategy_test.go": HEAD + NEWER.replace("@", '"Tested": true,'),
            "pkg/registry/fleet/harbour/strategy.go": HEAD.replace("Ship", "Harbour"),
            "pkg/registry/fleet/rest/storage.go": 'resource := "ships"\nstorage[resource+"/status"] = status\n',
            "pkg/apis/fleet/validation/validation.go": RULES,
        },
    )
    (found,) = read_strategies(tmp_path)
    return found


def test_a_configuration(tmp_path: Path) -> None:
    """Options by name of a gate and by text, rules of another package in any order of fields, and short-circuits."""
    found = read(tmp_path, NEWER.replace("@", ""))
    assert ("fleet", "Ship", {"Sails", "Oars"}, ()) == (found.group, found.kind, set(found.options), found.unread)
    assert [(r"^spec\.old\[(\d+)\]", "spec.new[$1]"), (r"a\.", "b")] == [
        (one.pattern, one.replacement) for one in found.path_rules
    ]
    assert [4, 8] == [one.position.line for one in found.path_rules]
    assert found.short_circuits is not None
    assert {"ships": ("ships", "ships/status")} == found.resources


def test_calls_of_releases_before_1_37(tmp_path: Path) -> None:
    """What is appended to the list of options is one, under whatever condition."""
    found = read(tmp_path, OLDER)
    assert {"Sails", "Oars"} == set(found.options)
    assert 2 == len(found.path_rules)
    assert found.short_circuits is None


def test_an_option_with_another_name_is_told(tmp_path: Path) -> None:
    """A variable, a function: where it is, rather than nothing."""
    found = read(tmp_path, NEWER.replace("@", "nameOf(gate): true,"))
    assert {"Sails", "Oars"} == set(found.options)
    assert [20] == [one.line for one in found.unread]
    found = read(tmp_path, NEWER.partition("Options:")[0] + "Options: optionsOf(obj)}\n}\n")
    assert ([17], {}) == ([one.line for one in found.unread], dict(found.options))


def test_a_source_that_does_not_parse_is_told(tmp_path: Path) -> None:
    """What it passes is not known, so nothing is said to be missing."""
    found = read(tmp_path, NEWER.replace("@", ")"))
    assert ({}, 1) == (dict(found.options), len(found.unread))
