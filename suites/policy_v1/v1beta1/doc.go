// +k8s:validation-gen=TypesWithField=TypeMeta

// Package v1beta1 holds policies for traffic.
package v1beta1
