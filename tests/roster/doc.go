// +k8s:validation-gen=TypesWithField=TypeMeta

// Package v1 holds rosters.
package v1
