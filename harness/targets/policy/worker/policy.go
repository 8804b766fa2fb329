package main

import (
	"fmt"
	"slices"
	"strings"

	admissionv1 "k8s.io/api/admissionregistration/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apiserver/pkg/admission"
	"k8s.io/apiserver/pkg/admission/plugin/cel"
	"k8s.io/apiserver/pkg/admission/plugin/policy/validating"
	"k8s.io/apiserver/pkg/admission/plugin/webhook/matchconditions"
	"k8s.io/apiserver/pkg/cel/environment"
)

// policy is one that the server accepts, compiled, and the bindings that deny by it.
type policy struct {
	declared  *admissionv1.ValidatingAdmissionPolicy
	validator validating.Validator
	matcher   matchconditions.Matcher // nil without match conditions
	origins   []string                // the name of each validation
	bindings  []*admissionv1.ValidatingAdmissionPolicyBinding
}

// environmentSet is made once: it takes longer than all expressions of a policy.
var environmentSet = environment.MustBaseEnvSet(environment.DefaultCompatibilityVersion())

// compile does what the private compilePolicy of the server's plugin does; only match conditions are kept apart, so that
// one that raises can be told from a validation that does.
func compile(declared *admissionv1.ValidatingAdmissionPolicy) *policy {
	spec := declared.Spec
	params := spec.ParamKind != nil
	whole := cel.OptionalVariableDeclarations{HasParams: params, HasAuthorizer: true}
	ofMessages := cel.OptionalVariableDeclarations{HasParams: params}
	p := &policy{declared: declared}
	for i := range spec.Validations {
		p.origins = append(p.origins, fmt.Sprintf("%s.validations[%d]", declared.Name, i))
	}
	compiler, err := cel.NewCompositedCompiler(environmentSet)
	if err != nil {
		p.validator = validating.NewValidator(nil, nil, nil, nil, spec.FailurePolicy, err)
		return p
	}
	variables := make([]cel.NamedExpressionAccessor, len(spec.Variables))
	for i, one := range spec.Variables {
		variables[i] = &validating.Variable{Name: one.Name, Expression: one.Expression}
	}
	compiler.CompileAndStoreVariables(variables, whole, environment.StoredExpressions)
	conditions := make([]cel.ExpressionAccessor, len(spec.MatchConditions))
	for i := range spec.MatchConditions {
		conditions[i] = (*matchconditions.MatchCondition)(&spec.MatchConditions[i])
	}
	if len(conditions) > 0 {
		evaluator := compiler.CompileCondition(conditions, whole, environment.StoredExpressions)
		fails := admissionv1.Fail // with Ignore it does not say that a condition raised: see fail
		p.matcher = matchconditions.NewMatcher(evaluator, &fails, "policy", "validate", declared.Name)
	}
	validations, messages := make([]cel.ExpressionAccessor, len(spec.Validations)), make([]cel.ExpressionAccessor, len(spec.Validations))
	for i, one := range spec.Validations {
		validations[i] = &validating.ValidationCondition{Expression: one.Expression, Message: one.Message, Reason: one.Reason}
		if one.MessageExpression != "" {
			messages[i] = &validating.MessageExpressionCondition{MessageExpression: one.MessageExpression}
		}
	}
	annotations := make([]cel.ExpressionAccessor, len(spec.AuditAnnotations))
	for i, one := range spec.AuditAnnotations {
		annotations[i] = &validating.AuditAnnotationCondition{Key: one.Key, ValueExpression: one.ValueExpression}
	}
	p.validator = validating.NewValidator(
		compiler.CompileCondition(validations, whole, environment.StoredExpressions), nil,
		compiler.CompileCondition(annotations, whole, environment.StoredExpressions),
		compiler.CompileCondition(messages, ofMessages, environment.StoredExpressions), spec.FailurePolicy, nil,
	)
	return p
}

// bind keeps the bindings of this policy that deny. A policy that no binding names is asked about everything, as one that
// is tried out before it is bound.
func (p *policy) bind(bindings []*admissionv1.ValidatingAdmissionPolicyBinding) {
	named := false
	for _, binding := range bindings {
		if binding.Spec.PolicyName != p.declared.Name {
			continue
		}
		named = true
		if slices.Contains(binding.Spec.ValidationActions, admissionv1.Deny) {
			p.bindings = append(p.bindings, binding)
		}
	}
	if !named {
		p.bindings = []*admissionv1.ValidatingAdmissionPolicyBinding{{Spec: admissionv1.ValidatingAdmissionPolicyBindingSpec{
			PolicyName: p.declared.Name, ValidationActions: []admissionv1.ValidationAction{admissionv1.Deny},
		}}}
	}
}

// reached are the operations of a kind about which some policy may be asked, whatever labels and names an object has.
func (c *cluster) reached(kind kindInfo) []string {
	if kind.Subresource != "" {
		return nil
	}
	var found []string
	for _, operation := range kind.Operations {
		attributes := attributesOf(kind, operation, nil, nil)
		if slices.ContainsFunc(c.policies, func(p *policy) bool { return p.reaches(c, attributes) }) {
			found = append(found, operation)
		}
	}
	return found
}

func (p *policy) reaches(c *cluster, attributes admission.Attributes) bool {
	constrained := &admissionv1.ValidatingAdmissionPolicy{}
	constrained.Spec.MatchConstraints = withoutSelectors(p.declared.Spec.MatchConstraints)
	matches, _, _, err := c.matcher.DefinitionMatches(attributes, interfaces, validating.NewValidatingAdmissionPolicyAccessor(constrained))
	return matches && err == nil && slices.ContainsFunc(p.bindings, func(binding *admissionv1.ValidatingAdmissionPolicyBinding) bool {
		if binding.Spec.MatchResources == nil {
			return true
		}
		wide := &admissionv1.ValidatingAdmissionPolicyBinding{}
		wide.Spec.MatchResources = withoutSelectors(binding.Spec.MatchResources)
		matches, err := c.matcher.BindingMatches(attributes, interfaces, validating.NewValidatingAdmissionPolicyBindingAccessor(wide))
		return matches && err == nil
	})
}

func withoutSelectors(one *admissionv1.MatchResources) *admissionv1.MatchResources {
	wide := one.DeepCopy()
	wide.NamespaceSelector, wide.ObjectSelector = &metav1.LabelSelector{}, &metav1.LabelSelector{}
	for i := range wide.ResourceRules {
		wide.ResourceRules[i].ResourceNames = nil
	}
	wide.ExcludeResourceRules = slices.DeleteFunc(wide.ExcludeResourceRules, func(rule admissionv1.NamedRuleWithOperations) bool {
		return len(rule.ResourceNames) > 0
	})
	return wide
}

// errorTypes are those of errors by the reason of a validation; the status of the response follows from the reason.
var errorTypes = map[metav1.StatusReason]string{
	metav1.StatusReasonForbidden: "FieldValueForbidden", metav1.StatusReasonUnauthorized: "FieldValueForbidden",
	metav1.StatusReasonRequestEntityTooLarge: "FieldValueTooLong",
}

// errorOf makes an error of a denial. A policy names no field, but its message may begin with one: `spec.a: not so`.
func errorOf(message string, reason metav1.StatusReason, origin string) wireError {
	kind := errorTypes[reason]
	if kind == "" {
		kind = "FieldValueInvalid"
	}
	path, words := "", message
	if before, after, found := strings.Cut(message, ": "); found && isPath(before) {
		path, words = before, after
	}
	return wireError{Type: kind, Field: path, Detail: words, Origin: origin}
}

// isPath says whether the beginning of a message is a field of the object, and not a word.
func isPath(text string) bool {
	first, _, deeper := strings.Cut(strings.ReplaceAll(text, "[", "."), ".")
	if !deeper && first != "spec" && first != "metadata" && first != "status" && first != "data" {
		return false
	}
	return first != "" && first[0] >= 'a' && first[0] <= 'z' && !strings.ContainsFunc(text, func(r rune) bool {
		return r <= ' ' || strings.ContainsRune(`'"(){},;`, r)
	})
}
