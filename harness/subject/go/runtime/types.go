// Package runtime names RawExtension, for suites on machines without the real package.
package runtime

// RawExtension is any object.
type RawExtension struct {
	Raw []byte `json:"-"`
}
