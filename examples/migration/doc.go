// +k8s:validation-gen=TypesWithField=TypeMeta

// Package v1 holds backups.
package v1
