// +k8s:validation-gen=TypesWithField=TypeMeta

// Package v1 holds policies for traffic.
package v1
