// +k8s:validation-gen=TypesWithField=TypeMeta

// Package v1 holds claims: requests for devices.
package v1
