// +k8s:validation-gen=*

// Package v1 holds widgets.
package v1
