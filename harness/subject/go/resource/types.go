// Package resource names Quantity, for suites on machines without the real package.
package resource

// Quantity is a number with a unit.
type Quantity struct {
	Text string `json:"-"`
}
