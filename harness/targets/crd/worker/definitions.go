package main

import (
	"context"
	"fmt"
	"slices"
	"strings"

	"k8s.io/apiextensions-apiserver/pkg/apis/apiextensions"
	apiextensionsv1 "k8s.io/apiextensions-apiserver/pkg/apis/apiextensions/v1"
	crdvalidation "k8s.io/apiextensions-apiserver/pkg/apis/apiextensions/validation"
	structuralschema "k8s.io/apiextensions-apiserver/pkg/apiserver/schema"
	"k8s.io/apiextensions-apiserver/pkg/apiserver/schema/defaulting"
	"k8s.io/apiextensions-apiserver/pkg/apiserver/validation"
	"k8s.io/apiextensions-apiserver/pkg/crdserverscheme"
	"k8s.io/apiextensions-apiserver/pkg/registry/customresource"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/apiserver/pkg/registry/rest"
	kjson "sigs.k8s.io/json"
)

// entry is a resource, its status or its scale in one served version.
type entry struct {
	info       kindInfo
	gvk        schema.GroupVersionKind
	structural *structuralschema.Structural
	create     rest.RESTCreateStrategy // nil for a subresource
	update     rest.RESTUpdateStrategy
	rules      *ruleNames
	scale      *scalePaths // of the scale subresource alone
}

// keepMembers makes a schema that does not change any more answer faster, where the release's files have a hook for it.
var keepMembers = func(*structuralschema.Structural) {}

func (e *entry) key() string { return keyOf(e.info) }

func keyOf(info kindInfo) string {
	return strings.Join([]string{info.Group, info.Version, info.Resource, info.Subresource}, "/")
}

func compareTexts(a, b string) int { return strings.Compare(a, b) }

// define makes of a definition what the server's getOrCreateServingInfoFor makes of it, storages aside. A definition
// that the server would refuse defines nothing; each of its reasons is in refused, as `FIELD: WHY` without a version.
// left are versions that are not served.
func define(raw []byte) (entries []*entry, left, refused []excluded) {
	crd := &apiextensionsv1.CustomResourceDefinition{}
	unknown, err := kjson.UnmarshalStrict(raw, crd)
	refuse := func(reason string) {
		refused = append(refused, excluded{Group: crd.Spec.Group, Resource: crd.Spec.Names.Plural, Reason: reason})
	}
	if err != nil {
		refuse(": " + err.Error())
		return nil, nil, refused
	}
	for _, err := range unknown {
		path, why := strictReason(err.Error())
		refuse(path + ": " + why)
	}
	apiextensionsv1.SetDefaults_CustomResourceDefinition(crd)
	apiextensionsv1.SetDefaults_CustomResourceDefinitionSpec(&crd.Spec)
	setStatus(crd)
	internal := &apiextensions.CustomResourceDefinition{}
	if err := apiextensionsv1.Convert_v1_CustomResourceDefinition_To_apiextensions_CustomResourceDefinition(crd, internal, nil); err != nil {
		refuse(": " + err.Error())
		return nil, nil, refused
	}
	for _, err := range crdvalidation.ValidateCustomResourceDefinition(context.Background(), internal) {
		if !strings.HasPrefix(err.Field, "status.") { // which the server writes, from what else is wrong
			refuse(err.Field + ": " + wordsOf(err))
		}
	}
	if len(refused) > 0 {
		return nil, nil, refused
	}
	for i := range crd.Spec.Versions {
		version := &crd.Spec.Versions[i]
		if !version.Served {
			left = append(left, excluded{Group: crd.Spec.Group, Version: version.Name, Resource: crd.Spec.Names.Plural, Reason: "not served"})
			continue
		}
		made, err := defineVersion(crd, version)
		if err != nil {
			refuse(fmt.Sprintf("spec.versions[%d]: %v", i, err))
			return nil, nil, refused
		}
		entries = append(entries, made...)
	}
	return entries, left, refused
}

// setStatus writes what the server's controllers write before a definition is served.
func setStatus(crd *apiextensionsv1.CustomResourceDefinition) {
	crd.Status = apiextensionsv1.CustomResourceDefinitionStatus{AcceptedNames: crd.Spec.Names}
	for _, version := range crd.Spec.Versions {
		if version.Storage {
			crd.Status.StoredVersions = []string{version.Name}
		}
	}
}

func defineVersion(crd *apiextensionsv1.CustomResourceDefinition, version *apiextensionsv1.CustomResourceDefinitionVersion) ([]*entry, error) {
	declared := &apiextensions.CustomResourceValidation{}
	if err := apiextensionsv1.Convert_v1_CustomResourceValidation_To_apiextensions_CustomResourceValidation(version.Schema, declared, nil); err != nil {
		return nil, err
	}
	rules := nameRules(declared.OpenAPIV3Schema)
	structural, err := structuralschema.NewStructural(declared.OpenAPIV3Schema)
	if err != nil {
		return nil, err
	}
	structural = structural.DeepCopy()
	if err := defaulting.PruneDefaults(structural); err != nil {
		return nil, err
	}
	keepMembers(structural)
	whole, _, err := validation.NewSchemaValidator(declared.OpenAPIV3Schema)
	if err != nil {
		return nil, err
	}
	var status *apiextensions.CustomResourceSubresourceStatus
	var statusSchema validation.SchemaValidator
	var scale *apiextensions.CustomResourceSubresourceScale
	if sub := version.Subresources; sub != nil {
		if sub.Status != nil {
			status = &apiextensions.CustomResourceSubresourceStatus{}
			if below, ok := declared.OpenAPIV3Schema.Properties["status"]; ok {
				if statusSchema, _, err = validation.NewSchemaValidator(&below); err != nil {
					return nil, err
				}
			}
		}
		if sub.Scale != nil {
			scale = &apiextensions.CustomResourceSubresourceScale{}
			if err := apiextensionsv1.Convert_v1_CustomResourceSubresourceScale_To_apiextensions_CustomResourceSubresourceScale(sub.Scale, scale, nil); err != nil {
				return nil, err
			}
		}
	}
	gvk := schema.GroupVersionKind{Group: crd.Spec.Group, Version: version.Name, Kind: crd.Spec.Names.Kind}
	namespaced := crd.Spec.Scope == apiextensionsv1.NamespaceScoped
	strategy := customresource.NewStrategy(
		crdserverscheme.NewUnstructuredObjectTyper(), namespaced, gvk, whole, statusSchema, structural, status, scale, version.SelectableFields,
	)
	info := kindInfo{
		Group: gvk.Group, Version: gvk.Version, Kind: gvk.Kind, Resource: crd.Spec.Names.Plural, APIVersion: gvk.GroupVersion().String(),
		Type: gvk.GroupVersion().String() + "." + gvk.Kind, Operations: []string{"create", "update"}, Namespaced: namespaced, Rules: true,
		Storage: true, Composition: "levels", Normalization: [][2]string{}, Options: map[string]bool{},
	}
	entries := []*entry{{info: info, gvk: gvk, structural: structural, create: strategy, update: strategy, rules: rules}}
	if status != nil {
		info.Subresource, info.Operations = "status", []string{"update"}
		entries = append(entries, &entry{
			info: info, gvk: gvk, structural: structural, update: customresource.NewStatusStrategy(strategy), rules: rules,
		})
	}
	if scale != nil {
		info.Subresource, info.Operations = "scale", []string{"update"}
		entries = append(entries, &entry{info: info, gvk: gvk, structural: structural, update: strategy, rules: rules, scale: pathsOf(scale)})
	}
	return entries, nil
}

// ruleNames are the places of the CEL rules of a version, by number, and which of them have no message of their own.
type ruleNames struct {
	places []string
	bare   []bool
}

const (
	tagStart = "\x01"
	tagEnd   = "\x02"
	noWords  = "failed rule: "
)

// nameRules numbers the CEL rules of a schema in their messages, so that an error tells which rule it is of. The number
// is taken out again before anybody sees it.
func nameRules(top *apiextensions.JSONSchemaProps) *ruleNames {
	names := &ruleNames{}
	names.walk(top, "")
	return names
}

func (n *ruleNames) walk(s *apiextensions.JSONSchemaProps, path string) {
	for i := range s.XValidations {
		rule := &s.XValidations[i]
		n.bare = append(n.bare, rule.Message == "")
		if rule.Message == "" {
			rule.Message = noWords + strings.TrimSpace(rule.Rule)
		}
		rule.Message = fmt.Sprintf("%s%d%s%s", tagStart, len(n.places), tagEnd, rule.Message)
		n.places = append(n.places, fmt.Sprintf("%s[%d]", strings.TrimPrefix(path+".x-kubernetes-validations", "."), i))
	}
	names := make([]string, 0, len(s.Properties))
	for name := range s.Properties {
		names = append(names, name)
	}
	slices.Sort(names)
	for _, name := range names {
		below := s.Properties[name]
		n.walk(&below, path+"."+name)
		s.Properties[name] = below
	}
	if s.Items != nil && s.Items.Schema != nil {
		n.walk(s.Items.Schema, path+"[*]")
	}
	if s.AdditionalProperties != nil && s.AdditionalProperties.Schema != nil {
		n.walk(s.AdditionalProperties.Schema, path+"[*]")
	}
}

// take takes the number out of the words of an error, and says which rule it names.
func (n *ruleNames) take(words string) (place, clean string) {
	before, rest, found := strings.Cut(words, tagStart)
	if !found {
		return "", words
	}
	digits, after, _ := strings.Cut(rest, tagEnd)
	number := 0
	if _, err := fmt.Sscan(digits, &number); err != nil || number >= len(n.places) {
		return "", before + after
	}
	if n.bare[number] && before != "" { // the server quotes the rule itself where it has no message
		after = strings.Replace(after, noWords, "", 1)
	}
	place = n.places[number]
	if strings.Contains(before, evaluating) {
		place += raises
	}
	return place, before + after
}
