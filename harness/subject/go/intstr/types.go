// Package intstr names IntOrString, for suites on machines without the real package.
package intstr

// IntOrString is a whole number or a string.
type IntOrString struct {
	Text string `json:"-"`
}
