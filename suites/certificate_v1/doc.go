// +k8s:validation-gen=TypesWithField=TypeMeta

// Package v1 holds requests for certificates.
package v1
