// +k8s:validation-gen=TypesWithField=TypeMeta

// Package v1 holds workloads: copies of a template, kept running.
package v1
