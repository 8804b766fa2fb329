// +k8s:validation-gen=*

// Package v1 holds gadgets.
package v1
