package main

import (
	"encoding/json"
	"fmt"
	"slices"
	"strconv"
	"strings"

	admissionv1 "k8s.io/api/admissionregistration/v1"
	corev1 "k8s.io/api/core/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/labels"
	"k8s.io/apimachinery/pkg/runtime"
	utiljson "k8s.io/apimachinery/pkg/util/json"
	"k8s.io/apimachinery/pkg/util/validation/field"
	"k8s.io/apiserver/pkg/admission/plugin/policy/generic"
	"k8s.io/apiserver/pkg/admission/plugin/policy/matching"
	"k8s.io/kubernetes/pkg/apis/admissionregistration"
	defaultsv1 "k8s.io/kubernetes/pkg/apis/admissionregistration/v1"
	"k8s.io/kubernetes/pkg/apis/admissionregistration/validation"
	kjson "sigs.k8s.io/json"
)

const policyGroup = "admissionregistration.k8s.io"

// cluster is what an API server knows when it asks its policies.
type cluster struct {
	kinds      []kindInfo
	policies   []*policy
	params     []*unstructured.Unstructured
	namespaces map[string]*corev1.Namespace
	refused    []excluded // the resource is the number of the document
	matcher    generic.PolicyMatcher
}

func readCluster(kinds []kindInfo, documents []json.RawMessage) *cluster {
	c := &cluster{kinds: kinds, namespaces: map[string]*corev1.Namespace{}, refused: []excluded{}}
	c.matcher = generic.NewPolicyMatcher(matching.NewMatcher(c, nil))
	for i := range c.kinds {
		c.kinds[i].Rules, c.kinds[i].Storage, c.kinds[i].Composition = true, true, "levels"
		c.kinds[i].Normalization, c.kinds[i].Options = [][2]string{}, map[string]bool{}
	}
	var bindings []*admissionv1.ValidatingAdmissionPolicyBinding
	for number, raw := range documents {
		refuse := func(field, reason string) {
			c.refused = append(c.refused, excluded{Group: policyGroup, Resource: strconv.Itoa(number), Reason: field + ": " + reason})
		}
		var head metav1.TypeMeta
		if err := json.Unmarshal(raw, &head); err != nil {
			refuse("", err.Error())
			continue
		}
		switch {
		case head.Kind == "ValidatingAdmissionPolicy" && strings.HasPrefix(head.APIVersion, policyGroup+"/"):
			declared := &admissionv1.ValidatingAdmissionPolicy{}
			if strict(raw, declared, refuse) && accepted(declared, refuse) {
				c.policies = append(c.policies, compile(declared))
			}
		case head.Kind == "ValidatingAdmissionPolicyBinding" && strings.HasPrefix(head.APIVersion, policyGroup+"/"):
			binding := &admissionv1.ValidatingAdmissionPolicyBinding{}
			if strict(raw, binding, refuse) && bindingAccepted(binding, refuse) {
				bindings = append(bindings, binding)
			}
		case head.Kind == "Namespace" && head.APIVersion == "v1":
			namespace := &corev1.Namespace{}
			if strict(raw, namespace, refuse) {
				c.addNamespace(namespace)
			}
		}
		if values := map[string]any{}; utiljson.Unmarshal(raw, &values) == nil {
			c.params = append(c.params, &unstructured.Unstructured{Object: values})
		}
	}
	for _, p := range c.policies {
		p.bind(bindings)
	}
	return c
}

// strict decodes as a server does, which would drop unknown fields without a word.
func strict(raw []byte, into any, refuse func(field, reason string)) bool {
	unknown, err := kjson.UnmarshalStrict(raw, into)
	if err != nil {
		refuse("", err.Error())
		return false
	}
	for _, err := range unknown {
		refuse(strictReason(err.Error()))
	}
	return len(unknown) == 0
}

// accepted says whether the server would store a policy, whose expressions it compiles for that.
func accepted(declared *admissionv1.ValidatingAdmissionPolicy, refuse func(field, reason string)) bool {
	defaultsv1.SetObjectDefaults_ValidatingAdmissionPolicy(declared)
	internal := &admissionregistration.ValidatingAdmissionPolicy{}
	if err := defaultsv1.Convert_v1_ValidatingAdmissionPolicy_To_admissionregistration_ValidatingAdmissionPolicy(declared, internal, nil); err != nil {
		refuse("", err.Error())
		return false
	}
	return tell(validation.ValidateValidatingAdmissionPolicy(internal), refuse)
}

func bindingAccepted(binding *admissionv1.ValidatingAdmissionPolicyBinding, refuse func(field, reason string)) bool {
	defaultsv1.SetObjectDefaults_ValidatingAdmissionPolicyBinding(binding)
	internal := &admissionregistration.ValidatingAdmissionPolicyBinding{}
	if err := defaultsv1.Convert_v1_ValidatingAdmissionPolicyBinding_To_admissionregistration_ValidatingAdmissionPolicyBinding(binding, internal, nil); err != nil {
		refuse("", err.Error())
		return false
	}
	return tell(validation.ValidateValidatingAdmissionPolicyBinding(internal), refuse)
}

func tell(found field.ErrorList, refuse func(field, reason string)) bool {
	for _, err := range found {
		refuse(err.Field, wordsOf(err))
	}
	return len(found) == 0
}

func (c *cluster) addNamespace(namespace *corev1.Namespace) {
	if namespace.Labels == nil {
		namespace.Labels = map[string]string{}
	}
	namespace.Labels[corev1.LabelMetadataName] = namespace.Name
	namespace.Status.Phase = corev1.NamespaceActive
	c.namespaces[namespace.Name] = namespace
}

// Get finds a namespace: one of the documents, or one with nothing but its name. With List it makes a lister.
func (c *cluster) Get(name string) (*corev1.Namespace, error) {
	if name == "" {
		return nil, apierrors.NewNotFound(corev1.Resource("namespaces"), name)
	}
	if known := c.namespaces[name]; known != nil {
		return known, nil
	}
	return &corev1.Namespace{
		ObjectMeta: metav1.ObjectMeta{Name: name, Labels: map[string]string{corev1.LabelMetadataName: name}},
		Status:     corev1.NamespaceStatus{Phase: corev1.NamespaceActive},
	}, nil
}

// List is asked by nobody here.
func (c *cluster) List(labels.Selector) ([]*corev1.Namespace, error) { return nil, nil }

// paramsOf finds the params of a binding for an object in a namespace, as the server's CollectParams does with the
// objects that its informers hold. A policy without params is asked once, with none.
func (c *cluster) paramsOf(kind *admissionv1.ParamKind, ref *admissionv1.ParamRef, namespace string) ([]runtime.Object, error) {
	if kind == nil || ref == nil {
		return []runtime.Object{nil}, nil
	}
	namespaced := c.isNamespaced(kind)
	switch {
	case !namespaced && ref.Namespace != "":
		return nil, fmt.Errorf("paramRef.namespace must not be provided for a cluster-scoped `paramKind`")
	case !namespaced:
		namespace = ""
	case ref.Namespace != "":
		namespace = ref.Namespace
	case namespace == "":
		return nil, fmt.Errorf("cannot use namespaced paramRef in policy binding that matches cluster-scoped resources")
	}
	selector := labels.Everything()
	if ref.Selector != nil {
		var err error
		if selector, err = metav1.LabelSelectorAsSelector(ref.Selector); err != nil {
			return nil, err
		}
	}
	var found []runtime.Object
	for _, param := range c.params {
		inside := !namespaced || spaceOf(param) == namespace
		named := ref.Name == "" || param.GetName() == ref.Name
		if param.GetAPIVersion() == kind.APIVersion && param.GetKind() == kind.Kind && inside && named && selector.Matches(labels.Set(param.GetLabels())) {
			found = append(found, param)
		}
	}
	if len(found) == 0 && ref.ParameterNotFoundAction != nil && *ref.ParameterNotFoundAction == admissionv1.DenyAction {
		return nil, fmt.Errorf("no params found for policy binding with `Deny` parameterNotFoundAction")
	}
	return found, nil
}

// spaceOf is where an object without a namespace is created.
func spaceOf(param *unstructured.Unstructured) string {
	if space := param.GetNamespace(); space != "" {
		return space
	}
	return metav1.NamespaceDefault
}

// isNamespaced asks the kinds of the server; of others, such as a config map beside CRDs, the params tell.
func (c *cluster) isNamespaced(kind *admissionv1.ParamKind) bool {
	for _, known := range c.kinds {
		if known.APIVersion == kind.APIVersion && known.Kind == kind.Kind {
			return known.Namespaced
		}
	}
	if kind.APIVersion == "v1" {
		return !slices.Contains([]string{"Namespace", "Node", "PersistentVolume"}, kind.Kind)
	}
	return slices.ContainsFunc(c.params, func(param *unstructured.Unstructured) bool {
		return param.GetAPIVersion() == kind.APIVersion && param.GetKind() == kind.Kind && param.GetNamespace() != ""
	})
}
