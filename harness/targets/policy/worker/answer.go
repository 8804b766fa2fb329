package main

import (
	"context"
	"encoding/json"
	"fmt"
	"slices"
	"strings"

	admissionv1 "k8s.io/api/admissionregistration/v1"
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/runtime/schema"
	utiljson "k8s.io/apimachinery/pkg/util/json"
	"k8s.io/apiserver/pkg/admission"
	"k8s.io/apiserver/pkg/admission/plugin/policy/validating"
	celconfig "k8s.io/apiserver/pkg/apis/cel"
	"k8s.io/apiserver/pkg/authentication/user"
	"k8s.io/apiserver/pkg/authorization/authorizerfactory"
)

var (
	// interfaces are asked for resources that are equivalent to one, and know of none: no object is converted here.
	interfaces = admission.NewObjectInterfacesFromScheme(runtime.NewScheme())
	// requestUser is the user of requests, who may do anything.
	requestUser = &user.DefaultInfo{Name: "harness", UID: "harness", Groups: []string{user.SystemPrivilegedGroup, "system:authenticated"}}
	authorizer  = authorizerfactory.NewAlwaysAllowAuthorizer()
)

// raises ends the origin of an error that an expression raised: it is not what the policy says of the object.
const raises = " raises"

// answer never panics: a panic becomes a failure. The extras are the validations that were asked and that hold, and what
// was raised where failurePolicy lets it pass.
func (c *cluster) answer(line *caseLine) (out answer, more extras) {
	out.ID = line.ID
	defer func() {
		if r := recover(); r != nil {
			out.Failure = &failure{Stage: "declarative", Message: fmt.Sprintf("panic: %v", r), Panic: true}
		}
	}()
	obj, err := decoded(line, line.Object)
	var old *unstructured.Unstructured
	if err == nil && line.Operation == "update" {
		old, err = decoded(line, line.Old)
	}
	if err != nil {
		out.Failure = &failure{Stage: "decode", Message: err.Error()}
		return out, more
	}
	kind := kindInfo{Group: line.Group, Version: line.Version, Kind: line.Kind, Resource: line.Resource, Subresource: line.Subresource}
	attributes := attributesOf(kind, line.Operation, obj, old)
	for _, p := range c.policies {
		var own extras // with several params, each is told once
		out.Declarative = appendNew(out.Declarative, p.denials(c, attributes, &own))
		more.Held, more.Ignored = appendNew(more.Held, own.Held), appendNew(more.Ignored, own.Ignored)
	}
	return out, more
}

func appendNew[T comparable](all, some []T) []T {
	for _, one := range some {
		if !slices.Contains(all, one) {
			all = append(all, one)
		}
	}
	return all
}

func decoded(line *caseLine, raw json.RawMessage) (*unstructured.Unstructured, error) {
	values := map[string]any{}
	if err := utiljson.Unmarshal(raw, &values); err != nil {
		return nil, err
	}
	if values == nil {
		return nil, fmt.Errorf("there is no object")
	}
	u := &unstructured.Unstructured{Object: values}
	u.SetGroupVersionKind(schema.GroupVersionKind{Group: line.Group, Version: line.Version, Kind: line.Kind})
	return u, nil
}

// attributesOf are those of a request. obj may be missing where only the resource matters.
func attributesOf(kind kindInfo, operation string, obj, old *unstructured.Unstructured) admission.Attributes {
	var name, space string
	var after, before runtime.Object
	if obj == nil {
		obj = &unstructured.Unstructured{Object: map[string]any{}}
	}
	name, space, after = obj.GetName(), obj.GetNamespace(), obj
	what, options := admission.Create, runtime.Object(&metav1.CreateOptions{TypeMeta: metav1.TypeMeta{APIVersion: "meta.k8s.io/v1", Kind: "CreateOptions"}})
	if operation == "update" {
		what, options = admission.Update, &metav1.UpdateOptions{TypeMeta: metav1.TypeMeta{APIVersion: "meta.k8s.io/v1", Kind: "UpdateOptions"}}
	}
	if old != nil {
		before = old
	}
	version := schema.GroupVersion{Group: kind.Group, Version: kind.Version}
	return admission.NewAttributesRecord(
		after, before, version.WithKind(kind.Kind), space, name, version.WithResource(kind.Resource), kind.Subresource, what, options,
		false, requestUser,
	)
}

// denials does what the server's dispatcher does with one policy, and goes on after the first denial: users are told one,
// and which one is no matter of the object.
func (p *policy) denials(c *cluster, a admission.Attributes, more *extras) (found []wireError) {
	misconfigured := func(what string, err error) {
		p.fail(errorOf("failed to configure "+what+": "+err.Error(), "", p.declared.Name+raises), &found, more)
	}
	matches, resource, kind, err := c.matcher.DefinitionMatches(a, interfaces, validating.NewValidatingAdmissionPolicyAccessor(p.declared))
	if err != nil {
		misconfigured("policy", err)
		return found
	}
	if !matches {
		return nil
	}
	versioned, err := admission.NewVersionedAttributes(a, kind, interfaces)
	if err != nil {
		misconfigured("policy", err)
		return found
	}
	ctx := context.Background()
	namespace := c.namespaceOf(a)
	for _, binding := range p.bindings {
		matches, err := c.matcher.BindingMatches(a, interfaces, validating.NewValidatingAdmissionPolicyBindingAccessor(binding))
		if err != nil {
			misconfigured("binding", err)
			continue
		}
		if !matches {
			continue
		}
		params, err := c.paramsOf(p.declared.Spec.ParamKind, binding.Spec.ParamRef, a.GetNamespace())
		if err != nil {
			misconfigured("binding", err)
			continue
		}
		for _, param := range params {
			found = append(found, p.judge(ctx, resource, versioned, param, namespace, more)...)
		}
	}
	return found
}

// fail denies by an error that is not what the policy says of the object, or lets it pass, as failurePolicy says.
func (p *policy) fail(one wireError, denials *[]wireError, more *extras) {
	if policy := p.declared.Spec.FailurePolicy; policy != nil && *policy == admissionv1.Ignore {
		more.Ignored = append(more.Ignored, one)
	} else {
		*denials = append(*denials, one)
	}
}

// judge asks a policy with one param. A validation that raises does not hold, even where failurePolicy lets it pass.
func (p *policy) judge(ctx context.Context, resource schema.GroupVersionResource, a *admission.VersionedAttributes, param runtime.Object, namespace *corev1.Namespace, more *extras) (found []wireError) {
	name := p.declared.Name
	if p.matcher != nil {
		result := p.matcher.Match(ctx, a, param, authorizer)
		if result.Error != nil {
			p.fail(wireError{Type: "FieldValueInvalid", Detail: result.Error.Error(), Origin: name + ".matchConditions" + raises}, &found, more)
			return found
		}
		if !result.Matches {
			return nil
		}
	}
	result := p.validator.Validate(ctx, resource, a, param, namespace, celconfig.RuntimeCELCostBudget, authorizer)
	for i, decision := range result.Decisions {
		whole := len(result.Decisions) == len(p.declared.Spec.Validations) // else the budget is spent, by none in particular
		if decision.Evaluation == validating.EvalAdmit && whole {
			more.Held = append(more.Held, p.origins[i])
		}
		if decision.Evaluation == validating.EvalAdmit {
			continue
		}
		origin := name + ".validations"
		if whole {
			origin = p.origins[i]
		}
		if decision.Evaluation != validating.EvalError {
			found = append(found, errorOf(decision.Message, decision.Reason, origin))
			continue
		}
		words := strings.Join(strings.Fields(decision.Message), " ")
		p.fail(wireError{Type: "FieldValueInvalid", Detail: words, Origin: origin + raises}, &found, more)
	}
	for i, annotation := range result.AuditAnnotations {
		if annotation.Action == validating.AuditAnnotationActionError {
			origin := fmt.Sprintf("%s.auditAnnotations[%d]", name, i)
			found = append(found, wireError{Type: "FieldValueInvalid", Detail: annotation.Error, Origin: origin + raises})
		}
	}
	return found
}

// namespaceOf is the namespace that expressions see; nil for objects of the cluster.
func (c *cluster) namespaceOf(a admission.Attributes) *corev1.Namespace {
	if a.GetNamespace() == "" || a.GetKind() == corev1.SchemeGroupVersion.WithKind("Namespace") {
		return nil
	}
	namespace, _ := c.Get(a.GetNamespace())
	return namespace
}
