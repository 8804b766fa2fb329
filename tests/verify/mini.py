"""A checkout of Kubernetes in miniature: one group with two versions, validated by hand and by generated code."""

from __future__ import annotations

from pathlib import Path

from tests.verify.checkout import repository

TYPES = "staging/src/k8s.io/api/fleet/v1/types.go"
OLDER = "staging/src/k8s.io/api/fleet/v1beta1/types.go"
VALIDATION = "pkg/apis/fleet/validation/validation.go"
STRATEGY = "pkg/registry/fleet/ship/strategy.go"
GENERATED = "pkg/apis/fleet/v1/zz_generated.validations.go"

_DOC = """// +k8s:conversion-gen=k8s.io/kubernetes/pkg/apis/fleet
// +k8s:conversion-gen-external-types=k8s.io/api/fleet/{version}
// +k8s:validation-gen=TypesWithField=TypeMeta
// +k8s:validation-gen-input=k8s.io/api/fleet/{version}

package {version}
"""
_META = """package v1

// TypeMeta says what an object is.
type TypeMeta struct {
	Kind       string `json:"kind,omitempty"`
	APIVersion string `json:"apiVersion,omitempty"`
}

// ObjectMeta is what all objects have.
type ObjectMeta struct {
	Name       string `json:"name,omitempty"`
	Generation int64  `json:"generation,omitempty"`
}
"""
_TYPES = """package {version}

import (
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
)

// Ship sails.
type Ship struct {{
	metav1.TypeMeta   `json:",inline"`
	metav1.ObjectMeta `json:"metadata,omitempty"`

	Spec ShipSpec `json:"spec,omitempty"`
}}

// ShipSpec says where to.
type ShipSpec struct {{
	// Crew is how many sail.
	// +k8s:optional
	// +k8s:alpha(since: "1.37")=+k8s:minimum=0
	Crew *int32 `json:"crew,omitempty"`

	// Port is where it lies.
	// +k8s:beta(since: "1.37")=+k8s:required
	// +k8s:beta(since: "1.37")=+k8s:maxLength=63
	Port string `json:"port"`

	// Cargo is what it carries.
	// +k8s:optional
	// +k8s:listType=atomic
	// +k8s:maxItems=8
	Cargo []Crate `json:"cargo,omitempty"`
}}

// Crate holds things.
type Crate struct {{
	// +k8s:optional
	Weight int32 `json:"weight,omitempty"`
}}

// Harbour has ships.
type Harbour struct {{
	metav1.TypeMeta   `json:",inline"`
	metav1.ObjectMeta `json:"metadata,omitempty"`

	// +k8s:optional
	// +k8s:listType=atomic
	Stored []Crate `json:"stored,omitempty"`
}}
"""
_INTERNAL = """package fleet

import (
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
)

type Ship struct {
	metav1.TypeMeta
	metav1.ObjectMeta
	Spec ShipSpec
}

type ShipSpec struct {
	Crew  *int32
	Port  string
	Cargo []Crate
}

type Crate struct {
	Weight int32
}

type Harbour struct {
	metav1.TypeMeta
	metav1.ObjectMeta
	Stored []Crate
}
"""
_VALIDATION = """package validation

import (
	"k8s.io/apimachinery/pkg/util/validation/field"
	"k8s.io/kubernetes/pkg/apis/fleet"
)

const maxPort = 63

var allowedPorts = []string{"north", "south"}

// ValidateShip checks a ship.
func ValidateShip(ship *fleet.Ship) field.ErrorList {
	return validateSpec(&ship.Spec, field.NewPath("spec"))
}

// ValidateHarbour checks a harbour.
func ValidateHarbour(harbour *fleet.Harbour) field.ErrorList {
	return validateCrates(harbour.Stored, field.NewPath("stored"))
}

func validateSpec(spec *fleet.ShipSpec, fldPath *field.Path) field.ErrorList {
	allErrs := field.ErrorList{}
	if spec.Crew != nil && *spec.Crew < 0 {
		err := field.Invalid(fldPath.Child("crew"), *spec.Crew, "must not be negative").WithOrigin("minimum")
		allErrs = append(allErrs, err)
	}
	if len(spec.Port) == 0 {
		allErrs = append(allErrs, field.Required(fldPath.Child("port"), "").MarkCoveredByDeclarative())
	} else if len(spec.Port) > maxPort {
		allErrs = append(allErrs, field.TooLong(fldPath.Child("port"), "", maxPort).MarkCoveredByDeclarative())
	}
	allErrs = append(allErrs, validateCrates(spec.Cargo, fldPath.Child("cargo"))...)
	return allErrs
}

func validateCrates(crates []fleet.Crate, fldPath *field.Path) field.ErrorList {
	var allErrs field.ErrorList
	for i, crate := range crates {
		allErrs = append(allErrs, notNegative(crate.Weight, fldPath.Index(i).Child("weight"))...)
	}
	return allErrs
}

func notNegative(value int32, fldPath *field.Path) field.ErrorList {
	if value < 0 {
		return field.ErrorList{field.Invalid(fldPath, value, "must not be negative")}
	}
	return nil
}
"""
_STRATEGY = """package ship

import (
	"context"

	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/util/validation/field"
	"k8s.io/kubernetes/pkg/apis/fleet"
	"k8s.io/kubernetes/pkg/apis/fleet/validation"
)

type shipStrategy struct{}

func (shipStrategy) PrepareForCreate(ctx context.Context, obj runtime.Object) {
	ship := obj.(*fleet.Ship)
	ship.Generation = 1
}

func (shipStrategy) Validate(ctx context.Context, obj runtime.Object) field.ErrorList {
	return validation.ValidateShip(obj.(*fleet.Ship))
}

func (shipStrategy) AllowCreateOnUpdate(ctx context.Context) bool {
	return false
}
"""
_STORAGE = """package rest

func (p StorageProvider) v1Storage() {
	if resource := "ships"; p.enabled(resource) {
		storage[resource] = shipStorage.Ship
		storage[resource+"/status"] = shipStorage.Status
	}
	if resource := "harbours"; p.enabled(resource) {
		storage[resource] = harbourStorage
	}
}
"""
_GENERATED = """// Code generated by validation-gen. DO NOT EDIT.

package {version}

import (
	fleet{version} "k8s.io/api/fleet/{version}"
	validate "k8s.io/apimachinery/pkg/api/validate"
	field "k8s.io/apimachinery/pkg/util/validation/field"
)

func Validate_ShipSpec(
	ctx context.Context, op operation.Operation, fldPath *field.Path,
	obj, oldObj *fleet{version}.ShipSpec) (errs field.ErrorList) {{
	{{ // field fleet{version}.ShipSpec.Crew
		fn := func(fldPath *field.Path, obj, oldObj *int32) (errs field.ErrorList) {{
			if e := validate.OptionalPointer(ctx, op, fldPath, obj, oldObj).MarkShortCircuit(); len(e) != 0 {{
				return
			}}
			if e := validate.Minimum(ctx, op, fldPath, obj, oldObj, 0).MarkAlpha(); len(e) != 0 {{
				errs = append(errs, e...)
			}}
			return
		}}
		errs = append(errs, fn(fldPath.Child("crew"), obj.Crew, nil)...)
	}}

	{{ // field fleet{version}.ShipSpec.Port
		fn := func(fldPath *field.Path, obj, oldObj *string) (errs field.ErrorList) {{
			if e := validate.RequiredValue(ctx, op, fldPath, obj, oldObj).MarkBeta().MarkShortCircuit(); len(e) != 0 {{
				return e
			}}
			if e := validate.MaxLength(ctx, op, fldPath, obj, oldObj, 63).MarkBeta(); len(e) != 0 {{
				errs = append(errs, e...)
			}}
			return
		}}
		errs = append(errs, fn(fldPath.Child("port"), &obj.Port, nil)...)
	}}

	{{ // field fleet{version}.ShipSpec.Cargo
		fn := func(fldPath *field.Path, obj, oldObj []fleet{version}.Crate) (errs field.ErrorList) {{
			if e := validate.OptionalSlice(ctx, op, fldPath, obj, oldObj).MarkShortCircuit(); len(e) != 0 {{
				return
			}}
			if e := validate.MaxItems(ctx, op, fldPath, obj, oldObj, 8).MarkShortCircuit(); len(e) != 0 {{
				return e
			}}
			return
		}}
		errs = append(errs, fn(fldPath.Child("cargo"), obj.Cargo, nil)...)
	}}
	return errs
}}
"""


def mini(folder: Path) -> Path:
    """Make the checkout; its commit has the tag `base`."""
    files = {
        "go.mod": "module k8s.io/kubernetes\n\ngo 1.26.0\n",
        "staging/src/k8s.io/apimachinery/pkg/apis/meta/v1/types.go": _META,
        "pkg/apis/fleet/types.go": _INTERNAL,
        VALIDATION: _VALIDATION,
        STRATEGY: _STRATEGY,
        "pkg/registry/fleet/rest/storage_fleet.go": _STORAGE,
    }
    for version in ("v1", "v1beta1"):
        files |= {
            f"staging/src/k8s.io/api/fleet/{version}/types.go": _TYPES.format(version=version),
            f"staging/src/k8s.io/api/fleet/{version}/register.go": (
                f'package {version}\n\nconst GroupName = "fleet.example.com"\n'
            ),
            f"pkg/apis/fleet/{version}/doc.go": _DOC.format(version=version),
            f"pkg/apis/fleet/{version}/zz_generated.validations.go": _GENERATED.format(version=version),
        }
    return repository(folder, files)
